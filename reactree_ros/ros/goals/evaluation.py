# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Asks ``CheckGoal``: evaluates in the world whether a goal was reached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reactree_interfaces.srv import CheckGoal
from reactree_ros.core.futures import Future, mapped, otherwise, ready
from reactree_ros.ros.goals.learning import Verdict
from reactree_ros.ros.skills.asking import AskedService, NoAnswer


def goal_verdict(client: Any, answer_sec: float, lines: Sequence[str]) -> Future[Verdict]:
    """Ask whether conditions hold; unknown if the service is missing or does not answer.

    Args:
        client: of the service; None for none.
        answer_sec: for the world to answer.
        lines: in the world's own notation, or the instruction of its task.
    """
    if client is None:
        return ready(Verdict())
    asked = AskedService(client, CheckGoal.Request(conditions=list(lines)), 0.0, answer_sec)
    verdict = mapped(
        asked, lambda reply: Verdict(reply.known, reply.holds, tuple(reply.unsatisfied))
    )
    return otherwise(verdict, NoAnswer, lambda error: ready(Verdict()))
