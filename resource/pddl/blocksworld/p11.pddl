; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-11)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 b6 - block)
  (:init
    (on-table b1) (on b2 b1) (clear b2) (on-table b6) (on b5 b6) (on b4 b5) (on b3 b4)
    (clear b3) (arm-empty))
  (:goal (and
    (on b2 b3) (on b6 b1) (on b4 b6) (on b5 b4))))
