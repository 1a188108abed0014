# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Leaves out of training examples what the others say already."""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reactree_ros.core.decision import ACT_LINE, DECISION_LINES
from reactree_ros.lab.dataset.example import TrainingExample
from reactree_ros.lab.dataset.held_back import fault_of
from reactree_ros.memory.goal_key import outline
from reactree_ros.skills.library import SkillLibrary


@dataclass(frozen=True)
class Thinned:
    """What is left.

    Args:
        nodes: in their order.
        held_back: how many were of what planners are judged by.
        same: how many had the same text as another.
        alike: how many were too many of an outline.
    """

    nodes: tuple[TrainingExample, ...]
    held_back: int
    same: int
    alike: int


def thinned(
    nodes: Sequence[TrainingExample], library: SkillLibrary, most_alike: int = 0, seed: int = 0
) -> Thinned:
    """Leave out what must not be learned, what is there twice, and what is there too often.

    Alike are nodes of one planner whose acts and expansions are the same once all things and
    places are called thing and place; of STEP's nodes, which name subgoals, the thoughts are these.
    Roots are never alike: their many wordings are what is to be learned, while there are few ways
    to begin with them. Nor are summaries.

    Of n with one outline, where they are more than ``most_alike``, the geometric mean of both is
    left, drawn by ``seed``, so that what is done often stays what is done most; 0 leaves all.
    """
    allowed = [node for node in nodes if not fault_of(node)]
    different = {(one.system, one.text()): one for one in reversed(allowed)}
    single = [*different.values()][::-1]
    outlines = {
        place: (one.system, _outline(one, library))
        for place, one in enumerate(single)
        if most_alike and not (one.origin.root or _writes(one))
    }
    every, seen = Counter(outlines.values()), Counter[tuple[str, str]]()
    left: list[int] = []
    for place in sorted(range(len(single)), key=lambda i: _drawn(single[i], seed)):
        if place in outlines:
            alike = outlines[place]
            seen[alike] += 1
            if seen[alike] > max(most_alike, round(math.sqrt(most_alike * every[alike]))):
                continue
        left.append(place)
    return Thinned(
        tuple(single[place] for place in sorted(left)),
        held_back=len(nodes) - len(allowed),
        same=len(allowed) - len(single),
        alike=len(single) - len(left),
    )


def _writes(example: TrainingExample) -> bool:
    """Return whether a text other than a decision is learned, such as a summary."""
    decided = (step.text for step in example.steps if step.decided)
    return any(not text.startswith(DECISION_LINES) for text in decided)


def _outline(example: TrainingExample, library: SkillLibrary) -> str:
    decided = [step.text for step in example.steps if step.decided]
    if example.origin.planner.startswith('step'):
        decided = [text.removeprefix(ACT_LINE) for text in decided]  # outlines leave out thoughts
    return outline_of(decided, library)


def outline_of(decided: Sequence[str], library: SkillLibrary) -> str:
    """Return what a node decided, with every thing and place called so."""
    text = _named(outline('\n'.join(decided)), library.objects, 'thing')
    return _named(text, library.places, 'place')


def _named(text: str, names: Iterable[str], word: str) -> str:
    """Return a text with each of some names, longer ones first, replaced by one word."""
    either = '|'.join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf'\b(?:{either})\b', word, text, flags=re.IGNORECASE) if either else text


def _drawn(node: TrainingExample, seed: int) -> bytes:
    """Return a node's place in a random order; the same for the same node."""
    origin, text = node.origin, node.text()
    return hashlib.sha256(f'{seed} {origin.task} {origin.planner} {text}'.encode()).digest()
