# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Does what was seen contradict an agent's "done"?

Small models end too early: they say done with the wrong thing in the hand. That shows in working
memory. A check objects only to what it can read in the goal and see contradicted; whatever it
cannot read passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from reactree_ros.behaviours.guidance import GoalCheck
from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation, class_pattern, named_classes
from reactree_ros.guidance.words import kinds_named, mask_classes

_VERBS = {
    'hold': r'pick(?:ing)? up|grab(?:bing)?|fetch(?:ing)?|tak(?:e|ing)|hold',
    'put': (
        r'put(?:ting)? down|put(?:ting)?|plac(?:e|ing)|mov(?:e|ing)|bring(?:ing)?'
        r'|set(?:ting)?(?! of)|return(?:ing)?|stor(?:e|ing)|leav(?:e|ing)'
    ),
    'turn on': r'(?:turn|switch) (?:(?:the |it\b)[\w ]*?)?on',
    'turn off': r'(?:turn|switch) (?:(?:the |it\b)[\w ]*?)?off',
    'open': r'open',
    'close': r'close(?! to| by)|shut',
    'slice': r'slice|cut',
    'find': r'(?<!\bi )find|locate|look for|go to',
}
_VERB = re.compile(
    '|'.join(rf'(?P<{kind.replace(" ", "_")}>\b(?:{words})\b)' for kind, words in _VERBS.items())
)
_PREPOSITION = re.compile(r'\b(?:on top of|onto|on|inside|into|in|to|at)\b')
_SUPPORT = re.compile(r'.*\b(?:on top of|onto|on|inside|into|in)\b(?! (?:it|them)\b)')
_PRONOUN = re.compile(r'\b(?:it|them|these|those|everything)\b')
_SWITCHING = re.compile(
    r'\b(?:turn|switch|start|run|heat|warm|cook|bake|boil|toast|wash|clean|light|watch|listen)'
)
_TOOL = re.compile(r'\b(?:with|using) (?:an?|the|one) $')
_NUMBERS = {'two': 2, 'three': 3, 'four': 4, 'five': 5, 'six': 6, 'both': 2}
_SMALL = 'and|or|the|an?|of|with|from|on|onto|in|into|inside|to|at|close|next'
_FURTHER = 'another|other|more|second|third|fourth|fifth|sixth|all|every|each|remaining'
_STATES = {
    'turn on': 'on',
    'turn off': 'off',
    'open': 'open',
    'close': 'closed',
    'slice': 'sliced',
}


@dataclass(frozen=True)
class _Clause:
    verb: str
    rest: str


def check_done(
    goal: str,
    situation: Situation,
    kinds: Mapping[str, frozenset[str]] = MappingProxyType({}),
) -> GoalCheck:
    """Return what speaks against a goal having been reached.

    >>> check_done('find and pick up the apple', Situation()).objection
    'you hold nothing'
    """
    clauses = _clauses(goal, situation.classes)
    sought = next((clause.rest for clause in clauses if clause.verb == 'find'), '')
    places_something = any(clause.verb == 'put' for clause in clauses)
    takes = any(clause.verb in ('put', 'hold') for clause in clauses)
    confirmed = False
    if not takes:
        clauses = [*_stated(goal, situation), *clauses]
    for clause in clauses:
        if clause.verb == 'hold' and not places_something:
            check = _holds(clause.rest, situation)
        elif clause.verb == 'put':
            before = _named_before(clause, goal, situation)
            check = _is_placed(clause.rest, sought, before, situation, kinds)
        elif clause.verb == 'find' and not takes:
            check = _was_seen(clause.rest, situation)
        elif clause.verb in _STATES:
            check = _has_state(clause.rest, _STATES[clause.verb], goal, situation)
        else:
            continue
        if check.objection:
            return check
        confirmed = confirmed or check.confirmed
    return GoalCheck(confirmed=confirmed)


def verbs_of(goal: str, classes: Iterable[str] = ()) -> frozenset[str]:
    """Return the kinds of action that a goal names, in words that are not part of a class.

    >>> sorted(verbs_of('find and pick up the bread slice', ['bread slice']))
    ['find', 'hold']
    """
    return frozenset(clause.verb for clause in _clauses(goal, classes))


def destination(goal: str, classes: Iterable[str] = ()) -> str:
    """Return the words of a goal that say where something should be put; empty if none do.

    >>> destination('take the milk from the fridge to the coffee table')
    'the coffee table'
    """
    clauses = _clauses(goal, classes)
    if not any(clause.verb in ('put', 'hold', 'find') for clause in clauses):
        return _split_support(goal.lower())[1].strip(' .')
    words = [_split_place(clause.rest)[2] for clause in clauses if clause.verb == 'put']
    return ' '.join(words).strip()


def asks_to_switch(goal: str, classes: Iterable[str] = ()) -> bool:
    """Return whether a goal may need something to be turned on or off.

    >>> asks_to_switch('put the apple in the fridge')
    False
    """
    text = mask_classes(goal.lower(), classes)
    return _SWITCHING.search(text) is not None or not verbs_of(text)


def number_asked(goal: str, name: str) -> int | None:
    """Return how many of a class or kind a goal asks for; None if it leaves the number open.

    >>> number_asked('put two plates and the mug on the table', 'plate')
    2
    >>> number_asked('fetch another plate', 'plate')
    """
    text = goal.lower()
    words = class_pattern(name)
    open_number = rf'\b(?:{_FURTHER})\s+(?:\w+\s+){{0,2}}{words}|\b{words}\s+\d'
    if re.search(open_number, text):
        return None
    number = _number(text, name)
    plural = number == 1 and re.search(rf'(?<!1 )(?<!one )\b{words}(?:s|es)\b', text)
    return None if plural else number


def counted(number: int, name: str) -> str:
    """Return a number of a class, in words that ``number_asked`` reads.

    >>> counted(2, 'wine glass')
    'two wine glasses'
    """
    word = next((word for word, value in _NUMBERS.items() if value == number), str(number))
    return f'{word} {name}{"es" if name.endswith(("s", "x", "ch", "sh")) else "s"}'


def _clauses(goal: str, classes: Iterable[str]) -> list[_Clause]:
    text = goal.lower()
    verbs = list(_VERB.finditer(mask_classes(text, classes)))
    ends = [*(verb.start() for verb in verbs[1:]), len(text)][: len(verbs)]
    clauses = []
    for verb, end in zip(verbs, ends, strict=True):
        kind = (verb.lastgroup or '').replace('_', ' ')
        rest = text[verb.end() : end]
        if kind in ('turn on', 'turn off'):
            # what is turned may stand inside: "turn the tv on"
            inside = text[verb.start() : verb.end()]
            rest = re.sub(r'\b(?:turn|switch|on|off)\b', ' ', inside) + rest
        elif verb.group() != 'hold' and kind == 'hold' and re.search(r'\b(?:to|into|onto)\b', rest):
            kind = 'put'  # "take the apple to the table" ends with empty hands
        clauses.append(_Clause(kind, rest))
    return clauses


def _holds(rest: str, situation: Situation) -> GoalCheck:
    held = situation.held
    if not held:
        return GoalCheck('you hold nothing')
    wanted = named_classes(_PREPOSITION.split(rest)[0], situation.classes)
    missing = [name for name in wanted if name not in {item.class_name for item in held}]
    if missing:
        return GoalCheck(f'you hold {held[0].name}, not {missing[0]}')
    return GoalCheck(confirmed=bool(wanted))


def _was_seen(rest: str, situation: Situation) -> GoalCheck:
    """Object to a search for a movable thing of which none was seen."""
    seen = {item.class_name for item in situation.objects.values()}
    wanted = named_classes(_PREPOSITION.split(rest)[0], situation.classes)
    missing = [name for name in wanted if name in situation.movable and name not in seen]
    return GoalCheck(f'you have not seen any {missing[0]}' if missing else '')


def _stated(goal: str, situation: Situation) -> list[_Clause]:
    """Read "I want a wine on the table" as a clause that puts it there."""
    what, where = _split_support(goal.lower())
    if not named_classes(where, situation.classes):
        return []
    return [_Clause('put', f'{_PREPOSITION.sub(" ", what)} on {where}')]


def _split_support(text: str) -> tuple[str, str]:
    """Split at the last preposition that says what something is on or in.

    Things behind a colon after the place count as before it: "I need in the fridge: an apple".
    """
    match = _SUPPORT.match(text)
    if not match:
        return text, ''
    where, _, things = text[match.end() :].partition(':')
    return f'{things} {match.group()}' if things else match.group(), where


def _named_before(clause: _Clause, goal: str, situation: Situation) -> str:
    """Return the words before a clause that says "them" of what it puts; else nothing.

    Of a clause that says "it", those of the last thing before, but no tool ("with the knife").
    """
    what, _, _ = _split_place(clause.rest)
    pronoun = _PRONOUN.search(what)
    if pronoun is None:
        return ''
    before, _, _ = goal.lower().partition(clause.rest)
    things = _things(before, situation)
    if pronoun.group() != 'it' or not things:
        return before
    direct = [name for name in things if not _TOOL.search(before[: before.rfind(name)])]
    return (direct or list(things))[-1]


def _things(text: str, situation: Situation) -> tuple[str, ...]:
    """Return the classes that a text names and that are not known to be places."""
    places = situation.places | {
        item.class_name
        for item in situation.objects.values()
        if 'furniture' in item.affordances and 'grabbable' not in item.affordances
    }
    named = named_classes(text, situation.classes)
    return tuple(name for name in named if name not in places)


def _is_placed(
    rest: str,
    sought: str,
    before: str,
    situation: Situation,
    kinds: Mapping[str, frozenset[str]],
) -> GoalCheck:
    what, _, where = _split_place(rest)
    what = before + re.split(r'\b(?:from|out of|off)\b', what)[0]
    where = where or sought
    wanted = _things(what, situation)
    meant = kinds_named(where, situation.classes, kinds)
    places = frozenset().union(*meant.values())
    if _holds_nothing(places, situation):  # "take the book to the lamp": it stays in the hand
        return GoalCheck()
    for item in situation.held:
        if item.class_name in wanted:
            return GoalCheck(f'you still hold {item.name}')
    if not places or not wanted:
        return GoalCheck()
    for class_name in wanted:
        known = [item for item in situation.objects.values() if item.class_name == class_name]
        count = sum(_lies_at(item, places, situation) for item in known)
        needed = _number(what, class_name)
        if count < needed:
            target = ' or '.join(sorted(meant))
            return GoalCheck(f'you have seen {count} of {needed} {class_name} at the {target}')
    return GoalCheck(confirmed=True)


def _split_place(rest: str) -> tuple[str, str, str]:
    match = _PREPOSITION.search(rest)
    if not match:
        return rest, '', ''
    return rest[: match.start()], match.group(), rest[match.end() :]


def _holds_nothing(places: frozenset[str], situation: Situation) -> bool:
    """Whether places were seen, and nothing can be put on or into any of them."""
    known = [item for item in situation.objects.values() if item.class_name in places]
    able = {'surfaces', 'containers', 'recipient'}
    return bool(known) and not any(item.affordances & able for item in known)


def _lies_at(item: ObservedObject, places: frozenset[str], situation: Situation) -> bool:
    """Whether something lies at one of some places, perhaps in a vessel that stands there."""
    return any(one.class_name in places for one in situation.bearers(item))


def _number(text: str, class_name: str) -> int:
    words = class_pattern(class_name)
    number = rf'\b(\d+|{"|".join(_NUMBERS)})\s+(?:(?!(?:{_SMALL})\b)\w+\s+(?:of\s+)?)?'
    match = re.search(rf'{number}{words}(?:s|es)?\b', text)
    if not match:
        return 1
    word = match.group(1)
    return int(word) if word.isdigit() else _NUMBERS[word]


def _has_state(rest: str, state: str, goal: str, situation: Situation) -> GoalCheck:
    what = re.split(r'\b(?:with|using)\b', _PREPOSITION.split(rest)[0])[0]
    named = _able(what, state, situation)
    if not named:  # "… and turn it on": the last thing that was named before
        named = _able(goal, state, situation)[-1:]
    known = [
        [item for item in situation.objects.values() if item.class_name == name] for name in named
    ]
    for items in known:
        if items and not any(state in item.states for item in items):
            return GoalCheck(f'no {items[0].class_name} that you have seen is {state}')
    return GoalCheck(confirmed=bool(known) and all(known))


def _able(text: str, state: str, situation: Situation) -> tuple[str, ...]:
    """Return the classes that a text names and that can be in a state.

    A place is not sliced, what was only seen without a door is not opened or closed, and what is
    carried about has no switch unless one was seen.
    """
    things = _things(text, situation)
    if state == 'sliced':
        return things
    named = named_classes(text, situation.classes)
    if state in ('open', 'closed'):
        doors = {item.class_name for item in situation.objects.values() if _has_door(item)}
        seen = {item.class_name for item in situation.objects.values()}
        return tuple(name for name in named if name in doors or name not in seen)
    carried = situation.movable | {
        item.class_name for item in situation.objects.values() if 'grabbable' in item.affordances
    }
    switched = {
        item.class_name for item in situation.objects.values() if 'has_switch' in item.affordances
    }
    return tuple(name for name in named if name in switched or name not in carried)


def _has_door(item: ObservedObject) -> bool:
    return 'can_open' in item.affordances or bool(item.states & {'open', 'closed'})
