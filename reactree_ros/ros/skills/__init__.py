# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills as action goals, service calls and topic messages."""
