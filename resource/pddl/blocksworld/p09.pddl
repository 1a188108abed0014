; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-9)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 b6 - block)
  (:init
    (on-table b1) (clear b1) (on-table b4) (clear b4) (on-table b2) (clear b2) (on-table b5)
    (on b6 b5) (on b3 b6) (clear b3) (arm-empty))
  (:goal (and
    (on b6 b4) (on b3 b6) (on b5 b3) (on b2 b5) (on b1 b2))))
