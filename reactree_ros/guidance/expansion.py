# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Mends expansions by reading their English: what strays, what is left out, what hands can hold."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from reactree_ros.core.decision import ControlFlow, Expand
from reactree_ros.core.situation import Situation, named_classes
from reactree_ros.guidance.checks import asks_to_switch, check_done, number_asked, verbs_of
from reactree_ros.guidance.words import kinds_named

_NO_KINDS: Mapping[str, frozenset[str]] = MappingProxyType({})


def left_out(
    expansion: Expand,
    goal: str,
    classes: Iterable[str],
    kinds: Mapping[str, frozenset[str]] = _NO_KINDS,
) -> list[str]:
    """Return a fault for each class that the goal names and no subgoal does."""
    known = frozenset(classes)
    covered = set(kinds_named('; '.join(expansion.subgoals), known, kinds))
    return [
        f'no subgoal is about the {name} of the goal'
        for name, meant in kinds_named(goal, known, kinds).items()
        if name in known and name not in covered and not meant & covered
    ]


def without_strays(
    expansion: Expand,
    goal: str,
    classes: Iterable[str],
    movable: Collection[str],
    tools: Collection[str],
    kinds: Mapping[str, frozenset[str]] = _NO_KINDS,
) -> tuple[Expand, tuple[str, ...]]:
    """Return an expansion without the subgoals that have nothing to do with the goal.

    A subgoal strays if it names only what the goal does not name, or another movable object than
    the goal does, or turns something on or off which the goal does not ask for. A goal that names
    nothing known ("tidy up") can be split in any way. If every subgoal strays, the expansion is
    returned as it is.

    Returns:
        The expansion, and the subgoals that it no longer has.
    """
    known = frozenset(classes)
    explicit = set(named_classes(goal, known))
    asked = explicit.union(*kinds_named(goal, known, kinds).values())
    if not asked:
        return expansion, ()
    kept, strays = [], []
    for subgoal in expansion.subgoals:
        named = set(named_classes(subgoal, known)) - (set(tools) - asked)
        others = named & set(movable) - asked if explicit & set(movable) else set()
        elsewhere = bool(named) and not named & asked or bool(others)
        switches = bool(verbs_of(subgoal, known) & {'turn on', 'turn off'})
        if elsewhere or (switches and not asks_to_switch(goal, known)):
            strays.append(subgoal)
        else:
            kept.append(subgoal)
    if not kept:
        return expansion, ()
    return Expand(expansion.control_flow, tuple(kept)), tuple(strays)


def overloads(expansion: Expand, hands: int, classes: Iterable[str] = ()) -> list[str]:
    """Return a fault if a sequence picks up more than the hands can hold."""
    known = frozenset(classes)
    load = 0
    if expansion.control_flow is ControlFlow.SEQUENCE:
        for subgoal in expansion.subgoals:
            verbs = verbs_of(subgoal, known)
            load = 0 if 'put' in verbs else load + ('hold' in verbs)
            if load > hands:
                return [f'"{subgoal}" needs a free hand: put down what you hold before']
    return []


def without_reached(
    expansion: Expand, situation: Situation, kinds: Mapping[str, frozenset[str]] = _NO_KINDS
) -> tuple[Expand, tuple[str, ...]]:
    """Return a parallel without the subgoals that were seen to be reached already.

    In a sequence what is so now may be undone before its turn comes, so sequences stay. If every
    subgoal is reached, or one leaves open how many things it asks for, that stays, too.

    Returns:
        The expansion, and the subgoals that it no longer has.
    """
    if expansion.control_flow is not ControlFlow.PARALLEL:
        return expansion, ()
    reached = tuple(
        subgoal
        for subgoal in expansion.subgoals
        if check_done(subgoal, situation, kinds).confirmed
        and all(
            number_asked(subgoal, name) is not None
            for name in named_classes(subgoal, situation.movable)
        )
    )
    kept = tuple(subgoal for subgoal in expansion.subgoals if subgoal not in reached)
    return (Expand(expansion.control_flow, kept), reached) if kept else (expansion, ())


def one_after_the_other(
    expansion: Expand, hands: int, classes: Iterable[str], movable: Collection[str]
) -> Expand:
    """Return a sequence that puts each thing down before it picks up the next.

    Only a sequence that overloads the hands is changed: after what picks a thing up comes the
    first later subgoal that puts down the same thing. Nothing is added or left out, so one that
    cannot be mended this way still overloads them.
    """
    known = frozenset(classes)
    if not overloads(expansion, hands, known):
        return expansion
    left = list(expansion.subgoals)
    ordered = []
    while left:
        subgoal = left.pop(0)
        ordered.append(subgoal)
        verbs = verbs_of(subgoal, known)
        if 'hold' not in verbs or 'put' in verbs:
            continue
        things = set(named_classes(subgoal, known)) & set(movable)
        for later in left:
            if 'put' in verbs_of(later, known) and things & set(named_classes(later, known)):
                left.remove(later)
                ordered.append(later)
                break
    return Expand(expansion.control_flow, tuple(ordered))
