# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What generated robots are made of: each mechanism adds things, skills, rules and wishes."""
