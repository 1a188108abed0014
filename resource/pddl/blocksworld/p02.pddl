; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-2)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 - block)
  (:init
    (on-table b3) (clear b3) (on-table b4) (clear b4) (on-table b2) (on b1 b2) (clear b1)
    (arm-empty))
  (:goal (and
    (on b2 b4) (on b1 b2) (on b3 b1))))
