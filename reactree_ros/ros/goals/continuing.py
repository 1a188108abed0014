# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A goal that goes on from the middle of a recorded run, where a person decides otherwise."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from reactree_interfaces.srv import ContinueRun
from reactree_ros.core.wire import Values
from reactree_ros.errors import ConfigurationError
from reactree_ros.planner.first_inputs import decisions_of, first_inputs
from reactree_ros.ros.goals.client import CONTINUE_SERVICE
from reactree_ros.ros.nodes.planner_config import (
    PlannerConfig,
    changed_values,
    resume_values,
    runs_folder,
)
from reactree_ros.ros.recording.recorded_run import planner_of, read_recorded_run
from reactree_ros.ros.recording.run_file import RunFile
from reactree_ros.ros.recording.run_recorder import SUFFIX, run_file
from reactree_ros.strategies.registry import strategy

_NAME = re.compile(r'[A-Za-z0-9-]{1,200}')
_GOAL_ID = re.compile(r'[0-9a-f]{32}')
_IN_TEACH = '"reactree teach --run FILE --at N" starts a planner for it'


@dataclass(frozen=True)
class Continuation:
    """What is kept of a run for a goal that is to come.

    Args:
        goal_id: of the goal to come, 16 bytes.
        run: id of the run's own goal, 32 hexadecimal digits.
        goal: what the person wants, as in the run.
        strategy: of the run.
        conditions: that came with its goal.
        inputs: what had reached the run from outside before the decision.
        by_person: so many decisions after that are a person's.
    """

    goal_id: bytes
    run: str
    goal: str
    strategy: str
    conditions: tuple[str, ...]
    inputs: tuple[Values, ...]
    by_person: int


class Continuations:
    """The service ``reactree/continue_run`` (ContinueRun).

    It reads the file of a run, which takes its time: in a callback group of its own, beside the
    tick.

    Args:
        node: serves it.
        config: returns the planner's parameters as they are now.
        remembers: returns whether a goal that starts now knows of earlier ones.
    """

    def __init__(
        self, node: Node, config: Callable[[], PlannerConfig], remembers: Callable[[], bool]
    ) -> None:
        self._node = node
        self._config = config
        self._remembers = remembers
        self._service = node.create_service(
            ContinueRun,
            CONTINUE_SERVICE,
            self._on_request,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )
        self._next: Continuation | None = None

    def expects(self, goal: str, strategy_name: str) -> Continuation | None:
        """Return the continuation that a goal seems to be; its id is not known yet."""
        one = self._next
        return one if one and (one.goal, one.strategy) == (goal, strategy_name) else None

    def take(self, goal_id: bytes) -> Continuation | None:
        """Return the continuation that is the goal of this id, once."""
        one = self._next
        if one is None or one.goal_id != goal_id:
            return None
        self._next = None
        return one

    def destroy(self) -> None:
        """Withdraw the service."""
        self._node.destroy_service(self._service)

    def _on_request(
        self, request: ContinueRun.Request, response: ContinueRun.Response
    ) -> ContinueRun.Response:
        try:
            found = self._continuation(request)
        except ConfigurationError as error:
            response.message = ' '.join(str(error).split())
            return response
        self._next = found
        response.accepted = True
        response.message = f'{request.decision - 1} decisions are kept'
        response.goal, response.strategy = found.goal, found.strategy
        response.conditions = list(found.conditions)
        return response

    def _continuation(self, request: ContinueRun.Request) -> Continuation:
        """Return what is asked for.

        Raises:
            ConfigurationError: if there is no such run or decision, or it cannot be continued here.
        """
        if not any(request.goal_id.uuid) or not request.by_person:
            raise ConfigurationError('goal_id and by_person must be given')
        config = self._config()
        file = RunFile(_path(runs_folder(config.recording.runs_dir), request.run))
        recorded = read_recorded_run(file)
        count = len(decisions_of(recorded.inputs))
        if not 1 <= request.decision <= count + 1:
            raise ConfigurationError(f'the run has {count} decisions; take one from 1 on')
        name, parameters = planner_of(file)
        if not strategy(name).asks_memory:
            raise ConfigurationError(f'{name} plans as a whole before it acts')
        if self._remembers():
            raise ConfigurationError(
                'this planner keeps working memory between goals, which the run did not: set '
                'memory.keep_between_goals to false'
            )
        now = {'skills': config.skills, **resume_values(config)}
        changed = changed_values(parameters, now, name)
        if changed:
            raise ConfigurationError(
                f'this planner has other parameters than the run: {", ".join(changed)}; {_IN_TEACH}'
            )
        return Continuation(
            goal_id=bytes(request.goal_id.uuid),
            run=str(file.began.get('goal_id', '')),
            goal=recorded.goal,
            strategy=name,
            conditions=recorded.conditions,
            inputs=first_inputs(recorded.inputs, request.decision - 1, again=request.again),
            by_person=request.by_person,
        )


def _path(folder: Path | None, run: str) -> Path:
    """Return the file of a run.

    Raises:
        ConfigurationError: if there is none.
    """
    if folder is None:
        raise ConfigurationError('this planner records no runs (parameter recording.runs_dir)')
    if _NAME.fullmatch(run):  # no path that leads elsewhere
        named = folder / f'{run}{SUFFIX}'
        path = run_file(folder, run) if _GOAL_ID.fullmatch(run) else named
        if path is not None and path.exists():
            return path
    raise ConfigurationError(f'the run {run!r} is not among those that this planner has recorded')
