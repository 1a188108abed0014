# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An operator for tests."""

from __future__ import annotations


class Person:
    """An operator who answers what a test says, at once or when ``reply`` is set."""

    def __init__(self, reply: str | None = None, present: bool = True) -> None:
        self.reply = reply
        self.present = present
        self.asked: list[str] = []
        self.canceled = 0

    def ask(self, question: str) -> Person:
        self.asked.append(question)
        return self

    def poll(self) -> str | None:
        return self.reply

    def cancel(self) -> None:
        self.canceled += 1
