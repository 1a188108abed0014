# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A planner's options, with or without ROS: their values, and what becomes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from reactree_ros.behaviours.option_table import FEW_SHOT_TOKENS, OPTIONS, SUITED, USER_MEMORY
from reactree_ros.core.budget import Limits
from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.parameter import Value, faults_of
from reactree_ros.core.settings import Settings
from reactree_ros.core.vote import VotePolicy
from reactree_ros.exceptions import ConfigurationError
from reactree_ros.models.embedded import wants_examples
from reactree_ros.models.options import ModelOptions
from reactree_ros.paths import data

__all__ = ['OPTIONS', 'PlannerOptions', 'planner_options']


@dataclass(frozen=True)
class PlannerOptions:
    """Values of all ``OPTIONS``; make one by ``planner_options``."""

    skills: str
    model: str
    acting_model: str
    model_device: str
    model_dtype: str
    model_chat: str
    model_threads: int
    model_cache_mb: int
    model_share_examples: bool
    model_context_tokens: int
    model_server: str
    served_model: str
    acting_served_model: str
    standby_model: str
    standby_served_model: str
    model_retries: int
    encoder: str
    decision_sec: float
    experiences: str
    memory: str
    learn: str
    memory_limit: int
    example_tokens: int
    episodic_memory: bool
    shape_weight: float
    margin: float
    situation_weight: float
    spare_duplicates: bool
    retrieve_verified: bool
    seed: int
    strategy: str
    max_decisions: int
    max_depth: int
    max_seconds: float
    max_tokens: int
    subtree_decisions: int
    subtree_seconds: float
    subtree_tokens: int
    control_flows: tuple[str, ...]
    vote_policy: str
    working_memory: bool
    keep_working_memory: bool
    ask_operator: bool
    max_questions: int
    approve_from: str
    think_twice: bool
    check_decisions: bool
    check_done: bool
    only_relevant: bool
    search_memory: bool
    point_out: bool
    max_repetitions: int
    max_invalid: int
    replan_after_failure: bool
    plan_samples: int
    plan_temperature: float
    plan_top_p: float
    plan_steps: int
    attempt_decisions: int
    split_depth: int
    tries: int
    chunk_acts: int
    leaf_check: bool

    @property
    def settings(self) -> Settings:
        """How the nodes of a run behave."""
        return Settings(
            control_flows=tuple(ControlFlow(flow) for flow in self.control_flows),
            vote_policy=VotePolicy(self.vote_policy),
            example_tokens=self.example_budget,
            working_memory=self.working_memory,
            ask_operator=self.ask_operator,
            max_questions=self.max_questions,
            think_twice=self.think_twice,
            check_decisions=self.check_decisions,
            check_done=self.check_done,
            only_relevant=self.only_relevant,
            search_memory=self.search_memory,
            point_out=self.point_out,
            max_repetitions=self.max_repetitions,
            max_invalid=self.max_invalid,
            replan_after_failure=self.replan_after_failure,
            decision_time_limit_s=self.decision_sec,
            seed=self.seed,
            plan_samples=self.plan_samples,
            plan_temperature=self.plan_temperature,
            plan_top_p=self.plan_top_p,
            plan_steps=self.plan_steps,
            attempt_decisions=self.attempt_decisions,
            split_depth=self.split_depth,
            tries=self.tries,
            chunk_acts=self.chunk_acts,
            leaf_check=self.leaf_check,
        )

    def outside_a_house(self) -> PlannerOptions:
        """Return the same without the aids that know of rooms, places and things."""
        return replace(
            self,
            working_memory=False,
            check_decisions=False,
            only_relevant=False,
            search_memory=False,
            point_out=False,
        )

    @property
    def example_budget(self) -> int:
        """Token budget of the retrieved experiences; 0 for none."""
        if self.example_tokens != SUITED:
            return self.example_tokens
        return FEW_SHOT_TOKENS if wants_examples(self.model) else 0

    @property
    def memory_file(self) -> Path | None:
        """Where the store of experiences lies, or will lie; None if there is to be none."""
        if not self.memory:
            return None
        return data('memory.sqlite') if self.memory == USER_MEMORY else Path(self.memory)

    @property
    def model_options(self) -> ModelOptions:
        """Which model decides, or only thinks, expands and asks, and how it is run."""
        return ModelOptions(
            model=self.model,
            device=self.model_device,
            dtype=self.model_dtype,
            chat=self.model_chat,
            threads=self.model_threads,
            cache_mb=self.model_cache_mb,
            share_examples=self.model_share_examples,
            context_tokens=self.model_context_tokens,
            server=self.model_server,
            served_model=self.served_model,
            retries=self.model_retries,
            encoder=self.encoder,
        )

    @property
    def acting_options(self) -> ModelOptions | None:
        """Which model acts, and how it is run: as the other one is; None if one does all."""
        if not self.acting_model:
            return None
        return replace(
            self.model_options, model=self.acting_model, served_model=self.acting_served_model
        )

    @property
    def standby_options(self) -> ModelOptions | None:
        """Which model answers while the others do not; None if none does."""
        if not self.standby_model:
            return None
        return replace(
            self.model_options, model=self.standby_model, served_model=self.standby_served_model
        )

    def limits(
        self,
        max_decisions: int = 0,
        max_depth: int = 0,
        max_seconds: float = 0.0,
        max_tokens: int = 0,
    ) -> Limits:
        """Return a goal's limits; what it leaves at 0 is taken from the options."""
        return Limits(
            max_decisions=max_decisions or self.max_decisions,
            max_depth=max_depth or self.max_depth,
            max_seconds=max_seconds or self.max_seconds,
            max_tokens=max_tokens or self.max_tokens,
            subtree_decisions=self.subtree_decisions,
            subtree_seconds=self.subtree_seconds,
            subtree_tokens=self.subtree_tokens,
        )


def planner_options(given: Mapping[str, Value]) -> PlannerOptions:
    """Return options: the given values, and the defaults of all others.

    Raises:
        ConfigurationError: if a name is not known or a value not allowed; the message has all.
    """
    faults = faults_of(OPTIONS, given)
    if faults:
        raise ConfigurationError('; '.join(faults))
    values: dict[str, Any] = {
        row.name: row.convert(given.get(row.name, row.default)) for row in OPTIONS
    }
    return PlannerOptions(**values)
