# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run as the page wants it: frames of plain data, one for everything that changed."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reactree_ros.behaviours.snapshot import BehaviourState
from reactree_ros.core.decision import ENDINGS
from reactree_ros.core.events import DecisionRecord, Event
from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.outcome import Costs

CUT_OFF = 'cut off'
"""How a run ended whose file does not say it."""
Frame = dict[str, Any]
"""One change, ready for JSON: ``t`` (seconds since the run began), ``kind``, and its content.

- ``event``: what happened: ``what``, ``text``, ``behaviour``, the costs ``run``, ``node`` and
  ``decision``, and ``conditions`` where these were read or have changed.
- ``tree``: ``changed`` behaviours; ``whole`` says that these are all there are. Otherwise new ones
  are the last below their parent, and none has gone.
- ``memory``: ``objects``, all that are known, and ``rooms``.
- ``decision``: ``index`` (0 while there is no answer), ``behaviour``, ``answer``, ``accepted`` and
  ``outcome``, ``model``; with what the model was asked where that is known (``Reasons``).
- ``scene``: what is drawn of a simulation (``sim.physics.viewing.shapes``).
- ``pose``: ``changed`` positions of its joints: the number of one, its position, and so on.
- ``about``: ``facts`` of the run, text by name.
"""


@dataclass
class RunHistory:
    """All that is known of one run.

    Args:
        name: what it is known by: the goal's id, or a file's name.
        goal: what the person wants.
        began: when it began, in seconds since 1970; 0 until something is known of it.
        ended: how it ended; empty while it runs.
        gallery: what a gallery says of it: ``title``, ``look`` (what happens), ``world`` (how the
            world judged its end) and ``holds`` (whether the goal does; None if nobody knows).
        behaviours: the tree as it is now.
    """

    name: str
    goal: str = ''
    began: float = 0.0
    ended: str = ''
    frames: list[Frame] = field(default_factory=list)
    gallery: Mapping[str, Any] = field(default_factory=dict)
    behaviours: tuple[BehaviourState, ...] = ()
    _pose: tuple[float, ...] = ()

    def about(self) -> dict[str, Any]:
        """Return what a list of runs says of it."""
        return {'name': self.name, 'goal': self.goal, 'began': self.began, 'ended': self.ended}

    def summary(self) -> dict[str, Any]:
        """Return what a list says of a run that has ended."""
        decisions = sum(frame['kind'] == 'decision' for frame in self.frames)
        seconds = self.frames[-1]['t'] if self.frames else 0.0
        counts = {'decisions': decisions, 'seconds': seconds}
        return {**self.about(), **self.gallery, **counts, 'recorded': True}

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
            **({'robot': event.robot} if event.robot else {}),
            **({'decision': _costs(event.decision)} if event.decision != Costs() else {}),
            **({'conditions': [vars(one) for one in event.conditions]} if event.conditions else {}),
        )

    def about_run(self, at: float, facts: Mapping[str, str]) -> Frame:
        """Add what else is to be known of the run, text by name."""
        return self._add(at, 'about', facts={key: text for key, text in facts.items() if text})

    def decision(
        self, at: float, record: DecisionRecord, asked: Mapping[str, Any] | None = None
    ) -> Frame:
        """Add a decision.

        Args:
            at: when it came, in seconds since 1970.
            record: who decided what, and what came of it.
            asked: what the model was asked, as ``Reasons`` has it; None if that is not known.
        """
        return self._add(at, 'decision', **outcome_of(record), **(asked or {}))

    def tree(self, at: float, tree: Sequence[BehaviourState]) -> Frame:
        """Add the tree as it is now; the frame has what is different."""
        before, self.behaviours = self.behaviours, tuple(tree)
        known = {state.number: state for state in before}
        whole = not _grown(before, self.behaviours)
        changed = [state for state in tree if whole or known.get(state.number) != state]
        return self._add(at, 'tree', whole=whole, changed=[vars(state) for state in changed])

    def memory(self, at: float, known: Observation) -> Frame:
        """Add all that is known of the surroundings."""
        objects = [_thing(item) for item in known.objects]
        where = {'room': known.room, 'place': known.place, 'rooms': list(known.rooms)}
        return self._add(at, 'memory', **where, objects=objects)

    def scene(self, at: float, scene: Mapping[str, Any]) -> Frame:
        """Add what is drawn of a simulation; its positions come after it.

        Raises:
            ValueError, TypeError: if that is not a JSON object of finite numbers.
        """
        json.dumps(scene, allow_nan=False)
        self._pose = ()
        return self._add(at, 'scene', scene=dict(scene))

    def pose(self, at: float, positions: Sequence[float]) -> Frame:
        """Add the positions of all joints of a simulation (m or rad).

        Raises:
            ValueError, TypeError: if these are not finite numbers.
        """
        now = tuple(round(float(one), 3) for one in positions)
        if not all(map(math.isfinite, now)):
            raise ValueError(f'positions are finite numbers, not {now}')
        before, self._pose = self._pose, now
        known = before if len(before) == len(self._pose) else (None,) * len(self._pose)
        pairs = enumerate(zip(known, self._pose, strict=True))
        changed = [(number, new) for number, (old, new) in pairs if old != new]
        return self._add(at, 'pose', changed=[one for pair in changed for one in pair])

    def _add(self, at: float, kind: str, **about: Any) -> Frame:
        self.began = self.began or at
        frame = {'t': round(max(0.0, at - self.began), 3), 'kind': kind, **about}
        self.frames.append(frame)
        return frame


def outcome_of(record: DecisionRecord) -> dict[str, Any]:
    """Return what the page gets of the record of a decision."""
    return {
        'index': record.index,
        'behaviour': record.behaviour,
        'answer': record.decision,
        'accepted': record.accepted,
        'outcome': record.outcome,
        'model': record.model,
    }


class Reasons:
    """What a model was asked for each decision of a run, as the page wants it, without repetition.

    The page gets ``prompt``, as a run's file has it (``after``: the number of an earlier decision
    of the list whose steps come before these); ``made``, how many decisions were made so far, as
    ``reactree teach --at`` counts them; ``offer``, indices into all that was on offer in
    the run so far; ``fresh``, what joins that list with this decision; ``may``, which other kinds
    of decision were allowed; ``cost``, tokens and seconds.
    """

    def __init__(self) -> None:
        self._known: dict[str, int] = {}
        self._count = self._made = 0

    def asked(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the page gets of the next request, a ``decide`` entry of the run's file.

        Raises:
            KeyError, TypeError, AttributeError: if the entry is incomplete.
        """
        choices, answer = entry['choices'], entry.get('answer') or {}
        self._count += 1
        self._made += 'answer' in entry
        before = len(self._known)
        offered = [*choices['skills'], *(f'recall location of {one}' for one in choices['recall'])]
        offer = [self._known.setdefault(phrase, len(self._known)) for phrase in offered]
        may = {
            'think': bool(choices['think']),
            'expand': list(choices['control_flows']),
            **{word: word in choices['endings'] for word in ENDINGS},
            'ask': bool(choices['ask']),
            'conditions': choices['conditions'] is not None,
        }
        counted = {key: one for key, one in answer.items() if isinstance(one, (int, float)) and one}
        return {
            'number': self._count,
            'made': self._made,
            'prompt': entry['prompt'],
            'fresh': list(self._known)[before:],
            'offer': list(_ranges(offer)),
            'may': may,
            'cost': {key: round(value, 3) for key, value in counted.items()},
            **({'error': str(entry['error'])} if entry.get('error') else {}),
        }


def _ranges(numbers: Iterable[int]) -> Iterable[list[int]]:
    """Write numbers as first and last of each stretch."""
    first = last = -1
    for number in sorted(numbers):
        if first >= 0 and number == last + 1:
            last = number
            continue
        if first >= 0:
            yield [first, last]
        first = last = number
    if first >= 0:
        yield [first, last]


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
