# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The planner's parameters and what they become: settings, limits and time-outs."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros.core.budget import Limits
from reactree_ros.core.settings import Settings
from reactree_ros.core.vote import VotePolicy
from reactree_ros.ros.parameters import Parameter
from reactree_ros.ros.skill_client import Timeouts

STRATEGIES = ('reactree',)
REJECT = 'reject'
PREEMPT = 'preempt'
_DAY = 86_400.0

PARAMETERS = (
    Parameter(
        'skills',
        'household',
        "The robot's skill library: a shipped one by name, or the path of a YAML file.",
    ),
    Parameter(
        'model',
        '',
        'The language model: a packaged one by name, the path of a model folder, or '
        '"scripted:" and the path of a script. Empty: the default model.',
    ),
    Parameter(
        'model_load_sec',
        300.0,
        'How long the model may take to load.',
        unit='s',
        lowest=1.0,
        highest=_DAY,
    ),
    Parameter(
        'decision_sec',
        120.0,
        'How long one decision may take.',
        unit='s',
        lowest=0.1,
        highest=_DAY,
    ),
    Parameter(
        'experiences',
        '',
        'Experiences for in-context examples: the path of a text file. Empty: the shipped ones.',
    ),
    Parameter(
        'example_tokens',
        1200,
        'Token budget of the retrieved experiences; 0 turns episodic memory off.',
        unit='tokens',
        lowest=0,
        highest=1_000_000,
    ),
    Parameter(
        'shape_weight',
        0.3,
        'How much retrieval favours experiences of the same level and number of objects.',
        lowest=0.0,
        highest=1.0,
    ),
    Parameter(
        'margin',
        0.2,
        'Experiences less similar than the best by more than this are left out; 10 keeps all.',
        lowest=0.0,
        highest=10.0,
    ),
    Parameter(
        'strategy',
        'reactree',
        'Planning strategy of goals that name none.',
        choices=STRATEGIES,
    ),
    Parameter(
        'max_decisions',
        200,
        'Most decisions of all agent nodes of a goal together.',
        lowest=1,
        highest=1_000_000,
    ),
    Parameter(
        'max_depth',
        8,
        'Greatest depth of an agent node; the root has 1.',
        lowest=1,
        highest=100,
    ),
    Parameter(
        'max_seconds',
        600.0,
        'Wall-clock limit of a goal.',
        unit='s',
        lowest=0.1,
        highest=_DAY,
    ),
    Parameter(
        'max_goal_chars',
        2000,
        'Longest goal that is taken.',
        unit='characters',
        lowest=1,
        highest=1_000_000,
    ),
    Parameter(
        'goal_policy',
        REJECT,
        'What happens to a goal that comes while another runs: it is rejected, or it preempts.',
        choices=(REJECT, PREEMPT),
    ),
    Parameter(
        'vote_policy',
        VotePolicy.MAJORITY.value,
        'How many children of a parallel control flow must succeed.',
        choices=tuple(policy.value for policy in VotePolicy),
    ),
    Parameter(
        'working_memory',
        True,
        'Offer "recall location of …", which is answered from working memory.',
    ),
    Parameter(
        'think_twice',
        False,
        'Allow a thought right after a thought.',
    ),
    Parameter(
        'check_decisions',
        True,
        'Hold "done", "failure" and expansions against working memory before they count.',
    ),
    Parameter(
        'only_relevant',
        True,
        "Offer skills that ask for it only on what can matter for the agent node's goal.",
    ),
    Parameter(
        'point_out',
        True,
        'End an observation with those objects in reach that the goal names.',
    ),
    Parameter(
        'max_repetitions',
        3,
        'An agent node that did the same with the same result this often fails; 0: never.',
        lowest=0,
        highest=1000,
    ),
    Parameter(
        'max_invalid',
        3,
        'Invalid answers of the model in a row after which an agent node fails.',
        lowest=1,
        highest=1000,
    ),
    Parameter(
        'replan_after_failure',
        False,
        'An agent node goes on deciding after its expansion failed.',
    ),
    Parameter(
        'tick_hz',
        20.0,
        'How often the tree is ticked.',
        unit='Hz',
        lowest=1.0,
        highest=200.0,
    ),
    Parameter(
        'observe_service',
        'household/observe',
        'Service that tells what the robot perceives.',
    ),
    Parameter(
        'server_wait_sec',
        5.0,
        'How long a server is waited for that is not there.',
        unit='s',
        lowest=0.1,
        highest=3600.0,
    ),
    Parameter(
        'goal_response_sec',
        5.0,
        'How long a server may take to accept or reject a skill.',
        unit='s',
        lowest=0.1,
        highest=3600.0,
    ),
    Parameter(
        'cancel_sec',
        5.0,
        'How long the robot may take to stop a skill that was cancelled.',
        unit='s',
        lowest=0.1,
        highest=3600.0,
    ),
)
"""All parameters of the planner."""


@dataclass(frozen=True)
class PlannerConfig:
    """The planner's parameters; see ``PARAMETERS``."""

    skills: str
    model: str
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
    think_twice: bool
    check_decisions: bool
    only_relevant: bool
    point_out: bool
    max_repetitions: int
    max_invalid: int
    replan_after_failure: bool
    tick_hz: float
    observe_service: str
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
