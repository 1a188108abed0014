# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The actions of a PDDL domain as a skill library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from reactree_ros.core.situation import Situation
from reactree_ros.sim.pddl.problem import PddlProblem
from reactree_ros.sim.pddl.world import PddlWorldModel, facts_of
from reactree_ros.skills.library import GroundedSkill, Skill, SkillLibrary
from reactree_ros.skills.reader import library_from, wrong_library

ACTION = 'pddl/execute_skill'
"""The action server that actions are sent to if nothing else is said."""
_STATE_KEYS = ('world', 'hands', 'objects', 'places', 'kinds')
_SKILL_KEYS = ('phrase', 'arguments', 'when', 'effects')


@dataclass(frozen=True, kw_only=True)
class PddlLibrary(SkillLibrary):
    """Skills that are offered when their PDDL preconditions hold; make it by ``pddl_library``.

    Args:
        problem: has the preconditions.
    """

    problem: PddlProblem

    def executable(self, situation: Situation) -> tuple[GroundedSkill, ...]:
        """Return every action that is applicable in the state that a situation describes.

        One that names an object twice is only offered if it changes something.
        """
        problem = self.problem
        skills = {skill.name: skill for skill in self.skills}
        state = facts_of(problem, situation)
        found = (
            skills[action].ground(*map(problem.name_of, objects))
            for action, *objects in problem.applicable(state)
            if len({*objects}) == len(objects) or problem.after(state, action, objects) != state
        )
        allowed = (skill for skill in found if not self.forbids(skill, situation))
        return tuple(sorted(allowed, key=lambda skill: skill.phrase))

    def objections(self, skill: GroundedSkill, situation: Situation) -> list[str]:
        """Return why an action cannot be done now, one sentence each; none if it can."""
        if skill in self.executable(situation):
            return []
        problem = self.problem
        objects = [problem.object_of(name) or '' for name in skill.arguments]
        unmet = problem.unmet_needs(facts_of(problem, situation), skill.name, objects)
        found = super().objections(skill, situation)
        return [*found, *(f'it needs that {one}' for one in unmet)] or ['it would change nothing']

    def world_model(self) -> PddlWorldModel:
        """Return the model of the state, which is one for all robots."""
        return self._world_model

    @cached_property
    def _world_model(self) -> PddlWorldModel:
        return PddlWorldModel(self.problem)


def read_pddl(document: Mapping[str, Any], source: str) -> PddlLibrary:
    """Return the skills of a document that names a domain and a problem.

    Args:
        document: a skill library with the key ``pddl``, whose form is right.
        source: its path, from which the files are looked for; it names it in messages.

    Raises:
        ConfigurationError: if a file cannot be read, or the document does not fit the domain.
    """
    named = document['pddl']
    files = {key: Path(source).parent / path for key, path in named.items()}
    problem = PddlProblem.read(files['domain'], files['problem'], files.get('words'))
    problem.ground()
    faults = [f'{key}: the domain says it' for key in _STATE_KEYS if key in document]
    for name, entry in document.get('skills', {}).items():
        if name not in problem.actions:
            known = ', '.join(problem.actions)
            faults.append(f'skills.{name}: the domain has no such action (it has {known})')
        faults += [
            f'skills.{name}.{key}: the domain says it, and the words how it is called'
            for key in _SKILL_KEYS
            if key in entry
        ]
    if faults:
        raise wrong_library(source, faults)
    return pddl_library(problem, document, source)


def pddl_library(
    problem: PddlProblem,
    document: Mapping[str, Any] | None = None,
    source: str = 'of PDDL',
) -> PddlLibrary:
    """Return the skills of a problem.

    Args:
        problem: the problem.
        document: a skill library that says how actions reach the robot; None sends all of them
            to ``ACTION``. Its ``agent`` and ``rules`` stand for those of the problem's words.
        source: path of the document, for messages and for the files that it names.

    Raises:
        ConfigurationError: if the words for an action do not fit it, or the document is wrong.
    """
    document = document or {'name': problem.domain, 'action': ACTION}
    given = document.get('skills', {})
    skills = {
        name: {
            'phrase': problem.words.action_phrase(name, parameters),
            'arguments': {
                one: {'affordance': kind} for one, kind in problem.parameter_types(name).items()
            },
            **given.get(name, {}),
        }
        for name, parameters in problem.actions.items()
    }
    read = library_from({**document, 'skills': skills}, source)
    read = read.with_skills(tuple(_in_order(skill, problem) for skill in read.skills))
    own = {one.name: getattr(read, one.name) for one in fields(SkillLibrary)}
    own |= {
        'agent': read.agent if 'agent' in document else problem.words.agent,
        'rules': read.rules or problem.words.rules or problem.action_rules(),
        'closed_world': True,
        'ids': {problem.name_of(one): one for one in problem.objects},
    }
    return PddlLibrary(**own, problem=problem)


def _in_order(skill: Skill, problem: PddlProblem) -> Skill:
    """Return a skill whose arguments have the order of its action's, not that of its phrase."""
    ordered = {name: skill.arguments[name] for name in problem.actions[skill.name]}
    return replace(skill, arguments=ordered)
