# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An operator for tests."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_ros.core.operator import Reply, ReplyStatus

DECLINED = Reply(ReplyStatus.DECLINED)


class Person:
    """An operator who answers what a test says, at once or when ``reply`` is set.

    Args:
        reply: the answer; None for none yet.
        present: somebody is there.
        assistant: it is an assistant, not a person.
    """

    def __init__(
        self, reply: str | Reply | None = None, present: bool = True, assistant: bool = False
    ) -> None:
        self.reply = reply
        self.present = present
        self.assistant = assistant
        self.asked: list[str] = []
        self.options: list[tuple[str, ...]] = []
        self.canceled = 0

    @property
    def person_present(self) -> bool:
        return self.present and not self.assistant

    def ask(
        self,
        question: str,
        options: Sequence[str] = (),
        otherwise: str = '',
        person: bool = False,
    ) -> Person:
        assert not (person and self.assistant), question
        self.asked.append(question)
        self.options.append(tuple(options))
        return self

    def poll(self) -> Reply | None:
        if not isinstance(self.reply, str):
            return self.reply
        return Reply(ReplyStatus.ANSWERED if self.reply else ReplyStatus.UNANSWERED, self.reply)

    def cancel(self) -> None:
        self.canceled += 1
