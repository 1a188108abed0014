# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What all agent nodes of one run share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from reactree_ros.behaviours.skill import SkillExecutor
from reactree_ros.core.budget import Budget
from reactree_ros.core.events import Event
from reactree_ros.core.settings import Settings
from reactree_ros.memory.working import WorkingMemory
from reactree_ros.models.interface import LanguageModel, Pending
from reactree_ros.skills.library import SkillLibrary


class ExperienceSource(Protocol):
    """Where in-context examples come from."""

    def retrieve(self, goal: str, root: bool, token_budget: int) -> Pending[tuple[str, ...]]:
        """Ask for the trajectories most similar to a goal, the best first."""


@dataclass(frozen=True)
class RunServices:
    """What a planner needs to run goals; the same for every run.

    Args:
        model: decides.
        executor: the robot.
        library: the robot's skills.
        experiences: episodic memory; None for none.
        system_prompt: what every agent node's prompt begins with.
        settings: how agent nodes behave.
    """

    model: LanguageModel
    executor: SkillExecutor
    library: SkillLibrary
    experiences: ExperienceSource | None
    system_prompt: str
    settings: Settings


@dataclass
class RunState:
    """What the agent nodes of one run share beyond the services.

    Args:
        services: see there.
        budget: limits, counters and the clock.
        memory: working memory.
        listen: called with every event, on the tick's thread; must not wait.
    """

    services: RunServices
    budget: Budget
    memory: WorkingMemory
    listen: Callable[[Event], None]

    def tell(self, kind: str, text: str, path: tuple[str, ...], depth: int) -> None:
        """Pass an event on, with the counts at this moment."""
        costs = self.budget.costs
        self.listen(
            Event(
                kind=kind,
                text=text,
                path=path,
                depth=depth,
                decisions=costs.decisions,
                skills=costs.skills,
                tokens_in=costs.tokens_in,
                tokens_out=costs.tokens_out,
                seconds=self.budget.seconds,
            )
        )
