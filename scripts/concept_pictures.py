# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draws the pictures of docs/concepts.md: ``python scripts/concept_pictures.py docs/images``.

Trees and prompt are those of a run in the household with written answers in place of a model; the
stages are those of the pipeline. A test compares the pictures with what is drawn now.
"""

from __future__ import annotations

import re
import sys
import tempfile
import textwrap
import time
from collections.abc import Iterable
from html import escape
from pathlib import Path

import yaml

from reactree_ros.behaviours.snapshot import BehaviourState
from reactree_ros.core.budget import Limits
from reactree_ros.core.futures import Future
from reactree_ros.core.model import Answer, DecisionRequest
from reactree_ros.execution import pipeline
from reactree_ros.models.start import start_model
from reactree_ros.planner.assembly import assemble
from reactree_ros.planner.options import planner_options
from reactree_ros.planner.run import GoalRun
from reactree_ros.sim.household import World, shipped_scene
from reactree_ros.skills.simulated import executor_of

GOAL = 'put the apple in the fridge'
FETCH, STORE = 'find and pick up the apple', 'put down the apple in the fridge'
SCRIPT = {
    GOAL: [f'Expand: sequence ["{FETCH}", "{STORE}"]'],
    FETCH: ['Act: go to kitchen counter 1', 'Act: pick up apple 1', 'Act: done'],
    STORE: ['Act: go to fridge 1', 'Act: open fridge 1', 'Act: put down apple 1', 'Act: done'],
}
WIDTH, EDGE, ROW, CHARS = 460, 14, 30, 60
"""Width, margin and height of a line in pixels, and characters that fit on one."""
STYLE = """
  .panel { fill: #ffffff; stroke: #d0d7de } text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600 } .quiet { fill: #59636e; font-size: 12px }
  .line { stroke: #8c959f; fill: none }
  .agent { fill: #ddf4ff } .flow { fill: #fff1c2 } .skill { fill: #dafbe1 } .plain { fill: #f0f2f5 }
  @media (prefers-color-scheme: dark) {
    .panel { fill: #161b22; stroke: #30363d } text { fill: #e6edf3 } .quiet { fill: #9da7b1 }
    .agent { fill: #12395c } .flow { fill: #4b3a0a }
    .skill { fill: #13402a } .plain { fill: #272d36 }
  }"""
KINDS = {'agent': 'agent', 'skill': 'skill', 'recall': 'skill'}
MARKS = {'running': '…', 'succeeded': '✓', 'failed': '✗'}


class Drawing:
    """An SVG that grows downwards."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._parts: list[str] = []
        self.below = EDGE

    def text(self, words: str, kind: str = 'quiet', x: int = EDGE) -> None:
        """Write a line of text."""
        self.below += 20
        self._parts.append(
            f'<text class="{kind}" x="{x}" y="{self.below - 6}">{escape(words)}</text>'
        )

    def box(self, kind: str, lines: Iterable[str], indent: int = 0) -> tuple[int, int]:
        """Draw a box with lines of text, the first in bold if there are more; return its place."""
        first, *others = lines
        left, top, height = EDGE + indent, self.below, ROW - 4 + 17 * len(others)
        self._parts.append(
            f'<rect class="{kind}" x="{left}" y="{top}" width="{WIDTH - EDGE - left}" '
            f'height="{height}" rx="5"/>'
        )
        self.below += 1
        self.text(first, 'title' if others else 'label', left + 10)
        for line in others:
            self.below -= 3
            self.text(line, 'quiet', left + 10)
        self.below = top + height + 6
        return left, top + (ROW - 4) // 2

    def link(self, path: str) -> None:
        """Draw a line."""
        self._parts.append(f'<path class="line" d="{path}"/>')

    def arrow(self, words: str = '') -> None:
        """Draw an arrow from the box above to the one below, with words beside it."""
        x, top = EDGE + 24, self.below - 6
        self.link(f'M{x} {top} v22 m-4 -5 l4 5 l4 -5')
        if words:
            self.below -= 5
            self.text(words, 'quiet', x + 14)
        self.below = top + 24

    def svg(self) -> str:
        """Return the whole file."""
        height = self.below + EDGE - 6
        body = '\n'.join(self._parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" role="img">\n<title>{escape(self._title)}</title>\n'
            f'<style>{STYLE}\n</style>\n<rect class="panel" x="0.5" y="0.5" width="{WIDTH - 1}" '
            f'height="{height - 1}" rx="8"/>\n{body}\n</svg>\n'
        )


def run() -> tuple[list[tuple[BehaviourState, ...]], list[DecisionRequest]]:
    """Carry out the goal; return the trees that differ, and the requests, in their order."""
    trees: list[tuple[BehaviourState, ...]] = []
    requests: list[DecisionRequest] = []
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / 'script.yaml'
        script.write_text(yaml.safe_dump(SCRIPT), encoding='utf-8')
        options = planner_options(
            {
                'skills': 'household',
                'model.name': f'scripted:{script}',
                'memory.store': '',
                'memory.episodic': False,
            }
        )
        model = start_model(options.model)
        try:
            while not model.poll_ready():
                time.sleep(0.05)
            robot = executor_of(World(shipped_scene('apartment_1'), 'kitchen 1'))
            services = assemble(options, model, robot)
            decide = services.model.decide

            def noted(request: DecisionRequest) -> Future[Answer]:
                requests.append(request)
                return decide(request)

            setattr(services.model, 'decide', noted)  # noqa: B010 - for mypy, a method
            goal_run = GoalRun(GOAL, services, Limits())
            while not goal_run.finished:
                goal_run.tick()
                if not trees or _shown(trees[-1]) != _shown(goal_run.snapshot()):
                    trees.append(goal_run.snapshot())
                time.sleep(0.002)
            if goal_run.report().status != 'succeeded':
                raise RuntimeError(goal_run.report().message)
            goal_run.close()
        finally:
            model.close()
    return trees, requests


def _shown(tree: Iterable[BehaviourState]) -> list[tuple[str, str]]:
    return [(one.name, one.status) for one in tree]


def draw_tree(trees: list[tuple[BehaviourState, ...]]) -> str:
    """Draw the tree before its expansion, after it, and at its end."""
    drawing = Drawing('A tree of agent nodes at three moments of a run')
    grown = next(tree for tree in trees if len(tree) > 1)
    for title, tree in (
        ('The goal is one agent node', trees[0]),
        ('It decided “Expand”: a sequence of two agent nodes', grown),
        ('The end: what the agent nodes did is below them', trees[-1]),
    ):
        drawing.text(title, 'title')
        places: dict[int, tuple[int, int]] = {}
        depths = {0: -1}
        for one in tree:
            depths[one.number] = depths[one.parent] + 1
            name = f'{one.name}  {MARKS.get(one.status, "")}'
            kind = KINDS.get(one.kind, 'flow')
            left, middle = places[one.number] = drawing.box(kind, [name], 26 * depths[one.number])
            if one.parent:
                above = places[one.parent]
                drawing.link(f'M{above[0] + 10} {above[1] + 13} V{middle} H{left}')
        drawing.below += 8
    return drawing.svg()


def draw_stages() -> str:
    """Draw what stands between a decision and the robot."""
    drawing = Drawing('What a decision passes on its way to the robot')
    drawing.box('agent', ['language model', 'decides one thing at a time'])
    drawing.arrow()
    drawing.box(
        'plain', ['grammar', 'only what the skill library declares possible now can be said']
    )
    drawing.arrow('“Act: pick up apple 1”')
    drawing.box(
        'skill', ['skill leaf', 'a behaviour in the tree, RUNNING until the robot has ended']
    )
    drawing.arrow()
    rows = re.findall(r'^(\w+) {2,}(\w.*)$', pipeline.__doc__ or '', re.M)
    stages = [row for row in rows if row[0] not in ('stage', 'record', 'replay')]
    for name, does in stages:
        drawing.box('plain', [name, *textwrap.wrap(does, CHARS)], 26)
    drawing.arrow('action goal, service request or message')
    drawing.box('skill', ['robot or simulator', 'answers with a result'])
    drawing.arrow()
    drawing.box('flow', ['observation', 'updates working memory; the agent node reads it next'])
    return drawing.svg()


def draw_decision(requests: list[DecisionRequest]) -> str:
    """Draw what a model reads before one decision, and what it may answer."""
    drawing = Drawing('What a model reads before one decision')
    request = next(
        one for one in requests if one.prompt.goal == FETCH and len(one.prompt.steps) > 1
    )
    prompt = request.prompt
    *message, goal, seen = prompt.task.strip().splitlines()
    parts = [
        ('system prompt', 'plain', [prompt.system]),
        ('experiences: runs with similar goals', 'plain', prompt.examples[-1:]),
        ('message of its parent', 'agent', message),
        ('its own goal', 'agent', [goal]),
        ('what was perceived when it began', 'flow', [seen]),
        ('its decisions and observations so far', 'flow', [one.text for one in prompt.steps]),
    ]
    for title, kind, texts in parts:
        lines = [textwrap.shorten(text, CHARS, placeholder=' …') for text in texts]
        drawing.box(kind, [title, *lines])
    drawing.arrow()
    offered = request.choices.skills
    some = [name for name in ('pick up apple 1', 'go to fridge 1') if name in offered]
    more = len(offered) - len(some)
    drawing.box(
        'skill',
        [
            'one line, by a grammar made for this moment',
            f'Act: {" | ".join(some)} | {more} more',
            'Act: done | failure | recall location of …',
            'Think: …     Expand: sequence | fallback | parallel […]',
        ],
    )
    return drawing.svg()


def pictures() -> dict[str, str]:
    """Return every picture by the name of its file."""
    trees, requests = run()
    return {
        'concept_tree.svg': draw_tree(trees),
        'concept_stages.svg': draw_stages(),
        'concept_decision.svg': draw_decision(requests),
    }


if __name__ == '__main__':
    for file, svg in pictures().items():
        (Path(sys.argv[1]) / file).write_text(svg, encoding='utf-8')
