# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Language-model agent trees on py_trees for ROS 2."""
