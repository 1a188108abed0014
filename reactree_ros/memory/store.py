# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a store of experiences is asked, and what it answers; see ``sqlite.store``."""

from __future__ import annotations

import math
import operator
from dataclasses import astuple, dataclass, field

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.model import Vectors
from reactree_ros.memory.experience import Experience, Origin, Verification


@dataclass(frozen=True)
class NewExperience:
    """An experience on its way into a store.

    Args:
        experience: what the node went through.
        key: the text that goals are compared by, see ``goal_key.goal_key``.
        vector: the key's embedding, (dimension,), of length 1.
        outline: the decisions without the numbers of things; experiences of equal key and outline
            show a model the same.
        control_flows: those that the text shows.
        merged: how many experiences became this one in the store that it comes from, itself among
            them.
        retrieved: how often it was shown to a model there.
    """

    experience: Experience
    key: str
    vector: Vectors
    outline: str = ''
    control_flows: frozenset[ControlFlow] = frozenset()
    merged: int = 1
    retrieved: int = 0


@dataclass(frozen=True)
class Record:
    """An experience as a store keeps it.

    Args:
        number: names it in its store; never used again.
        experience: what the node went through.
        origin: the run that it comes from; of merged ones, the best verified, and of these the
            latest. All else that is known of it is of that run, too.
        key: the text that its goal is compared by.
        outline: its decisions without the numbers of things.
        control_flows: those that the text shows.
        merged: how many experiences became this one, itself among them.
        retrieved: how often it was shown to a model.
    """

    number: int
    experience: Experience
    origin: Origin
    key: str
    outline: str = ''
    control_flows: frozenset[ControlFlow] = frozenset()
    merged: int = 1
    retrieved: int = 0


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """Which experiences may be found, and what adds to their similarity; all may, and nothing does.

    Args:
        margin: experiences that score less than the best by more than this are left out.
        shape_weight: added to the similarity of experiences of the same level (root goals among
            root goals, subgoals among subgoals).
        strategy: only experiences of this strategy; empty for all.
        skills: only those of this skill library; empty for all.
        control_flows: those on offer; experiences that show another are left out, for an example
            of what is not on offer misleads.
        not_task: none of this task; empty excludes nothing.
    """

    margin: float = math.inf
    shape_weight: float = 0.0
    strategy: str = ''
    skills: str = ''
    control_flows: frozenset[ControlFlow] = frozenset(ControlFlow)
    not_task: str = ''


@dataclass(frozen=True)
class Query(Ranking):
    """What is looked for.

    Args:
        vector: embedding of the key of the goal, (dimension,), of length 1.
        limit: most experiences in the answer; 0 for all.
        root: whether the goal is that of a whole run.
    """

    vector: Vectors
    limit: int = 100
    root: bool = False


@dataclass(frozen=True)
class Match:
    """An experience that was found.

    Args:
        record: the experience.
        score: cosine of its key with the vector, and what the weights add; rounded to 5 digits, so
            that equals are equal.
    """

    record: Record
    score: float


@dataclass(frozen=True)
class Choice:
    """Which records are meant; all conditions must hold.

    Args:
        numbers: these records; empty for all.
        run: of this run; empty for all.
        goal: the goal has this text in it, in any case; empty for all.
        skills: of this skill library; empty for all.
        strategy: of this strategy; empty for all.
        verified: verified by one of these; empty for all.
        task: of this task; empty for all.
    """

    numbers: tuple[int, ...] = ()
    run: str = ''
    goal: str = ''
    skills: str = ''
    strategy: str = ''
    verified: tuple[Verification, ...] = ()
    task: str = ''


@dataclass(frozen=True)
class Saved:
    """What became of experiences that were added.

    Args:
        added: experiences that are new.
        merged: experiences that were merged into an equal one.
        forgotten: older experiences that had to go.
        known: experiences of a file that were there already.
    """

    added: int
    merged: int = 0
    forgotten: int = 0
    known: int = 0

    def __add__(self, other: Saved) -> Saved:
        """Return what became of both."""
        return Saved(*map(operator.add, astuple(self), astuple(other)))


@dataclass(frozen=True)
class StoreStats:
    """What a store holds.

    Args:
        records: number of records.
        runs: number of runs that they come from.
        encoder: name of the encoder of its embeddings; empty while the store has none.
        dimension: floats of an embedding.
        bytes: size on disk; 0 in memory.
        counts: for each of ``verified``, ``termination``, ``strategy``, ``skills`` and ``model``,
            how many records have which value.
    """

    records: int
    runs: int
    encoder: str
    dimension: int
    bytes: int
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
