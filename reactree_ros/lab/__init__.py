# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The laboratory: evaluation, training, benchmarks and generators. A robot does not need it."""
