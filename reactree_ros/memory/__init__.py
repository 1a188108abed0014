# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Working memory on the blackboard, and episodic memory of past experiences."""
