# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the tables of every store hold: records as rows, and what identifies experiences."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.model import Vectors
from reactree_ros.memory.experience import Experience, Origin, Termination, Verification
from reactree_ros.memory.store import NewExperience, Record

RECORDS = """
SELECT e.id, e.goal, t.text, e.termination, e.root,
    e.run, e.task, e.skills, e.strategy, e.model, e.time, e.verified, e.robot,
    k.text, t.outline, e.control_flows, e.merged, e.retrieved
FROM experiences e JOIN keys k ON k.id = e.key JOIN texts t ON t.id = e.id
"""
COUNTED = ('verified', 'termination', 'strategy', 'skills', 'model', 'robot')
STRENGTH = list(Verification)
"""The weakest first."""
# Embeddings of one text differ by this much between batches of different length.
_NOISE = 1e-5


def record(row: Sequence[Any], shown: Mapping[int, int]) -> Record:
    """Make a record of a row of ``RECORDS``.

    Args:
        row: the row.
        shown: how often experiences were retrieved beyond what the store says.
    """
    number, goal, text, termination, root, *rest = row
    run, task, skills, strategy, model, time, verified, robot, *rest = rest
    key, outline, flows, merged, retrieved = rest
    return Record(
        number,
        Experience(goal, text, Termination(termination), bool(root)),
        Origin(run, task, skills, strategy, model, time, Verification(verified), robot),
        key,
        outline,
        frozenset(ControlFlow(name) for name in flows.split()),
        merged,
        retrieved + shown.get(number, 0),
    )


def columns(origin: Origin, new: NewExperience) -> dict[str, Any]:
    """Return what the better verified, or the later, of two merged experiences decides."""
    one = new.experience
    return {
        'goal': one.goal,
        'termination': one.termination.value,
        'root': one.root,
        'run': origin.run,
        'task': origin.task,
        'skills': origin.skills,
        'strategy': origin.strategy,
        'model': origin.model,
        'time': origin.time,
        'verified': origin.verified.value,
        'robot': origin.robot,
        'control_flows': flow_names(new.control_flows),
        'identity': identity_of(origin, new),
    }


def flow_names(flows: frozenset[ControlFlow]) -> str:
    """Return control flows as the tables hold them."""
    return ' '.join(sorted(flow.value for flow in flows))


def is_alike(one: Vectors, other: Vectors) -> bool:
    """Return whether two vectors may be embeddings of one text by one encoder."""
    return bool(np.allclose(one, other, rtol=0.0, atol=_NOISE))


def likeness(origin: Origin, new: NewExperience) -> bytes:
    """Return what is equal in near-duplicates: they show a model the same, for the same goal."""
    one = new.experience
    return _digest(
        new.key,
        one.goal.casefold(),
        new.outline,
        one.termination.value,
        one.root,
        origin.strategy,
        origin.skills,
    )


def identity(run: str, goal: str, termination: str, text: str) -> bytes:
    """Return what identifies an experience in every store, 16 bytes."""
    return _digest(run, goal, termination, text.rstrip())


def identity_of(origin: Origin, new: NewExperience) -> bytes:
    """Return the ``identity`` of an experience that is added."""
    one = new.experience
    return identity(origin.run, one.goal, one.termination.value, one.text)


def takes_over(origin: Origin, time: float, verified: str, foreign: bool) -> bool:
    """Return whether what is known of a new experience replaces what is known of an equal one.

    Args:
        origin: of the new one.
        time: of the one that is there.
        verified: of the one that is there.
        foreign: whether the new one comes from another store; then what is there stays unless the
            other is better verified.
    """
    comes, was = (STRENGTH.index(one) for one in (origin.verified, Verification(verified)))
    return comes > was or (not foreign and comes == was and origin.time >= time)


def _digest(*parts: object) -> bytes:
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).digest()
