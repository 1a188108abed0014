# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""All that can be set of a planner, with or without ROS: one row each."""

from __future__ import annotations

from reactree_ros.behaviours.strategies import REACTREE, strategy_names
from reactree_ros.core.decision import ControlFlow
from reactree_ros.core.parameter import Parameter
from reactree_ros.core.vote import VotePolicy
from reactree_ros.models.options import API_KEY, CHAT, DTYPES, SERVERS
from reactree_ros.skills.library import NEVER as NO_RISK
from reactree_ros.skills.library import RISKS

_DAY = 86_400.0
USER_MEMORY = 'user'
"""Stands for the store in the user's data folder."""
VERIFIED, REPORTED, NEVER = LEARN = ('verified', 'reported', 'never')
"""Which successful runs become experiences."""
FEW_SHOT_TOKENS = 1200
"""Budget of a model that learns from its prompt: more than that is read longer than it helps."""
SUITED = -1
"""Stands for the budget that suits the model."""

OPTIONS = (
    Parameter(
        'skills',
        'household',
        "The robot's skill library: a shipped one by name, or the path of a YAML file.",
    ),
    Parameter(
        'model',
        '',
        'The language model: a packaged one by name, the path of a model folder, of the folder of '
        'an adapter that was trained, or of a GGUF file, the id of a model on a hub, the address '
        'of an OpenAI-compatible server such as http://host:8000/v1 (its key, if it wants one, in '
        f'the environment as {API_KEY}), or "scripted:" or "recorded:" and the path of a script or '
        'of a recording. Empty: the default model.',
    ),
    Parameter(
        'acting_model',
        '',
        'A second language model that acts while the first thinks, expands and asks; given like '
        'the first. Empty: one model does all.',
    ),
    Parameter(
        'model_device',
        '',
        'Where models compute, such as "cpu" or "cuda:0". Empty: a GPU if there is one.',
    ),
    Parameter(
        'model_dtype',
        'auto',
        'Number format of models that compute here; auto: bfloat16 where the processor has it.',
        choices=DTYPES,
    ),
    Parameter(
        'model_chat',
        'auto',
        "Whether prompts are laid out with a model's chat template; auto: if it has one and is "
        'neither packaged nor trained here, for these read plain text better.',
        choices=CHAT,
    ),
    Parameter(
        'model_threads',
        0,
        'Threads of a model that computes here; 0: all cores.',
        lowest=0,
        highest=1024,
    ),
    Parameter(
        'model_cache_mb',
        2048,
        'Budget of the cache of prompts of a model that computes here.',
        unit='MiB',
        lowest=0,
        highest=1_000_000,
    ),
    Parameter(
        'model_share_examples',
        True,
        'A model that computes here reads each experience once, however often it is retrieved.',
    ),
    Parameter(
        'model_context_tokens',
        0,
        'Longest prompt and answer; 0: what the model was made for.',
        unit='tokens',
        lowest=0,
        highest=10_000_000,
    ),
    Parameter(
        'model_server',
        'auto',
        'Kind of an OpenAI-compatible server; auto: it is found out; none: it cannot constrain '
        'answers.',
        choices=SERVERS,
    ),
    Parameter(
        'served_model',
        '',
        'Name by which a server knows the model. Empty: its first.',
    ),
    Parameter(
        'acting_served_model',
        '',
        'Name by which a server knows the acting model. Empty: its first.',
    ),
    Parameter(
        'standby_model',
        '',
        'A second language model that answers while the first does not; given like the first, and '
        'started when it is needed. Empty: none.',
    ),
    Parameter(
        'standby_served_model',
        '',
        'Name by which a server knows the standby model. Empty: its first.',
    ),
    Parameter(
        'model_retries',
        3,
        'How often a request to a server is repeated after a passing fault.',
        lowest=0,
        highest=100,
    ),
    Parameter(
        'encoder',
        '',
        'Sentence encoder that goals are compared with: the path of a sentence-transformers '
        'folder, or the id of one on a hub. Empty: the packaged one.',
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
        "Experiences for in-context examples: the path of a text file in the strategy's form. "
        'Empty, or for goals that name another strategy: the shipped ones.',
    ),
    Parameter(
        'memory',
        USER_MEMORY,
        'Experience store that is read and learned into: the path of a file, or "user" for '
        "memory.sqlite in the user's data folder. Empty: none.",
    ),
    Parameter(
        'learn',
        VERIFIED,
        'Which successful runs become experiences: verified by the world or a person, also those '
        'that only the agent reported, or never any.',
        choices=LEARN,
    ),
    Parameter(
        'memory_limit',
        100_000,
        'Most experiences of the store; beyond it, those least retrieved are forgotten, the '
        'oldest first.',
        lowest=1,
        highest=10_000_000,
    ),
    Parameter(
        'example_tokens',
        SUITED,
        f'Token budget of the retrieved experiences; 0 leaves examples out, {SUITED} takes what '
        f'suits the model: {FEW_SHOT_TOKENS}, or 0 for one that was trained without.',
        unit='tokens',
        lowest=SUITED,
        highest=1_000_000,
    ),
    Parameter(
        'episodic_memory',
        True,
        'Retrieve experiences by their goals. Off, every prompt has the same example: one '
        'experience of a whole run, drawn by the seed.',
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
        'situation_weight',
        0.0,
        'How much retrieval favours experiences that began with as many things held and in a '
        'room of the same class.',
        lowest=0.0,
        highest=1.0,
    ),
    Parameter(
        'spare_duplicates',
        False,
        'An experience that shows the same as one already taken comes after all others.',
    ),
    Parameter(
        'retrieve_verified',
        False,
        'Retrieve only experiences of runs that the world or a person verified.',
    ),
    Parameter(
        'seed',
        0,
        'Of every draw: among equally similar experiences, of the example without episodic '
        'memory, and of sampled plans.',
        lowest=0,
        highest=1_000_000_000,
    ),
    Parameter(
        'strategy',
        REACTREE,
        'Planning strategy of goals that name none.',
        choices=strategy_names(),
        live=True,
    ),
    Parameter(
        'max_decisions',
        200,
        'Most decisions of all agent nodes of a goal together.',
        lowest=1,
        highest=1_000_000,
        live=True,
    ),
    Parameter(
        'max_depth',
        8,
        'Greatest depth of an agent node; the root has 1.',
        lowest=1,
        highest=100,
        live=True,
    ),
    Parameter(
        'max_seconds',
        600.0,
        'Wall-clock limit of a goal.',
        unit='s',
        lowest=0.1,
        highest=_DAY,
        live=True,
    ),
    Parameter(
        'max_tokens',
        0,
        'Most tokens that the model reads and writes for a goal; 0: no limit.',
        unit='tokens',
        lowest=0,
        highest=1_000_000_000,
        live=True,
    ),
    Parameter(
        'subtree_decisions',
        0,
        'Most decisions of a subtree, which is an agent node below the root and all below it; 0: '
        'no limit.',
        lowest=0,
        highest=1_000_000,
        live=True,
    ),
    Parameter(
        'subtree_seconds',
        0.0,
        'Wall-clock limit of a subtree; 0: none.',
        unit='s',
        lowest=0.0,
        highest=_DAY,
        live=True,
    ),
    Parameter(
        'subtree_tokens',
        0,
        'Most tokens that the model reads and writes for a subtree; 0: no limit.',
        unit='tokens',
        lowest=0,
        highest=1_000_000_000,
        live=True,
    ),
    Parameter(
        'control_flows',
        tuple(flow.value for flow in ControlFlow),
        'Control flows that an agent node may expand under.',
        choices=tuple(flow.value for flow in ControlFlow),
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
        'keep_working_memory',
        False,
        'A goal begins with what was seen in the one before it, in the same place.',
    ),
    Parameter(
        'ask_operator',
        False,
        'Offer a question to the operator while the operator service is there.',
    ),
    Parameter(
        'max_questions',
        3,
        'Questions to the operator in one goal.',
        lowest=1,
        highest=1000,
    ),
    Parameter(
        'approve_from',
        NO_RISK,
        'Risk class of skills, from the skill library, from which on a person has to allow each '
        'one, besides those that the library marks.',
        choices=(NO_RISK, *RISKS),
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
        'check_done',
        False,
        'Ask the world (check_service) whether a goal is reached before "done" counts; a goal that '
        'it cannot read counts.',
    ),
    Parameter(
        'only_relevant',
        True,
        "Offer skills that ask for it only on what can matter for the agent node's goal.",
    ),
    Parameter(
        'search_memory',
        True,
        'Leave places out that were looked into, as long as what the goal names was not seen.',
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
        'plan_samples',
        25,
        'Tree-Planner: how many plans are sampled.',
        lowest=1,
        highest=1000,
    ),
    Parameter(
        'plan_temperature',
        0.8,
        'Tree-Planner: temperature of sampled plans; 0 makes all plans the same.',
        lowest=0.0,
        highest=10.0,
    ),
    Parameter(
        'plan_top_p',
        0.95,
        'Tree-Planner: plans are sampled from the likeliest tokens that together have this '
        'probability.',
        lowest=0.01,
        highest=1.0,
    ),
    Parameter(
        'plan_steps',
        60,
        'ZSP and Tree-Planner: longest plan.',
        unit='skills',
        lowest=1,
        highest=1000,
    ),
    Parameter(
        'attempt_decisions',
        20,
        'ADaPT, plan_and_execute, try_again and reflexion: most decisions of one try.',
        lowest=1,
        highest=1000,
    ),
    Parameter(
        'split_depth',
        3,
        'ADaPT: how deep steps are split into steps; 1 never splits.',
        lowest=1,
        highest=20,
    ),
    Parameter(
        'tries',
        3,
        'try_again and reflexion: how often a goal is tried.',
        lowest=1,
        highest=100,
    ),
    Parameter(
        'chunk_acts',
        0,
        'An agent node reads what it did as summaries, but for its latest acts: one for each '
        'thought and for each so many acts; 0: no summaries.',
        lowest=0,
        highest=1000,
    ),
    Parameter(
        'leaf_check',
        False,
        'Ask the model of each subgoal whether it is one skill, has to be worked out, or is unfit.',
    ),
)
"""All that can be set of a planner; a planner node has these as parameters, and more."""
