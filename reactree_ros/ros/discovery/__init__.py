# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Looks at what a running robot offers. Nothing here sends anything."""
