# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Draws the sets of tasks with goals of every shape, and the long ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reactree_ros.core.situation import Situation
from reactree_ros.errors import WorldError
from reactree_ros.lab.generator.catalogue import THINGS
from reactree_ros.lab.generator.habits import Home, members
from reactree_ros.lab.generator.homes import FLOOR_PLANS, Arrangement
from reactree_ros.lab.generator.sets import plain
from reactree_ros.lab.generator.shapes import WEIGHTS, Goal, draw_goal
from reactree_ros.lab.generator.wordings import YES_NO, Hand, Said, hands
from reactree_ros.lab.solver.fulfil import fulfil
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.household.rearrange import HELD, rearranged
from reactree_ros.sim.household.scene import Node, Scene
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.household.truth import household_library, read_conditions, true_situation
from reactree_ros.sim.household.world import World
from reactree_ros.skills.goal_conditions import Condition, ConditionTracker, conditions_text

_WORDINGS = 3
_TRAINING_WORDINGS = 6
_MOVED_BESIDES = 8
_ENGLISH = 0.62
_TRIES = 40
_LONG_SKILLS = (25, 90)
APARTMENTS = ('apartment_1', 'apartment_2')
"""The hand-made scenes; training tasks happen there, too."""


GOAL_SETS: Mapping[str, int] = {
    'goals_train': 1500,
    'goals_dev': 120,
    'long_train': 400,
    'long_test': 60,
}
"""How many tasks each set has.

The long ones are of several places and many things; of the others goals_dev has all shapes in turn.
Every second task of long_test is in a home of which no training task is; all are in English.
"""


def make_goals(name: str, scenes: Mapping[str, Scene]) -> list[dict[str, Any]]:
    """Draw the tasks of a set.

    Args:
        name: one of GOAL_SETS.
        scenes: the homes by name.

    Returns:
        Tasks as plain data; hardly any two of them want the same in the same home.
    """
    homes = {scene: Home(scenes[scene]) for scene in scenes}
    taken: set[tuple[str, str]] = set()
    tasks = []
    for index in range(GOAL_SETS[name]):
        task = _make(name, index, homes, taken)
        taken.add((task.scene, _wanted(task)))
        tasks.append(plain(task))
    return tasks


def _wanted(task: Task) -> str:
    """What distinguishes two tasks: what they want, or the words, where that is nothing."""
    return '; '.join(task.conditions) if task.conditions else task.instruction


def _make(name: str, index: int, homes: Mapping[str, Home], taken: set[tuple[str, str]]) -> Task:
    test = name == 'long_test'
    unseen = test and index % 2 == 1
    fitting = [home for home, plan in FLOOR_PLANS.items() if plan.unseen == unseen]
    fitting += [] if test else APARTMENTS
    speakers = [hand for hand in hands() if not test or hand.language == 'en']
    wordings = _TRAINING_WORDINGS if name.endswith('_train') else _WORDINGS
    if name.startswith('long'):
        shape = 'long'
    elif name == 'goals_dev':
        shape = [*WEIGHTS][index % len(WEIGHTS)]
    else:
        shape = Draw(f'{name}/{index + 1}').weighted(WEIGHTS)
    for attempt in range(2000):
        draw = Draw(f'{name}/{index + 1}/{attempt}')
        home = draw.pick(fitting)
        goal = draw_goal(draw, homes[home], shape)
        if goal is None:
            continue
        task = _task(goal, home, homes[home].scene, draw, speakers, wordings, index + 1, unseen)
        # Of some shapes there are few goals: the hands can only be emptied.
        if task is None or ((home, _wanted(task)) in taken and attempt < _TRIES):
            continue
        return task
    raise AssertionError(f'{name}: no task {index + 1} of the shape {shape} can be drawn')


def _task(
    goal: Goal,
    home: str,
    scene: Scene,
    draw: Draw,
    speakers: Sequence[Hand],
    wordings: int,
    number: int,
    unseen: bool,
) -> Task | None:
    """Lay a goal out, prove it and word it; None where that fails."""
    moved = _lay_out(goal, draw, scene)
    if moved is None:
        return None
    arranged = rearranged(scene, moved, goal.states)
    start = goal.start or scene.nodes[draw.pick(scene.rooms)].name
    known = true_situation(World(arranged, start))
    conditions = read_conditions('; '.join(goal.lines), known)
    asks = any(condition.asks for condition in conditions)
    if not asks and not goal.impossible and _hold(conditions, known) != goal.already:
        return None
    steps = _steps(World(arranged, start), conditions) if conditions else None
    if (steps is None) != goal.impossible:
        return None
    if goal.shape == 'long' and not _LONG_SKILLS[0] <= (steps or 0) <= _LONG_SKILLS[1]:
        return None
    worded = list(_worded(goal, draw, speakers, wordings))
    if not worded:
        return None
    languages = {text: hand.language for hand, text in worded}
    instructions = tuple(languages)
    asked = [hand for hand, _ in worded if asks]
    words = [word for hand in asked for word in _answer(goal, conditions[0], known, hand)]
    return Task(
        id=number,
        type=goal.shape,
        scene=home,
        start=start,
        instruction=instructions[0],
        instructions=instructions,
        languages=tuple(languages.values()),
        unseen=unseen,
        steps=steps or 0,
        moved=moved,
        states=tuple(goal.states),
        conditions=(conditions_text(conditions),) if conditions else (),
        answer=tuple(dict.fromkeys(words)),
        impossible=goal.impossible,
    )


def _hold(conditions: Sequence[Condition], known: Situation) -> bool:
    tracker = ConditionTracker(conditions, household_library(), complete=True)
    return all(state.met for state in tracker.states(known))


def _steps(world: World, conditions: Sequence[Condition]) -> int | None:
    try:
        return len(fulfil(world, conditions))
    except WorldError:
        return None


# How things lie.


def _lay_out(goal: Goal, draw: Draw, scene: Scene) -> tuple[tuple[str, str, str], ...] | None:
    """Lay things as a goal wants them at the start; None if there is no room."""
    nodes = scene.nodes
    arrangement = Arrangement.of(scene)
    where = arrangement.where
    lying = [n for n in nodes.values() if n.id in where and 'grabbable' in n.affordances]
    for node in draw.shuffled(n for n in lying if n.class_name in THINGS)[:_MOVED_BESIDES]:
        arrangement.lay(draw, node.id, node.class_name)
    for name, avoid in goal.away:
        classes = {nodes[i].class_name for i in scene.furniture if nodes[i].words in avoid}
        for node in [node for node in lying if node.words in members(name)]:
            if nodes[where[node.id]].words in avoid:
                _lay_elsewhere(arrangement, draw, node, classes, scene)
    laid: set[int] = set()
    for name, place in goal.laid:
        here = next(i for i in scene.furniture if nodes[i].name == place)
        fitting = [node.id for node in lying if node.words == name and node.id not in laid]
        if not fitting:
            return None
        # One that lies there already counts.
        chosen = min(fitting, key=lambda i: where[i] != here)
        where[chosen] = here
        laid.add(chosen)
    moved = arrangement.moved(scene)
    if not goal.held:
        return moved
    return (*(move for move in moved if move[0] != goal.held), (goal.held, HELD, ''))


def _lay_elsewhere(
    arrangement: Arrangement, draw: Draw, node: Node, avoid: set[str], scene: Scene
) -> None:
    before = arrangement.where[node.id]
    if node.class_name in THINGS:
        arrangement.lay(draw, node.id, node.class_name, avoid)
    if arrangement.where[node.id] == before:
        surfaces = [i for i in scene.furniture if 'surfaces' in scene.nodes[i].affordances]
        no = {*avoid, 'stove'}
        fitting = [i for i in surfaces if scene.nodes[i].class_name not in no]
        arrangement.where[node.id] = draw.pick(fitting)


# Words.


def _worded(
    goal: Goal, draw: Draw, speakers: Sequence[Hand], wordings: int
) -> Iterator[tuple[Hand, str]]:
    """Word a goal so many times, by some people, most of them in English."""
    english = [hand for hand in speakers if hand.language == 'en']
    others = [hand for hand in speakers if hand.language != 'en']
    found = 0
    for _ in range(4 * wordings):
        hand = draw.pick(english if not others or draw.chance(_ENGLISH) else others)
        text = said_text(goal.said, hand, draw)
        if text is not None:
            found += 1
            yield hand, text
        if found == wordings:
            return


def said_text(sentences: Sequence[tuple[str, Said]], hand: Hand, draw: Draw) -> str | None:
    """Word what a goal says.

    Args:
        sentences: shapes of frames with what fills them.
        hand: in whose words.
        draw: chooses frames, nouns, and how sentences are joined.

    Returns:
        None if this person has no words for it.
    """
    parts = []
    for shape, said in sentences:
        text = hand.word(shape, said, draw)
        if text is None:
            return None
        parts.append(text)
    if len(parts) == 1:
        return _capital(parts[0]) if draw.chance(0.4) else parts[0]
    if draw.chance(0.75):
        ended = [part if part[-1] in '.?!。' else f'{part}.' for part in parts]
        return hand.space.join(_capital(part) for part in ended)
    return '; '.join(part.rstrip('.') for part in parts)


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


# Answers.


def _answer(goal: Goal, asked: Condition, known: Situation, hand: Hand) -> Iterator[str]:
    """Words of which one is in a right answer in the language of a hand."""
    clause = asked.clauses[0]
    assert clause.subject is not None
    items = [
        item
        for item in known.objects.values()
        if clause.subject.noun.fits(item) and clause.is_true_of(item, known)
    ]
    yes_no = YES_NO[hand.language]
    if goal.shape == 'where':
        for item in items:
            name = (item.receptacle or item.room).rstrip('0123456789 ')
            yield name
            for noun in hand.data['places'].get(name, ()):
                yield noun['at']
                yield noun['the']
    elif goal.shape.startswith('how_many'):
        yield str(len(items))
        yield hand.number(len(items)) if items else yes_no[1][0]
    else:
        yield from yes_no[not items]
        yield YES_NO['en'][not items][0]
