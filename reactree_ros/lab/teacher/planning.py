# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How the teacher splits conditions into jobs, and looks for the answer to a question."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby

from reactree_ros.core.decision import ControlFlow, Decision
from reactree_ros.core.observation import ObservedObject
from reactree_ros.errors import ModelError
from reactree_ros.lab.generator.wordings import YES_NO
from reactree_ros.lab.teacher.common_sense import room_class, rooms_for_place
from reactree_ros.lab.teacher.deciding import (
    after_failure,
    look_at,
    move_alone,
    next_step,
    prepared,
    recalled,
    recalled_kind,
    take_off,
)
from reactree_ros.lab.teacher.jobs import (
    ANOTHER,
    EVERY,
    ONE,
    THE,
    Clear,
    Empty,
    Find,
    Go,
    Job,
    Move,
    Put,
    Reach,
    See,
    Set,
    Thing,
    Treat,
)
from reactree_ros.lab.teacher.view import Stuck, View
from reactree_ros.skills.goal_conditions.language import (
    ALL,
    AT_MOST,
    EXACTLY,
    HOW_MANY,
    NO,
    WHERE,
    WHETHER,
    Clause,
    Condition,
    Subject,
    conditions_text,
)

_SETTABLE = ('on', 'off', 'open', 'closed')
_OPPOSITE = {'on': 'off', 'off': 'on', 'open': 'closed', 'closed': 'open'}
_MOST_MOVES = 4
_YES, _NO = (frozenset().union(*words) for words in zip(*YES_NO.values(), strict=True))
_ORDER: tuple[type, ...] = (Clear, Reach, Move, Find, Empty, Set, Go, See)


def step_of(conditions: Sequence[Condition], view: View) -> Decision | None:
    """Return the next step of a node that is to bring conditions about; None if it is over.

    Args:
        conditions: those that are still to be met.
        view: what is known.

    Raises:
        Stuck: if they cannot be brought about.
        ModelError: if there is no rule for one of them.
    """
    if len(conditions) == 1:
        only = conditions[0]
        if only.asks:
            return look(only, view)
        if len(only.clauses) > 1:
            return _either(only, view)
        if only.clauses[0].quantity in (EXACTLY, AT_MOST):
            return _counted(only.clauses[0], view)
    flow, jobs = plan(conditions, view)
    if len(jobs) == 1 and not isinstance(jobs[0], Reach | See):
        return next_step(jobs[0], view)
    after_failure(view)
    if not jobs:
        return None
    return view.expand(flow, jobs)


def plan(conditions: Sequence[Condition], view: View) -> tuple[ControlFlow, list[Job]]:
    """Return jobs that bring conditions about, and how they are coordinated."""
    jobs: list[Job] = []
    stages = [list(stage) for _, stage in groupby(conditions, key=lambda one: one.stage)]
    for stage in stages:
        jobs += _stage(stage, view)
    independent = (
        len(stages) == 1
        and len(jobs) > 1
        and all(isinstance(job, Move) and job.which == THE for job in jobs)
        and len({job.text for job in jobs}) == len(jobs)
    )
    return (ControlFlow.PARALLEL if independent else ControlFlow.SEQUENCE), _once(jobs)


def _once(jobs: Sequence[Job]) -> list[Job]:
    """Leave out going to where something next to it is switched, opened or closed."""
    around = zip((None, *jobs), jobs, (*jobs[1:], None), strict=False)
    return [job for before, job, after in around if not _is_there(job, before, after)]


def _is_there(job: Job, before: Job | None, after: Job | None) -> bool:
    return isinstance(job, Go) and any(
        isinstance(one, Set) and one.place.noun == job.place for one in (before, after)
    )


def _stage(conditions: Sequence[Condition], view: View) -> list[Job]:
    found: list[tuple[Condition, list[Job]]] = [(one, jobs_of(one, view)) for one in conditions]
    # What nothing lies in the way of comes first; what ends with something in the hand comes late.
    found.sort(key=lambda one: _rank(one[1]))
    moves = [one for one in found if one[1] and all(_is_move(job) for job in one[1])]
    places = list(dict.fromkeys(_place(jobs) for _, jobs in moves))
    many = sum(len(jobs) for _, jobs in moves)
    if many <= _MOST_MOVES and (len(places) < 2 or many < 3) or len(places) < 2:
        return [job for _, jobs in found for job in jobs]
    groups: list[Job] = []
    for place in places:
        of_place = [one for one in moves if _place(one[1]) == place]
        if sum(len(jobs) for _, jobs in of_place) == 1:
            groups += of_place[0][1]
        else:
            groups += _grouped([condition for condition, _ in of_place], view)
    first = next(i for i, one in enumerate(found) if one in moves)
    others = [(i, one) for i, one in enumerate(found) if one not in moves]
    before = [job for i, one in others if i < first for job in one[1]]
    after = [job for i, one in others if i > first for job in one[1]]
    return [*before, *groups, *after]


def _grouped(conditions: Iterable[Condition], view: View) -> list[Job]:
    """Return as few jobs as hold conditions in goals that are not too long."""
    lines: list[list[Condition]] = []
    most = view.choices.max_subgoal_chars or 1_000_000
    for one in conditions:
        text = Reach(conditions_text([*(lines[-1] if lines else []), one])).text
        if lines and len(text) <= most:
            lines[-1].append(one)
        else:
            lines.append([one])
    return [Reach(_flat_text(line)) for line in lines]


def _flat_text(conditions: Sequence[Condition]) -> str:
    return '; '.join(one.text for one in conditions)


def _is_move(job: Job) -> bool:
    return isinstance(job, Move) and job.which != EVERY


def _place(jobs: Sequence[Job]) -> str:
    job = jobs[0]
    return job.place if isinstance(job, Move) else ''


def _rank(jobs: Sequence[Job]) -> tuple[int, bool]:
    last = jobs[-1] if jobs else Empty()
    every = isinstance(last, Move) and last.which == EVERY
    kind = next((i for i, one in enumerate(_ORDER) if isinstance(last, one)), len(_ORDER))
    if isinstance(last, Go) and len(jobs) > 1:
        kind = _ORDER.index(Find)  # it is held there: something is in the hand then
    return kind, not every


def jobs_of(condition: Condition, view: View) -> list[Job]:
    """Return the jobs that bring about one condition.

    Raises:
        ModelError: if there is no rule for it.
    """
    if condition.asks:
        return [See(condition.text.removeprefix('tell '))]
    clause = condition.clauses[0]
    if len(condition.clauses) > 1 or clause.quantity in (EXACTLY, AT_MOST):
        return [Reach(condition.text)]
    assert clause.predicate is not None
    holds = clause.predicate.holds
    if clause.subject is None:
        return [_robot_job(clause, view)]
    place = clause.others[0].text if clause.others else ''
    thing = thing_of(clause.subject)
    if holds.held:
        parts = list(prepared(Move(thing, ''), view))
        return [*(parts or [Find(Thing(thing.noun))]), *([Go(place)] if holds.at else [])]
    if holds.relation or holds.room:
        if clause.quantity == ALL:
            return [Move(thing, place, holds.relation or 'on', EVERY)]
        if clause.quantity == NO:
            return [Clear(thing, place, holds.relation or 'on')]
        if place in view.kinds and thing.load == '' and holds.relation == '':
            raise ModelError(f'the teacher cannot bring about {condition.text!r}')
        return _moves(clause, thing, place, view)
    if holds.state in _SETTABLE and _are_places(clause.subject, view):
        if clause.quantity == ALL:
            return [Set(thing, holds.state, EVERY)]
        if clause.quantity == NO:
            return [Set(thing, _OPPOSITE[holds.state], EVERY)]
        left = clause.count - (_have(clause, view) if view.decided else 0)
        if clause.count == 1:
            return [Set(thing, holds.state)]
        first = ONE if left == clause.count else ANOTHER
        return [Set(thing, holds.state, first if i == 0 else ANOTHER) for i in range(max(left, 1))]
    if holds.state and not clause.quantity:
        states = tuple(dict.fromkeys((*thing.states, holds.state)))
        return list(prepared(Move(Thing(thing.noun, states, thing.load, thing.room), ''), view))
    raise ModelError(f'the teacher cannot bring about {condition.text!r}')


def _moves(clause: Clause, thing: Thing, place: str, view: View) -> list[Job]:
    assert clause.predicate is not None
    relation = clause.predicate.holds.relation or 'on'
    if clause.count == 1:
        return [Move(thing, place, relation)]
    have = _have(clause, view) if view.decided else 0
    first = ANOTHER if have else ONE
    left = max(clause.count - have, 1)
    return [Move(thing, place, relation, first if i == 0 else ANOTHER) for i in range(left)]


def _robot_job(clause: Clause, view: View) -> Job:
    assert clause.predicate is not None
    holds = clause.predicate.holds
    if holds.hands:
        return Empty()
    place = clause.others[0]
    if clause.quantity != NO:
        return Go(place.text)
    rooms = [room for room in view.rooms if place.text not in (room, room_class(room))]
    if not rooms:
        raise Stuck('there is no other room')
    return Go(rooms[0])


def thing_of(subject: Subject) -> Thing:
    """Return the things that a clause is about."""
    states = tuple(one.holds.state for one in subject.states)
    order = ('sliced', 'clean', 'hot', 'cooked', 'cold')
    ranked = sorted(states, key=lambda one: order.index(one) if one in order else len(order))
    load = subject.load.noun.text if subject.load else ''
    return Thing(subject.noun.text, tuple(ranked), load, subject.room.text if subject.room else '')


def _are_places(subject: Subject, view: View) -> bool:
    return not subject.noun.classes & view.library.objects


def limits(condition: Condition, view: View) -> bool:
    """Return whether a condition says how many there may be at most, of what may be in the hand."""
    clause = condition.clauses[0]
    if clause.quantity not in (NO, AT_MOST, EXACTLY) or clause.subject is None:
        return False
    held = view.held()
    return held is None or clause.subject.noun.fits(held)


def flat_step(unmet: Sequence[Condition], view: View) -> Decision | None:
    """Return the next step of a single node that brings conditions about without expanding.

    Raises:
        Stuck: if they cannot be brought about.
    """
    now = [one for one in unmet if one.stage == unmet[0].stage]
    now.sort(
        key=lambda one: (one.asks, _rank([] if one.asks else jobs_of(one, view)), _far(one, view))
    )
    for condition in now:
        step = _flat(condition, view)
        if step is not None:
            return step
    return None


def _far(condition: Condition, view: View) -> int:
    """Return 0 for what is about the thing in the hand, and less for known things than others."""
    subject = condition.clauses[0].subject
    if subject is None or condition.asks:
        return 0
    thing = Thing(subject.noun.text)
    if view.held(thing) is not None:
        return 0
    known = view.candidates(thing)
    return 3 if not known else 1 if known[0].near else 2


def _flat(condition: Condition, view: View) -> Decision | None:
    clause = condition.clauses[0]
    if condition.asks or len(condition.clauses) > 1 or clause.quantity in (EXACTLY, AT_MOST):
        return step_of([condition], view)
    jobs = jobs_of(condition, view)
    predicate, subject = clause.predicate, clause.subject
    if predicate is not None and subject is not None and isinstance(jobs[0], Find | Treat):
        holds, thing = predicate.holds, thing_of(subject)
        states = tuple(dict.fromkeys((*thing.states, *([holds.state] if holds.state else []))))
        place = clause.others[0].text if clause.others else ''
        return move_alone(Move(replace(thing, states=states), place, ''), view)
    return next_step(jobs[0], view)


# Alternatives and exact numbers


def _either(condition: Condition, view: View) -> Decision | None:
    after_failure(view)
    options: list[Job] = []
    for clause in condition.clauses:
        jobs = jobs_of(Condition((clause,)), view)
        options.append(jobs[0] if len(jobs) == 1 else Reach(clause.text))
    if not view.may_expand:
        for option in options:
            try:
                return next_step(option, view)
            except (Stuck, TypeError):
                continue
        raise Stuck('none of it can be done')
    return view.expand(ControlFlow.FALLBACK, options)


def _counted(clause: Clause, view: View) -> Decision | None:
    """Look how many there are; then add some or take some away."""
    after_failure(view)
    assert clause.predicate is not None and clause.subject is not None
    thing, place = thing_of(clause.subject), clause.others[0].text if clause.others else ''
    if not place:
        raise ModelError(f'the teacher cannot bring about {clause.text!r}')
    relation = clause.predicate.holds.relation or 'on'
    held = view.held()
    if held is not None:
        adds = clause.quantity == EXACTLY and _have(clause, view) < clause.count
        if adds and view.held(thing) is not None:
            return next_step(Put(Thing(thing.noun), place, relation), view)
        step = view.other_place(held, place)
        if step is not None:
            return step
    step = look_at(place, view)
    if step is not None:
        return step
    surplus = _have(clause, view) - clause.count
    if surplus > 0:
        return take_off(thing, place, view)
    if surplus == 0 or clause.quantity == AT_MOST:
        return None
    moves = [Move(thing, place, relation, ANOTHER)] * -surplus
    if surplus == -1 or not view.may_expand:
        return next_step(moves[0], view)
    return view.expand(ControlFlow.SEQUENCE, moves)


def _have(clause: Clause, view: View) -> int:
    return len(meeting(clause, view))


def meeting(clause: Clause, view: View) -> list[ObservedObject]:
    """Return the known things that are as a clause says."""
    if clause.subject is None:
        return []
    other = clause.others[0] if clause.others else None
    found = []
    for one in view.situation.objects.values():
        if not _is_subject(clause.subject, one, view):
            continue
        predicate = clause.predicate
        if predicate is None or predicate.is_true_of(
            one, other.fits if other else (lambda item: True), view.situation
        ):
            found.append(one)
    return found


def _is_subject(subject: Subject, item: ObservedObject, view: View) -> bool:
    if not subject.noun.fits(item) or not all(
        one.holds.state in item.states for one in subject.states
    ):
        return False
    if subject.room and subject.room.text not in (item.room, room_class(item.room)):
        return False
    return subject.load is None or any(
        view.fits(one, subject.load.noun.text) and item in view.situation.bearers(one)
        for one in view.situation.objects.values()
    )


# Questions


def look(condition: Condition, view: View) -> Decision | None:
    """Return the next step of looking for an answer; None if all that can be known is known."""
    clause = condition.clauses[0]
    predicate, subject = clause.predicate, clause.subject
    if subject is None:
        return None
    thing = thing_of(subject)
    found = [one for one in meeting(clause, view) if view.is_named(one)]
    wants_one = condition.question == WHERE or (
        condition.question == WHETHER and clause.quantity == '' and clause.count == 1
    )
    if found and wants_one:
        return None
    if _are_places(subject, view):
        return _look_at_places(thing, predicate is not None, view)
    if predicate is not None and predicate.holds.held:
        return None
    if predicate is not None and predicate.holds.relation:
        return look_at(clause.others[0].text, view)
    room = clause.others[0].text if clause.others else thing.room
    plain = Thing(thing.noun, room=room)
    if not wants_one:
        step = next_step(Find(plain, 'every'), view)
    else:
        try:
            step = next_step(Find(plain, 'see'), view)
        except Stuck:
            step = None
    return step or recalled(plain, view) or recalled_kind(plain, view)


def _look_at_places(thing: Thing, states: bool, view: View) -> Decision | None:
    if states:
        return look_at(thing.noun, view, thing.room, inside=False)
    left = [room for room in view.matching_rooms(thing.room) if not view.was_in(room)]
    ranked = rooms_for_place(view.classes(thing.noun)[0], left, view.situation.room)
    steps = (view.act(f'go to {room}') for room in ranked)
    return next((step for step in steps if step is not None), None)


def answer(condition: Condition, words: Sequence[str], view: View) -> str:
    """Return the answer to a question from what is known.

    Args:
        condition: the question.
        words: what the answer may be in the language of the goal.
        view: what is known.

    Raises:
        Stuck: if what is asked for is not there.
    """
    clause = condition.clauses[0]
    found = meeting(clause, view)
    names = '; '.join(_where(one) for one in found[:4])
    if condition.question == HOW_MANY:
        return f'{len(found)}: {names}' if names else '0'
    yes = bool(found) if condition.question == WHERE else _is_so(clause, len(found), view)
    said = next((word for word in words if word in (_YES if yes else _NO)), '')
    if condition.question == WHERE:
        if not found and not said:
            raise Stuck(f'there is no {clause.text} in any room')
        return f'{said}, {names}' if said and names else said or names
    said = said or ('yes' if yes else 'no')
    return f'{said}, {names}' if yes and names else said


def _is_so(clause: Clause, found: int, view: View) -> bool:
    if clause.subject is None:
        assert clause.predicate is not None
        other = clause.others[0].fits if clause.others else (lambda item: True)
        so = clause.predicate.is_true_of_robot(other, view.situation)
        return so != (clause.quantity == NO)
    if clause.quantity == NO:
        return not found
    if clause.quantity == EXACTLY:
        return found == clause.count
    if clause.quantity == AT_MOST:
        return found <= clause.count
    if clause.quantity == ALL:
        known = meeting(Clause(None, clause.subject), view)
        return found == len(known)
    return found >= clause.count


def _where(item: ObservedObject) -> str:
    if item.held:
        return f'{item.name} in the hand'
    if item.receptacle:
        return f'{item.name} {item.relation or "at"} {item.receptacle} in {item.room}'
    return f'{item.name} in {item.room}'
