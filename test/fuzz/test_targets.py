# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Every target keeps its contract with its seeds, with some changes to them, and with anything.

Few inputs, always the same ones: ``make fuzz`` tries as many as there is time for.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from .contract import Broken, Hang, Target, demand, hold
from .targets import NAMES, target

_EXAMPLES = {'decision': 300, 'skills': 40, 'scene': 100, 'pddl': 16, 'memory': 60, 'runs': 40}
_ANYTHING = 40
_fixed = settings(
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[*HealthCheck],
)
_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)
_MARKS = {'decision': b'LJC', 'memory': b'JTjtE', 'socket': b'BH'}
_WITHOUT_MARK = ('skills', 'scene', 'pddl', 'runs')


@pytest.mark.parametrize('name', NAMES)
def test_what_is_right_is_accepted(name: str) -> None:
    one = target(name)
    accepted = [hold(one, data) for data in one.seeds()]
    # orders that the viewer's desk has nothing to do with, and requests without a socket
    assert sum(accepted) >= len(accepted) - (8 if name == 'socket' else 0)


@pytest.mark.parametrize('name', NAMES)
def test_what_is_nearly_right_is_accepted_or_refused(name: str) -> None:
    one = target(name)
    seeds = one.seeds()
    answers = set()

    @settings(_fixed, max_examples=_EXAMPLES.get(name, 60))
    @given(st.sampled_from(seeds), st.randoms(use_true_random=False))
    def tried(seed: bytes, random: Random) -> None:
        data = one.mutate(random, seed, seeds)
        note(f'{name}: {data!r}')
        answers.add(hold(one, data))

    tried()
    assert answers == {True, False}


@pytest.mark.parametrize('name', NAMES)
def test_anything_at_all_is_refused_or_accepted(name: str) -> None:
    one = target(name)
    one.seeds()

    @settings(_fixed, max_examples=_ANYTHING)
    @given(st.binary(max_size=80) | _json.map(lambda value: json.dumps(value).encode()))
    def tried(data: bytes) -> None:
        for mark in _MARKS.get(name, b''):
            hold(one, bytes([mark]) + data)
        if name in _WITHOUT_MARK:
            hold(one, data)

    tried()


def _endless(data: bytes) -> bool:
    while True:
        try:
            data += b''
        except Exception:  # what swallows everything does not swallow the end of the time
            pass


def _large(data: bytes) -> bool:
    return bool(bytearray(b'x') * 2**29)


def _wrong(data: bytes) -> bool:
    demand(data == b'', 'it is not empty')
    return True


@pytest.mark.parametrize(
    ('check', 'broken', 'limit_s'),
    [(_endless, Hang, 0.2), (_large, Broken, 20.0), (_wrong, Broken, 20.0)],
)
def test_a_contract_that_is_broken_is_noticed(
    check: Callable[[bytes], bool], broken: type[BaseException], limit_s: float
) -> None:
    if check is _large:
        _large(b'')  # what was in use once does not hide what is now
    one = Target('x', list, lambda random, data, seeds: data, check, limit_s=limit_s)
    with pytest.raises(broken):
        hold(one, b'x')
