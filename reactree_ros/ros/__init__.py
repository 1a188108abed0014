# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The ROS 2 side: nodes, clients and the tree host. The only room that imports rclpy."""
