# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Training of the embedded model on the planner's own runs: data sets, and how they are learned."""
