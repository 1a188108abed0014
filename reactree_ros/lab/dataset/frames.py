# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Ways of saying a goal that no task set has: sentences with gaps, apart from the generator's.

``{items}`` are the things with their numbers, ``{them}`` it or them, ``{they}`` it or they,
``{are}`` is or are, ``{s}`` the ending of a verb with them; ``{at}`` is where they are to be,
``{to}`` the same as where they go, ``{place}`` its name alone. ``{thing}`` is one thing, ``{lamp}``
the lamp, ``{vessel}`` what the thing lies in, ``{in}`` how it lies there, ``{same}`` the vessel
named again. ``{do}`` is what is done to the thing, ``{done}`` how it is then.
"""

from __future__ import annotations

POLITE = (
    'would you be so kind as to put {items} {to}?',
    'if you have a moment, please move {items} {to}.',
    'might I ask you to take {items} and leave {them} {at}?',
    'kindly see that {items} end{s} up {at}.',
    'I would be grateful if {items} could be put {to}.',
    'it would help me a lot to have {items} {at}.',
)
"""Things brought to a place, asked for politely."""

TERSE = (
    '{items} {to}.',
    '{items} {to}, now.',
    '{items}: {at}.',
    '{place}: {items}.',
    'need {items} {at}.',
    'wanted {at}: {items}.',
    'task: {items} {to}.',
)
"""The same in telegram style."""

TURNED = (
    '{at} is where I want {items}.',
    '{at}, that is where {items} should be.',
    'what belongs {at} is this: {items}.',
    '{to} with {items}, please.',
    '{at} I expect to find {items} later.',
)
"""The same with the place before the things."""

CLAUSES = (
    'when you have found {items}, put {them} {to}.',
    'before you do anything else, put {items} {to}.',
    'wherever {items} may be, find {them} and put {them} {to}.',
    'since I shall need {them} soon, leave {items} {at}.',
    'I forgot to put {items} {to}, so do it for me, would you?',
    'carry {items} to where {they} belong{s}, {at}.',
    'I do not care where {items} {are} now, but put {them} {to}.',
)
"""The same in sentences with clauses."""

PLACED = (*POLITE, *TERSE, *TURNED, *CLAUSES)
"""Things brought to a place."""

SWITCHED = (
    ', and finally turn it on',
    ', after which you turn on {it}',
    ', and when all is in there, switch on {it}',
    ' and then have {it} turned on',
)
"""A place switched on, at the end of a sentence about things put there."""

SWITCHABLE = (*POLITE[:3], TERSE[0], TERSE[-1], *CLAUSES[:4], CLAUSES[-1])
"""Sentences that such an ending may follow."""

LIT = (
    'switch on {lamp} and hold {thing} beside it.',
    'with {lamp} turned on, hold {thing} up to it.',
    'I would like to look at {thing}, so hold it in the light of {lamp}.',
    'fetch {thing} and show it to me in the light of {lamp}.',
    '{thing}: hold in the light of {lamp}.',
)
"""A thing held at a lamp that is on."""

LOADED = (
    'there should be {vessel} {at}, with {thing} {in} it.',
    'first put {thing} {in} {vessel}, after that carry the {same} to its place {at}.',
    '{thing} goes {in} {vessel}, and the {same} goes {to}.',
    'wanted {at}: {vessel} with {thing} {in} it.',
    'after you have put {thing} {in} {vessel}, leave the {same} {at}.',
)
"""A thing in a vessel brought to a place."""

TREATED = (
    'I need {thing}, {done}, {at}.',
    '{do} {thing}; after that, {to} with it.',
    'once you have {done} {thing}, put it {to}.',
    'before you put {thing} {to}, {do} it.',
    'would you be so kind as to {do} {thing} and put it {to}?',
    '{at} I would like to find {thing}, {done}.',
    '{do} {thing}, then leave it {at}.',
    'wanted {at}: {thing}, {done}.',
)
"""One thing in a state brought to a place."""

DOING = {
    'sliced': ('slice', 'sliced'),
    'clean': ('wash', 'washed'),
    'hot': ('heat', 'heated'),
    'cooked': ('cook', 'cooked'),
    'cold': ('cool', 'cooled'),
}
"""What is done for a state, and how it is then."""
