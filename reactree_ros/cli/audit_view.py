# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The record of every decision of a recorded run, each checked against its recorded prompt."""

from __future__ import annotations

from pathlib import Path

from reactree_ros.core.events import DecisionRecord
from reactree_ros.core.plain_text import one_line

WRONG = 1
_SHORT = 12
_MOST_CHARS = 4000


def show_audit(path: Path) -> int:
    """Print the records of a run, and whether their prompts stand in the file.

    Args:
        path: the run's file.

    Returns:
        The exit code.

    Raises:
        ConfigurationError: if the file cannot be read, or is damaged.
    """
    from reactree_ros.ros.recording.recorded_run import read_audit
    from reactree_ros.ros.recording.run_file import RunFile

    file = RunFile(path)
    audit = read_audit(file)
    print(_plain(f'goal {file.began.get("goal_id", "of no id")}: {file.began["goal"]}'))
    for record in audit.records:
        print(_formatted(record))
    unknown = [one.index for one in audit.records if one.prompt_sha256 not in audit.prompts]
    if unknown:
        numbers = ', '.join(map(str, unknown))
        print(f'the prompts of these decisions do not stand in the file: {numbers}')
        return WRONG
    print(f'{len(audit.records)} decisions; the file has the prompt of each')
    return 0


def _formatted(record: DecisionRecord) -> str:
    robot = f'[{record.robot}] ' if record.robot else ''
    node = f'node {record.behaviour}, {" ".join(record.path[-1:])}'
    prompt = record.prompt_sha256[:_SHORT]
    lines = [record.decision]
    if record.robot_goal_id:
        lines.append(f'sent: {record.robot_action} {record.robot_goal_id}')
    lines.append(record.outcome if record.accepted else f'rejected: {record.outcome}')
    first = _plain(f'{robot}{node} ({record.model}, prompt {prompt})')
    return '\n'.join([f'{record.index:3d}. {first}', *(f'     {_plain(one)}' for one in lines)])


def _plain(text: str) -> str:
    """Return a text of a file, whoever wrote that, as one a terminal may be given."""
    return one_line(text, _MOST_CHARS)
