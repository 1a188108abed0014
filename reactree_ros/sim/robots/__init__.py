# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Simulated robots other than the household, each behind the servers that such a robot has."""
