# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Runs planners on tasks and keeps a trace of every run."""
