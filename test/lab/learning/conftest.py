# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Tiny models, as the tests of training have them."""

from __future__ import annotations

from ..training.conftest import make_examples, tiny_models

__all__ = ['make_examples', 'tiny_models']
