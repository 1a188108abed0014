# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Baselines of the papers: whole plans, sampled plans, retries."""
