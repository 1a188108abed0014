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
from reactree_ros.lab.teacher.common_sense import is_room
from reactree_ros.lab.teacher.deciding import (
    after_failure,
    look_at,
    move_alone,
    next_step,
    prepared,
    recalled,
    recalled_kind,
    seen,
    take_off,
)
from reactree_ros.lab.teacher.jobs import (
    ANOTHER,
    EVERY,
    ONE,
    STATES,
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
    goal_of,
)
from reactree_ros.lab.teacher.view import Stuck, View, first
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
)

_OPPOSITE = {'on': 'off', 'off': 'on', 'open': 'closed', 'closed': 'open'}
_YES, _NO = (frozenset().union(*words) for words in zip(*YES_NO.values(), strict=True))
_ORDER: tuple[type, ...] = (Clear, Reach, Move, Find, Empty, Set, Go, See)
_MOVES = (_ORDER.index(Move), True)


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
    stages = [list(stage) for _, stage in groupby(conditions, key=lambda one: one.stage)]
    jobs = _once([job for stage in stages for job in _stage(stage, view)])
    if len(jobs) == 1 and not isinstance(jobs[0], Reach | See):
        return next_step(jobs[0], view)
    after_failure(view)
    if not jobs:
        return None
    alike = all(isinstance(job, Move) and job.which == THE for job in jobs)
    independent = len(stages) == 1 and alike and len({*jobs}) == len(jobs) > 1
    return view.expand(ControlFlow.PARALLEL if independent else ControlFlow.SEQUENCE, jobs)


def _once(jobs: Sequence[Job]) -> list[Job]:
    """Leave out going to where something next to it is switched, opened or closed."""
    set_there = [job.thing.noun if isinstance(job, Set) else '' for job in jobs]
    around = zip(('', *set_there), (*set_there[1:], ''), strict=False)
    return [
        job
        for job, nouns in zip(jobs, around, strict=True)
        if not isinstance(job, Go) or job.place not in nouns
    ]


def _stage(conditions: Sequence[Condition], view: View) -> list[Job]:
    """Return the jobs of conditions without an order; many moves are grouped by their place."""
    found = [(one, jobs_of(one, view)) for one in conditions]
    # What nothing lies in the way of comes first; what ends with something in the hand comes late.
    found.sort(key=lambda one: _rank(one[1]))
    before = [job for _, jobs in found if _rank(jobs) < _MOVES for job in jobs]
    after = [job for _, jobs in found if _rank(jobs) > _MOVES for job in jobs]
    by_place: dict[str, list[tuple[Condition, list[Job]]]] = {}
    for condition, jobs in found:
        if _rank(jobs) == _MOVES and isinstance(jobs[0], Move):
            by_place.setdefault(jobs[0].place, []).append((condition, jobs))
    moves = [[job for _, jobs in group for job in jobs] for group in by_place.values()]
    if len(moves) > 1 and sum(map(len, moves)) > 2:
        groups = zip(moves, by_place.values(), strict=True)
        moves = [
            jobs if len(jobs) == 1 else _grouped([one for one, _ in group], view)
            for jobs, group in groups
        ]
    return [*before, *(job for jobs in moves for job in jobs), *after]


def _grouped(conditions: Iterable[Condition], view: View) -> list[Job]:
    """Return as few jobs as hold conditions in goals that are not too long."""
    lines: list[str] = []
    most = view.choices.max_subgoal_chars or 1_000_000
    for one in conditions:
        longer = f'{lines[-1]}; {one.text}' if lines else one.text
        if lines and len(goal_of(Reach(longer))) <= most:
            lines[-1] = longer
        else:
            lines.append(one.text)
    return [Reach(line) for line in lines]


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
    settable = holds.state in _OPPOSITE and _are_places(clause.subject, view)
    if holds.held:
        parts = prepared(Move(thing, ''), view) or (Find(Thing(thing.noun)),)
        return [*parts, *([Go(place)] if holds.at else [])]
    if settable and clause.quantity in (ALL, NO):
        state = holds.state if clause.quantity == ALL else _OPPOSITE[holds.state]
        return [Set(thing, state, EVERY)]
    if settable:
        return _counted_jobs(Set(thing, holds.state), clause, view)
    if holds.relation or holds.room:
        move = Move(thing, place, holds.relation or 'on')
        if clause.quantity == ALL:
            return [replace(move, which=EVERY)]
        if clause.quantity == NO:
            return [Clear(thing, place)]
        if holds.relation or thing.load or place not in view.kinds:
            return _counted_jobs(move, clause, view)
    elif holds.state and not clause.quantity:
        states = tuple(dict.fromkeys((*thing.states, holds.state)))
        return [*prepared(Move(replace(thing, states=states), ''), view)]
    raise ModelError(f'the teacher cannot bring about {condition.text!r}')


def _counted_jobs(job: Move | Set, clause: Clause, view: View) -> list[Job]:
    """Return a job for each thing that a clause still lacks: one of them, then others."""
    if clause.count == 1:
        return [job]
    have = len(meeting(clause, view)) if view.decided else 0
    left = max(clause.count - have, 1)
    return [replace(job, which=ANOTHER if i or have else ONE) for i in range(left)]


def _robot_job(clause: Clause, view: View) -> Job:
    assert clause.predicate is not None
    holds = clause.predicate.holds
    if holds.hands:
        return Empty()
    place = clause.others[0]
    if clause.quantity != NO:
        return Go(place.text)
    for room in view.rooms:
        if not is_room(room, place.text):
            return Go(room)
    raise Stuck('there is no other room')


def thing_of(subject: Subject) -> Thing:
    """Return the things that a clause is about."""
    states = tuple(one.holds.state for one in subject.states)
    ranked = sorted(states, key=lambda one: STATES.index(one) if one in STATES else len(STATES))
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
    return first(_flat(condition, view) for condition in now)


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
    surplus = len(meeting(clause, view)) - clause.count
    held = view.held()
    if held is not None:
        if clause.quantity == EXACTLY and surplus < 0 and view.held(thing) is not None:
            return next_step(Put(Thing(thing.noun), place, relation), view)
        return view.lay_aside(held, place)
    step = look_at(place, view)
    if step is not None:
        return step
    if surplus > 0:
        return take_off(thing, place, view)
    if surplus == 0 or clause.quantity == AT_MOST:
        return None
    moves = [Move(thing, place, relation, ANOTHER)] * -surplus
    if surplus == -1 or not view.may_expand:
        return next_step(moves[0], view)
    return view.expand(ControlFlow.SEQUENCE, moves)


def meeting(clause: Clause, view: View) -> list[ObservedObject]:
    """Return the known things that are as a clause says."""
    subject = clause.subject
    if subject is None:
        return []
    return [
        one
        for one in view.situation.objects.values()
        if _is_subject(subject, one, view) and clause.is_true_of(one, view.situation)
    ]


def _is_subject(subject: Subject, item: ObservedObject, view: View) -> bool:
    return (
        subject.noun.fits(item)
        and all(one.holds.state in item.states for one in subject.states)
        and (subject.room is None or is_room(item.room, subject.room.text))
        and (subject.load is None or view.carries(item, subject.load.noun.text))
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
    are_places = _are_places(subject, view)
    if are_places and predicate is not None:
        # what is open or on is read where the robot stands
        found = [one for one in found if view.did(f'go to {one.name}') or one == view.here]
    if found and wants_one:
        return None
    if are_places:
        return _look_at_places(thing, predicate is not None, view)
    if predicate is not None and predicate.holds.held:
        return None
    if predicate is not None and predicate.holds.relation:
        return look_at(clause.others[0].text, view)
    room = clause.others[0].text if clause.others else thing.room
    plain = Thing(thing.noun, room=room)
    step = seen(plain, view) if wants_one else next_step(Find(plain, 'every'), view)
    return step or recalled(plain, view) or recalled_kind(plain, view)


def _look_at_places(thing: Thing, states: bool, view: View) -> Decision | None:
    if states:
        return look_at(thing.noun, view, thing.room, inside=False)
    return view.go(view.new_rooms(thing.noun, thing.room))


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
        return clause.is_true_of_robot(view.situation) != (clause.quantity == NO)
    known = len(meeting(Clause(None, clause.subject), view)) if clause.quantity == ALL else found
    return clause.is_met_by(found, known)


def _where(item: ObservedObject) -> str:
    if item.held:
        return f'{item.name} in the hand'
    if item.receptacle:
        return f'{item.name} {item.relation or "at"} {item.receptacle} in {item.room}'
    return f'{item.name} in {item.room}'
