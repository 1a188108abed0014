; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-8)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 - block)
  (:init
    (on-table b4) (on b1 b4) (on b3 b1) (on b5 b3) (on b2 b5) (clear b2) (arm-empty))
  (:goal (and
    (on b1 b5) (on b2 b1) (on b4 b2))))
