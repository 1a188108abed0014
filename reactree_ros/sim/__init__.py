# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Simulated worlds: a household, any PDDL problem, and a kitchen with a physical arm."""
