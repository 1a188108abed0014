# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab dataset``: training examples from the solver's runs and from experiences."""

from __future__ import annotations

import argparse
import itertools
import json
import shlex
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from reactree_ros.cli.argument_types import whole_number
from reactree_ros.cli.counting import counting
from reactree_ros.cli.interrupts import CANCELED, Interrupts
from reactree_ros.core.option import Value
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.cli.argument_types import positive, share, texts
from reactree_ros.lab.cluster import Cluster
from reactree_ros.lab.dataset.collect import (
    TaughtRun,
    collect,
    prompt_options,
    runs_of,
    teacher,
)
from reactree_ros.lab.dataset.dataset import (
    Dataset,
    Header,
    check_dataset,
    counts_of,
    read_dataset,
    write_dataset,
)
from reactree_ros.lab.dataset.example import TrainingExample
from reactree_ros.lab.dataset.held_back import LEARNED
from reactree_ros.lab.dataset.remembered import remembered
from reactree_ros.lab.dataset.retrieved import with_experiences
from reactree_ros.lab.dataset.thinning import thinned
from reactree_ros.lab.evaluation.planners import read_planner, split_planners
from reactree_ros.lab.evaluation.provenance import made_with
from reactree_ros.models.local.encoder import LocalEncoder
from reactree_ros.planner.assembly import library_of
from reactree_ros.planner.options import planner_options
from reactree_ros.sim.household.wah_file import is_wah_file
from reactree_ros.sim.tasks import ALL_SETS
from reactree_ros.skills.library import SkillLibrary

_PLANNER = 'reactree+wm'
_SHARE = 0.7
_DESCRIPTION = """\
Makes a data set for "reactree-lab train". The rule-based solver, which knows what is
wanted but not where things are, does training tasks in place of a language
model; each agent node of a run whose goal the world confirms is an example, in
the very text that a model would have read and written. Experiences of runs that
the world or a person confirmed are examples, too. Test tasks, households in which
only tests happen, and goals worded like a test are refused or left out."""
_EXAMPLES = """\
examples:
  reactree-lab dataset --tasks wah_train,alfred_train --workers 2 --out data.jsonl.gz
  reactree-lab dataset --tasks wah_train:50 --planner react+wm --out flat.jsonl.gz
  reactree-lab dataset --tasks wah_train --student runs/1 --share 0.7 --out corrected.jsonl.gz
  reactree-lab dataset --tasks made_train:1-300 --planner reactree+wm,react+wm --out robots.gz
  reactree-lab dataset --memory learned.sqlite --out own.jsonl.gz
  reactree-lab dataset --memory runs.txt --planner "reactree+wm[skills=robot.yaml]" --out own.gz

task sets: {task_sets}
Exit code: 0 the data set is written; 130 interrupted, nothing is written;
2 it could not be made.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'dataset',
        help='make a data set to train a model on',
        description=_DESCRIPTION,
        epilog=_EXAMPLES.format(task_sets=', '.join(LEARNED)),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_argument_group('sources')
    what.add_argument('--tasks', type=texts, metavar='SET[:PART],…', default=(),
                      help='training sets for the solver, whole, the first (:20) or some '
                      '(:11-20)')  # fmt: skip
    what.add_argument('--types', type=texts, metavar='T,…', default=(),
                      help='only these types of task')  # fmt: skip
    what.add_argument('--planner', type=split_planners, action='extend', metavar='A,B',
                      help='planners to train for, named as for "reactree-lab evaluate"; may be '
                      f'repeated (default: {_PLANNER})')  # fmt: skip
    what.add_argument('--wordings', type=whole_number, metavar='N', default=4,
                      help='number of runs of each task, each in another of its own wordings '
                      '(default: 4)')  # fmt: skip
    what.add_argument('--conditions', type=whole_number, metavar='N', default=0,
                      help='of N further wordings only the conditions of the goal, without a run '
                      '(default: 0)')  # fmt: skip
    what.add_argument('--student', metavar='MODEL', default='',
                      help='model that decides some of the time; the data set then says what the '
                      'solver would have decided there')  # fmt: skip
    what.add_argument('--share', type=share, metavar='SHARE',
                      help='share of the decisions that are those of --student, 0 to 1 '
                      f'(default: {_SHARE})')  # fmt: skip
    what.add_argument('--memory', type=Path, metavar='FILE', action='append', default=[],
                      help='experience store, or file of experiences (.jsonl, .txt); may be '
                      'repeated')  # fmt: skip
    what.add_argument('--add', type=Path, metavar='FILE', action='append', default=[],
                      help='the examples of a data set that was made before, as they are; may be '
                      'repeated')  # fmt: skip
    how = parser.add_argument_group('how')
    how.add_argument('--with-examples', type=share, metavar='SHARE', default=0.0,
                     help='share of the runs, 0 to 1, with experiences in the prompt, as the '
                     'planner retrieves them from the shipped ones; of a generated robot, from '
                     'other runs of its own (default: 0)')  # fmt: skip
    how.add_argument('--most-alike', type=whole_number, metavar='N', default=0,
                     help='thin out agent nodes below the root that do the same with other things '
                     'and places: of M > N keep sqrt(M N) (default: 0, all)')  # fmt: skip
    how.add_argument('--seed', type=whole_number, metavar='N', default=0,
                     help='random seed of all these choices (default: 0)')  # fmt: skip
    how.add_argument('--workers', type=positive, metavar='N',
                     help='processes that run the solver; the data set is the same with any number '
                     '(default: 1; with --ray the processors of the cluster)')  # fmt: skip
    how.add_argument('--ray', metavar='ADDRESS',
                     help='run the solver on a Ray cluster: HOST:PORT, auto for that of this '
                     'machine, or local; the data set is the same')  # fmt: skip
    how.add_argument('--out', type=Path, metavar='FILE', required=True,
                     help='the data set, .jsonl.gz')  # fmt: skip
    how.add_argument('--force', action='store_true', help='replace the file if it is there')
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Make the data set and return the exit code."""
    if not (options.tasks or options.memory or options.add):
        raise ConfigurationError(
            'say what to learn from: --tasks wah_train for runs of the solver, --memory FILE for '
            'experiences, --add FILE for a data set'
        )
    if options.share is not None and not options.student:
        raise ConfigurationError('--share goes with --student: the model that decides that much')
    for text in options.tasks:
        name = text.partition(':')[0]
        if (name in ALL_SETS or is_wah_file(name)) and name not in LEARNED:
            raise ConfigurationError(
                f"nothing is learned from '{name}', planners are judged by it: give one of "
                f'{", ".join(LEARNED)}'
            )
    given = [_PLANNER] if options.planner is None else options.planner
    planners = tuple(read_planner(name).name for name in given)
    library = _library(planners)
    runs = runs_of(
        planners,
        options.tasks,
        options.types,
        options.wordings,
        options.student,
        (_SHARE if options.share is None else options.share) if options.student else 0.0,
        options.conditions,
        options.with_examples,
        options.seed,
    )
    prompts = prompt_options(planners)
    others = [read_dataset(file) for file in options.add]
    for other in others:
        _check_alike(other, prompts)
    if options.out.exists() and not (options.force and options.out.is_file()):
        raise ConfigurationError(
            f'{options.out} is there already: give another file, or --force to replace a file'
        )
    seen: Counter[str] = Counter()
    nodes = _remembered(options.memory, planners, seen)
    with ExitStack() as stack:
        workers: int | Cluster = options.workers or 1
        if options.ray and runs:
            workers = stack.enter_context(Cluster(options.ray, options.workers or 0))
        interrupts = stack.enter_context(Interrupts())
        if runs:
            nodes += _solved(runs, workers, seen, interrupts)
        if interrupts:
            nodes.clear()
        kept = thinned(nodes, library, options.most_alike, options.seed)
        seen.update({'held back': kept.held_back, 'same': kept.same, 'alike': kept.alike})
        examples = tuple(_experienced(kept.nodes, options, interrupts))
        if interrupts:
            print('Stopped; nothing is written.', file=sys.stderr)
            return CANCELED
    examples += tuple(example for other in others for example in other.examples)
    check_dataset(examples)
    if not examples:
        raise ConfigurationError(
            f'nothing is left to be learned from ({_listed(seen)}): nothing is written'
        )
    counts = {**counts_of(examples), 'made from': dict(seen)}
    command = f'reactree-lab {shlex.join(sys.argv[1:])}'
    libraries = {'' if one.is_drawn else library.name for one in runs}
    libraries |= {library.name for _ in options.memory} | {one.header.library for one in others}
    header = Header(
        command, libraries.pop() if len(libraries) == 1 else '', counts, made_with(), prompts
    )
    write_dataset(options.out, Dataset(header, examples))
    for name, values in counts.items():
        if isinstance(values, dict):
            print(f'{name}: {_listed(values)}')
    print(_listed({name: one for name, one in counts.items() if isinstance(one, int)}))
    print(options.out)
    return 0


def _check_alike(other: Dataset, prompts: Mapping[str, Value]) -> None:
    """Raise ConfigurationError if the prompts of another data set are made otherwise."""
    here, there = json.loads(json.dumps(prompts)), other.header.options
    if here != there:
        raise ConfigurationError(
            f'--add: the prompts of {other.header.command!r} were made with the options {there}, '
            f'those of --planner with {here}'
        )


def _library(planners: Sequence[str]) -> SkillLibrary:
    libraries = [library_of(planner_options(read_planner(name).parameters)) for name in planners]
    if not libraries:
        raise ConfigurationError('--planner names none; give one such as reactree+wm')
    if len({one.name for one in libraries}) > 1:
        raise ConfigurationError(
            '--planner: the planners have different skill libraries; make a data set for each'
        )
    return libraries[0]


def _remembered(
    paths: Sequence[Path], planners: Sequence[str], seen: Counter[str]
) -> list[TrainingExample]:
    nodes: list[TrainingExample] = []
    for path in paths:
        found = remembered(path, planners)
        nodes += found.nodes
        seen['experiences'] += len(found.nodes)
        seen['unconfirmed experiences'] += found.unconfirmed
        seen['experiences of other planners'] += found.unlike
    return nodes


def _solved(
    runs: Sequence[TaughtRun], workers: int | Cluster, seen: Counter[str], interrupts: Interrupts
) -> list[TrainingExample]:
    nodes: list[TrainingExample] = []
    with ExitStack() as stack:
        advance = stack.enter_context(counting('runs of the solver', len(runs)))
        if isinstance(workers, Cluster):
            spread = stack.enter_context(closing(workers.workers_of(teacher, len(runs))))
            results = spread.in_order(runs, stop=lambda: bool(interrupts))
        else:
            results = stack.enter_context(closing(collect(runs, workers)))
        for one in itertools.takewhile(lambda one: not interrupts, results):
            nodes += one.nodes
            seen['runs'] += 1
            seen['conditions only'] += one.run.conditions_only
            seen['goal reached'] += one.reached and not one.run.conditions_only
            seen['nodes without an end'] += one.left_out
            advance(1)
    return nodes


def _experienced(
    nodes: Sequence[TrainingExample], options: argparse.Namespace, interrupts: Interrupts
) -> Iterator[TrainingExample]:
    # Prompts of generated robots show other runs of the same robot already.
    made = with_experiences(nodes, options.with_examples, options.seed, LocalEncoder)
    with counting('examples', len(nodes)) as advance, closing(made):
        for example in itertools.takewhile(lambda one: not interrupts, made):
            advance(1)
            yield example


def _listed(numbers: dict[str, int]) -> str:
    return ', '.join(f'{name} {value:,}' for name, value in numbers.items())
