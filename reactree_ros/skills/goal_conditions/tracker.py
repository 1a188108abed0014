# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Whether the conditions of a goal hold, by what a robot has seen, in the order asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.outcome import ConditionState
from reactree_ros.core.situation import Situation, furnished, unsearched
from reactree_ros.skills.goal_conditions.language import (
    ALL,
    EXACTLY,
    HOW_MANY,
    NO,
    WHERE,
    WHETHER,
    Clause,
    Condition,
    Noun,
    Subject,
    condition_texts,
)
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.predicates import anything


@dataclass(frozen=True)
class _Found:
    """What is known of one clause.

    Args:
        met: it holds.
        detail: why it does not.
        known: whether it holds or not will not change by looking further.
        things: names of the things of which it is true.
        done: how many things are as wanted.
        wanted: how many there should be.
    """

    met: bool
    detail: str
    known: bool
    things: frozenset[str] = frozenset()
    done: int = 0
    wanted: int = 1


@dataclass
class _Followed:
    """A condition, and what has become of it.

    Args:
        condition: the condition.
        since: step since which it holds; None while it does not, 0 from the start.
        reached: it has held in its turn.
        things: names of the things of which its clauses were true last.
    """

    condition: Condition
    since: int | None = None
    reached: bool = False
    things: frozenset[str] = frozenset()


class ConditionTracker:
    """Follows the conditions of one goal.

    Of a condition after ``then`` it counts only if it became true when all before it had held,
    or was true from the start. One before ``then`` must still hold in the end unless it is about
    the robot itself or a later condition is about the same things.

    Args:
        conditions: the conditions.
        library: of the robot; in a closed world, or a declared one, all is known from the start.
        complete: every situation is everything there is, in whatever world.
    """

    def __init__(
        self, conditions: Sequence[Condition], library: SkillLibrary, complete: bool = False
    ) -> None:
        self._conditions = tuple(conditions)
        self._complete = complete or library.closed_world or library.declared is not None
        self._followed = [_Followed(one) for one in self._conditions]
        self._turns: dict[int, int] = {0: 0}
        self._step = -1
        self._rooms: dict[str, str] = {}
        self._entered: set[str] = set()
        self._view: _View | None = None

    def update(self, situation: Situation) -> _View:
        """Take note of what is known now, after every observation."""
        before = self._view.situation if self._view else None
        if self._view and situation is before:
            return self._view
        self._step += 1
        self._entered.add(situation.room)
        for name, item in situation.objects.items():
            if item.room and not item.held:
                self._rooms.setdefault(name, item.room)
        entered = frozenset(self._entered)
        self._view = view = _View(situation, self._complete, self._rooms, entered)
        for one in self._followed:
            self._note(one, view, before)
        self._pass_turns()
        return view

    def states(self, situation: Situation, answer: str = '') -> tuple[ConditionState, ...]:
        """Return whether each condition holds, given the answer that was given, if any.

        Their texts, with ``then`` where a stage begins, make up the line.
        """
        view = self.update(situation)
        return tuple(
            ConditionState(text, *self._state(one, view, answer))
            for text, one in zip(condition_texts(self._conditions), self._followed, strict=True)
        )

    def counts(self, situation: Situation) -> tuple[int, int]:
        """Return how many things are as wanted, and how many should be; no questions count."""
        view = self.update(situation)
        done = wanted = 0
        for one in self._followed:
            if one.condition.asks:
                continue
            found = map(view.found, one.condition.clauses)
            best = max(found, key=lambda known: known.done / known.wanted)
            wanted += best.wanted
            if self._state(one, view, '')[0]:
                done += best.wanted
            elif not best.met:
                done += min(best.done, best.wanted - 1)
        return done, wanted

    def _note(self, followed: _Followed, view: _View, before: Situation | None) -> None:
        condition = followed.condition
        if condition.asks:
            followed.reached = True  # what is asked waits for nothing
            return
        found = [view.found(clause) for clause in condition.clauses]
        things = frozenset().union(*(one.things for one in found))
        if not any(one.met for one in found):
            followed.since = None
        elif followed.since is None:
            # What is only seen now, and was not done by the robot, was so before.
            by_looking = before is not None and (
                bool(things - before.objects.keys())
                or (things == followed.things and not condition.of_robot)
            )
            followed.since = 0 if by_looking else self._step
        followed.things = things

    def _pass_turns(self) -> None:
        """Note which conditions have held in their turn, and whose turn it is now."""
        for stage in range(self._conditions[-1].stage + 1 if self._conditions else 0):
            turn = self._turns.get(stage)
            if turn is None:
                return
            mine = [one for one in self._followed if one.condition.stage == stage]
            for one in mine:
                one.reached |= one.since is not None and (one.since == 0 or one.since >= turn)
            if all(one.reached for one in mine):
                self._turns.setdefault(stage + 1, self._step)

    def _state(self, followed: _Followed, view: _View, answer: str) -> tuple[bool, str]:
        """Return whether a condition holds, and if not, why."""
        condition = followed.condition
        if condition.asks:
            missing = view.missing(condition) if answer.strip() else 'no answer yet'
            return not missing, missing
        found = [view.found(clause) for clause in condition.clauses]
        if any(one.met for one in found):
            return followed.reached, '' if followed.reached else 'not when its turn came'
        if followed.reached and condition.may_be_undone(self._conditions):
            return True, ''
        return False, '; '.join(dict.fromkeys(one.detail for one in found))


@dataclass(frozen=True)
class _View:
    """Judges clauses by one situation.

    Args:
        situation: what is known.
        complete: it is everything there is.
        rooms: where each thing was seen first, by its name.
        entered: rooms that the robot has been in.
    """

    situation: Situation
    complete: bool
    rooms: dict[str, str]
    entered: frozenset[str]

    def found(self, clause: Clause) -> _Found:
        """Return what is known of a clause."""
        subject = clause.subject
        assert clause.predicate is not None
        if subject is None:
            holds = clause.is_true_of_robot(self.situation)
            met = holds != (clause.quantity == NO)
            return _Found(met, '' if met else 'not so', True, done=int(met))
        every = self._things(subject)
        names = frozenset(item.name for item in every if clause.is_true_of(item, self.situation))
        count = len(names)
        unknown = self._unknown(clause)
        if clause.quantity == ALL:
            left = [item.name for item in every if item.name not in names]
            return _Found(
                not left and not unknown,
                f'not so: {", ".join(left[:3])}' if left else unknown,
                bool(left) or not unknown,
                names,
                count,
                max(len(every), 1),
            )
        if not clause.quantity:
            none = 'there is none' if self.complete else 'not seen'
            detail = f'{count} of {clause.count}' if every else none
            met = count >= clause.count
            return _Found(met, detail, met or not unknown, names, count, clause.count)
        most = 0 if clause.quantity == NO else clause.count
        least = clause.count if clause.quantity == EXACTLY else 0
        met = least <= count <= most and not unknown
        detail = f'{count} of {clause.quantity} {most}' if most else ', '.join(sorted(names)[:3])
        wrong = not least <= count <= most
        return _Found(
            met, detail if wrong else unknown, count > most or not unknown, names, int(met)
        )

    def missing(self, question: Condition) -> str:
        """Return what has to be known before a question is answered; empty if nothing."""
        (clause,) = question.clauses
        if clause.subject is not None:
            seen = [item for item in self._things(clause.subject) if item.room or item.receptacle]
            if question.question == WHERE:
                return '' if seen else self._unexplored(clause.subject)
            if clause.predicate is None:
                return self._unexplored(clause.subject)
            one = question.question == WHETHER and not clause.quantity and clause.count == 1
            if one and seen and clause.predicate.holds.is_state:
                return ''
        if question.question == HOW_MANY:
            return self._unknown(clause)
        found = self.found(clause)
        return '' if found.known else self._unknown(clause)

    def _things(self, subject: Subject) -> list[ObservedObject]:
        return [item for item in self.situation.objects.values() if self._fits(item, subject)]

    def _fits(self, item: ObservedObject, subject: Subject) -> bool:
        if not subject.noun.fits(item):
            return False
        if not all(one.is_true_of(item, anything, self.situation) for one in subject.states):
            return False
        load = subject.load
        if load is not None and not any(
            thing.receptacle == item.name and self._fits(thing, load)
            for thing in self.situation.objects.values()
        ):
            return False
        return subject.room is None or any(
            subject.room.fits_room(room) for room in (item.room, self.rooms.get(item.name, ''))
        )

    def _unknown(self, clause: Clause) -> str:
        """Return what has not been looked at that could change how many there are, if any."""
        if self.complete or clause.subject is None or clause.predicate is None:
            return ''
        holds = clause.predicate.holds
        if holds.held and clause.quantity != ALL:
            return ''
        if holds.relation and clause.quantity != ALL:
            return self._not_looked_into(clause.others[0])
        if holds.room and clause.quantity != ALL:
            return self._not_looked_at(clause.others[0])
        return self._unexplored(clause.subject)

    def _not_looked_into(self, place: Noun) -> str:
        known = [item for item in self.situation.objects.values() if place.fits(item)]
        if not known:
            return self._not_looked_at(places=False)
        for item in known:
            if 'furniture' in item.affordances and item.name not in self.situation.looked_into:
                return f'{item.name} not looked into'
        return ''

    def _unexplored(self, subject: Subject) -> str:
        """Return where more of these things could be; empty if everything was looked at."""
        if self.complete:
            return ''
        if subject.noun.number and any(map(subject.noun.fits, self.situation.objects.values())):
            return ''
        places = not subject.noun.classes <= self.situation.places
        return self._not_looked_at(subject.room, places)

    def _not_looked_at(self, room: Noun | None = None, places: bool = True) -> str:
        """Return what has not been looked at, as a clause; empty if nothing.

        Args:
            room: only in such rooms.
            places: rooms must not only be entered, everything in them must be looked into.
        """
        seen = furnished(self.situation)
        every = dict.fromkeys((*seen, *self.situation.rooms))
        rooms = [name for name in every if room is None or room.fits_room(name)]
        for name in rooms:
            if name not in seen and name not in self.entered:
                return f'{name} not entered'
        left = (one for name in rooms if places for one in unsearched(name, self.situation))
        return next((f'{one} not looked into' for one in left), '')
