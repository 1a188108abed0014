; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-practice)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 - block)
  (:init
    (on-table b2) (on b4 b2) (on b3 b4) (on b1 b3) (on b5 b1) (clear b5) (arm-empty))
  (:goal (and
    (on b3 b1) (on b4 b5) (on b2 b4))))
