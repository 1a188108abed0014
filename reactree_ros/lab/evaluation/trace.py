# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The trace of one run: everything that happened, for people to read and programs to replay.

JSON lines: a head with what was run, a line for each event, and a last line with how it ended.
Until the last line is written, the file has another name.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from reactree_ros.core.events import Event
from reactree_ros.core.outcome import Costs, NodeCosts, Reason, RunReport
from reactree_ros.core.plain_text import one_line
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.provenance import made_with
from reactree_ros.models.local.embedded import trained_from
from reactree_ros.sim.household import GoalCheck, Task, judged
from reactree_ros.skills.goal_conditions.language import THEN

FORMAT = 'reactree trace 1'
_STATE = re.compile(r' \([^()]*\)(?=; |$)')
NO_REASON = 'the agent gave up'
"""The message of a run that the agent gave up without saying why."""


@dataclass(frozen=True, order=True)
class RunSpec:
    """Which run: everything that its outcome depends on, for one version of this package.

    Args:
        planner: as ``reactree-lab evaluate --planners`` takes it, e.g. ``reactree+wm``.
        model: name, path or address of the language model.
        task_set: name of the task set, e.g. ``wah_test``.
        task: the task's number in its set.
        seed: which wording of the instruction, and the seed of retrieval and sampling.
    """

    planner: str
    model: str
    task_set: str
    task: int
    seed: int


@dataclass(frozen=True)
class TraceEvent:
    """One event of a run, see ``core.events.Event``.

    Args:
        at: seconds since the run began.
        decision: costs of the decision that the event reports; all 0 if it reports none.
        model: name of the model that decided.
    """

    kind: str
    text: str
    path: tuple[str, ...]
    at: float
    decision: Costs = Costs()
    model: str = ''

    @classmethod
    def of(cls, event: Event) -> TraceEvent:
        """Return an event as the trace has it."""
        at = round(event.run.total_seconds, 3)
        return cls(event.kind, event.text, event.path, at, event.decision, event.model)


@dataclass(frozen=True)
class Ending:
    """How a run ended, as the planner reports it (``RunReport``) and in the world (``GoalCheck``).

    Args:
        status: ``succeeded``, ``failed``, ``canceled``, or ``error`` if the planner's own code
            failed.
    """

    status: str
    reason: Reason
    message: str
    costs: Costs
    nodes: tuple[NodeCosts, ...]
    tree: str
    satisfied: tuple[str, ...]
    unsatisfied: tuple[str, ...]
    met: int
    wanted: int

    @classmethod
    def of(cls, report: RunReport, check: GoalCheck) -> Ending:
        """Return how a run ended."""
        return cls(
            report.status,
            report.reason,
            report.full_message,
            report.costs,
            report.nodes,
            report.tree,
            check.satisfied,
            check.unsatisfied,
            check.met,
            check.wanted,
        )

    @classmethod
    def broken(cls, fault: str, costs: Costs, check: GoalCheck) -> Ending:
        """Return the ending of a run in which the planner's own code failed."""
        return cls.of(RunReport('error', Reason.ERROR, fault, costs, (), ''), check)

    @property
    def holds(self) -> bool:
        """Whether the goal is satisfied in the world, whatever the planner reports."""
        return bool(self.satisfied) and not self.unsatisfied


def judged_run(task: Task, found: GoalCheck, report: RunReport | None) -> GoalCheck:
    """Return whether a run reached the goal of its task, by the world and by what was said.

    Args:
        task: the task.
        found: which of its conditions hold in the world.
        report: of the run; None if the planner's own code failed.
    """
    if report is None:
        return judged(task, found)
    refused = report.reason is Reason.GAVE_UP and not report.message.startswith(NO_REASON)
    return judged(task, found, report.answer, report.message if refused else '')


def conditions_read(events: Iterable[TraceEvent]) -> str:
    """Return the goal as the model put it into conditions first; empty if it did not."""
    text = next((event.text for event in events if event.kind == 'conditions'), '')
    return _STATE.sub('', text)


def means_the_same(line: str, other: str) -> bool:
    """Return whether two lines have the same conditions, in the same order as far as it matters."""
    return _stages(line) == _stages(other)


def _stages(line: str) -> list[set[frozenset[str]]]:
    stages: list[set[frozenset[str]]] = [set()]
    for part in line.split('; '):
        if part.startswith(f'{THEN} '):
            stages.append(set())
        stages[-1].add(frozenset(part.removeprefix(f'{THEN} ').split(' or ')))
    return stages


@dataclass(frozen=True)
class Trace:
    """One run from start to end.

    Args:
        settings: the planner's parameters by name, and the limits.
        through_ros: it ran through the ROS nodes; else in one process.
        made_with: fingerprint of code and data, see ``provenance.made_with``; empty if unknown.
        trained: base and adapter of a trained model, see ``models.local.embedded.trained_from``;
            empty if it is not known to be trained.
    """

    spec: RunSpec
    instruction: str
    settings: dict[str, Any]
    through_ros: bool
    events: tuple[TraceEvent, ...]
    ending: Ending
    made_with: str = ''
    trained: str = ''

    @property
    def has_examples(self) -> bool:
        """Whether prompts had room for experiences."""
        return bool(self.settings.get('memory.example_tokens', 1))


@dataclass
class TraceWriter:
    """Collects the events of one run and writes its trace when it has ended.

    Args:
        path: the finished trace; its folder is created.
        head: see ``head_of``.
    """

    path: Path
    head: dict[str, Any]
    events: list[TraceEvent] = field(default_factory=list)

    def record(self, event: Event) -> None:
        """Add an event of the run."""
        self.events.append(TraceEvent.of(event))

    def close(self, ending: Ending) -> Trace:
        """Write the trace, completely or not at all, and return it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        part = self.path.with_suffix('.part')
        # Half of a surrogate pair, which a server may send, is not UTF-8; escaped it is JSON.
        with part.open('w', encoding='utf-8', errors='backslashreplace', newline='\n') as file:
            for line in _lines(self.head, self.events, ending):
                file.write(json.dumps(line, ensure_ascii=False) + '\n')
            file.flush()
            os.fsync(file.fileno())
        part.replace(self.path)
        return read_trace(self.path)


def head_of(
    spec: RunSpec, instruction: str, settings: dict[str, Any], *, through_ros: bool
) -> dict[str, Any]:
    """Return the first line of a trace, without the format."""
    return {
        'run': asdict(spec),
        'instruction': instruction,
        'settings': settings,
        'through_ros': through_ros,
        'made_with': made_with(),
        'trained': trained_from(spec.model),
    }


def read_trace(path: Path) -> Trace:
    """Read a trace.

    Raises:
        ConfigurationError: if the file is not a trace.
    """
    try:
        with path.open(encoding='utf-8', newline='\n') as file:
            # str.splitlines would also break lines at marks that texts may have in them.
            lines = [json.loads(line) for line in file]
        head, *events, last = lines
        if head['format'] != FORMAT:
            raise ValueError(f'its format is {head["format"]!r}, not {FORMAT!r}')
        return Trace(
            RunSpec(**head['run']),
            head['instruction'],
            head['settings'],
            head['through_ros'],
            tuple(_event(**raw) for raw in events),
            _ending(**last['end']),
            head.get('made_with', ''),
            head.get('trained', ''),
        )
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError) as error:
        why = one_line(f'{type(error).__name__}: {error}', 200)
        raise ConfigurationError(
            f'{path} is not a trace of reactree-lab evaluate ({why}). If an evaluation wrote it, '
            'delete it, and the evaluation does the run again; recorded runs: reactree replay FILE'
        ) from error


def _lines(
    head: dict[str, Any], events: Iterable[TraceEvent], ending: Ending
) -> Iterator[dict[str, Any]]:
    yield {'format': FORMAT, **head}
    for event in events:
        raw = {'at': event.at, 'kind': event.kind, 'text': event.text, 'path': event.path}
        costs = _nonzero(event.decision)
        yield {**raw, **({'decision': costs, 'model': event.model} if costs else {})}
    end = asdict(ending) | {'reason': ending.reason.value, 'costs': _nonzero(ending.costs)}
    end['nodes'] = [
        {
            'path': node.path,
            'reason': node.reason.value if node.reason else '',
            'costs': _nonzero(node.costs),
        }
        for node in ending.nodes
    ]
    yield {'end': end}


def _nonzero(costs: Costs) -> dict[str, float]:
    spent = {name: value for name, value in asdict(costs).items() if value}
    return {n: round(v, 3) if isinstance(v, float) else v for n, v in spent.items()}


def _event(path: list[str], decision: Any = None, **rest: Any) -> TraceEvent:
    return TraceEvent(path=tuple(path), decision=Costs(**(decision or {})), **rest)


def _ending(
    reason: str,
    costs: Any,
    nodes: list[Any],
    satisfied: list[str],
    unsatisfied: list[str],
    **rest: Any,
) -> Ending:
    return Ending(
        reason=Reason(reason),
        costs=Costs(**costs),
        nodes=tuple(
            NodeCosts(
                tuple(node['path']),
                Reason(node['reason']) if node['reason'] else None,
                Costs(**node['costs']),
            )
            for node in nodes
        ),
        satisfied=tuple(satisfied),
        unsatisfied=tuple(unsatisfied),
        **rest,
    )
