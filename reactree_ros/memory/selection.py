# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which of the experiences that were found a model gets to read (paper, section 4.2)."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from reactree_ros.core.decision import DECISION_LINES
from reactree_ros.memory.experience import Termination
from reactree_ros.memory.store import Match, Ranking

_COUNTED = 16
"""Texts whose tokens are counted at once."""


@dataclass(frozen=True, kw_only=True)
class Retrieval(Ranking):
    """How experiences are looked for and chosen; without changes, the paper's way.

    Args:
        left_out: what decision lines begin with that are not on offer; they are cut out of the
            texts, and with them what follows from them.
        seed: of the draw among equals.
        fixed_order: if all that were found fit, the order is that in which they were made.
    """

    left_out: tuple[str, ...] = ()
    seed: int = 0
    fixed_order: bool = False


@dataclass(frozen=True)
class Candidate:
    """An experience that may be shown.

    Args:
        number: names it in its store.
        text: what a model would read.
        score: see ``store.Match``.
        termination: how it ended.
        learned: it comes from a store that learns, not from those that are shipped.
        same_goal: its goal is the very goal that is asked for, word for word.
    """

    number: int
    text: str
    score: float
    termination: Termination
    learned: bool
    same_goal: bool


def candidates(
    matches: Iterable[Match], goal: str, *, left_out: tuple[str, ...], learned: bool
) -> list[Candidate]:
    """Return what a store found, as it would be shown."""
    return [
        Candidate(
            number=match.record.number,
            text=without(experience.text, left_out),
            score=match.score,
            termination=experience.termination,
            learned=learned,
            same_goal=experience.goal.casefold() == goal.casefold(),
        )
        for match in matches
        for experience in (match.record.experience,)
    ]


def in_order(found: Sequence[Candidate], margin: float, seed: int) -> list[Candidate]:
    """Order candidates, the best first.

    Among equals, what was learned about the very same goal comes first; the rest takes turns:
    each next one comes from a termination state drawn uniformly.
    """
    best = max((one.score for one in found), default=0.0)
    kept = [one for one in found if one.score >= best - margin]
    kept.sort(key=lambda one: -one.score)  # stable: equals stay in the order of their numbers
    generator = np.random.default_rng(seed)
    order: list[Candidate] = []
    for _, equals in itertools.groupby(kept, lambda one: one.score):
        same: list[Candidate] = []
        other: list[Candidate] = []
        for one in equals:
            (same if one.learned and one.same_goal else other).append(one)
        for group in filter(None, (same, other)):
            order += _in_turns(group, generator)
    return order


def _in_turns(equals: list[Candidate], generator: np.random.Generator) -> list[Candidate]:
    groups: dict[Termination, list[Candidate]] = {}
    for index in generator.permutation(len(equals)).tolist():
        groups.setdefault(equals[index].termination, []).append(equals[index])
    order = []
    while groups:
        states = sorted(groups, key=lambda state: state.value)
        state = states[int(generator.integers(len(states)))]
        order.append(groups[state].pop())
        if not groups[state]:
            del groups[state]
    return order


Filling = Generator[tuple[str, ...], Sequence[int], list[Candidate]]
"""Yields texts whose tokens are to be counted, is sent their counts, returns what was taken."""


def fill(order: Sequence[Candidate], budget: int) -> Filling:
    """Take candidates until the token budget is full.

    One that does not fit is skipped for a shorter one.

    Args:
        order: the best first.
        budget: most tokens of all texts together.
    """
    taken: list[Candidate] = []
    left = budget
    begin = 0
    while begin < len(order):
        batch: list[Candidate] = []
        while begin < len(order) and len(batch) < _COUNTED:
            if _fewest_tokens(order[begin].text) <= left:
                batch.append(order[begin])
            begin += 1
        counts = (yield tuple(one.text for one in batch)) if batch else ()
        for one, count in zip(batch, counts, strict=True):
            if count <= left:
                taken.append(one)
                left -= count
    return taken


def _fewest_tokens(text: str) -> int:
    """Return a number of tokens that no tokenizer stays below: half of the words.

    Tokens hardly ever reach across words, so what cannot fit need not be counted.
    """
    return (len(text.split()) + 1) // 2


def without(text: str, left_out: tuple[str, ...]) -> str:
    r"""Return a trajectory without decision lines that begin so, and without their results.

    >>> without('Goal: a\nAct: look\nYou see a mug.\nAct: done\n', ('Act: look',))
    'Goal: a\nAct: done\n'
    """
    if not left_out:
        return text
    kept, drop = [], False
    for line in text.splitlines(keepends=True):
        if line.startswith(DECISION_LINES):
            drop = line.startswith(left_out)
        if not drop:
            kept.append(line)
    return ''.join(kept)
