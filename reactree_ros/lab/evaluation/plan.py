# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is to be evaluated: planners, models, tasks and seeds, and the runs that follow from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from reactree_ros.core.budget import Limits
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.planners import read_planner
from reactree_ros.lab.evaluation.trace import RunSpec
from reactree_ros.sim.tasks import select_tasks

_LIMITS = ('max_decisions', 'max_depth', 'max_duration_sec')
_KEYS = ('experiments', *_LIMITS, 'through_ros', 'learn')
_EXPERIMENT = {'planners': str, 'models': str, 'tasks': str, 'types': str, 'seeds': int}
NO_LIMIT_SEC = 86_400.0
"""A run has no time limit by default, since results must not depend on the machine. This is the
longest that the planner's parameter allows."""


@dataclass(frozen=True)
class Experiment:
    """Every planner with every model on every task with every seed.

    Args:
        planners: as ``read_planner`` takes them.
        models: as the planner's parameter ``model.name`` takes them.
        tasks: task sets, each whole (``wah_test``) or a part (``wah_test:20``).
        types: task types; empty for all.
        seeds: which wordings, and the seeds of retrieval and sampling.
    """

    planners: tuple[str, ...]
    models: tuple[str, ...]
    tasks: tuple[str, ...]
    types: tuple[str, ...] = ()
    seeds: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class Plan:
    """Experiments under the same limits; a run that two of them ask for is done once.

    Args:
        through_ros: the runs go through the ROS nodes; else they are in one process.
        learn: path of the store that experiences of successful runs are kept in; empty for none.
    """

    experiments: tuple[Experiment, ...]
    limits: Limits
    through_ros: bool = False
    learn: str = ''

    def runs(self) -> tuple[RunSpec, ...]:
        """Return all runs: those of a model one after another, and of a planner among them.

        Raises:
            ConfigurationError: if there is no such planner, task set or task type.
        """
        found: dict[tuple[str, str], dict[RunSpec, None]] = {}
        for one in self.experiments:
            planners = [read_planner(text).name for text in one.planners]
            tasks = [task for text in one.tasks for task in select_tasks(text, one.types)]
            for model in one.models:
                for planner in planners:
                    specs = found.setdefault((model, planner), {})
                    for seed in one.seeds:
                        for name, task in tasks:
                            specs[RunSpec(planner, model, name, task.id, seed)] = None
        models = [model for model, _ in found]
        ordered = sorted(found, key=lambda key: models.index(key[0]))
        return tuple(spec for key in ordered for spec in found[key])

    def extended(self, other: Plan) -> Plan:
        """Return a plan with the experiments of both."""
        more = [one for one in other.experiments if one not in self.experiments]
        return replace(self, experiments=(*self.experiments, *more))

    def differs(self, other: Plan) -> str:
        """Return which conditions differ from those of another plan; empty if none do."""
        mine, its = self._conditions(), other._conditions()
        differing = [name for name in mine if mine[name] != its[name]]
        return ', '.join(f'{name} was {mine[name]} and is {its[name]}' for name in differing)

    def _conditions(self) -> dict[str, Any]:
        limits = {name: getattr(self.limits, name) for name in _LIMITS}
        return {**limits, 'through_ros': self.through_ros, 'learn': self.learn}

    def to_json(self) -> dict[str, Any]:
        """Return the plan as JSON values."""
        return {**self._conditions(), 'experiments': [asdict(one) for one in self.experiments]}

    @classmethod
    def from_json(cls, raw: Any, place: str) -> Plan:
        """Read a plan from JSON or YAML values.

        Args:
            raw: a mapping with ``experiments`` and, optionally, limits.
            place: named in messages.

        Raises:
            ConfigurationError: if it is not a plan; the message lists every fault.
        """
        faults = _faults(raw)
        if faults:
            lines = '\n'.join(f'  - {fault}' for fault in faults)
            raise ConfigurationError(f'{place} is not a plan of an evaluation:\n{lines}')
        return cls(
            tuple(
                Experiment(**{key: tuple(values) for key, values in one.items()})
                for one in raw['experiments']
            ),
            limits(*(raw.get(name) for name in _LIMITS)),
            raw.get('through_ros', False),
            raw.get('learn', ''),
        )


def limits(
    max_decisions: int | None = None,
    max_depth: int | None = None,
    max_duration_sec: float | None = None,
) -> Limits:
    """Return the limits of runs; what is not given has the planner's default or no limit."""
    default = Limits()
    return Limits(
        max_decisions or default.max_decisions,
        max_depth or default.max_depth,
        float(max_duration_sec or NO_LIMIT_SEC),
    )


def read_plan(path: Path) -> Plan:
    """Read a plan from a YAML file, such as ``config/evaluation.yaml``.

    Raises:
        ConfigurationError: if the file cannot be read or is not a plan.
    """
    try:
        raw = yaml.safe_load(path.read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(f'cannot read the plan {path}: {error}') from error
    return Plan.from_json(raw, str(path))


def _faults(raw: Any) -> list[str]:
    """Return what is wrong with a plan."""
    if not isinstance(raw, dict):
        return [f'expected a mapping with {", ".join(_KEYS)}']
    faults = [
        f'{name}: not a key of a plan, which has {", ".join(_KEYS)}'
        for name in raw
        if name not in _KEYS
    ]
    listed = raw.get('experiments')
    if not isinstance(listed, list) or not listed:
        faults.append('experiments: expected a list with at least one experiment')
        listed = []
    for index, one in enumerate(listed):
        faults += [f'experiments[{index}]{fault}' for fault in _experiment_faults(one)]
    if not isinstance(raw.get('through_ros', False), bool):
        faults.append(f'through_ros: {raw["through_ros"]!r} is not true or false')
    if not isinstance(raw.get('learn', ''), str):
        faults.append(f'learn: {raw["learn"]!r} is not a path')
    for name in _LIMITS:
        value = raw.get(name, 1)
        kind = (int, float) if name.endswith('_sec') else int
        if isinstance(value, bool) or not isinstance(value, kind) or not value > 0:
            faults.append(f'{name}: {value!r} is not a number above 0')
    return faults


def _experiment_faults(raw: Any) -> list[str]:
    if not isinstance(raw, dict):
        return [f': expected a mapping with {", ".join(_EXPERIMENT)}, not {raw!r}']
    faults = [f'.{name}: not a key of an experiment' for name in raw if name not in _EXPERIMENT]
    faults += [f'.{name}: missing' for name in ('planners', 'models', 'tasks') if not raw.get(name)]
    for name, kind in _EXPERIMENT.items():
        value = raw.get(name, [])
        if not isinstance(value, Sequence) or isinstance(value, str):
            faults.append(f'.{name}: expected a list, not {value!r}')
        elif any(not isinstance(item, kind) or isinstance(item, bool) for item in value):
            what = 'texts' if kind is str else 'whole numbers'
            faults.append(f'.{name}: {list(value)!r} are not all {what}')
    if 'seeds' in raw and not raw['seeds']:
        faults.append('.seeds: empty; omit it for seed 0')
    return faults
