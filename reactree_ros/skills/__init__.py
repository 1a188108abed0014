# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skill libraries: phrases, conditions and effects, and how each skill reaches the robot."""
