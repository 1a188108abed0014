# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run as the page wants it: frames of plain data, one for everything that changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from reactree_ros.behaviours.snapshot import BehaviourState
from reactree_ros.core.events import Event
from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.outcome import Costs

Frame = dict[str, Any]
"""One change, ready for JSON: ``t`` (seconds since the run began), ``kind``, and its content.

- ``event``: what happened: ``what``, ``text``, ``behaviour``, ``run`` and ``node`` (costs), and
  ``conditions`` where these were read or have changed.
- ``tree``: ``changed`` behaviours; ``whole`` says that these are all there are. Otherwise new ones
  are the last below their parent, and none has gone.
- ``memory``: ``objects``, all that are known.
"""


@dataclass
class RunHistory:
    """All that is known of one run.

    Args:
        name: what it is known by: the goal's id, or a file's name.
        goal: what the person wants.
        began: when it began, in seconds since 1970; 0 until something is known of it.
        ended: how it ended; empty while it runs.
    """

    name: str
    goal: str = ''
    began: float = 0.0
    ended: str = ''
    frames: list[Frame] = field(default_factory=list)
    _tree: tuple[BehaviourState, ...] = ()

    def about(self) -> dict[str, Any]:
        """Return what a list of runs says of it."""
        return {'name': self.name, 'goal': self.goal, 'began': self.began, 'ended': self.ended}

    @property
    def behaviours(self) -> tuple[BehaviourState, ...]:
        """The tree as it is now."""
        return self._tree

    def event(self, at: float, event: Event) -> Frame:
        """Add an event.

        Args:
            at: when it happened, in seconds since 1970.
            event: what happened.
        """
        if event.kind == 'ended':
            self.ended = event.text
        self.goal = self.goal or (event.path[0] if event.path else '')
        return self._add(
            at,
            'event',
            what=event.kind,
            text=event.text,
            behaviour=event.behaviour,
            run=_costs(event.run),
            node=_costs(event.node),
            **({'conditions': [vars(one) for one in event.conditions]} if event.conditions else {}),
        )

    def tree(self, at: float, tree: Sequence[BehaviourState]) -> Frame:
        """Add the tree as it is now; the frame has what is different."""
        before, self._tree = self._tree, tuple(tree)
        known = {state.number: state for state in before}
        whole = not _grown(before, self._tree)
        changed = [state for state in tree if whole or known.get(state.number) != state]
        return self._add(at, 'tree', whole=whole, changed=[vars(state) for state in changed])

    def memory(self, at: float, known: Observation) -> Frame:
        """Add all that is known of the surroundings."""
        objects = [_thing(item) for item in known.objects]
        return self._add(at, 'memory', room=known.room, place=known.place, objects=objects)

    def _add(self, at: float, kind: str, **about: Any) -> Frame:
        self.began = self.began or at
        frame = {'t': round(max(0.0, at - self.began), 3), 'kind': kind, **about}
        self.frames.append(frame)
        return frame


def _grown(before: Sequence[BehaviourState], now: Sequence[BehaviourState]) -> bool:
    """Say whether a tree is another with behaviours added, each as the last of its siblings."""
    if not before:
        return False
    old = [state.number for state in before]
    known = set(old)
    if [state.number for state in now if state.number in known] != old:
        return False
    parents = {state.number: state.parent for state in before}
    newest: set[int] = set()
    for state in now:
        if state.number in known:
            if parents[state.number] != state.parent or state.parent in newest:
                return False
        else:
            newest.add(state.parent)
    return True


def _costs(costs: Costs) -> dict[str, float]:
    return {name: round(value, 3) for name, value in vars(costs).items() if value}


def _thing(item: ObservedObject) -> dict[str, Any]:
    where = f'{item.relation} {item.receptacle}'.strip()
    return {
        'name': item.name,
        'room': item.room,
        'where': 'held' if item.held else where,
        'states': sorted(item.states),
        'furniture': 'furniture' in item.affordances,
    }
