# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A solver of household tasks under full knowledge of the world."""
