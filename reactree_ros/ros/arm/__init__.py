# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The standard interfaces of an arm on a driving base, above the physics simulation."""
