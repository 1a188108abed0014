# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The record of every decision of a recorded run, each held against the prompt that was read."""

from __future__ import annotations

import json
from pathlib import Path

from reactree_ros.core.audit import DecisionRecord

WRONG = 1
_SHORT = 12


def show_audit(path: Path) -> int:
    """Print the records of a run, and whether their prompts stand in the file.

    Args:
        path: the run's file.

    Returns:
        The exit code.

    Raises:
        ConfigurationError: if the file cannot be read.
    """
    from reactree_ros.behaviours.run_inputs import whole
    from reactree_ros.models.wire import prompt_digest, prompt_from_json
    from reactree_ros.ros.conversions import decision_record_from_msg
    from reactree_ros.ros.run_file import RunFile
    from reactree_ros.ros.run_publisher import AUDIT_TOPIC, INPUT_TOPIC

    file = RunFile(path)
    inputs = [json.loads(one.message.data) for one in file.messages if one.topic == INPUT_TOPIC]
    known = {
        prompt_digest(prompt_from_json(entry['prompt']))
        for entry in whole(inputs)
        if entry['op'] in ('decide', 'write')
    }
    records = [
        decision_record_from_msg(one.message) for one in file.messages if one.topic == AUDIT_TOPIC
    ]
    print(f'goal {file.began["goal_id"]}: {file.began["goal"]}')
    for record in sorted(records, key=lambda record: record.index):
        print(_lines(record))
    unknown = [record.index for record in records if record.prompt_sha256 not in known]
    if unknown:
        numbers = ', '.join(map(str, unknown))
        print(f'the prompts of these decisions do not stand in the file: {numbers}')
        return WRONG
    print(f'{len(records)} decisions; the file has the prompt of each')
    return 0


def _lines(record: DecisionRecord) -> str:
    robot = f'[{record.robot}] ' if record.robot else ''
    prompt = record.prompt_sha256[:_SHORT]
    lines = [
        f'{record.index:3d}. {robot}node {record.behaviour}, {record.path[-1]} '
        f'({record.model}, prompt {prompt})',
        f'     {record.decision}',
    ]
    if record.robot_goal_id:
        lines.append(f'     sent: {record.robot_action} {record.robot_goal_id}')
    outcome = record.outcome if record.accepted else f'rejected: {record.outcome}'
    return '\n'.join([*lines, f'     {outcome}'])
