# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How the teacher decides the next step of each job.

Every rule is a function of the job and the view. It returns the next step, or None when the job is
over; ``Stuck`` says that it cannot be done. Without expansions, the rules of a job's parts are
followed one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from reactree_ros.core.decision import ControlFlow, Decision
from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import unsearched
from reactree_ros.lab.teacher.common_sense import is_room
from reactree_ros.lab.teacher.jobs import (
    ANOTHER,
    EVERY,
    ONE,
    THE,
    VERBS,
    Clear,
    Empty,
    Find,
    Go,
    Into,
    Job,
    Move,
    Put,
    Set,
    Thing,
    Treat,
    the,
)
from reactree_ros.lab.teacher.view import Stuck, View, first, needed

KNIFE = Thing('cutlery knife')
_ACTS = {'on': 'turn on', 'off': 'turn off', 'open': 'open', 'closed': 'close'}
_REASON = re.compile(r'(there is no [^;:()]+|I [^;:()]+)')
_MOST_TRIES = 2


def next_step(job: Job, view: View) -> Decision | None:
    """Return the next step of a job; None if it is over.

    Raises:
        Stuck: if it cannot be done.
        TypeError: if it is done by bringing conditions about.
    """
    rule = _RULES.get(type(job))
    if rule is None:
        raise TypeError(f'{job} is not done step by step')
    return rule(job, view)


def after_failure(view: View) -> None:
    """Give up, with the reason that the last failed expansion gave, or after two of them.

    Raises:
        Stuck: if nothing else is to be tried.
    """
    if not view.failures:
        return
    reasons = _REASON.findall(view.failures[-1])
    if reasons and reasons[-1].startswith('there is no'):
        raise Stuck(reasons[-1].strip())
    if len(view.failures) >= _MOST_TRIES:
        raise Stuck(reasons[-1] if reasons else 'I could not do it')


def _in_each(
    job: Find | Move | Set, rooms: Iterable[str], view: View, flow: ControlFlow
) -> Decision:
    """Return the expansion into the same job in each of some rooms."""
    return view.expand(flow, [replace(job, thing=replace(job.thing, room=room)) for room in rooms])


# Finding


def _find(job: Find, view: View) -> Decision | None:
    thing = job.thing
    if job.then == 'every':
        return _look_for_all(job, view)
    if job.then == 'pick up':
        held = view.held(thing)
        if held is not None and held.states.issuperset(thing.states):
            return None
        if other := view.held():
            return view.lay_aside(other)
    for item in view.candidates(thing, thing.room, job.off):
        if item.near and (not job.then or job.then == 'slice' and 'sliced' in item.states):
            return None
        step = view.use(item, job.then or 'pick up')
        if step is not None:
            return step
    rooms = view.matching_rooms(thing.room)
    if len(rooms) == 1:
        # What looks for it in several rooms has asked itself where it was seen.
        asked = view.prompt.parent.startswith(('find ', 'reach: find '))
        step = None if asked else recalled(thing, view)
        step = step or view.search(thing.noun, rooms[0])
        return needed(step, f'there is no {_name(thing)} in {rooms[0]}')
    left = [] if view.failures else view.rooms_left(thing.noun, thing.room)
    step = recalled(thing, view)
    if step is None and left and view.may_expand:
        return _in_each(job, left, view, ControlFlow.FALLBACK)
    step = step or first(view.search(thing.noun, room) for room in left)
    step = step or recalled_kind(thing, view)
    return needed(step, f'there is no {_name(thing)} in {thing.room or "any room"}')


def recalled(thing: Thing, view: View) -> Decision | None:
    """Return the question where a thing was seen, unless a wider word names it."""
    nouns = (one for one in (thing.load, thing.noun) if one and one not in view.kinds)
    return first(view.recall(one) for one in nouns)


def recalled_kind(thing: Thing, view: View) -> Decision | None:
    """Return the question for the next class of a kind, when everything was looked into."""
    if thing.noun not in view.kinds or len(view.kinds[thing.noun]) > 10:
        return None
    return first(view.recall(name) for name in view.classes(thing.noun))


def _look_for_all(job: Find, view: View) -> Decision | None:
    rooms = view.matching_rooms(job.thing.room)
    if len(rooms) < 2 or not view.may_expand:
        return view.search_all(job.thing.noun, rooms)
    if view.last.startswith(('sequence of', 'parallel of')):
        after_failure(view)
        return None
    left = [one for one in rooms if view.is_left(one)]
    return _in_each(job, left, view, ControlFlow.SEQUENCE) if left else None


def _name(thing: Thing) -> str:
    return replace(thing, room='').said('')


# Moving


def prepared(job: Move, view: View) -> tuple[Job, ...]:
    """Return what ends with a thing in the hand, as it is to be at its place."""
    thing = job.thing
    plain = Thing(thing.noun, room=thing.room)
    off = job.place if job.which in (ONE, ANOTHER) else ''
    held = view.held(plain)
    parts: list[Job] = []
    if thing.load:
        if held is not None and view.carries(held, thing.load):
            return ()
        load = Thing(thing.load)
        if view.held(load) is None:
            parts.append(Find(load))
        parts += [Find(plain, ''), Into(load, thing.noun)]
        return (*parts, Find(replace(plain, load=thing.load), off=off))
    if 'sliced' in thing.states and (held is None or 'sliced' not in held.states):
        if view.held(KNIFE) is None:
            parts.append(Find(KNIFE))
        parts += [Find(plain, 'slice'), Put(KNIFE)]
        held = None
    if held is None:
        states = tuple(one for one in ('sliced', 'dirty') if one in thing.states)
        parts.append(Find(replace(plain, states=states[:1]), off=off))
    treated = (Treat(Thing(thing.noun), one) for one in thing.states if one in VERBS)
    return (*parts, *treated)


def _move(job: Move, view: View) -> Decision | None:
    if job.which == EVERY:
        return _move_all(job, view)
    if not view.may_expand:
        return move_alone(job, view)
    after_failure(view)
    relation = 'inside' if view.matching_rooms(job.place) else job.relation
    put = Put(Thing(job.thing.noun), job.place, relation)
    parts = prepared(job, view)
    if not parts:
        return _put(put, view)
    if view.last and not view.failures and view.held() is None and _put_away(job.thing, view):
        return None
    return view.expand(ControlFlow.SEQUENCE, (*parts, put))


def _move_all(job: Move, view: View) -> Decision | None:
    rooms = view.matching_rooms(job.thing.room)
    if len(rooms) > 1 and view.may_expand:
        after_failure(view)
        return _in_each(job, rooms, view, ControlFlow.SEQUENCE)
    thing = replace(job.thing, room='')
    if view.held(thing) is not None:
        return _put(Put(thing, job.place, job.relation), view)
    if other := view.held():
        return view.lay_aside(other)
    known = (one for one in view.candidates(thing, '', job.place) if one.room in rooms)
    step = recalled(thing, view) or first(view.use(one) for one in known)
    return step or view.search_all(thing.noun, rooms)


def move_alone(job: Move, view: View) -> Decision | None:
    """Do a move without expanding: the parts that are left follow from what is seen.

    Without a relation, the thing stays in the hand, and the robot goes to the place, if there is
    one.
    """
    thing, plain = job.thing, Thing(job.thing.noun)
    held = view.held(plain)
    inside = _in_device(thing, view) if held is None else None
    if inside is not None:
        return _treat(inside, view)
    if 'sliced' in thing.states and (held is None or 'sliced' not in held.states):
        if not view.candidates(replace(plain, states=('sliced',))):
            return _find(Find(plain, 'slice') if view.held(KNIFE) else Find(KNIFE), view)
        held = None
    if held is None:
        if thing.load and not view.candidates(replace(plain, load=thing.load)):
            load = Thing(thing.load)
            if view.held(load) is None:
                return _find(Find(load), view)
            return _into(Into(load, plain.noun), view)
        if other := view.held():
            return view.lay_aside(other)
        states = tuple(one for one in thing.states if one in ('sliced', 'dirty'))
        off = job.place if job.which in (ONE, ANOTHER) else ''
        return _find(Find(replace(thing, states=states), off=off), view)
    step = first(_treat(Treat(plain, one), view) for one in thing.states if one in VERBS)
    if step is not None:
        return step
    if job.relation:
        return _put(Put(plain, job.place, job.relation), view)
    return _go(Go(job.place), view) if job.place else None


def _in_device(thing: Thing, view: View) -> Treat | None:
    """Return the treatment that a thing of the job is being given now."""
    moved = [one for one in view.decided if one.startswith(('Act: put down', 'Act: pick up'))]
    if not moved or moved[-1].startswith('Act: pick up'):
        return None
    if not view.did('put down', view.classes(thing.noun)[:1]):
        return None
    treatments = (Treat(Thing(thing.noun), one) for one in thing.states if one in VERBS)
    return next((one for one in treatments if _inside(one, view)), None)


# Putting


def _put(job: Put, view: View) -> Decision | None:
    item = view.held(job.thing)
    if item is None:
        if _put_away(job.thing, view):
            return None
        raise Stuck(f'I do not hold {the(job.thing.noun)}')
    if not job.place:
        return view.lay_aside(item)
    rooms = view.matching_rooms(job.place)
    if rooms:
        there = view.situation.room in rooms
        return view.lay_aside(item) if there else view.act(f'go to {rooms[0]}')
    if not view.places(job.place) and view.classes(job.place)[0] in view.library.objects:
        return _into(Into(job.thing, job.place), view)
    step = None
    if here := view.at(job.place):
        step = view.opening(here) or view.act(f'put down {item.name}')
    return step or view.way_to_place(job.place)


def _put_away(thing: Thing, view: View) -> bool:
    names = view.classes(thing.noun)
    return view.did('put down', names) or view.did('put', names)


def _into(job: Into, view: View) -> Decision | None:
    item = view.held(job.thing)
    if item is None:
        if view.did('put', view.classes(job.thing.noun)):
            return None
        raise Stuck(f'I do not hold {the(job.thing.noun)}')
    vessel = Thing(job.vessel)
    step = first(view.use(one, f'put {item.name} into') for one in view.candidates(vessel))
    step = step or recalled(vessel, view)
    step = step or first(view.search(job.vessel, room) for room in view.rooms_left(job.vessel))
    return needed(step, f'there is no {job.vessel} in any room')


# Places


def _set(job: Set, view: View) -> Decision | None:
    if job.which == EVERY:
        return _set_all(job, view)
    noun, room = job.thing.noun, job.thing.room
    here = view.at(noun)
    if here is not None and is_room(here.room, room):
        # A single node that does it all leaves none to others.
        done = view.may_expand and view.did(f'{_ACTS[job.state]} {here.name}')
        if job.state in here.states and (done or job.which == THE):
            return None
        step = _setting(here, job.state, view)
        if step is not None:
            return step
    if job.which == THE:
        return view.way_to_place(noun, room)
    others = (one.name for one in view.places(noun, room) if job.state not in one.states)
    new = (one for one in view.matching_rooms(room) if not view.was_in(one))
    step = view.go(others) or view.go(new)
    return needed(step, f'there is no other {noun} in {room or "any room"}')


def _setting(place: ObservedObject, state: str, view: View) -> Decision | None:
    if state == 'on' and 'open' in place.states:
        return view.act(f'close {place.name}')
    return view.act(f'{_ACTS[state]} {place.name}')


def _set_all(job: Set, view: View) -> Decision | None:
    rooms = view.matching_rooms(job.thing.room)
    if len(rooms) > 1 and view.may_expand:
        after_failure(view)
        return _in_each(job, rooms, view, ControlFlow.SEQUENCE)
    here = view.at(job.thing.noun)
    for room in rooms:
        step = None
        if here is not None and here.room == room and job.state not in here.states:
            step = _setting(here, job.state, view)
        if step is None and room != view.situation.room and not view.did(f'go to {room}'):
            return view.act(f'go to {room}')
        others = (one.name for one in view.places(job.thing.noun, room) if one is not here)
        step = step or view.go(one for one in others if not view.did(f'go to {one}'))
        if step is not None:
            return step
    return None


def _go(job: Go, view: View) -> Decision | None:
    rooms = view.matching_rooms(job.place)
    if rooms:
        return None if view.situation.room in rooms else view.act(f'go to {rooms[0]}')
    return None if view.at(job.place) else view.way_to_place(job.place)


def _empty(job: Empty, view: View) -> Decision | None:
    held = view.held()
    return None if held is None else view.lay_aside(held)


def _treat(job: Treat, view: View) -> Decision | None:
    item = view.held(job.thing)
    vessel, device = job.devices[0], job.devices[-1]
    wash = job.state == 'clean'
    if item is not None:
        washed = view.did('go to faucet') and view.did(f'pick up {item.name}')
        if washed if wash else job.state in item.states:
            return None
        return _put(Put(job.thing, vessel), view)
    inside = _inside(job, view)
    if not inside:
        raise Stuck(f'I do not hold {the(job.thing.noun)}')
    here = view.at(device)
    if wash:
        if not view.did('go to faucet'):
            return view.way_to_place(device)
        step = view.act(f'turn on {here.name}') if here and 'off' in here.states else None
        return step or view.use(inside[0])
    done = [one for one in inside if job.state in one.states]
    if done:
        return view.use(done[0])
    if here is None:
        return view.way_to_place(device)
    if 'open' in here.states:
        return view.act(f'close {here.name}')
    switch = job.state != 'cold' and 'off' in here.states
    return view.act(f'{"turn on" if switch else "open"} {here.name}')


def _inside(job: Treat, view: View) -> list[ObservedObject]:
    objects = view.situation.objects
    return [
        one
        for one in objects.values()
        if view.fits(one, job.thing.noun)
        and one.receptacle in objects
        and objects[one.receptacle].class_name == job.devices[0]
    ]


def _clear(job: Clear, view: View) -> Decision | None:
    held = view.held()
    if held is not None:
        return view.lay_aside(held, job.place)
    return take_off(job.thing, job.place, view) or look_at(job.place, view)


def take_off(thing: Thing, place: str, view: View) -> Decision | None:
    """Return the next step to pick up a thing that is known to lie at a place."""
    known = view.candidates(replace(thing, room=''))
    return first(view.use(one) for one in known if view.is_at(one, place))


def look_at(noun: str, view: View, room: str = '', *, inside: bool = True) -> Decision | None:
    """Return the next step of looking at all places of a noun; None if that is done.

    What another node has seen at a place is not in the text: the robot goes there again.

    Args:
        noun: of places, vessels or rooms.
        view: what is known.
        room: only there.
        inside: closed places are opened.
    """
    rooms = view.matching_rooms(noun)
    if rooms:
        return view.search_all(noun, rooms)
    if view.classes(noun)[0] in view.library.objects:
        return seen(Thing(noun), view)
    if here := view.at(noun):
        closed = inside and here.name in unsearched(here.room, view.situation)
        step = view.opening(here) if closed else None
        if step is not None:
            return step
        if not view.decided[1:] and not view.did('go to '):
            # It stood there before: to observe what is there it has to come back.
            around = (one for one in view.situation.objects.values() if one.room == here.room)
            return view.go(one.name for one in around if not view.fits(one, noun))
    places = (one.name for one in view.places(noun, room))
    step = view.go(one for one in places if not view.did(f'go to {one}'))
    return step or view.go(view.new_rooms(noun, room))


def seen(thing: Thing, view: View) -> Decision | None:
    """Return the next step until a thing is seen; None if it is, or is nowhere."""
    try:
        return _find(Find(thing, ''), view)
    except Stuck:
        return None


_RULES: Mapping[type, Callable[[Any, View], Decision | None]] = {
    Find: _find,
    Move: _move,
    Put: _put,
    Into: _into,
    Treat: _treat,
    Set: _set,
    Clear: _clear,
    Go: _go,
    Empty: _empty,
}
