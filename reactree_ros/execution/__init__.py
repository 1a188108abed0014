# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What stands between a skill leaf and the robot: rest, pause, approval, checks, guard."""
