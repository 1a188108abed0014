# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The page with runs inside, opened from a file in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.behaviours.snapshot import BehaviourState
from reactree_ros.core.decision import Choices
from reactree_ros.core.events import DecisionRecord, Event
from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.outcome import ConditionState, Costs
from reactree_ros.core.wire import choices_to_json
from reactree_ros.errors import ConfigurationError
from reactree_ros.viewer.document import page_with
from reactree_ros.viewer.gallery import write_gallery
from reactree_ros.viewer.history import Reasons, RunHistory

pytestmark = pytest.mark.browser

GOAL = 'find the <b>cup</b> </script>'
ROOMS = tuple(f'room {number}' for number in range(1, 13))
APPLE = ObservedObject('apple', 1, 'room 1', 'table 1', 'on')
TABLE = ObservedObject('table', 1, 'room 1', affordances=frozenset({'furniture'}))


def made(name: str, last: str = 'failed') -> RunHistory:
    """Return a run that searches twelve rooms; in the last it fails, and so does the goal."""
    run = RunHistory(name, GOAL)
    tree = [
        BehaviourState(1, 0, 'agent', GOAL, 'running', ''),
        BehaviourState(2, 1, 'fallback', 'fallback of 12', 'running', ''),
    ]
    reasons = Reasons()

    def tell(at: float, kind: str, text: str, node: int, **more: Any) -> None:
        run.event(at, Event(kind, text, (GOAL,), Costs(), Costs(), behaviour=node, **more))

    for index, answer in ((49, 'Conditions: cup 1 in sink 1'), (50, 'Expand: fallback ["look"]')):
        prompt = {'system': 'You read.', 'examples': [], 'task': GOAL, 'steps': []}
        entry = {'prompt': prompt, 'choices': choices_to_json(Choices())}
        record = DecisionRecord(index, 1, (), '', '', 'made', answer)
        run.decision(100.0, record, reasons.asked(entry))
    run.tree(100.0, tree)
    tell(100.0, 'goal', GOAL, 1)
    unmet = ConditionState('cup 1 in sink 1', False, 'not seen')
    tell(100.5, 'conditions', '', 1, conditions=(ConditionState('true', True, ''), unmet))
    tell(100.6, 'expand', 'fallback: look', 1)
    for index, room in enumerate(ROOMS):
        at, number = 101.0 + 10 * index, 3 + 5 * index
        ends = last if room == ROOMS[-1] else 'failed'
        tree.append(
            BehaviourState(number, 2, 'agent', f'look for the cup in {room}', 'running', '')
        )
        run.tree(at, tree)
        tell(at, 'goal', f'look for the cup in {room}', number)
        for step in range(1, 5):
            phrase = f'go to place {step}'
            skills = tuple(f'go to place {one}' for one in range(step, 6))
            steps = [[f'Act: go to place {step - 1}', True], ['nothing', False]]
            prompt = {'system': 'You search.', 'examples': [], 'task': f'Goal: {room}', 'steps': []}
            entry = {
                'prompt': {'after': 4 * index + step + 1, 'steps': steps} if step > 1 else prompt,
                'choices': choices_to_json(Choices(skills, endings=('failure',))),
                'answer': {'tokens_in': 100, 'tokens_out': 5, 'decode_seconds': 0.5},
            }
            count = 4 * index + step
            record = DecisionRecord(count, number, (), '', '', 'made', f'Act: {phrase}')
            run.decision(at + step, record, reasons.asked(entry))
            tell(at + step, 'act', phrase, number)
            tree.append(BehaviourState(number + step, number, 'skill', phrase, 'succeeded', ''))
            run.tree(at + step, tree)
        at_end = [BehaviourState(**{**vars(one), 'status': ends}) for one in tree[-5:-4]]
        tree[-5:-4] = at_end
        run.tree(at + 9, tree)
        run.memory(at + 9, Observation('', room, '', ROOMS, (TABLE, APPLE)))
    for index in (1, 0):
        tree[index] = BehaviourState(**{**vars(tree[index]), 'status': last})
    run.tree(230.0, tree)
    tell(230.0, 'ended', f'{last}: it is so', 1)
    return run


@pytest.fixture
def page(open_page: Any, tmp_path: Path) -> Iterator[Any]:
    path = tmp_path / 'run.html'
    path.write_text(page_with([made('one'), made('two', 'succeeded')]), encoding='utf-8')
    page = open_page(path.as_uri())
    page.until('window.reactree?.run.ended && !reactree.drawing')
    yield page
    assert page.faults == []


def drawn(page: Any) -> None:
    page.until('!reactree.drawing')


def test_what_is_done_is_folded_and_the_cause_of_a_failure_is_not(page: Any) -> None:
    page.until("document.getElementById('happened').textContent === 'ended: failed: it is so'")
    opened = page.page.locator('#tree [aria-expanded=true]')
    numbers = [row.get_attribute('data-number') for row in opened.all()]
    assert numbers == ['1', '2', '58']
    assert page.page.locator('#tree .row').count() == 2 + 12 + 4
    assert page.text('#node-why').strip() == 'Because of look for the cup in room 12'
    page.page.click('#node-why button')
    drawn(page)
    assert page.text('#node-name') == 'look for the cup in room 12'
    page.page.click('#unfold')
    assert page.page.locator('#tree .row').count() == 62
    page.page.click('#fold')
    assert page.page.locator('#tree .row').count() == 2


def test_the_running_behaviour_is_open_and_labels_end_where_they_differ(page: Any) -> None:
    page.page.evaluate('reactree.go(reactree.run.count(74.5))')
    drawn(page)
    row = page.page.locator('#tree [data-number="38"]')
    assert row.get_attribute('aria-expanded') == 'true'
    assert page.page.locator('#tree [data-number="3"]').get_attribute('aria-expanded') == 'false'
    assert row.locator('.same').inner_text() == 'look for the cup in room '
    assert row.locator('.name').inner_text() == 'look for the cup in room 8'


def test_search_finds_what_is_folded_away(page: Any) -> None:
    page.page.keyboard.press('/')
    page.page.keyboard.type('room 7')
    drawn(page)
    assert page.names() == [GOAL, 'fallback of 12', 'look for the cup in room 7']
    assert page.page.locator('mark').all_inner_texts() == ['room']


def test_a_decision_tells_its_prompt_what_was_on_offer_and_what_was_masked(page: Any) -> None:
    page.page.click('#tree [data-number="58"] .name')
    why = page.page.locator('#trajectory .act .why').nth(2)
    why.locator('summary').click()
    why.filter(has_text='masked: ask, done').wait_for()
    assert 'one of 3 options \u00b7 wrote 0.5 s, tokens read 100' in why.inner_text()
    why.locator('summary', has_text='On offer: 3').click()
    assert why.locator('.taken').inner_text() == 'place 3'
    why.locator('summary', has_text='Masked: 2').click()
    why.locator('.phrases.masked span').last.wait_for()
    assert why.locator('.phrases.masked span').all_inner_texts() == ['place 1', 'place 2']
    why.locator('summary', has_text='goal and steps').click()
    steps = ['Goal: room 12', '> Act: go to place 1', 'nothing', '> Act: go to place 2', 'nothing']
    assert why.locator('pre').inner_text().splitlines() == steps


def test_each_decision_stands_at_the_event_that_it_led_to(page: Any) -> None:
    for kind, answer in (('conditions', 'Conditions: cup'), ('expand', 'Expand: fallback')):
        why = page.page.locator(f'#trajectory .{kind} .why')
        why.locator('summary').first.click()
        why.filter(has_text=re.compile(rf'Answer\s*{answer}')).wait_for()


def test_conditions_say_which_are_met(page: Any) -> None:
    assert page.text('#conditions-title') == 'What must hold in the end: 1 of 2'
    assert page.page.locator('#wanted .unmet').inner_text() == '\u2715 cup 1 in sink 1: not seen'


def test_the_end_says_why_and_leads_there(page: Any) -> None:
    said = page.text('#ending').splitlines()
    assert said[0] == 'failed: it is so'
    assert 'What does not hold: cup 1 in sink 1' in said
    page.page.click('#ending >> text="what it took the goal for"')
    drawn(page)
    assert page.text('#happened').startswith('conditions:')
    page.page.click('#ending >> text="last decision"')
    drawn(page)
    assert page.text('#node-name') == 'look for the cup in room 12'


def test_without_a_planner_a_decision_says_what_to_do(page: Any) -> None:
    page.page.click('#tree [data-number="58"] .name')
    why = page.page.locator('#trajectory .act .why').nth(2)
    why.locator('summary').first.click()
    why.locator('summary', has_text='Decide otherwise from here').click()
    why.filter(has_text='reactree teach --run one.mcap --at 47').wait_for()


def test_the_keyboard_moves_in_time_and_in_the_tree(page: Any) -> None:
    page.page.keyboard.press('Home')
    page.until('reactree.at === 0 && !reactree.drawing')
    page.page.keyboard.press('ArrowRight')
    page.until('reactree.at > 0 && !reactree.drawing')
    assert page.text('#happened') == f'goal: {GOAL}'
    page.page.keyboard.press('End')
    page.until('reactree.at === reactree.run.frames.length && !reactree.drawing')
    page.page.focus('#tree [data-number="1"]')
    for key in ('ArrowDown', 'ArrowDown', 'ArrowRight', 'ArrowRight'):
        page.page.keyboard.press(key)
        drawn(page)
    assert page.page.evaluate('document.activeElement.dataset.number') == '4'
    assert page.text('#node-name') == 'go to place 1'


def test_two_runs_stand_side_by_side_from_where_they_part(page: Any) -> None:
    page.page.select_option('#beside', 'two')
    page.until("!document.getElementById('parting').hidden && reactree.other.run.ended")
    drawn(page)
    assert page.text('#parting').startswith('The same for 63 events')
    assert 'here: ended: failed: it is so \u00b7 there: ended: succeeded: it is so' in page.text(
        '#parting'
    )
    assert (
        page.page.locator('#other-tree .row').first.get_attribute('class').split()[1] == 'succeeded'
    )
    page.page.click('#go-part')
    drawn(page)
    assert page.text('#happened') == 'ended: failed: it is so'


@pytest.mark.parametrize('width', [390, 820])
def test_nothing_is_off_the_screen_on_a_phone(page: Any, width: int) -> None:
    page.page.set_viewport_size({'width': width, 'height': 800})
    page.page.evaluate(
        "reactree.showState({...reactree.state, planner: 'ready', pause_state: 'paused'})"
    )
    for pane in ('world', 'tree', 'why'):
        page.page.click(f'#tabs [data-pane={pane}]')
        assert page.page.evaluate('document.documentElement.scrollWidth') <= width
    for name in ('#cancel', '#pause', '#send', '#live', '#time', '#later'):
        box = page.page.locator(name).bounding_box()
        assert box['x'] >= 0 and box['x'] + box['width'] <= width
        assert box['y'] >= 0 and box['y'] + box['height'] <= 800
    assert page.text('#planner') == 'paused'


def test_a_gallery_lists_what_was_exported(open_page: Any, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match='has no exported runs'):
        write_gallery(tmp_path)
    for name, last in (('a b', 'failed'), ('c', 'succeeded')):
        text = page_with([made(name, last)])
        tmp_path.joinpath(f'{name}.html').write_text(text, encoding='utf-8')
    assert write_gallery(tmp_path) == write_gallery(tmp_path) == 2
    page = open_page((tmp_path / 'index.html').as_uri())
    assert page.page.locator('li.failed, li.succeeded').count() == 2
    assert page.page.locator('a').first.inner_text() == GOAL
    page.page.locator('a').first.click()
    page.until('window.reactree?.run.ended')
    assert page.faults == []


def test_an_export_asks_for_nothing_outside_itself() -> None:
    text = page_with([made('one')])
    assert 'http' not in text.replace('http-equiv', '').partition('<script type="importmap">')[0]
    about = text.partition('id="about">')[2].partition('</script>')[0]
    assert json.loads(about)[0]['goal'] == GOAL
