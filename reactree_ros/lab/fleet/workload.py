# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What robots ask of a model server, decision by decision, as recorded runs have it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share

if TYPE_CHECKING:
    from reactree_ros.lab.evaluation.trace import Trace

FORMAT = 'reactree fleet workload 1'


class Step(NamedTuple):
    """One decision of a run.

    Args:
        prompt: tokens of the prompt.
        prefilled: those of them that were not in a cache.
        written: tokens of the answer.
        acts: whether a skill follows; another decision does otherwise.
        begins: whether it is the first of an agent node, which searches the memory before it.
    """

    prompt: int
    prefilled: int
    written: int
    acts: bool
    begins: bool


@dataclass(frozen=True)
class Workload:
    """Runs that are done again and again, in any order.

    Args:
        source: what was measured, for people.
        shared_tokens: tokens with which all prompts begin: read once a server. Measured as what
            the first decision of a later agent node found in the cache.
        skill_sec: durations of skills, of which one is drawn for each.
        runs: the decisions of each run.
    """

    source: str
    shared_tokens: int
    skill_sec: tuple[float, ...]
    runs: tuple[tuple[Step, ...], ...]

    def __post_init__(self) -> None:
        """Check that there is something to be done."""
        if not self.skill_sec or not self.runs or not all(self.runs):
            raise ConfigurationError('a workload has runs, each with decisions, and skills')

    @property
    def decisions(self) -> float:
        """Decisions of a run, the mean."""
        return fmean(map(len, self.runs))

    def write(self, path: Path) -> None:
        """Write it as JSON."""
        values = {'format': FORMAT, 'source': self.source, 'shared_tokens': self.shared_tokens}
        parts = [
            *(f'"{key}": {json.dumps(value)}' for key, value in values.items()),
            f'"skill_sec": {json.dumps(self.skill_sec)}',
            '"runs": [\n'
            + ',\n'.join(
                json.dumps([list(map(int, step)) for step in run], separators=(',', ':'))
                for run in self.runs
            )
            + '\n]',
        ]
        path.write_text('{' + ',\n'.join(parts) + '}\n', encoding='utf-8')


def read_workload(path: Path | None = None) -> Workload:
    """Read a workload; the shipped one without a path.

    Raises:
        ConfigurationError: if the file is not one.
    """
    path = path or share('resource', 'fleet', 'office.json')
    try:
        raw = json.loads(path.read_text(encoding='utf-8'))
        if raw['format'] != FORMAT:
            raise ValueError(f'its format is {raw["format"]!r}, not {FORMAT!r}')
        return Workload(
            str(raw['source']),
            int(raw['shared_tokens']),
            tuple(map(float, raw['skill_sec'])),
            tuple(tuple(_step(*step) for step in run) for run in raw['runs']),
        )
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ConfigurationError(f'{path} is not a workload: {error}') from error


def _step(prompt: int, prefilled: int, written: int, acts: int, begins: int) -> Step:
    return Step(prompt, prefilled, written, bool(acts), bool(begins))


def workload_of(traces: Iterable[Trace], source: str, skill_sec: Iterable[float] = ()) -> Workload:
    """Return what recorded runs asked of their model; runs without a model are left out.

    Args:
        traces: of ``reactree-lab evaluate``.
        source: what they are, for people.
        skill_sec: durations of skills in place of the recorded ones.

    Raises:
        ConfigurationError: if no run has a decision of a model, or none a skill.
    """
    runs: list[tuple[Step, ...]] = []
    seconds: list[float] = []
    for trace in traces:
        steps = tuple(_steps(trace))
        if any(step.prompt for step in steps):
            runs.append(steps)
            seconds += _skill_seconds(trace)
    # the least that a later node reuses: most share more with the nodes around them
    reused = [one.prompt - one.prefilled for run in runs for one in run[1:] if one.begins]
    shared = min(reused, default=0)
    durations = tuple(skill_sec) or tuple(round(one, 3) for one in seconds)
    return Workload(source, shared, durations, tuple(runs))


def _steps(trace: Trace) -> Iterator[Step]:
    begins = False
    for event in trace.events:
        begins = begins or event.kind == 'goal'
        costs = event.decision
        if costs.decisions:
            new = costs.tokens_in - costs.tokens_reused
            yield Step(costs.tokens_in, new, costs.tokens_out, event.kind == 'act', begins)
            begins = False


def _skill_seconds(trace: Trace) -> Iterator[float]:
    began: float | None = None
    for event in trace.events:
        if event.kind == 'observation' and began is not None:
            yield event.at - began
        began = event.at if event.kind == 'act' else None
