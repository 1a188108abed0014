; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-20)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 b6 b7 b8 - block)
  (:init
    (on-table b2) (on b7 b2) (on b3 b7) (on b8 b3) (on b5 b8) (on b6 b5) (clear b6)
    (on-table b4) (on b1 b4) (clear b1) (arm-empty))
  (:goal (and
    (on b1 b7) (on b3 b1) (on b6 b3) (on b5 b6) (on b4 b5))))
