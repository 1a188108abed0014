# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A rule-based solver that decides as an agent node does; its runs are examples to learn from.

It knows the conditions of its task's goal and what the robot has perceived so far, not the world.
"""
