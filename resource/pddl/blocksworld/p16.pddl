; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-16)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 b6 b7 - block)
  (:init
    (on-table b3) (on b1 b3) (on b6 b1) (on b4 b6) (on b5 b4) (clear b5) (on-table b2)
    (on b7 b2) (clear b7) (arm-empty))
  (:goal (and
    (on b1 b7) (on b2 b4))))
