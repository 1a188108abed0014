; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-5)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 - block)
  (:init
    (on-table b1) (on b5 b1) (on b3 b5) (on b2 b3) (on b4 b2) (clear b4) (arm-empty))
  (:goal (and
    (on b1 b5) (on b3 b1) (on b2 b3) (on b4 b2))))
