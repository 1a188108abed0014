# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Facts, and what a skill needs and changes in them: the one source of simulator and planner.

A fact is a tuple of words, the relation first and then what it is said of, as in
``('in', 'cup 1', 'box 2')``. A state is a set of facts; what is not in it is false. Words that
begin with a question mark are variables.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

Fact = tuple[str, ...]
State = frozenset[Fact]
Binding = dict[str, str]


@dataclass(frozen=True)
class Precondition:
    """Something that must hold, or must not, for a skill to be possible.

    Args:
        fact: with variables.
        reason: why the robot refuses without it, with variables in braces; empty where it only
            says what a variable stands for.
        holds: False if it must not hold.
        offered: the skill library says so, too; otherwise only the robot knows it.
    """

    fact: Fact
    reason: str = ''
    holds: bool = True
    offered: bool = True


@dataclass(frozen=True)
class ForEach:
    """A change of everything that some facts hold of.

    Args:
        tag: what things may be: the variable is ``?each``.
        when: facts that must hold of one, besides those that the skill needs.
        add: facts that hold then.
        delete: facts that do not hold then.
    """

    tag: str
    when: tuple[Fact, ...]
    add: tuple[Fact, ...] = ()
    delete: tuple[Fact, ...] = ()


EACH = '?each'


@dataclass(frozen=True)
class Operator:
    """One way in which a skill works; a skill may have several, of which at most one is possible.

    Args:
        skill: name of the skill in the library.
        arguments: tags of its arguments by their names without question mark, in order.
        hidden: tags of the other variables, which the needs determine in every state.
        needs: in the order in which the robot finds out that something is missing.
        add: facts that hold afterwards.
        delete: facts that do not hold afterwards, unless they are added.
        each: changes of several things at once.
    """

    skill: str
    arguments: Mapping[str, str]
    hidden: Mapping[str, str]
    needs: tuple[Precondition, ...]
    add: tuple[Fact, ...] = ()
    delete: tuple[Fact, ...] = ()
    each: tuple[ForEach, ...] = ()


@dataclass(frozen=True)
class Action:
    """An operator with all its variables filled, ready to be carried out.

    Args:
        skill: name of the skill.
        arguments: of the skill.
        needs: facts that must hold.
        lacks: facts that must not hold.
        add: facts that hold afterwards.
        delete: facts that do not hold afterwards, unless they are added.
        each: for each thing that may change, too: what must hold of it, what is added, deleted.
        operator: what it was made of.
        binding: what its variables stand for.
    """

    skill: str
    arguments: tuple[str, ...]
    needs: tuple[Fact, ...]
    lacks: tuple[Fact, ...] = ()
    add: tuple[Fact, ...] = ()
    delete: tuple[Fact, ...] = ()
    each: tuple[tuple[tuple[Fact, ...], tuple[Fact, ...], tuple[Fact, ...]], ...] = ()
    operator: Operator | None = field(default=None, compare=False, repr=False)
    binding: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def is_possible(self, state: Collection[Fact]) -> bool:
        """Return whether it can be carried out."""
        return all(one in state for one in self.needs) and not any(
            one in state for one in self.lacks
        )

    def after(self, state: State) -> State:
        """Return the state afterwards."""
        add, delete = {*self.add}, {*self.delete}
        for when, added, deleted in self.each:
            if all(one in state for one in when):
                add |= {*added}
                delete |= {*deleted}
        return frozenset((state - delete) | add)


def needed_by(actions: Iterable[Action]) -> Mapping[Fact, Sequence[int]]:
    """Return the numbers of the actions that need a fact."""
    found: dict[Fact, list[int]] = {}
    for number, action in enumerate(actions):
        for fact in {*action.needs}:
            found.setdefault(fact, []).append(number)
    return found


class Things:
    """All things with their tags, which never change.

    Args:
        tags: of every thing, by its name.
    """

    def __init__(self, tags: Mapping[str, Collection[str]]) -> None:
        self.by_tag: dict[str, tuple[str, ...]] = {}
        for name, of_one in tags.items():
            for tag in of_one:
                self.by_tag[tag] = (*self.by_tag.get(tag, ()), name)

    def of(self, tag: str) -> tuple[str, ...]:
        """Return the names of everything with a tag."""
        return self.by_tag.get(tag, ())


class Relations:
    """The facts of a state by relation, to find those that fit variables."""

    def __init__(self, state: Collection[Fact]) -> None:
        self.facts = state if isinstance(state, (set, frozenset)) else frozenset(state)
        self._by_relation: dict[str, list[Fact]] = {}
        for one in sorted(self.facts):
            self._by_relation.setdefault(one[0], []).append(one)

    def fitting(self, fact: Fact, binding: Binding) -> Iterator[Binding]:
        """Yield what unbound variables of a fact can stand for, so that it holds."""
        filled = tuple(binding.get(word, word) for word in fact)
        if not any(word[:1] == '?' for word in filled):
            if filled in self.facts:
                yield binding
            return
        for one in self._by_relation.get(fact[0], ()):
            found = _matched(filled, one, binding)
            if found is not None:
                yield found


def _matched(pattern: Fact, fact: Fact, binding: Binding) -> Binding | None:
    if len(pattern) != len(fact):
        return None
    found = binding
    for word, value in zip(pattern, fact, strict=True):
        if word[:1] == '?':
            if found.get(word, value) != value:
                return None
            found = {**found, word: value}
        elif word != value:
            return None
    return found


@dataclass
class Refusal:
    """Why an operator is not possible: the need that was reached last.

    Args:
        depth: how many needs held before it.
        reason: with words in place of variables.
    """

    depth: int = -1
    reason: str = ''


def filled(fact: Fact, binding: Mapping[str, str]) -> Fact:
    """Return a fact with its variables filled."""
    return tuple(binding.get(word, word) for word in fact)


def bindings(
    operator: Operator,
    arguments: Sequence[str],
    state: Relations,
    things: Things,
    refusal: Refusal,
) -> Iterator[Binding]:
    """Yield what the variables of an operator can stand for, so that it is possible.

    Args:
        operator: the operator.
        arguments: of its skill.
        state: in which it is to be possible.
        things: all things.
        refusal: takes the reason of the need that was reached last and does not hold.
    """
    start: Binding = {}
    for (name, tag), value in zip(operator.arguments.items(), arguments, strict=True):
        if value not in things.of(tag):
            return
        start[f'?{name}'] = value
    for name, tag in operator.hidden.items():
        if len(things.of(tag)) == 1:
            (start[f'?{name}'],) = things.of(tag)
    fits = {f'?{name}': frozenset(things.of(tag)) for name, tag in operator.hidden.items()}

    def search(i: int, binding: Binding) -> Iterator[Binding]:
        if i == len(operator.needs):
            yield binding
            return
        need = operator.needs[i]
        if need.holds:
            found = False
            for one in state.fitting(need.fact, binding):
                if all(value in fits.get(key, (value,)) for key, value in one.items()):
                    found = True
                    yield from search(i + 1, one)
        else:
            found = filled(need.fact, binding) not in state.facts
            if found:
                yield from search(i + 1, binding)
        if not found and i > refusal.depth:
            refusal.depth = i
            refusal.reason = need.reason.format(**{k[1:]: v for k, v in binding.items()})

    yield from search(0, start)


def ground(operator: Operator, binding: Mapping[str, str], things: Things) -> Action:
    """Return an operator with its variables filled."""
    named = {name: binding[f'?{name}'] for name in operator.arguments}
    each = tuple(
        (
            tuple(filled(fact, {**binding, EACH: name}) for fact in one.when),
            tuple(filled(fact, {**binding, EACH: name}) for fact in one.add),
            tuple(filled(fact, {**binding, EACH: name}) for fact in one.delete),
        )
        for one in operator.each
        for name in things.of(one.tag)
    )
    return Action(
        operator.skill,
        tuple(named.values()),
        tuple(filled(one.fact, binding) for one in operator.needs if one.holds),
        tuple(filled(one.fact, binding) for one in operator.needs if not one.holds),
        tuple(filled(one, binding) for one in operator.add),
        tuple(filled(one, binding) for one in operator.delete),
        each,
        operator,
        dict(binding),
    )


def attempt(
    operators: Sequence[Operator], arguments: Sequence[str], state: State, things: Things
) -> Action | str:
    """Return the action that a skill comes to in a state, or why it is refused.

    Args:
        operators: those of the skill.
        arguments: of the skill.
        state: everything that holds.
        things: all things.
    """
    relations, refusal = _relations(state), Refusal()
    for operator in operators:
        for binding in bindings(operator, arguments, relations, things, refusal):
            return ground(operator, binding, things)
    return refusal.reason


@lru_cache(maxsize=4)
def _relations(state: State) -> Relations:
    return Relations(state)


def groundings(
    operator: Operator, static: Relations, dynamic: Collection[str], things: Things
) -> Iterator[Action]:
    """Yield every action that an operator can come to in some state.

    Args:
        operator: the operator.
        static: the facts that never change.
        dynamic: the relations of those that do.
        things: all things.
    """
    tags = {f'?{name}': tag for name, tag in {**operator.arguments, **operator.hidden}.items()}
    fixed = [one for one in operator.needs if one.fact[0] not in dynamic]

    def search(i: int, binding: Binding) -> Iterator[Binding]:
        if i < len(fixed):
            need = fixed[i]
            if need.holds:
                for one in static.fitting(need.fact, binding):
                    yield from search(i + 1, one)
            elif any(word[:1] == '?' and word not in binding for word in need.fact):
                # its variables are still open: it is looked at when they are not
                for one in _filled_up(need.fact, binding):
                    yield from search(i, one)
            elif filled(need.fact, binding) not in static.facts:
                yield from search(i + 1, binding)
            return
        yield from _filled_up(tuple(tags), binding)

    def _filled_up(words: Fact, binding: Binding) -> Iterator[Binding]:
        left = [word for word in words if word[:1] == '?' and word not in binding]
        if not left:
            yield binding
            return
        for value in things.of(tags[left[0]]):
            yield from _filled_up(words, {**binding, left[0]: value})

    for binding in search(0, {}):
        if not all(binding[key] in things.of(tag) for key, tag in tags.items()):
            continue
        arguments = [binding[f'?{name}'] for name in operator.arguments]
        if len({*arguments}) < len(arguments):
            continue
        action = ground(operator, binding, things)
        changed = [one for one in action.needs if one[0] in dynamic]
        if not {*changed} & {*action.lacks}:
            yield action
