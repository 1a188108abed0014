# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Decisions, prompts, limits, outcomes, events: plain data; protocols of model and memory."""
