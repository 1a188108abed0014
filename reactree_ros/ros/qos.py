# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""All QoS profiles that differ from rclpy's defaults."""

from __future__ import annotations

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

EVENTS = QoSProfile(depth=1000, durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""Events of runs, reliable and kept: who comes late reads what happened before."""

LATEST = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""What is published when it changes, reliable: who comes late reads the latest."""

TF_STATIC = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""Fixed transforms, as tf2_ros publishes them and listens to them."""

CLOSED_QUESTIONS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
"""Questions that nobody waits for any more, reliable and kept: none may stay open."""

SENSOR = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
"""What reliable publishers and best-effort ones send; nothing that was sent before."""

SENSOR_LATEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
"""The same; nothing older than the latest is read."""

JOINT_STATES = QoSProfile(depth=4, reliability=ReliabilityPolicy.BEST_EFFORT)
"""The same; a few, for several controllers publish their joints at the same time."""

GOAL_FEEDBACK = QoSProfile(depth=200)
"""Feedback of a goal, reliable: one tick may have many events, and none may get lost."""
