# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Options, assembly and the run of a goal, from its root agent node to a report."""
