# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A PDDL domain with one problem, parsed and simulated by unified-planning.

States are sets of the facts that are true, so that they can be described, compared and stored.
"""

from __future__ import annotations

import itertools
import math
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.pddl.words import Words, read_words
from reactree_ros.sim.planning.facts import Fact, State

_MOST_GROUNDINGS = 200_000
_NO_FUNCTIONS = re.compile(r'\(\s*:functions\s*\)', re.IGNORECASE)
"""What unified-planning cannot parse, and PlanSys2's domains often have."""


class PddlProblem:
    """A planning problem whose states are sets of facts, such as ``('on', 'b1', 'b2')``.

    A durative action counts as done when the robot says so: what it needs at any time must hold
    before, unless the action brings it about at its start, and all its effects come at once.

    Args:
        domain: text of the domain.
        problem: text of the problem.
        words: how things are said.

    Raises:
        ConfigurationError: if a text cannot be parsed, unified-planning is not installed, or the
            problem has more than actions and facts that are true or false.
    """

    def __init__(self, domain: str, problem: str, words: Words = Words()) -> None:  # noqa: B008
        self._up = _unified_planning()
        self.words = words
        self._problem = _parsed(self._up, domain, problem)
        _refuse_what_is_not_simulated(self._problem)
        self._check_words()
        self.domain = _domain_name(domain) or 'pddl'
        self.objects = {one.name: words.object_name(one.name) for one in self._problem.all_objects}
        """Class and number of each object, by its PDDL name."""
        self.types = {
            one.name: frozenset(kind.name for kind in one.type.ancestors)
            for one in self._problem.all_objects
        }
        """Types of each object, by its PDDL name: its own and those above it."""
        self._pddl = {_joined(name): pddl for pddl, name in self.objects.items()}
        if len(self._pddl) < len(self.objects):
            twice = sorted(self.objects, key=lambda one: (self.objects[one], one))
            raise ConfigurationError(f'two objects have the same name in words, among {twice}')
        self._simulator = self._up.Simulator(self._problem)
        self._grounded = False
        self._actions = {one.name: one for one in self._problem.actions}
        self.actions = {
            name: _parameter_names(action.parameters) for name, action in self._actions.items()
        }
        """Names of the parameters of each action, by its name."""
        self._false = {
            expression: self._problem.environment.expression_manager.FALSE()
            for fluent in self._problem.fluents
            for expression in self._groundings(fluent)
        }
        self._facts = {_fact(expression): expression for expression in self._false}
        self.goals = tuple(_conjuncts(self._problem.goals))

    @classmethod
    def read(cls, domain: Path, problem: Path, words: Path | None = None) -> PddlProblem:
        """Read a problem from files.

        Raises:
            ConfigurationError: see the class.
        """
        try:
            said = Words() if words is None else read_words(words)
            return cls(_read(domain), _read(problem), said)
        except ConfigurationError as error:
            raise ConfigurationError(f'{problem}: {error}') from error

    @property
    def instruction(self) -> str:
        """The goal as somebody would say it."""
        return f'Reach that {"; ".join(self.sentence(goal) for goal in self.goals)}'

    def parameter_types(self, action: str) -> dict[str, str]:
        """Return the type of each parameter of an action, by the parameter's name."""
        types = (one.type.name for one in self._actions[action].parameters)
        return dict(zip(self.actions[action], types, strict=True))

    @property
    def initial(self) -> State:
        """The facts that are true at first."""
        values = self._problem.initial_values
        return frozenset(_fact(one) for one, value in values.items() if value.is_true())

    def name_of(self, pddl: str) -> str:
        """Return the name of an object in words."""
        return _joined(self.objects[pddl])

    def object_of(self, name: str) -> str | None:
        """Return the PDDL name of what words name; None if there is no such object."""
        return self._pddl.get(name)

    def ground(self) -> None:
        """Put objects in for the parameters of all actions, which can take seconds, once.

        Raises:
            ConfigurationError: if unified-planning fails at it.
        """
        if self._grounded:
            return
        try:
            any(self._simulator.get_applicable_actions(self._state(self.initial)))
        # its grounder raises what its data structures raise
        except Exception as error:
            raise ConfigurationError(
                f'unified-planning cannot ground the actions: {type(error).__name__}: {error}'
            ) from error
        self._grounded = True

    def applicable(self, state: State) -> Iterator[tuple[str, ...]]:
        """Return each action that can be done, with the PDDL names of its objects."""
        self.ground()
        for action, parameters in self._simulator.get_applicable_actions(self._state(state)):
            yield (action.name, *(one.object().name for one in parameters))

    def after(self, state: State, action: str, objects: Iterable[str]) -> State | None:
        """Return the state after an action; None if it cannot be done."""
        if action not in self._actions:
            return None
        given = [self._problem.object(name) for name in objects]
        if len(given) != len(self._actions[action].parameters):
            return None
        try:
            after = self._simulator.apply(self._state(state), self._actions[action], given)
        except self._up.Error:  # objects of other types
            return None
        if after is None:
            return None
        value = after.get_value
        return frozenset(
            fact for fact, expression in self._facts.items() if value(expression).is_true()
        )

    def solved(self) -> tuple[tuple[str, ...], ...]:
        """Let a planning engine of unified-planning solve the problem.

        Returns:
            Actions, each with the PDDL names of its objects.

        Raises:
            ConfigurationError: if no engine for such problems is installed, or none finds a plan.
        """
        try:
            with self._up.OneshotPlanner(problem_kind=self._problem.kind) as engine:
                plan = engine.solve(self._problem).plan
        except self._up.Error as error:
            why = ' '.join(str(error).split())
            raise ConfigurationError(
                f'no planning engine (pip install up-pyperplan): {why}'
            ) from error
        if plan is None:
            raise ConfigurationError('the planning engine has found no plan')
        return tuple(
            (one.action.name, *(str(given) for given in one.actual_parameters))
            for one in plan.actions
        )

    def unmet(self, state: State) -> tuple[Any, ...]:
        """Return those of ``goals`` that do not hold."""
        full = self._state(state)
        evaluate = self._simulator._se.evaluate
        return tuple(goal for goal in self.goals if not evaluate(goal, full).is_true())

    def unmet_needs(self, state: State, action: str, objects: Iterable[str]) -> tuple[str, ...]:
        """Return in words which conditions of an action do not hold."""
        given = [self._problem.object(name) for name in objects]
        full = self._state(state)
        try:
            unmet, _ = self._simulator.get_unsatisfied_conditions(
                full, self._actions[action], given
            )
        except self._up.Error:
            return ()
        return tuple(self.sentence(one) for one in unmet)

    def sentence(self, condition: Any) -> str:
        """Return a condition in words."""
        return self._worded(condition, self._name_in, 'it is not so that ')

    def fact_sentence(self, fact: Fact) -> str:
        """Return a fact in words."""
        name, *objects = fact
        return self._said(self._problem.fluent(name), map(self.name_of, objects))

    def action_rules(self) -> str:
        """Return a sentence on each action: what it needs and what it changes."""
        lines = []
        for action in self._actions.values():
            names = _parameter_names(action.parameters)
            phrase = self.words.action_phrase(action.name, names)
            phrase = phrase.format(**{one: one.replace('_', ' ') for one in names})
            needs = '; '.join(self._general(one) for one in _conjuncts(action.preconditions))
            makes = '; '.join(map(self._effect, action.effects))
            lines.append(f'{phrase}: needs {needs or "nothing"}; makes {makes or "no difference"}.')
        return '\n'.join(lines)

    def _check_words(self) -> None:
        """Refuse words that do not fit what they are for."""
        for fluent in self._problem.fluents:
            self.words.fact_sentence(fluent.name, _parameter_names(fluent.signature))
        for action in self._problem.actions:
            self.words.action_phrase(action.name, _parameter_names(action.parameters))

    def _general(self, condition: Any) -> str:
        """Return a condition of an action, with its parameters for objects."""
        return self._worded(condition, _plain, 'not: ')

    def _effect(self, effect: Any) -> str:
        every = f'for every {_plain(*effect.forall)}: ' if effect.is_forall() else ''
        where = f'if {self._general(effect.condition)}, ' if effect.is_conditional() else ''
        negation = '' if effect.value.is_true() else 'not: '
        return f'{every}{where}{negation}{self._general(effect.fluent)}'

    def _worded(self, condition: Any, name: Callable[[Any], str], negation: str) -> str:
        """Return a condition in words.

        Args:
            condition: any.
            name: returns what an object, a parameter or a variable is called.
            negation: what a negation begins with.
        """

        def worded(one: Any) -> str:
            return self._worded(one, name, negation)

        if condition.is_fluent_exp():
            return self._said(condition.fluent(), map(name, condition.args))
        if condition.is_not():
            return f'{negation}{worded(condition.arg(0))}'
        if condition.is_and() or condition.is_or():
            joint = ' and ' if condition.is_and() else ' or '
            return joint.join(map(worded, condition.args))
        if condition.is_implies():
            return f'if {worded(condition.arg(0))}, {worded(condition.arg(1))}'
        if condition.is_forall() or condition.is_exists():
            which = 'every' if condition.is_forall() else 'some'
            return f'for {which} {_plain(*condition.variables())}: {worded(condition.arg(0))}'
        if condition.is_equals():
            return f'{name(condition.arg(0))} is {name(condition.arg(1))}'
        return str(condition)

    def _name_in(self, argument: Any) -> str:
        return _plain(argument) if argument.is_variable_exp() else self.name_of(str(argument))

    def _said(self, fluent: Any, names: Iterable[str]) -> str:
        parameters = _parameter_names(fluent.signature)
        sentence = self.words.fact_sentence(fluent.name, parameters)
        return sentence.format(**dict(zip(parameters, names, strict=True)))

    def _state(self, state: State) -> Any:
        true = self._problem.environment.expression_manager.TRUE()
        values = dict(self._false)
        for fact in state:
            if fact not in self._facts:
                raise ConfigurationError(f'{fact} is not a fact of the PDDL problem')
            values[self._facts[fact]] = true
        return self._up.State(values, self._problem)

    def _groundings(self, fluent: Any) -> Iterator[Any]:
        objects = [tuple(self._problem.objects(one.type)) for one in fluent.signature]
        for arguments in itertools.product(*objects):
            yield fluent(*arguments)


def _plain(*names: Any) -> str:
    """Return names of parameters or variables as words."""
    words = (getattr(one, 'name', None) or str(one) for one in names)
    return ', '.join(word.replace('_', ' ').replace('-', ' ') for word in words)


@cache
def _unified_planning() -> SimpleNamespace:
    """Return what is used of unified-planning, which takes half a second to import."""
    try:
        from unified_planning.engines.sequential_simulator import UPSequentialSimulator
        from unified_planning.environment import get_environment
        from unified_planning.exceptions import UPException
        from unified_planning.io import PDDLReader
        from unified_planning.model import DurativeAction, InstantaneousAction, UPState
        from unified_planning.shortcuts import OneshotPlanner
    except ImportError as error:
        raise ConfigurationError(
            f'PDDL needs unified-planning: pip install unified-planning ({error})'
        ) from error
    return SimpleNamespace(
        Simulator=UPSequentialSimulator,
        Reader=PDDLReader,
        State=UPState,
        DurativeAction=DurativeAction,
        InstantaneousAction=InstantaneousAction,
        Error=UPException,
        OneshotPlanner=OneshotPlanner,
        get_environment=get_environment,
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding='utf-8')
    except (OSError, ValueError) as error:  # also a path with a null byte, and other bytes
        raise ConfigurationError(f'the PDDL file cannot be read: {error}') from error


def _parsed(up: SimpleNamespace, domain: str, problem: str) -> Any:
    environment = up.get_environment()
    environment.credits_stream = None
    environment.error_used_name = False  # PDDL lets an action and a predicate have the same name
    try:
        with warnings.catch_warnings(action='ignore', category=UserWarning):
            parsed = up.Reader().parse_problem_string(_NO_FUNCTIONS.sub('', domain), problem)
            _take_no_time(up, parsed)
            return parsed
    # its parser raises what its libraries raise
    except Exception as error:
        why = ' '.join(str(error).split())
        raise ConfigurationError(f'PDDL cannot be parsed: {why}') from error


def _take_no_time(up: SimpleNamespace, problem: Any) -> None:
    """Replace durative actions by those with the same needs and effects that take no time."""
    actions = list(problem.actions)
    problem.clear_actions()
    for action in actions:
        takes_time = isinstance(action, up.DurativeAction)
        problem.add_action(_instantaneous(up, action) if takes_time else action)


def _instantaneous(up: SimpleNamespace, action: Any) -> Any:
    made = up.InstantaneousAction(
        action.name, {one.name: one.type for one in action.parameters}, action.environment
    )
    started: dict[Any, Any] = {}
    effects: dict[Any, Any] = {}
    for when, changes in sorted(action.effects.items(), key=lambda one: one[0].is_from_end()):
        for effect in changes:
            unconditional = not effect.is_conditional() and not effect.is_forall()
            if unconditional and when.is_from_start():
                started[effect.fluent] = effect.value
            effects[effect.fluent if unconditional else str(effect)] = effect
    for span, needs in action.conditions.items():
        is_at_start = span.lower == span.upper and span.lower.is_from_start()
        for need in (part for one in needs for part in _conjuncts([one])):
            fluent = need.arg(0) if need.is_not() else need
            value = started.get(fluent)
            if is_at_start or value is None or value.is_true() == need.is_not():
                made.add_precondition(need)
    for effect in effects.values():
        made._add_effect_instance(effect)
    return made


def _refuse_what_is_not_simulated(problem: Any) -> None:
    if not problem.actions:
        raise ConfigurationError('the PDDL domain has no actions')
    for fluent in problem.fluents:
        if not fluent.type.is_bool_type():
            raise ConfigurationError(f'PDDL function {fluent.name!r}: numbers are not supported')
    signatures = [one.signature for one in problem.fluents]
    signatures += [one.parameters for one in problem.actions]
    size = sum(
        math.prod(len(tuple(problem.objects(one.type))) for one in parameters)
        for parameters in signatures
    )
    if size > _MOST_GROUNDINGS:
        raise ConfigurationError(
            f'the PDDL problem has {size:,} ground facts and actions; at most '
            f'{_MOST_GROUNDINGS:,} are supported'
        )


def _parameter_names(parameters: Iterable[Any]) -> tuple[str, ...]:
    return tuple(one.name.replace('-', '_') for one in parameters)


def _domain_name(domain: str) -> str:
    found = re.search(r'\(\s*domain\s+([^\s()]+)', domain, re.IGNORECASE)
    return found[1].lower() if found else ''


def _conjuncts(conditions: Iterable[Any]) -> Iterator[Any]:
    for condition in conditions:
        if condition.is_and():
            yield from _conjuncts(condition.args)
        elif not condition.is_true():
            yield condition


def _fact(expression: Any) -> Fact:
    return (expression.fluent().name, *(one.object().name for one in expression.args))


def _joined(name: tuple[str, int]) -> str:
    return f'{name[0]} {name[1]}'
