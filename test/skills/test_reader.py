# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A skill library that is wrong is refused, and every fault of it is named with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.skills.reader import parse_library, read_library

GOOD = """
name: test robot
hands: 2
action: arm/execute
objects: [apple]
skills:
  go_to:
    phrase: go to {place}
    arguments:
      place: [{kind: room, here: false}, {affordance: furniture}]
  grasp:
    phrase: grasp {item}
    arguments: {item: {affordance: [grabbable, recipient], near: true, held: false}}
    when: {hands: free}
    action: hand/execute
    result_sec: 5
"""


def test_a_library_is_read_as_written() -> None:
    library = parse_library(GOOD, 'good.yaml')
    assert (library.name, library.hands, library.objects) == ('test robot', 2, {'apple'})
    go_to, grasp = library.skills
    assert [(one.call.name, one.call.limit_sec) for one in (go_to, grasp)] == [
        ('arm/execute', 30.0),
        ('hand/execute', 5.0),
    ]
    assert [one.kind for one in go_to.arguments['place']] == ['room', 'object']
    assert grasp.arguments['item'][0].affordance == {'grabbable', 'recipient'}
    assert (grasp.hands_free, go_to.hands_free) == (True, False)
    grounded = grasp.ground('apple 1')
    assert (grounded.name, grounded.arguments, grounded.phrase) == (
        'grasp',
        ('apple 1',),
        'grasp apple 1',
    )


def test_a_robot_is_neutral_unless_its_library_says_who_it_is(tmp_path: Path) -> None:
    library = parse_library(GOOD, 'good.yaml')
    assert (library.agent, library.rules) == ('a robot', '')
    assert (library.prompts, library.examples) == (None, {})
    (tmp_path / 'prompts').mkdir()
    for name in ('flat.txt', 'plans.txt'):
        (tmp_path / name).touch()
    given = """
agent: a crane
rules: >
  Loads swing.
  Wait.
prompts: prompts
examples: """
    source = str(tmp_path / 'crane.yaml')
    library = parse_library(f'{GOOD}{given}{{flat: flat.txt, plans: plans.txt}}', source)
    assert (library.agent, library.rules) == ('a crane', 'Loads swing. Wait.')
    assert library.prompts == tmp_path / 'prompts'
    files = {name: tmp_path / f'{name}.txt' for name in ('flat', 'plans')}
    assert library.examples == files
    library = parse_library(f'{GOOD}{given}flat.txt', source)
    assert library.examples == {'flat': tmp_path / 'flat.txt'}


def test_classes_have_no_spaces_at_their_ends() -> None:
    library = parse_library(GOOD.replace('[apple]', "['apple ']"), 'good.yaml')
    assert library.objects == {'apple'}


# what is replaced in GOOD, by what, what the error says
FAULTS = [
    (
        'hands: 2',
        'hand: 2',
        "top level: unknown key 'hand' (known: action, agent, done, examples, frame, ",
    ),
    ('name: test robot', 'name: 7', 'name: a text is expected, not 7'),
    ('name: test robot', 'name: ""', "name: a text in one line is expected, not ''"),
    ('action: arm/execute', '', 'skills.go_to: give an action, service or topic'),
    ('hands: 2', 'agent: ""', "agent: a text in one line is expected, not ''"),
    ('hands: 2', 'agent: "a \\e robot"', 'agent: it has a control character'),
    ('hands: 2', 'rules: "a\\uD800"', 'rules: it has a control character'),
    ('hands: 2', 'prompts: nowhere', 'prompts: there is no folder nowhere'),
    ('hands: 2', 'examples: none.txt', 'examples.flat: there is no file none.txt'),
    ('hands: 2', f'examples: {"n" * 999}', 'examples.flat: there is no file nnn'),
    ('hands: 2', 'examples: {tree: "a\\0b"}', 'examples.tree: there is no file a'),
    ('hands: 2', 'examples: {trees: a.txt}', "examples: unknown key 'trees' (known: flat, "),
    ('hands: 2', 'hands: two', "hands: a whole number is expected, not 'two'"),
    ('hands: 2', 'hands: true', 'hands: a whole number is expected, not True'),
    ('hands: 2', 'hands: -1', 'hands: -1 is less than the minimum of 0'),
    ('objects: [apple]', 'objects: apple', "objects: a list is expected, not 'apple'"),
    (
        'objects: [apple]',
        'objects: [1]',
        'objects[0]: a text is expected, not 1 (quotes make it one)',
    ),
    ('objects: [apple]', 'objects: [""]', "objects[0]: a text in one line is expected, not ''"),
    ('objects: [apple]', 'objects: ["a\\nb"]', 'objects[0]: a text in one line is expected'),
    ('phrase: grasp {item}', 'phrases: grasp {item}', "skills.grasp: unknown key 'phrases'"),
    ('phrase: grasp {item}', 'phrase: 5', 'skills.grasp.phrase: a text is expected, not 5'),
    (
        'phrase: grasp {item}',
        'phrase: grasp {item',
        "skills.grasp.phrase: 'grasp {item' has a brace",
    ),
    ('phrase: grasp {item}', 'phrase: grasp', 'skills.grasp: the phrase has the arguments []'),
    ('phrase: grasp {item}', 'phrase: GO TO {item}', "reads like the phrase of 'go_to'"),
    ('{hands: free}', '{hands: full}', "when.hands: free or any is expected, not 'full'"),
    ('{hands: free}', '{hand: free}', "skills.grasp.when: unknown key 'hand'"),
    ('{hands: free}', 'free', "skills.grasp.when: a mapping is expected, not 'free'"),
    (
        'near: true',
        'near: yes please',
        "skills.grasp.arguments.item.near: true or false is expected, not 'yes please'",
    ),
    ('near: true', 'nearby: true', "skills.grasp.arguments.item: unknown key 'nearby'"),
    (
        'kind: room',
        'kind: hall',
        "skills.go_to.arguments.place[0].kind: object or room is expected, not 'hall'",
    ),
    (
        '[grabbable, recipient]',
        '[3]',
        'skills.grasp.arguments.item.affordance[0]: a text is expected, not 3',
    ),
    (
        'result_sec: 5',
        'result_sec: 0',
        'skills.grasp.result_sec: 0 is less than or equal to the minimum of 0',
    ),
    (
        'result_sec: 5',
        'result_sec: soon',
        "skills.grasp.result_sec: a number is expected, not 'soon'",
    ),
    ('result_sec: 5', 'approval: maybe', 'skills.grasp.approval: true or false is expected'),
    ('near: true', 'state: true', 'skills.grasp.arguments.item.state: '),
    ('near: true', 'not_state: [open]', 'skills.grasp.arguments.item.not_state: '),
    ('{hands: free}', '{holding: 3}', 'skills.grasp.when.holding: '),
    # phrases that could not be offered, or not be grounded
    ('phrase: grasp {item}', 'phrase: "grasp\\n{item}"', 'skills.grasp.phrase: '),
    ('phrase: grasp {item}', 'phrase: recall location of {item}', 'skills.grasp.phrase: '),
    ('phrase: grasp {item}', 'phrase: grasp {item:d}', 'skills.grasp.phrase: '),
    ('phrase: grasp {item}', 'phrase: grasp {item} {}', 'skills.grasp'),
    ('phrase: grasp {item}', 'phrase: grasp {_item}', "'grasp {_item}' has a brace"),
    ('kind: room', 'kind: room, near: true', 'skills.go_to.arguments.place: a room has no near'),
    ('{hands: free}', '{at: {kind: room}}', 'skills.grasp.when.at: a robot is at an object'),
    ('phrase: grasp {item}', 'phrase: grasp {item} for {item}', 'skills.grasp: the phrase has'),
    ('name: test robot', 'name: a\nname: b', "the key 'name' is given twice"),
    ('near: true', 'near: true, near: false', "the key 'near' is given twice"),
    ('  grasp:\n', '  go_to:\n', "the key 'go_to' is given twice"),
    ('name: test robot', 'name: [', 'bad.yaml is not YAML'),
    ('name: test robot', '? [a, b]\n: c', 'bad.yaml'),
]


@pytest.mark.parametrize(('old', 'new', 'error'), FAULTS)
def test_a_fault_is_named_with_its_place(old: str, new: str, error: str) -> None:
    assert old in GOOD
    with pytest.raises(ConfigurationError) as caught:
        parse_library(GOOD.replace(old, new, 1), 'bad.yaml')
    assert 'bad.yaml' in str(caught.value)
    assert error in str(caught.value)


@pytest.mark.parametrize('word', ['done', 'failure'])
def test_a_phrase_may_not_be_a_word_of_the_planner(word: str) -> None:
    text = f'{{name: x, action: act, skills: {{odd: {{phrase: {word}}}}}}}'
    with pytest.raises(ConfigurationError, match=r'skills\.odd\.phrase'):
        parse_library(text, 'bad.yaml')


@pytest.mark.parametrize(
    ('text', 'error'),
    [
        ('', 'top level: a mapping is expected, not None'),
        ('just words', "top level: a mapping is expected, not 'just words'"),
        ('[1, 2]', 'top level: a mapping is expected, not [1, 2]'),
        ('{name: x, action: act}', 'top level: skills is missing'),
        ('{name: x, action: act, skills: {}}', 'skills: give at least one'),
        ('{name: x, action: act, skills: [go]}', 'skills: a mapping is expected'),
        (
            '{name: x, action: act, skills: {go: here}}',
            "skills.go: a mapping is expected, not 'here'",
        ),
    ],
)
def test_what_is_no_library_at_all(text: str, error: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_library(text, 'bad.yaml')
    assert error in str(caught.value)


def test_all_faults_are_named_at_once() -> None:
    text = GOOD.replace('hands: 2', 'hands: two\ncolour: red').replace('near: true', 'near: 7')
    with pytest.raises(ConfigurationError) as caught:
        parse_library(text.replace('result_sec: 5', 'result_sec: -1'), 'bad.yaml')
    head, *faults = str(caught.value).splitlines()
    assert head == 'the skill library bad.yaml is invalid:'
    assert [fault.strip().partition(':')[0] for fault in faults] == [
        'top level',
        'hands',
        'skills.grasp.arguments.item.near',
        'skills.grasp.result_sec',
    ]


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match='nothing.yaml'):
        read_library(tmp_path / 'nothing.yaml')
    (tmp_path / 'bytes.yaml').write_bytes(b'name: \xff')
    with pytest.raises(ConfigurationError, match='bytes.yaml'):
        read_library(tmp_path / 'bytes.yaml')
    (tmp_path / 'good.yaml').write_text(GOOD, encoding='utf-8')
    assert read_library(tmp_path / 'good.yaml').name == 'test robot'
