; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-18)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 b6 b7 b8 - block)
  (:init
    (on-table b8) (on b6 b8) (on b1 b6) (clear b1) (on-table b2) (clear b2) (on-table b5)
    (on b4 b5) (on b7 b4) (on b3 b7) (clear b3) (arm-empty))
  (:goal (and
    (on b3 b6) (on b1 b2) (on b4 b1) (on b8 b4))))
