# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The main job with nothing replaced: real model, real ROS 2 processes, a world that is asked."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip('rclpy')

PARTS = {
    'planner': 'reactree_ros.ros.nodes.planner_node',
    'bridge': 'reactree_ros.ros.nodes.household_bridge',
    'model': 'reactree_ros.models.server',
    'client': 'reactree_ros.cli.main',
}


def descendants(root: int) -> Iterator[tuple[int, str]]:
    """Yield process id and command line of a process and of all below it."""
    parents: dict[int, list[int]] = {}
    for stat in Path('/proc').glob('[0-9]*/stat'):
        try:
            fields = stat.read_text().rpartition(')')[2].split()
        except OSError:
            continue  # it has just ended
        parents.setdefault(int(fields[1]), []).append(int(stat.parent.name))
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        waiting += parents.get(pid, [])
        try:
            yield pid, Path(f'/proc/{pid}/cmdline').read_text().replace('\0', ' ')
        except OSError:
            continue


@pytest.mark.model
@pytest.mark.ros
def test_the_model_puts_the_apple_in_the_fridge_and_the_world_confirms_it(tmp_path: Path) -> None:
    report_file, output_file = tmp_path / 'report.json', tmp_path / 'output.txt'
    command = [sys.executable, '-m', PARTS['client'], 'demo', '--task', '1']
    lines: dict[int, str] = {}
    with output_file.open('w') as output:
        demo = subprocess.Popen(
            [*command, '--report', str(report_file)], stdout=output, stderr=subprocess.STDOUT
        )
        while demo.poll() is None:
            for pid, line in descendants(demo.pid):
                # A child has the command line of its parent before it has one of its own.
                lines[pid] = line or lines.get(pid, '')
            time.sleep(0.2)
    seen = {
        part: {pid for pid, line in lines.items() if module in line}
        for part, module in PARTS.items()
    }
    output_text = output_file.read_text()
    assert demo.returncode == 0, output_text
    assert all(len(pids) == 1 for pids in seen.values()), seen
    assert len(set.union(*seen.values())) == len(PARTS)
    report = json.loads(report_file.read_text())
    assert report['status'] == 'succeeded'
    assert report['world'] == {
        'known': True,
        'holds': True,
        'satisfied': ['apple inside fridge'],
        'unsatisfied': [],
        'changes': report['world']['changes'],
        'met': 1,
        'wanted': 1,
    }
    assert any('-> inside fridge 1' in change for change in report['world']['changes'])
    # Every decision was the model's: it generated tokens for each of them.
    costs = report['costs']
    assert costs['decisions'] > costs['skills'] > 0
    assert costs['tokens_out'] >= 3 * costs['decisions']
    assert output_text.rstrip().endswith("The world's goal conditions hold.")
