# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How the nodes of a run behave: options that hold for every strategy."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.option import DAY, group, option
from reactree_ros.core.vote import VotePolicy

VERIFIED, REPORTED, NEVER = LEARNING_POLICIES = ('verified', 'reported', 'never')
"""Which successful runs become experiences."""
NO_APPROVAL = 'never'
RISK_LEVELS = ('low', 'medium', 'high')
"""Risk of a skill, in rising order."""
USER = 'user'
"""Stands for a file or folder in the user's data folder."""
FEW_SHOT_TOKENS = 1200
"""Token budget of examples for a model that learns from its prompt."""
AUTO_TOKENS = -1
"""Stands for the budget that suits the model."""
UNEXPLORED, HELD, IN_REACH = FACTS = ('unexplored', 'held', 'in_reach')
"""What observations may end with."""
AUTO, NONE = 'auto', 'none'


@dataclass(frozen=True)
class AgentOptions:
    """How agent nodes decide."""

    control_flows: tuple[ControlFlow, ...] = option(
        tuple(ControlFlow),
        'Control flows that an agent node may expand into.',
        kept_on_resume=True,
    )
    vote_policy: VotePolicy = option(
        VotePolicy.MAJORITY,
        'How many children of a parallel control flow must succeed.',
        kept_on_resume=True,
    )
    decision_timeout_sec: float = option(
        120.0,
        'Time limit of one decision.',
        unit='s',
        minimum=0.1,
        maximum=DAY,
    )
    allow_consecutive_thoughts: bool = option(
        False,
        'Allow a thought right after a thought.',
        kept_on_resume=True,
    )
    max_invalid_answers: int = option(
        3,
        'Consecutive invalid answers of the model after which an agent node fails.',
        minimum=1,
        maximum=1000,
        kept_on_resume=True,
    )
    max_repetitions: int = option(
        3,
        'An agent node fails after the same decision had the same result this many times. 0: '
        'never. Raise it for goals such as "take five photos".',
        minimum=0,
        maximum=1000,
        kept_on_resume=True,
    )
    mask_refused_skills: bool = option(
        True,
        'Do not offer a skill that was refused, until another skill has run, whatever its result.',
        kept_on_resume=True,
    )
    reject_recursion: bool = option(
        True,
        'Reject an expansion with the goal of a node above, and a fallback or parallel with a '
        'subgoal given twice.',
        kept_on_resume=True,
    )
    replan_after_failure: bool = option(
        True,
        'An agent node goes on deciding after its expansion failed.',
        kept_on_resume=True,
    )
    check_done: bool = option(
        False,
        'Ask the world (robot.check_service) whether the goal is reached before "done" counts. A '
        'goal that the world cannot check counts as reached.',
    )
    read_conditions: bool = option(
        True,
        'Let the model first state the conditions of the goal, in the predicates of the skill '
        'library. Success is checked against them in working memory. A goal in PDDL has its own: '
        'the world is asked, as with check_done.',
        kept_on_resume=True,
    )
    max_rejected_done: int = option(
        3,
        'How often a "done" of the root agent node is rejected because conditions do not hold. The '
        'next one is accepted, and the result is marked unconfirmed.',
        minimum=0,
        maximum=1000,
        kept_on_resume=True,
    )
    explain_endings: bool = option(
        True,
        'Let "failure" say why, and "done" carry an answer.',
        kept_on_resume=True,
    )
    max_thought_chars: int = option(
        265,
        'Longest thought, reason and answer. 0: no limit.',
        unit='characters',
        minimum=0,
        maximum=100_000,
        kept_on_resume=True,
    )
    max_subgoals: int = option(
        16,
        'Most subgoals of one expansion. 0: no limit.',
        minimum=0,
        maximum=1000,
        kept_on_resume=True,
    )
    max_subgoal_chars: int = option(
        120,
        'Longest subgoal. 0: no limit.',
        unit='characters',
        minimum=0,
        maximum=100_000,
        kept_on_resume=True,
    )
    check_at_start: bool = option(
        True,
        'A goal whose conditions (its own, those of the skill library, or with check_done the '
        'answer of the world) already hold at its start succeeds at once.',
    )


@dataclass(frozen=True)
class PromptOptions:
    """What agent nodes read besides goals and observations."""

    facts: tuple[str, ...] = option(
        (AUTO,),
        'Facts at the end of an observation, when they have changed: places and rooms that were '
        'not looked into, objects that are held, objects in reach. auto: those that the model was '
        'trained with, else none.',
        choices=(AUTO, NONE, *FACTS),
        kept_on_resume=True,
    )
    predicates: bool = option(
        False,
        'List the predicates of the skill library in the prompt, and its objects, kinds and places '
        'if they are few. A model that was trained with them sets it.',
        kept_on_resume=True,
    )


@dataclass(frozen=True)
class OperatorOptions:
    """Questions to the operator, and approval of skills."""

    ask: bool = option(
        False,
        'Let the model ask the operator, while the operator service is available.',
        kept_on_resume=True,
    )
    max_questions: int = option(
        3,
        'Most questions to the operator per goal.',
        minimum=1,
        maximum=1000,
        kept_on_resume=True,
    )
    approval_risk_level: str = option(
        NO_APPROVAL,
        'Lowest risk level, as the skill library declares it, of skills that need approval by a '
        'person, besides those that the library marks.',
        choices=(NO_APPROVAL, *RISK_LEVELS),
    )


@dataclass(frozen=True)
class MemoryOptions:
    """Episodic memory (experiences that become examples in the prompt) and working memory."""

    store: str = option(
        USER,
        'Experience store: a file, "user" for memory.sqlite in the user\'s data folder, or a '
        'PostgreSQL server that many planners share, postgresql://USER@HOST:PORT/DATABASE. Empty: '
        'none.',
    )
    robot: str = option(
        '',
        'Name of the robot in what it learns. Empty: the namespace of the planner, or else the '
        'name of the machine.',
    )
    learning_policy: str = option(
        VERIFIED,
        'Which successful runs become experiences: those verified by the world or a person, also '
        'those that only the agent reported, or none.',
        choices=LEARNING_POLICIES,
    )
    max_experiences: int = option(
        100_000,
        'Size limit of a file. Beyond it the least retrieved, then the oldest, are deleted. A '
        'server has no limit.',
        minimum=1,
        maximum=10_000_000,
    )
    experiences: str = option(
        '',
        "Text file with examples in the strategy's format, in place of the shipped ones. It "
        'applies to goals with the default strategy. Empty: the shipped ones.',
    )
    episodic: bool = option(
        True,
        'Retrieve examples by similarity of goals. If false, every prompt has the same example of '
        'a whole run, drawn with the seed.',
        kept_on_resume=True,
    )
    example_tokens: int = option(
        AUTO_TOKENS,
        f'Token budget of the examples in a prompt. 0: no examples; {AUTO_TOKENS}: what suits the '
        f'model ({FEW_SHOT_TOKENS}, or 0 for a model that was trained without examples, unless '
        'memory.experiences is set).',
        unit='tokens',
        minimum=AUTO_TOKENS,
        maximum=1_000_000,
        kept_on_resume=True,
    )
    similarity_margin: float = option(
        0.2,
        'Leave out experiences that score less than the best by more than this. 10: keep all.',
        minimum=0.0,
        maximum=10.0,
    )
    fixed_order: bool = option(
        False,
        'If all retrieved examples fit, show them in the order in which they were stored, not the '
        'most similar last: prompts then share a prefix, which a local model reads once.',
    )
    level_bonus: float = option(
        0.3,
        'Retrieval bonus for experiences of the same level: whole goals, or subgoals.',
        minimum=0.0,
        maximum=1.0,
    )
    recall: bool = option(
        True,
        'Offer "recall location of …", which is answered from working memory.',
        kept_on_resume=True,
    )
    keep_between_goals: bool = option(
        False,
        'Keep working memory from one goal to the next.',
        kept_on_resume=True,
    )


@dataclass(frozen=True)
class Settings:
    """What the nodes of a run read of the planner's options."""

    seed: int = option(
        0,
        'Random seed for retrieval tie-breaking, the fixed example and plan sampling.',
        minimum=0,
        maximum=1_000_000_000,
    )
    agent: AgentOptions = group(AgentOptions)
    prompt: PromptOptions = group(PromptOptions)
    operator: OperatorOptions = group(OperatorOptions)
    memory: MemoryOptions = group(MemoryOptions)
