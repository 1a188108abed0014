# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""All parameters of the planner, one row each; ``config/reactree.yaml`` lists them for users."""

from __future__ import annotations

from reactree_ros.core.vote import VotePolicy
from reactree_ros.models.options import API_KEY, CHAT, DTYPES, SERVERS
from reactree_ros.ros.operator_client import OPERATOR_SERVICE
from reactree_ros.ros.parameters import Parameter

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
        'The language model: a packaged one by name, the path of a model folder or of a GGUF '
        'file, the id of a model on a hub, the address of an OpenAI-compatible server such as '
        f'http://host:8000/v1 (its key, if it wants one, in the environment as {API_KEY}), or '
        '"scripted:" or "recorded:" and the path of a script or of a recording. Empty: the '
        'default model.',
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
        'none of the packaged models, which read plain text better.',
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
        1024,
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
        'model_retries',
        3,
        'How often a request to a server is repeated after a passing fault.',
        lowest=0,
        highest=100,
    ),
    Parameter(
        'record',
        '',
        'File to which all traffic with the models is recorded; what was in it is lost. Empty: '
        'none.',
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
        'operator_service',
        OPERATOR_SERVICE,
        'Service that puts questions to the operator.',
    ),
    Parameter(
        'operator_sec',
        60.0,
        'How long the operator may take to answer.',
        unit='s',
        lowest=0.1,
        highest=_DAY,
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
