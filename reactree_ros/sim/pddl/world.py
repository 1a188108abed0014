# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A PDDL problem as a world: actions go in, observations come out."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace

from reactree_ros.core.observation import (
    Observation,
    ObservedObject,
    SkillResult,
    SkillStatus,
)
from reactree_ros.core.situation import Situation
from reactree_ros.sim.household import GoalCheck
from reactree_ros.sim.pddl.problem import PddlProblem
from reactree_ros.sim.planning.facts import Fact, State
from reactree_ros.skills.library import GroundedSkill
from reactree_ros.skills.simulated import SimulatedWorld

WHOLE = ObservedObject('everything', 1)
"""Stands in observations for what is true of no single object."""


class PddlWorld(SimulatedWorld):
    """A world whose whole state is perceived, and that is changed by the actions of its domain.

    An observation has every object: its types are its affordances, and what is true of it stands
    among its states, in PDDL's words, so that whoever has the observation has the facts
    (``facts_of``).

    Args:
        problem: the problem, at whose initial state it begins.
    """

    def __init__(self, problem: PddlProblem) -> None:
        self.problem = problem
        self._state = problem.initial

    @property
    def state(self) -> State:
        """The facts that are true."""
        return self._state

    def observe(self) -> Observation:
        """Tell all that is true."""
        return self._observation(self._text(self._state))

    def execute(self, skill: str, arguments: Sequence[str]) -> SkillResult:
        """Do one action, or say why not.

        Args:
            skill: name of the action in its domain.
            arguments: names of its objects in words.

        Returns:
            SUCCEEDED with what has changed; or REFUSED with the reason, after which nothing has.
        """
        problem = self.problem
        objects = [problem.object_of(name) for name in arguments]
        known = [one for one in objects if one is not None]
        after = None
        if len(known) == len(objects):
            after = problem.after(self._state, skill, known)
        if after is None:
            why = self._refusal(skill, objects)
            return SkillResult(SkillStatus.REFUSED, self._observation(why))
        before, self._state = self._state, after
        text = ' '.join(self._changes(before)) or 'Nothing has changed.'
        return SkillResult(SkillStatus.SUCCEEDED, self._observation(text))

    def missing(self, conditions: Sequence[str]) -> Sequence[str] | None:
        """Return which parts of the problem's goal do not hold.

        Args:
            conditions: the goal's instruction; others cannot be read.

        Returns:
            One line each; None if they cannot be read.
        """
        asked = [' '.join(line.split()) for line in conditions]
        return self.check().unsatisfied if asked == [self.problem.instruction] else None

    def changes(self) -> tuple[str, ...]:
        """Tell what is different from the beginning: what has come, and what is not any more."""
        return self._changes(self.problem.initial)

    def check(self) -> GoalCheck:
        """Return which conditions of the goal hold."""
        problem = self.problem
        unmet = problem.unmet(self._state)
        met = [goal for goal in problem.goals if goal not in unmet]
        return GoalCheck(
            satisfied=tuple(problem.sentence(goal) for goal in met),
            unsatisfied=tuple(problem.sentence(goal) for goal in unmet),
            met=len(met),
            wanted=len(problem.goals),
        )

    def _changes(self, before: State) -> tuple[str, ...]:
        come, gone = self._state - before, before - self._state
        texts = (self._text(come), f'Not any more: {self._text(gone)}')
        return tuple(itertools.compress(texts, (come, gone)))

    def _refusal(self, skill: str, objects: Sequence[str | None]) -> str:
        actions = self.problem.actions
        if skill not in actions:
            return f'There is no action {skill!r}, only {", ".join(actions)}.'
        if None in objects or len(objects) != len(actions[skill]):
            return f'"{skill}" takes {len(actions[skill])} of the objects.'
        given = [one for one in objects if one is not None]
        unmet = self.problem.unmet_needs(self._state, skill, given)
        why = f': {"; ".join(unmet)}' if unmet else ''
        return f'"{skill}" cannot be done now. It needs something that is not so{why}.'

    def _text(self, facts: Iterable[Fact]) -> str:
        sentences = sorted(self.problem.fact_sentence(fact) for fact in facts)
        return ' '.join(f'{one[:1].upper()}{one[1:]}.' for one in sentences)

    def _observation(self, text: str) -> Observation:
        states: dict[str, set[str]] = {name: set() for name in self.problem.objects}
        of_all: set[str] = set()
        for predicate, *objects in self._state:
            if objects:
                states[objects[0]].add(' '.join([predicate, *objects[1:]]))
            else:
                of_all.add(predicate)
        things = tuple(
            ObservedObject(
                *self.problem.objects[name],
                states=frozenset(own),
                affordances=self.problem.types[name],
                near=True,
            )
            for name, own in states.items()
        )
        whole = ObservedObject(WHOLE.class_name, WHOLE.instance, states=frozenset(of_all))
        return Observation(text, objects=(*things, whole))


class PddlWorldModel:
    """The state that actions of a domain have brought about, for a robot that does not report it.

    It is what the domain says of actions that have succeeded (``skills.library.WorldModel``).

    Args:
        problem: the problem, at whose initial state it begins.
    """

    def __init__(self, problem: PddlProblem) -> None:
        self._problem = problem
        self.reset()

    def reset(self) -> None:
        """Return to the initial state."""
        self._world = PddlWorld(self._problem)

    def observe(self) -> Observation:
        """Tell all that is true."""
        return self._world.observe()

    def after(self, skill: GroundedSkill, said: str) -> Observation:
        """Take in an action that has succeeded; see ``WorldModel``."""
        seen = self._world.execute(skill.name, skill.arguments).observation
        # a simulated robot reports the changes itself
        return seen if seen.text in said else replace(seen, text=f'{said} {seen.text}')


def facts_of(problem: PddlProblem, situation: Situation) -> State:
    """Return the facts that a situation describes."""
    facts: set[Fact] = set()
    for item in situation.objects.values():
        for state in item.states:
            predicate, *others = state.split()
            own = problem.object_of(item.name)
            facts.add((predicate, *([own] if own is not None else []), *others))
    return frozenset(facts)
