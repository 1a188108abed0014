# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Makes the shipped PDDL problems: ``python -m reactree_ros.lab.pddl.generator FOLDER``.

Each can be solved by the way it is made. They become larger with their number. ``tasks.json`` is
written beside them, by which tasks are listed without the problems being parsed.
"""

from __future__ import annotations

import itertools
import json
import random
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from reactree_ros.sim.pddl.problem import PddlProblem
from reactree_ros.sim.pddl.shipped import PROBLEMS, TASK_INDEX

_PRACTICE_SIZE = 6
"""Number of a problem that is as large as the one for practice."""

_HEAD = """\
; Copyright 2026 the reactree_ros authors
; SPDX-License-Identifier: Apache-2.0
(define (problem {domain}-{number})
  (:domain {domain})
  (:objects{objects})
  (:init{init})
  (:goal (and{goal})))
"""
_WIDTH = 96

Parts = tuple[Mapping[str, Sequence[str]], list[str], list[str]]
"""Objects by type, facts of the initial state, and facts of the goal."""


def blocksworld(number: int, draw: random.Random) -> Parts:
    """Towers of blocks that are to become other towers."""
    blocks = [f'b{one}' for one in range(1, 4 + (number + 3) // 4)]
    init, goal = list(_towers(blocks, draw)), list(_towers(blocks, draw))
    wanted = [fact for fact in goal if fact.startswith('on ') and fact not in init]
    if not wanted:
        return blocksworld(number, draw)
    return {'block': blocks}, [*init, 'arm-empty'], [one for one in goal if one.startswith('on ')]


def gripper(number: int, draw: random.Random) -> Parts:
    """Balls that are to be in other rooms."""
    rooms = _named('room', 2 + number // 8)
    robots = _named('robot', 1 + number // 14)
    grippers = _named('gripper', 2)
    balls = _named('ball', 2 + (number + 2) // 3)
    start = {ball: draw.choice(rooms) for ball in balls}
    target = {ball: draw.choice([room for room in rooms if room != start[ball]]) for ball in balls}
    init = [f'robot-at {robot} {draw.choice(rooms)}' for robot in robots]
    init += [f'free {robot} {one}' for robot in robots for one in grippers]
    init += [f'at {ball} {room}' for ball, room in start.items()]
    goal = [f'at {ball} {room}' for ball, room in target.items()]
    return {'room': rooms, 'robot': robots, 'gripper': grippers, 'ball': balls}, init, goal


def tyreworld(number: int, draw: random.Random) -> Parts:
    """Flat wheels that are to be replaced; the larger problems leave less of it done already."""
    count = 1 + (number - 1) // 7
    hubs, nuts = _named('the-hub', count), _named('nut', count)
    flat, spare = _named('w', count), _named('r', count)
    init = [f'in {tool} boot' for tool in ('wrench', 'jack', 'pump')]
    init.append(draw.choice(['closed boot', 'closed boot', 'open boot']))
    goal = [f'in {tool} boot' for tool in ('wrench', 'jack', 'pump')] + ['closed boot']
    for hub, nut, old, new in zip(hubs, nuts, flat, spare, strict=True):
        init += [f'on {old} {hub}', f'on-ground {hub}', f'fastened {hub}', f'flat {old}']
        init += [draw.choice([f'tight {nut} {hub}', f'tight {nut} {hub}', f'loose {nut} {hub}'])]
        init += [f'in {new} boot', f'intact {new}', draw.choice([f'flat {new}', f'inflated {new}'])]
        goal += [f'on {new} {hub}', f'inflated {new}', f'tight {nut} {hub}', f'in {old} boot']
    objects = {'container': ['boot'], 'hub': hubs, 'nut': nuts, 'wheel': [*flat, *spare]}
    return objects, init, goal


def barman(number: int, draw: random.Random) -> Parts:
    """Drinks that are to be in shots, mixed or as they come."""
    wanted = 1 + (number + 4) // 6
    ingredients = _named('ingredient', 2 + (number + 1) // 4)
    cocktails = _named('cocktail', min(wanted, 1 + number // 7))
    shots = _named('shot', wanted + 1)
    dispensers = _named('dispenser', len(ingredients))
    init = ['hand-empty left-hand', 'hand-empty right-hand', 'on-table shaker1', 'empty shaker1']
    init += ['clean shaker1', 'shaker-level shaker1 l0', 'empty-level shaker1 l0']
    init += ['next l0 l1', 'next l1 l2']
    for shot in shots:
        init += [f'on-table {shot}', f'empty {shot}', f'clean {shot}']
    init += [f'dispenses {one}' for one in map(' '.join, zip(dispensers, ingredients, strict=True))]
    for cocktail in cocktails:
        first, second = draw.sample(ingredients, 2)
        init += [f'first-part {cocktail} {first}', f'second-part {cocktail} {second}']
    drinks = [*cocktails, *draw.choices(ingredients, k=wanted - len(cocktails))]
    goal = [f'contains {shot} {drink}' for shot, drink in zip(shots, drinks, strict=False)]
    objects = {
        'hand': ['left-hand', 'right-hand'], 'level': ['l0', 'l1', 'l2'], 'shaker': ['shaker1'],
        'shot': shots, 'ingredient': ingredients, 'cocktail': cocktails, 'dispenser': dispensers,
    }  # fmt: skip
    return objects, init, goal


DOMAINS: dict[str, Callable[[int, random.Random], Parts]] = {
    'blocksworld': blocksworld,
    'gripper': gripper,
    'tyreworld': tyreworld,
    'barman': barman,
}
"""The domains whose problems are shipped."""


def problem_texts(domain: str) -> tuple[str, ...]:
    """Return all problems of a domain as PDDL, no two of them the same; always the same ones."""
    problems, _ = _drawn(domain)
    return tuple(_text(domain, number, parts) for number, parts in enumerate(problems, start=1))


def practice_text(domain: str) -> str:
    """Return the problem that the domain's example run solves, which is not one of the others."""
    _, practice = _drawn(domain)
    return _text(domain, 'practice', practice)


def _drawn(domain: str) -> tuple[list[Parts], Parts]:
    found: dict[str, Parts] = {}
    for name in (*range(1, PROBLEMS + 1), 'practice'):
        number = name if isinstance(name, int) else _PRACTICE_SIZE
        for attempt in itertools.count():
            parts = DOMAINS[domain](number, random.Random(f'{domain} {name} {attempt}'))
            if repr(parts) not in found:
                break
        found[repr(parts)] = parts
    *problems, practice = found.values()
    return problems, practice


def _text(domain: str, number: int | str, parts: Parts) -> str:
    objects, init, goal = parts
    listed = [f'{" ".join(names)} - {kind}' for kind, names in objects.items()]
    return _HEAD.format(
        domain=domain,
        number=number,
        objects=_lines(listed),
        init=_lines(f'({fact})' for fact in init),
        goal=_lines(f'({fact})' for fact in goal),
    )


def task_index(folder: Path) -> str:
    """Return the goals of all problems below a folder in words, by domain, as JSON."""
    goals = {}
    for domain in DOMAINS:
        own = folder / domain
        files = (own / f'p{number:02}.pddl' for number in range(1, PROBLEMS + 1))
        problems = (
            PddlProblem.read(own / 'domain.pddl', file, own / 'words.yaml') for file in files
        )
        goals[domain] = [problem.instruction for problem in problems]
    return json.dumps(goals, indent=1) + '\n'


def main() -> None:
    """Write all problems below a folder, and their index."""
    if len(sys.argv) != 2:
        sys.exit('usage: python -m reactree_ros.lab.pddl.generator FOLDER')
    for domain in DOMAINS:
        for number, text in enumerate(problem_texts(domain), start=1):
            path = Path(sys.argv[1]) / domain / f'p{number:02}.pddl'
            path.write_text(text, encoding='utf-8')
        practice = Path(sys.argv[1]) / domain / 'practice.pddl'
        practice.write_text(practice_text(domain), encoding='utf-8')
    index = Path(sys.argv[1]) / TASK_INDEX
    index.write_text(task_index(index.parent), encoding='utf-8')


def _towers(blocks: Sequence[str], draw: random.Random) -> Iterator[str]:
    below = ''
    for block in draw.sample(blocks, len(blocks)):
        if below and draw.random() < 0.3:
            yield f'clear {below}'
            below = ''
        yield f'on {block} {below}' if below else f'on-table {block}'
        below = block
    yield f'clear {below}'


def _named(word: str, count: int) -> list[str]:
    return [f'{word}{one}' for one in range(1, count + 1)]


def _lines(parts: Iterator[str] | Sequence[str]) -> str:
    """Return parts on lines that are not too long."""
    text, line = '', '\n   '
    for part in parts:
        if len(line) + len(part) >= _WIDTH:
            text, line = text + line, '\n   '
        line += f' {part}'
    return text + line


if __name__ == '__main__':
    main()
