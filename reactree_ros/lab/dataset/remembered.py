# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Training examples from experiences: runs of models and of people whose success was confirmed.

A trace does not hold what an agent node perceived first; an experience is the node's whole
trajectory, as its prompt had it. Only the lines about a rejected decision are removed, as the
rejected decisions are.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from reactree_ros.core.decision import DECISION_LINES, RECALL, ControlFlow
from reactree_ros.core.prompt import GOAL_LINE, Step
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.dataset.collect import TAUGHT
from reactree_ros.lab.dataset.example import ExampleOrigin, TrainingExample
from reactree_ros.lab.evaluation.planners import read_planner
from reactree_ros.memory.exchange import TEXT, form_of, read_runs
from reactree_ros.memory.experience import Origin, Verification
from reactree_ros.memory.goal_key import shown_control_flows
from reactree_ros.memory.opening import open_store
from reactree_ros.memory.store import Record
from reactree_ros.planner.assembly import library_of, system_prompt
from reactree_ros.planner.options import PlannerOptions, planner_options
from reactree_ros.sim.household.task_sets import TASK_SETS
from reactree_ros.sim.tasks import task_of
from reactree_ros.strategies.registry import strategy


@dataclass(frozen=True)
class Remembered:
    """What a file of experiences gave.

    Args:
        nodes: what can be learned from.
        unconfirmed: experiences of runs that nobody confirmed.
        unlike: experiences that no planner of the data set could have had: of another strategy
            or skill library, or with decisions that are not on offer.
    """

    nodes: tuple[TrainingExample, ...]
    unconfirmed: int
    unlike: int


def remembered(path: Path, planners: Sequence[str]) -> Remembered:
    """Make training examples of experiences.

    Args:
        path: a store of experiences; or a file of them: ``.jsonl``, or ``.txt`` with runs that
            someone made by hand, either with ``.gz`` behind it or without.
        planners: as ``reactree-lab evaluate --planners`` takes them; the first that an experience
            could be of says what its system prompt is.

    Raises:
        ConfigurationError: if the file cannot be read, or there is no such planner.
        StoreError: if another process keeps the store locked.
    """
    known = [_Planner(name) for name in planners]
    records = _records(path)
    roots = {one.origin.run: one.experience.goal for one in records if one.experience.root}
    nodes: list[TrainingExample] = []
    unconfirmed = unlike = 0
    for record in records:
        if record.origin.verified is Verification.REPORTED:
            unconfirmed += 1
            continue
        planner = next((one for one in known if one.fits(record)), None)
        node = planner.node(record, roots.get(record.origin.run, '')) if planner else None
        if node is None:
            unlike += 1
        else:
            nodes.append(node)
    return Remembered(tuple(nodes), unconfirmed, unlike)


class _Planner:
    def __init__(self, name: str) -> None:
        chosen = read_planner(name)
        self._name = chosen.name
        self._options: PlannerOptions = planner_options({**TAUGHT, **chosen.parameters})
        library = library_of(self._options)
        self._skills = library.name
        self._system = system_prompt(self._options, self._options.strategy, library)
        expands = strategy(self._options.strategy).expands
        self._flows: frozenset[ControlFlow] = frozenset(
            self._options.agent.control_flows if expands else ()
        )

    def fits(self, record: Record) -> bool:
        origin, text = record.origin, record.experience.text
        return (
            origin.strategy in ('', self._options.strategy)
            and origin.skills in ('', self._skills)
            and shown_control_flows(text) <= self._flows
            and (self._options.memory.recall or f'\nAct: {RECALL}' not in text)
            and (self._options.operator.ask or '\nAsk: ' not in text)
        )

    def node(self, record: Record, instruction: str) -> TrainingExample | None:
        parts = _parts(record.experience.text.splitlines())
        if parts is None:
            return None
        task, steps = parts
        set_name, _, number = record.origin.task.partition(' ')
        scene, wording = '', 0
        if set_name in TASK_SETS and number.isdecimal():
            known = task_of(set_name, int(number))
            wordings = known.instructions or (known.instruction,)
            own = instruction in wordings
            scene, wording = known.scene, wordings.index(instruction) if own else len(wordings)
        origin = ExampleOrigin(
            task=record.origin.task,
            scene=scene,
            wording=wording,
            instruction=instruction,
            planner=self._name,
            source=record.origin.model or 'unknown',
            root=record.experience.root,
        )
        return TrainingExample(self._system, (), task, steps, origin)


def _parts(lines: Sequence[str]) -> tuple[str, tuple[Step, ...]] | None:
    """Return the task and the steps of a trajectory; None if it has no observation at its begin."""
    goal = next((i for i, line in enumerate(lines) if line.startswith(GOAL_LINE)), len(lines))
    begin = goal + 2
    if begin >= len(lines) or lines[goal + 1].startswith(DECISION_LINES):
        return None
    steps = tuple(Step(line, line.startswith(DECISION_LINES)) for line in lines[begin:])
    task = ''.join(f'{line}\n' for line in lines[:begin])
    return (task, steps) if steps[-1].decided else None


def _records(path: Path) -> tuple[Record, ...]:
    if not path.is_file():
        raise ConfigurationError(f'there are no experiences in {path}: name a file that is there')
    if not path.name.endswith(('.jsonl', '.txt', '.gz')):
        with closing(open_store(str(path), create=False)) as store:
            return store.records()
    # Text has no room for who confirmed it: it is what people write runs down in.
    by_hand = form_of(path) == TEXT
    verified = Verification.PERSON if by_hand else Verification.REPORTED
    given = Origin('', strategy='', verified=verified)
    return tuple(
        replace(record, origin=replace(record.origin, run=run.origin.run))
        for run in read_runs(path, given)
        for record in run.records
    )
