# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The actions of a PDDL domain as a skill library."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros.core.situation import Situation
from reactree_ros.pddl.problem import PddlProblem
from reactree_ros.pddl.world import facts_of
from reactree_ros.skills.call import Call, Kind
from reactree_ros.skills.library import Filter, GroundedSkill, Skill, SkillLibrary

ACTION = 'pddl/execute_skill'
"""The action server that a skill of a PDDL domain is sent to."""


@dataclass(frozen=True, kw_only=True)
class PddlLibrary(SkillLibrary):
    """Skills that are offered when their PDDL preconditions hold; make it by ``pddl_library``.

    Args:
        problem: has the preconditions.
    """

    problem: PddlProblem

    def executable(
        self,
        situation: Situation,
        rooms: tuple[str, ...],
        path: tuple[str, ...] = (),
        *,
        named: bool = True,
        unsearched: bool = True,
    ) -> tuple[GroundedSkill, ...]:
        """Return every action that changes something in the state that a situation tells of."""
        problem = self.problem
        skills = {skill.name: skill for skill in self.skills}
        state = facts_of(problem, situation)
        found = (
            skills[action].ground(*map(problem.name_of, objects))
            for action, *objects in problem.applicable(state)
            if len({*objects}) == len(objects) or problem.after(state, action, objects) != state
        )
        return tuple(sorted(found, key=lambda skill: skill.phrase))


def pddl_library(problem: PddlProblem) -> PddlLibrary:
    """Return the skills of a problem.

    Raises:
        ConfigurationError: if the words for an action do not fit it.
    """
    skills = tuple(
        Skill(
            name=name,
            phrase=problem.words.action_phrase(name, parameters),
            arguments={
                parameter: (Filter(affordance=frozenset({kind})),)
                for parameter, kind in problem.parameter_types(name).items()
            },
            hands_free=False,
            holding='',
            at=None,
            only_relevant=False,
            asked=(),
            call=Call(Kind.ACTION, ACTION),
        )
        for name, parameters in problem.actions.items()
    )
    return PddlLibrary(
        name=problem.domain,
        skills=skills,
        hands=1,
        objects=frozenset(),
        places=frozenset(),
        tools=frozenset(),
        agent=problem.words.agent,
        rules=problem.words.rules or problem.action_rules(),
        in_house=False,
        problem=problem,
    )
