; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-7)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 - block)
  (:init
    (on-table b2) (clear b2) (on-table b4) (on b5 b4) (clear b5) (on-table b3) (clear b3)
    (on-table b1) (clear b1) (arm-empty))
  (:goal (and
    (on b1 b3) (on b5 b4))))
