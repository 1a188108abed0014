# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A PDDL domain with a problem while it is drawn."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from reactree_ros.sim.planning.facts import Action, Fact

Atoms = tuple[str, ...]
"""Facts with parameters, each as in ``on ?x ?y``."""


@dataclass(frozen=True)
class DrawnAction:
    """An action with parameters.

    Args:
        name: in PDDL.
        parameters: their types by their names, without question marks.
        needs: what must hold; a fact after ``not`` must not.
        makes: what holds afterwards; a fact after ``not`` does not.
        phrase: how it is said, with its parameters in braces.
        rule: what it needs, as a person would explain it.
    """

    name: str
    parameters: Mapping[str, str]
    needs: Atoms
    makes: Atoms
    phrase: str
    rule: str


@dataclass
class Sketch:
    """Objects, predicates and actions that were drawn so far.

    Args:
        objects: names of objects by their type.
        predicates: the types of their parameters, by their names.
        sentences: how facts are said, by predicate, with the parameters a and b in braces.
        actions: what can be done.
        initial: what holds at first.
        wishes: predicates that goals may be about.
    """

    objects: dict[str, list[str]] = field(default_factory=dict)
    predicates: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sentences: dict[str, str] = field(default_factory=dict)
    actions: list[DrawnAction] = field(default_factory=list)
    initial: set[Fact] = field(default_factory=set)
    wishes: set[str] = field(default_factory=set)

    def add_objects(self, kind: str, names: Sequence[str]) -> list[str]:
        """Add objects of a type, and return their names in PDDL.

        Args:
            kind: of all of them.
            names: in words, each followed by its number if it has one.
        """
        self.objects[kind] = [name.replace(' ', '-') for name in names]
        return self.objects[kind]

    def add_predicate(self, name: str, kinds: Sequence[str], sentence: str) -> None:
        """Add a predicate over objects of some types."""
        self.predicates[name] = tuple(kinds)
        self.sentences[name] = sentence

    def holds(self, *facts: str) -> None:
        """Add facts that hold at first."""
        self.initial |= {tuple(fact.split()) for fact in facts}

    def grounded(self) -> tuple[Action, ...]:
        """Return all actions with all objects, each object once in an action."""
        return tuple(
            _ground(action, objects)
            for action in self.actions
            for objects in itertools.product(
                *map(self.objects.__getitem__, action.parameters.values())
            )
            if len({*objects}) == len(objects)
        )

    def domain_text(self, name: str) -> str:
        """Return the domain in PDDL."""
        predicates = ' '.join(
            f'({one}{_declared(dict(zip(_LETTERS, kinds, strict=False)))})'
            for one, kinds in self.predicates.items()
        )
        actions = '\n'.join(
            f' (:action {one.name} :parameters ({_declared(one.parameters).strip()})\n'
            f'  :precondition {_conjunction(one.needs)}\n  :effect {_conjunction(one.makes)})'
            for one in self.actions
        )
        return (
            f'(define (domain {name}) (:requirements :strips :typing :negative-preconditions)\n'
            f' (:types {" ".join(self.objects)} - object)\n'
            f' (:predicates {predicates})\n{actions})\n'
        )

    def problem_text(self, name: str, goal: Iterable[Fact]) -> str:
        """Return the problem in PDDL."""
        objects = ' '.join(f'{" ".join(ones)} - {kind}' for kind, ones in self.objects.items())
        return (
            f'(define (problem of-{name}) (:domain {name})\n (:objects {objects})\n'
            f' (:init {" ".join(map(_pddl, sorted(self.initial)))})\n'
            f' (:goal (and {" ".join(map(_pddl, goal))})))\n'
        )


_LETTERS = 'abc'


def _declared(parameters: Mapping[str, str]) -> str:
    return ''.join(f' ?{name} - {kind}' for name, kind in parameters.items())


def _conjunction(atoms: Atoms) -> str:
    parts = (
        f'(not ({atom.removeprefix("not ")}))' if atom.startswith('not ') else f'({atom})'
        for atom in atoms
    )
    return f'(and {" ".join(parts)})'


def _pddl(fact: Fact) -> str:
    return f'({" ".join(fact)})'


def _ground(action: DrawnAction, objects: tuple[str, ...]) -> Action:
    binding = {f'?{name}': one for name, one in zip(action.parameters, objects, strict=True)}

    def facts(atoms: Atoms, negated: bool) -> tuple[Fact, ...]:
        return tuple(
            tuple(binding.get(word, word) for word in atom.removeprefix('not ').split())
            for atom in atoms
            if atom.startswith('not ') is negated
        )

    return Action(
        action.name,
        objects,
        facts(action.needs, False),
        facts(action.needs, True),
        facts(action.makes, False),
        facts(action.makes, True),
    )
