# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How the solver decides the next step of each kind of job."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from reactree_ros.core.decision import ControlFlow, Decision
from reactree_ros.lab.teacher.common_sense import rooms_for_thing
from reactree_ros.lab.teacher.jobs import (
    SWITCHING,
    Insert,
    Job,
    Parts,
    Put,
    Seek,
    Switch,
    Thing,
    Treat,
    leaves,
)
from reactree_ros.lab.teacher.view import View


def parts_of(job: Job, view: View, draw: Random) -> tuple[ControlFlow, tuple[Job, ...]] | None:
    """Return how an agent node that may expand splits its job; None if it does not."""
    if isinstance(job, Parts):
        return job.control_flow, job.parts
    if isinstance(job, Seek) and not job.room:
        rooms = open_rooms(job.thing, view, draw)
        return ControlFlow.FALLBACK, tuple(replace(job, room=room) for room in rooms)
    if isinstance(job, Insert) and job.splits:
        inner = Insert(job.thing, job.vessel, splits=False)
        return ControlFlow.SEQUENCE, (Seek(job.vessel, 'see'), inner)
    return None


def open_rooms(thing: Thing, view: View, draw: Random | None = None) -> list[str]:
    """Return the rooms that are not searched to the end, the likeliest first."""
    rooms = [room for room in view.rooms if not view.is_searched(room)]
    return rooms_for_thing(thing.name, rooms, view.situation.room, draw)


def is_over(job: Job, view: View) -> bool:
    """Return whether a job is seen to be done."""
    if isinstance(job, Seek):
        near = [one for one in view.candidates(job.thing, job.room) if one.near]
        if job.then == 'take':
            return view.held(job.thing) is not None
        return any(job.then == 'see' or 'sliced' in one.states for one in near)
    if isinstance(job, Put | Insert):
        return view.held(job.thing) is None
    if isinstance(job, Switch):
        objects = view.situation.objects.values()
        return any(one.class_name == job.target and job.state in one.states for one in objects)
    if isinstance(job, Treat):
        item = view.held(job.thing)
        return item is not None and job.state in item.states
    return job.moves is not None and view.number_at(job.moves) >= max(job.number, 1)


def next_step(job: Job, view: View) -> Decision | None:
    """Return the next step of a job; None if it must be split or cannot be continued."""
    if is_over(job, view):
        # Where something is moved that lies there already, memory says so.
        seen = view.recall(job.moves.name) if isinstance(job, Parts) and job.moves else None
        return seen or view.done()
    if isinstance(job, Seek):
        return _seek(job, view)
    if isinstance(job, Put):
        return _put(job, view)
    if isinstance(job, Insert):
        return _insert(job, view)
    if isinstance(job, Switch):
        return _switch(job, view)
    if isinstance(job, Treat):
        return _treat(job, view)
    return None


def _seek(job: Seek, view: View) -> Decision | None:
    thing = job.thing
    for item in view.candidates(thing, job.room):
        if item.near:
            step = view.act(f'{"slice" if job.then == "slice" else "pick up"} {item.name}')
        else:
            step = view.recall(thing.name) or view.way_to(item)
        if step is not None:
            return step
    if job.room:
        return view.search(thing.name, job.room)
    step = view.recall(thing.name) or (view.think(_stays(thing)) if view.number_at(thing) else None)
    if step is not None or view.may_expand:
        return step
    steps = (view.search(thing.name, room) for room in open_rooms(thing, view))
    return next((step for step in steps if step is not None), None)


def _stays(thing: Thing) -> str:
    return f'There is a {thing.name} at the {thing.at} already; I need another one.'


def _put(job: Put, view: View) -> Decision | None:
    item = view.held(job.thing)
    if item is None:
        return None
    here = view.here
    if not job.target:
        step = view.act(f'put down {item.name}')
        return step or (view.opening(here) if here is not None else None)
    if here is not None and here.class_name == job.target:
        step = view.opening(here) or view.act(f'put down {item.name}')
        if step is not None:
            return step
        # There is no room left: another place of the class, if there is one.
        others = (
            view.act(f'go to {one.name}')
            for one in view.situation.objects.values()
            if one.class_name == job.target
        )
        return next((step for step in others if step is not None), None)
    return view.way_to_place(job.target)


def _insert(job: Insert, view: View) -> Decision | None:
    item = view.held(job.thing)
    for vessel in view.candidates(job.vessel):
        if item is not None and vessel.near:
            step = view.act(f'put {item.name} into {vessel.name}')
            if step is not None:
                return step
    # A node that may expand looks for the vessel in a node of its own.
    return None if view.may_expand else _seek(Seek(job.vessel, 'see'), view)


def _switch(job: Switch, view: View) -> Decision | None:
    here = view.here
    if here is None or here.class_name != job.target:
        return view.way_to_place(job.target)
    if job.state == 'on' and 'open' in here.states:
        return view.act(f'close {here.name}')
    return view.act(f'{SWITCHING[job.state]} {here.name}')


def _treat(job: Treat, view: View) -> Decision | None:
    item = view.held(job.thing)
    objects = view.situation.objects
    vessel, device = job.devices[0], job.devices[-1]
    if item is not None:
        return _put(Put(job.thing, vessel, 'inside'), view)
    inside = [
        one
        for one in objects.values()
        if one.class_name == job.thing.name
        and one.receptacle in objects
        and objects[one.receptacle].class_name == vessel
    ]
    treated = next((one for one in inside if job.state in one.states), None)
    if treated is not None:
        return view.act(f'pick up {treated.name}') or view.way_to(treated)
    here = view.here
    if here is None or not inside:
        return None
    if here.class_name != device:
        return view.way_to_place(device)
    if job.state == 'clean':
        # What is under the faucet is seen to be clean from the sink.
        off = 'off' in here.states
        return view.act(f'turn on {here.name}') if off else view.way_to_place(vessel)
    if 'open' in here.states:
        return view.act(f'close {here.name}')
    if job.state != 'cold' and 'off' in here.states:
        return view.act(f'turn on {here.name}')
    return view.act(f'open {here.name}')


class FlatPlan:
    """Jobs of a single agent node, one after the other; a thing that is known is fetched first.

    Args:
        job: of the root.
    """

    def __init__(self, job: Job) -> None:
        self._thought = job.thought if isinstance(job, Parts) else ''
        self._groups = [list(group) for group in leaves(job)]

    def next_step(self, view: View) -> Decision | None:
        """Return the next step; None if a job cannot be continued."""
        thought = view.think(self._thought)
        if thought is not None:
            return thought
        while self._groups:
            self._order(view)
            job = self._groups[0][0]
            if not is_over(job, view):
                return next_step(job, view)
            self._groups[0].pop(0)
            if not self._groups[0]:
                self._groups.pop(0)
        return view.done()

    def _order(self, view: View) -> None:
        """Let a thing come first that is in reach, or was seen, before one that must be sought."""
        if not self._may_wait(self._groups[0]):
            return
        places = [i for i, group in enumerate(self._groups) if self._may_wait(group)]
        best = min(places, key=lambda i: (self._distance(self._groups[i][0], view), i))
        self._groups.insert(0, self._groups.pop(best))

    @staticmethod
    def _may_wait(group: list[Job]) -> bool:
        """Whether nothing of a group was begun, and it is no more than to fetch something."""
        return len(group) == 2 and isinstance(group[0], Seek) and isinstance(group[1], Put)

    @staticmethod
    def _distance(job: Job, view: View) -> int:
        assert isinstance(job, Seek)
        if view.held(job.thing) is not None:
            return 0
        found = view.candidates(job.thing)
        return 3 if not found else 1 if found[0].near else 2
