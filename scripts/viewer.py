# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Measures the viewer's page, checks it for accessibility, and makes the pictures of the docs.

.venv/bin/python scripts/viewer.py bench
.venv/bin/python scripts/viewer.py axe RUN --axe axe.min.js     # of the npm package axe-core
.venv/bin/python scripts/viewer.py pictures RUN docs/images
"""

from __future__ import annotations

import argparse
import io
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from reactree_ros.behaviours.snapshot import BehaviourState
from reactree_ros.core.decision import Choices
from reactree_ros.core.events import DecisionRecord, Event
from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.outcome import ConditionState, Costs
from reactree_ros.core.wire import choices_to_json
from reactree_ros.ros.viewer.recorded import read_history
from reactree_ros.viewer.document import page_with
from reactree_ros.viewer.history import Reasons, RunHistory

BROWSERS = ('chromium', 'chromium-browser', 'google-chrome')
BEHAVIOURS, SECONDS = 500, 7200.0
ROOMS = ('kitchen 1', 'bathroom 1', 'bedroom 1', 'living room 1', 'hall 1')
SCRUBS = 150
PICTURE_BYTES = 60_000
READY = 'window.reactree && reactree.run.frames.length > 0 && !reactree.drawing'
SIZES = ((390, 844), (1280, 800), (1920, 1080))
"""Width and height in pixels."""


class MadeRun:
    """A long run as a planner would write it: searches for things, room by room."""

    def __init__(self, behaviours: int, seconds: float) -> None:
        self.history = RunHistory('made', 'tidy the whole house')
        self._random = random.Random(1)
        self._tree: list[BehaviourState] = []
        self._at = 1e9
        self._costs = Costs()
        self._reasons = Reasons()
        self._things = [
            ObservedObject(f'thing {number % 60}', number // 60 + 1, ROOMS[number % len(ROOMS)])
            for number in range(120)
        ]
        self._limit = behaviours
        self._step = seconds / behaviours / 2.75
        self._decisions = 0
        self._fill()

    def _fill(self) -> None:
        root = self._join(0, 'agent', self.history.goal)
        flow = self._join(root, 'sequence', 'sequence')
        while len(self._tree) < self._limit:
            search = self._join(flow, 'fallback', 'fallback of 5')
            for room in ROOMS:
                goal = f'find and pick up {self._random.choice(self._things).name} in {room}'
                node = self._join(search, 'agent', goal)
                for count in range(self._random.randint(3, 6)):
                    if len(self._tree) < self._limit:
                        self._act(node, goal, f'go to {self._some(1)[0]}', count)
                self._end(node, 'failed' if self._random.random() < 0.6 else 'succeeded')
            self._end(search, 'succeeded')
        self._end(flow, 'failed')
        self._end(root, 'failed')
        self._event('ended', 'failed: a step of the sequence failed', root)

    def _join(self, parent: int, kind: str, name: str) -> int:
        number = len(self._tree) + 1
        place = len(self._tree)
        self._tree.insert(place, BehaviourState(number, parent, kind, name, 'running', ''))
        self._at += self._step / 4
        self.history.tree(self._at, self._tree)
        if kind == 'agent':
            self._event('goal', name, number)
        return number

    def _end(self, number: int, status: str) -> None:
        ended = replace(self._tree[number - 1], status=status, feedback=status)
        self._tree[number - 1] = ended
        self.history.tree(self._at, self._tree)

    def _event(self, kind: str, text: str, node: int, **more: Any) -> None:
        self._at += self._step / 2
        costs = self._costs
        event = Event(kind, text, (self.history.goal,), costs, costs, behaviour=node, **more)
        self.history.event(self._at, event)

    def _some(self, count: int) -> list[str]:
        return [one.name for one in self._random.sample(self._things, count)]

    def _act(self, node: int, goal: str, phrase: str, count: int) -> None:
        self._decisions += 1
        offered = tuple(dict.fromkeys([phrase, *(f'go to {one}' for one in self._some(90))]))
        steps = [['Act: look', True], ['You see ' + ', '.join(self._some(20)), False]]
        task = {
            'system': 'You steer a robot. ' * 60,
            'examples': ['Goal: another\nAct: done\n' * 20],
            'task': f'Goal: {goal}',
            'steps': [],
        }
        prompt = {'after': self._decisions - 1, 'steps': steps} if count else task
        choices = choices_to_json(Choices(skills=offered))
        answer = {'tokens_in': 900 + 80 * count, 'tokens_out': 9, 'decode_seconds': 0.4}
        asked = self._reasons.asked({'prompt': prompt, 'choices': choices, 'answer': answer})
        record = DecisionRecord(self._decisions, node, (goal,), '', '', 'made', f'Act: {phrase}')
        self._at += self._step
        self.history.decision(self._at, record, asked)
        spent = Costs(decisions=1, tokens_in=900, model_seconds=1.0)
        self._costs = self._costs + spent
        self._event('act', phrase, node, decision=spent)
        leaf = self._join(node, 'skill', phrase)
        self._at += self._step
        self._end(leaf, 'failed' if self._random.random() < 0.1 else 'succeeded')
        self._event('observation', f'You are at {phrase[6:]}. You see nothing new.', node)
        moved = self._random.randrange(len(self._things))
        self._things[moved] = ObservedObject(
            self._things[moved].class_name, self._things[moved].instance, self._random.choice(ROOMS)
        )
        room = self._random.choice(ROOMS)
        self.history.memory(self._at, Observation('', room, '', ROOMS, tuple(self._things)))
        if self._decisions % 20 == 0:
            states = (ConditionState('everything is tidy', False, f'{self._decisions} of 400'),)
            self._event('conditions', '', 1, conditions=states)


@contextmanager
def browser() -> Iterator[Any]:
    """Start a headless browser."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        sys.exit(f'no browser: none of {", ".join(BROWSERS)}')
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=['--no-sandbox'])
        yield opened
        opened.close()


@contextmanager
def exported(run: RunHistory) -> Iterator[Path]:
    """Export a run into a file of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / 'run.html'
        path.write_text(page_with([run]), encoding='utf-8')
        yield path


def bench() -> None:
    """Print how large an export is, how long it takes to open, and how fast it scrubs."""
    run = MadeRun(BEHAVIOURS, SECONDS).history
    with exported(run) as path, browser() as opened:
        opening, rates = [], []
        for _ in range(3):
            page = opened.new_page(viewport={'width': 1280, 'height': 800})
            began = time.monotonic()
            page.goto(path.as_uri())
            page.wait_for_function(READY)
            opening.append(time.monotonic() - began)
            rates.append(page.evaluate(SCRUB, SCRUBS))
            page.close()
        folded, unfolded = zip(*rates, strict=True)
        hours = run.frames[-1]['t'] / 3600
        print(f'{BEHAVIOURS} behaviours, {hours:.1f} h, {len(run.frames)} frames')
        print(f'export: {path.stat().st_size / 1e6:.2f} MB')
        print(f'opens in {statistics.median(opening):.2f} s (median of 3)')
        print(f'scrubs at {statistics.median(folded):.0f} frames a second')
        print(f'with everything unfolded: {statistics.median(unfolded):.0f} frames a second')


SCRUB = """async (count) => {
  const rate = async () => {
    const began = performance.now()
    for (let at = 0; at < count; at++) {
      reactree.go(reactree.run.count(reactree.run.end * at / count))
      do { await new Promise(requestAnimationFrame) } while (reactree.drawing)
    }
    return count / ((performance.now() - began) / 1000)
  }
  const folded = await rate()
  reactree.tree.foldAll(true)
  return [folded, await rate()]
}"""
"""Moves through the whole run and returns the frames drawn a second, folded and unfolded."""


UNFOLD = "document.querySelectorAll('details').forEach((one) => { one.open = true })"


def axe(run: RunHistory, script: Path) -> int:
    """Print what the accessibility checker finds, and return 1 if any of it is serious."""
    serious = 0
    with exported(run) as path, browser() as opened:
        for (width, height), scheme in product(SIZES, ('light', 'dark')):
            for pane in ('world', 'tree', 'why'):
                page = opened.new_page(
                    viewport={'width': width, 'height': height},
                    color_scheme=scheme,
                    bypass_csp=True,
                )
                page.goto(path.as_uri())
                page.wait_for_function(READY)
                page.evaluate('(pane) => reactree.pane(pane)', pane)
                page.evaluate(UNFOLD)
                page.add_script_tag(path=str(script))
                found = page.evaluate('axe.run().then((all) => all.violations)')
                page.close()
                for one in found:
                    serious += one['impact'] in ('serious', 'critical')
                    where = ', '.join(str(node['target'][0]) for node in one['nodes'][:3])
                    print(f'{width} {scheme} {pane}: {one["impact"]}: {one["id"]}: {where}')
    print(f'{serious} serious findings')
    return int(serious > 0)


MIDST = """() => {
  const acts = reactree.run.at.filter((at) => reactree.run.frames[at].what === 'act')
  reactree.go(acts[Math.floor(acts.length * 0.6)] + 1)
}"""


def pictures(run: RunHistory, folder: Path) -> None:
    """Write pictures of a run at each size, as WebP."""
    with exported(run) as path, browser() as opened:
        for (width, height), scheme in product(SIZES, ('light', 'dark')):
            page = opened.new_page(
                viewport={'width': width, 'height': height},
                color_scheme=scheme,
                bypass_csp=True,  # waiting for a condition evaluates a string
            )
            page.goto(path.as_uri())
            page.wait_for_function(READY)
            page.evaluate(MIDST)
            page.wait_for_function(READY)
            last = page.locator('#trajectory .why summary').last
            if last.is_visible():
                last.click()
            target = folder / f'viewer_{width}_{scheme}.webp'
            picture = Image.open(io.BytesIO(page.screenshot()))
            for quality in range(60, 0, -10):
                picture.save(target, quality=quality, method=6)
                if target.stat().st_size <= PICTURE_BYTES:
                    break
            page.close()


def main() -> int:
    """Do what the command line asks for, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    commands = parser.add_subparsers(dest='command', required=True)
    commands.add_parser('bench')
    check = commands.add_parser('axe')
    check.add_argument('run', type=Path)
    check.add_argument('--axe', type=Path, required=True)
    draw = commands.add_parser('pictures')
    draw.add_argument('run', type=Path)
    draw.add_argument('folder', type=Path)
    options = parser.parse_args()
    if options.command == 'bench':
        bench()
    elif options.command == 'axe':
        return axe(read_history(options.run), options.axe)
    else:
        pictures(read_history(options.run), options.folder)
    return 0


if __name__ == '__main__':
    sys.exit(main())
