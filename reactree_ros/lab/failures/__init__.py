# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Why runs failed, by the classes of the paper (section 5.6)."""
