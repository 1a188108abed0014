# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``Planner``: the whole planner as one object in the caller's process, without ROS."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager

from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.events import Event
from reactree_ros.core.model import PlannerModel
from reactree_ros.core.operator import Operator
from reactree_ros.core.option import Value
from reactree_ros.core.outcome import RunReport
from reactree_ros.errors import GoalError, ModelError
from reactree_ros.memory.episodic import EpisodicMemory
from reactree_ros.memory.working import WorkingMemory
from reactree_ros.models.start import start_model
from reactree_ros.planner.assembly import assemble, library_of
from reactree_ros.planner.in_process import run_goal
from reactree_ros.planner.memory_setup import open_memory
from reactree_ros.planner.options import planner_options
from reactree_ros.planner.run import checked_goal, working_memories
from reactree_ros.skills.executor import SkillExecutor
from reactree_ros.skills.simulated import SimulatedWorld, executor_of

MAX_GOAL_CHARS = 2000
_POLL_SEC = 0.05


@contextmanager
def _interrupt_as(cancel: Callable[[], None]) -> Iterator[None]:
    """Let the first Ctrl-C cancel: in the middle of a tick it could leave the robot moving."""
    taken = signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    if taken or threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupts = 0

    def interrupt(*_: object) -> None:
        nonlocal interrupts
        interrupts += 1
        if interrupts > 1:
            raise KeyboardInterrupt
        cancel()

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if interrupts:
        raise KeyboardInterrupt


class Planner:
    """Carries out goals in plain language with one robot; a context manager.

    Entering it starts the language model and waits until it is loaded, which takes seconds, or
    minutes the first time a model is used. One goal runs at a time.

    >>> with Planner(skills='household', robot=world) as planner:  # doctest: +SKIP
    ...     report = planner.run('Put the apple in the fridge', on_event=print)

    Args:
        skills: skill library of the robot: a shipped one by name, such as ``household``, or the
            path of a YAML file.
        robot: carries out skills: a ``SkillExecutor``, or a ``SimulatedWorld``, whose skills end
            at once.
        model: what decides: a packaged model by name, a folder, a GGUF file, the id of a model on
            a hub, the address of a server, or ``NAME:…`` for the back end ``NAME``; empty for the
            packaged model that suits the skills (docs/models.md).
        strategy: name of the planning strategy (docs/strategies.md).
        operator: answers the model's questions; None if nobody does.
        options: further parameters of the planner by name (docs/parameters.md has them all);
            ``memory.store`` is empty unless it is given, and is only read: nothing is learned.
        on_progress: called with a line of text while the model loads.

    Raises:
        ConfigurationError: if an option or the skill library is wrong, or ``robot`` is neither.
    """

    def __init__(
        self,
        *,
        skills: str,
        robot: SkillExecutor | SimulatedWorld,
        model: str = '',
        strategy: str = 'reactree',
        operator: Operator | None = None,
        options: Mapping[str, Value] | None = None,
        on_progress: Callable[[str], None] = lambda text: None,
    ) -> None:
        given = {'memory.store': '', **(options or {})}
        self._options = planner_options(
            {**given, 'skills': skills, 'model.name': model, 'strategy': strategy}
        )
        self._library = library_of(self._options)
        self._robot = executor_of(robot)
        self._operator = operator
        self._on_progress = on_progress
        self._services: RunServices | None = None
        self._memories: dict[str, WorkingMemory] | None = None
        self._opened = ExitStack()
        self._busy = threading.Lock()
        self._cancel = threading.Event()

    def __enter__(self) -> Planner:
        """Start the model and wait until it is loaded.

        Raises:
            ModelError: if there is no such model, or it cannot be loaded.
            ConfigurationError: if a file is missing or wrong.
            StoreError: if episodic memory cannot be opened.
        """
        with ExitStack() as opened:
            options = self._options
            model = start_model(options.model, options.standby_options, self._operator)
            opened.callback(model.close)
            self._wait_for(model)
            store = open_memory(options, model)
            if store is not None:
                opened.callback(store.close)
            self._services = services = assemble(
                options, model, self._robot, self._operator, library=self._library, store=store
            )
            if isinstance(services.experiences, EpisodicMemory):
                opened.callback(services.experiences.close)
            if options.memory.keep_between_goals:
                self._memories = working_memories(services)
                for memory in self._memories.values():
                    opened.callback(memory.close)
            self._opened = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        """End the model."""
        self._services = self._memories = None
        self._opened.close()

    def run(
        self,
        goal: str,
        *,
        limits: Limits | None = None,
        on_event: Callable[[Event], None] = lambda event: None,
        conditions: Sequence[str] = (),
    ) -> RunReport:
        """Carry out a goal and wait for its end.

        Args:
            goal: what a person wants, at most ``MAX_GOAL_CHARS`` characters.
            limits: most decisions, depth, seconds and tokens; None for those of the options.
            on_event: called with every event, on the calling thread; must return quickly.
            conditions: what must hold before the goal counts as reached, one line each, in the
                predicates of the skill library; without any, as the robot's ``check`` reads them.

        Returns:
            How it ended (``status`` is ``succeeded``, ``failed`` or ``canceled``), why, what it
            cost and the final tree as text. A goal that is not reached raises nothing.

        Raises:
            GoalError: if the goal is empty or too long, another one is running, or the planner is
                not entered.
            KeyboardInterrupt: after Ctrl-C, when the goal is canceled and the robot has stopped; a
                second Ctrl-C does not wait for that.
        """
        if self._services is None:
            raise GoalError('the planner is not started: use it in a with statement')
        line = checked_goal(goal, MAX_GOAL_CHARS)
        if not self._busy.acquire(blocking=False):
            raise GoalError('another goal is running')
        try:
            self._cancel.clear()
            with _interrupt_as(self.cancel):
                return run_goal(
                    line,
                    self._services,
                    limits or self._options.limits,
                    on_event,
                    conditions=tuple(conditions),
                    memories=self._memories,
                    canceled=self._cancel.is_set,
                )
        finally:
            self._busy.release()

    def cancel(self) -> None:
        """Cancel the running goal, from any thread; ``run`` returns when the robot has stopped."""
        self._cancel.set()

    def _wait_for(self, model: PlannerModel) -> None:
        said, limit = '', self._options.model.load_timeout_sec
        began = time.monotonic()
        while not model.poll_ready():
            if time.monotonic() - began > limit:
                raise ModelError(f'the language model was not loaded within {limit:g} s')
            if model.progress != said:
                said = model.progress
                self._on_progress(said)
            time.sleep(_POLL_SEC)
