; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
; Flat wheels are replaced by intact ones, with tools from the boot.
(define (domain tyreworld)
  (:requirements :strips :typing)
  (:types thing container nut hub - object
          tool wheel - thing)
  (:constants wrench jack pump - tool)
  (:predicates
    (open ?c - container)
    (closed ?c - container)
    (have ?x - thing)
    (have-nut ?n - nut)
    (in ?x - thing ?c - container)
    (tight ?n - nut ?h - hub)
    (loose ?n - nut ?h - hub)
    (on-ground ?h - hub)
    (raised ?h - hub)
    (fastened ?h - hub)
    (unfastened ?h - hub)
    (free ?h - hub)
    (on ?w - wheel ?h - hub)
    (intact ?w - wheel)
    (flat ?w - wheel)
    (inflated ?w - wheel))
  (:action open
    :parameters (?c - container)
    :precondition (closed ?c)
    :effect (and (open ?c) (not (closed ?c))))
  (:action close
    :parameters (?c - container)
    :precondition (open ?c)
    :effect (and (closed ?c) (not (open ?c))))
  (:action fetch
    :parameters (?x - thing ?c - container)
    :precondition (and (in ?x ?c) (open ?c))
    :effect (and (have ?x) (not (in ?x ?c))))
  (:action put-away
    :parameters (?x - thing ?c - container)
    :precondition (and (have ?x) (open ?c))
    :effect (and (in ?x ?c) (not (have ?x))))
  (:action loosen
    :parameters (?n - nut ?h - hub)
    :precondition (and (have wrench) (tight ?n ?h) (on-ground ?h))
    :effect (and (loose ?n ?h) (not (tight ?n ?h))))
  (:action tighten
    :parameters (?n - nut ?h - hub)
    :precondition (and (have wrench) (loose ?n ?h) (on-ground ?h) (fastened ?h))
    :effect (and (tight ?n ?h) (not (loose ?n ?h))))
  (:action jack-up
    :parameters (?h - hub)
    :precondition (and (on-ground ?h) (have jack))
    :effect (and (raised ?h) (not (on-ground ?h)) (not (have jack))))
  (:action jack-down
    :parameters (?h - hub)
    :precondition (raised ?h)
    :effect (and (on-ground ?h) (have jack) (not (raised ?h))))
  (:action undo
    :parameters (?n - nut ?h - hub)
    :precondition (and (raised ?h) (fastened ?h) (have wrench) (loose ?n ?h))
    :effect (and (have-nut ?n) (unfastened ?h) (not (fastened ?h)) (not (loose ?n ?h))))
  (:action do-up
    :parameters (?n - nut ?h - hub)
    :precondition (and (have wrench) (unfastened ?h) (raised ?h) (have-nut ?n))
    :effect (and (loose ?n ?h) (fastened ?h) (not (unfastened ?h)) (not (have-nut ?n))))
  (:action remove-wheel
    :parameters (?w - wheel ?h - hub)
    :precondition (and (raised ?h) (on ?w ?h) (unfastened ?h))
    :effect (and (have ?w) (free ?h) (not (on ?w ?h))))
  (:action put-on-wheel
    :parameters (?w - wheel ?h - hub)
    :precondition (and (have ?w) (free ?h) (unfastened ?h) (raised ?h))
    :effect (and (on ?w ?h) (not (free ?h)) (not (have ?w))))
  (:action inflate
    :parameters (?w - wheel)
    :precondition (and (have pump) (flat ?w) (intact ?w))
    :effect (and (inflated ?w) (not (flat ?w)))))
