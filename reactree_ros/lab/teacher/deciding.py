# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How the teacher decides the next step of each job.

Every rule is a function of the job and the view. It returns the next step, or None when the job is
over; ``Stuck`` says that it cannot be done. Without expansions, the rules of a job's parts are
followed one after the other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from reactree_ros.core.decision import ControlFlow, Decision
from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import unsearched
from reactree_ros.lab.teacher.common_sense import rooms_for_place
from reactree_ros.lab.teacher.jobs import (
    ANOTHER,
    EVERY,
    ONE,
    SETTING,
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
from reactree_ros.lab.teacher.view import Stuck, View

KNIFE = Thing('cutlery knife')
ACTS = {'on': 'turn on', 'off': 'turn off', 'open': 'open', 'closed': 'close'}
_REASON = re.compile(r'(there is no [^;:()]+|I [^;:()]+)')
_MOST_TRIES = 2


def next_step(job: Job, view: View) -> Decision | None:
    """Return the next step of a job; None if it is over.

    Raises:
        Stuck: if it cannot be done.
    """
    match job:
        case Find():
            return _find(job, view)
        case Move():
            return _move(job, view)
        case Put():
            return _put(job, view)
        case Into():
            return _into(job, view)
        case Treat():
            return _treat(job, view)
        case Set():
            return _set(job, view)
        case Clear():
            return _clear(job, view)
        case Go():
            return _go(job, view)
        case Empty():
            held = view.held()
            return None if held is None else view.other_place(held, '')
    raise TypeError(f'{job} is not done step by step')


def after_failure(view: View) -> None:
    """Give up, with the reason that the last failed expansion gave, or after two of them.

    Raises:
        Stuck: if nothing else is to be tried.
    """
    if not view.failures:
        return
    reasons = _REASON.findall(view.failures[-1])
    if reasons and reasons[-1].startswith('there is no'):
        raise Stuck(_in_any_room(reasons[-1]))
    if len(view.failures) >= _MOST_TRIES:
        raise Stuck(reasons[-1] if reasons else 'I could not do it')


def _in_any_room(reason: str) -> str:
    return reason if reason.endswith('in any room') else reason.strip()


# Finding


def _find(job: Find, view: View) -> Decision | None:
    thing = job.thing
    held = view.held(thing)
    if job.then == 'take':
        if held is not None and held.states.issuperset(thing.states):
            return None
        if view.held() is not None:
            return _free_hand(view)
    if job.then == 'every':
        return _look_for_all(job, view)
    rooms = view.matching_rooms(thing.room)
    for item in view.candidates(thing, thing.room, job.off):
        if item.near and job.then == 'see':
            return None
        if item.near and job.then == 'slice' and 'sliced' in item.states:
            return None
        step = view.act(f'{"slice" if job.then == "slice" else "pick up"} {item.name}')
        step = step if item.near else view.way_to(item)
        if step is not None:
            return step
    if len(rooms) == 1:
        return _find_in_room(job, rooms[0], view)
    step = recalled(thing, view)
    if step is not None:
        return step
    left = [] if view.failures else view.rooms_left(thing.noun, thing.room)
    if not left:
        step = recalled_kind(thing, view)
        if step is not None:
            return step
        raise Stuck(f'there is no {_name(thing)} in {thing.room or "any room"}')
    if view.may_expand:
        parts = [replace(job, thing=replace(thing, room=room)) for room in left]
        return view.expand(ControlFlow.FALLBACK, parts)
    return next(step for room in left if (step := view.search(thing.noun, room)))


def _find_in_room(job: Find, room: str, view: View) -> Decision | None:
    if not view.prompt.parent.startswith(('find ', 'reach: find ')):
        step = recalled(job.thing, view)
        if step is not None:
            return step
    step = view.search(job.thing.noun, room)
    if step is None:
        raise Stuck(f'there is no {_name(job.thing)} in {room}')
    return step


def recalled(thing: Thing, view: View) -> Decision | None:
    """Return the question where a thing was seen, unless a wider word names it."""
    if thing.load:
        step = None if thing.load in view.kinds else view.recall(thing.load)
        if step is not None:
            return step
    return None if thing.noun in view.kinds else view.recall(thing.noun)


def recalled_kind(thing: Thing, view: View) -> Decision | None:
    """Return the question for the next class of a kind, when everything was looked into."""
    if thing.noun not in view.kinds or len(view.kinds[thing.noun]) > 10:
        return None
    steps = (view.recall(name) for name in view.classes(thing.noun))
    return next((step for step in steps if step is not None), None)


def _look_for_all(job: Find, view: View) -> Decision | None:
    room = job.thing.room
    rooms = view.matching_rooms(room)
    if room not in rooms and len(rooms) > 1 and view.may_expand:
        if view.last.startswith(('sequence of', 'parallel of')):
            after_failure(view)
            return None
        left = [one for one in rooms if view.is_left(one)]
        if not left:
            return None
        parts = [replace(job, thing=replace(job.thing, room=one)) for one in left]
        return view.expand(ControlFlow.SEQUENCE, parts)
    steps = (view.search(job.thing.noun, one) for one in rooms if view.is_left(one))
    return next((step for step in steps if step is not None), None)


def _name(thing: Thing) -> str:
    return replace(thing, room='').said().partition(' ')[2] if thing.noun else ''


def _free_hand(view: View) -> Decision:
    held = view.held()
    step = None if held is None else view.other_place(held, '')
    if step is None:
        raise Stuck('I have no place for what I hold')
    return step


# Moving


def parts_of(job: Move, view: View) -> tuple[Job, ...]:
    """Return what a move still takes, by what is in the hand."""
    relation = 'inside' if view.matching_rooms(job.place) else job.relation
    return (*prepared(job, view), Put(Thing(job.thing.noun), job.place, relation))


def prepared(job: Move, view: View) -> tuple[Job, ...]:
    """Return what ends with a thing in the hand, as it is to be at its place."""
    thing = job.thing
    plain = Thing(thing.noun, room=thing.room)
    off = job.place if job.which in (ONE, ANOTHER) else ''
    held = view.held(plain)
    parts: list[Job] = []
    wanted = plain
    if thing.load:
        carried = held is not None and any(
            view.fits(one, thing.load) and held in view.situation.bearers(one)
            for one in view.situation.objects.values()
        )
        if carried:
            return ()
        load = Thing(thing.load)
        if view.held(load) is None:
            parts.append(Find(load))
        parts += [Find(plain, 'see'), Into(load, thing.noun)]
        return (*parts, Find(replace(plain, load=thing.load), off=off))
    states = [one for one in thing.states if one in ('sliced', 'dirty') or one in VERBS]
    if 'dirty' in states:
        wanted = replace(wanted, states=('dirty',))
    if 'sliced' in states:
        wanted = replace(wanted, states=('sliced',))
        if held is None or 'sliced' not in held.states:
            if view.held(KNIFE) is None:
                parts.append(Find(KNIFE))
            parts += [Find(plain, 'slice'), Put(KNIFE)]
            held = None
    if held is None:
        parts.append(Find(wanted, off=off))
    return (*parts, *(Treat(Thing(thing.noun), one) for one in states if one in VERBS))


def _move(job: Move, view: View) -> Decision | None:
    if job.which == EVERY:
        return _move_all(job, view)
    if not view.may_expand:
        return move_alone(job, view)
    after_failure(view)
    parts = parts_of(job, view)
    if len(parts) > 1:
        if view.last and not view.failures and _was_moved(job, view):
            return None
        return view.expand(ControlFlow.SEQUENCE, parts)
    return next_step(parts[0], view)


def _was_moved(job: Move, view: View) -> bool:
    return view.held() is None and _put_away(job.thing, view)


def _move_all(job: Move, view: View) -> Decision | None:
    room = job.thing.room
    rooms = view.matching_rooms(room)
    if room not in rooms and len(rooms) > 1 and view.may_expand:
        after_failure(view)
        parts = [replace(job, thing=replace(job.thing, room=one)) for one in rooms]
        return view.expand(ControlFlow.SEQUENCE, parts)
    thing = replace(job.thing, room='')
    if view.held(thing) is not None:
        return _put(Put(thing, job.place, job.relation), view)
    if view.held() is not None:
        return _free_hand(view)
    step = recalled(thing, view)
    if step is not None:
        return step
    for item in view.candidates(thing, '', job.place):
        if item.room in rooms:
            step = view.act(f'pick up {item.name}') if item.near else view.way_to(item)
            if step is not None:
                return step
    steps = (view.search(thing.noun, one) for one in rooms if view.is_left(one))
    return next((step for step in steps if step is not None), None)


def move_alone(job: Move, view: View) -> Decision | None:
    """Do a move without expanding: the parts that are left follow from what is seen.

    Without a relation, the thing stays in the hand, and the robot goes to the place, if there is
    one.
    """
    thing, plain = job.thing, Thing(job.thing.noun)
    held, hand = view.held(plain), view.held()
    inside = _in_device(thing, view) if held is None else None
    if inside is not None:
        return _treat(inside, view)
    if 'sliced' in thing.states and (held is None or 'sliced' not in held.states):
        sliced = view.candidates(replace(plain, states=('sliced',)))
        if not sliced:
            if view.held(KNIFE) is None:
                return _find(Find(KNIFE), view)
            return _find(Find(plain, 'slice'), view)
    if held is None or 'sliced' in thing.states and 'sliced' not in held.states:
        if thing.load and (step := _loaded(job, view)) is not None:
            return step
        if hand is not None:
            return _free_hand(view)
        states = tuple(one for one in thing.states if one in ('sliced', 'dirty'))
        wanted = Thing(thing.noun, states, thing.load, thing.room)
        off = job.place if job.which in (ONE, ANOTHER) else ''
        return _find(Find(wanted, off=off), view)
    for state in thing.states:
        if state in VERBS and not _is_treated(state, held, view):
            return _treat(Treat(plain, state), view)
    if not job.relation:
        return _go(Go(job.place), view) if job.place else None
    return _put(Put(plain, job.place, job.relation), view)


def _loaded(job: Move, view: View) -> Decision | None:
    """Return the next step of loading a vessel; None if one is loaded."""
    load, vessel = Thing(job.thing.load), Thing(job.thing.noun)
    if view.candidates(replace(vessel, load=load.noun)):
        return None
    if view.held(load) is None:
        return _find(Find(load), view)
    return _into(Into(load, vessel.noun), view)


def _in_device(thing: Thing, view: View) -> Treat | None:
    """Return the treatment that a thing of the job is being given now."""
    for state in thing.states:
        if state in VERBS:
            job = Treat(Thing(thing.noun), state)
            name = view.classes(thing.noun)[0]
            if view.did('put down', [name]) and _inside(job, view):
                last = max(i for i, s in enumerate(view.decided) if s.startswith('Act: put down'))
                if not any(s.startswith('Act: pick up') for s in view.decided[last:]):
                    return job
    return None


def _is_treated(state: str, held: ObservedObject, view: View) -> bool:
    if state != 'clean':
        return state in held.states
    return view.did('go to faucet') and view.did(f'pick up {held.name}')


# Putting


def _put(job: Put, view: View) -> Decision | None:
    item = view.held(job.thing)
    if item is None:
        if _put_away(job.thing, view):
            return None
        raise Stuck(f'I do not hold {the(job.thing.noun)}')
    if not job.place:
        step = view.other_place(item, '')
        if step is None:
            raise Stuck('there is no place to put it')
        return step
    rooms = view.matching_rooms(job.place)
    if rooms:
        return _put_in_room(item, rooms, view)
    if not view.places(job.place) and view.classes(job.place)[0] in view.library.objects:
        return _into(Into(job.thing, job.place), view)
    here = view.here
    if here is not None and view.fits(here, job.place):
        step = view.opening(here) or view.act(f'put down {item.name}')
        if step is not None:
            return step
    return view.way_to_place(job.place)


def _put_away(thing: Thing, view: View) -> bool:
    names = view.classes(thing.noun)
    return view.did('put down', names) or view.did('put', names)


def _put_in_room(item: ObservedObject, rooms: Sequence[str], view: View) -> Decision:
    if view.situation.room not in rooms:
        step = view.act(f'go to {rooms[0]}')
    else:
        step = view.other_place(item, '')
    if step is None:
        raise Stuck('there is no place to put it')
    return step


def _into(job: Into, view: View) -> Decision | None:
    item = view.held(job.thing)
    if item is None:
        if view.did('put', view.classes(job.thing.noun)):
            return None
        raise Stuck(f'I do not hold {the(job.thing.noun)}')
    vessel = Thing(job.vessel)
    for one in view.candidates(vessel):
        step = view.act(f'put {item.name} into {one.name}') if one.near else view.way_to(one)
        if step is not None:
            return step
    step = recalled(vessel, view)
    if step is not None:
        return step
    left = view.rooms_left(job.vessel)
    if not left:
        raise Stuck(f'there is no {job.vessel} in any room')
    return next(step for room in left if (step := view.search(job.vessel, room)))


# Places


def _set(job: Set, view: View) -> Decision | None:
    if job.which == EVERY:
        return _set_all(job, view)
    noun, room, here = job.place.noun, job.place.room, view.here
    act = ACTS[job.state]
    if here is not None and view.fits(here, noun) and room in ('', here.room, _class(here.room)):
        # A single node that does it all leaves none to others.
        done = view.may_expand and view.did(f'{act} {here.name}')
        if job.state in here.states and (done or job.which == THE):
            return None
        step = _setting(here, job.state, view)
        if step is not None:
            return step
    if job.which == THE:
        return view.way_to_place(noun, room)
    for place in view.places(noun, room):
        if job.state not in place.states:
            step = view.act(f'go to {place.name}')
            if step is not None:
                return step
    left = [one for one in view.matching_rooms(room) if not view.was_in(one)]
    steps = (view.act(f'go to {one}') for one in left)
    step = next((one for one in steps if one is not None), None)
    if step is None:
        raise Stuck(f'there is no other {noun} in {room or "any room"}')
    return step


def _setting(place: ObservedObject, state: str, view: View) -> Decision | None:
    if state == 'on' and 'open' in place.states:
        return view.act(f'close {place.name}')
    return view.act(f'{ACTS[state]} {place.name}')


def _set_all(job: Set, view: View) -> Decision | None:
    rooms = view.matching_rooms(job.place.room)
    if len(rooms) > 1 and view.may_expand:
        after_failure(view)
        parts = [replace(job, place=replace(job.place, room=one)) for one in rooms]
        return view.expand(ControlFlow.SEQUENCE, parts)
    here = view.here
    for room in rooms:
        if here is not None and here.room == room and view.fits(here, job.place.noun):
            if job.state not in here.states:
                step = _setting(here, job.state, view)
                if step is not None:
                    return step
        if room != view.situation.room and not view.did(f'go to {room}'):
            return view.act(f'go to {room}')
        for place in sorted(
            view.places(job.place.noun, room), key=lambda one: (one.class_name, one.instance)
        ):
            if place is not here and not view.did(f'go to {place.name}'):
                step = view.act(f'go to {place.name}')
                if step is not None:
                    return step
    return None


def _class(room: str) -> str:
    return room.rstrip('0123456789 ')


def _go(job: Go, view: View) -> Decision | None:
    rooms = view.matching_rooms(job.place)
    if rooms:
        if view.situation.room in rooms:
            return None
        return view.act(f'go to {rooms[0]}')
    here = view.here
    if here is not None and view.fits(here, job.place):
        return None
    return view.way_to_place(job.place)


def _treat(job: Treat, view: View) -> Decision | None:
    item = view.held(job.thing)
    name = job.thing.noun
    vessel, device = job.devices[0], job.devices[-1]
    if item is not None:
        if job.state != 'clean' and job.state in item.states:
            return None
        if job.state == 'clean' and view.did('go to faucet') and view.did(f'pick up {item.name}'):
            return None
        return _put(Put(job.thing, vessel, 'inside'), view)
    inside = _inside(job, view)
    if not inside:
        raise Stuck(f'I do not hold {the(name)}')
    here = view.here
    if job.state == 'clean':
        if not view.did('go to faucet'):
            return view.way_to_place(device)
        if here is not None and here.class_name == device and 'off' in here.states:
            step = view.act(f'turn on {here.name}')
            if step is not None:
                return step
        return view.act(f'pick up {inside[0].name}') or view.way_to(inside[0])
    treated = next((one for one in inside if job.state in one.states), None)
    if treated is not None:
        return view.act(f'pick up {treated.name}') or view.way_to(treated)
    if here is None or here.class_name != device:
        return view.way_to_place(device)
    if 'open' in here.states:
        return view.act(f'close {here.name}')
    if job.state != 'cold' and 'off' in here.states:
        return view.act(f'turn on {here.name}')
    return view.act(f'open {here.name}')


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
        step = view.other_place(held, job.place)
        if step is None:
            raise Stuck('there is no other place for it')
        return step
    step = take_off(job.thing, job.place, view)
    if step is not None:
        return step
    return look_at(job.place, view)


def take_off(thing: Thing, place: str, view: View) -> Decision | None:
    """Return the next step to pick up a thing that is known to lie at a place."""
    for item in view.candidates(replace(thing, room='')):
        if view.is_at(item, place):
            step = view.act(f'pick up {item.name}') if item.near else view.way_to(item)
            if step is not None:
                return step
    return None


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
        steps = (view.search(noun, one) for one in rooms if view.is_left(one))
        return next((step for step in steps if step is not None), None)
    if view.classes(noun)[0] in view.library.objects:
        return _see_vessel(noun, view)
    here = view.here
    if here is not None and view.fits(here, noun):
        if inside and here.name in unsearched(here.room, view.situation):
            step = view.opening(here)
            if step is not None:
                return step
        if not view.decided[1:] and not view.did('go to '):
            # It stood there before: to observe what is there it has to come back.
            others = (one for one in view.situation.objects.values() if one.room == here.room)
            ways = (view.act(f'go to {one.name}') for one in others if not view.fits(one, noun))
            return next((way for way in ways if way is not None), None)
    for place in view.places(noun, room):
        if not view.did(f'go to {place.name}'):
            step = view.act(f'go to {place.name}')
            if step is not None:
                return step
    left = [one for one in view.matching_rooms(room) if not view.was_in(one)]
    ranked = rooms_for_place(view.classes(noun)[0], left, view.situation.room)
    ways = (view.act(f'go to {one}') for one in ranked)
    return next((way for way in ways if way is not None), None)


def _see_vessel(noun: str, view: View) -> Decision | None:
    try:
        return _find(Find(Thing(noun), 'see'), view)
    except Stuck:
        return None


__all__ = ['ACTS', 'SETTING', 'after_failure', 'next_step']
