; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-14)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 b6 b7 - block)
  (:init
    (on-table b2) (on b7 b2) (on b6 b7) (on b3 b6) (clear b3) (on-table b5) (on b4 b5)
    (on b1 b4) (clear b1) (arm-empty))
  (:goal (and
    (on b3 b6) (on b7 b3) (on b1 b7) (on b4 b5))))
