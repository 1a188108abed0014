# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What all agent nodes of one run share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from uuid import UUID

from reactree_ros.behaviours.goal_conditions import Corrections, GoalConditions
from reactree_ros.behaviours.robots import Assignments, Robot
from reactree_ros.core.budget import Budget
from reactree_ros.core.events import DecisionRecord, Event
from reactree_ros.core.futures import Future
from reactree_ros.core.memory_reader import MemoryReader
from reactree_ros.core.model import Encoder, LanguageModel
from reactree_ros.core.observation import SkillResult
from reactree_ros.core.operator import Operator
from reactree_ros.core.outcome import Costs
from reactree_ros.core.settings import Settings
from reactree_ros.skills.done_check import DoneCondition
from reactree_ros.skills.executor import SkillExecutor, SkillRun
from reactree_ros.skills.library import SkillLibrary

if TYPE_CHECKING:
    from reactree_ros.behaviours.node import DecidingNode

Options = TypeVar('Options')


class ExperienceSource(Protocol):
    """Where in-context examples come from."""

    def retrieve(self, goal: str, root: bool, token_budget: int) -> Future[tuple[str, ...]]:
        """Ask for the trajectories most similar to a goal, the best first.

        Args:
            goal: the agent node's goal.
            root: whether it is the goal of the whole run.
            token_budget: most tokens of all texts together.
        """


@dataclass(frozen=True)
class RobotSkills:
    """What one of several robots can do, and what prompts of its agents have of that.

    Args:
        library: its skills.
        system_prompt: what prompts begin with.
        prompts: further system prompts of the strategy, by the names that it gives them.
        experiences: episodic memory of these skills; None for none.
        settings: of ``memory`` and ``prompt``, which the library may rule out; others do not count.
    """

    library: SkillLibrary
    system_prompt: str
    prompts: Mapping[str, str]
    experiences: ExperienceSource | None
    settings: Settings


@dataclass(frozen=True)
class RunServices:
    """What a planner needs to run goals; the same for every run.

    Args:
        model: decides.
        executor: the robot.
        library: the robot's skills.
        experiences: episodic memory; None for none.
        system_prompt: what prompts begin with.
        settings: how the nodes behave.
        operator: who may be asked; None for nobody.
        strategy: name of the planning strategy (``strategies``).
        strategy_options: the strategy's own options; None for the defaults.
        prompts: further system prompts of the strategy, by the names that it gives them.
        encoder: makes sentence embeddings, for strategies that need them; None for none.
        robot: name of the robot; empty if there is only one.
        helpers: further robots by name; the children of a parallel run on all at the same time.
        skills_of: what each robot can do, by name, if not all can do the same; ``library`` is that
            of the first one.
        assignments: which agent node gets which robot.
        corrections: of what must hold, from a recorded run; None for those of a person.
        beliefs: corrections of where things are, likewise.
    """

    model: LanguageModel
    executor: SkillExecutor
    library: SkillLibrary
    experiences: ExperienceSource | None
    system_prompt: str
    settings: Settings
    operator: Operator | None = None
    strategy: str = 'reactree'
    strategy_options: Any = None
    prompts: Mapping[str, str] = field(default_factory=dict)
    encoder: Encoder | None = None
    robot: str = ''
    helpers: Mapping[str, SkillExecutor] = field(default_factory=dict)
    skills_of: Mapping[str, RobotSkills] = field(default_factory=dict)
    assignments: Assignments = field(default_factory=Assignments)
    corrections: Corrections | None = None
    beliefs: Corrections | None = None

    def of_robot(self, name: str) -> RunServices:
        """Return the same with the skills of a robot."""
        skills = self.skills_of.get(name)
        if skills is None:
            return self
        return replace(
            self,
            library=skills.library,
            system_prompt=skills.system_prompt,
            prompts=skills.prompts,
            experiences=skills.experiences,
            settings=replace(
                self.settings, memory=skills.settings.memory, prompt=skills.settings.prompt
            ),
        )


class Numbers:
    """Numbers of the behaviours of a run, in the order in which they are asked for, from 1."""

    def __init__(self) -> None:
        self._numbers: dict[UUID, int] = {}

    def of(self, behaviour_id: UUID) -> int:
        """Return the number of a behaviour, always the same."""
        return self._numbers.setdefault(behaviour_id, len(self._numbers) + 1)


@dataclass(frozen=True)
class StoppedSkill:
    """A skill that was stopped, until the robot has answered.

    Args:
        run: the skill.
        ended: called with its result; with None if there is none although the robot is at rest.
    """

    run: SkillRun
    ended: Callable[[SkillResult | None], None]


@dataclass
class RunState:
    """What the agent nodes of one run that work with one robot share beyond the services.

    Args:
        services: see there.
        budget: limits, counters and the clock of the active agent node's subtree.
        robot: who they work with, and what it has seen.
        goal: what must hold in the end.
        free_robots: the robots that no agent node works with.
        robots: all of the run.
        in_parallel: its agent nodes are below a parallel of several robots.
        recalled: what memory answered to the node, and to those above it by then, by class.
        on_event: called with every event, on the tick's thread; must not wait.
        answers: the operator's answers by question; empty for one that was not answered.
        numbers: of the behaviours of the run.
        on_record: called with the record of every decision, likewise.
        done: returns what must hold before the goal of the run counts as reached.
        remembers: memory has what the robot saw for earlier goals, which may have changed.
        stopped: skills that were stopped, until the robot has answered.
    """

    services: RunServices
    budget: Budget
    robot: Robot
    goal: GoalConditions
    on_event: Callable[[Event], None]
    free_robots: list[Robot] = field(default_factory=list)
    answers: dict[str, str] = field(default_factory=dict)
    numbers: Numbers = field(default_factory=Numbers)
    on_record: Callable[[DecisionRecord], None] = lambda record: None
    done: Callable[[], tuple[DoneCondition, ...]] = tuple
    remembers: bool = False
    stopped: list[StoppedSkill] = field(default_factory=list)
    robots: tuple[Robot, ...] = ()
    in_parallel: bool = False
    recalled: dict[str, str] = field(default_factory=dict)

    @property
    def memory(self) -> MemoryReader:
        """Working memory of the robot, to be read."""
        return self.robot.memory

    def options(self, kind: type[Options]) -> Options:
        """Return the options of the run's strategy, which are of a kind or extend it."""
        given = self.services.strategy_options
        if given is None:
            return kind()
        assert isinstance(given, kind), f'{type(given).__name__} are not {kind.__name__}'
        return given

    def on(self, robot: Robot) -> RunState:
        """Return the same with another robot."""
        services = self.services.of_robot(robot.name)
        in_parallel = len(self.robots) > 1
        return replace(self, services=services, robot=robot, in_parallel=in_parallel)

    def has_turn(self) -> bool:
        """Return whether it is the turn of the robot and its agent; with one robot it always is."""
        return len(self.robots) < 2 or self.services.assignments.has_turn(self.robot.name)

    def took_turn(self) -> None:
        """Take note that the robot has observed, or its agent was asked to decide or answered."""
        if len(self.robots) > 1:
            self.services.assignments.took_turn(self.robot.name)

    @property
    def lends(self) -> bool:
        """Whether the robot of an agent that waits may work for others.

        What a time limit cuts short must not leave its robot to others.
        """
        return not self.budget.limits.subtree_duration_sec

    def addressed(self, subgoal: str) -> tuple[str, str]:
        """Return the robot that a subgoal names, "robot2: …", or nothing; and the subgoal.

        Where robots are not lent, nobody is bound to a robot, which an agent that waits may have.
        """
        name, _, goal = subgoal.partition(': ')
        named = name and goal.strip() and name in {robot.name for robot in self.robots}
        return (name if self.lends else '', goal.strip()) if named else ('', subgoal)

    def below(self) -> RunState:
        """Return the same for an agent node below, whose subtree has a budget of its own."""
        return replace(self, budget=self.budget.below(), recalled=dict(self.recalled))

    def recall(self, class_name: str) -> str:
        """Ask memory where things of a class are; ``news`` returns what has changed since."""
        answer = self.recalled[class_name] = self.memory.recall(class_name)
        return answer

    def news(self) -> str:
        """Return what memory answers otherwise than when it was asked, each after a space.

        A lone robot changes what it knows itself, so there is no news for it.
        """
        if len(self.robots) < 2:
            return ''
        before = dict(self.recalled)
        return ''.join(
            f' {now}' for name, old in before.items() if (now := self.recall(name)) != old
        )

    def without_expansion(self) -> RunState:
        """Return the same for nodes that may not expand."""
        settings = self.services.settings
        settings = replace(settings, agent=replace(settings.agent, control_flows=()))
        return replace(self, services=replace(self.services, settings=settings))

    def publish(
        self,
        kind: str,
        text: str,
        node: DecidingNode,
        decision: Costs = Costs(),  # noqa: B008 - immutable
        model: str = '',
    ) -> None:
        """Publish an event, with all costs until now.

        Args:
            kind: one of ``KINDS``.
            text: what a person reads.
            node: the active node.
            decision: costs of the decision that the event reports.
            model: name of the model that made that decision.
        """
        whole = self.budget.whole
        event = Event(
            kind=kind,
            text=text,
            path=node.path,
            run=replace(whole.costs, total_seconds=whole.seconds),
            node=node.tracker.costs,
            decision=decision,
            model=model,
            behaviour=self.numbers.of(node.id),
            robot=self.robot.name,
            remaining=whole.remaining(),
            node_remaining=self.budget.remaining(),
            conditions=self.goal.states if kind == 'conditions' else (),
        )
        self.on_event(event)

    def known_answer(self, question: str) -> str:
        """Return what was answered to a question before; empty if it was not asked."""
        return self.answers.get(_key(question), '')

    def answered(self, question: str, answer: str) -> None:
        """Remember an answer of the operator; empty if there was none."""
        self.answers[_key(question)] = answer


def _key(question: str) -> str:
    return ' '.join(question.casefold().strip(' ?.!').split())
