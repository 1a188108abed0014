# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Stage ``guard``: a skill that must not reach the robot is refused, whoever decided it."""

from __future__ import annotations

from collections.abc import Callable

from reactree_ros.core.futures import Future, mapped
from reactree_ros.core.observation import Observation
from reactree_ros.core.situation import Situation
from reactree_ros.execution.claims import ClaimGate, Claims
from reactree_ros.execution.pipeline import Gate, SkillPipeline, Stage, refusal
from reactree_ros.skills.executor import SENT, SkillExecutor, SkillRun
from reactree_ros.skills.library import GroundedSkill, SkillLibrary


class GoalGuard(Stage):
    """The last stage before a robot; add it with ``guarded``.

    It is the same for all goals: what it keeps is about the robot, not about a run.

    Args:
        library: the robot's skills, and what it must keep out of.
        claims: what is in use, of all robots that work in one place.
        robot: name of the robot among them.
    """

    name = 'guard'

    def __init__(
        self,
        library: SkillLibrary,
        claims: Claims | None = None,
        robot: str = '',
    ) -> None:
        self._library = library
        self._surveyed: set[str] = set()
        self._claims = claims or Claims()
        self._robot = robot

    def before(self, skill: GroundedSkill, situation: Situation, run: SkillRun) -> Gate | None:
        """Refuse a skill, or have it wait for what it claims."""
        why = self._objection(skill, situation)
        if why:
            return Gate(refusal(skill, why), SENT)
        if not (skill.claims or skill.shared_claims):
            return None
        known = (situation.objects.get(name) for name in skill.shared_claims)
        things = frozenset(one.name for one in known if one and 'furniture' not in one.affordances)
        return ClaimGate(self._claims, skill, self._robot, things)

    def started(self, skill: GroundedSkill, run: SkillRun) -> None:
        """Record what the robot uses now."""
        self._claims.take(skill, run, self._robot)

    def survey(self, ask: Callable[[], Future[Observation]]) -> Future[Observation]:
        """Remember what is in the whole environment: it is known from then on."""

        def noted(survey: Observation) -> Observation:
            self._surveyed.update(survey.rooms, (item.name for item in survey.objects))
            return survey

        return mapped(ask(), noted)

    def _objection(self, skill: GroundedSkill, situation: Situation) -> str:
        """Return why a skill must not reach the robot; empty if it may."""
        known = situation.objects.keys() | self._surveyed | {*situation.rooms}
        for name in skill.arguments:
            if name not in known:
                return f'nothing is known of {name}'
        return self._library.forbids(skill, situation)


def guarded(
    robot: SkillExecutor, library: SkillLibrary, claims: Claims | None = None, name: str = ''
) -> SkillPipeline:
    """Return a robot with the guard as the stage nearest to it; one that has it stays as it is.

    Args:
        robot: the robot; one behind other stages keeps them.
        library: its skills, and what it must keep out of.
        claims: what is in use, of all robots that work in one place; None for those of this one.
        name: of the robot among them.
    """
    pipeline = robot if isinstance(robot, SkillPipeline) else SkillPipeline((), robot)
    if any(isinstance(stage, GoalGuard) for stage in pipeline.stages):
        return pipeline
    return SkillPipeline((*pipeline.stages, GoalGuard(library, claims, name)), pipeline.robot)
