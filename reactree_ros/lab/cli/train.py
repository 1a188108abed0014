# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab train``: train an adapter for a language model on a data set."""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

from rich.console import Console

from reactree_ros.cli.goal_view import print_text
from reactree_ros.cli.interrupts import CANCELED, Interrupts
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.cli.argument_types import positive
from reactree_ros.lab.cluster import Cluster
from reactree_ros.lab.console import StatusLine, duration
from reactree_ros.lab.dataset.dataset import read_header
from reactree_ros.lab.training.progress import StepReport
from reactree_ros.lab.training.recipe import Recipe, read_recipe
from reactree_ros.models.local.adapter import CARD, WEIGHTS
from reactree_ros.models.local.source import local_folder
from reactree_ros.paths import share

_DATA = 'data.jsonl.gz'
_DESCRIPTION = """\
Trains a low-rank adapter (LoRA) for a language model, so that it decides as the
runs of a data set did. Only the lines that decide are learned; what stands before
them is context. The base model stays as it is: the adapter, some MB, is what comes
out, with a card that says what it was trained with. A GPU is used when there is
one, two CPU cores suffice. After an interruption of any kind the same command
continues from the last checkpoint and gives the same adapter."""
_EXAMPLES = """\
examples:
  reactree-lab dataset --tasks wah_train,alfred_train --out data.jsonl.gz
  reactree-lab train --data data.jsonl.gz --out adapter
  reactree-lab train --recipe my.yaml --out adapter
  reactree-lab train --recipe generalist --out adapter     makes its data, too: hours
  reactree-lab train --recipe my.yaml --ray head:6379 --out adapter
  reactree up --model adapter                      a planner with it

recipes: {recipes}

files in --out:
  data.jsonl.gz                                    the data, if the recipe says how to make it
  adapter_model.safetensors, adapter_config.json   the adapter, in peft's format
  card.json, README.md                             data, base, recipe, losses
  log.csv                                          losses and speed of every step

Exit code: 0 success; 130 interrupted, the same command continues;
2 error.
"""


class TrainingProgress(StatusLine):
    """Watches a training; a context manager."""

    def stepped(self, report: StepReport) -> None:
        """Show how far it is; on a terminal, what was measured stays on a line of its own."""
        if self._live and report.line.held_out is not None:
            self._keep(str(report))
        self.note(str(report))


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'train',
        help='train a model on a data set',
        description=_DESCRIPTION,
        epilog=_EXAMPLES.format(recipes=', '.join(_recipes())),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('--recipe', metavar='FILE',
                        help='how: one of the recipes below, or YAML with the keys of '
                        'config/training.yaml, which is the default')  # fmt: skip
    parser.add_argument('--data', metavar='FILE',
                        help='file of "reactree-lab dataset"; default: the recipe\'s')  # fmt: skip
    parser.add_argument('--dataset', metavar='ARGUMENTS',
                        help='make the data with these arguments of "reactree-lab dataset", in '
                        "place of the recipe's")  # fmt: skip
    parser.add_argument('--model', metavar='MODEL', help="base model, in place of the recipe's")
    parser.add_argument('--max-steps', type=positive, metavar='N',
                        help="most steps, in place of the recipe's")  # fmt: skip
    parser.add_argument('--ray', metavar='ADDRESS',
                        help='compute the rows of a step on a Ray cluster: HOST:PORT, auto for '
                        'that of this machine, or local')  # fmt: skip
    parser.add_argument('--workers', type=positive, metavar='N',
                        help='with --ray: how many (default: its GPUs; its processors if it has '
                        'none)')  # fmt: skip
    parser.add_argument('--out', type=Path, metavar='DIR', required=True,
                        help='folder of the adapter and, until it is complete, the checkpoint'
                        )  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Train and return the exit code."""
    if options.workers and not options.ray:
        raise ConfigurationError('--workers goes with --ray')
    recipe = _recipe(options)
    recipe.check()
    if recipe.dataset and not recipe.data:
        data = options.out / _DATA
        if data.exists():
            _check_data(recipe.dataset, data)
        else:
            # The data may take hours: what is missing is said before.
            local_folder(recipe.model, lambda line: print(line, file=sys.stderr))
            if code := _make_data(recipe.dataset, data):
                return code
        recipe = recipe.with_values(data=str(data))
    # torch takes seconds to load, which --help and a wrong recipe need not wait for.
    from reactree_ros.lab.training.train import train

    console = Console()
    with ExitStack() as stack:
        cluster = None
        if options.ray:
            cluster = stack.enter_context(Cluster(options.ray, options.workers or 0))
        interrupts = stack.enter_context(Interrupts())
        view = stack.enter_context(TrainingProgress(console, interrupts))
        complete = train(recipe, options.out, view, cluster)
    if not complete:
        print(
            'Stopped. The same command continues from here:\n'
            f'  reactree-lab {shlex.join(sys.argv[1:])}',
            file=sys.stderr,
        )
        return CANCELED
    print_text(console, _summary(options.out))
    return 0


def _recipes() -> list[str]:
    return sorted(path.stem for path in share('resource', 'recipes').glob('*.yaml'))


def _recipe(options: argparse.Namespace) -> Recipe:
    shipped = options.recipe in _recipes()
    path = (
        share('resource', 'recipes', f'{options.recipe}.yaml')
        if shipped
        else Path(options.recipe or share('config', 'training.yaml'))
    )
    return read_recipe(path).with_values(
        data=options.data,
        dataset=options.dataset,
        model=options.model,
        max_steps=options.max_steps,
    )


def _check_data(arguments: str, data: Path) -> None:
    """Refuse the data of an earlier recipe.

    Raises:
        ConfigurationError: if it was made with other arguments.
    """
    command = read_header(data).command
    made = shlex.split(command)[2:-2]  # without "reactree-lab dataset" and "--out FILE"
    if made != _split(arguments):
        raise ConfigurationError(
            f'{data} was made with other arguments than the recipe says: {command}\n'
            f'Choose another --out, delete the file, or train on it: --data {data}'
        )


def _split(arguments: str) -> list[str]:
    try:
        return shlex.split(arguments)
    except ValueError as error:
        raise ConfigurationError(f'the dataset arguments {arguments!r}: {error}') from error


def _make_data(arguments: str, out: Path) -> int:
    """Make a data set in a process of its own, whose memory is free afterwards."""
    command = ['dataset', *_split(arguments), '--out', str(out)]
    main = [sys.executable, '-P', '-m', 'reactree_ros.lab.cli.main']
    with Interrupts():  # Ctrl-C ends the process, which says so
        return subprocess.run([*main, *command], check=False).returncode


def _summary(out: Path) -> str:
    card = json.loads((out / CARD).read_text(encoding='utf-8'))
    trained = card['training']
    before, after = trained['held_out_before'], trained['held_out_after']
    losses = (
        f'held-out loss {before:.3f} before, {after:.3f} after'
        if before is not None and after is not None
        else f'loss {trained["loss_first"]:.3f} in the first step, {trained["loss_last"]:.3f} in '
        'the last'
    )
    size = (out / WEIGHTS).stat().st_size / 1e6
    return (
        f'{out}: an adapter of {size:.1f} MB for {card["base"]["model"]}; {trained["steps"]} '
        f'steps, {duration(trained["seconds"])}; {losses}'
    )
