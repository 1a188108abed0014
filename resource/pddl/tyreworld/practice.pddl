; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem tyreworld-practice)
  (:domain tyreworld)
  (:objects
    boot - container the-hub1 - hub nut1 - nut w1 r1 - wheel)
  (:init
    (in wrench boot) (in jack boot) (in pump boot) (open boot) (on w1 the-hub1)
    (on-ground the-hub1) (fastened the-hub1) (flat w1) (loose nut1 the-hub1) (in r1 boot)
    (intact r1) (flat r1))
  (:goal (and
    (in wrench boot) (in jack boot) (in pump boot) (closed boot) (on r1 the-hub1) (inflated r1)
    (tight nut1 the-hub1) (in w1 boot))))
