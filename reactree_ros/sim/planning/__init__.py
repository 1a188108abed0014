# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Facts, actions that change them, and plans of actions."""
