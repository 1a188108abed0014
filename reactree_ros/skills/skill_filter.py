# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What of the executable set is worth offering."""

from __future__ import annotations

from typing import Protocol

from reactree_ros.core.observation import ObservedObject


class SkillFilter(Protocol):
    """Leaves out of the executable set what cannot matter now."""

    def asked(self, words: tuple[str, ...]) -> bool:
        """Return whether a skill that is offered only for certain words is asked for."""

    def room(self, name: str) -> bool:
        """Return whether a room is worth going to."""

    def item(self, item: ObservedObject) -> bool:
        """Return whether an object or a place can matter."""

    def target(self, item: ObservedObject) -> bool:
        """Return whether something may be put down here."""


class _Everything:
    def asked(self, words: tuple[str, ...]) -> bool:
        return True

    def room(self, name: str) -> bool:
        return True

    def item(self, item: ObservedObject) -> bool:
        return True

    def target(self, item: ObservedObject) -> bool:
        return True


EVERYTHING: SkillFilter = _Everything()
"""Leaves nothing out."""
