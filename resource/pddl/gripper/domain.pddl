; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
; Robots with grippers carry balls between rooms.
(define (domain gripper)
  (:requirements :strips :typing)
  (:types room ball gripper robot)
  (:predicates
    (robot-at ?r - robot ?x - room)
    (at ?o - ball ?x - room)
    (free ?r - robot ?g - gripper)
    (carry ?r - robot ?o - ball ?g - gripper))
  (:action move
    :parameters (?r - robot ?x ?y - room)
    :precondition (robot-at ?r ?x)
    :effect (and (robot-at ?r ?y) (not (robot-at ?r ?x))))
  (:action pick
    :parameters (?r - robot ?o - ball ?x - room ?g - gripper)
    :precondition (and (at ?o ?x) (robot-at ?r ?x) (free ?r ?g))
    :effect (and (carry ?r ?o ?g) (not (at ?o ?x)) (not (free ?r ?g))))
  (:action drop
    :parameters (?r - robot ?o - ball ?x - room ?g - gripper)
    :precondition (and (carry ?r ?o ?g) (robot-at ?r ?x))
    :effect (and (at ?o ?x) (free ?r ?g) (not (carry ?r ?o ?g)))))
