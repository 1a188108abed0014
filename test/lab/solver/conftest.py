# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Worlds, as the tests of the household have them."""

from __future__ import annotations

from ...sim.household.conftest import flat, two_handed, world

__all__ = ['flat', 'two_handed', 'world']
