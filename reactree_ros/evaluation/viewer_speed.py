# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How long the web viewer takes to draw a tree that grows, beside the library's own way."""

from __future__ import annotations

import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reactree_ros.behaviours.snapshot import BehaviourState

BROWSERS = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
BROWSER_OPTIONS = (
    '--no-sandbox',  # measured and tested may be as root
    '--disable-gpu',
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
)
_UPDATES = 20
_SETTLE_MS = 1500
_UPDATE_MS = 250
"""Time between two updates, in which the browser also paints."""

_WATCH = """() => {
  window.tasks = []
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.tasks.push(entry.duration)
  }).observe({ entryTypes: ['longtask'] })
}"""
_LIBRARY = """(behaviours) => {
  const words = { running: 'RUNNING', succeeded: 'SUCCESS', failed: 'FAILURE' }
  const tree = { timestamp: 1, visited_path: [], behaviours: {} }
  for (const one of behaviours) {
    const id = String(one.number)
    tree.visited_path.push(id)
    const { name, status, feedback } = one
    tree.behaviours[id] = { id, name, status: words[status], details: feedback, children: [] }
    if (one.parent) tree.behaviours[String(one.parent)].children.push(id)
  }
  const began = performance.now()
  py_trees.canvas.update_graph({ graph: canvas_graph, tree })
  py_trees.canvas.layout_graph({ graph: canvas_graph })
  canvas_paper.updateViews()
  return performance.now() - began
}"""


@dataclass(frozen=True)
class DrawingSpeed:
    """What was measured at one size.

    Args:
        size: behaviours of the tree.
        joins: milliseconds of each update in which a behaviour joins.
        changes: milliseconds of each update in which only a status changes.
        longest: of all stretches in which the page was not responsive, in milliseconds, painting
            included; 0 if none took 50 ms.
        library: milliseconds of one update by the library's own functions; None if not measured.
    """

    size: int
    joins: tuple[float, ...]
    changes: tuple[float, ...]
    longest: float
    library: float | None

    def row(self) -> tuple[str, ...]:
        """Return the cells of a table."""
        joins, changes = (f'{np.median(of):.0f} ms' for of in (self.joins, self.changes))
        library = '–' if self.library is None else f'{self.library:,.0f} ms'
        return (
            str(self.size),
            joins,
            f'{max(self.joins):.0f} ms',
            changes,
            f'{self.longest:.0f} ms',
            library,
        )


def browser_program() -> str | None:
    """Return the machine's browser that Playwright can drive; None if there is none."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def growing_tree(seed: int) -> Iterator[list[BehaviourState]]:
    """Yield a tree that is one behaviour larger each time, as agent trees grow: at recent nodes."""
    random_ = random.Random(seed)
    tree = [BehaviourState(1, 0, 'agent', 'tidy up the house', 'running', '')]
    while True:
        yield list(tree)
        parent = random_.choice([one for one in tree if one.kind in ('agent', 'sequence')][-12:])
        kind = (
            'agent' if parent.kind == 'sequence' else random_.choice(['skill'] * 4 + ['sequence'])
        )
        number = len(tree) + 1
        name = f'{kind} number {number}'
        tree.append(BehaviourState(number, parent.number, kind, name, 'running', 'at work'))


def drawing_speed(page: Any, history: Any, size: int, seed: int = 0) -> DrawingSpeed:
    """Measure with a tree that grows to a size.

    Args:
        page: of Playwright, with the viewer open and a run shown live.
        history: the run's ``RunHistory``.
        size: behaviours at the end, more than 20.
        seed: of the tree.
    """
    trees = growing_tree(seed)
    tree: list[BehaviourState] = []
    while len(tree) < size - _UPDATES:
        tree = next(trees)
    at = 1.0
    history.tree(at, tree)
    page.wait_for_timeout(_SETTLE_MS)
    page.evaluate(_WATCH)
    page.evaluate('reactree.updates = []')
    for _ in range(_UPDATES):
        tree, at = next(trees), at + 1
        history.tree(at, tree)
        page.wait_for_timeout(_UPDATE_MS)
    joins = page.evaluate('reactree.updates')
    page.evaluate('reactree.updates = []')
    for number in range(_UPDATES):
        place = number * size // _UPDATES
        tree[place] = replace(tree[place], status='succeeded', feedback=f'done in {number} steps')
        at += 1
        history.tree(at, tree)
        page.wait_for_timeout(_UPDATE_MS)
    changes = page.evaluate('reactree.updates')
    longest = max(page.evaluate('window.tasks'), default=0.0)
    library = page.evaluate(_LIBRARY, [vars(one) for one in tree])
    return DrawingSpeed(size, tuple(joins), tuple(changes), longest, library)
