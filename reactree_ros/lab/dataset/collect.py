# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Training examples from runs of the rule-based solver, in worlds beside each other.

The planner's own tree runs, and the solver stands in for its model: the texts are those that a
model would have read and written.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import cache

from reactree_ros.behaviours.node import REJECTION, DecidingNode
from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.outcome import Reason
from reactree_ros.core.situation import named_classes
from reactree_ros.errors import ConfigurationError, ReactreeError
from reactree_ros.lab.dataset.altered import AlteredSolver, wanted
from reactree_ros.lab.dataset.example import ExampleOrigin, TrainingExample
from reactree_ros.lab.dataset.held_back import is_test_wording
from reactree_ros.lab.dataset.wording import rewordings
from reactree_ros.lab.evaluation.plan import limits
from reactree_ros.lab.evaluation.planners import read_planner
from reactree_ros.lab.evaluation.run_setup import ServiceFactory, options_of
from reactree_ros.lab.evaluation.trace import RunSpec
from reactree_ros.lab.generator.draw import Draw
from reactree_ros.lab.teacher.kind import SOLVER
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.run import GoalRun
from reactree_ros.sim.household import check, parse_conditions
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.household.task_sets import TEST_SETS, TRAINING_SETS, scene_of, world_of
from reactree_ros.sim.tasks import select_tasks, task_of
from reactree_ros.skills.simulated import WorldExecutor
from reactree_ros.strategies.registry import strategy

_OWN_ENDINGS = (Reason.DONE, Reason.GAVE_UP, Reason.EXPANSION)
_AT_ONCE = 4


@dataclass(frozen=True)
class SolverRun:
    """A run to be made.

    Args:
        planner: as ``reactree-lab evaluate --planners`` takes it.
        task_set: name of the task set.
        task: the task's number in its set.
        wording: see ``ExampleOrigin``; it is the seed of what the solver guesses, too.
        instruction: the goal as text, for the robot.
        rewords: its subgoals are said in other words than the solver's.
        slips: its expansions leave something out at first.
    """

    planner: str
    task_set: str
    task: int
    wording: int
    instruction: str
    rewords: bool = False
    slips: bool = False

    @property
    def task_name(self) -> str:
        """Names the task, such as ``wah_train 12``."""
        return f'{self.task_set} {self.task}'


@dataclass(frozen=True)
class CollectedNode:
    """One agent node that ended by a decision of its own.

    Args:
        example: what is learned from it, without experiences.
        held: how many things the robot held when it began.
        room: class of the room that the robot was in then.
    """

    example: TrainingExample
    held: int | None
    room: str


@dataclass(frozen=True)
class CollectedRun:
    """The result of a run.

    Args:
        run: which.
        reached: the planner says so and the world confirms it; else nothing is learned from it.
        nodes: of a run that reached its goal, in the order in which they began.
        left_out: how many nodes were limited, repeated themselves, were interrupted, or had a
            decision rejected.
    """

    run: SolverRun
    reached: bool
    nodes: tuple[CollectedNode, ...] = ()
    left_out: int = 0


def runs_of(
    planners: Sequence[str],
    tasks: Sequence[str],
    types: Sequence[str] = (),
    wordings: int = 4,
    reword: int = 0,
    seed: int = 0,
    reword_subgoals: float = 0.0,
    slips: float = 0.0,
) -> tuple[SolverRun, ...]:
    """Return the runs of every planner on every task in several wordings.

    A wording that a test task has, too, is left out.

    Args:
        planners: as ``reactree-lab evaluate --planners`` takes them.
        tasks: task sets, each whole (``wah_train``) or in part (``wah_train:50``, ``:11-20``).
        types: only these task types; empty for all.
        wordings: number of wordings of a task's own.
        reword: number of others, see ``wording.rewordings``.
        seed: of everything that is drawn.
        reword_subgoals: share of the runs whose subgoals are said in other words, 0 to 1.
        slips: share of the runs whose expansions leave something out at first, 0 to 1.

    Raises:
        ConfigurationError: if a task set is for tests, there is no such set, type or planner, or
            a planner has no agent nodes.
    """
    expanding = set()
    for name in planners:
        chosen = strategy(str(read_planner(name).parameters['strategy']))
        expanding |= {name} if chosen.expands else set()
        if not chosen.learns:
            raise ConfigurationError(
                f'the planner {name!r} has no agent nodes to be learned from: give reactree+wm, '
                'reactree, react+wm or react'
            )
    for text in tasks:
        if text.partition(':')[0] in TEST_SETS:
            raise ConfigurationError(
                f'{text!r} has test tasks: what was trained on them cannot be judged by them. '
                f'Give training tasks: {", ".join(TRAINING_SETS)}'
            )
    runs: dict[SolverRun, None] = {}
    for text in tasks:
        for name, task in select_tasks(text, types):
            own = (task.instructions or (task.instruction,))[:wordings]
            first = len(task.instructions) or 1
            worded = [*enumerate(own), *enumerate(rewordings(task, reword, seed), start=first)]
            for planner in planners:
                for number, instruction in worded:
                    if is_test_wording(instruction):
                        continue
                    one = SolverRun(planner, name, task.id, number, instruction)
                    purpose = f'{seed} {planner} {one.task_name} {instruction}'
                    if planner in expanding:
                        rewords = Draw(f'subgoals {purpose}').chance(reword_subgoals)
                        forgets = Draw(f'slips {purpose}').chance(slips)
                        one = replace(one, rewords=rewords, slips=forgets)
                    runs[one] = None
    return tuple(runs)


def collect(runs: Iterable[SolverRun], workers: int) -> Generator[CollectedRun, None, None]:
    """Carry out runs and yield their results, in order.

    Args:
        runs: the runs.
        workers: processes; 1 works in this one.

    Raises:
        ConfigurationError: if there is no such planner or task.
        ReactreeError: if a process is ended from outside.
    """
    if workers == 1:
        yield from map(solve, runs)
        return
    context = multiprocessing.get_context('spawn')
    with ProcessPoolExecutor(workers, context, _leave_interrupts_to_the_parent) as pool:
        try:
            yield from pool.map(solve, runs, chunksize=_AT_ONCE)
        except BrokenProcessPool as error:
            raise ReactreeError(
                f'a process of the {SOLVER} was ended from outside, perhaps for its memory; with '
                'fewer --workers there is more for each'
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


def solve(run: SolverRun) -> CollectedRun:
    """Let the solver do a task in a world of its own."""
    most = limits()
    spec = RunSpec(run.planner, SOLVER, run.task_set, run.task, run.wording)
    task = task_of(run.task_set, run.task)
    world = world_of(task)
    # It reads no experiences.
    options = options_of(spec, most)
    options = replace(options, memory=replace(options.memory, store='', example_tokens=0))
    services = _factory(most).services(options, WorldExecutor(world), task, run.task_name)
    purpose = f'{run.task_name} {run.instruction}'
    solver = AlteredSolver(
        services.model, _thought(run, task, services), purpose, run.rewords, run.slips
    )
    services = replace(services, model=solver)
    goal = GoalRun(run.instruction, services, most, namespace=f'dataset_{id(world)}')
    try:
        while not goal.finished:
            goal.tick()
        succeeded = goal.root.outcome is not None and goal.root.outcome.success
        if not succeeded or not check(world, task.goal).holds:
            return CollectedRun(run, False)
        system = services.system_prompt
        found = [_collected(node, run, task.scene, system, solver) for node in goal.agents()]
    finally:
        goal.close()
    nodes = tuple(node for node in found if node is not None)
    return CollectedRun(run, True, nodes, len(found) - len(nodes))


def _thought(run: SolverRun, task: Task, services: RunServices) -> str:
    library = services.library
    order = named_classes(
        library.in_class_words(run.instruction).lower(), library.objects | library.places
    )
    return wanted(parse_conditions(task.goal, scene_of(task)), order)


def _collected(
    node: DecidingNode, run: SolverRun, scene: str, system: str, solver: AlteredSolver
) -> CollectedNode | None:
    """Return what is learned from a node; None if that is nothing."""
    outcome, steps = node.outcome, tuple(node.trajectory.steps)
    if outcome is None or outcome.reason not in _OWN_ENDINGS:
        return None
    if run.slips:
        steps = tuple(
            replace(one, decided=one.decided and not solver.is_slip(node.trajectory, one))
            for one in steps
        )
    # After a rejection the prompt has a line that would not be there had it been decided well.
    elif any(step.text.startswith(REJECTION) for step in steps):
        return None
    if not steps[-1].decided:
        return None
    origin = ExampleOrigin(
        task=run.task_name,
        scene=scene,
        wording=run.wording,
        instruction=run.instruction,
        planner=run.planner,
        source=SOLVER,
        root=node.depth == 1,
    )
    began = node.began_in
    known = began is not None and bool(began.room)
    return CollectedNode(
        TrainingExample(system, (), node.trajectory.task, steps, origin),
        len(began.held) if began is not None and known else None,
        began.room_class if began is not None else '',
    )


@cache
def _factory(most: Limits) -> ServiceFactory:
    return ServiceFactory(ScriptedModel({}), most)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
