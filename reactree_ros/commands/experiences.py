# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree experiences record``: plays hand-made runs and writes them as experiences."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from reactree_ros.evaluation.record import record
from reactree_ros.paths import share
from reactree_ros.skills.reader import read_library


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
        description='Writes beside the source, with the ending .txt: as the runs went, and told '
        'with fewer control flows or with none.',
    )
    recording.add_argument(
        'source', nargs='?', type=Path, help='YAML file with runs (default: the shipped one)'
    )
    recording.add_argument('--skills', type=Path, help='skill library (default: household)')
    recording.add_argument(
        '--check', action='store_true', help='write nothing; exit with 1 if the file differs'
    )
    recording.set_defaults(run=_record)


def _record(options: argparse.Namespace) -> int:
    source = options.source or share('resource', 'experiences', 'household.yaml')
    library = read_library(options.skills or share('behaviors', 'household.yaml'))
    differing = 0
    for ending, text in record(source, library).items():
        target = source.with_name(f'{source.stem}{ending}.txt')
        if not options.check:
            target.write_text(text, encoding='utf-8')
            print(target)
        elif not target.is_file() or target.read_text(encoding='utf-8') != text:
            differing += 1
            print(f'{target} is not what {source} makes: run reactree experiences record',
                  file=sys.stderr)  # fmt: skip
    return 1 if differing else 0
