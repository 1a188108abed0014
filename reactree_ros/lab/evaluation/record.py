# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plays hand-made runs in a world and writes what their agent nodes went through."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.behaviours.node import DecidingNode
from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.decision import (
    ACT_LINE,
    CONDITIONS_LINE,
    DONE,
    EXPLAINED,
    FAILURE,
    NO_CONDITIONS,
    ControlFlow,
    Expand,
    to_text,
)
from reactree_ros.core.events import Event
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.flat_trajectories import trajectories
from reactree_ros.memory.experience import SEPARATOR
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.options import planner_options
from reactree_ros.planner.run import GoalRun
from reactree_ros.sim.household import World, load_scene
from reactree_ros.sim.physics.tasks import KitchenTask, arm_tasks, arranged
from reactree_ros.sim.robots.tasks import RobotTask
from reactree_ros.skills.executor import SkillExecutor
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.simulated import SimulatedWorld, WorldExecutor
from reactree_ros.strategies.hiagent import HiAgentNode
from reactree_ros.strategies.registry import strategy as strategy_named

VARIANTS = {
    '': tuple(ControlFlow),
    '_sequence_fallback': (ControlFlow.SEQUENCE, ControlFlow.FALLBACK),
    '_sequence': (ControlFlow.SEQUENCE,),
    '_flat': (),
}
"""Ending of a file's name -> control flows that its experiences show; without any it is ReAct's."""


_SEED = 7


def record(source: Path, library: SkillLibrary) -> dict[str, str]:
    """Return the experiences of all runs in a file, in the form that ``read_experiences`` reads.

    Args:
        source: YAML with a scene, or a physical world, and runs; ``household.yaml`` and
            ``kitchen_arm.yaml`` in ``resource/experiences`` are examples.
        library: the robot's skills.

    Returns:
        Ending of a file's name -> its text: one for each of ``VARIANTS``; for runs in a PDDL
        problem, of crafting, or of another strategy, one only.

    Raises:
        ConfigurationError: if a run does not go as written, or fails and is not meant to.
    """
    try:
        document = yaml.safe_load(source.read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(f'cannot read the runs {source}: {error}') from error
    if not isinstance(document, dict) or not isinstance(document.get('runs'), list):
        raise ConfigurationError(f'{source} is not a file of runs: "runs" is missing')
    if not {'problem', 'crafting', 'scene', 'world'} & {*document}:
        raise ConfigurationError(f'{source}: "scene" is missing: the home that the runs are in')
    needed = {'goal', 'script', *(['start'] if 'scene' in document else [])}
    for number, entry in enumerate(document['runs'], start=1):
        if missing := sorted(needed - {*entry} - {*(['start'] if 'continues' in entry else [])}):
            raise ConfigurationError(f'{source}, run {number}: {", ".join(missing)} is missing')
    if 'problem' in document:
        world, library = _pddl(source, document)
    elif 'crafting' in document:
        world, library = _crafting(source, document)
    else:
        world = _household(source, document) if 'scene' in document else _physical(document)
    strategy = document.get('strategy', 'reactree')
    runs: list[GoalRun] = []
    here: SimulatedWorld | None = None
    for entry in document['runs']:
        # a run without a beginning continues where the one before has ended
        here = here if here is not None and entry.get('continues') else world(entry)
        fails = entry.get('fails', False)
        executor = WorldExecutor(here)
        runs.append(
            played(entry['goal'], entry['script'], executor, library, strategy, fails=fails)
        )
    if strategy == 'reactree':
        files = variants(runs, source.name)
        return {'': files['']} if {'problem', 'crafting'} & {*document} else files
    return {'': _head(source.name) + f'{SEPARATOR}\n'.join(filter(None, map(_story, runs)))}


def _story(run: GoalRun) -> str:
    """Return what the nodes of a run have read, decided and seen, in the form of its strategy."""
    if isinstance(run.root, HiAgentNode):
        return run.root.story
    nodes = (one for one in run.root.iterate() if isinstance(one, DecidingNode))
    # parents first, as they began
    shown = sorted(nodes, key=lambda one: one.depth)
    return f'{SEPARATOR}\n'.join(one.trajectory.text() for one in shown)


def variants(runs: Iterable[GoalRun], source: str) -> dict[str, str]:
    """Return the experiences of runs that have ended, as the files that ``record`` describes.

    Args:
        runs: the runs.
        source: name of what they were made from.
    """
    files = {}
    for ending, control_flows in VARIANTS.items():
        texts: dict[str, None] = {}
        for run in runs:
            assert isinstance(run.root, AgentNode)
            for trajectory in trajectories(run.root, control_flows):
                texts[trajectory.text()] = None
        files[ending] = _head(source) + f'{SEPARATOR}\n'.join(texts)
    return files


def _head(source: str) -> str:
    return f'# Made by "reactree-lab experiences record" from {source}; edit that file instead.\n'


def record_arm(task_set: str, first: int = 0) -> dict[str, str]:
    """Return the experiences of the known plans of the arm, played in the physics.

    What a plan names and is not there is left out: no robot can try it.

    Args:
        task_set: name of a set of tasks that may be shown, such as ``arm_shown``.
        first: only so many; 0 for all.

    Returns:
        The files of ``record``.

    Raises:
        ConfigurationError: a plan does not go as written.
    """
    from reactree_ros.sim.physics.task_world import KitchenTaskWorld

    runs = []
    for task in arm_tasks(task_set)[: first or None]:
        world = KitchenTaskWorld(task)
        there = {one.name for one in world.everything().objects}
        numbered = replace(
            task,
            plan=_acts(task.plan, there),
            subgoals=tuple((words, _acts(steps, there)) for words, steps in task.subgoals),
        )
        runs.append(
            played(
                task.instruction,
                {goal: [*lines] for goal, lines in script_of(numbered)},
                WorldExecutor(world),
                world.library,
                fails=task.impossible,
            )
        )
    return variants(runs, f'the plans of {task_set}')


def _acts(steps: Iterable[str], there: Set[str]) -> tuple[str, ...]:
    """Return the acts of the arm that steps of a plan mean, if all that they name is there."""
    from reactree_ros.lab.bench.kitchen import read_step
    from reactree_ros.sim.physics.world import arm_library

    skills = {skill.name: skill for skill in arm_library().skills}
    read = [read_step(step, arm_library()) for step in steps]
    return tuple(skills[name].ground(*given).phrase for name, given in read if {*given} <= there)


def _pddl(
    source: Path, document: dict[str, Any]
) -> tuple[Callable[[dict[str, Any]], SimulatedWorld], SkillLibrary]:
    from reactree_ros.sim.pddl.library import pddl_library
    from reactree_ros.sim.pddl.problem import PddlProblem
    from reactree_ros.sim.pddl.world import PddlWorld

    folder = source.parent
    files = ('domain.pddl', document['problem'], 'words.yaml')
    problem = PddlProblem.read(*(folder / name for name in files))
    return lambda entry: PddlWorld(problem), pddl_library(problem)


def _crafting(
    source: Path, document: dict[str, Any]
) -> tuple[Callable[[dict[str, Any]], SimulatedWorld], SkillLibrary]:
    from reactree_ros.sim.textcraft.library import textcraft_library
    from reactree_ros.sim.textcraft.world import TextCraftWorld, read_problem

    problem = read_problem(source.parent / document['crafting'])
    return lambda entry: TextCraftWorld(problem), textcraft_library(problem)


def _household(source: Path, document: dict[str, Any]) -> Callable[[dict[str, Any]], World]:
    scene = load_scene(source.parent / document['scene'])
    return lambda entry: World(scene, entry['start'])


def _physical(document: dict[str, Any]) -> Callable[[dict[str, Any]], SimulatedWorld]:
    from reactree_ros.sim.physics.task_world import Knock
    from reactree_ros.sim.physics.world import PhysicsWorld

    def world(entry: dict[str, Any]) -> PhysicsWorld:
        moved = tuple(map(tuple, entry.get('moved', ())))
        blocked, knock = entry.get('blocked', ''), entry.get('knock', '')
        task = KitchenTask(
            0, '', document['world'], '', entry['goal'], moved=moved, knock=knock, blocked=blocked
        )
        return PhysicsWorld(arranged(task, _SEED), before=Knock(knock) if knock else None)

    return world


def played(
    goal: str,
    script: Mapping[str, Sequence[str]],
    executor: SkillExecutor,
    library: SkillLibrary,
    strategy: str = 'reactree',
    *,
    fails: bool = False,
    wait: Callable[[], None] = lambda: None,
) -> GoalRun:
    """Play a run that was decided beforehand, to its end.

    Args:
        goal: what is wanted.
        script: the decision lines of each agent node, by its goal; see ``ScriptedModel``.
        executor: the robot.
        library: its skills.
        strategy: name of the strategy whose tree it is.
        fails: whether the goal is not to be reached.
        wait: called after each tick, for a robot that takes time.

    Raises:
        ConfigurationError: if the run does not go as written.
    """
    # What a run does not say is nothing that its planner asks for.
    lines = script.get(goal, ())
    explained = tuple(f'{ACT_LINE}{ending}{EXPLAINED}' for ending in (DONE, FAILURE))
    settings = {
        'agent.read_conditions': any(line.startswith(CONDITIONS_LINE) for line in lines),
        'agent.explain_endings': any(
            line.startswith(explained) for every in script.values() for line in every
        ),
        # what the robot believes to hold may be what the run is about
        'agent.check_at_start': False,
        'prompt.facts': ['none'],
    }
    model = ScriptedModel(script)
    options = planner_options(settings).for_library(library).resolved
    services = RunServices(
        model=model,
        executor=executor,
        library=library,
        experiences=None,
        system_prompt='',
        settings=options,
        strategy=strategy,
        strategy_options=options.options_of(strategy),
        prompts=dict.fromkeys(strategy_named(strategy).prompts, ''),
    )
    events: list[Event] = []
    run = GoalRun(goal, services, Limits(), events.append)
    try:
        while not run.finished:
            run.tick()
            wait()
        report = run.report()
    finally:
        run.close()
    changed = [event.text for event in events if event.kind == 'rejected']
    changed += [f'{line!r} was not asked for' for line in model.unused]
    if (report.status != 'succeeded') != fails or changed:
        why = '; '.join([report.message, *changed])
        raise ConfigurationError(f'the run {goal!r} did not go as written: {why}')
    return run


def script_of(task: RobotTask | KitchenTask) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the goal of each agent node and what a person decides there, by the known plan.

    The words at the end are the task's.
    """
    wanted = '; '.join(task.conditions) or NO_CONDITIONS
    ending = f'{ACT_LINE}{FAILURE if task.impossible else DONE}'
    if task.says:
        ending += f'{EXPLAINED}{task.says}'
    begin = f'{CONDITIONS_LINE}{wanted}'
    if not task.subgoals:
        yield task.instruction, [begin, *(f'{ACT_LINE}{act}' for act in task.plan), ending]
        return
    goals = tuple(goal for goal, _ in task.subgoals)
    yield task.instruction, [begin, to_text(Expand(ControlFlow.SEQUENCE, goals))]
    for goal, acts in task.subgoals:
        last = ending if goal == goals[-1] else f'{ACT_LINE}{DONE}'
        yield goal, [*(f'{ACT_LINE}{act}' for act in acts), last]
