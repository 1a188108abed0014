# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Data sets to train on: compressed JSON lines, a head and then one training example a line."""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.dataset.example import TrainingExample
from reactree_ros.lab.dataset.held_back import fault_of
from reactree_ros.sim.household.task_sets import TASK_SETS, task_set
from reactree_ros.sim.tasks import ON_DEMAND

FORMAT = 'reactree-lab dataset 1'
_SHOWN = 5
_UNREADABLE = (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError, AttributeError)


@dataclass(frozen=True)
class Header:
    """The head of a data set.

    Args:
        command: the command line that made it; empty if none did.
        library: name of the robot's skill library; empty for several robots.
        counts: how many examples there are of each kind, and what they were made from.
        made_with: which code and data, see ``evaluation.provenance.made_with``.
        options: planner options that its prompts depend on, by their full names; they become
            defaults of whoever uses a model trained on it.
    """

    command: str = ''
    library: str = ''
    counts: dict[str, Any] = field(default_factory=dict)
    made_with: str = ''
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Dataset:
    """Training examples, and where they come from."""

    header: Header
    examples: tuple[TrainingExample, ...]


def write_dataset(path: Path, dataset: Dataset) -> None:
    """Write a data set; it is there as a whole or not at all.

    The same data set makes the same bytes.

    Raises:
        ConfigurationError: if the file cannot be written.
    """
    part = path.with_name(f'{path.name}.part')
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with part.open('wb') as raw, gzip.GzipFile('', 'wb', fileobj=raw, mtime=0) as file:
            head = {'format': FORMAT, **asdict(dataset.header)}
            for line in (head, *(example.to_json() for example in dataset.examples)):
                text = json.dumps(line, ensure_ascii=False) + '\n'
                # Half of a surrogate pair, which a server may send, is not UTF-8.
                file.write(text.encode('utf-8', errors='backslashreplace'))
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise ConfigurationError(f'the data set {path} cannot be written: {error}') from error


def read_header(path: Path) -> Header:
    """Read the head of a data set, without its examples.

    Raises:
        ConfigurationError: if the file cannot be read, or is none.
    """
    with _reading(path) as (header, _):
        return header


def read_dataset(path: Path) -> Dataset:
    """Read a data set.

    Raises:
        ConfigurationError: if the file cannot be read, or is none; the message names the line.
    """
    with _reading(path) as (header, lines):
        return Dataset(header, tuple(TrainingExample.from_json(json.loads(line)) for line in lines))


@contextmanager
def _reading(path: Path) -> Iterator[tuple[Header, Iterator[str]]]:
    """Open a data set: its head, and the lines of its examples."""
    number = 1

    def lines(file: TextIO) -> Iterator[str]:
        nonlocal number
        for line in file:
            number += 1
            yield line

    try:
        with gzip.open(path, 'rt', encoding='utf-8', newline='\n') as file:
            head = json.loads(file.readline())
            if head.pop('format', '') != FORMAT:
                raise ValueError(f'its first line does not say "{FORMAT}"')
            yield Header(**head), lines(file)
    except FileNotFoundError as error:
        raise ConfigurationError(
            f'there is no data set {path}: make one with "reactree-lab dataset --out {path}"'
        ) from error
    except (*_UNREADABLE, ConfigurationError) as error:
        raise ConfigurationError(
            f'{path}, line {number}: it is not a data set of "reactree-lab dataset": {error!r}'
        ) from error


def check_dataset(examples: Iterable[TrainingExample]) -> None:
    """Refuse examples of what planners are judged by.

    Raises:
        ConfigurationError: if there is a test task, a household that only tests use, or a goal
            worded like a test task; the message lists the first of them.
    """
    faults = [
        f'  - example {number}: {fault}'
        for number, example in enumerate(examples, start=1)
        if (fault := fault_of(example))
    ]
    if faults:
        more = f'\n  … and {len(faults) - _SHOWN} more' if len(faults) > _SHOWN else ''
        lines = '\n'.join(faults[:_SHOWN])
        raise ConfigurationError(
            f'the data set has examples of what planners are judged by:\n{lines}{more}\n'
            'Make it of training tasks: "reactree-lab dataset" leaves these out'
        )


def counts_of(examples: Iterable[TrainingExample]) -> dict[str, Any]:
    """Return how many examples there are of each kind."""
    examples = tuple(examples)
    origins = [one.origin for one in examples]
    steps = [step for one in examples for step in one.steps if step.decided]
    by_kind: dict[str, Iterable[str]] = {
        'source': (origin.source for origin in origins),
        'planner': (origin.planner for origin in origins),
        'task type': (_type_of(origin.task) for origin in origins),
        'termination': (one.termination.value for one in examples),
    }
    return {
        'examples': len(examples),
        'characters': sum(len(one.text()) - len(one.system) for one in examples),
        'with experiences': sum(bool(one.examples) for one in examples),
        'decisions': len(steps),
        'decided characters': sum(len(step.text) + 1 for step in steps),
        'tasks': len({origin.task for origin in origins} - {''}),
        'instructions': len({origin.instruction for origin in origins} - {''}),
        **{name: dict(sorted(Counter(kinds).items())) for name, kinds in by_kind.items()},
    }


def _type_of(task: str) -> str:
    name, _, number = task.partition(' ')
    if name in ON_DEMAND:  # the types of their tasks are not known before
        return name
    if name not in TASK_SETS or not number.isdecimal():
        return 'none of a task set'
    return next((one.type for one in task_set(name) if one.id == int(number)), 'unknown')
