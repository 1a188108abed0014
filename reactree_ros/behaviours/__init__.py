# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The agent tree as live py_trees behaviours: agent nodes, control flow and leaves."""
