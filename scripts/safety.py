# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Shows what docs/safety.md says, step by step, and ends with a table (``make safety``)."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_COUNTS = re.compile(r'=+ (.*\b(?:passed|failed|error).*) in [\d.]+s.*=+')


@dataclass(frozen=True)
class Step:
    """One part of the page.

    Args:
        name: what it shows.
        tests: files and folders of tests.
        environment: how much of it.
    """

    name: str
    tests: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()


def steps(schedules: int, kills: int) -> tuple[Step, ...]:
    """Return all parts.

    Args:
        schedules: random schedules of faults.
        kills: random moments for each process.
    """
    return (
        Step('texts are data', ('test/test_untrusted_text.py',)),
        Step(
            'readers refuse what is wrong', ('test/fuzz', 'test/models/local/test_transformers.py')
        ),
        Step(
            'guard, approval, checks, budgets, no model',
            (
                'test/ros/skills/test_message_guard.py',
                'test/execution/test_guard.py',
                'test/execution/test_claims.py',
                'test/execution/test_approval.py',
                'test/execution/test_checking.py',
                'test/behaviours/test_done.py',
                'test/behaviours/test_limits.py',
                'test/behaviours/test_without_model.py',
            ),
        ),
        Step(
            'restart, audit, clock, own errors, policy',
            (
                'test/ros/goals/test_restart.py',
                'test/ros/recording/test_recording.py',
                'test/ros/nodes/test_clock.py',
                'test/ros/nodes/test_own_errors.py',
                'test/ros/nodes/test_security.py',
                'test/ros/goals/test_queue.py',
                'test/ros/goals/test_operator.py',
                'test/ros/goals/test_planner_endings.py',
                'test/cli/test_mcp.py',
            ),
        ),
        Step(
            f'faults at every point, {schedules} random schedules',
            ('test/faults',),
            (('REACTREE_FAULT_SCHEDULES', str(schedules)),),
        ),
        Step(
            f'kill -9 of planner, model and bridge, {kills} moments each; with the arm a fifth',
            ('test/ros/goals/test_kills.py', 'test/ros/goals/test_kitchen_kills.py'),
            (('REACTREE_KILLS', str(kills)), ('REACTREE_THOROUGH', '1')),
        ),
        Step('cancels of the arm', ('test/ros/nodes/test_arm_cancels.py',)),
    )


def play(step: Step, workers: int) -> tuple[bool, str, float]:
    """Run a part; return whether all of it passed, pytest's closing line, and the minutes."""
    command = [sys.executable, '-m', 'pytest', '-q', '--numprocesses', str(workers)]
    command += ['--dist', 'load' if step.environment else 'loadfile', *step.tests]
    begin = time.monotonic()
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, **dict(step.environment)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    minutes = (time.monotonic() - begin) / 60
    last = done.stdout.rstrip().rpartition('\n')[2]
    found = _COUNTS.fullmatch(last)
    if done.returncode:
        print(done.stdout)
    return done.returncode == 0, found[1] if found else last, minutes


def main() -> int:
    """Run all parts; return 0 if all passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--schedules', type=int, default=500)
    parser.add_argument('--kills', type=int, default=50)
    parser.add_argument('--workers', type=int, default=2)
    options = parser.parse_args()
    lines = []
    well = True
    for step in steps(options.schedules, options.kills):
        print(f'{step.name} ...', flush=True)
        passed, counts, minutes = play(step, options.workers)
        well = well and passed
        lines.append(
            f'{"holds" if passed else "BROKEN":7} {minutes:5.1f} min  {step.name}: {counts}'
        )
    print('\n'.join(['', *lines, '', 'all of it holds' if well else 'NOT all of it holds']))
    return 0 if well else 1


if __name__ == '__main__':
    sys.exit(main())
