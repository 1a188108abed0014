; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-6)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 - block)
  (:init
    (on-table b3) (on b1 b3) (on b5 b1) (on b4 b5) (on b2 b4) (clear b2) (arm-empty))
  (:goal (and
    (on b1 b4) (on b2 b3))))
