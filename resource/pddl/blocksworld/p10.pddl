; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-10)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 b6 - block)
  (:init
    (on-table b1) (on b3 b1) (on b4 b3) (on b6 b4) (clear b6) (on-table b5) (on b2 b5)
    (clear b2) (arm-empty))
  (:goal (and
    (on b2 b5) (on b3 b2))))
