; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem blocksworld-13)
  (:domain blocksworld)
  (:objects
    b1 b2 b3 b4 b5 b6 b7 - block)
  (:init
    (on-table b2) (on b1 b2) (on b6 b1) (on b5 b6) (clear b5) (on-table b4) (on b7 b4)
    (on b3 b7) (clear b3) (arm-empty))
  (:goal (and
    (on b4 b5) (on b3 b4) (on b2 b3) (on b7 b2) (on b1 b7))))
