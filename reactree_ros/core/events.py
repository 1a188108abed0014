# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What happens in a run, one record each: feedback, traces and logs are made from these."""

from __future__ import annotations

from dataclasses import dataclass

KINDS = (
    'goal',
    'think',
    'act',
    'recall',
    'expand',
    'observation',
    'done',
    'failure',
    'rejected',
    'ended',
)
"""``goal``: an agent node began; ``rejected``: a decision did not count, the text says why;
``ended``: the run ended, the text says how."""


@dataclass(frozen=True)
class Event:
    """One event of a run.

    Args:
        kind: one of ``KINDS``.
        text: thought, skill phrase, observation, or how it ended.
        path: goals from the root to the active agent node.
        depth: depth of the active agent node; the root has 1.
        decisions: decisions of the whole run so far.
        skills: skills of the whole run so far.
        tokens_in: prompt tokens of the whole run so far.
        tokens_out: answer tokens of the whole run so far.
        seconds: seconds since the run began.
    """

    kind: str
    text: str
    path: tuple[str, ...]
    depth: int
    decisions: int
    skills: int
    tokens_in: int
    tokens_out: int
    seconds: float
