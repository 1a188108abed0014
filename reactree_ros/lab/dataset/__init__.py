# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Training examples from runs and experiences."""
