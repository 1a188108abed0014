; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem tyreworld-17)
  (:domain tyreworld)
  (:objects
    boot - container the-hub1 the-hub2 the-hub3 - hub nut1 nut2 nut3 - nut
    w1 w2 w3 r1 r2 r3 - wheel)
  (:init
    (in wrench boot) (in jack boot) (in pump boot) (open boot) (on w1 the-hub1)
    (on-ground the-hub1) (fastened the-hub1) (flat w1) (loose nut1 the-hub1) (in r1 boot)
    (intact r1) (inflated r1) (on w2 the-hub2) (on-ground the-hub2) (fastened the-hub2)
    (flat w2) (tight nut2 the-hub2) (in r2 boot) (intact r2) (inflated r2) (on w3 the-hub3)
    (on-ground the-hub3) (fastened the-hub3) (flat w3) (tight nut3 the-hub3) (in r3 boot)
    (intact r3) (inflated r3))
  (:goal (and
    (in wrench boot) (in jack boot) (in pump boot) (closed boot) (on r1 the-hub1) (inflated r1)
    (tight nut1 the-hub1) (in w1 boot) (on r2 the-hub2) (inflated r2) (tight nut2 the-hub2)
    (in w2 boot) (on r3 the-hub3) (inflated r3) (tight nut3 the-hub3) (in w3 boot))))
