# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Does what was seen contradict an agent's "done" or "failure"?

Small models end too early: they say done with the wrong thing in the hand, or give a room up
while its cabinets are closed. Both show in working memory. A check objects only to what it can
read in the goal and see contradicted; whatever it cannot read passes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation, mentions, named_classes

_VERBS = {
    'hold': r'pick(?:ing)? up|grab(?:bing)?|fetch(?:ing)?|tak(?:e|ing)',
    'put': (
        r'put(?:ting)? down|put(?:ting)?|plac(?:e|ing)|mov(?:e|ing)|bring(?:ing)?|set(?:ting)?'
        r'|return(?:ing)?|stor(?:e|ing)'
    ),
    'turn on': r'(?:turn|switch) (?:(?:the |it\b)[\w ]*?)?on',
    'turn off': r'(?:turn|switch) (?:(?:the |it\b)[\w ]*?)?off',
    'open': r'open',
    'close': r'close(?! to| by)|shut',
    'slice': r'slice|cut',
    'find': r'find|locate|look for|go to',
}
_VERB = re.compile(
    '|'.join(rf'(?P<{kind.replace(" ", "_")}>\b(?:{words})\b)' for kind, words in _VERBS.items())
)
_PREPOSITION = re.compile(r'\b(?:on top of|onto|on|inside|into|in|to|at)\b')
_SUPPORT = re.compile(r'.*\b(?:on top of|onto|on|inside|into|in)\b')
_PRONOUN = re.compile(r'\b(?:it|them|these|those|everything)\b')
_SWITCHING = re.compile(
    r'\b(?:turn|switch|start|run|heat|warm|cook|bake|boil|toast|wash|clean|light|watch|listen)'
)
_NUMBERS = {'two': 2, 'three': 3, 'four': 4, 'five': 5, 'six': 6, 'both': 2}
_STATES = {
    'turn on': 'on',
    'turn off': 'off',
    'open': 'open',
    'close': 'closed',
    'slice': 'sliced',
}


@dataclass(frozen=True)
class Check:
    """What a check found.

    Args:
        objection: what contradicts the ending; empty if nothing does.
        confirmed: all of the goal that could be read was seen to hold, and that is something.
    """

    objection: str = ''
    confirmed: bool = False


@dataclass(frozen=True)
class _Clause:
    verb: str
    rest: str


def check_done(goal: str, situation: Situation) -> Check:
    """Return what speaks against a goal having been reached.

    >>> check_done('find and pick up the apple', Situation()).objection
    'you hold nothing'
    """
    clauses = _clauses(goal)
    sought = next((clause.rest for clause in clauses if clause.verb == 'find'), '')
    places_something = any(clause.verb == 'put' for clause in clauses)
    confirmed = False
    if not any(clause.verb in ('put', 'hold') for clause in clauses):
        clauses = [*_stated(goal, situation), *clauses]
    for clause in clauses:
        if clause.verb == 'hold' and not places_something:
            check = _holds(clause.rest, situation)
        elif clause.verb == 'put':
            check = _is_placed(clause.rest, sought, _named_before(clause, goal), situation)
        elif clause.verb in _STATES:
            check = _has_state(clause.rest, _STATES[clause.verb], goal, situation)
        else:
            continue
        if check.objection:
            return check
        confirmed = confirmed or check.confirmed
    return Check(confirmed=confirmed)


def check_failure(goal: str, situation: Situation) -> Check:
    """Return what was left undone before a search was given up.

    A search of a room ("find … in kitchen 1") is over when the robot has looked into every place
    of that room that it has seen there.
    """
    if not any(clause.verb in ('find', 'hold') for clause in _clauses(goal)):
        return Check()
    rooms = {item.room for item in situation.objects.values()} | {situation.room}
    searched = next((room for room in sorted(rooms) if room and mentions(goal, room)), '')
    if not searched:
        return Check()
    left = unsearched(searched, situation)
    if left:
        return Check(f'you have not looked into {", ".join(left[:6])}')
    return Check(confirmed=True)


def unsearched(room: str, situation: Situation) -> tuple[str, ...]:
    """Return the places of a room that may hold something and were not looked into."""
    return tuple(
        name
        for name, item in situation.objects.items()
        if item.room == room
        and 'furniture' in item.affordances
        and item.affordances & {'surfaces', 'containers'}
        and name not in situation.looked_into
    )


def verbs_of(goal: str) -> frozenset[str]:
    """Return the kinds of action that a goal names: hold, put, turn on, open, find and so on.

    >>> sorted(verbs_of('find and pick up the apple'))
    ['find', 'hold']
    """
    return frozenset(clause.verb for clause in _clauses(goal))


def destination(goal: str) -> str:
    """Return the words of a goal that say where something should be put; empty if none do.

    >>> destination('take the milk from the fridge to the coffee table')
    'the coffee table'
    """
    if not verbs_of(goal) & {'put', 'hold', 'find'}:
        return _split_support(goal.lower())[1].strip(' .')
    words = [_split_place(clause.rest)[2] for clause in _clauses(goal) if clause.verb == 'put']
    return ' '.join(words).strip()


def asks_to_switch(goal: str) -> bool:
    """Return whether a goal may need something to be turned on or off.

    >>> asks_to_switch('put the apple in the fridge')
    False
    """
    return _SWITCHING.search(goal.lower()) is not None or not verbs_of(goal)


def _clauses(goal: str) -> list[_Clause]:
    text = goal.lower()
    verbs = list(_VERB.finditer(text))
    ends = [*(verb.start() for verb in verbs[1:]), len(text)][: len(verbs)]
    clauses = []
    for verb, end in zip(verbs, ends, strict=True):
        kind = (verb.lastgroup or '').replace('_', ' ')
        rest = text[verb.end() : end]
        if kind in ('turn on', 'turn off'):
            # what is turned may stand inside: "turn the tv on"
            rest = re.sub(r'\b(?:turn|switch|on|off)\b', ' ', verb.group()) + rest
        elif kind == 'hold' and re.search(r'\b(?:to|into|onto)\b', rest):
            kind = 'put'  # "take the apple to the table" ends with empty hands
        clauses.append(_Clause(kind, rest))
    return clauses


def _holds(rest: str, situation: Situation) -> Check:
    held = situation.held
    if not held:
        return Check('you hold nothing')
    wanted = named_classes(_PREPOSITION.split(rest)[0], situation.classes)
    missing = [name for name in wanted if name not in {item.class_name for item in held}]
    if missing:
        return Check(f'you hold {held[0].name}, not {missing[0]}')
    return Check(confirmed=bool(wanted))


def _stated(goal: str, situation: Situation) -> list[_Clause]:
    """Read "I want a wine on the table" as a clause that puts it there."""
    what, where = _split_support(goal.lower())
    if not named_classes(where, situation.classes):
        return []
    return [_Clause('put', f'{_PREPOSITION.sub(" ", what)} on {where}')]


def _split_support(text: str) -> tuple[str, str]:
    """Split at the last preposition that says what something is on or in."""
    match = _SUPPORT.match(text)
    return (match.group(), text[match.end() :]) if match else (text, '')


def _named_before(clause: _Clause, goal: str) -> str:
    """Return the words before a clause that says "them" of what it puts; else nothing."""
    what, _, _ = _split_place(clause.rest)
    if not _PRONOUN.search(what):
        return ''
    before, found, _ = goal.lower().partition(clause.rest)
    return before if found else ''


def _is_placed(rest: str, sought: str, before: str, situation: Situation) -> Check:
    what, _, where = _split_place(rest)
    what = before + re.split(r'\b(?:from|out of|off)\b', what)[0]
    where = where or sought
    wanted = named_classes(what, situation.classes)
    for item in situation.held:
        if item.class_name in wanted:
            return Check(f'you still hold {item.name}')
    places = set(named_classes(where, situation.classes))
    if not places or not wanted:
        return Check()
    for class_name in wanted:
        known = [item for item in situation.objects.values() if item.class_name == class_name]
        count = sum(_lies_at(item, places, situation) for item in known)
        needed = _number(what, class_name)
        if count < needed:
            target = ' or '.join(sorted(places))
            return Check(f'you have seen {count} of {needed} {class_name} at the {target}')
    return Check(confirmed=True)


def _split_place(rest: str) -> tuple[str, str, str]:
    match = _PREPOSITION.search(rest)
    if not match:
        return rest, '', ''
    return rest[: match.start()], match.group(), rest[match.end() :]


def _lies_at(item: ObservedObject, places: set[str], situation: Situation) -> bool:
    receptacle = situation.objects.get(item.receptacle)
    if receptacle is None:
        return False
    return receptacle.class_name in places


def _number(text: str, class_name: str) -> int:
    words = r'\s?'.join(re.escape(word) for word in class_name.split())
    match = re.search(rf'\b(\d+|{"|".join(_NUMBERS)})\s+{words}(?:s|es)\b', text)
    if not match:
        return 1
    word = match.group(1)
    return int(word) if word.isdigit() else _NUMBERS[word]


def _has_state(rest: str, state: str, goal: str, situation: Situation) -> Check:
    named = named_classes(_PREPOSITION.split(rest)[0], situation.classes)
    if not named:  # "… and turn it on": the last thing that was named before
        named = named_classes(goal, situation.classes)[-1:]
    known = [
        [item for item in situation.objects.values() if item.class_name == name] for name in named
    ]
    for items in known:
        if items and not any(state in item.states for item in items):
            return Check(f'no {items[0].class_name} that you have seen is {state}')
    return Check(confirmed=bool(known) and all(known))
