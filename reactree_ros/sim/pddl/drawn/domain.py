# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""PDDL domains drawn at random, each with a problem that a random walk has solved.

Most walks end near where they began: of several ends the one with the longest plan is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.pddl.drawn.mechanisms import (
    Drafting,
    carrying,
    going,
    ordering,
    serving,
    stacking,
    storing,
    switching,
    treating,
)
from reactree_ros.sim.pddl.drawn.sketch import Sketch
from reactree_ros.sim.pddl.problem import PddlProblem
from reactree_ros.sim.pddl.words import Words
from reactree_ros.sim.planning.facts import Action, Fact, State, needed_by
from reactree_ros.sim.planning.fast_downward import plan_to
from reactree_ros.sim.planning.goal import PlanningGoal
from reactree_ros.sim.vocabulary import HELD_OUT, TRAINING, trades

TRAIN, DEV = 'pddl_train', 'pddl_dev'
DRAWN_SETS: Mapping[str, int] = {TRAIN: 20_000, DEV: 100}
"""How many domains a set has; those of ``DEV`` have words that no other has."""

_EXTRAS: dict[Callable[[Drafting], None], float] = {
    storing: 3, treating: 2, stacking: 3, switching: 2, serving: 2, ordering: 1,
}  # fmt: skip
_MOST_OBJECTS = 16
_STEPS = (10, 60)
"""Of the random walk that ends where the goal holds."""
_WALKS = 4
_EASY = 0.25
"""How often the end of the first walk is taken, however near it is."""
_MOST_WISHES = 5


@dataclass(frozen=True)
class DrawnDomain:
    """A drawn domain with its problem.

    Args:
        name: of the domain in PDDL.
        sketch: what it is made of.
        goal: the facts that the problem asks for.
        words: how things are said.
    """

    name: str
    sketch: Sketch
    goal: tuple[Fact, ...]
    words: Words

    @cached_property
    def problem(self) -> PddlProblem:
        """The problem, parsed; it never changes.

        Raises:
            ConfigurationError: unified-planning is not installed.
        """
        return PddlProblem(
            self.sketch.domain_text(self.name),
            self.sketch.problem_text(self.name, self.goal),
            self.words,
        )

    def plan(self, state: State, facts: Iterable[Fact] | None = None) -> tuple[Action, ...] | None:
        """Return actions after which some facts hold, those of the goal if none are given.

        Raises:
            ConfigurationError: Fast Downward is not installed.
            TimeoutError: no plan was found in time.
        """
        wanted = self.goal if facts is None else facts
        return plan_to(self, state, PlanningGoal([(fact, True) for fact in wanted]))

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """All actions with all objects."""
        return self.sketch.grounded()

    @cached_property
    def needed_by(self) -> Mapping[Fact, Sequence[int]]:
        """Numbers of the actions that need a fact."""
        return needed_by(self.actions)


@lru_cache(maxsize=64)
def drawn_domain(name: str, number: int) -> DrawnDomain:
    """Return a domain of a set, always the same.

    Raises:
        ConfigurationError: there is no such domain, or Fast Downward is not installed.
    """
    if not 1 <= number <= DRAWN_SETS.get(name, 0):
        raise ConfigurationError(f'there is no PDDL domain {number} in {name!r}')
    attempt = 0
    while (found := _drawn(f'{name} {number}', attempt, name == DEV)) is None:
        attempt += 1
    return found


def _drawn(name: str, attempt: int, held_out: bool) -> DrawnDomain | None:
    """Draw a domain and a goal; None if nothing comes of it."""
    draw = Draw(f'{name} {attempt}')
    trade = draw.pick(
        [one for one in trades(HELD_OUT if held_out else TRAINING) if one.language == 'en']
    )
    drafting = Drafting(draw, trade)
    if draw.chance(0.65):
        going(drafting)
    if draw.chance(0.6):
        carrying(drafting)
    extras = dict(_EXTRAS)
    for _ in range(draw.whole(1, 2)):
        extra = draw.weighted(extras)
        del extras[extra]
        extra(drafting)
    sketch = drafting.sketch
    if sum(map(len, sketch.objects.values())) > _MOST_OBJECTS:
        return None
    words = _words(sketch, trade.agents, draw)
    actions = sketch.grounded()
    goals = [_goal(sketch, actions, draw) for _ in range(1 if draw.chance(_EASY) else _WALKS)]
    found = [
        DrawnDomain(name.replace(' ', '-').replace('_', '-'), sketch, goal, words)
        for goal in goals
        if goal is not None
    ]
    if len(found) < 2:
        return found[0] if found else None
    return max(found, key=_length)


def _length(domain: DrawnDomain) -> int:
    """Return how long a plan of a domain's problem is; 0 if none is found."""
    with suppress(TimeoutError):
        return len(domain.plan(frozenset(domain.sketch.initial)) or ())
    return 0


def _goal(sketch: Sketch, actions: Sequence[Action], draw: Draw) -> tuple[Fact, ...] | None:
    """Return facts that hold after a random walk, and not before; None if there are none."""
    state = start = frozenset(sketch.initial)
    seen = {state}
    for _ in range(draw.whole(*_STEPS)):
        new = [
            after
            for action in actions
            if action.is_possible(state) and (after := action.after(state)) not in seen
        ]
        if not new:
            break
        state = draw.pick(new)
        seen.add(state)
    reached = sorted(fact for fact in state - start if fact[0] in sketch.wishes)
    if not reached:
        return None
    return tuple(draw.shuffled(reached)[: draw.whole(1, _MOST_WISHES)])


def _words(sketch: Sketch, agents: tuple[str, ...], draw: Draw) -> Words:
    """Return how things are said: as a person does, or by their names in PDDL."""
    rules = ' '.join(one.rule for one in sketch.actions if one.rule)
    facts = draw.chance(0.75)
    return Words(
        agent=draw.pick(agents),
        rules=rules if facts and draw.chance(0.6) else '',
        actions={one.name: one.phrase for one in sketch.actions} if draw.chance(0.75) else {},
        facts=sketch.sentences if facts else {},
    )
