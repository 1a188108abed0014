# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree mcp``: the planner as a server of the Model Context Protocol."""
