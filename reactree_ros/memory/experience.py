# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An experience: what one agent node went through, and where that comes from."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from reactree_ros.core.decision import DONE, FAILURE, ending_of
from reactree_ros.core.plain_text import is_plain
from reactree_ros.core.prompt import EXAMPLES, GOAL_LINE, NOW
from reactree_ros.errors import ConfigurationError

SEPARATOR = '---'


class Termination(Enum):
    """How the agent node of an experience ended."""

    SUCCESS = 'success'
    FAILURE = 'failure'
    EXPAND = 'expand'


class Verification(Enum):
    """Who verified that the run of an experience reached its goal."""

    REPORTED = 'reported'
    """Only the agent itself."""
    WORLD = 'world'
    """A check of the world's state."""
    PERSON = 'person'
    """Someone who looked, or who wrote the experience."""


@dataclass(frozen=True)
class Experience:
    """What one agent node went through.

    Args:
        goal: its subgoal.
        text: its whole trajectory, in the form of ``Trajectory.text``.
        termination: how it ended.
        root: whether its goal was the goal of a whole run.
    """

    goal: str
    text: str
    termination: Termination
    root: bool


@dataclass(frozen=True)
class Origin:
    """The run that an experience comes from.

    Args:
        run: names the run; no two runs of a store have the same name.
        task: names the task, such as ``wah_train 12``; empty if it was none of a task set.
        skills: name of the robot's skill library.
        strategy: name of the planning strategy.
        model: name of the model that decided, or what stood in for it, such as ``solver``.
        time: when the run ended, in seconds since 1970 (UTC).
        verified: who verified that it reached its goal.
        robot: name of the robot that learned it; empty if it is not known.
    """

    run: str
    task: str = ''
    skills: str = ''
    strategy: str = 'reactree'
    model: str = ''
    time: float = 0.0
    verified: Verification = Verification.REPORTED
    robot: str = ''


def read_experiences(path: Path) -> tuple[Experience, ...]:
    """Read experiences from a text file: trajectories with a line ``---`` between them.

    Lines that begin with ``#`` are remarks.

    Raises:
        ConfigurationError: if the file cannot be read, or a trajectory has no goal or no
            decision at its end.
    """
    try:
        lines = path.read_text(encoding='utf-8').splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f'cannot read the experiences {path}: {error}') from error
    return tuple(parse_experience(block, place) for place, block in trajectories(lines, path))


def trajectories(lines: Iterable[str], path: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield where each trajectory of a text file begins, for errors, and its lines.

    Args:
        lines: of the file, without line breaks.
        path: the file.
    """
    block: list[str] = []
    begin = 1
    for number, line in enumerate(itertools.chain(lines, [SEPARATOR]), start=1):
        if line.strip() == SEPARATOR:
            if block:
                yield f'{path}, line {begin}', block
            block, begin = [], number + 1
        elif line.strip() and not line.startswith('#'):
            block.append(line.rstrip())


def check_lines(lines: Sequence[str], place: str) -> None:
    """Check that a trajectory stays within its part of a prompt.

    Args:
        lines: of the trajectory, without line breaks.
        place: where they stand, for errors.

    Raises:
        ConfigurationError: if a line would end the part that has the experiences, or begin another
            experience.
    """
    goals = sum(line.startswith(GOAL_LINE) for line in lines)
    if goals > 1 or any(line.startswith((EXAMPLES, NOW)) or not is_plain(line) for line in lines):
        raise ConfigurationError(
            f'{place}: the experience has a second goal, a control character, or a line that ends '
            'the examples of a prompt'
        )


def parse_experience(lines: Sequence[str], place: str) -> Experience:
    """Make an experience of the lines of its trajectory.

    Args:
        lines: of the trajectory, without line breaks.
        place: where they stand, for errors.

    Raises:
        ConfigurationError: if there is no goal, or no decision at the end; or a line would end the
            part of a prompt that has the experiences.
    """
    check_lines(lines, place)
    goal = next((line[len(GOAL_LINE) :] for line in lines if line.startswith(GOAL_LINE)), '')
    if not goal.strip():
        raise ConfigurationError(f'{place}: the experience has no line "{GOAL_LINE}…"')
    last = lines[-1]
    if last.startswith('Expand: '):
        termination = Termination.EXPAND
    elif last == DONE or ending_of(last) == DONE:
        termination = Termination.SUCCESS
    elif ending_of(last) == FAILURE:
        termination = Termination.FAILURE
    else:
        raise ConfigurationError(
            f'{place}: the experience must end with done, failure or Expand, not {last!r}'
        )
    root = lines[0].startswith(GOAL_LINE)
    return Experience(goal.strip(), '\n'.join(lines) + '\n', termination, root)
