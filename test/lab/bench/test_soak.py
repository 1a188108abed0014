# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What counts as left over after many goals."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.bench.soak import SETTLED, Held, Sample, children_of, compare, faults_of

HELD = Held(100.0, 1800.0, threads=24, files=23, processes=1, entities=39)


def soak_of(count: int, last: Held = HELD) -> list[Sample]:
    samples = [Sample(n, 'tidy up', '', 'failed', 1.0, HELD) for n in range(1, count + 1)]
    return [*samples[:-1], replace(samples[-1], held=last, fault='cancel')]


def test_what_stays_as_it_was_is_no_leak() -> None:
    assert faults_of(soak_of(60)) == []
    assert faults_of(soak_of(60, replace(HELD, planner_mib=109.0, threads=27))) == []
    assert compare(soak_of(60))[0] == ('planner_mib', 100.0, 100.0)


@pytest.mark.parametrize(
    ('name', 'value'),
    [('planner_mib', 111.0), ('model_mib', 2000.0), ('threads', 29), ('files', 24),
     ('processes', 2), ('entities', 40)],
)  # fmt: skip
def test_what_grows_is_named(name: str, value: float) -> None:
    (fault,) = faults_of(soak_of(60, replace(HELD, **{name: value})))
    assert fault.startswith(f'{name}: ')
    assert fault.endswith(f'{value:g} at the end')


def test_a_short_soak_tells_nothing() -> None:
    with pytest.raises(ConfigurationError, match=f'more than {SETTLED} goals'):
        compare(soak_of(SETTLED))


def test_children_are_found_by_the_kernel() -> None:
    with subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE) as child:
        assert child.pid in children_of(os.getpid())
        child.kill()
    assert child.pid not in children_of(os.getpid())
