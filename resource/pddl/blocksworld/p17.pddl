; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-17)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 b6 b7 b8 - block)
  (:init
    (on-table b2) (on b1 b2) (on b5 b1) (on b4 b5) (on b6 b4) (clear b6) (on-table b8)
    (clear b8) (on-table b7) (on b3 b7) (clear b3) (arm-empty))
  (:goal (and
    (on b2 b6) (on b3 b2) (on b8 b1) (on b5 b4))))
