# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plans that lead to facts, found by Fast Downward.

The search of Fast Downward (https://www.fast-downward.org, GPL-3) runs as a program of its own.
It is given the task in the form of its translator, for the actions are grounded here: once for a
domain, where the translator would take most of the time for each plan.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.planning.facts import Action, Fact, State
from reactree_ros.sim.planning.goal import Literal, PlanningGoal

SEARCH = 'let(h,ff(),eager_wastar([h],preferred=[h],w=2))'
"""Plans that are nearly as short as can be."""
LIMIT_SEC = 3
"""Of processor time, so that what is drawn does not depend on what else the machine does."""
_WAIT_SEC = 600.0
_SOLVED, _UNSOLVABLE, _OUT_OF_TIME = (0,), (11, 12), (23, -24)
_ENDING = ('ending', 'robot')
_CHECK = 'check'


class Domain(Protocol):
    """What can be done: by a generated robot, or in a drawn PDDL domain."""

    @property
    def actions(self) -> Sequence[Action]:
        """Everything that can be done in any state."""

    @property
    def needed_by(self) -> Mapping[Fact, Sequence[int]]:
        """The numbers of the actions that need a fact."""


def plan_to(domain: Domain, state: State, goal: PlanningGoal) -> tuple[Action, ...] | None:
    """Return actions that lead from a state to facts.

    Returns:
        The actions, none if the facts hold already; None if there is no plan.

    Raises:
        ConfigurationError: Fast Downward is not installed.
        TimeoutError: no plan was found in time.
    """
    if goal.holds(state):
        return ()
    task = _Task(domain, state, goal)
    found = task.solve() if task.is_possible else None
    return None if found is None else _without_detours(found, state, goal)


def _without_detours(
    actions: tuple[Action, ...], state: State, goal: PlanningGoal
) -> tuple[Action, ...]:
    """Leave out actions without which the goal is reached as well.

    Action elimination, after Nakhost and Müller (ICAPS 2010): an action is left out together with
    all later ones that need it.
    """
    number = 0
    while number < len(actions):
        now, kept = state, []
        for i, action in enumerate(actions):
            if i != number and action.is_possible(now):
                kept.append(action)
                now = action.after(now)
            elif i < number:
                raise AssertionError(f'{action} of the plan is not possible')
        if goal.holds(now):
            actions = tuple(kept)
        else:
            number += 1
    return actions


class _Task:
    """A planning task in the form of Fast Downward's translator: every fact is a variable.

    Args:
        domain: what can be done.
        state: from which to plan.
        goal: to be reached.
    """

    def __init__(self, domain: Domain, state: State, goal: PlanningGoal) -> None:
        self._state = state
        self._actions = _reachable(domain, state)
        changed = {
            fact
            for action in self._actions
            for fact in (
                *(*action.add, *action.delete),
                *(fact for _, *lists in action.each for facts in lists for fact in facts),
            )
        }
        self._variables: dict[Fact, int] = {}
        self._changed = changed | {head for head, _ in goal.rules} | {_ENDING}
        self._operators: list[str] = []
        closed = [(_ENDING, False)] if goal.rules else []
        for number, action in enumerate(self._actions):
            self._operator(
                str(number),
                [
                    *((fact, True) for fact in action.needs),
                    *((fact, False) for fact in action.lacks),
                    *closed,
                ],
                [
                    ((), fact, fact in {*action.add})
                    for fact in dict.fromkeys((*action.delete, *action.add))
                ],
                [
                    (tuple((one, True) for one in when), fact, kind)
                    for when, add, delete in action.each
                    for facts, kind in ((delete, False), (add, True))
                    for fact in facts
                    if kind or fact not in {*action.add, *add}
                ],
            )  # fmt: skip
        if goal.rules:
            self._operator(_CHECK, [(_ENDING, False)], [((), _ENDING, True)], [])
        for head, way in goal.rules:
            self._operator(_CHECK, [(_ENDING, True), *way], [((), head, True)], [])
        self.is_possible = True
        self._goal: dict[int, int] = {}
        for fact, holds in goal.literals:
            if fact in self._changed:
                value = 0 if holds else 1
                self.is_possible &= self._goal.setdefault(self._variable(fact), value) == value
            else:
                self.is_possible &= (fact in state) == holds

    def solve(self) -> tuple[Action, ...] | None:
        """Return a plan; None if there is none."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / 'plan'
            command = [
                *('sh', '-c', f'ulimit -S -t {LIMIT_SEC} && exec "$@"', 'sh', str(_program())),
                *('--search', SEARCH, '--internal-plan-file', str(file)),
            ]
            try:
                done = subprocess.run(
                    command,
                    input=self._text(),
                    cwd=folder,
                    capture_output=True,
                    text=True,
                    timeout=_WAIT_SEC,
                    check=False,
                )
            except subprocess.TimeoutExpired as error:
                raise TimeoutError(f'no plan was found in {_WAIT_SEC:g} s') from error
            if done.returncode in _OUT_OF_TIME:
                raise TimeoutError(f'no plan was found in {LIMIT_SEC} s of processor time')
            if done.returncode in _UNSOLVABLE:
                return None
            if done.returncode not in _SOLVED:
                raise ConfigurationError(
                    f'Fast Downward ended with {done.returncode}: {done.stderr or done.stdout}'
                )
            lines = file.read_text(encoding='utf-8').splitlines()
        names = [line.strip('()').split()[0] for line in lines if not line.startswith(';')]
        return tuple(self._actions[int(name)] for name in names if name != _CHECK)

    def _variable(self, fact: Fact) -> int:
        return self._variables.setdefault(fact, len(self._variables))

    def _operator(
        self,
        name: str,
        needs: Sequence[Literal],
        effects: Sequence[tuple[tuple[Literal, ...], Fact, bool]],
        conditional: Sequence[tuple[tuple[Literal, ...], Fact, bool]],
    ) -> None:
        """Add an operator, unless what it needs never holds."""
        before: dict[int, int] = {}
        for fact, holds in needs:
            if fact not in self._changed:
                if (fact in self._state) != holds:
                    return
                continue
            value = 0 if holds else 1
            if before.setdefault(self._variable(fact), value) != value:
                return
        lines = []
        changes: set[int] = set()
        for _, fact, holds in effects:
            variable, value = self._variable(fact), 0 if holds else 1
            changes.add(variable)
            if before.get(variable) != value:
                lines.append(f'0 {variable} {before.get(variable, -1)} {value}')
        kept = {variable for variable in before if variable in changes}
        for when, fact, holds in conditional:
            variable, value = self._variable(fact), 0 if holds else 1
            if variable in changes:
                continue
            found = self._condition(when)
            if found is not None:
                conditions = ' '.join(f'{one} {is_so}' for one, is_so in found)
                lines.append(f'{len(found)} {conditions} {variable} -1 {value}'.replace('  ', ' '))
        prevail = [f'{one} {value}' for one, value in before.items() if one not in kept]
        same = [
            f'{variable} {before[variable]}'
            for variable in kept
            if not any(line.startswith(f'0 {variable} ') for line in lines)
        ]
        prevail += same
        if lines:
            self._operators.append(
                '\n'.join(
                    (
                        'begin_operator',
                        name,
                        str(len(prevail)),
                        *prevail,
                        str(len(lines)),
                        *lines,
                        '1',
                        'end_operator',
                    )
                )
            )

    def _condition(self, when: Sequence[Literal]) -> list[tuple[int, int]] | None:
        """Return the condition of an effect in numbers; None if it never holds."""
        found = []
        for fact, holds in when:
            if fact in self._changed:
                found.append((self._variable(fact), 0 if holds else 1))
            elif (fact in self._state) != holds:
                return None
        return found

    def _text(self) -> str:
        lines = ['begin_version', '3', 'end_version', 'begin_metric', '0', 'end_metric']
        lines.append(str(len(self._variables)))
        for number in range(len(self._variables)):
            lines += [
                *('begin_variable', f'var{number}', '-1', '2', f'Atom f{number}'),
                *(f'NegatedAtom f{number}', 'end_variable'),
            ]
        lines += ['0', 'begin_state']
        lines += ['0' if fact in self._state else '1' for fact in self._variables]
        lines += ['end_state', 'begin_goal', str(len(self._goal))]
        lines += [f'{variable} {value}' for variable, value in self._goal.items()]
        lines += ['end_goal', str(len(self._operators)), *self._operators, '0', '']
        return '\n'.join(lines)


def _reachable(domain: Domain, state: State) -> list[Action]:
    """Return the actions that can become possible if nothing that holds ever ceased to."""
    actions, index = domain.actions, domain.needed_by
    left = [len({*action.needs}) for action in actions]
    found: list[Action] = []
    known = set(state)
    todo = sorted(fact for fact in state if fact in index)
    ready = [number for number, count in enumerate(left) if not count]
    while todo or ready:
        while ready:
            action = actions[ready.pop()]
            found.append(action)
            news = [*action.add, *(fact for _, add, _ in action.each for fact in add)]
            for fact in news:
                if fact not in known:
                    known.add(fact)
                    todo.append(fact)
        if todo:
            for number in index.get(todo.pop(), ()):
                left[number] -= 1
                if not left[number]:
                    ready.append(number)
    return found


@cache
def _program() -> Path:
    """Return the search of Fast Downward.

    Raises:
        ConfigurationError: it is not installed.
    """
    spec = find_spec('up_fast_downward')
    folders = spec.submodule_search_locations if spec else None
    for folder in folders or ():
        for name in ('downward', 'downward.exe'):
            file = Path(folder, 'downward', 'builds', 'release', 'bin', name)
            if file.is_file():
                return file
    raise ConfigurationError(
        'plans for drawn worlds need Fast Downward: pip install --no-deps -r '
        'requirements/planning.txt'
    )
