# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills of a driving arm, above the interface ``Robot``: planning, grasping, doors, belief."""
