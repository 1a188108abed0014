# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab score``: the results of an evaluation on the card of an adapter."""

from __future__ import annotations

import argparse
from pathlib import Path

from reactree_ros.lab.training.scores import keep_scores


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'score',
        help="write an evaluation's results on the card of an adapter",
        description='Replaces the scores in card.json and README.md of an adapter by what '
        '"reactree-lab evaluate" has measured of it; rows of other models are left out.',
    )
    parser.add_argument('adapter', type=Path, help='folder of the adapter')
    parser.add_argument('results', type=Path, nargs='+', help='folders of evaluations')
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    print(f'{options.adapter}: {keep_scores(options.adapter, options.results)} scores')
    return 0
