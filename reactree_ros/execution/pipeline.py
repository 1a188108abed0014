# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The one way of a skill from its leaf to the robot: a list of stages, asked in order.

========  =========================================================================
stage     what it does with a skill
========  =========================================================================
rest      waits until the robot's skills before it have ended
pause     waits while the planner is paused
approval  waits until the operator has allowed it; refused, the skill ends here
checks    fails a reported success that working memory contradicts
record    writes down that it was started, and its result
replay    gives it the result that an earlier process wrote down, if there is one
guard     refuses what is forbidden, and waits until what it claims is free
========  =========================================================================

Behind the last stage the robot starts the skill. Results go back through the stages in the reverse
order. ``record`` and ``replay`` are there for runs that are recorded and resumed; ``guard`` is
always nearest to the robot. To insert a stage of your own, before the guard, give the planner
``SkillPipeline([MyStage()], robot)`` in place of the robot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from reactree_ros.core.futures import Future, ready, then
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.outcome import Costs
from reactree_ros.core.situation import Situation
from reactree_ros.errors import WorldError
from reactree_ros.skills.conditions import Question
from reactree_ros.skills.executor import SkillExecutor, SkillRun, failed
from reactree_ros.skills.library import GroundedSkill


class Gate:
    """One skill at one stage: whether it may go on, or how it ends there.

    Args:
        result: ends the skill here; None lets it go on.
        costs: of this stage for the skill.

    Attributes:
        waits: what the skill waits for, such as "to be allowed"; shown in the tree.
        result: set together with a closed gate, it ends the skill here.
    """

    waits = ''

    def __init__(
        self,
        result: SkillResult | None = None,
        costs: Costs = Costs(),  # noqa: B008 - immutable
    ) -> None:
        self.result = result
        self._costs = costs

    @property
    def costs(self) -> Costs:
        """What this stage has cost for the skill."""
        return self._costs

    def open(self) -> bool:
        """Return whether the skill may go on; never waits.

        It is asked on every poll until the skill has begun, so it may close again.
        """
        return self.result is None

    def cancel(self) -> None:
        """Wait no more; it may be called again, and after the gate has opened."""


class Stage:
    """A stage between the skill leaf and a robot; a subclass overrides what it needs.

    Attributes:
        name: of the stage, one word.
    """

    name = ''

    def before(self, skill: GroundedSkill, situation: Situation, run: SkillRun) -> Gate | None:
        """Called once for each skill that has passed the stages before.

        Args:
            skill: the skill.
            situation: what working memory knew when it was asked for.
            run: the skill's whole run, which has not begun.

        Returns:
            Whether it may go on; None for at once.
        """

    def started(self, skill: GroundedSkill, run: SkillRun) -> None:
        """Called when the robot has started a skill; ``run`` is the robot's own."""

    def after(self, skill: GroundedSkill, result: SkillResult) -> Future[SkillResult]:
        """Return what becomes of the result of a skill that has passed this stage."""
        return ready(result)

    def check(self, question: Question, ask: Callable[[], Future[str]]) -> Future[str]:
        """Pass a question on to the robot with ``ask``, or answer it: an objection, or empty."""
        return ask()

    def observe(self, ask: Callable[[], Future[Observation]]) -> Future[Observation]:
        """Pass on with ``ask``, or answer, what is perceived now."""
        return ask()

    def survey(self, ask: Callable[[], Future[Observation]]) -> Future[Observation]:
        """Pass on with ``ask``, or answer, what is in the whole environment."""
        return ask()

    def at_rest(self) -> bool:
        """Return whether nothing that has passed this stage is still under way."""
        return True


class SkillPipeline:
    """A robot behind stages (``SkillExecutor``).

    Args:
        stages: in the order in which a skill passes them.
        robot: the robot; of one that is a pipeline, the stages come behind these.
        situation: what working memory knows at any time, for stages that are reached after a wait;
            None: what was known when the skill was decided.
    """

    situation: Callable[[], Situation] | None

    def __init__(
        self,
        stages: Sequence[Stage],
        robot: SkillExecutor,
        situation: Callable[[], Situation] | None = None,
    ) -> None:
        if isinstance(robot, SkillPipeline):
            situation = situation or robot.situation
            stages, robot = (*stages, *robot.stages), robot.robot
        self.stages: tuple[Stage, ...] = tuple(stages)
        self.robot: SkillExecutor = robot
        self.situation = situation

    def start(self, skill: GroundedSkill, situation: Situation) -> PipelineRun:
        """Start a skill as soon as every stage lets it go on, and return at once."""
        return PipelineRun(self, skill, situation)

    def check(self, question: Question) -> Future[str]:
        """Ask for what speaks against a condition."""
        ask: Callable[[], Future[str]] = partial(self.robot.check, question)
        for stage in reversed(self.stages):
            ask = partial(stage.check, question, ask)
        return ask()

    def observe(self) -> Future[Observation]:
        """Ask for the full description of what is perceived now."""
        ask: Callable[[], Future[Observation]] = self.robot.observe
        for stage in reversed(self.stages):
            ask = partial(stage.observe, ask)
        return ask()

    def survey(self) -> Future[Observation]:
        """Ask what is in the whole environment."""
        ask: Callable[[], Future[Observation]] = self.robot.survey
        for stage in reversed(self.stages):
            ask = partial(stage.survey, ask)
        return ask()

    def at_rest(self) -> bool:
        """Return whether every skill that was begun has ended."""
        # each is asked: looking is what notices that a skill has ended
        return all([stage.at_rest() for stage in self.stages])


class PipelineRun:
    """A skill on its way through the stages, then with the robot (``SkillRun``).

    Attributes:
        stage: name of the stage that it waits in; empty if it waits in none.

    Args:
        pipeline: the stages and the robot.
        skill: the skill.
        situation: what working memory knew when it was decided.
    """

    def __init__(self, pipeline: SkillPipeline, skill: GroundedSkill, situation: Situation) -> None:
        self.stage = ''
        self._pipeline = pipeline
        self._skill = skill
        self._situation = pipeline.situation or (lambda: situation)
        self._gates: list[Gate] = []
        self._closed: Gate | None = None
        self._run: SkillRun | None = None
        self._ended: Future[SkillResult] | None = None
        self._result: SkillResult | None = None
        self._try_to_start()

    @property
    def doing(self) -> str:
        """What the robot does, or what is waited for."""
        if self._closed is not None:
            return f'waiting {self._closed.waits}'
        if self._ended is not None:
            return 'checking what was done'
        return self._run.doing if self._run is not None else ''

    @property
    def goal_id(self) -> str:
        """See ``SkillRun``."""
        return self._run.goal_id if self._run is not None else ''

    @property
    def started(self) -> bool:
        """False while a stage or the robot delays it; True from its start or its end on."""
        return self._run.started if self._run is not None else self._ended is not None

    @property
    def settled(self) -> bool:
        """See ``SkillRun``."""
        return self._run.settled if self._run is not None else self._ended is not None

    @property
    def costs(self) -> Costs:
        """Whether it was sent, and what its stages cost."""
        costs = self._run.costs if self._run is not None else Costs()
        return sum((gate.costs for gate in self._gates), costs)

    def poll(self) -> SkillResult | None:
        """See ``SkillRun``."""
        if self._ended is None and self._try_to_start() and self._run is not None:
            result = self._run.poll()
            if result is not None:
                self._end(result, len(self._pipeline.stages))
        if self._result is None and self._ended is not None:
            self._result = self._ended.poll()
        return self._result

    def cancel(self) -> None:
        """Stop the robot, or do not begin."""
        for gate in self._gates:
            gate.cancel()
        if self._ended is None and self._run is not None:
            self._run.cancel()
        elif self._ended is None:
            self._end(self._canceled('began'), len(self._gates) - 1)
        elif self.poll() is None:
            self._ended.cancel()
            self._result = self._canceled('was checked')

    def _try_to_start(self) -> bool:
        """Continue as far as the stages allow; return whether the robot has started."""
        if self._run is not None and self._run.started:
            return True
        for place, stage in enumerate(self._pipeline.stages):
            if place == len(self._gates):
                gate = stage.before(self._skill, self._situation(), self)
                self._gates.append(gate or Gate())
            if not self._gates[place].open():
                self._wait(place)
                return False
        self.stage, self._closed = '', None
        if self._run is None:
            try:
                self._run = self._pipeline.robot.start(self._skill, self._situation())
            except WorldError as error:
                self._end(replace(failed(self._skill, str(error)), gone=True), len(self._gates))
                return False
            for stage in self._pipeline.stages:
                stage.started(self._skill, self._run)
        return True

    def _wait(self, place: int) -> None:
        gate = self._gates[place]
        self.stage, self._closed = self._pipeline.stages[place].name, gate
        if gate.result is not None and self._run is None:
            self._end(gate.result, place)

    def _end(self, result: SkillResult, place: int) -> None:
        """Send a result back through the stages before a place."""
        self.stage, self._closed = '', None
        ended = ready(result)
        for stage in reversed(self._pipeline.stages[:place]):
            ended = then(ended, partial(stage.after, self._skill))
        self._ended = ended

    def _canceled(self, before: str) -> SkillResult:
        text = f'"{self._skill.phrase}" was canceled before it {before}.'
        return SkillResult(SkillStatus.CANCELED, Observation(text))


def refusal(skill: GroundedSkill, why: str) -> SkillResult:
    """Return the result of a skill that a stage refuses, with the reason."""
    return failed(skill, why, SkillStatus.REFUSED)
