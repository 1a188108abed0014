# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Drafts of libraries: what is known of types, places as people give them, and the YAML."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from reactree_ros.errors import ConfigurationError
from reactree_ros.skills import document
from reactree_ros.skills.call import EXECUTE_SKILL, Kind
from reactree_ros.skills.draft.catalogue import catalogue
from reactree_ros.skills.draft.drafting import Fact, Offer, draft_of, skills_of
from reactree_ros.skills.draft.library import DraftLibrary, DraftSkill, Thing, blocks_of
from reactree_ros.skills.draft.places import Place, read_place, read_places
from reactree_ros.skills.draft.words import distinction, key_of, scalar, unused, words_of
from reactree_ros.skills.reader import parse_library

FACTS = {
    'group': Fact('arm', 'said so'),
    'joints': Fact('[a, b]', 'said so'),
    'positions': Fact('[0.5, 1.0]', 'said so'),
}
DOCK = Place('dock', 1.0, 2.0, 90.0)
KINDS = {'action': Kind.ACTION, 'srv': Kind.SERVICE, 'msg': Kind.TOPIC}


def drafted(offer: Offer, *others: Offer, observes: bool = False) -> list[DraftSkill]:
    draft = draft_of(offer, [offer, *others], catalogue(), FACTS)
    return skills_of(draft, set(), set(), observes)


def library_of(*skills: DraftSkill, observes: str = '') -> str:
    return DraftLibrary(
        'bob', skills, [DOCK], [Thing('cup', 'dock')], start='dock', observes=observes
    ).text()


@pytest.mark.parametrize('observes', ['', '/observe'])
@pytest.mark.parametrize('type_name', catalogue().types)
def test_every_known_type_becomes_skills_that_can_be_read(type_name: str, observes: str) -> None:
    kind = KINDS[type_name.split('/')[1]]
    skills = drafted(Offer(kind, 'a/server', type_name), observes=bool(observes))
    text = library_of(*skills, observes=observes)
    library = parse_library(text, 'draft.yaml')
    assert [one.phrase for one in library.skills] == [one.phrase for one in skills]
    assert '$' not in text
    for skill in library.skills:
        assert (skill.call.kind, skill.call.name, skill.call.type) == (kind, 'a/server', type_name)
        if type_name != EXECUTE_SKILL:
            assert skill.claims or skill.risk == 'medium', (
                'whatever moves claims or risks something'
            )


@pytest.mark.ros
@pytest.mark.parametrize('type_name', catalogue().types)
def test_every_known_type_that_is_installed_has_these_fields(type_name: str) -> None:
    pytest.importorskip('rclpy')
    from reactree_ros.ros.discovery.fit import fitted
    from reactree_ros.ros.skills.messages import interface

    try:
        interface(type_name)
    except ConfigurationError as error:
        pytest.skip(str(error))
    for skill in drafted(Offer(KINDS[type_name.split('/')[1]], 'server', type_name)):
        assert fitted(skill, '').off == ''
        off = {block.key for block in fitted(skill, '').blocks if block.off}
        assert off <= {'failure_text'}, 'distributions differ in the texts of errors alone'


@pytest.mark.ros
def test_a_key_that_the_installed_type_does_not_have_becomes_a_comment() -> None:
    pytest.importorskip('std_srvs')
    from reactree_ros.ros.discovery.fit import check_fields, fitted

    body = 'request: {data: true}\nsuccess_if: {worked: true}\nfailure_text: "{result.message}"'
    skill = DraftSkill(
        'lamp', 'lamp', Kind.SERVICE, 'lamp', 'std_srvs/srv/SetBool', blocks_of(body)
    )
    found = fitted(skill, '')
    assert [(one.key, bool(one.off)) for one in found.blocks] == [
        ('request', False),
        ('success_if', True),
        ('failure_text', False),
    ]
    text = library_of(found)
    assert '    # success_if: {worked: true}\n' in text
    assert not parse_library(text, 'draft.yaml').skills[0].call.success_if
    wrong = DraftSkill(
        'lamp', 'lamp', Kind.SERVICE, 'lamp', 'std_srvs/srv/SetBool', blocks_of('request: {x: 1}')
    )
    assert 'no such field' in fitted(wrong, '').off
    with pytest.raises(ConfigurationError, match='no such field'):
        check_fields(wrong, '')


def test_what_is_off_is_a_comment_as_a_whole_with_the_reason() -> None:
    (skill,) = drafted(Offer(Kind.SERVICE, 'call', 'std_srvs/srv/Trigger', missing='not there'))
    (usable,) = drafted(Offer(Kind.SERVICE, 'ring', 'std_srvs/srv/Trigger'))
    text = library_of(skill, usable)
    assert '  # Left out: not there\n' in text
    assert [one.name for one in parse_library(text, 'draft.yaml').skills] == ['ring']
    # taking out the "#" makes it a skill again
    lines = text.splitlines()
    first = lines.index('  # call:')
    last = lines.index('', first)
    lines[first:last] = [line.replace('# ', '', 1) for line in lines[first:last]]
    assert len(parse_library('\n'.join(lines), 'draft.yaml').skills) == 2


def test_an_unknown_type_needs_a_person_and_shows_its_fields() -> None:
    offer = Offer(Kind.ACTION, 'scan', 'my_msgs/action/Scan', ('shelf: 0  # int32',))
    draft = draft_of(offer, [offer], catalogue(), {})
    draft.change(draft.phrases[0], 'scan {place} from {room}')
    (skill,) = parse_library(library_of(*skills_of(draft, set(), set(), False)), 'x').skills
    assert skill.approval
    assert skill.arguments['room'][0].kind == 'room'
    assert '    # shelf: 0  # int32\n    goal: {}\n' in library_of(
        *skills_of(draft, set(), set(), False)
    )


@pytest.mark.parametrize('phrase', ['', '{place', 'done', 'a\x07b', '{Place}'])
def test_what_is_no_phrase_is_refused(phrase: str) -> None:
    offer = Offer(Kind.ACTION, 'scan', 'my_msgs/action/Scan')
    draft = draft_of(offer, [offer], catalogue(), {})
    with pytest.raises(ConfigurationError):
        draft.change(draft.phrases[0], phrase)
    assert draft.phrases[0].text == 'scan'


@pytest.mark.parametrize(
    ('name', 'type_name', 'inside'),
    [
        ('/navigate_to_pose', 'nav2_msgs/action/NavigateToPose', False),
        ('/follow_path', 'nav2_msgs/action/FollowPath', True),
        ('/robot1/reactree/stop', 'std_srvs/srv/Trigger', True),
        ('/stop', 'std_srvs/srv/Trigger', False),
        ('/lifecycle_manager_navigation/is_active', 'std_srvs/srv/Trigger', True),
        ('/scan', 'sensor_msgs/msg/LaserScan', True),
        ('/a/execute_skill', EXECUTE_SKILL, False),
        ('/reactree/execute_goal', 'reactree_interfaces/action/ExecuteGoal', True),
    ],
)
def test_insides_are_told_from_skills(name: str, type_name: str, inside: bool) -> None:
    assert bool(catalogue().why_not(name, type_name)) is inside


@pytest.mark.parametrize(
    ('name', 'words'),
    [
        ('/left_arm/ScanShelf2', 'left arm scan shelf2'),
        ('A__b9/X_2', 'a b9 x 2'),
        ('getHTTPStatus', 'get http status'),
    ],
)
def test_names_become_words(name: str, words: str) -> None:
    assert ' '.join(words_of(name)) == words


def test_words_that_distinguish() -> None:
    assert distinction('/left/cmd', ['/right/cmd']) == 'left'
    assert distinction('cmd', ['left/cmd']) == ''
    used: set[str] = set()
    assert [unused('a', used, '_') for _ in range(3)] == ['a', 'a_2', 'a_3']


@pytest.mark.parametrize('name', ['on', 'null', '2nd', 'true', '{item}', 'Öl'])
def test_any_name_becomes_a_key(name: str) -> None:
    assert isinstance(next(iter(yaml.safe_load(f'{key_of(name)}: 1'))), str)


@pytest.mark.parametrize(
    'text',
    ['on', 'kitchen table', '12', '1e3', "Bob's", 'a: b', '# x', '"', 'a{b', 'Küche', '-', ''],
)
def test_any_text_is_read_as_it_was_written(text: str) -> None:
    assert yaml.safe_load(f'{{x: {scalar(text)}}}') == {'x': text}
    assert yaml.safe_load(f'x: {scalar(text, alone=True)}') == {'x': text}


@pytest.mark.parametrize(
    ('line', 'place'),
    [
        ('dock 0 1', Place('dock', 0.0, 1.0)),
        ('kitchen table 1 2 -90', Place('kitchen table', 1.0, 2.0, -90.0)),
        ('room 7 1 2 90', Place('room 7', 1.0, 2.0, 90.0)),
        ('gate 1: 15 -2', Place('gate 1', 15.0, -2.0)),
        ('shelf shelf_link', Place('shelf', frame='shelf_link')),
        ('home here', Place('home', 5.0, 6.0, 30.0, note='where the robot was')),
    ],
)
def test_places_are_typed_in(line: str, place: Place) -> None:
    assert read_place(line, ['shelf_link'], Place('', 5.0, 6.0, 30.0)) == place


@pytest.mark.parametrize('number', [412345.67, 5401234.2, 1e6, 1e-5, -0.25, 0.0, -1e-9])
def test_a_pose_is_written_as_numbers_to_a_millionth(number: float) -> None:
    written = document.load(Place('dock', number, -number, number).pose, 'here')
    numbers = {'x': number, 'y': -number, 'yaw': number}
    assert {key: written.get(key, 0) for key in numbers} == pytest.approx(numbers, abs=1e-6)


@pytest.mark.parametrize(
    'line', ['dock', '0 1', 'dock 1', 'dock nan 1', 'dock other_link', 'a inf 1']
)
def test_what_is_no_place_is_refused(line: str) -> None:
    with pytest.raises(ConfigurationError):
        read_place(line, ['shelf_link'])
    with pytest.raises(ConfigurationError):
        read_place('home here')


def test_places_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / 'places.yaml'
    file.write_text('places:\n  a: [1, 2]\n  b: {x: 1, y: 2, yaw: 3}\n  c: {pose: {frame: f}}\n')
    assert read_places(file) == [
        Place('a', 1.0, 2.0),
        Place('b', 1.0, 2.0, 3.0),
        Place('c', frame='f'),
    ]
    for wrong in ('a: [1]', 'a: {x: 1}', 'a: {x: .nan, y: 1}', '[1]', '', 'a: 3', 'a: [a, b]', '{'):
        file.write_text(wrong)
        with pytest.raises(ConfigurationError, match=r'places\.yaml'):
            read_places(file)
