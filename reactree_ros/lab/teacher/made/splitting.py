# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How a goal of a generated robot is split: by condition, by thing, by phase of a plan, by place.

Whether it is split follows from what the prompt shows, so that it can be learned:

- several conditions, or several things of a kind, are a sequence, in parallel if they are
  independent; alternatives are a fallback;
- what was not seen is found first, where there is more than one room to look in; to find it is a
  fallback over the rooms;
- a long plan for what was seen is a sequence of its phases; a short one is carried out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from reactree_ros.core.decision import ControlFlow
from reactree_ros.lab.teacher.made.aims import Aim, Course, Knowledge, Ways, unstaged
from reactree_ros.lab.teacher.made.words import Words
from reactree_ros.sim.made.robot import HELD, IN, IS, ON
from reactree_ros.sim.made.saying import Phrase
from reactree_ros.sim.planning.facts import Action, Fact, State
from reactree_ros.skills.goal_conditions import Condition
from reactree_ros.skills.goal_conditions.language import ALL, Noun

_LITTLE = 2
"""Steps that are carried out by the node itself, whatever they are for."""
_LONG = 12
"""Steps of a plan from which on it is split by its phases, although everything was seen."""
_PHASES = 3
"""Most phases of a plan before the last one."""
_MOST = 5
_STAGES = 8
"""Most subgoals; and most of them where they come one after the other by the goal's own words."""
_DEEPEST = 4


@dataclass(frozen=True)
class Split:
    """Subgoals with what they mean."""

    flow: ControlFlow
    parts: tuple[tuple[str, Aim], ...]


class Splitter:
    """Splits goals of one run.

    Args:
        knowledge: of the run.
        words: of the run.
        is_named: whether a text that was read names a thing.
        in_order: of several ways to meet a condition, the first is tried first; else the shortest.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        words: Words,
        is_named: Callable[[str], bool],
        in_order: bool = False,
    ) -> None:
        self._known, self._words, self._in_order = knowledge, words, in_order
        self._is_named = is_named
        self._robot = knowledge.robot

    def split(self, goal: str, aim: Aim, course: Course, seed: int) -> Split | None:
        """Return how a goal is split; None if it is not.

        Args:
            goal: in words.
            aim: what it means.
            course: a plan for it.
            seed: of what the plan assumes.
        """
        if len(aim.above) >= _DEEPEST:
            return None
        unseen = self._known.unseen_in(course)
        places = self._known.where_to_look(unseen[0], seed) if unseen else []
        if not course.steps:
            places = [*dict.fromkeys(self._known.left_to_look(aim, seed))]
        if len(course.steps) + len(places) <= _LITTLE:
            return None
        looks = bool(unseen) and len(self._known.rooms_of(places)) > 1
        for way in self._ways(aim, course, looks):
            parts = way(aim, course, seed)
            if parts is not None and self._is_fit(goal, aim, parts):
                above = (*aim.above, goal)
                own = tuple((text, replace(one, above=above)) for text, one in parts.parts)
                return replace(parts, parts=own)
        return None

    def _ways(self, aim: Aim, course: Course, looks: bool) -> list[Callable[..., Split | None]]:
        if len(aim.conditions) > 1:
            return [self._by_condition] if course.steps else []
        if aim.conditions:
            condition = aim.conditions[0]
            if len(condition.clauses) > 1:
                return [self._by_choice]
            clause = condition.clauses[0]
            if clause.count > 1 and not clause.quantity:
                return [self._by_name, self._by_count] if course.steps else []
            if clause.quantity == ALL:
                return [self._by_thing, self._by_sweep] if course.steps else [self._by_sweep]
            if clause.quantity:
                return []
        if not course.steps:
            return []
        if not (looks or len(course.steps) >= _LONG):
            return []
        if looks and len(aim.facts) == 1 and aim.facts[0][0][0] == HELD:
            return [self._by_place]
        return [self._by_phase]

    def _is_fit(self, goal: str, aim: Aim, split: Split) -> bool:
        texts = [_key(text) for text, _ in split.parts]
        above = {_key(text) for text in (*aim.above, goal)}
        return (
            len({*texts}) == len(texts) > 1
            and all(texts)
            and all(len(text) <= 120 for text in texts)
            and not above & {*texts}
        )

    # By condition

    def _by_condition(self, aim: Aim, course: Course, seed: int) -> Split | None:
        # How the robot stands in the end comes last; what is done for others would undo it.
        conditions = sorted(aim.conditions, key=lambda one: (one.stage, one.of_robot))
        if any(one.asks for one in conditions):
            return None
        parts: list[tuple[str, Aim]] = []
        for number, condition in enumerate(conditions):
            before = [unstaged(one) for one in conditions[:number] if not one.of_robot
                      and not one.may_be_undone(conditions)]  # fmt: skip
            own = Aim(conditions=(unstaged(condition),), beside=(*aim.beside, *before))
            parts.append((self._words.condition(condition), own))
        flow = ControlFlow.SEQUENCE
        if self._are_independent(conditions, course, seed):
            flow = ControlFlow.PARALLEL
        most = _STAGES if conditions[-1].stage else _MOST
        return Split(flow, tuple(parts)) if len(parts) <= most else None

    def _are_independent(self, conditions: Sequence[Condition], course: Course, seed: int) -> bool:
        """Return whether conditions can be met in any order without regard to the others."""
        if any(one.stage or one.of_robot or _is_carried(one) for one in conditions):
            return False
        lengths = [
            len(found.steps)
            for one in conditions
            if (found := self._known.course(Aim(conditions=(one,)), seed)) is not None
        ]
        return len(lengths) == len(conditions) and sum(lengths) <= len(course.steps) + 3

    def _by_choice(self, aim: Aim, course: Course, seed: int) -> Split | None:
        found = []
        for number, clause in enumerate(aim.conditions[0].clauses):
            own = Aim(conditions=(Condition((clause,)),), beside=aim.beside, kept=aim.kept)
            way = self._known.course(own, seed)
            if way is not None:
                length = 0 if self._in_order else len(way.steps)
                found.append((length, number, self._words.clause(clause), own))
        parts = tuple((text, own) for _, _, text, own in sorted(found, key=lambda one: one[:2]))
        return Split(ControlFlow.FALLBACK, parts) if len(parts) > 1 else None

    # By thing

    def _by_count(self, aim: Aim, course: Course, seed: int) -> Split | None:
        (clause,) = aim.conditions[0].clauses
        done = [
            count for count in range(1, clause.count) if self._known.holds(_counted(aim, count))
        ]
        first = len(done) + 1
        parts = [
            (self._words.clause(replace(clause, count=1), count), _counted(aim, count))
            for count in range(first, clause.count + 1)
        ]
        return Split(ControlFlow.SEQUENCE, tuple(parts)) if len(parts) <= _MOST else None

    def _by_thing(self, aim: Aim, course: Course, seed: int) -> Split | None:
        condition = aim.conditions[0]
        (clause,) = condition.clauses
        if clause.subject is None or clause.subject.states:
            return None
        names = self._known.robot.meant_by(clause.subject.noun)
        if next(self._known.left_to_look(aim, seed), None) is not None:
            return None  # there may be more of them
        parts = []
        for name in names:
            own = replace(self._of_one(aim, name), beside=aim.beside, kept=aim.kept)
            if not self._is_named(name):
                return None
            if not self._known.holds(own):
                parts.append((self._words.condition(own.conditions[0]), own))
        return Split(self._flow(names), tuple(parts)) if len(parts) <= _MOST else None

    def _by_name(self, aim: Aim, course: Course, seed: int) -> Split | None:
        """Split what is to be so of several things by those that the plan takes."""
        condition = aim.conditions[0]
        (clause,) = condition.clauses
        if clause.subject is None or clause.subject.states:
            return None
        parts = []
        for name in self._known.robot.meant_by(clause.subject.noun):
            own = replace(self._of_one(aim, name), beside=aim.beside, kept=aim.kept)
            if self._known.is_so(own, course.states[-1]) and not self._known.holds(own):
                if not (self._known.is_known(name) and self._is_named(name)):
                    return None
                parts.append((self._words.condition(own.conditions[0]), own))
        flow = self._flow(self._known.robot.meant_by(clause.subject.noun))
        return Split(flow, tuple(parts)) if len(parts) <= _MOST else None

    def _flow(self, names: Sequence[str]) -> ControlFlow:
        """Return in what order something is done with each of some things: any, if none moves."""
        moves = any('grabbable' in self._robot.things[name].tags for name in names)
        return ControlFlow.SEQUENCE if moves else ControlFlow.PARALLEL

    def _of_one(self, aim: Aim, name: str) -> Aim:
        (clause,) = aim.conditions[0].clauses
        assert clause.subject is not None
        class_name, _, number = name.rpartition(' ')
        noun = Noun(class_name, int(number), frozenset({class_name}))
        subject = replace(clause.subject, noun=noun)
        return Aim((Condition((replace(clause, subject=subject, quantity='', count=1),)),))

    # By place

    def _by_sweep(self, aim: Aim, course: Course, seed: int) -> Split | None:
        """Split what is to be so of everything of a kind by the rooms, or places, where it is."""
        (clause,) = aim.conditions[0].clauses
        if clause.subject is None or clause.subject.states:
            return None
        things = tuple(self._known.robot.meant_by(clause.subject.noun))
        if not things or not all('grabbable' in self._robot.things[one].tags for one in things):
            return None
        goals = {one for noun in clause.others for one in self._known.robot.meant_by(noun)}
        holders = [
            name for name, one in self._robot.things.items()
            if {'furniture', 'holder'} <= one.tags and name not in goals
        ]  # fmt: skip
        holders.sort(key=self._known.belief.turn)
        others = {*clause.others}
        places = [
            room for room in self._known.rooms_of(holders)
            if not any(_is_room(room, noun) for noun in others)
        ]  # fmt: skip
        if len(places) < 2:
            places = holders if all(map(self._known.is_known, holders)) else []
        if not 2 <= len(places) <= _MOST:
            return None
        parts = tuple(
            (
                self._words.sweep(clause, place),
                Aim(aim.conditions, aim.beside, kept=aim.kept, places=(place,), things=things),
            )
            for place in places
        )
        return Split(ControlFlow.SEQUENCE, parts)

    def _by_place(self, aim: Aim, course: Course, seed: int) -> Split | None:
        things = tuple(fact[1] for fact in aim.facts[0])
        if any(map(self._known.is_known, things)):
            return None
        thing = self._words.any_of(self._known.noun_of(things[0], aim))
        if thing is None:
            return None
        places = self._known.rooms_of(self._known.where_to_look(things[0], seed))[: _MOST + 1]
        places = [one for one in places if self._known.way_to(one, seed) is not None
                  or self._known.is_here(one)]  # fmt: skip
        parts = tuple(
            (self._words.look(thing, place), Aim(places=(place,), things=things, kept=aim.kept))
            for place in places
        )
        return Split(ControlFlow.FALLBACK, parts)

    # By phase of a plan

    def _by_phase(self, aim: Aim, course: Course, seed: int) -> Split | None:
        names: dict[str, Phrase] = {}
        ways: dict[str, tuple[str, ...]] = {}
        marks = self._milestones(course, aim)
        last = len(course.steps) - 1
        final = next((fact for number, fact in marks if number == last), None)
        states = {
            state.holds.state
            for condition in aim.conditions
            for clause in condition.clauses
            for state in (clause.subject.states if clause.subject else ())
        }
        chosen = self._chosen([one for one in marks if one[0] != last], course, states)
        if not chosen:
            return None
        states -= {fact[2] for _, fact in chosen if fact[0] == IS}
        parts: list[tuple[str, Aim]] = []
        reached: list[tuple[Fact, Ways]] = []
        for number, fact in chosen:
            self._name(fact, aim, names, ways)
            text = self._words.fact(fact, names)
            own = self._alternatives(fact, ways)
            state = course.states[number + 1]
            kept = tuple(one for earlier, one in reached if earlier in state)
            done = tuple(one for _, one in reached)
            parts.append((text, Aim(facts=(own,), kept=(*aim.kept, *kept), reached=done)))
            reached.append((fact, own))
            self._mentioned(fact, names)
        kept = tuple(one for earlier, one in reached if earlier in course.states[-1])
        kept = (*aim.kept, *kept)
        done = tuple(one for _, one in reached)
        if final is not None and self._is_all(aim, final) and not states:
            self._name(final, aim, names, ways)
            own = self._alternatives(final, ways)
            text = self._words.fact(final, names)
            parts.append((text, Aim((), aim.beside, (own,), kept, done)))
        else:
            text = self._words.condition(aim.conditions[0]) if aim.conditions else ''
            conditions = tuple(map(unstaged, aim.conditions))
            parts.append((text, Aim(conditions, aim.beside, aim.facts, kept, done)))
        return Split(ControlFlow.SEQUENCE, tuple(parts))

    def _is_all(self, aim: Aim, final: Fact) -> bool:
        """Return whether the last fact of a plan stands for its aim."""
        if aim.facts:
            return any(final in ways for ways in aim.facts)
        (clause,) = aim.conditions[0].clauses
        holds = clause.predicate.holds if clause.predicate else None
        if holds is None or clause.subject is None:
            return False
        return (
            (final[0] == HELD and holds.held)
            or (final[0] in (ON, IN) and bool(holds.relation))
            or (final[0] == IS and final[2] == holds.state)
        )

    def _milestones(self, course: Course, aim: Aim) -> list[tuple[int, Fact]]:
        """Return what a plan brings about that can be said and is of use, by step."""
        found = []
        last = len(course.steps) - 1
        for number in range(last + 1):
            new = course.states[number + 1] - course.states[number]
            later = course.steps[number + 1 :]
            useful = [
                fact
                for fact in sorted(new)
                if fact[0] in (HELD, ON, IN, IS)
                and fact[1] in self._robot.things
                and (
                    number == last
                    or self._is_worth_a_goal(fact, later, aim)
                    and (_is_used(fact, later) or _lasts(fact, course, number))
                )
            ]
            if useful:
                useful.sort(key=lambda fact: (HELD, ON, IN, IS).index(fact[0]))
                sayable = [fact for fact in useful if self._can_say(fact)]
                wanted = self._wanted(aim)
                sayable.sort(key=lambda fact: fact[1] in wanted)
                if sayable:
                    found.append((number, sayable[-1]))
        return found

    def _is_worth_a_goal(self, fact: Fact, later: Sequence[Action], aim: Aim) -> bool:
        """Return whether a fact is more than something that is in the way, or a posture."""
        tags = self._robot.things[fact[1]].tags
        if fact[0] == IS and not tags & {'furniture', 'door', 'grabbable', 'attachable', 'device'}:
            return False
        if fact[0] != HELD:
            return True
        wanted = self._wanted(aim)
        helps = any(fact in step.needs and fact not in step.delete for step in later)
        return fact[1] in wanted or helps or 'refill' in tags

    def _wanted(self, aim: Aim) -> set[str]:
        """Return the names of what an aim is about."""
        nouns = [
            clause.subject.noun
            for one in aim.conditions
            for clause in one.clauses
            if clause.subject is not None
        ]
        wanted = {name for noun in nouns for name in self._known.robot.meant_by(noun)}
        return wanted | {word for ways in aim.facts for one in ways for word in one[1:]}

    def _can_say(self, fact: Fact) -> bool:
        return bool(self._words.fact(fact, {fact[1]: self._words.phrase(fact[1])}))

    def _chosen(
        self, marks: list[tuple[int, Fact]], course: Course, states: Collection[str]
    ) -> list[tuple[int, Fact]]:
        """Return the milestones at which a plan is split, none in the middle of an errand."""
        unseen = {*self._known.unseen_in(course)}

        def rank(mark: tuple[int, Fact]) -> tuple[int, int]:
            number, fact = mark
            if fact[0] == IS and fact[2] in states:
                return 0, number
            if fact[0] == HELD and fact[1] in unseen:
                return 1, number
            if fact[0] != HELD and _lasts(fact, course, number):
                return 2, number
            return 3, number

        ranked = sorted(marks, key=rank)
        chosen: list[tuple[int, Fact]] = []
        for mark in ranked:
            if len(chosen) == _PHASES:
                break
            numbers = sorted([-1, *(number for number, _ in chosen)])
            before = max(one for one in numbers if one < mark[0])
            after = [one for one in numbers if one > mark[0]]
            if mark[0] - before >= 2 and all(one - mark[0] >= 2 for one in after):
                chosen.append(mark)
        if not chosen and marks:
            chosen = ranked[:1]
        return sorted(chosen)

    def _name(
        self, fact: Fact, aim: Aim, names: dict[str, Phrase], ways: dict[str, tuple[str, ...]]
    ) -> None:
        """Decide what the thing and the place of a fact are called, and which may be meant."""
        for name in fact[1:]:
            if name in names or name not in self._robot.things:
                continue
            if self._known.is_known(name) and self._is_named(name):
                names[name], ways[name] = self._words.phrase(name), (name,)
                continue
            noun = self._known.noun_of(name, aim)
            phrase = self._words.any_of(noun) or self._words.phrase(name, is_told=False)
            every = self._known.robot.meant_by(noun)
            unseen = [one for one in every if not self._known.is_known(one)]
            names[name] = phrase
            ways[name] = tuple(unseen if name in unseen else every)

    def _mentioned(self, fact: Fact, names: dict[str, Phrase]) -> None:
        """Let what was named as any of its class be the one from now on."""
        for name in fact[1:]:
            phrase = names.get(name)
            if phrase is not None and not phrase.number:
                names[name] = replace(phrase, is_only=True)

    def _alternatives(self, fact: Fact, ways: dict[str, tuple[str, ...]]) -> Ways:
        found: list[Fact] = [fact[:1]]
        for word in fact[1:]:
            found = [(*one, name) for one in found for name in ways.get(word, (word,))]
        return tuple(one for one in found if len({*one}) == len(one))


def _is_room(room: str, noun: Noun) -> bool:
    class_name, _, number = room.rpartition(' ')
    return class_name in noun.classes and noun.number in (0, int(number))


def _counted(aim: Aim, count: int) -> Aim:
    (clause,) = aim.conditions[0].clauses
    return Aim(
        conditions=(Condition((replace(clause, count=count),)),), beside=aim.beside, kept=aim.kept
    )


def _is_carried(condition: Condition) -> bool:
    return any(one.predicate is not None and one.predicate.holds.held for one in condition.clauses)


def _is_used(fact: Fact, later: Sequence[Action]) -> bool:
    return any(
        fact in step.needs or any(fact in when for when, _, _ in step.each) for step in later
    )


def _lasts(fact: Fact, course: Course, number: int) -> bool:
    """Return whether what a step has brought about holds to the end, and was not so before."""
    states: Sequence[State] = course.states
    return fact not in states[0] and all(fact in state for state in states[number + 1 :])


def _key(goal: str) -> str:
    return ' '.join(goal.casefold().strip(' .!').split())
