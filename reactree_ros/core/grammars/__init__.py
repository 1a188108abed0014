# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The grammar of one decision, in the three forms that engines and servers take."""
