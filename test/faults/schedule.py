# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A random course of events for a planner, its client and its robot; a seed makes it again."""

from __future__ import annotations

import random
from dataclasses import dataclass

from reactree_ros.core.model import Answer, DecisionRequest
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.ros.skills.run import Timeouts

from .manners import POINTS, Manners

LIMITS = Timeouts(server_wait_sec=0.12, goal_response_sec=0.12, cancel_sec=0.12)
RESULT_SEC = 0.2
GOAL_SEC = 1.0
"""Time limit of a goal."""
LATE_SEC, TOO_LATE_SEC = 0.05, 0.3
ENDLESS_SEC = 600.0
RIGHT = 0.4
"""Share of the robot's goals in which nothing is wrong."""
OFTEN = (*('goal',) * 4, *('cancel',) * 3, *('result',) * 3, 'feedback', 'status')
"""Points of the protocol, each as often as it is drawn."""
LIARS = ('reject_and_move',)
"""Manners that no client can see through; they are in the table of single faults only."""
SKILLS = ('wave', 'nod', 'turn around')


@dataclass(frozen=True)
class Errand:
    """A goal that a client sends to the planner.

    Args:
        at: seconds from the beginning.
        cancels: seconds after it is sent at which it is cancelled; sometimes there are two.
    """

    at: float
    cancels: tuple[float, ...]


@dataclass(frozen=True)
class Schedule:
    """What a client does, and what becomes of the planner.

    Args:
        seed: makes it again.
        policy: what the planner does with a second goal.
        errands: the goals, in order.
        leave_at: when the planner is told to leave, in seconds.
    """

    seed: int
    policy: str
    errands: tuple[Errand, ...]
    leave_at: float

    @classmethod
    def of(cls, seed: int) -> Schedule:
        """Draw one."""
        draw = random.Random(f'client {seed}')
        errands = []
        for number in range(draw.randint(2, 4)):
            cancels: tuple[float, ...] = ()
            if draw.random() < 0.35:
                first = draw.choice((0.0, draw.uniform(0.0, 0.1), draw.uniform(0.0, 0.4)))
                cancels = (first, first + 0.01) if draw.random() < 0.2 else (first,)
            errands.append(Errand(draw.uniform(0.0, 0.6) if number else 0.0, cancels))
        return cls(
            seed,
            draw.choice(('reject', 'preempt', 'queue')),
            tuple(sorted(errands, key=lambda errand: errand.at)),
            draw.choice((draw.uniform(0.1, 0.6), 1.1, 1.2)),
        )


class Moods:
    """Draws how the robot's server behaves with its next goal.

    Args:
        seed: of the schedule.
    """

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(f'server {seed}')

    def __call__(self) -> Manners:
        draw = self._draw
        work_sec = draw.choice((draw.uniform(0.0, 0.2), ENDLESS_SEC))
        faults: dict[str, str] = {}
        if draw.random() > RIGHT:
            for point in draw.choices(OFTEN, k=draw.choice((1, 1, 1, 2))):
                faults[point] = draw.choice([one for one in POINTS[point] if one not in LIARS])
        return Manners(**faults, late_sec=LATE_SEC, too_late_sec=TOO_LATE_SEC, work_sec=work_sec)

    def absence_sec(self) -> float:
        """Draw how long a dead server stays away."""
        return self._draw.uniform(0.02, 0.4)

    def observation_is_silent(self) -> bool:
        """Draw whether a question what is perceived gets no answer."""
        return self._draw.random() < 0.05


class RandomModel(ScriptedModel):
    """Decides at random, mostly for a skill; sometimes it never answers.

    Args:
        seed: of the schedule.
    """

    def __init__(self, seed: int) -> None:
        super().__init__({})
        self._draw = random.Random(f'model {seed}')

    def decide(self, request: DecisionRequest) -> Slow:
        """Return an answer that comes after a few looks."""
        chance = self._draw.random()
        if chance < 0.9 and request.choices.skills:
            line = f'Act: {self._draw.choice(request.choices.skills)}'
        elif chance < 0.95:
            line = 'Act: done'
        else:
            line = 'Act: failure'
        return Slow(line, 10**9 if chance > 0.97 else self._draw.randint(0, 3))


class Slow:
    """An answer that is there after some looks."""

    def __init__(self, line: str, looks: int) -> None:
        self._line, self._looks = line, looks

    def poll(self) -> Answer | None:
        """Return it once it is there."""
        self._looks -= 1
        return Answer(self._line, tokens_in=1, tokens_out=1) if self._looks < 0 else None

    def cancel(self) -> None:
        """Never give it."""
        self._looks = 10**9
