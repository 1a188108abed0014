# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab tasks``: lists, shows and generates the tasks of evaluations."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator

import yaml

from reactree_ros.errors import ConfigurationError, WorldError
from reactree_ros.lab.cli.argument_types import positive
from reactree_ros.lab.solver.fulfil import fulfil
from reactree_ros.paths import share
from reactree_ros.sim.household import Task, World
from reactree_ros.sim.household.task import TASK_TYPES
from reactree_ros.sim.household.task_sets import TASK_SETS, task_set
from reactree_ros.sim.household.task_world import TaskWorld
from reactree_ros.sim.household.truth import household_library
from reactree_ros.sim.made.goals import goals_of
from reactree_ros.sim.made.make import made_robot
from reactree_ros.sim.made.tasks import GOALS, MADE_SETS, ROBOTS, MadeTask, made_task
from reactree_ros.sim.made.world import MadeWorld
from reactree_ros.sim.pddl.drawn.domain import DRAWN_SETS
from reactree_ros.sim.pddl.drawn.tasks import drawn_task
from reactree_ros.sim.pddl.library import PddlLibrary
from reactree_ros.sim.pddl.shipped import PDDL_SETS, shipped_library
from reactree_ros.sim.pddl.world import PddlWorld
from reactree_ros.sim.physics.tasks import KitchenTask, needs_physics
from reactree_ros.sim.robots.tasks import BT_TYPES, ROBOT_TYPES, RobotTask
from reactree_ros.sim.tasks import ALL_SETS, ON_DEMAND, select_tasks, size_of
from reactree_ros.sim.textcraft.recipes import is_installed
from reactree_ros.sim.textcraft.tasks import TEXTCRAFT_SETS, TEXTCRAFT_TYPES, CraftTask


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'tasks',
        help='list, show or generate the tasks of evaluations',
        description='The tasks that planners are trained on and evaluated on.',
    )
    actions = parser.add_subparsers(title='actions', metavar='ACTION', required=True)
    listing = actions.add_parser(
        'list', help='the task sets, or the tasks of one; of generated robots, the robots'
    )
    listing.add_argument('set', nargs='?', metavar='SET', help=_SET_HELP)
    listing.add_argument('--type', choices=_TYPES, metavar='TYPE', help='only of this type')
    listing.set_defaults(run=_list)
    showing = actions.add_parser(
        'show', help='one task: wordings, goal, solution, where things are'
    )
    showing.add_argument('set', metavar='SET', help=_SET_HELP)
    showing.add_argument('id', type=int, metavar='N', help='number of the task')
    showing.set_defaults(run=_show)
    proving = actions.add_parser(
        'prove',
        help='solve every task of some sets under full knowledge',
        description='Solves every task of some sets under full knowledge, and shows that those '
        'that are said to be impossible cannot be solved.',
    )
    proving.add_argument(
        'sets', nargs='+', choices=TASK_SETS, metavar='SET', help=_listed(TASK_SETS)
    )
    proving.set_defaults(run=_prove)
    robot = actions.add_parser(
        'robot',
        help='a generated robot: its skill library, a first observation, its goals',
        description='Shows a generated robot: its skill library, what it perceives at first, and '
        'its goals, each with a plan.',
    )
    robot.add_argument('set', choices=MADE_SETS, metavar='SET', help=_listed(MADE_SETS))
    robot.add_argument('seed', type=positive, metavar='N', help='number of the robot, from 1')
    robot.add_argument(
        '--goals',
        type=positive,
        default=GOALS,
        metavar='N',
        help='so many goals (default: %(default)s)',
    )
    robot.set_defaults(run=_robot)
    making = actions.add_parser(
        'generate',
        help='generate the homes and task sets again',
        description='Generates the homes and the task sets from their seeds, bit by bit the same.',
    )
    making.add_argument(
        '--check', action='store_true', help='write nothing; exit with 1 if a file differs'
    )
    making.set_defaults(run=_generate)


_TYPES = tuple(dict.fromkeys((*TASK_TYPES, *PDDL_SETS, *TEXTCRAFT_TYPES, *ROBOT_TYPES, *BT_TYPES)))


def _listed(sets: Iterable[str]) -> str:
    return f'one of {", ".join(sets)}'


_SET_HELP = f'{_listed(ALL_SETS)}; or a file of Watch-And-Help or WAH-NL (*.json)'


def _tasks(name: str) -> tuple[Task, ...]:
    return tuple(task for _, task in select_tasks(name))


def _generate(options: argparse.Namespace) -> int:
    try:
        from reactree_ros.lab.generator.build import differing, write_files
    except ImportError as error:
        raise ConfigurationError(needs_physics(error)) from error
    folder = share('resource')
    if not options.check:
        for path in write_files(folder):
            print(path)
        return 0
    different = differing(folder)
    for path in different:
        print(f'{path} is not what the generator makes: run reactree-lab tasks generate',
              file=sys.stderr)  # fmt: skip
    return 1 if different else 0


def _prove(options: argparse.Namespace) -> int:
    wrong = 0
    for name in options.sets:
        for task in task_set(name):
            fault = _fault(task)
            if fault:
                print(f'{name} {task.id}: {fault}', file=sys.stderr)
                wrong += 1
        print(f'{name}: {len(task_set(name))} tasks')
    return 1 if wrong else 0


def _fault(task: Task) -> str:
    """What is wrong with a task; empty if nothing."""
    world = TaskWorld(task)
    if not task.conditions:
        return '' if task.impossible else 'it has no conditions and is not said to be impossible'
    try:
        fulfil(world, world.conditions)
    except (ConfigurationError, WorldError) as error:
        return '' if task.impossible else str(error)
    if task.impossible:
        return f'it is possible: {task.condition_line}'
    if any(condition.asks for condition in world.conditions) != task.asks:
        return 'a question and words of its answer belong together'
    return ''


def _list(options: argparse.Namespace) -> int:
    if options.set is None:
        print(f'{"set":21} {"tasks":>5} {"unseen":>6} {"ambiguous":>9}  steps of a plan')
        for name in ALL_SETS:
            if name in ON_DEMAND:
                print(f'{name:21} {size_of(name):5}')
                continue
            if name in TEXTCRAFT_SETS and not is_installed():
                print(f'{name:21}     - needs minecraft-data')
                continue
            tasks = [t for t in _tasks(name) if options.type in (None, t.type)]
            lengths = sorted(task.steps for task in tasks if task.steps)
            steps = f'{lengths[0]} to {lengths[-1]}' if lengths else '-'
            unseen = sum(task.unseen for task in tasks)
            ambiguous = sum(task.ambiguous for task in tasks)
            print(f'{name:21} {len(tasks):5} {unseen:6} {ambiguous:9}  {steps}')
        return 0
    if options.set in MADE_SETS:
        for seed in range(1, ROBOTS[options.set] + 1):
            robot = made_robot(options.set, seed)
            print(f'{seed:4}  {robot.trade:17} {robot.sees:5}  {", ".join(robot.mechanisms)}')
        return 0
    if options.set in DRAWN_SETS:
        raise ConfigurationError(
            f'{options.set} is drawn when it is asked for: "reactree-lab tasks show '
            f'{options.set} N" shows task N, from 1 to {DRAWN_SETS[options.set]}'
        )
    for task in _tasks(options.set):
        if options.type in (None, task.type):
            marks = ''.join(f' [{mark}]' for mark in _marks(task))
            print(f'{task.id:4}  {task.type:33} {task.scene:12} {task.instruction}{marks}')
    return 0


def _show(options: argparse.Namespace) -> int:
    if options.set in MADE_SETS:
        _show_made(made_task(options.set, options.id), options.set)
        return 0
    if options.set in DRAWN_SETS:
        drawn = drawn_task(options.set, options.id)
        print(f'{options.set} {drawn.id}\n\n  {drawn.instruction}')
        _show_pddl(drawn.library())
        return 0
    tasks = {task.id: task for task in _tasks(options.set)}
    if options.id not in tasks:
        raise ConfigurationError(
            f'{options.set} has no task {options.id}; its tasks are {min(tasks)} to {max(tasks)}'
        )
    task = tasks[options.id]
    marks = ', '.join(_marks(task))
    print(
        f'{options.set} {task.id}: {task.type} in {task.scene}' + (f' ({marks})' if marks else '')
    )
    print(f'\n  {task.instruction}')
    for wording in task.instructions[1:]:
        print(f'  or: {wording}')
    if task.type in PDDL_SETS:
        _show_pddl(shipped_library(task.type, task.id))
        return 0
    if isinstance(task, CraftTask):
        print(f'\nat first\n  {task.world().observe().text}')
        _show_plan(task)
        return 0
    if isinstance(task, KitchenTask):
        _show_kitchen(task)
        return 0
    if isinstance(task, RobotTask):
        _show_robot(task)
        return 0
    world = TaskWorld(task)
    print('\ngoal')
    for line in _goal_lines(task, world):
        print(f'  {line}')
    free = world.scene.hands - len(world.state.held())
    hands = f'{free} hand' + ('s' if free != 1 else '')
    print(f'\nstart: {task.start}, with {hands} free\n\nwhere things are')
    for line in _where(world, dict.fromkeys(_classes(task, world))):
        print(f'  {line}')
    if task.impossible:
        return 0
    plan = fulfil(world, world.conditions)
    skills = {skill.name: skill for skill in household_library().skills}
    print(f'\na plan of {len(plan)} steps')
    for number, (skill, arguments) in enumerate(plan, 1):
        print(f'  {number:2}. {skills[skill].ground(*arguments).phrase}')
    return 0


def _show_pddl(library: PddlLibrary) -> None:
    world = PddlWorld(library.problem)
    check = world.check()
    print('\ngoal')
    for sentence in check.satisfied:
        print(f'  {sentence} (holds at the start)')
    for sentence in check.unsatisfied:
        print(f'  {sentence}')
    print(f'\nstart\n  {world.observe().text}\n\nactions')
    for skill in library.skills:
        print(f'  {skill.phrase}')


def _robot(options: argparse.Namespace) -> int:
    robot = made_robot(options.set, options.seed)
    print(yaml.safe_dump(robot.document, sort_keys=False, allow_unicode=True, width=100))
    print(f'# {robot.name}, {robot.trade}: {", ".join(robot.mechanisms)}; sees {robot.sees}')
    for number, goal in enumerate(goals_of(robot, options.goals), 1):
        if number == 1:
            print(f'# at first: {MadeWorld(robot, goal.start).observe().text}')
        print(f'\n{number}. {goal.shape}: {"; ".join(goal.conditions) or "none"}')
        for wording in goal.instructions:
            print(f'   {wording}')
        if goal.answer:
            print(f'   an answer with {" or ".join(goal.answer)}')
        print(f'   plan: {"impossible" if goal.impossible else "; ".join(goal.plan) or "-"}')
    return 0


def _show_made(task: MadeTask, name: str) -> None:
    marks = ', '.join(_marks(task))
    print(f'{name} {task.id}: {task.type} of {task.scene}' + (f' ({marks})' if marks else ''))
    print(f'\n  {task.instruction}')
    for wording in task.instructions[1:]:
        print(f'  or: {wording}')
    _show_goal(task)
    print(f'\nat first\n  {task.world().observe().text}')
    _show_plan(task)


def _show_kitchen(task: KitchenTask) -> None:
    _show_goal(task)
    changes = [f'{thing}: {relation} {place}' for thing, relation, place in task.moved]
    if task.blocked:
        changes.append(f'{task.blocked}: blocked by a stool')
    if task.knock:
        changes.append(f'{task.knock}: knocked over when the hand comes near')
    if task.error:
        changes.append(f'the camera: positions with an error of {1000 * task.error:g} mm')
    changes += [f'{name}: open' for name in task.opened]
    changes += [f'{name}: not there' for name in task.missing]
    if changes:
        print('\nwhat is otherwise than in the scene', *changes, sep='\n  ')
    _show_plan(task)


def _show_robot(task: RobotTask) -> None:
    _show_goal(task)
    if task.setting:
        print('\nwhat is otherwise than usual')
        for name, value in task.setting.items():
            print(f'  {name}: {value}')
    _show_plan(task)


def _show_goal(task: KitchenTask | RobotTask | MadeTask) -> None:
    goal = 'impossible' if task.impossible else task.condition_line
    print(f'\ngoal\n  {goal}')
    if task.asks:
        print(f'  an answer with {" or ".join(task.answer)}')
    besides = [] if isinstance(task, MadeTask) else [*task.guards]
    if isinstance(task, KitchenTask):
        besides += [f'{line}, at some time' for line in task.once]
        besides += [f'never {line}' for line in task.never]
    if besides:
        print('\nwhat must hold as well', *besides, sep='\n  ')


def _show_plan(task: KitchenTask | RobotTask | MadeTask | CraftTask) -> None:
    if task.impossible and not task.plan:
        return
    what = 'an attempt that fails' if task.impossible else 'a plan'
    print(f'\n{what} of {len(task.plan)} steps')
    for number, step in enumerate(task.plan, 1):
        print(f'  {number:2}. {step}')
    if isinstance(task, KitchenTask | RobotTask) and task.subgoals:
        print('\ndivided into')
        for words, acts in task.subgoals:
            print(f'  {words} ({len(acts)})')


def _marks(task: Task) -> list[str]:
    return [name for name in ('ambiguous', 'unseen', 'impossible') if getattr(task, name)]


def _goal_lines(task: Task, world: TaskWorld) -> Iterator[str]:
    found = world.check()
    yield from (f'{line}: holds already' for line in found.satisfied)
    yield from found.unsatisfied
    if task.asks:
        yield f'{task.condition_line}: an answer with {" or ".join(task.answer)}'
    if task.impossible:
        yield 'impossible' if task.conditions else 'none, impossible'


def _where(world: World, names: Iterable[str]) -> Iterator[str]:
    scene, graph = world.scene, world.state
    for name in names:
        for node in scene.of_words(name):
            supports, room = graph.supports(node.id), graph.room_of(node.id)
            places = [f'{e.relation.lower()} {scene.nodes[e.to_id].name}' for e in supports[:1]]
            places += [f'in {scene.nodes[room].name}'] if room is not None else []
            hidden = ' (behind a closed door)' if graph.is_hidden(node.id) else ''
            yield f'{node.name}: {", ".join(places)}{hidden}'


def _classes(task: Task, world: TaskWorld) -> Iterator[str]:
    """The classes that a goal names, and what slices."""
    for condition in world.conditions:
        for clause in condition.clauses:
            subject = clause.subject
            load = subject.load if subject else None
            named = [one.noun for one in (subject, load) if one]
            for noun in (*named, *clause.others):
                yield from sorted(noun.classes)
    if 'sliced' in task.condition_line:
        nodes = world.scene.nodes.values()
        yield from (node.words for node in nodes if 'cutter' in node.affordances)
