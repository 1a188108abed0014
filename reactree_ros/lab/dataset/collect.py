# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Training examples from runs in which the rule-based teacher says what is to be decided.

The planner's own tree runs in simulated worlds, and the teacher is asked for every decision: the
texts are those that a model reads and writes. Its own runs show how goals are reached. Where a
student decides some of the time, the teacher also says how to continue from where the student
came: the student's decisions stand in the prompts, and only the teacher's are to be learned
(DAgger: Ross et al., AISTATS 2011).
"""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace

from reactree_ros.behaviours.node import DecidingNode
from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.decision import CONDITIONS_LINE
from reactree_ros.core.model import LanguageModel
from reactree_ros.core.option import Value
from reactree_ros.core.outcome import RunReport
from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.core.settings import UNEXPLORED
from reactree_ros.errors import ConfigurationError, ModelError, ReactreeError
from reactree_ros.lab.dataset.apart import fault_of_robot
from reactree_ros.lab.dataset.dagger import DaggerModel, Label
from reactree_ros.lab.dataset.example import ExampleOrigin, TrainingExample
from reactree_ros.lab.dataset.forms import FORMS, Form, examples_of, work_of
from reactree_ros.lab.dataset.held_back import LEARNED, is_judged_wording
from reactree_ros.lab.evaluation.plan import limits
from reactree_ros.lab.evaluation.planners import read_planner
from reactree_ros.lab.evaluation.run_setup import parameters_of
from reactree_ros.lab.evaluation.trace import RunSpec, judged_run
from reactree_ros.lab.kept_model import kept_model
from reactree_ros.lab.teacher.kind import SOLVER, Solver
from reactree_ros.lab.teacher.lesson import lesson_of
from reactree_ros.lab.teacher.made import MadeTeacher
from reactree_ros.lab.teacher.mistakes import ErringSolver, MistakeModel, MistakeShares
from reactree_ros.lab.teacher.pddl import PddlTeacher
from reactree_ros.lab.teacher.teacher import Teacher
from reactree_ros.lab.watched_model import WatchedModel
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.assembly import assemble, library_of
from reactree_ros.planner.in_process import IDLE_SEC
from reactree_ros.planner.options import PlannerOptions, planner_options
from reactree_ros.planner.run import GoalRun
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.household import GoalCheck, Task
from reactree_ros.sim.household.task_sets import TEST_SETS
from reactree_ros.sim.household.task_world import TaskWorld
from reactree_ros.sim.made.make import FIELD_SETS, TEST
from reactree_ros.sim.made.tasks import GOALS, ROBOTS, MadeTask
from reactree_ros.sim.pddl.drawn.tasks import DrawnTask
from reactree_ros.sim.pddl.world import PddlWorld
from reactree_ros.sim.tasks import ON_DEMAND, select_tasks, task_of
from reactree_ros.skills.executor import SkillExecutor
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.simulated import WorldExecutor
from reactree_ros.strategies.registry import DEFAULT_STRATEGY, strategy

_AT_ONCE = 4
_NO_MODEL = ScriptedModel({})
MOST_DECISIONS = 120
"""A run that a student takes part in ends after so many, and one in a drawn world."""
MOST_OF_FORMS = 1000
"""Decisions of a run in the form of another method."""
_MISTAKES = MistakeShares(runs=0.35, acts=0.12, forgets=0.5)
"""In drawn worlds; mistakes are not learned."""
_MISTAKES_IN_FIELD = MistakeShares(runs=0.6, acts=0.2, forgets=0.8)
"""In those of the field sets, whose robots refuse in many words."""


@dataclass(frozen=True)
class TaughtRun:
    """A run to be made.

    Args:
        planner: as ``reactree-lab evaluate --planners`` takes it.
        task_set: name of the task set.
        task: the task's number in its set.
        wording: see ``ExampleOrigin``.
        instruction: the goal as text, for the robot.
        student: model that decides some of the time; empty for none.
        share: of the decisions that are the student's, 0 to 1.
        conditions_only: it ends with the conditions of the goal.
        shown: in its prompts stand at most so many agent nodes of other runs of the same robot;
            only of generated robots.
    """

    planner: str
    task_set: str
    task: int
    wording: int
    instruction: str
    student: str = ''
    share: float = 0.0
    conditions_only: bool = False
    shown: int = 0

    @property
    def is_drawn(self) -> bool:
        """Whether its robot is a made-up one, or its PDDL domain a drawn one."""
        return self.task_set in ON_DEMAND

    @property
    def task_name(self) -> str:
        """Names the task, such as ``wah_train 12``."""
        return f'{self.task_set} {self.task}'


@dataclass(frozen=True)
class CollectedRun:
    """The result of a run.

    Args:
        run: which.
        reached: the planner says so and the world confirms it. From a run of the teacher alone
            that is not so, nothing is learned.
        nodes: in the order in which they began.
        left_out: how many nodes there is nothing to learn from.
    """

    run: TaughtRun
    reached: bool
    nodes: tuple[TrainingExample, ...] = ()
    left_out: int = 0


def runs_of(
    planners: Sequence[str],
    tasks: Sequence[str],
    types: Sequence[str] = (),
    wordings: int = 4,
    student: str = '',
    share: float = 0.0,
    conditions: int = 0,
    shown: float = 0.0,
    seed: int = 0,
    is_judged: bool = False,
) -> tuple[TaughtRun, ...]:
    """Return the runs of every planner on every task in several wordings.

    A wording that a judged task has, too, is left out, unless the runs are to be judged.

    Args:
        planners: as ``reactree-lab evaluate --planners`` takes them.
        tasks: task sets, each whole (``wah_train``) or in part (``wah_train:50``, ``:11-20``).
        types: only these task types; empty for all.
        wordings: number of wordings of a task's own.
        student: see ``TaughtRun``.
        share: see ``TaughtRun``.
        conditions: of so many further wordings only the conditions are learned.
        shown: share of the runs of generated robots that show others of the same robot.
        seed: of these.
        is_judged: nothing is learned from them.

    Raises:
        ConfigurationError: if a task set is for tests, there is no such set, type or planner, or
            a planner has no agent nodes.
    """
    for name in planners:
        method = str(read_planner(name).parameters['strategy'])
        if not strategy(method).learns and (method not in FORMS or student):
            forms = '' if student else f'; or {", ".join(FORMS)}, with or without +wm'
            raise ConfigurationError(
                f'nothing can be learned for the planner {name!r}: give reactree+wm, reactree, '
                f'react+wm or react{forms}'
            )
    for text in tasks:
        if text.partition(':')[0] in (*TEST_SETS, TEST):
            raise ConfigurationError(
                f'{text!r} has test tasks: what was trained on them cannot be judged by them. '
                f'Give training tasks: {", ".join(LEARNED)}'
            )
    return tuple(
        dict.fromkeys(
            TaughtRun(
                planner,
                name,
                task.id,
                number,
                instruction,
                student,
                share,
                number >= wordings,
                _shown(f'{seed} {planner} {name} {task.id} {number}', shown, task),
            )
            for text in tasks
            for name, task in select_tasks(text, types)
            if not (isinstance(task, MadeTask) and fault_of_robot(task.made))
            for planner in planners
            for number, instruction in enumerate(
                (task.instructions or (task.instruction,))[: wordings + conditions]
            )
            if is_judged or not is_judged_wording(instruction)
        )
    )


def _shown(purpose: str, share: float, task: Task) -> int:
    draw = Draw(f'shown {purpose}')
    return draw.whole(1, 3) if isinstance(task, MadeTask) and draw.chance(share) else 0


def collect(runs: Iterable[TaughtRun], workers: int) -> Generator[CollectedRun, None, None]:
    """Carry out runs and yield their results, in order.

    Args:
        runs: the runs.
        workers: processes; 1 works in this one.

    Raises:
        ConfigurationError: if there is no such planner or task.
        ModelError: if the student cannot be loaded.
        ReactreeError: if a process is ended from outside.
    """
    if workers == 1:
        yield from map(teach, runs)
        return
    context = multiprocessing.get_context('spawn')
    with ProcessPoolExecutor(workers, context, _leave_interrupts_to_the_parent) as pool:
        try:
            yield from pool.map(teach, runs, chunksize=_AT_ONCE)
        except BrokenProcessPool as error:
            raise ReactreeError(
                f'a process of the {SOLVER} was ended from outside, perhaps for its memory; with '
                'fewer --workers there is more for each'
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


def teacher(threads: int) -> Callable[[TaughtRun], CollectedRun]:
    """Return what does a run on a worker of a cluster."""
    return teach


def teach(run: TaughtRun) -> CollectedRun:
    """Do a task in a world of its own."""
    method = str(read_planner(run.planner).parameters['strategy'])
    if method in FORMS:
        return _teach_form(run, method)
    bounded = run.student or run.is_drawn
    most = limits(**({'max_decisions': MOST_DECISIONS} if bounded else {}))
    if run.conditions_only:
        most = limits(max_decisions=1)
    options = planner_of(run, most)
    task = task_of(run.task_set, run.task)
    taught = taught_world(task, run, options)
    teacher = taught.teacher
    purpose = f'{run.task_name} {run.instruction}'
    watched = WatchedModel(kept_model(options.model)) if run.student else None
    student: LanguageModel | None = watched
    erring = None
    if isinstance(teacher, ErringSolver) and student is None:
        draw = Draw(f'mistakes {purpose} {run.planner}')
        shares = _MISTAKES_IN_FIELD if run.task_set in FIELD_SETS else _MISTAKES
        student = erring = MistakeModel(
            teacher, draw, shares.acts if draw.chance(shares.runs) else 0.0, shares.forgets
        )

    def share() -> float:
        return erring.share() if erring is not None else run.share

    model = DaggerModel(student, teacher, share, purpose)
    services = services_of(taught, options, model)
    system = services.system_prompt
    goal = GoalRun(run.instruction, services, most, namespace=f'dataset_{id(taught)}')
    try:
        while not goal.finished:
            goal.tick()
            if run.student:
                time.sleep(IDLE_SEC)
        if watched is not None and watched.failure is not None:
            raise watched.failure
        if run.conditions_only:
            found_conditions = _conditions(model.labels, run, task.scene, system)
            return CollectedRun(run, True, tuple(found_conditions))
        reached = _is_reached(task, taught, goal.report())
        if not (reached or run.student):
            return CollectedRun(run, False)
        labels = _by_task(model.labels)
        learned = [
            list(_collected(node, labels, run, task.scene, system)) for node in goal.agents()
        ]
    finally:
        goal.close()
    nodes = tuple(one for several in learned for one in several)
    if run.shown:
        nodes = tuple(_with_others(nodes, run))
    return CollectedRun(run, reached, nodes, sum(not several for several in learned))


def _teach_form(run: TaughtRun, method: str) -> CollectedRun:
    """Do a task as the teacher does it, and then the same in the form of another method."""
    # STEP decides four times for a skill
    most = limits(max_decisions=MOST_OF_FORMS)
    options, task = planner_of(run, most), task_of(run.task_set, run.task)
    first = taught_world(task, run, options)
    teacher = DaggerModel(None, first.teacher, lambda: 0.0, purpose='')
    services = services_of(first, replace(options, strategy=DEFAULT_STRATEGY), teacher)
    if not _reaches(run, task, first, services, options):
        return CollectedRun(run, False)
    second = taught_world(task, run, options)
    draw = Draw(f'form {run.task_name} {run.instruction} {run.planner}')
    model = FORMS[method](work_of(teacher.labels), second.library, draw, options)
    services = services_of(second, options, model)
    if not _reaches(run, task, second, services, options):
        return CollectedRun(run, False)

    def origin(prompt: Prompt) -> ExampleOrigin:
        # a check or a summary is not a node
        is_root = prompt.goal == run.instruction and prompt.system == services.system_prompt
        return _origin(run, task.scene, root=is_root)

    labels = model.labels
    if run.conditions_only:
        labels = [one for one in labels if one.text.startswith(CONDITIONS_LINE)]
    return CollectedRun(run, True, tuple(examples_of(labels, origin)))


def _reaches(
    run: TaughtRun,
    task: Task,
    taught: TaughtWorld,
    services: RunServices,
    options: PlannerOptions,
) -> bool:
    """Carry out a run in which a model decides; return whether it reaches the goal."""
    goal = GoalRun(run.instruction, services, options.limits, namespace=f'dataset_{id(taught)}')
    if isinstance(services.model, Form):
        services.model.situation = goal.situation
    try:
        while not goal.finished:
            goal.tick()
        return _is_reached(task, taught, goal.report())
    except ModelError:  # the form has no answer: the run went another way
        return False
    finally:
        goal.close()


def _is_reached(task: Task, taught: TaughtWorld, report: RunReport) -> bool:
    """Return whether the planner says so and the world confirms it."""
    holds = judged_run(task, taught.check(), report).holds
    return holds and (task.impossible or report.status == 'succeeded')


@dataclass(frozen=True)
class TaughtWorld:
    """What is around a run to be learned from."""

    teacher: Solver
    executor: SkillExecutor
    check: Callable[[], GoalCheck]
    library: SkillLibrary


def services_of(taught: TaughtWorld, options: PlannerOptions, model: LanguageModel) -> RunServices:
    """Return what a run works with in which a model decides."""
    services = assemble(options, _NO_MODEL, taught.executor, library=taught.library)
    return replace(services, model=model)


def taught_world(task: Task, run: TaughtRun, options: PlannerOptions) -> TaughtWorld:
    """Return a world of its own for a run, and its teacher."""
    if isinstance(task, MadeTask):
        made = task.world()
        own = MadeTeacher(task, run.instruction, made)
        executor = own.watching(WorldExecutor(made))
        return TaughtWorld(own, executor, made.judge, task.made.library)
    if isinstance(task, DrawnTask):
        skills = task.library()
        facts = PddlWorld(skills.problem)
        solver = PddlTeacher(task.domain, skills, facts)
        return TaughtWorld(solver, WorldExecutor(facts), facts.check, skills)
    library, world = library_of(options), TaskWorld(task)
    teacher = Teacher(lesson_of(task, run.instruction), library)
    return TaughtWorld(teacher, teacher.watching(WorldExecutor(world)), world.check, library)


def _with_others(nodes: Sequence[TrainingExample], run: TaughtRun) -> Iterator[TrainingExample]:
    """Yield nodes with nodes of other runs of the same robot in their prompts."""
    draw = Draw(f'others of {run.task_name} {run.wording} {run.planner}')
    robots = ROBOTS[run.task_set]
    which = (run.task - 1) // robots
    found: list[TrainingExample] = []
    for other in draw.shuffled(one for one in range(GOALS) if one != which)[: run.shown]:
        number = run.task + (other - which) * robots
        task = task_of(run.task_set, number)
        instruction = draw.pick(task.instructions)
        if instruction != run.instruction and not is_judged_wording(instruction):
            wording = task.instructions.index(instruction)
            found += teach(TaughtRun(run.planner, run.task_set, number, wording, instruction)).nodes
    for node in nodes:
        fitting = [one for one in found if one.origin.root is node.origin.root and one.steps]
        texts = [f'{one.task}{"".join(f"{step.text}{chr(10)}" for step in one.steps)}'
                 for one in draw.shuffled(fitting)[: run.shown]]  # fmt: skip
        yield replace(node, examples=tuple(texts))


TAUGHT: dict[str, Value] = {
    'prompt.facts': (UNEXPLORED,),
    'prompt.predicates': True,
    'agent.read_conditions': True,
    'agent.explain_endings': True,
    'agent.replan_after_failure': True,
}
"""Options that prompts depend on, as they are learned unless the planner's name sets them."""


def planner_of(
    run: TaughtRun, most: Limits, *, predicates_as_trained: bool = False
) -> PlannerOptions:
    """Return the options of the planner of a run; it reads no experiences.

    Args:
        run: the run.
        most: its limits.
        predicates_as_trained: prompts list the words of conditions if the student was trained so.
    """
    given = {name: value for name, value in TAUGHT.items()
             if not (predicates_as_trained and name == 'prompt.predicates')}  # fmt: skip
    spec = RunSpec(run.planner, run.student or SOLVER, run.task_set, run.task, run.wording)
    options = planner_options({**given, **parameters_of(spec, most)}).resolved
    return replace(options, memory=replace(options.memory, store='', example_tokens=0))


def prompt_options(planners: Iterable[str]) -> dict[str, Value]:
    """Return the options that the prompts of all these planners' runs depend on.

    Args:
        planners: names of planners.

    Raises:
        ConfigurationError: if the planners differ in one.
    """
    found: dict[str, Value] = {}
    for name, default in TAUGHT.items():
        values = {read_planner(one).parameters.get(name, default) for one in planners}
        if len(values) > 1:
            raise ConfigurationError(
                f'--planner: the planners differ in {name}; make a data set for each'
            )
        found[name] = values.pop()
    return found


def _origin(run: TaughtRun, scene: str, *, root: bool) -> ExampleOrigin:
    return ExampleOrigin(
        task=run.task_name,
        scene=scene,
        wording=run.wording,
        instruction=run.instruction,
        planner=run.planner,
        source=run.student or SOLVER,
        root=root,
    )


def _conditions(
    labels: Iterable[Label], run: TaughtRun, scene: str, system: str
) -> Iterator[TrainingExample]:
    """Yield the goal in its words, and the conditions that it means."""
    for label in labels:
        if label.text.startswith(CONDITIONS_LINE):
            steps = (Step(label.text, decided=True),)
            origin = _origin(run, scene, root=True)
            yield TrainingExample(system, (), label.prompt.task, steps, origin)


def _by_task(labels: Iterable[Label]) -> dict[str, list[Label]]:
    found: dict[str, list[Label]] = {}
    for one in labels:
        found.setdefault(one.prompt.task, []).append(one)
    return found


def _collected(
    node: DecidingNode, labels: dict[str, list[Label]], run: TaughtRun, scene: str, system: str
) -> Iterator[TrainingExample]:
    """Yield what is learned from a node: what was decided as taught, and what was not."""
    steps = tuple(node.trajectory.steps)
    origin = _origin(run, scene, root=node.depth == 1)
    taught = set()
    for label in labels.get(node.trajectory.task, ()):
        number = len(label.prompt.steps)
        if label.prompt.steps != steps[:number]:
            continue
        if steps[number : number + 1] == (Step(label.text, decided=True),):
            taught.add(number)
            continue
        if label.executed:
            continue  # it was rejected, or objected to
        before = [replace(step, decided=False) for step in steps[:number]]
        other = (*before, Step(label.text, decided=True))
        yield TrainingExample(system, (), node.trajectory.task, other, origin)
    if taught:
        own = tuple(
            replace(step, decided=i in taught) for i, step in enumerate(steps[: max(taught) + 1])
        )
        yield TrainingExample(system, (), node.trajectory.task, own, origin)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
