# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Messages of any type are filled from plain values; what does not fit is named."""

from __future__ import annotations

import math
from typing import Any

import pytest
from rclpy.serialization import deserialize_message, serialize_message

from reactree_ros.errors import ConfigurationError, SkillError
from reactree_ros.ros.skills.library_check import faults_of
from reactree_ros.ros.skills.messages import fill, interface, lacks, read
from reactree_ros.skills.pose import Pose, from_angles
from reactree_ros.skills.reader import parse_library

geometry_msgs = pytest.importorskip('geometry_msgs.msg')
test_msgs = pytest.importorskip('test_msgs.msg')

pytestmark = pytest.mark.ros

POSE = from_angles('map', (1.0, 2.0, 3.0), yaw=90.0)


def same_frame(pose: Pose) -> Pose:
    return pose


def sent(message: Any) -> Any:
    """Return what arrives of a message: only a right one can be sent."""
    return deserialize_message(serialize_message(message), type(message))


VALUES = {
    'BasicTypes': {'bool_value': True, 'byte_value': 7, 'float64_value': 1, 'uint8_value': 255},
    'Strings': {'string_value': 'äpfel'},
    'WStrings': {'wstring_value': 'äpfel'},
    'Arrays': {'bool_values': [True, False, True], 'string_values': ['a', 'b', 'c']},
    'UnboundedSequences': {
        'float32_values': [1, 2.5],
        'byte_values': [1, 2],
        'basic_types_values': [{'int8_value': -1}, {}],
    },
    'BoundedSequences': {'int64_values': [1], 'bool_values': []},
    'Nested': {'basic_types_value': {'int16_value': 300}},
    'Builtins': {'duration_value': 1.25, 'time_value': {'sec': 3}},
}


@pytest.mark.parametrize('name', VALUES)
def test_values_arrive_as_they_were_given(name: str) -> None:
    message = interface(f'test_msgs/msg/{name}')()
    fill(message, VALUES[name], same_frame)
    assert compare(sent(message), VALUES[name])


def test_a_duration_is_rounded_to_nanoseconds() -> None:
    message = interface('test_msgs/msg/Builtins')()
    fill(message, {'duration_value': 1.9999999999}, same_frame)
    assert (message.duration_value.sec, message.duration_value.nanosec) == (2, 0)


def compare(message: Any, values: dict[str, Any]) -> bool:
    for field, value in values.items():
        found = getattr(message, field)
        if isinstance(value, dict):
            compare(found, value)
        elif isinstance(value, list):
            assert len(found) == len(value)
            for one, wanted in zip(found, value, strict=True):
                if isinstance(wanted, dict):
                    compare(one, wanted)
                else:
                    assert (one[0] if isinstance(one, bytes) else one) == wanted
        elif field == 'duration_value':
            assert (found.sec, found.nanosec) == (1, 250_000_000)
        else:
            assert (found[0] if isinstance(found, bytes) else found) == value
    return True


@pytest.mark.parametrize(
    ('name', 'values', 'error'),
    [
        ('BasicTypes', {'int8': 1}, 'int8: test_msgs/BasicTypes has no such field (it has bool_'),
        ('BasicTypes', {'int8_value': 128}, 'int8_value: a whole number from -128 to 127'),
        ('BasicTypes', {'uint8_value': -1}, 'a whole number from 0 to 255 is expected, not -1'),
        ('BasicTypes', {'int32_value': 1.5}, 'is expected, not 1.5'),
        ('BasicTypes', {'int32_value': math.inf}, 'is expected, not inf'),
        ('BasicTypes', {'int32_value': True}, 'a number is expected, not True'),
        ('BasicTypes', {'bool_value': 1}, 'true or false is expected, not 1'),
        ('BasicTypes', {'float32_value': '1'}, "a number is expected, not '1'"),
        ('BasicTypes', {'float32_value': POSE}, 'a number is expected, not a pose'),
        ('Strings', {'string_value': 5}, 'a text is expected, not 5'),
        ('Arrays', {'bool_values': [True]}, 'bool_values: it has 3 elements, not 1'),
        ('Arrays', {'bool_values': True}, 'a list is expected, not True'),
        ('BoundedSequences', {'int64_values': [1] * 4}, 'it has at most 3 elements, not 4'),
        ('UnboundedSequences', {'int8_values': [1, 'x']}, 'int8_values[1]: a number is expected'),
        ('Nested', {'basic_types_value': 3}, 'basic_types_value: a mapping is expected, not 3'),
        (
            'Nested',
            {'basic_types_value': {'int8_value': 999}},
            'basic_types_value.int8_value: a whole number',
        ),
        ('Nested', {'basic_types_value': POSE}, 'a pose does not go into test_msgs/BasicTypes'),
        ('Builtins', {'duration_value': math.nan}, 'a finite number of seconds is expected'),
        ('Builtins', {'duration_value': 1e10}, 'duration_value: a whole number from -2147483648'),
    ],
)
def test_a_value_that_does_not_fit_is_named(name: str, values: Any, error: str) -> None:
    with pytest.raises(SkillError) as caught:
        fill(interface(f'test_msgs/msg/{name}')(), values, same_frame)
    assert error in str(caught.value)


@pytest.mark.parametrize(
    ('name', 'path'),
    [
        ('Pose', ('position',)),
        ('PoseStamped', ('pose', 'position')),
        ('PoseWithCovarianceStamped', ('pose', 'pose', 'position')),
        ('Point', ()),
        ('PointStamped', ('point',)),
        ('TransformStamped', ('transform', 'translation')),
        ('Vector3', ()),
    ],
)
def test_a_pose_goes_into_every_type_that_holds_one(name: str, path: tuple[str, ...]) -> None:
    message = interface(f'geometry_msgs/msg/{name}')()
    fill(message, POSE, same_frame)
    arrived = sent(message)
    found = read(arrived, path)
    assert (found.x, found.y, found.z) == (1.0, 2.0, 3.0)
    assert ('header' in arrived.get_fields_and_field_types()) is name.endswith('Stamped')
    if name.endswith('Stamped'):
        assert arrived.header.frame_id == 'map'


def test_a_pose_without_a_header_is_given_in_the_frame_of_the_library() -> None:
    asked: list[Pose] = []

    def moved(pose: Pose) -> Pose:
        asked.append(pose)
        return Pose('base', (9.0, 9.0, 9.0))

    bare, stamped = geometry_msgs.Pose(), geometry_msgs.PoseStamped()
    fill(bare, POSE, moved)
    fill(stamped, POSE, moved)
    assert bare.position.x == 9.0
    assert (stamped.header.frame_id, stamped.pose.position.x) == ('map', 1.0)
    assert asked == [POSE]


@pytest.mark.parametrize(
    ('name', 'error'),
    [
        ('nowhere_msgs/action/Go', 'the package nowhere_msgs is not installed (apt install ros-'),
        ('test_msgs/action/Go', 'test_msgs has no action Go (it has Fibonacci'),
        ('test_msgs/msg/Go', 'test_msgs has no msg Go'),
        ('builtin_interfaces/action/Go', 'builtin_interfaces/action cannot be imported'),
    ],
)
def test_a_type_that_is_not_there_is_named(name: str, error: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        interface(name)
    assert error in str(caught.value)


@pytest.mark.parametrize(
    ('path', 'error'),
    [
        ('pose.position.x', ''),
        ('header.stamp.sec', ''),
        ('pose.place', 'no field place (fields: position, orientation)'),
        ('pose.position.x.y', 'x has no fields'),
    ],
)
def test_a_field_that_a_type_lacks_is_named(path: str, error: str) -> None:
    assert lacks(geometry_msgs.PoseStamped, tuple(path.split('.'))) == error


def test_elements_of_arrays_are_read() -> None:
    message = test_msgs.UnboundedSequences()
    fill(message, {'basic_types_values': [{'int8_value': 4}]}, same_frame)
    assert read(message, ('basic_types_values', '0', 'int8_value')) == 4
    with pytest.raises(SkillError, match=r'basic_types_values\.1: it has only 1 elements'):
        read(message, ('basic_types_values', '1'))
    with pytest.raises(SkillError, match='no such field'):
        read(message, ('nothing',))
    assert lacks(test_msgs.UnboundedSequences, ('basic_types_values', '5', 'int8_value')) == ''
    assert 'after it comes an index' in lacks(
        test_msgs.UnboundedSequences, ('basic_types_values', 'int8_value')
    )


CHECKED = """
name: robot
skills:
  count:
    phrase: count {item}
    arguments: {item: {}}
    action: {name: count, type: test_msgs/action/Fibonacci}
    goal: {order: "{item.number}"}
    success_if: {sequence.0: 1}
    success_text: "{result.sequence.0}"
    feedback_text: "{feedback.sequence.1}"
"""


@pytest.mark.parametrize(
    ('old', 'new', 'fault'),
    [
        ('x', 'x', ''),
        ('Fibonacci', 'Fibo', 'skills.count.action.type: test_msgs has no action Fibo'),
        ('order:', 'orders:', 'skills.count.goal.orders: test_msgs/Fibonacci_Goal has no such'),
        ('{item.number}', '{item.class}', 'skills.count.goal.order: a number is expected'),
        ('{item.number}', '{item.pose}', 'skills.count.goal.order: a number is expected, not a p'),
        ('sequence.0: 1', 'sum: 1', 'skills.count.success_if.sum: no field sum'),
        ('result.sequence.0', 'result.sum', 'skills.count.success_text: {result.sum}: no field'),
        (
            'feedback.sequence.1',
            'feedback.sequence.x',
            'skills.count.feedback_text: {feedback.sequence.x}',
        ),
    ],
)
def test_a_library_is_held_against_the_installed_types(old: str, new: str, fault: str) -> None:
    (skill,) = parse_library(CHECKED.replace(old, new, 1), 'robot.yaml').skills
    found = faults_of(skill)
    assert len(found) == bool(fault)
    assert ''.join(found).startswith(fault)
