# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How a skill ends, for every manner of an action server; docs/faults.md tells it in words.

Each row has an ending for a goal that nobody cancels, for one that is cancelled before the server
has answered, and for one that is cancelled as soon as the robot moves.
"""

from __future__ import annotations

from typing import NamedTuple

from reactree_ros.core.observation import SkillStatus
from reactree_ros.ros.skills.run import Timeouts

LIMITS = Timeouts(server_wait_sec=0.3, goal_response_sec=0.3, cancel_sec=0.3)
RESULT_SEC = 0.5
TIMES = ('nobody cancels', 'before the response', 'while it moves')


class End(NamedTuple):
    """How a skill ends: its status and a piece of its text."""

    status: SkillStatus
    text: str


DONE = End(SkillStatus.SUCCEEDED, 'told')
REJECTED = End(SkillStatus.FAILED, 'rejected it')
NEITHER = End(SkillStatus.FAILED, 'neither accepted nor rejected it for 0.3 s')
GONE = End(SkillStatus.FAILED, 'went away while it ran')
FORGOTTEN = End(SkillStatus.FAILED, 'does not know the goal any more')
NO_END = End(SkillStatus.FAILED, 'which is not an end')
OTHERWISE = End(SkillStatus.FAILED, 'told')
UNSET = End(SkillStatus.FAILED, 'the server did not set the outcome in its result: told')
UNKNOWN = End(SkillStatus.FAILED, 'the server set the unknown outcome 77 in its result: told')
ABORTED = End(SkillStatus.FAILED, 'told')
OVERDUE = End(SkillStatus.FAILED, 'there was no result for 0.5 s; the robot stopped')
OVERDUE_SILENT = End(
    SkillStatus.FAILED, 'no result for 0.5 s; the robot did not confirm within 0.3 s'
)
CANCELED = End(SkillStatus.CANCELED, '" was canceled.')
BY_ROBOT = End(SkillStatus.CANCELED, 'was canceled by the robot')
NOT_ACCEPTED = End(SkillStatus.CANCELED, 'it had not been accepted')
NO_ANSWER = End(SkillStatus.CANCELED, 'was canceled; no answer for 0.3 s')
UNCONFIRMED = End(SkillStatus.CANCELED, 'was canceled; the robot did not confirm within 0.3 s')


class Row(NamedTuple):
    """One ending.

    Args:
        end: what the agent is told.
        cancels: cancel requests that the server gets for a goal that it knows.
        open: whether it is not known at the end that the robot has stopped.
        moves: whether the robot does go on.
    """

    end: End
    cancels: int = 0
    open: bool = False
    moves: bool = False


STOPPED = Row(CANCELED, 1)
GOOD = (Row(DONE), STOPPED, STOPPED)
DEAF = (
    Row(OVERDUE_SILENT, 1, open=True, moves=True),
    Row(UNCONFIRMED, 1, open=True, moves=True),
    Row(UNCONFIRMED, 1, open=True, moves=True),
)
TABLE: dict[str, dict[str, tuple[Row, Row, Row]]] = {
    'goal': {
        'right': GOOD,
        'late': GOOD,
        'too_late': (Row(NEITHER, 1), STOPPED, STOPPED),
        'silent': (Row(NEITHER, 1), STOPPED, STOPPED),
        'twice': GOOD,
        'dead': (Row(NEITHER), Row(NO_ANSWER), Row(NO_ANSWER)),
        'reject': (Row(REJECTED), Row(NOT_ACCEPTED), Row(REJECTED)),
        # a lie that no client can see through: only a cancel stops it
        'reject_and_move': (Row(REJECTED), Row(NOT_ACCEPTED, 1), Row(NOT_ACCEPTED, 1)),
        'takes_back': (Row(REJECTED), Row(NOT_ACCEPTED), Row(REJECTED)),
        'contradicts': GOOD,
        'asleep': GOOD,
        'too_long_asleep': (Row(NEITHER, 1), Row(NO_ANSWER, 1), Row(NO_ANSWER, 1)),
        'lost': (Row(NEITHER, open=True), Row(NO_ANSWER, open=True), Row(NO_ANSWER, open=True)),
        'idle': (Row(OVERDUE, 1), STOPPED, STOPPED),
    },
    'feedback': {
        'late': GOOD,
        'silent': GOOD,
        'twice': GOOD,
        'dead': (Row(GONE), Row(UNCONFIRMED), Row(UNCONFIRMED)),
        'malformed': GOOD,
        'foreign': GOOD,
    },
    'status': {
        'late': GOOD,
        'silent': GOOD,
        'twice': GOOD,
        'dead': (Row(GONE), Row(UNCONFIRMED), Row(UNCONFIRMED)),
        'unknown': GOOD,
        'foreign': GOOD,
    },
    'result': {
        'late': GOOD,
        'too_late': (Row(OVERDUE_SILENT, 1), Row(UNCONFIRMED, 1), Row(UNCONFIRMED, 1)),
        'silent': (
            Row(OVERDUE_SILENT, 1, open=True),
            Row(UNCONFIRMED, 1, open=True),
            Row(UNCONFIRMED, 1, open=True),
        ),
        'twice': GOOD,
        'dead': (Row(GONE), Row(UNCONFIRMED, 1), Row(UNCONFIRMED, 1)),
        'contradicts': GOOD,
        'unknown': (Row(FORGOTTEN, 1), STOPPED, STOPPED),
        'running': (Row(NO_END, 1), STOPPED, STOPPED),
        'nonsense': (Row(NO_END, 1), STOPPED, STOPPED),
        'other_outcome': (Row(OTHERWISE), STOPPED, STOPPED),
        'outcome_unset': (Row(UNSET), STOPPED, STOPPED),
        'outcome_77': (Row(UNKNOWN), STOPPED, STOPPED),
        'malformed': (Row(End(SkillStatus.SUCCEEDED, '')), STOPPED, STOPPED),
        'aborts': (Row(ABORTED), Row(ABORTED, 1), Row(ABORTED, 1)),
        'cancels': (Row(BY_ROBOT), STOPPED, STOPPED),
        'succeeds_anyway': (Row(DONE), Row(DONE, 1), Row(DONE, 1)),
    },
    'cancel': {
        'right': (Row(OVERDUE, 1), STOPPED, STOPPED),
        'late': (Row(OVERDUE, 1), STOPPED, STOPPED),
        'too_late': (Row(OVERDUE_SILENT, 1), Row(UNCONFIRMED, 1), Row(UNCONFIRMED, 1)),
        'silent': DEAF,
        'mute': (Row(OVERDUE, 1), STOPPED, STOPPED),
        'twice': (Row(OVERDUE, 1), STOPPED, STOPPED),
        'dead': (Row(OVERDUE_SILENT, 1), Row(UNCONFIRMED, 1), Row(UNCONFIRMED, 1)),
        'deaf': DEAF,
        # it says so of a goal that it has: to the client, the goal came after the first request
        'unknown': (DEAF[0], DEAF[1]._replace(cancels=2), DEAF[2]._replace(cancels=2)),
        'rejects': DEAF,
        'terminated': DEAF,
    },
}
