# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The web viewer in a real browser, on a planner and a household that run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sensor_msgs.msg import CompressedImage
from std_msgs.msg import String

from reactree_ros.ros.qos import LATEST
from reactree_ros.ros.recording.run_publisher import POSES_TOPIC, SCENE_TOPIC
from reactree_ros.ros.viewer.camera import CameraPicture
from reactree_ros.ros.viewer.recorded import read_history
from reactree_ros.viewer.controls import ViewerControls
from reactree_ros.viewer.run_index import RunIndex
from reactree_ros.viewer.server import ViewerServer

pytestmark = [pytest.mark.ros, pytest.mark.browser]

GOAL = 'look <i>twice</i>'
SCRIPT = {
    GOAL: ['Think: two <b>rooms</b>', 'Expand: sequence ["look around", "come back"]'],
    'look around': ['Act: go to bathroom 1', 'Act: done'],
    'come back': ['Act: go to kitchen 1', 'Act: go to kitchen counter 1', 'Act: done'],
    'ask': ['Ask: which room?', 'Act: done'],
    'ask again': ['Ask: which room?'],
    'ask a third time': ['Ask: which room?'],
    'ask a fourth time': ['Ask: which room?'],
    # no goal begins in the room that it goes to: the robot is where the test before left it, in
    # the kitchen at first, and in one of two rooms after a goal that was canceled
    'go astray': ['Act: go to living room 1', 'Act: go to bedroom 1', 'Act: failure'],
    'wait 2': ['Act: go to bathroom 1', 'Act: go to bedroom 1', 'Act: done'],
    # long enough to be canceled by a page that is slow
    'wait 1': ['Act: go to living room 1', 'Act: go to bedroom 1'] * 60,
    'wait 3': ['Act: go to bathroom 1', 'Act: go to bedroom 1'] * 60,
    'wait 4': ['Act: go to bedroom 1', 'Act: go to kitchen 1'] * 60,
    # what is seen in the kitchen is not seen again
    'look at things': [
        'Act: go to bathroom 1',
        'Act: go to kitchen 1',
        'Act: go to kitchen counter 1',
    ]
    + ['Act: go to bathroom 1', 'Act: go to bedroom 1'] * 60,
}
PLANNER = {
    'agent.max_repetitions': 0,  # what waits goes back and forth
    'operator.ask': True,
    'recording.runs_dir': '',
}
DRAWN = [
    GOAL,
    'sequence of 2',
    'look around',
    'come back',
    'go to bathroom 1',
    'go to kitchen 1',
    'go to kitchen counter 1',
]


@pytest.fixture(scope='module')
def running(
    start_system: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Any, str, Path]]:
    runs = tmp_path_factory.mktemp('runs')
    bridge = {'room': 'kitchen 1', 'skill_duration_sec': 0.3}
    twice = {goal: lines * 2 for goal, lines in SCRIPT.items()}  # a failed test runs once more
    with start_system(twice, PLANNER, bridge, viewer='true', runs=str(runs)) as system:
        system.ready()
        system.logs('the viewer is at')
        line = next(line for line in system.log if 'the viewer is at' in line)
        yield system, re.findall(r'http://\S+', line)[0], runs


@pytest.fixture
def page(running: tuple[Any, str, Path], open_page: Any) -> Iterator[Any]:
    page = open_page(running[1])
    page.until("document.getElementById('planner').textContent === 'planner ready'")
    yield page
    assert page.faults == []


def send(page: Any, goal: str) -> None:
    """Send a goal and wait until its run is shown, not the one before."""
    page.until("document.getElementById('beside').options.length > 0")  # the runs are told
    before = page.page.evaluate('reactree.run.name')
    order(page, goal)
    page.until(f"reactree.run.name !== '{before}'")


def order(page: Any, goal: str) -> None:
    page.page.fill('#goal', goal)
    page.page.click('#send')


def show(page: Any, goal: str) -> None:
    """Choose the run of a goal that has ended."""
    page.page.select_option('#runs', label=goal)
    page.until('reactree.run.ended && !reactree.drawing && reactree.tree.rows.size > 0')


def ended(page: Any) -> None:
    page.until('reactree.run.ended && reactree.following && !reactree.drawing')


def test_a_goal_sent_from_the_page_grows_and_finishes(page: Any) -> None:
    send(page, GOAL)
    page.until('reactree.tree.rows.size >= 5')
    ended(page)
    assert sorted(page.names()) == sorted(DRAWN)
    rows = page.page.locator('#tree [role=treeitem]')
    assert rows.count() == page.page.locator('#tree .succeeded').count() == len(DRAWN)
    assert 'succeeded' in page.text('#happened')


def test_a_simulation_that_tells_how_it_moves_is_drawn(running: Any, page: Any) -> None:
    system, *_ = running
    node = system.spinner.node
    told = [node.create_publisher(String, topic, LATEST) for topic in (SCENE_TOPIC, POSES_TOPIC)]
    system.spinner.until(lambda: all(one.get_subscription_count() == 2 for one in told))
    body = {'name': 'cup 1', 'parent': 0, 'at': [0, 0, 0, 1, 0, 0, 0], 'kind': 'thing', 'top': 1}
    body['joints'] = [['slide', 0, [1, 0, 0], [0, 0, 0]]]
    shape = {'body': 0, 'kind': 'sphere', 'at': body['at'], 'colour': [1, 0, 0, 1], 'size': [0.1]}
    scene = {'bodies': [body], 'shapes': [shape], 'meshes': [], 'follow': 0}
    told[0].publish(String(data=json.dumps(scene)))
    told[1].publish(String(data='[0.0]'))
    page.until("document.getElementById('scene').hidden")
    send(page, 'wait 4')
    page.until("!document.getElementById('scene').hidden")
    told[1].publish(String(data='[0.25]'))
    page.until("String(reactree.run.latest.pose) === '0.25'")
    assert page.text('#scene .thing') == 'cup'
    page.page.click('#cancel')
    ended(page)
    for one in told:
        node.destroy_publisher(one)


def test_pictures_are_taken_only_while_somebody_looks(running: Any) -> None:
    system, *_ = running
    node = system.spinner.node
    pictures = node.create_publisher(CompressedImage, 'camera', 1)
    camera = CameraPicture(node, 'camera')
    assert camera.latest() == b''
    system.spinner.until(pictures.get_subscription_count)
    pictures.publish(CompressedImage(data=b'picture'))
    system.spinner.until(lambda: camera.latest() == b'picture')
    camera.close()
    system.spinner.until(lambda: not pictures.get_subscription_count())
    assert camera.latest() == b''
    node.destroy_publisher(pictures)


def test_what_a_goal_says_is_shown_as_text(page: Any) -> None:
    show(page, GOAL)
    page.page.click('#tree .row')
    page.until("document.getElementById('trajectory').innerText.includes('<b>rooms</b>')")
    assert page.page.locator('#tree i, #trajectory b b').count() == 0
    assert page.page.locator('#tree .name', has_text='<i>twice</i>').count() == 1


def test_a_click_shows_what_a_node_did_and_cost(page: Any) -> None:
    show(page, GOAL)
    page.page.click('#tree .name >> text="look around"')
    page.until("document.getElementById('node-name').textContent === 'look around'")
    assert 'act: go to bathroom 1' in page.text('#trajectory')
    assert 'kitchen 1' not in page.text('#trajectory').split('act:')[1].split('observation')[0]
    assert re.search(r'2\s+decisions', page.text('#node-costs'))


def test_the_slider_goes_back_and_forth_in_time(page: Any) -> None:
    show(page, GOAL)
    slider = page.page.locator('#time')
    end = page.page.evaluate('reactree.run.end')
    sizes = []
    for part in (0, 0.25, 0.5, 0.75, 1):
        slider.fill(str(round(1000 * end * part)))
        page.until('!reactree.drawing')
        assert abs(page.page.evaluate('reactree.time.time') - end * part) < 1.5
        sizes.append(len(page.names()))
    assert sizes == sorted(sizes)
    assert sizes[-1] == 7 > sizes[0]


def test_a_live_run_tells_why_from_its_file(page: Any) -> None:
    show(page, GOAL)
    page.page.click('#tree .name >> text="look around"')
    page.page.locator('#trajectory .act .why > summary').first.click()
    page.until("document.querySelector('#trajectory .act .why').innerText.includes('one of')")
    why = page.page.locator('#trajectory .act .why').first
    why.locator('summary', has_text='Prompt: goal and steps').click()
    page.until(
        "document.querySelector('#trajectory .act .why').innerText.includes('Goal: look around')"
    )
    why.locator('summary', has_text='On offer').click()
    why.locator('.taken', has_text='bathroom 1').wait_for()


def test_cancel_stops_the_goal(page: Any) -> None:
    send(page, 'wait 1')
    page.until("document.querySelector('#tree .skill')")
    page.page.click('#cancel')
    ended(page)
    assert 'canceled' in page.text('#happened')


def test_a_question_is_answered_on_the_page(page: Any) -> None:
    send(page, 'ask')
    page.until("!document.getElementById('question-form').hidden")
    assert page.text('#question') == 'which room?'
    page.page.fill('#answer', 'the <u>big</u> one')
    page.page.click('#give')
    ended(page)
    assert 'The operator answers: the <u>big</u> one' in page.text('#trajectory')
    assert page.page.locator('#question-form').is_hidden()


def test_a_question_that_is_over_leaves_the_page(page: Any) -> None:
    send(page, 'ask again')
    page.until("!document.getElementById('question-form').hidden")
    page.page.click('#cancel')
    ended(page)
    page.until("document.getElementById('question-form').hidden")
    page.page.evaluate("reactree.order('answer', { question: '0'.repeat(32), text: 'late' })")
    page.until("document.getElementById('notice').textContent.startsWith('too late: ')")


def test_pause_step_and_resume(page: Any) -> None:
    page.page.click('#pause')
    page.until("document.getElementById('pause').textContent === 'Resume'")
    send(page, 'wait 2')
    page.until("reactree.state.pause_state === 'paused' && reactree.run.frames.length > 0")
    assert page.text('#planner') == 'paused'
    assert (
        page.page.evaluate("reactree.run.events(1e9).some((event) => event.what === 'act')")
        is False
    )
    page.page.click('#step')
    page.until(
        "reactree.run.events(1e9).filter((event) => event.what === 'observation').length === 1"
    )
    page.until("reactree.state.pause_state === 'paused'")
    acts = "reactree.run.events(1e9).filter((event) => event.what === 'act').length"
    assert page.page.evaluate(acts) == 1
    page.page.click('#pause')
    ended(page)
    assert page.page.evaluate(acts) == 2


def test_a_second_goal_is_rejected_with_a_word(page: Any) -> None:
    send(page, 'wait 3')
    page.until('reactree.tree.rows.size > 1')
    order(page, 'ask')
    page.until("document.getElementById('notice').textContent.includes('rejected')")
    page.page.click('#cancel')
    ended(page)


def test_conditions_are_corrected_and_the_end_is_judged_on_the_page(page: Any) -> None:
    assert page.page.locator('#correct').is_hidden()
    send(page, 'ask a third time')
    page.until("!document.getElementById('correct').hidden")
    page.page.click('#correct')
    page.page.fill('#corrected', 'fridge open')
    page.page.click('#correct-form >> text="Correct"')
    page.until("!document.getElementById('notice').hidden")
    assert page.text('#notice') == 'fridge open'
    page.page.click('#cancel')
    ended(page)
    show(page, GOAL)
    page.page.click('#missed')
    page.until("/experience|learn/.test(document.getElementById('notice').textContent)")


def test_what_is_being_done_has_its_reasons_before_its_outcome(page: Any) -> None:
    send(page, 'ask a fourth time')
    page.until("!document.getElementById('question-form').hidden")
    page.page.locator('#trajectory .ask .why > summary').click()
    page.until("document.querySelector('#trajectory .why').innerText.includes('which room?')")
    page.page.click('#cancel')
    ended(page)


def test_a_person_decides_otherwise_and_the_run_goes_on_from_there(page: Any) -> None:
    send(page, 'go astray')
    ended(page)
    page.until("document.getElementById('ending').innerText.includes('failed')")
    page.page.evaluate('reactree.choose(1)')
    why = page.page.locator('#trajectory .act .why').nth(1)
    why.locator('summary').first.click()
    why.locator('summary', has_text='Decide otherwise from here').click()
    why.get_by_label('and all that follow').check()
    first = page.page.evaluate('reactree.run.name')
    why.get_by_text('Take decision 2 myself').click()
    field = 'document.getElementById'
    asked = f"!{field}('question-form').hidden && !{field}('give').disabled"
    page.until(f"{asked} && reactree.run.name !== '{first}'")
    assert 'You enter the living room' in page.text('#question')
    page.page.click('text="Act: go to kitchen 1"')
    page.until(f"{asked} && {field}('question').innerText.includes('You enter the kitchen')")
    page.page.keyboard.type('done')
    page.page.keyboard.press('Enter')  # to the option, which the second one takes
    page.page.keyboard.press('Enter')
    ended(page)
    assert page.names() == ['go astray', 'go to living room 1', 'go to kitchen 1']
    assert 'succeeded' in page.text('#ending')


def test_a_person_corrects_where_a_thing_is(page: Any) -> None:
    send(page, 'look at things')
    page.until("!document.getElementById('belief').hidden")
    page.page.click('#belief summary')
    page.until("document.getElementById('thing').options.length > 0")
    name = page.page.input_value('#thing')
    page.page.select_option('#relation', 'in_room')
    page.page.select_option('#place', 'bathroom 1')
    page.page.click('#belief-form button')
    page.until(f"document.getElementById('notice').textContent.startsWith('{name} in bathroom 1')")
    page.until("reactree.run.events(1e9).some((one) => one.what === 'corrected')")
    page.page.click('#cancel')
    ended(page)
    moved = f"reactree.run.latest.memory.objects.find((one) => one.name === '{name}').room"
    assert page.page.evaluate(moved) == 'bathroom 1'


def test_a_run_is_exported_from_the_page(page: Any, open_page: Any, tmp_path: Path) -> None:
    show(page, GOAL)
    with page.page.expect_download() as download:
        page.page.click('#export')
    path = tmp_path / 'run.html'
    download.value.save_as(path)
    shown = open_page(path.as_uri())
    shown.until('window.reactree?.run.ended && !reactree.drawing')
    assert shown.names() == page.names()
    assert shown.faults == []


def test_working_memory_is_shown(page: Any) -> None:
    show(page, GOAL)
    here = page.page.locator('#map .room.here')
    assert page.text('#map .robot') == 'Robot in kitchen 1, at kitchen counter 1 · holds nothing'
    at = here.locator('.holder.at').inner_text().split('\n')
    assert at[0] == 'kitchen counter 1'
    assert 'on apple 1' in at
    page.go(4)
    assert 'apple' not in page.text('#map')


def test_who_comes_late_sees_the_run_from_its_beginning(
    page: Any, running: tuple[Any, str, Path], open_page: Any
) -> None:
    show(page, GOAL)
    assert sorted(page.names()) == sorted(DRAWN)
    late = open_page(running[1])
    show(late, GOAL)
    assert late.names() == page.names()
    count = 'reactree.run.frames.length'
    assert late.page.evaluate(count) == page.page.evaluate(count)


def test_a_recorded_run_is_the_run_that_was_watched(
    page: Any, running: tuple[Any, str, Path], open_page: Any
) -> None:
    show(page, GOAL)
    system, _, runs = running
    name = page.page.evaluate('reactree.run.name')
    system.spinner.until(lambda: list(runs.glob(f'*{name[:8]}.mcap')), 'the file')
    system.logs(name[:8])
    (path,) = runs.glob(f'*{name[:8]}.mcap')
    index = RunIndex()
    index.offer(path.stem, lambda: read_history(path))
    server = ViewerServer(index, ViewerControls(), 'localhost', 0)
    server.start()
    try:
        shown = open_page(server.address)
        shown.until('reactree.tree.rows.size === 7')
        assert shown.names() == page.names()
        events = (
            'reactree.run.events(1e9).map(({what, text, behaviour}) => [what, text, behaviour])'
        )
        assert shown.page.evaluate(events) == page.page.evaluate(events)
        assert shown.page.locator('#goal-form').is_hidden()
        assert shown.faults == []
    finally:
        server.close()
