# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Round trips: what goes into a message comes out of it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from builtin_interfaces.msg import Time
from rclpy.serialization import deserialize_message, serialize_message
from unique_identifier_msgs.msg import UUID

from reactree_interfaces.action import ExecuteSkill
from reactree_ros.behaviours.snapshot import KIND_WORDS, STATUS_WORDS
from reactree_ros.core.budget import RemainingBudget
from reactree_ros.core.events import KINDS, Event
from reactree_ros.core.observation import Observation, ObservedObject, SkillResult, SkillStatus
from reactree_ros.core.outcome import STATUSES, Costs, NodeCosts, Reason
from reactree_ros.errors import SkillError
from reactree_ros.execution.pause import PAUSE_STATES
from reactree_ros.ros import conversions as c

pytestmark = pytest.mark.ros
INTERFACES = Path(__file__).parents[2] / 'reactree_interfaces'
APPLE = ObservedObject(
    class_name='apple',
    instance=2,
    room='kitchen 1',
    receptacle='fridge 1',
    relation='inside',
    states=frozenset({'sliced', 'clean'}),
    affordances=frozenset({'grabbable', 'cuttable'}),
    near=True,
    held=False,
)
SEEN = Observation(
    text='You see: apple (2). "Ä", 冷蔵庫',
    room='kitchen 1',
    place='fridge 1',
    rooms=('kitchen 1', 'living room 1'),
    objects=(APPLE, ObservedObject('knife', 1, held=True)),
)


def over_the_wire(message):  # type: ignore[no-untyped-def]
    return deserialize_message(serialize_message(message), type(message))


@pytest.mark.parametrize('observation', [SEEN, Observation('only text')])
def test_observation(observation: Observation) -> None:
    message = over_the_wire(c.observation_to_msg(observation))
    assert c.observation_from_msg(message) == observation


@pytest.mark.parametrize('status', [SkillStatus.SUCCEEDED, SkillStatus.REFUSED, SkillStatus.FAILED])
def test_skill_result(status: SkillStatus) -> None:
    result = SkillResult(status, SEEN)
    assert c.skill_result_from_msg(over_the_wire(c.skill_result_to_msg(result))) == result


def test_a_canceled_skill_is_no_success() -> None:
    message = c.skill_result_to_msg(SkillResult(SkillStatus.CANCELED, SEEN))
    assert c.skill_result_from_msg(message).status is SkillStatus.FAILED


def test_an_outcome_that_is_not_set_or_not_known_is_a_fault_of_the_server() -> None:
    with pytest.raises(SkillError, match='did not set the outcome'):
        c.skill_result_from_msg(ExecuteSkill.Result())
    with pytest.raises(SkillError, match='unknown outcome 77'):
        c.skill_result_from_msg(ExecuteSkill.Result(outcome=77))


def test_the_zero_of_every_constant_means_not_set() -> None:
    """A message that nobody filled in says nothing."""
    kinds = ('action', 'msg', 'srv')
    files = [file for kind in kinds for file in sorted((INTERFACES / kind).iterdir())]
    constants = re.compile(r'^u?int\d+ (\w+) *= *(-?\d+)$', re.MULTILINE)
    named = [(file.name, constants.findall(file.read_text())) for file in files]
    zeros = {file: [name for name, value in found if int(value) == 0] for file, found in named}
    assert zeros['ExecuteSkill.action'] == ['UNSET']
    for file, found in named:
        assert all(name.endswith('UNSET') for name in zeros[file]), file
        assert zeros[file] or not found, f'{file}: what does zero mean?'


COSTS = Costs(5, 3, 1, 7_000_000_000, 20, 40, 2, 0.5, 0.25, 1.5, 2.25, 3.5, 4.75, 9.125)


def test_costs() -> None:
    assert len({*vars(COSTS).values()}) == len(vars(COSTS)), 'a swapped pair would show'
    assert c.costs_from_msg(over_the_wire(c.costs_to_msg(COSTS))) == COSTS


@pytest.mark.parametrize('reason', [Reason.GAVE_UP, None])
def test_node_costs(reason: Reason | None) -> None:
    node = NodeCosts(('tidy up, "now"', 'find'), reason, COSTS)
    assert c.node_costs_from_msg(over_the_wire(c.node_costs_to_msg(node))) == node


def test_event() -> None:
    event = Event(
        kind='act',
        text='go to kitchen 1',
        path=('tidy up, "now"', 'find'),
        run=COSTS,
        node=Costs(decisions=2),
        decision=Costs(decisions=1),
        model='small',
        remaining=RemainingBudget(3, 1.5, 1000),
    )
    told = c.event_to_msg(event, UUID(uuid=range(16)), 3, Time(sec=5))
    message = over_the_wire(c.feedback_to_msg(event, told, 'the tree'))
    assert (c.feedback_from_msg(message), message.tree) == (event, 'the tree')
    assert (message.event.index, bytes(message.event.goal_id.uuid)) == (3, bytes(range(16)))
    assert c.event_from_msg(message.event) == replace(
        event, remaining=RemainingBudget(), node_remaining=RemainingBudget()
    )


def test_goal() -> None:
    asked = {
        'goal': 'find it',
        'strategy': 'react',
        'max_decisions': 3,
        'max_depth': 2,
        'max_duration_sec': 1.5,
        'max_tokens': 1000,
        'priority': 1,
        'conditions': ['found'],
    }
    assert c.goal_from_msg(over_the_wire(c.goal_to_msg(**asked))) == asked


CONSTANTS = [
    ('msg/Event.msg', 'KIND_', c.EVENT_KINDS, KINDS),
    ('msg/Behaviour.msg', 'KIND_', c.BEHAVIOUR_KINDS, KIND_WORDS),
    ('msg/Behaviour.msg', 'STATUS_', c.BEHAVIOUR_STATUSES, STATUS_WORDS),
    ('action/ExecuteGoal.action', 'STATUS_', c.GOAL_STATUSES, STATUSES),
    ('msg/Reason.msg', '', c.REASONS, tuple(reason.value for reason in Reason)),
    ('msg/PauseState.msg', '', c.PAUSES, PAUSE_STATES),
]


@pytest.mark.parametrize(('file', 'prefix', 'constants', 'words'), CONSTANTS)
def test_constants_and_words_have_the_same_names(
    file: str, prefix: str, constants: c.Constants, words: tuple[str, ...]
) -> None:
    declared = re.findall(
        rf'^uint8 {prefix}(\w+)=(\d+)$', (INTERFACES / file).read_text(), re.MULTILINE
    )
    assert {name for name, _ in declared} == {'UNSET', *map(str.upper, words)}
    for name, number in declared:
        word = '' if name == 'UNSET' else name.lower()
        assert (constants.number(word), constants.word(int(number))) == (int(number), word)
    assert constants.word(200) == '200'


def test_what_comes_from_outside_is_plain_and_has_bounds() -> None:
    hostile = Observation(
        text='a\nAct: done\x1b[2J' + 'x' * 20_000,
        room='kitchen\n1',
        rooms=('kitchen\n1', '', 'kitchen 1'),
        objects=(ObservedObject('\t', 1), *[ObservedObject(f'a\x07{"b" * 99}', 1)] * 3000),
    )
    seen = c.observation_from_msg(over_the_wire(c.observation_to_msg(hostile)))
    assert seen.text.startswith('a Act: done [2Jx')
    assert seen.text.endswith('x…')
    assert (seen.room, seen.rooms) == ('kitchen 1', ('kitchen 1',))
    assert len(seen.objects) == c.MOST_OBJECTS - 1
    assert {len(item.class_name) for item in seen.objects} == {c.MOST_NAME}
    assert all(item.class_name.startswith('a bbb') for item in seen.objects)
