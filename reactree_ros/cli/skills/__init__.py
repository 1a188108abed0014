# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree skills``: drafts, checks, tries and lists skill libraries."""
