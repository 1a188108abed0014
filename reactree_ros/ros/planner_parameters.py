# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""All parameters of the planner, one row each; ``config/reactree.yaml`` lists them for users."""

from __future__ import annotations

from reactree_ros.behaviours.options import OPTIONS
from reactree_ros.core.parameter import Parameter
from reactree_ros.ros.goal_check import CHECK_SERVICE
from reactree_ros.ros.operator_client import OPERATOR_SERVICE
from reactree_ros.ros.planner_config import (
    ATTACH,
    REPORT,
    RESUME,
    STOP,
    USER_JOURNAL,
    USER_RUNS,
)

REJECT = 'reject'
QUEUE = 'queue'
PREEMPT = 'preempt'
_DAY = 86_400.0

PARAMETERS = (
    *OPTIONS,
    Parameter(
        'record',
        '',
        'File to which all traffic with the models is recorded; what was in it is lost. Empty: '
        'none.',
    ),
    Parameter(
        'forget_between_goals',
        False,
        'Every goal begins with a model that has read nothing, so that its answers do not depend '
        'on the goals before it.',
        live=True,
    ),
    Parameter(
        'autostart',
        True,
        'The node configures and activates itself; else somebody else does, such as "ros2 '
        'lifecycle set".',
    ),
    Parameter(
        'diagnostics_sec',
        1.0,
        'How often the state of the planner is published on /diagnostics.',
        unit='s',
        lowest=0.1,
        highest=3600.0,
    ),
    Parameter(
        'runs',
        USER_RUNS,
        'Folder in which every run is recorded, a file each (MCAP), or "user" for runs in the '
        "user's data folder. Empty: none.",
    ),
    Parameter(
        'runs_kept',
        200,
        'How many recorded runs are kept; the oldest go first.',
        unit='files',
        lowest=1,
        highest=1_000_000,
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
        'max_goal_chars',
        2000,
        'Longest goal that is taken.',
        unit='characters',
        lowest=1,
        highest=1_000_000,
        live=True,
    ),
    Parameter(
        'goal_policy',
        REJECT,
        'What happens to a goal that comes while another runs: it is rejected, it waits for its '
        'turn, or it preempts.',
        choices=(REJECT, QUEUE, PREEMPT),
        live=True,
    ),
    Parameter(
        'max_queued',
        10,
        'Most goals that wait for their turn; one more is rejected.',
        unit='goals',
        lowest=1,
        highest=1000,
        live=True,
    ),
    Parameter(
        'tidy_up',
        False,
        'Before a goal that preempts begins, the robot puts down what it holds, if its skill '
        'library says how.',
        live=True,
    ),
    Parameter(
        'journal',
        USER_JOURNAL,
        'File in which the planner writes what it is at, for the next one to find after it was '
        'killed, or "user" for one in the user\'s data folder. Empty: none.',
    ),
    Parameter(
        'on_restart',
        REPORT,
        'What becomes of a goal that was open when the planner was killed: it is reported, or it '
        'goes on where it was.',
        choices=(REPORT, RESUME),
    ),
    Parameter(
        'restart_goals',
        STOP,
        'What becomes of skills that a robot was at when the planner was killed: it is stopped, or '
        'it comes to their ends, and a run that goes on takes them up.',
        choices=(STOP, ATTACH),
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
        'robots',
        '',
        'Namespaces of several robots that have the same skills, with commas between them: the '
        'children of a parallel run at the same time, one robot each; all else is done by the '
        "first. Empty: one robot, in the planner's own namespace.",
    ),
    Parameter(
        'observe_service',
        'household/observe',
        'Service that tells what the robot perceives.',
    ),
    Parameter(
        'check_service',
        CHECK_SERVICE,
        'Service that tells whether a goal was reached, which is asked before anything is '
        'learned. Empty: none.',
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
        'How long a server may take to accept or reject a skill, or to check a goal.',
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
"""All parameters of the planner node: its options, and what only a node needs."""
