# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Does the runs of an evaluation through ROS, with the nodes that a user has.

A planner node serves all tasks of a robot, a planner, a model and a seed; every task has a bridge
of its own. The same seed gives the same results as in one process.
"""

from __future__ import annotations

import itertools
import tempfile
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from reactree_ros import plugins
from reactree_ros.cli.domain import private_domain
from reactree_ros.cli.process_group import ProcessGroup
from reactree_ros.cli.processes import PLANNER, NodeProcess, bridge_of
from reactree_ros.core.budget import Limits
from reactree_ros.core.events import Event
from reactree_ros.core.option import values_of
from reactree_ros.core.outcome import Costs, Reason, RunReport
from reactree_ros.errors import ConfigurationError, GoalError, ModelError
from reactree_ros.lab.baselines import BASELINES
from reactree_ros.lab.evaluation.run_setup import options_of, parameters_of
from reactree_ros.lab.evaluation.runner import LOAD_SEC, Watch
from reactree_ros.lab.evaluation.store import Store
from reactree_ros.lab.evaluation.trace import Ending, RunSpec, TraceWriter, head_of, judged_run
from reactree_ros.memory.postgres.address import shown
from reactree_ros.ros.conversions import goal_to_msg
from reactree_ros.ros.goals.client import GoalResult, PlannerClient
from reactree_ros.sim.household import GoalCheck
from reactree_ros.sim.physics.description import shipped_description
from reactree_ros.sim.physics.tasks import ARM_SETS
from reactree_ros.sim.robots.tasks import ROBOT_SETS, robot_of
from reactree_ros.sim.robots.world import KINDS
from reactree_ros.sim.tasks import task_of
from reactree_ros.sim.worlds import HOUSEHOLD, KITCHEN, WorldNode

TICK_HZ = 50.0
_BRIDGE_SEC = 60.0
_CANCEL_SEC = 60.0
_GONE_SEC = 10.0
_KEPT = 1_000_000
_BROKEN_SEC = 2.0
RECORDINGS = 'recordings'
"""Folder of an evaluation with the recordings of runs and motions, for replay and film."""


def _world(spec: RunSpec) -> WorldNode:
    if spec.task_set in ROBOT_SETS:
        return plugins.load_as(plugins.WORLDS, robot_of(spec.task_set), WorldNode)
    return KITCHEN if spec.task_set in ARM_SETS else HOUSEHOLD


def _skills(spec: RunSpec) -> dict[str, str]:
    """Return the skill library of a task; empty for the one that the planner names."""
    if spec.task_set in ROBOT_SETS:
        return {'skills': KINDS[robot_of(spec.task_set)].skills}
    if spec.task_set not in ARM_SETS:
        return {}
    return {'skills': shipped_description(task_of(spec.task_set, spec.task).scene).skills}


class RosRunner:
    """Does runs one after another through the planner node and the bridge of their world."""

    def __init__(self, store: Store, limits: Limits, watch: Watch) -> None:
        self._store = store
        self._recordings = store.folder.absolute() / RECORDINGS
        self._limits = limits
        self._watch = watch

    def run(self, specs: Sequence[RunSpec]) -> None:
        """Do runs, in this order, until all have a trace.

        Raises:
            ModelError: if a planner does not start, or its model does not come back.
            GoalError: if the world does not start or does not answer.
            ConfigurationError: if a planner has a memory, or a baseline another seed than 0.
        """
        for spec in specs:
            _check_memory(spec, self._limits)
            _check_seed(spec)
        with private_domain(), tempfile.TemporaryDirectory() as folder:
            for _, group in itertools.groupby(specs, self._group):
                waiting = deque(group)
                while waiting and not self._watch.stop():
                    self._run_with_planner(waiting, Path(folder))

    @staticmethod
    def _group(spec: RunSpec) -> tuple[str, str, str, int]:
        return str(_skills(spec)), spec.model, spec.planner, spec.seed

    def _run_with_planner(self, waiting: deque[RunSpec], folder: Path) -> None:
        """Do runs until all have ended, or the planner has."""
        self._watch.note(f'starting {waiting[0].planner} with {waiting[0].model}')
        margin = options_of(waiting[0], self._limits).model.none_margin
        values = {
            'model.none_margin': margin,  # whatever the file of the world has
            **parameters_of(waiting[0], self._limits),
            **_skills(waiting[0]),
            'tick_hz': TICK_HZ,
            'model.load_timeout_sec': LOAD_SEC,
            'goals.reset_model_cache': True,
            'goals.reset_world': True,
            'recording.runs_dir': str(self._recordings),
            'recording.max_runs': _KEPT,
        }
        process = replace(PLANNER, params_file=_world(waiting[0]).params_file, parameters={})
        with _process(process, values, folder) as planner, PlannerClient() as client:
            ready = client.wait_for_planner(2 * LOAD_SEC, self._while_alive(planner))
            if not ready and not self._watch.stop():
                raise ModelError(planner.died() or 'the planner was not ready in time')
            while waiting and not self._watch.stop() and not planner.died():
                self._run_one(waiting, planner, client, folder)

    def _run_one(
        self, waiting: deque[RunSpec], planner: ProcessGroup, client: PlannerClient, folder: Path
    ) -> None:
        spec = waiting[0]
        task = task_of(spec.task_set, spec.task)
        instruction = task.wording(spec.seed)
        settings = values_of(options_of(spec, self._limits))
        if spec.task_set in ROBOT_SETS:
            settings |= _skills(spec)
        head = head_of(spec, instruction, settings, through_ros=True)
        writer = TraceWriter(self._store.path(spec), head)
        world = _world(spec)
        values: dict[str, Any] = {
            **world.settings,
            'task_set': spec.task_set,
            'task': spec.task,
        }
        if world is KITCHEN:
            values |= {
                'seed': spec.seed,
                'motions_dir': str(self._recordings),
                'max_motions': _KEPT,
            }
        elif world is HOUSEHOLD:
            values |= {'skill_duration_sec': 0.0}
        process = replace(bridge_of(world), parameters={}, settings={})
        with _process(process, values, folder) as bridge:
            alive = self._while_alive(planner, bridge)
            if not client.wait_for_planner(_BRIDGE_SEC, alive, bridge=True):
                if self._watch.stop() or planner.died():
                    return
                raise GoalError(bridge.died() or 'the world was not ready in time')
            self._watch.started(spec)
            costs, fault, result = Costs(), '', None

            def record(event: Event, _: str) -> None:
                nonlocal costs
                costs = event.run
                writer.record(event)

            try:
                goal = goal_to_msg(instruction)
                result = client.run_goal(goal, record, self._watch.stop, _CANCEL_SEC)
            except GoalError as error:
                fault = planner.died()
                if not fault:
                    raise GoalError(bridge.died() or str(error)) from error
            if self._watch.stop():
                return
            found = client.check_goal([])
            if found is None:
                raise GoalError(bridge.died() or 'the world did not evaluate the goal')
        client.wait_for_bridge_end(_GONE_SEC)
        check = GoalCheck(tuple(found.satisfied), tuple(found.unsatisfied), found.met, found.wanted)
        report = None if result is None else _report(result)
        check = judged_run(task, check, report)
        if result is None or report is None:
            ending = Ending.broken(fault, costs, check)
        else:
            if result.reason == Reason.MODEL.value:
                _check_model(planner)
            ending = Ending.of(report, check)
        waiting.popleft()
        self._watch.ended(writer.close(ending))

    def _while_alive(self, *groups: ProcessGroup) -> Callable[[], bool]:
        return lambda: not self._watch.stop() and not any(group.died() for group in groups)


def _check_memory(spec: RunSpec, limits: Limits) -> None:
    memory = options_of(spec, limits).memory.store
    if memory:
        raise ConfigurationError(
            f'planner {spec.planner!r}: through ROS a planner does not know its task, so '
            f'memory={shown(memory)} would show it what was learned from the same task; omit '
            '--ros, or memory'
        )


def _check_seed(spec: RunSpec) -> None:
    if spec.model in BASELINES and spec.seed:
        raise ConfigurationError(
            f'{spec.model}: through ROS it draws the same with every seed; omit --ros, or seeds '
            'other than 0'
        )


def _process(spec: NodeProcess, values: dict[str, Any], folder: Path) -> ProcessGroup:
    """Return a process with these parameters; a context manager."""
    listed = {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}
    path = folder / f'{spec.name}.yaml'
    path.write_text(
        yaml.safe_dump({f'/**/{spec.name}': {'ros__parameters': listed}}), encoding='utf-8'
    )
    given = {'params_file': str(path), 'log_level': 'warn'}
    return ProcessGroup(given, lambda name, line: None, (spec,))


def _check_model(planner: ProcessGroup) -> None:
    """Raise ModelError if the planner ends because its model is gone."""
    end = time.monotonic() + _BROKEN_SEC
    while time.monotonic() < end:
        if planner.died():
            raise ModelError(planner.died())
        time.sleep(0.05)


def _report(result: GoalResult) -> RunReport:
    if not result.nodes:
        raise GoalError(result.message)  # the goal was rejected
    root = result.nodes[0].reason
    return RunReport(
        status=result.status,
        reason=Reason(result.reason) if result.reason else root or Reason.DONE,
        message=result.message,
        costs=result.costs,
        nodes=result.nodes,
        tree=result.tree,
        conditions=result.conditions,
        unconfirmed=result.unconfirmed,
        answer=result.answer,
    )
