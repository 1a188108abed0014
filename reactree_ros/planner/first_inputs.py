# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The part of a recorded run that is kept when somebody goes on from the middle of it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from reactree_ros.core.wire import Values
from reactree_ros.errors import ConfigurationError
from reactree_ros.planner.recorded_inputs import RecordedInputs, whole

_OF_ROBOT = ('start', 'skill', 'check', 'observe', 'survey')
_DAMAGED = (LookupError, TypeError, ValueError, AttributeError)


def decisions_of(inputs: Iterable[Values]) -> list[Values]:
    """Return the entries of the decisions that were made, whole.

    Raises:
        ConfigurationError: if an entry is incomplete.
    """
    try:
        return [one for one in whole(inputs) if one['op'] == 'decide' and 'answer' in one]
    except _DAMAGED as error:
        raise ConfigurationError(f'the recorded inputs are incomplete: {error!r}') from error


def first_inputs(inputs: Sequence[Values], decisions: int, *, again: bool) -> tuple[Values, ...]:
    """Return the inputs of a run up to a decision.

    Args:
        inputs: what ``recorded_inputs.with_recording`` wrote.
        decisions: so many are kept.
        again: the skills are carried out again, in a world as it was at the start; what the robot
            answered then is left out. Else it is kept, and nothing moves.
    """
    return tuple(
        one for one in _until(whole(inputs), decisions) if not again or one['op'] not in _OF_ROBOT
    )


def _until(entries: Iterable[Values], decisions: int) -> Iterator[Values]:
    made = 0
    for one in entries:
        if one['op'] == 'decide':
            if made == decisions:
                return
            made += 'answer' in one
        yield one


def write_first_inputs(path: Path, inputs: Iterable[Values]) -> None:
    """Write inputs to a file, one JSON object a line."""
    path.write_text(''.join(f'{json.dumps(one)}\n' for one in inputs), encoding='utf-8')


def read_first_inputs(path: str) -> tuple[Values, ...]:
    """Read inputs from a file; none for an empty name.

    Raises:
        ConfigurationError: if it cannot be read, or an entry is incomplete.
    """
    if not path:
        return ()
    try:
        lines = Path(path).read_text(encoding='utf-8').splitlines()
        inputs = tuple(json.loads(line) for line in lines)
        RecordedInputs(inputs)
    except (OSError, *_DAMAGED) as error:
        raise ConfigurationError(
            f'parameter restart.recorded_inputs is {path!r}, which cannot be read: {error!r}'
        ) from error
    return inputs
