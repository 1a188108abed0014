# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an agent node of a published run may have had to choose from; the runs do not say.

The executable set is made from what the node itself was told so far:

=============  ====================================================================================
``go to``      every room of the house and everything seen so far, but not where the robot stands
``pick up``    everything movable in the latest list of what is seen from a place, unless it is held
``put down``   everything held
``open``       the place that the robot stands at, if it opens and was not last said to be open
``close``      the same, if it was not last said to be closed
``turn on``    the place that the robot stands at, if such places are switched in the data
``recall``     every class of object that is recalled or picked up anywhere in the data
=============  ====================================================================================

Done, failure and all control flows are always on offer; a thought is, unless the last step was
one. The decision that was taken is added where these rules miss it, as they do for 4 of the 1,876
skills of the published runs. Nothing is left out for being of no use to the goal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from reactree_ros.core.decision import ACT_LINE, Act, Choices, Recall
from reactree_ros.core.prompt import Step
from reactree_ros.evaluation.wah_runs import RecordedNode

MAX_SUBGOAL_CHARS = 160
"""The longest subgoal of the data has 153 characters, more than the planner allows."""

_ROOMS = re.compile(r'there are \d+ rooms: ([^.]*)')
_AROUND = re.compile(r'around the room, you see ([^.]*)')
_HERE = re.compile(r'\bYou see (.*?)(?:\.|$| You hold)')
_HOLD = re.compile(r'You hold ([^.]*)')
_NAMED = re.compile(r'([a-z][a-z ]*?) \((\d+(?:, \d+)*)\)')
_STATE = re.compile(r'The ([a-z ]+) \((\d+)\) is (open|closed)\b')


@dataclass(frozen=True)
class Vocabulary:
    """Classes of object by what the data does with them.

    Args:
        fixed: seen when looking around a room; these are never picked up.
        opened: opened or closed somewhere.
        switched: turned on somewhere.
        recalled: recalled or picked up somewhere, sorted.
    """

    fixed: frozenset[str]
    opened: frozenset[str]
    switched: frozenset[str]
    recalled: tuple[str, ...]


def read_vocabulary(nodes: Iterable[RecordedNode]) -> Vocabulary:
    """Return the classes of all nodes."""
    fixed: set[str] = set()
    acted: dict[str, set[str]] = {'open': set(), 'close': set(), 'turn on': set(), 'pick up': set()}
    recalled: set[str] = set()
    for node in nodes:
        for text in (node.trajectory.first_observation, *_observed(node.trajectory.steps)):
            for listed in _AROUND.findall(text):
                fixed.update(_class(name) for name in _names(listed))
        for _, decision in node.decisions:
            if isinstance(decision, Recall):
                recalled.add(decision.class_name)
            elif isinstance(decision, Act):
                for verb, classes in acted.items():
                    if decision.phrase.startswith(f'{verb} '):
                        classes.add(_class(decision.phrase.removeprefix(f'{verb} ')))
    return Vocabulary(
        frozenset(fixed),
        frozenset(acted['open'] | acted['close']),
        frozenset(acted['turn on']),
        tuple(sorted(recalled | acted['pick up'])),
    )


def make_choices(
    node: RecordedNode, taken: int, vocabulary: Vocabulary, think_twice: bool
) -> tuple[Choices, bool]:
    """Return what a node could choose from.

    Args:
        node: the node.
        taken: which of its decisions.
        vocabulary: classes of the data.
        think_twice: offer a thought after a thought, too.

    Returns:
        The choices, the decision taken among them, and whether it had to be added.
    """
    position, decision = node.decisions[taken]
    before = node.trajectory.steps[:position]
    skills = dict.fromkeys(_skills(node.trajectory.first_observation, before, vocabulary))
    added = isinstance(decision, Act) and decision.phrase not in skills
    if isinstance(decision, Act):
        skills[decision.phrase] = None
    thought = bool(before) and before[-1].text.startswith('Think: ')
    choices = Choices(
        # Sorted, so that the place in the list does not tell what was added.
        skills=tuple(sorted(skills)),
        think=think_twice or not thought,
        recall=vocabulary.recalled,
        max_subgoal_chars=MAX_SUBGOAL_CHARS,
    )
    return choices, added


def _skills(first: str, steps: Sequence[Step], vocabulary: Vocabulary) -> Iterator[str]:
    seen: dict[str, None] = {}
    states: dict[str, str] = {}
    near: list[str] = []
    held: list[str] = []
    place = ''
    phrase = ''
    rooms = [name for listed in _ROOMS.findall(first) for name in _names(listed)]
    for step in (Step(first, decided=False), *steps):
        text = step.text
        if step.decided:
            phrase = text.removeprefix(ACT_LINE)
            continue
        here = [name for listed in _HERE.findall(text) for name in _names(listed)]
        around = [name for listed in _AROUND.findall(text) for name in _names(listed)]
        seen.update(dict.fromkeys((*around, *here)))
        verb, _, target = phrase.partition(' ')
        if text.startswith(('You arrive', 'You move')):
            place = target.removeprefix('to ')  # after "go"
            near = here
        elif here:
            near = here
        if text.startswith(('You open', 'You close')):
            states[target] = 'open' if verb == 'open' else 'closed'
        for name, number, state in _STATE.findall(text):
            states[f'{name} {number}'] = state
        if 'You hold' in text or text.startswith('You put down'):
            held = [name for listed in _HOLD.findall(text) for name in _names(listed)]
    for name in (*rooms, *seen):
        if name != place:
            yield f'go to {name}'
    for name in near:
        if name not in held and _class(name) not in vocabulary.fixed:
            yield f'pick up {name}'
    yield from (f'put down {name}' for name in held)
    if _class(place) in vocabulary.opened:
        if states.get(place) != 'open':
            yield f'open {place}'
        if states.get(place) != 'closed':
            yield f'close {place}'
    if _class(place) in vocabulary.switched:
        yield f'turn on {place}'


def _observed(steps: Iterable[Step]) -> Iterator[str]:
    return (step.text for step in steps if not step.decided)


def _names(listed: str) -> Iterator[str]:
    """Yield the objects of a list such as ``chair (1, 2), fridge (1)``, each with its number."""
    for name, numbers in _NAMED.findall(listed):
        yield from (f'{name} {number}' for number in numbers.split(', '))


def _class(name: str) -> str:
    return name.rpartition(' ')[0]
