; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
; A robot with two hands mixes drinks.
(define (domain barman)
  (:requirements :strips :typing)
  (:types hand level beverage dispenser container - object
          ingredient cocktail - beverage
          shot shaker - container)
  (:predicates
    (on-table ?c - container)
    (holding ?h - hand ?c - container)
    (hand-empty ?h - hand)
    (empty ?c - container)
    (contains ?c - container ?b - beverage)
    (clean ?c - container)
    (used ?c - container ?b - beverage)
    (dispenses ?d - dispenser ?i - ingredient)
    (shaker-level ?s - shaker ?l - level)
    (empty-level ?s - shaker ?l - level)
    (next ?l1 ?l2 - level)
    (unshaken ?s - shaker)
    (shaken ?s - shaker)
    (first-part ?c - cocktail ?i - ingredient)
    (second-part ?c - cocktail ?i - ingredient))
  (:action grasp
    :parameters (?h - hand ?c - container)
    :precondition (and (on-table ?c) (hand-empty ?h))
    :effect (and (holding ?h ?c) (not (on-table ?c)) (not (hand-empty ?h))))
  (:action leave
    :parameters (?h - hand ?c - container)
    :precondition (holding ?h ?c)
    :effect (and (on-table ?c) (hand-empty ?h) (not (holding ?h ?c))))
  (:action fill-shot
    :parameters (?s - shot ?i - ingredient ?h1 ?h2 - hand ?d - dispenser)
    :precondition (and (holding ?h1 ?s) (hand-empty ?h2) (dispenses ?d ?i) (empty ?s) (clean ?s))
    :effect (and (contains ?s ?i) (used ?s ?i) (not (empty ?s)) (not (clean ?s))))
  (:action refill-shot
    :parameters (?s - shot ?i - ingredient ?h1 ?h2 - hand ?d - dispenser)
    :precondition (and (holding ?h1 ?s) (hand-empty ?h2) (dispenses ?d ?i) (empty ?s) (used ?s ?i))
    :effect (and (contains ?s ?i) (not (empty ?s))))
  (:action empty-shot
    :parameters (?h - hand ?s - shot ?b - beverage)
    :precondition (and (holding ?h ?s) (contains ?s ?b))
    :effect (and (empty ?s) (not (contains ?s ?b))))
  (:action clean-shot
    :parameters (?s - shot ?b - beverage ?h1 ?h2 - hand)
    :precondition (and (holding ?h1 ?s) (hand-empty ?h2) (empty ?s) (used ?s ?b))
    :effect (and (clean ?s) (not (used ?s ?b))))
  (:action pour-into-clean-shaker
    :parameters (?s - shot ?i - ingredient ?k - shaker ?h - hand ?l ?l1 - level)
    :precondition (and (holding ?h ?s) (contains ?s ?i) (empty ?k) (clean ?k) (shaker-level ?k ?l)
                       (next ?l ?l1))
    :effect (and (contains ?k ?i) (empty ?s) (unshaken ?k) (shaker-level ?k ?l1)
                 (not (contains ?s ?i)) (not (empty ?k)) (not (clean ?k))
                 (not (shaker-level ?k ?l))))
  (:action pour-into-used-shaker
    :parameters (?s - shot ?i - ingredient ?k - shaker ?h - hand ?l ?l1 - level)
    :precondition (and (holding ?h ?s) (contains ?s ?i) (unshaken ?k) (shaker-level ?k ?l)
                       (next ?l ?l1))
    :effect (and (contains ?k ?i) (empty ?s) (shaker-level ?k ?l1) (not (contains ?s ?i))
                 (not (shaker-level ?k ?l))))
  (:action empty-shaker
    :parameters (?h - hand ?k - shaker ?b - cocktail ?l ?l0 - level)
    :precondition (and (holding ?h ?k) (contains ?k ?b) (shaken ?k) (shaker-level ?k ?l)
                       (empty-level ?k ?l0))
    :effect (and (empty ?k) (shaker-level ?k ?l0) (not (shaken ?k)) (not (contains ?k ?b))
                 (not (shaker-level ?k ?l))))
  (:action clean-shaker
    :parameters (?h1 ?h2 - hand ?k - shaker)
    :precondition (and (holding ?h1 ?k) (hand-empty ?h2) (empty ?k))
    :effect (clean ?k))
  (:action shake
    :parameters (?b - cocktail ?i1 ?i2 - ingredient ?k - shaker ?h1 ?h2 - hand)
    :precondition (and (holding ?h1 ?k) (hand-empty ?h2) (contains ?k ?i1) (contains ?k ?i2)
                       (first-part ?b ?i1) (second-part ?b ?i2) (unshaken ?k))
    :effect (and (shaken ?k) (contains ?k ?b) (not (unshaken ?k)) (not (contains ?k ?i1))
                 (not (contains ?k ?i2))))
  (:action pour-shaker-into-shot
    :parameters (?b - beverage ?s - shot ?h - hand ?k - shaker ?l ?l1 - level)
    :precondition (and (holding ?h ?k) (shaken ?k) (empty ?s) (clean ?s) (contains ?k ?b)
                       (shaker-level ?k ?l) (next ?l1 ?l))
    :effect (and (contains ?s ?b) (shaker-level ?k ?l1) (not (clean ?s)) (not (empty ?s))
                 (not (shaker-level ?k ?l)))))
