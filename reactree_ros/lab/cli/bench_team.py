# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab bench-team``: how long several robots take for what one can do."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from statistics import mean

from reactree_ros.cli.send import SUCCEEDED
from reactree_ros.lab.bench.team import THINGS, Fetched, drawn_goals, fetch
from reactree_ros.lab.cli.argument_types import positive, positives, seconds
from reactree_ros.lab.console import machine, say
from reactree_ros.sim.household.shipped import scene_names


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'bench-team',
        help='measure how long several robots take for what one can do',
        description=f'Has one robot and several bring {THINGS} things, which have to be found, to '
        'a table in the shipped households. Rules decide, so that the time is that of the robots, '
        'or a language model; all else is in one process.',
    )
    parser.add_argument('--robots', type=positives, default=(1, 2, 3), metavar='N,…',
                        help='how many robots; the first is compared with (1,2,3)')  # fmt: skip
    parser.add_argument('--goals', type=positive, default=10, help='how many goals (default: 10)')
    parser.add_argument('--skill-sec', type=seconds, default=0.5,
                        help='seconds that a skill takes (default: 0.5)')  # fmt: skip
    parser.add_argument('--model', help='language model that decides (default: rules)')
    parser.add_argument('--seed', type=int, default=0, help='of the goals (default: 0)')
    parser.add_argument('--leaves-after', type=positive, metavar='N',
                        help='switch the last of several robots off during a skill: the first one '
                        'after its Nth that it starts with empty hands')  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure, print a table, and return the exit code."""
    goals = drawn_goals(scene_names(), options.seed)[: options.goals]
    print(f'{machine()}; {len(goals)} goals, {options.skill_sec:g} s a skill\n')
    found: dict[int, list[Fetched]] = {}
    for robots in options.robots:
        leaves = options.leaves_after if robots > 1 else None
        found[robots] = []
        for number, goal in enumerate(goals, 1):
            one = fetch(goal, robots, options.skill_sec, leaves, options.model)
            found[robots].append(one)
            skills = ' + '.join(map(str, one.skills.values()))
            held = 'holds' if one.holds else f'does not hold: {one.report.message}'
            say(f'{robots} robots, {number}: {goal.scene}, {goal.text}: {one.seconds:.1f} s, '
                f'{skills} skills, {held}')  # fmt: skip
    print(
        '| robots | goals that hold | seconds, mean | times the first row | longest robot, skills '
        '| all robots, skills | taken again | robots lost |\n| ---: |' + ' ---: |' * 7
    )
    first = found[options.robots[0]]
    for robots, runs in found.items():
        print(f'| {robots} | {_row(runs, first)} |')
    return SUCCEEDED


def _row(runs: Sequence[Fetched], first: Sequence[Fetched]) -> str:
    together = sum(one.seconds for one in runs) / sum(one.seconds for one in first)
    values = (
        f'{sum(one.holds for one in runs)} of {len(runs)}',
        f'{mean(one.seconds for one in runs):.1f}',
        f'{together:.2f}',
        f'{mean(max(one.skills.values()) for one in runs):.1f}',
        f'{mean(sum(one.skills.values()) for one in runs):.1f}',
        str(sum(len(one.taken_again) for one in runs)),
        str(sum(len(one.lost) for one in runs)),
    )
    return ' | '.join(values)
