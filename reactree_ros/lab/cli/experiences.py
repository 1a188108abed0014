# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab experiences``: hand-made runs, and solved tasks, written as experiences."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from reactree_ros.cli.argument_types import whole_number
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.plan_experiences import SHIPPED_PLANS, SHIPPED_SET, shipped_plans
from reactree_ros.lab.evaluation.record import record, record_arm
from reactree_ros.paths import share
from reactree_ros.sim.physics.tasks import ARM_GOAL_SETS
from reactree_ros.sim.robots.tasks import ROBOT_SETS, SHOWN
from reactree_ros.skills.reader import library_at

_SHOWN = [name for name in (*ROBOT_SETS, *ARM_GOAL_SETS) if name.endswith(SHOWN)]


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'experiences',
        help='make the experiences that the planner shows its model',
        description='The experiences that the planner shows its model as examples.',
    )
    actions = parser.add_subparsers(title='actions', metavar='ACTION', required=True)
    recording = actions.add_parser(
        'record',
        help='play hand-made runs in their world and write what every agent node went through',
        description='Writes beside the source, with the ending .txt: as executed, and rewritten '
        'with fewer control flows or with none. The known plans of a robot are carried out through '
        'its ROS servers, those of the arm in the physics.',
    )
    recording.add_argument(
        'source',
        nargs='?',
        help='YAML file with runs, or one of the task sets '
        f'{", ".join(_SHOWN)} (default: the shipped file of the household)',
    )
    recording.add_argument(
        '--first', type=whole_number, default=0, metavar='N', help='only so many of a task set'
    )
    recording.add_argument('--out', type=Path, help='file to write, without the ending .txt')
    recording.add_argument(
        '--skills',
        default='household',
        metavar='LIBRARY',
        help='skill library: name or file (default: %(default)s)',
    )
    recording.add_argument(
        '--check', action='store_true', help='write nothing; exit with 1 if the file differs'
    )
    recording.set_defaults(run=_record)
    planning = actions.add_parser(
        'plans',
        help='solve training tasks and write their plans',
        description=f'Writes plans.txt: {SHIPPED_PLANS} tasks of {SHIPPED_SET}, solved under full '
        'knowledge of the house, for the planners that plan as a whole.',
    )
    planning.add_argument(
        '--skills',
        default='household',
        metavar='LIBRARY',
        help='skill library: name or file (default: %(default)s)',
    )
    planning.add_argument(
        '--check', action='store_true', help='write nothing; exit with 1 if the file differs'
    )
    planning.set_defaults(run=_plan)


def _record(options: argparse.Namespace) -> int:
    folder = share('resource', 'experiences')
    if options.source in (*ROBOT_SETS, *ARM_GOAL_SETS):
        files = _record_plans(options.source, options.first)
        out = options.out or folder / options.source.removesuffix(SHOWN)
    else:
        source = Path(options.source) if options.source else folder / 'household.yaml'
        library = library_at(options.skills)
        files = record(source, library)
        out = options.out or source.with_suffix('')
    targets = {out.with_name(f'{out.name}{ending}.txt'): text for ending, text in files.items()}
    return _write(targets, options.check, 'record')


def _record_plans(task_set: str, first: int) -> dict[str, str]:
    """Return the files that differ from the first."""
    if task_set in ARM_GOAL_SETS:
        files = record_arm(task_set, first)
    else:
        # ROS is imported only where it is needed
        from reactree_ros.lab.cli.experiences_ros import record_shown

        files = record_shown(task_set, first)
    return {ending: text for ending, text in files.items() if not ending or text != files['']}


def _plan(options: argparse.Namespace) -> int:
    library = library_at(options.skills)
    target = share('resource', 'experiences', 'household.yaml').with_name('plans.txt')
    return _write({target: shipped_plans(library)}, options.check, 'plans')


def _write(targets: dict[Path, str], check: bool, action: str) -> int:
    differing = 0
    for target, text in targets.items():
        if not check:
            try:
                target.write_text(text, encoding='utf-8')
            except OSError as error:
                raise ConfigurationError(f'cannot write {target}: {error.strerror}') from error
            print(target)
        elif not target.is_file() or target.read_text(encoding='utf-8') != text:
            differing += 1
            print(
                f'{target} is out of date: run reactree-lab experiences {action}', file=sys.stderr
            )
    return 1 if differing else 0
