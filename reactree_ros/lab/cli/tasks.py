# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab tasks``: lists, shows and generates the tasks of evaluations."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.generator.build import differing, write_files
from reactree_ros.lab.solver.solver import solve
from reactree_ros.paths import share
from reactree_ros.sim.household import Scene, Task, World
from reactree_ros.sim.household.goal import Condition, Kind, parse_conditions
from reactree_ros.sim.household.task import TASK_TYPES
from reactree_ros.sim.household.task_sets import TASK_SETS, task_set, world_of
from reactree_ros.skills.reader import read_library


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'tasks',
        help='list, show or generate the tasks of evaluations',
        description='The tasks that planners are trained on and evaluated on.',
    )
    actions = parser.add_subparsers(title='actions', metavar='ACTION', required=True)
    listing = actions.add_parser('list', help='the task sets, or the tasks of one')
    listing.add_argument('set', nargs='?', choices=TASK_SETS, metavar='SET', help=_SETS)
    listing.add_argument('--type', choices=TASK_TYPES, metavar='TYPE', help='only of this type')
    listing.set_defaults(run=_list)
    showing = actions.add_parser(
        'show', help='one task: wordings, goal, solution, where things are'
    )
    showing.add_argument('set', choices=TASK_SETS, metavar='SET', help=_SETS)
    showing.add_argument('id', type=int, metavar='N', help='number of the task')
    showing.set_defaults(run=_show)
    making = actions.add_parser(
        'generate',
        help='generate the homes and task sets again',
        description='Generates the homes and the task sets from their seeds, bit by bit the same.',
    )
    making.add_argument(
        '--check', action='store_true', help='write nothing; exit with 1 if a file differs'
    )
    making.set_defaults(run=_generate)


_SETS = f'one of {", ".join(TASK_SETS)}'


def _generate(options: argparse.Namespace) -> int:
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


def _list(options: argparse.Namespace) -> int:
    if options.set is None:
        print(f'{"set":13} {"tasks":>5} {"unseen":>6} {"ambiguous":>9}  steps of the shortest plan')
        for name in TASK_SETS:
            tasks = [t for t in task_set(name) if options.type in (None, t.type)]
            lengths = sorted(task.shortest for task in tasks if task.shortest)
            steps = f'{lengths[0]} to {lengths[-1]}' if lengths else '-'
            unseen = sum(task.unseen for task in tasks)
            ambiguous = sum(task.ambiguous for task in tasks)
            print(f'{name:13} {len(tasks):5} {unseen:6} {ambiguous:9}  {steps}')
        return 0
    for task in task_set(options.set):
        if options.type in (None, task.type):
            marks = ''.join(f' [{mark}]' for mark in _marks(task))
            print(f'{task.id:4}  {task.type:33} {task.scene:12} {task.instruction}{marks}')
    return 0


def _show(options: argparse.Namespace) -> int:
    tasks = {task.id: task for task in task_set(options.set)}
    if options.id not in tasks:
        raise ConfigurationError(
            f'{options.set} has no task {options.id}; its tasks are {min(tasks)} to {max(tasks)}'
        )
    task = tasks[options.id]
    world = world_of(task)
    conditions = parse_conditions(task.goal, world.scene)
    marks = ', '.join(_marks(task))
    print(
        f'{options.set} {task.id}: {task.type} in {task.scene}' + (f' ({marks})' if marks else '')
    )
    print(f'\n  {task.instruction}')
    for wording in task.instructions[1:]:
        print(f'  or: {wording}')
    print('\ngoal')
    for condition in conditions:
        print(f'  {condition.line(condition.met(world.state))}')
    hands = f'{world.scene.hands} hand' + ('s' if world.scene.hands > 1 else '')
    print(f'\nstart: {task.start}, with {hands} free\n\nwhere things are')
    for line in _where(world, conditions):
        print(f'  {line}')
    plan = solve(world, conditions)
    library = read_library(share('behaviors', 'household.yaml'))
    skills = {skill.name: skill for skill in library.skills}
    print(f'\nshortest plan known: {len(plan)} steps')
    for number, (skill, arguments) in enumerate(plan, 1):
        print(f'  {number:2}. {skills[skill].ground(*arguments).phrase}')
    return 0


def _marks(task: Task) -> list[str]:
    return [name for name in ('ambiguous', 'unseen') if getattr(task, name)]


def _where(world: World, conditions: tuple[Condition, ...]) -> Iterator[str]:
    scene, graph = world.scene, world.state
    for name in dict.fromkeys(itertools.chain(*(_classes(c, scene) for c in conditions))):
        for node in scene.of_words(name):
            supports, room = graph.supports(node.id), graph.room_of(node.id)
            places = [f'{e.relation.lower()} {scene.nodes[e.to_id].name}' for e in supports[:1]]
            places += [f'in {scene.nodes[room].name}'] if room is not None else []
            hidden = ' (behind a closed door)' if graph.is_hidden(node.id) else ''
            yield f'{node.name}: {", ".join(places)}{hidden}'


def _classes(condition: Condition, scene: Scene) -> Iterator[str]:
    kind: Kind | None = condition.kind
    while kind is not None:
        yield kind.words
        if 'sliced' in kind.states:
            yield from (n.words for n in scene.nodes.values() if 'cutter' in n.affordances)
        kind = kind.load
    if condition.target:
        yield condition.target
