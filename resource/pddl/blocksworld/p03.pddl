; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-3)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 - block)
  (:init
    (on-table b4) (clear b4) (on-table b2) (clear b2) (on-table b3) (on b1 b3) (clear b1)
    (arm-empty))
  (:goal (and
    (on b1 b4) (on b2 b1))))
