; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-15)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 b6 b7 - block)
  (:init
    (on-table b4) (on b7 b4) (clear b7) (on-table b3) (clear b3) (on-table b6) (clear b6)
    (on-table b5) (clear b5) (on-table b2) (clear b2) (on-table b1) (clear b1) (arm-empty))
  (:goal (and
    (on b1 b7) (on b6 b1) (on b4 b6) (on b2 b4) (on b3 b2))))
