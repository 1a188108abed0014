# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The trace of one run: all that happened, in a file that a person can read and a program replay.

JSON lines: a head with what was run, one line an event, and a last line with how it ended. A trace
without its last line is not a trace; it is written under another name until then.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from reactree_ros.core.events import Event
from reactree_ros.core.outcome import Costs, NodeCosts, Reason, RunReport
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.provenance import made_with
from reactree_ros.models.local.embedded import trained_from
from reactree_ros.sim.household import GoalCheck

FORMAT = 'reactree trace 1'


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
    """One event, with what it has cost.

    Args:
        kind: one of ``core.events.KINDS``.
        text: thought, skill phrase, observation, or how it ended.
        path: goals from the root to the active agent node.
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
        """Return an event of a run as its trace has it."""
        at = round(event.run.total_seconds, 3)
        return cls(event.kind, event.text, event.path, at, event.decision, event.model)


@dataclass(frozen=True)
class Ending:
    """How a run ended, by the planner's word and by the world's.

    Args:
        status: ``succeeded``, ``failed`` or ``canceled``, as the planner says; ``error`` if the
            planner's own code failed.
        reason: why the root ended.
        message: one sentence.
        costs: of the whole run.
        nodes: of every agent node that began, each before the nodes below it.
        tree: the final tree as text.
        satisfied: goal conditions that hold in the world, as readable lines.
        unsatisfied: those that do not.
        met: how many of the wanted objects are as wanted.
        wanted: how many are wanted in all conditions together.
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
        """Return how a run ended in which the planner's own code failed."""
        return cls.of(RunReport('error', Reason.ERROR, fault, costs, (), ''), check)

    @property
    def holds(self) -> bool:
        """Whether the world confirms the goal; what the planner says does not count."""
        return bool(self.satisfied) and not self.unsatisfied


@dataclass(frozen=True)
class Trace:
    """One run from start to end.

    Args:
        spec: which run.
        instruction: the goal as text, for the robot.
        settings: the planner's parameters by name, and the limits.
        through_ros: it ran through the ROS nodes; else in one process.
        events: all that happened, in order.
        ending: how it ended.
        made_with: which code and data, see ``provenance.made_with``; empty if it is not known.
        trained: what the models consist of that were trained for this planner, see
            ``models.embedded.trained_from``; empty if none was, as far as is known.
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
        path: the finished trace; its folder is made.
        head: the trace's first line, without the format.
        events: the events so far.
    """

    path: Path
    head: dict[str, Any]
    events: list[TraceEvent] = field(default_factory=list)

    def record(self, event: Event) -> None:
        """Take in an event of the run."""
        self.events.append(TraceEvent.of(event))

    def close(self, ending: Ending) -> Trace:
        """Write the trace and return it; whatever happens, it is there as a whole or not at all."""
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
    models = dict.fromkeys((spec.model, str(settings.get('acting_model.name', ''))))
    trained = [trained_from(model) for model in models if model]
    return {
        'run': asdict(spec),
        'instruction': instruction,
        'settings': settings,
        'through_ros': through_ros,
        'made_with': made_with(),
        'trained': ', '.join(filter(None, trained)),
    }


def read_trace(path: Path) -> Trace:
    """Read a trace.

    Raises:
        ConfigurationError: if the file is none.
    """
    try:
        with path.open(encoding='utf-8', newline='\n') as file:
            # str.splitlines would also break lines at marks that texts may have in them.
            lines = [json.loads(line) for line in file]
        head, *events, last = lines
        if head['format'] != FORMAT:
            raise ValueError(f'its format is {head["format"]!r}, not {FORMAT!r}')
        return Trace(
            spec=RunSpec(**head['run']),
            instruction=head['instruction'],
            settings=head['settings'],
            through_ros=head['through_ros'],
            events=tuple(_event(raw) for raw in events),
            ending=_ending(last['end']),
            made_with=head.get('made_with', ''),
            trained=head.get('trained', ''),
        )
    except (OSError, UnicodeDecodeError, ValueError, KeyError, TypeError) as error:
        raise ConfigurationError(
            f'{path} is not a trace of a run: {error!r}. An evaluation does the run again if the '
            'file is taken away'
        ) from error


def _lines(
    head: dict[str, Any], events: Iterable[TraceEvent], ending: Ending
) -> Iterator[dict[str, Any]]:
    yield {'format': FORMAT, **head}
    for event in events:
        raw = {'at': event.at, 'kind': event.kind, 'text': event.text, 'path': event.path}
        costs = _spent(event.decision)
        yield {**raw, **({'decision': costs, 'model': event.model} if costs else {})}
    end = asdict(ending) | {'reason': ending.reason.value, 'costs': _spent(ending.costs)}
    end['nodes'] = [
        {
            'path': node.path,
            'reason': node.reason.value if node.reason else '',
            'costs': _spent(node.costs),
        }
        for node in ending.nodes
    ]
    yield {'end': end}


def _spent(costs: Costs) -> dict[str, float]:
    spent = {name: value for name, value in asdict(costs).items() if value}
    return {n: round(v, 3) if isinstance(v, float) else v for n, v in spent.items()}


def _event(raw: dict[str, Any]) -> TraceEvent:
    return TraceEvent(
        raw['kind'],
        raw['text'],
        tuple(raw['path']),
        raw['at'],
        Costs(**raw.get('decision', {})),
        raw.get('model', ''),
    )


def _ending(raw: dict[str, Any]) -> Ending:
    nodes = tuple(
        NodeCosts(
            tuple(node['path']),
            Reason(node['reason']) if node['reason'] else None,
            Costs(**node['costs']),
        )
        for node in raw['nodes']
    )
    return Ending(
        status=raw['status'],
        reason=Reason(raw['reason']),
        message=raw['message'],
        costs=Costs(**raw['costs']),
        nodes=nodes,
        tree=raw['tree'],
        satisfied=tuple(raw['satisfied']),
        unsatisfied=tuple(raw['unsatisfied']),
        met=raw['met'],
        wanted=raw['wanted'],
    )
