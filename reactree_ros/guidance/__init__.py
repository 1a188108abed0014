# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads English goals to help small models; a skill library asks for it by name."""
