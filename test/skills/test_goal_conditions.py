# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Conditions are read as they are written, and hold by what was seen, in the order asked for."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reactree_ros.core.names import parse_name
from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.situation import Situation
from reactree_ros.paths import share
from reactree_ros.skills.goal_conditions import (
    Condition,
    ConditionError,
    ConditionTracker,
    ConditionWords,
    condition_gbnf,
    condition_lark,
    conditions_text,
    language,
    parse_conditions,
)
from reactree_ros.skills.goal_conditions.language import Clause, Noun, Subject
from reactree_ros.skills.predicates import Predicate
from reactree_ros.skills.reader import read_library

LIBRARY = read_library(share('behaviors', 'household.yaml'))
ROOMS = ('kitchen 1', 'bedroom 1', 'bedroom 2')
WORDS = ConditionWords.of(LIBRARY, Situation(rooms=ROOMS))


@pytest.mark.parametrize(
    ('line', 'canonical'),
    [
        ('None', 'none'),
        ('1 Apple  inside fridge', 'apple inside fridge'),
        ('then apple held; then hands empty', 'apple held; then hands empty'),
        ('sliced hot potato on plate 1', 'hot sliced potato on plate 1'),
        ('no mug with apple in kitchen on table', ''),
        ('all switched on lamp in bedroom 1 switched off', ''),
        ('exactly 3 thing in kitchen; at most 1 plate dirty', ''),
        ('not robot in bedroom; robot at sofa or hands empty', ''),
        ('tell whether 2 milk inside fridge; tell where keys; tell how many mug', ''),
        ('plate held at floor lamp; then floor lamp switched on; tv switched on', ''),
    ],
)
def test_a_line_is_read(line: str, canonical: str) -> None:
    assert conditions_text(parse_conditions(line, WORDS)) == (canonical or line)


@pytest.mark.parametrize(
    ('line', 'fault'),
    [
        ('', 'a condition is empty'),
        ('apple held;', 'a condition is empty'),
        ('the aple held', '"the aple held" cannot be read from "the aple held" on'),
        ('apple on fridge', '"apple on fridge" cannot be read from "fridge" on'),
        ('apple inside', '"apple inside" is not complete'),
        ('21 apple held', 'cannot be read from'),
        ('sliced mug held', 'cannot be read from "mug held" on'),
        ('not apple held', 'cannot be read from'),
        ('apple in garden', 'cannot be read from "garden" on'),
        ('apple in kitchen 7', 'cannot be read'),
        ('; '.join(['apple held'] * 25), 'a goal may have 24 conditions, not 25'),
        (' or '.join(['apple held'] * 9), 'a condition may have 8 parts joined by "or"'),
    ],
)
def test_what_cannot_be_read_is_named(line: str, fault: str) -> None:
    with pytest.raises(ConditionError) as raised:
        parse_conditions(line, WORDS)
    assert fault in str(raised.value)


def nouns(classes: frozenset[str]) -> st.SearchStrategy[Noun]:
    kinds = [Noun(name, 0, meant) for name, meant in WORDS.kinds_of(classes)]
    taken = {name for name, _ in WORDS.kinds}
    plain = [Noun(name, 0, frozenset({name})) for name in sorted(classes - taken)]
    one = st.builds(
        lambda name, number: Noun(name, number, frozenset({name})),
        st.sampled_from(sorted(classes)),
        st.integers(1, 999),
    )
    return st.one_of(st.sampled_from(plain), one, *([st.sampled_from(kinds)] if kinds else []))


def rooms() -> st.SearchStrategy[Noun]:
    names = {(one, 0) for one in WORDS.room_classes} | {parse_name(one) for one in ROOMS}
    found = [Noun(*one, frozenset({one[0]})) for one in sorted(filter(None, names))]
    return st.sampled_from(found)


@st.composite
def subjects(
    draw: st.DrawFn, classes: frozenset[str], in_room: bool = True, loaded: bool = True
) -> Subject:
    states = []
    for state in draw(st.permutations(WORDS.states))[: draw(st.integers(0, 2))]:
        fitting = classes & WORDS.fitting(state.arguments[0])
        if fitting:
            classes = fitting
            states.append(state)
    load = room = None
    if loaded and draw(st.booleans()):
        load = draw(subjects(WORDS.movable, in_room=False, loaded=False))
    if in_room and draw(st.booleans()):
        room = draw(rooms())
    ordered = tuple(one for one in WORDS.states if one in states)
    return Subject(draw(nouns(classes)), ordered, load, room)


@st.composite
def clauses(draw: st.DrawFn, quantities: bool = True, robot: bool = True) -> Clause:
    predicate: Predicate = draw(st.sampled_from(WORDS.predicates))
    of_robot = predicate.holds.is_of_robot
    if of_robot and not robot:
        return draw(clauses(quantities, robot))
    first = 0 if of_robot else 1
    others = tuple(
        draw(rooms() if predicate.holds.others == ('room',) else nouns(WORDS.fitting(one)))
        for one in predicate.arguments[first:]
    )
    if of_robot:
        return Clause(predicate, None, others, draw(st.sampled_from(['', language.NO])))
    classes = WORDS.fitting(predicate.arguments[0])
    subject = draw(subjects(classes, in_room=not predicate.holds.room))
    if not quantities:
        return Clause(predicate, subject, others)
    words = ['', language.ALL, language.NO, language.EXACTLY, language.AT_MOST]
    quantity = draw(st.sampled_from(words))
    counted = quantity not in (language.ALL, language.NO)
    count = draw(st.integers(1, language.MAX_COUNT)) if counted else 1
    return Clause(predicate, subject, others, quantity, count)


@st.composite
def goals(draw: st.DrawFn) -> tuple[Condition, ...]:
    found = []
    stage = 0
    questions = ['', '', language.WHETHER, language.WHERE, language.HOW_MANY]
    for _ in range(draw(st.integers(0, 4))):
        stage += draw(st.integers(0, 1)) if found else 0
        question = draw(st.sampled_from(questions))
        if question == language.WHERE:
            said = [Clause(None, draw(subjects(WORDS.classes)))]
        elif question:
            whether = question == language.WHETHER
            said = [draw(clauses(whether, whether))]
        else:
            said = draw(st.lists(clauses(), min_size=1, max_size=3))
        found.append(Condition(tuple(said), question, stage))
    return tuple(found)


@given(goals())
@settings(max_examples=100, deadline=None)
def test_what_is_written_is_read_as_it_was_meant(conditions: tuple[Condition, ...]) -> None:
    assert parse_conditions(conditions_text(conditions), WORDS) == conditions


WORDS_OF_IT = 'none;then;or;not;with;in;all;no;exactly;at most;tell where;tell how many;2;;'


@given(
    st.text()
    | st.lists(st.sampled_from([*WORDS_OF_IT.split(';'), 'apple', 'mug', 'hot', 'open', 'on', ';']))
    .map(' '.join)
    .map(lambda text: text * 40)
)
@settings(max_examples=50, deadline=None)
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        conditions = parse_conditions(text, WORDS)
    except ConditionError:
        return
    assert parse_conditions(conditions_text(conditions), WORDS) == conditions


# The grammar.


@cache
def grammars(words: ConditionWords) -> list[str]:
    llguidance = pytest.importorskip('llguidance')
    gbnf = f'root ::= condition-line "\\n"\n{condition_gbnf(words)}'
    sources = [
        f'start: CONDITION_LINE "\\n"\n{condition_lark(words)}',
        pytest.importorskip('llguidance.gbnf_to_lark').any_to_lark(gbnf),
    ]
    for one in sources:
        assert not llguidance.LLMatcher(llguidance.LLTokenizer('byte'), one).is_error()
    return sources


@given(goals())
@settings(max_examples=50, deadline=None)
def test_whatever_can_be_said_is_in_the_grammar(conditions: tuple[Condition, ...]) -> None:
    llguidance = pytest.importorskip('llguidance')
    tokens = llguidance.LLTokenizer('byte')
    line = conditions_text(conditions)
    for grammar in grammars(WORDS):
        matcher = llguidance.LLMatcher(tokens, grammar)
        written = tokens.tokenize_bytes(f'{line}\n'.encode())
        assert matcher.try_consume_tokens(written) == len(written), line
        assert matcher.is_accepting()


@pytest.mark.parametrize(
    ('joint', 'most'), [('; ', language.MAX_CONDITIONS), (' or ', language.MAX_CLAUSES)]
)
def test_a_line_comes_to_an_end(joint: str, most: int) -> None:
    llguidance = pytest.importorskip('llguidance')
    tokens = llguidance.LLTokenizer('byte')
    longest = tokens.tokenize_bytes(joint.join(['apple held'] * most).encode())
    for grammar in grammars(WORDS):
        matcher = llguidance.LLMatcher(tokens, grammar)
        assert matcher.try_consume_tokens(longest) == len(longest)
        assert matcher.validate_tokens(tokens.tokenize_bytes(b'\n')) == 1
        assert matcher.validate_tokens(tokens.tokenize_bytes(joint.encode())) < len(joint)


@pytest.mark.parametrize('form', [0, 1])
def test_what_the_grammar_allows_is_read(form: int) -> None:
    llguidance = pytest.importorskip('llguidance')
    tokens = llguidance.LLTokenizer('byte')
    grammar = grammars(WORDS)[form]
    for seed in range(60):
        draw = random.Random(seed)
        matcher = llguidance.LLMatcher(tokens, grammar)
        line = ''
        while not matcher.is_accepting():
            mask = np.frombuffer(matcher.compute_bitmask(), dtype=np.uint32)
            allowed = [i for i in range(128) if mask[i // 32] >> i % 32 & 1]
            byte = 10 if 10 in allowed and draw.random() < 0.4 else draw.choice(allowed)
            assert matcher.consume_token(byte)
            line += chr(byte)
        assert conditions_text(parse_conditions(line, WORDS)) == line.strip()


@pytest.mark.parametrize('without', ['rooms', 'movable', 'places', 'predicates'])
def test_what_a_robot_has_no_words_for_is_not_in_the_grammar(without: str) -> None:
    assert len(grammars(replace(WORDS, **{without: type(getattr(WORDS, without))()}))) == 2


# What holds.

MOVABLE = {'affordances': frozenset({'grabbable'})}
SURFACE = frozenset({'furniture', 'surfaces'})
FRIDGE = ObservedObject(
    'fridge',
    1,
    'kitchen 1',
    states=frozenset({'closed'}),
    affordances=frozenset({'furniture', 'containers', 'can_open'}),
)
TABLE = ObservedObject('kitchen table', 1, 'kitchen 1', affordances=SURFACE)
BED = ObservedObject('bed', 1, 'bedroom 1', affordances=SURFACE)
TV = ObservedObject(
    'tv', 1, 'bedroom 1', states=frozenset({'off'}), affordances=frozenset({'furniture'})
)


def mug(number: int, where: str = 'kitchen table 1', relation: str = 'on') -> ObservedObject:
    affordances = frozenset({'grabbable'})
    return ObservedObject('mug', number, 'kitchen 1', where, relation, affordances=affordances)


def seen(*objects: ObservedObject, looked: str = '', rooms: tuple[str, ...] = ()) -> Situation:
    return Situation(
        room='kitchen 1',
        objects={item.name: item for item in objects},
        looked_into=frozenset(looked.split(', ')) if looked else frozenset(),
        movable=LIBRARY.objects,
        places=LIBRARY.places,
        rooms=rooms or ('kitchen 1', 'bedroom 1'),
    )


def tracker(line: str, complete: bool = False) -> ConditionTracker:
    return ConditionTracker(parse_conditions(line, WORDS), LIBRARY, complete)


BOTH = 'kitchen table 1, bed 1'


@pytest.mark.parametrize(
    ('line', 'situation', 'detail'),
    [
        ('mug on table', seen(TABLE, mug(1)), ''),
        ('mug on table', seen(TABLE), 'not seen'),
        ('2 mug on table', seen(TABLE, mug(1), mug(2, '', '')), '1 of 2'),
        ('mug 2 on table', seen(TABLE, mug(1)), 'not seen'),
        ('no mug on table', seen(TABLE), 'kitchen table 1 not looked into'),
        ('no mug on table', seen(TABLE, looked='kitchen table 1'), ''),
        ('no mug on table', seen(TABLE, mug(1), looked='kitchen table 1'), 'mug 1'),
        ('no mug on table', seen(BED), ''),
        ('no mug on table', seen(), 'bedroom 1 not entered'),
        ('at most 1 mug on table', seen(TABLE, mug(1), looked='kitchen table 1'), ''),
        ('exactly 2 mug on table', seen(TABLE, mug(1), looked='kitchen table 1'), '1 of exactly 2'),
        (
            'all mug on table',
            seen(TABLE, mug(1), looked='kitchen table 1'),
            'bedroom 1 not entered',
        ),
        ('all mug in kitchen on table', seen(TABLE, mug(1), looked='kitchen table 1'), ''),
        ('all mug on table', seen(TABLE, BED, mug(1), looked=BOTH), ''),
        ('all mug held', seen(TABLE, BED, mug(1), looked=BOTH), 'not so: mug 1'),
        ('all tv switched off', seen(TABLE, TV), ''),
        ('all tv switched off', seen(TABLE), 'bedroom 1 not entered'),
        ('mug in kitchen', seen(TABLE, mug(1)), ''),
        ('mug in bedroom', seen(TABLE, mug(1)), '0 of 1'),
        ('robot in kitchen', seen(), ''),
        ('not robot in kitchen', seen(), 'not so'),
        ('robot at table', replace(seen(TABLE), place='kitchen table 1'), ''),
        ('hands empty', seen(replace(mug(1, '', ''), held=True)), 'not so'),
        ('no mug held', seen(mug(1)), ''),
        ('mug held or tv switched on', seen(mug(1), TV), '0 of 1'),
        ('mug held or tv switched off', seen(mug(1), TV), ''),
        ('fridge closed', seen(FRIDGE), ''),
    ],
)
def test_what_was_seen_decides(line: str, situation: Situation, detail: str) -> None:
    (state,) = tracker(line).states(situation)
    assert (state.met, state.detail) == (not detail, detail)
    assert state.text == line


def test_a_thing_in_a_vessel_in_a_fridge_is_in_the_fridge() -> None:
    bowl = ObservedObject('bowl', 1, 'kitchen 1', 'fridge 1', 'inside', **MOVABLE)
    apple = ObservedObject('apple', 1, 'kitchen 1', 'bowl 1', 'inside', **MOVABLE)
    situation = seen(FRIDGE, bowl, apple)
    line = 'apple inside fridge; bowl with apple inside fridge; apple inside bowl; apple on bed'
    assert [one.met for one in tracker(line).states(situation)] == [True, True, True, False]


def test_a_world_that_knows_everything_is_not_searched() -> None:
    line = 'no mug on table; all mug inside fridge; exactly 1 tv switched off'
    states = tracker(line, complete=True).states(seen(TV))
    assert all(one.met for one in states)


@pytest.mark.parametrize(
    ('line', 'situation', 'detail'),
    [
        ('tell whether mug on table', seen(TABLE, mug(1)), ''),
        ('tell whether mug on table', seen(TABLE), 'kitchen table 1 not looked into'),
        ('tell whether mug on table', seen(TABLE, looked='kitchen table 1'), ''),
        ('tell whether tv switched on', seen(TV), ''),
        ('tell whether tv switched on', seen(TABLE), 'bedroom 1 not entered'),
        ('tell where mug', seen(mug(1)), ''),
        ('tell where mug', seen(TABLE, BED, looked=BOTH), ''),
        ('tell where mug', seen(TABLE), 'bedroom 1 not entered'),
        ('tell how many mug', seen(TABLE, BED, mug(1)), 'kitchen table 1 not looked into'),
        ('tell how many mug on table', seen(TABLE, mug(1), looked='kitchen table 1'), ''),
        ('tell how many tv', seen(TABLE, TV), ''),
    ],
)
def test_an_answer_counts_when_enough_is_known(
    line: str, situation: Situation, detail: str
) -> None:
    (unanswered,) = tracker(line).states(situation)
    assert (unanswered.met, unanswered.detail) == (False, 'no answer yet')
    (state,) = tracker(line).states(situation, 'yes')
    assert (state.met, state.detail) == (not detail, detail)


def met(line: str, *situations: Situation) -> list[bool]:
    """Return what holds after a course of events."""
    following = tracker(line)
    for one in situations:
        following.update(one)
    return [one.met for one in following.states(situations[-1])]


OPEN = replace(FRIDGE, states=frozenset({'open'}))
ON = replace(TV, states=frozenset({'on'}))
IN = mug(1, 'fridge 1', 'inside')
ALL_DONE = seen(FRIDGE, IN, ON)


def test_order_is_kept() -> None:
    line = 'mug inside fridge; then tv switched on'
    assert '; '.join(one.text for one in tracker(line).states(ALL_DONE)) == line
    assert met(line, seen(FRIDGE, mug(1), TV), seen(FRIDGE, IN, TV), ALL_DONE) == [True, True]
    assert met(line, seen(FRIDGE, mug(1), TV), seen(FRIDGE, mug(1), ON), ALL_DONE) == [True, False]
    # off and on again makes it good
    done = ALL_DONE, seen(FRIDGE, IN, TV), replace(ALL_DONE, place='x')
    course = (seen(FRIDGE, mug(1), TV), seen(FRIDGE, mug(1), ON), *done)
    assert met(line, *course) == [True, True]
    # what was so before was not done too early, nor what is only seen later
    assert met(line, seen(FRIDGE, mug(1), ON), ALL_DONE) == [True, True]
    assert met(line, seen(FRIDGE, mug(1)), seen(FRIDGE, mug(1), ON), ALL_DONE) == [True, True]


def test_what_came_first_must_last_unless_the_same_thing_comes_later() -> None:
    start = seen(FRIDGE, TABLE, mug(1), TV)
    held = seen(FRIDGE, TABLE, replace(mug(1, '', ''), held=True), TV)
    after = seen(FRIDGE, TABLE, mug(1), ON)
    assert met('mug held; then tv switched on', start, held, after) == [False, True]
    assert met('mug held; then mug on table', start, held, after) == [True, True]
    again = replace(start, place='x')
    assert met('tv switched on; then tv switched off', start, after, again) == [True, True]
    course = start, seen(OPEN, IN, TV), seen(FRIDGE, IN, TV)
    assert met('mug inside fridge; then fridge closed', *course) == [True, True]
    moved = replace(start, room='bedroom 1'), start
    assert met('robot in bedroom; then mug on table', start, *moved) == [True, True]


def test_the_things_that_are_as_wanted_are_counted() -> None:
    situation = seen(TABLE, mug(1), mug(2, '', ''), looked='kitchen table 1')
    line = '3 mug on table; all mug in kitchen on table; no tv switched on; tell where keys'
    assert tracker(line, complete=True).counts(situation) == (3, 6)
