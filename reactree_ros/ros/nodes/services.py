# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Makes what the planner works with out of its parameters."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.model import PlannerModel
from reactree_ros.core.operator import Operator
from reactree_ros.execution.claims import Claims
from reactree_ros.execution.guard import guarded
from reactree_ros.memory.episodic import EpisodicMemory
from reactree_ros.memory.learning import Learner
from reactree_ros.memory.store import ExperienceStore
from reactree_ros.models.metered import MeteredModel
from reactree_ros.models.start import start_model
from reactree_ros.planner.assembly import approved, assemble, for_team, library_of
from reactree_ros.planner.memory_setup import cached_encoder, open_memory
from reactree_ros.ros.nodes.planner_config import PlannerConfig, robot_libraries
from reactree_ros.skills.executor import SkillExecutor
from reactree_ros.skills.library import SkillLibrary


@dataclass(frozen=True)
class PlannerParts:
    """What all goals of a planner share.

    Args:
        skills: name of the skill library of the first robot.
        store: what was learned; None without a memory, or without an encoder.
        learner: adds to it; None if there is no store.
        made: what was made, by strategy.
    """

    make: Callable[[str], RunServices]
    model: PlannerModel
    skills: str
    store: ExperienceStore | None = None
    learner: Learner | None = None
    made: dict[str, RunServices] = field(default_factory=dict)

    def services(self, strategy: str) -> RunServices:
        """Return what runs of a strategy work with; it is made when it is first asked for.

        Raises:
            ConfigurationError: if the strategy is not known, or a file of it is missing or wrong.
        """
        if strategy not in self.made:
            self.made[strategy] = self.make(strategy)
        return self.made[strategy]

    def close(self) -> None:
        """End the model's process and close the store, after all that was to be written."""
        self.model.close()
        if self.learner is not None:
            self.learner.close()
        for services in self.made.values():
            others = (one.experiences for one in services.skills_of.values())
            for memory in {services.experiences, *others}:
                if isinstance(memory, EpisodicMemory):
                    memory.close()
        if self.store is not None:
            self.store.close()


def make_parts(
    config: PlannerConfig,
    make_robot: Callable[[SkillLibrary, str], SkillExecutor],
    operator: Operator,
) -> PlannerParts:
    """Return what all goals share.

    Args:
        config: the planner's parameters.
        make_robot: makes a robot that has the skills of the library, by its name.
        operator: who may be asked.

    Raises:
        ConfigurationError: if a file is missing or wrong, or the safe state would need a person.
        ModelError: if there is no such model.
        StoreError: if the memory's file is locked, or its server does not answer.
    """
    given = robot_libraries(config.robots, config.skills, config.skills_of_robots)
    read = {one: approved(library_of(config, one), config) for one in given.values()}
    with ExitStack() as made:
        model = start_model(config.model, config.standby_options, operator)
        made.callback(model.close)  # it has a process of its own
        if config.metrics.port:
            model = MeteredModel(model, config.metrics.port, config.metrics.address)
            made.callback(model.close)
        store = open_memory(config, model)
        learner = None
        if store is not None:
            made.callback(store.close)
            learner = Learner(store, cached_encoder(model))
        # Last: clients that are destroyed at once, while the executor spins, disturb it.
        claims = Claims(config.robot.cancel_sec)
        robots = {
            name: guarded(make_robot(read[one], name), read[one], claims, name)
            for name, one in given.items()
        }

        def make(name: str) -> RunServices:
            any_robot = next(iter(robots.values()))
            of = {
                one: assemble(
                    config, model, any_robot, operator, name=name, library=library, store=store
                )
                for one, library in read.items()
            }
            return for_team(
                {robot: replace(of[one], executor=robots[robot]) for robot, one in given.items()}
            )

        skills = next(iter(read.values())).name
        parts = PlannerParts(make, model, skills, store, learner)
        parts.services(config.strategy)
        made.pop_all()
    return parts
