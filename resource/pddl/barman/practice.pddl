; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem barman-practice)
  (:domain barman)
  (:objects
    left-hand right-hand - hand l0 l1 l2 - level shaker1 - shaker shot1 shot2 shot3 - shot
    ingredient1 ingredient2 ingredient3 - ingredient cocktail1 - cocktail
    dispenser1 dispenser2 dispenser3 - dispenser)
  (:init
    (hand-empty left-hand) (hand-empty right-hand) (on-table shaker1) (empty shaker1)
    (clean shaker1) (shaker-level shaker1 l0) (empty-level shaker1 l0) (next l0 l1)
    (next l1 l2) (on-table shot1) (empty shot1) (clean shot1) (on-table shot2) (empty shot2)
    (clean shot2) (on-table shot3) (empty shot3) (clean shot3)
    (dispenses dispenser1 ingredient1) (dispenses dispenser2 ingredient2)
    (dispenses dispenser3 ingredient3) (first-part cocktail1 ingredient3)
    (second-part cocktail1 ingredient1))
  (:goal (and
    (contains shot1 cocktail1) (contains shot2 ingredient3))))
