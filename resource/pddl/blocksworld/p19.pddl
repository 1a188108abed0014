; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-19)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 b6 b7 b8 - block)
  (:init
    (on-table b2) (on b3 b2) (on b5 b3) (on b1 b5) (on b4 b1) (clear b4) (on-table b8)
    (on b6 b8) (clear b6) (on-table b7) (clear b7) (arm-empty))
  (:goal (and
    (on b6 b7) (on b8 b3) (on b5 b8) (on b4 b5) (on b1 b4))))
