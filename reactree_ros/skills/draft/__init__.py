# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Drafts of skill libraries: what is known of interface types, and YAML for a person to edit."""
