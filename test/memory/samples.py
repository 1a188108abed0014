# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Experiences that tests put into stores, and what they look for there."""

from __future__ import annotations

import numpy as np

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.model import Vectors
from reactree_ros.memory.experience import Experience, Origin, Termination, Verification
from reactree_ros.memory.store import Choice, ExperienceStore, NewExperience, Query

DIMENSION = 8
RUN = Origin('run 1', 'set 1', 'household', 'reactree', 'tiny', 10.0, Verification.WORLD)


def vector(seed: int, dimension: int = DIMENSION) -> Vectors:
    values = np.random.default_rng(seed).normal(size=dimension).astype(np.float32)
    return values / np.linalg.norm(values)


def new(
    number: int, text: str = '', termination: Termination = Termination.SUCCESS
) -> NewExperience:
    experience = Experience(f'find Größe {number}', text or f'text {number}\n', termination, False)
    flows = frozenset({ControlFlow.SEQUENCE, ControlFlow.FALLBACK})
    return NewExperience(experience, f'find {number}', vector(number), f'outline {number}', flows)


def goals(store: ExperienceStore, choice: Choice = Choice()) -> list[str]:  # noqa: B008
    return [record.experience.goal.split()[-1] for record in store.records(choice)]


def found(store: ExperienceStore, number: int) -> list[int]:
    return [match.record.number for match in store.search(Query(vector(number), limit=1))]
