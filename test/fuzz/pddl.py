# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The reader of PDDL: an input is a domain, a problem and the words for them, in one.

A problem that is accepted can be worked with: its applicable actions can be done, its goal can be
checked, everything can be said, and what is told of a state is that state.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache
from random import Random

from reactree_ros.core.decision import Act, Choices, parse_decision
from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.sim.pddl.library import pddl_library
from reactree_ros.sim.pddl.problem import PddlProblem
from reactree_ros.sim.pddl.world import PddlWorld, facts_of

from .contract import Target, demand, scratch, told
from .mutations import ODD_TEXTS, mutate_bytes, mutate_lines

_DOMAINS = ('blocksworld', 'gripper', 'tyreworld', 'barman')
_MARK = b'\n;;;;\n'
"""Parts the domain, the problem and the words."""
_FEW = 6
_LIMIT_S = 10.0
# unified-planning takes up to a second for the shipped problems.
_WORDS = (
    *(
        '(and )',
        '(or )',
        '(not ',
        '(imply ',
        '(forall (?x) ',
        '(exists (?x - object) ',
        '(= ?x ?y)',
    ),
    *(
        '(when ',
        '(either a b)',
        ' - object',
        ' - number',
        '(increase (total-cost) 1)',
        '(preference',
    ),
    *(':durative-action', ':derived', ':functions', ':constants', ':types', ':requirements'),
    *(':typing', ':negative-preconditions', ':equality', ':adl', ':fluents', '(:metric minimize ('),
    *(
        '(',
        ')',
        '?',
        ':',
        '-',
        ';',
        '#t',
        '0',
        '1e999',
        '(on b1 b1)',
        '(at 5 (on b1 b2))',
        'domain',
    ),
)


@cache
def seeds() -> list[bytes]:
    """Return the practice problem of each shipped domain."""
    made = []
    for name in _DOMAINS:
        folder = share('resource', 'pddl', name)
        parts = [folder / file for file in ('domain.pddl', 'practice.pddl', 'words.yaml')]
        made.append(_MARK.join(part.read_bytes() for part in parts))
    for data in made:
        check(data)  # what is imported on the way takes its time only now
    return made


def mutate(random: Random, data: bytes, among: Sequence[bytes]) -> bytes:
    """Change a part of one of the three texts, or take it from another domain."""
    parts = data.split(_MARK)
    at = random.randrange(len(parts))
    kind = random.randrange(5)
    if kind == 0:
        parts[at] = mutate_bytes(random, parts[at], among, [word.encode() for word in _WORDS])
    elif kind == 1:
        text = mutate_lines(random, parts[at].decode('utf-8', 'replace'), (*_WORDS, *ODD_TEXTS))
        parts[at] = text.encode('utf-8', 'replace')
    elif kind == 2 and random.randrange(4) == 0:
        parts[at] = random.choice(random.choice(among).split(_MARK))
    else:
        parts[at] = _swapped(random, parts[at])
    return _MARK.join(parts)


def check(data: bytes) -> bool:
    """Hold an input against the contract; see the module."""
    texts = [*data.split(_MARK, 2), b'', b''][:3]
    paths = [scratch() / name for name in ('domain.pddl', 'problem.pddl', 'words.yaml')]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text)
    try:
        problem = PddlProblem.read(paths[0], paths[1], paths[2] if texts[2].strip() else None)
        library = pddl_library(problem)
        problem.ground()
    except ConfigurationError as error:
        return told(error)
    demand(problem.instruction != '', 'the goal is not told')
    demand(library.rules != '', 'the rules are not told')
    world = PddlWorld(problem)
    goals = world.check()
    demand(goals.met <= goals.wanted == len(problem.goals), f'the goal is checked as {goals}')
    for action, *objects in itertools.islice(problem.applicable(world.state), _FEW):
        after = problem.after(world.state, action, objects)
        demand(after is not None, f'{action} {objects} is applicable and cannot be done')
        assert after is not None
        problem.unmet(after)
    seen = world.observe()
    situation = Situation(objects={item.name: item for item in seen.objects})
    demand(
        facts_of(problem, situation) == world.state,
        f'told {facts_of(problem, situation)} of {world.state}',
    )
    offered = library.executable(situation)
    if offered:
        choices = Choices(skills=tuple(one.phrase for one in offered))
        for one in offered[:_FEW]:
            chosen = parse_decision(f'Act: {one.phrase}', choices)
            demand(chosen == Act(one.phrase), f'{one.phrase!r} is read as {chosen!r}')
        done = world.execute(offered[0].name, offered[0].arguments)
        demand(done.status.value == 'succeeded', f'{offered[0].phrase!r}: {done.observation.text}')
    world.changes()
    return True


def _swapped(random: Random, text: bytes) -> bytes:
    """Exchange, double or leave out a word or a bracketed part."""
    words = text.replace(b'(', b' ( ').replace(b')', b' ) ').split(b' ')
    for _ in range(random.choice((1, 1, 2))):
        at, other = random.randrange(len(words)), random.randrange(len(words))
        kind = random.randrange(4)
        if kind == 0:
            words[at], words[other] = words[other], words[at]
        elif kind == 1:
            words[at] = words[other]
        elif kind == 2:
            del words[at : _end(words, at)]
        else:
            words[other:other] = words[at : _end(words, at)]
        words = words or [b'']
    return b' '.join(words)


def _end(words: Sequence[bytes], at: int) -> int:
    """Return where the bracketed part that begins somewhere ends; of a word, behind it."""
    depth = 0
    for number in range(at, len(words)):
        depth += (words[number] == b'(') - (words[number] == b')')
        if depth <= 0 and (words[number].strip() or depth < 0):
            return number + 1
    return len(words)


TARGET = Target('pddl', seeds, mutate, check, limit_s=_LIMIT_S)
