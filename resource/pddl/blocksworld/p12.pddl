; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-12)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 b6 - block)
  (:init
    (on-table b2) (clear b2) (on-table b4) (on b5 b4) (on b1 b5) (on b3 b1) (on b6 b3)
    (clear b6) (arm-empty))
  (:goal (and
    (on b4 b3) (on b6 b4) (on b5 b2) (on b1 b5))))
