; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem gripper-practice)
  (:domain gripper)
  (:objects
    room1 room2 - room robot1 - robot gripper1 gripper2 - gripper
    ball1 ball2 ball3 ball4 - ball)
  (:init
    (robot-at robot1 room1) (free robot1 gripper1) (free robot1 gripper2) (at ball1 room1)
    (at ball2 room2) (at ball3 room2) (at ball4 room1))
  (:goal (and
    (at ball1 room2) (at ball2 room1) (at ball3 room1) (at ball4 room2))))
