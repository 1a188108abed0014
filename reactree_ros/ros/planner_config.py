# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the planner's parameters become: settings, limits, time-outs and models."""

from __future__ import annotations

from dataclasses import dataclass, replace

from reactree_ros.core.budget import Limits
from reactree_ros.core.settings import Settings
from reactree_ros.core.vote import VotePolicy
from reactree_ros.models.options import ModelOptions
from reactree_ros.ros.skill_client import Timeouts


@dataclass(frozen=True)
class PlannerConfig:
    """The planner's parameters; see ``planner_parameters.PARAMETERS``."""

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
    model_retries: int
    record: str
    model_load_sec: float
    decision_sec: float
    experiences: str
    example_tokens: int
    shape_weight: float
    margin: float
    strategy: str
    max_decisions: int
    max_depth: int
    max_seconds: float
    max_goal_chars: int
    goal_policy: str
    vote_policy: str
    working_memory: bool
    ask_operator: bool
    max_questions: int
    think_twice: bool
    check_decisions: bool
    only_relevant: bool
    point_out: bool
    max_repetitions: int
    max_invalid: int
    replan_after_failure: bool
    tick_hz: float
    observe_service: str
    operator_service: str
    operator_sec: float
    server_wait_sec: float
    goal_response_sec: float
    cancel_sec: float

    @property
    def settings(self) -> Settings:
        """How agent nodes behave."""
        return Settings(
            vote_policy=VotePolicy(self.vote_policy),
            example_tokens=self.example_tokens,
            working_memory=self.working_memory,
            ask_operator=self.ask_operator,
            max_questions=self.max_questions,
            think_twice=self.think_twice,
            check_decisions=self.check_decisions,
            only_relevant=self.only_relevant,
            point_out=self.point_out,
            max_repetitions=self.max_repetitions,
            max_invalid=self.max_invalid,
            replan_after_failure=self.replan_after_failure,
            decision_time_limit_s=self.decision_sec,
        )

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
        )

    @property
    def acting_options(self) -> ModelOptions:
        """Which model acts, and how it is run: as the other one is."""
        return replace(
            self.model_options, model=self.acting_model, served_model=self.acting_served_model
        )

    @property
    def timeouts(self) -> Timeouts:
        """How long the robot is waited for."""
        return Timeouts(self.server_wait_sec, self.goal_response_sec, self.cancel_sec)

    def limits(self, max_decisions: int, max_depth: int, max_seconds: float) -> Limits:
        """Return a goal's limits; what it leaves at 0 is taken from the parameters."""
        return Limits(
            max_decisions=max_decisions or self.max_decisions,
            max_depth=max_depth or self.max_depth,
            max_seconds=max_seconds or self.max_seconds,
        )
