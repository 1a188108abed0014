# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A teacher for generated robots: it plans by what was perceived, and splits what is long.

It knows the conditions of its task's goal, what the robot's skills need and change, and what was
perceived so far; where other things are it guesses.
"""

from __future__ import annotations

from reactree_ros.lab.teacher.made.teacher import MadeTeacher

__all__ = ['MadeTeacher']
