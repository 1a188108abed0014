# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the shipped homes and task sets from seeds, bit for bit the same everywhere."""
