# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How many robots some model servers carry: a simulation from measured service times."""
