# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goal conditions in the form of Watch-And-Help (WAH), checked by the world.

WAH's own form is a predicate and one or two classes, as in ``inside_apple_fridge``.
For goals like ALFRED's the subject may say more (see ``Kind``): states before the class,
as in ``inside_hot.sliced.potato_fridge``, and what must lie on or in it, as in
``on_bowl+cutleryknife_kitchentable``. ``lit_book`` is ALFRED's "examine in light": the robot holds
a book where a lamp that is on stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.household.graph import Graph
from reactree_ros.sim.household.scene import Node, Scene
from reactree_ros.sim.household.words import words

if TYPE_CHECKING:
    from reactree_ros.sim.household.world import World

STATES = {
    'hot': 'grabbable',
    'cold': 'grabbable',
    'cooked': 'grabbable',
    'clean': 'grabbable',
    'dirty': 'grabbable',
    'sliced': 'cuttable',
}
"""The states that a goal can ask of an object, and the affordance that the object needs for it."""

LACKING = {
    'has_switch': 'has no switch',
    'can_open': 'cannot be opened',
    'grabbable': 'cannot be picked up',
    'cuttable': 'cannot be sliced',
}
"""How messages say that an object lacks an affordance."""

_PAIRS = {'inside': 'inside', 'on': 'on'}
_SINGLES = {
    'turnOn': 'turned on',
    'turnOff': 'turned off',
    'open': 'open',
    'closed': 'closed',
    'holds': 'held',
    'lit': 'held at a lamp that is on',
    **{state: state for state in STATES},
}
_NEEDS = {
    'turnOn': 'has_switch',
    'turnOff': 'has_switch',
    'open': 'can_open',
    'closed': 'can_open',
    'holds': 'grabbable',
    'lit': 'grabbable',
    **STATES,
}
_SAID = {'turnOn': 'switched on', 'turnOff': 'switched off', 'holds': 'held'}
_LAMPS = frozenset({'table lamp', 'floor lamp', 'wall lamp', 'ceiling lamp', 'lamp', 'light'})


@dataclass(frozen=True)
class Kind:
    """Objects of a class that are in all the given states.

    Args:
        words: the class in words.
        states: names of STATES, in the order of the goal.
        load: what must lie on or in the object; None if nothing need.
    """

    words: str
    states: tuple[str, ...] = ()
    load: Kind | None = None

    def fits(self, graph: Graph, node: Node) -> bool:
        """Whether a node is of this kind in a world."""
        states = graph.states(node.id)
        if node.words != self.words or not all(one.upper() in states for one in self.states):
            return False
        load = self.load
        return load is None or any(
            load.fits(graph, graph.scene.nodes[edge.from_id]) for edge in graph.contents(node.id)
        )

    def __str__(self) -> str:
        """Say it, e.g. ``hot sliced potato`` or ``bowl with cutlery knife``."""
        name = ' '.join([*self.states, self.words])
        return f'{name} with {self.load}' if self.load else name


@dataclass(frozen=True)
class Condition:
    """One goal condition: so many objects of a class in some relation or state.

    Args:
        key: as WAH writes it, e.g. ``inside_apple_fridge``.
        predicate: inside, on, turnOn, turnOff, open, closed, holds, lit, or a state that an object
            can be in (``STATES``).
        kind: the objects that count.
        target: class of what they are to be on or inside, in words; empty for a state.
        count: how many there must be at least, from 1.
    """

    key: str
    predicate: str
    kind: Kind
    target: str
    count: int

    @property
    def subject(self) -> str:
        """Class of the objects that count, in words."""
        return self.kind.words

    def met(self, graph: Graph) -> int:
        """How many objects meet the condition in a world."""
        return sum(self.holds(graph, node) for node in graph.scene.of_words(self.subject))

    def line(self, met: int) -> str:
        """Say the condition and how far it is met, e.g. ``apple inside fridge: 1 of 1``."""
        end = f'{_PAIRS[self.predicate]} {self.target}' if self.target else _SINGLES[self.predicate]
        return f'{self.kind} {end}: {min(met, self.count)} of {self.count}'

    def holds(self, graph: Graph, node: Node) -> bool:
        """Whether one object meets the condition in a world."""
        if not self.kind.fits(graph, node):
            return False
        match self.predicate:
            case 'inside' | 'on':
                return any(
                    self._lies(graph, node.id, target)
                    for target in graph.scene.of_words(self.target)
                )
            case 'turnOn':
                return graph.is_on(node.id)
            case 'turnOff':
                return 'has_switch' in node.affordances and not graph.is_on(node.id)
            case 'open':
                return graph.is_open(node.id)
            case 'closed':
                return graph.is_closed(node.id)
            case 'holds':
                return node.id in graph.held()
            case 'lit':
                return node.id in graph.held() and is_lit(graph)
            case _:
                return self.predicate.upper() in graph.states(node.id)

    def _lies(self, graph: Graph, node_id: int, target: Node) -> bool:
        if self.predicate == 'inside' and graph.is_in(node_id, target.id):
            return True
        # What lies "on" a plate and what is "in" a bowl is the same to a goal: which of the two it
        # becomes is the vessel's affair.
        either = 'grabbable' in target.affordances
        return any(
            edge.to_id == target.id
            and (either or (self.predicate == 'on' and edge.relation == 'ON'))
            for edge in graph.supports(node_id)
        )


@dataclass(frozen=True)
class GoalCheck:
    """Which goal conditions hold in a world, as readable lines in the order of the goal.

    Args:
        satisfied: conditions that hold.
        unsatisfied: those that do not.
        met: how many of the wanted objects are as wanted (the paper's completed subgoals).
        wanted: how many are wanted in all conditions together.
    """

    satisfied: tuple[str, ...]
    unsatisfied: tuple[str, ...]
    met: int = 0
    wanted: int = 0

    @property
    def holds(self) -> bool:
        """Whether all conditions hold; a goal without conditions never does."""
        return bool(self.satisfied) and not self.unsatisfied


def is_lamp(node: Node) -> bool:
    """Whether a node gives light once it is switched on."""
    return node.words in _LAMPS and 'has_switch' in node.affordances


def is_lit(graph: Graph) -> bool:
    """Whether a lamp that is on stands where the robot is."""
    place = graph.place()
    if place is None:
        return False
    reach, neighbours = graph.around(place)
    return any(
        is_lamp(graph.scene.nodes[node_id]) and graph.is_on(node_id)
        for node_id in reach | neighbours
    )


def check(world: World, conditions: Sequence[Condition] | Mapping[str, int]) -> GoalCheck:
    """Check goal conditions against the truth about a world.

    Args:
        world: the world as it is now.
        conditions: parsed, or in WAH form.

    Raises:
        ConfigurationError: conditions in WAH form that do not fit the scene.
    """
    if isinstance(conditions, Mapping):
        conditions = parse_conditions(conditions, world.scene)
    satisfied: list[str] = []
    unsatisfied: list[str] = []
    done = 0
    for condition in conditions:
        met = condition.met(world.state)
        done += min(met, condition.count)
        lines = satisfied if met >= condition.count else unsatisfied
        lines.append(condition.line(met))
    wanted = sum(condition.count for condition in conditions)
    return GoalCheck(tuple(satisfied), tuple(unsatisfied), done, wanted)


def parse_conditions(raw: Any, scene: Scene, place: str = 'goal') -> tuple[Condition, ...]:
    """Read goal conditions in WAH form, e.g. ``{'on_pudding_coffeetable': 2}``.

    Args:
        raw: counts by condition.
        scene: the scene that the conditions are about; it must have the classes.
        place: named in messages.

    Raises:
        ConfigurationError: conditions cannot be read or do not fit the scene; the message lists
            every fault.
    """
    if not isinstance(raw, Mapping) or not raw:
        raise ConfigurationError(f'{place}: expected conditions with counts, not {raw!r}')
    conditions: list[Condition] = []
    problems: list[str] = []
    for key, count in raw.items():
        try:
            conditions.append(_parse(key, count, scene))
        except ValueError as error:
            problems.append(f'{place}.{key}: {error}')
    if problems:
        raise ConfigurationError('\n'.join(problems))
    return tuple(conditions)


def line_of(goal: Mapping[str, int]) -> str:
    """Write conditions in WAH form as a line of conditions (``skills.goal_conditions``).

    >>> line_of({'inside_hot.potato_fridge': 2, 'turnOn_tv': 1})
    '2 hot potato inside fridge; tv switched on'
    """
    found = []
    lamps = [key.partition('_')[2] for key in goal if key.startswith('turnOn_') and 'lamp' in key]
    for key, count in goal.items():
        predicate, _, rest = key.partition('_')
        subject, _, target = rest.partition('_') if predicate in _PAIRS else (rest, '', '')
        own, plus, load = subject.partition('+')
        parts = [str(count)] if count > 1 else []
        parts.append(_in_order(own))
        if plus:
            parts += ['with', _in_order(load)]
        if predicate == 'lit':
            lamp = words(lamps[0]) if lamps else 'lamp'
            parts.append(f'held at {lamp}')
        else:
            parts.append(_SAID.get(predicate, predicate))
        if target:
            parts.append(words(target))
        found.append(' '.join(parts))
    return '; '.join(found) or 'none'


def _in_order(kind: str) -> str:
    *states, name = kind.split('.')
    return ' '.join([*sorted(states, key=[*STATES].index), words(name)])


def _parse(key: Any, count: Any, scene: Scene) -> Condition:
    predicate, _, rest = str(key).partition('_')
    if predicate not in _PAIRS and predicate not in _SINGLES:
        allowed = ', '.join([*_PAIRS, *_SINGLES])
        raise ValueError(f'{predicate!r} is not one of {allowed}')
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise ValueError(f'the count {count!r} is not a whole number from 1')
    if predicate in _SINGLES:
        kind, target = _read_kind(rest, scene), ''
    else:
        kind, target = _read_pair(rest, scene)
    need = _NEEDS.get(predicate, '')
    if need and not any(need in node.affordances for node in scene.of_words(kind.words)):
        raise ValueError(f'{kind.words} {LACKING[need]}')
    return Condition(str(key), predicate, kind, target, count)


def _read_pair(text: str, scene: Scene) -> tuple[Kind, str]:
    found: list[tuple[Kind, str]] = []
    fault = ''
    # A class name may have underscores of its own: every way to cut is tried.
    for first, second in _splits(text):
        if not scene.of_words(second):
            continue
        try:
            found.append((_read_kind(first, scene), second))
        except ValueError as error:
            fault = str(error)
    if len(found) == 1:
        return found[0]
    # A fault of the subject says more where it has modifiers; else the cut may be at fault.
    if fault and ('.' in text or '+' in text):
        raise ValueError(fault)
    parts = [words(part) for part in text.split('_')]
    absent = [part for part in parts if not scene.of_words(part)]
    if len(parts) == 2 and absent:
        raise ValueError(f'the scene has no {absent[0]!r}')
    raise ValueError(f'{text!r} is not two classes of the scene')


def _read_kind(text: str, scene: Scene) -> Kind:
    """Read the subject of a condition, e.g. ``hot.potato`` or ``bowl+cutleryknife``.

    Args:
        text: states before the class, a dot after each; after a plus, what must lie on or in it.
        scene: the household, which must have the classes.

    Raises:
        ValueError: a state or class that there is not, or one that does not fit the other.
    """
    own, plus, carried = text.partition('+')
    *states, name = own.split('.')
    subject = words(name)
    have = scene.of_words(subject)
    if not have:
        raise ValueError(f'the scene has no {subject!r}')
    for state in states:
        if state not in STATES:
            raise ValueError(f'{state!r} is not one of the states {", ".join(STATES)}')
        if not any(STATES[state] in node.affordances for node in have):
            raise ValueError(f'{subject} {LACKING[STATES[state]]}')
    if len(set(states)) < len(states) or {'hot', 'cold'} <= set(states):
        raise ValueError(f'{", ".join(states)} cannot all be asked of one object')
    if not plus:
        return Kind(subject, tuple(states))
    if not any(node.affordances & {'recipient', 'surfaces', 'containers'} for node in have):
        raise ValueError(f'nothing can be put on or in {subject}')
    if '+' in carried:
        raise ValueError(f'only one thing can be asked for on or in {subject}')
    load = _read_kind(carried, scene)
    if not any('grabbable' in node.affordances for node in scene.of_words(load.words)):
        raise ValueError(f'{load.words} {LACKING["grabbable"]}')
    return Kind(subject, tuple(states), load)


def _splits(text: str) -> Iterator[tuple[str, str]]:
    parts = text.split('_')
    for cut in range(1, len(parts)):
        yield '_'.join(parts[:cut]), words('_'.join(parts[cut:]))
