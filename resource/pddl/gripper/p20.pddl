; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem gripper-20)
  (:domain gripper)
  (:objects
    room1 room2 room3 room4 - room robot1 robot2 - robot gripper1 gripper2 - gripper
    ball1 ball2 ball3 ball4 ball5 ball6 ball7 ball8 ball9 - ball)
  (:init
    (robot-at robot1 room1) (robot-at robot2 room3) (free robot1 gripper1)
    (free robot1 gripper2) (free robot2 gripper1) (free robot2 gripper2) (at ball1 room1)
    (at ball2 room1) (at ball3 room2) (at ball4 room2) (at ball5 room4) (at ball6 room3)
    (at ball7 room1) (at ball8 room2) (at ball9 room3))
  (:goal (and
    (at ball1 room2) (at ball2 room2) (at ball3 room4) (at ball4 room3) (at ball5 room1)
    (at ball6 room1) (at ball7 room3) (at ball8 room1) (at ball9 room2))))
