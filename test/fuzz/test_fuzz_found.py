# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What once broke a contract keeps it now.

Each file in ``found`` is an input that broke the contract of the target whose folder it is in, made
small; its name says what it is, and whether it is accepted or refused.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from rclpy.serialization import deserialize_message, serialize_message

from reactree_interfaces.msg import Behaviour, Event, Observation, ObservedObject, Tree
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.memory.exchange import ExperienceFile
from reactree_ros.memory.experience import Origin
from reactree_ros.ros.cdr import is_whole

from .contract import hold
from .targets import NAMES, target

FOUND = sorted((Path(__file__).parent / 'found').glob('*/*'))
MESSAGES = (
    Tree(goal='x', behaviours=[Behaviour(number=1, name='x'), Behaviour(number=2, parent=1)]),
    Event(kind='think', text='ä', path=['tidy up', 'wash'], goal_id=list(range(16))),
    Observation(text='t', objects=[ObservedObject(class_name='cup', states=['on'], near=True)]),
)


def test_every_target_has_its_name_and_every_input_a_target() -> None:
    assert [target(name).name for name in NAMES] == list(NAMES)
    assert {path.parent.name for path in FOUND} <= {*NAMES}
    assert {path.suffix for path in FOUND} == {'.accepted', '.refused'}


@pytest.mark.parametrize('path', FOUND, ids=lambda path: f'{path.parent.name}-{path.stem}')
def test_what_was_found_is_accepted_or_refused_with_a_reason(path: Path) -> None:
    one = target(path.parent.name)
    one.seeds()  # imports what takes its time
    assert hold(one, path.read_bytes()) is (path.suffix == '.accepted')


@pytest.mark.parametrize('message', MESSAGES, ids=lambda message: type(message).__name__)
def test_whole_messages_are_whole_and_parts_of_them_are_not(message: object) -> None:
    data = bytes(serialize_message(message))
    assert is_whole(data, type(message))
    assert not is_whole(b'\x00\x07' + data[2:], type(message))
    shorter = [end for end in range(len(data)) if is_whole(data[:end], type(message))]
    # serialised messages end in padding, which may be missing
    assert all(end > len(data) - 4 for end in shorter)


def test_what_counts_as_whole_never_ends_the_process() -> None:
    draw = random.Random(1)
    whole = 0
    for _ in range(3000):
        kind = draw.choice(MESSAGES)
        data = bytearray(serialize_message(kind))
        for _ in range(draw.choice((1, 2))):
            data[draw.randrange(len(data))] = draw.choice((0, 1, 2, 255))
        if is_whole(bytes(data), type(kind)):
            whole += 1
            try:
                deserialize_message(bytes(data), type(kind))
            except RuntimeError:
                pass  # it says so
    assert 100 < whole < 3000


def test_a_line_without_end_is_not_taken_into_memory(tmp_path: Path) -> None:
    path = tmp_path / 'long.jsonl'
    path.write_text('{"text": "' + 'x' * (17 * 2**20) + '"}\n')
    with pytest.raises(ConfigurationError, match='line 1: longer than 16,777,216 characters'):
        ExperienceFile(path, Origin(''))
