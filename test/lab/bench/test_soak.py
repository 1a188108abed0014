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
from reactree_ros.lab.bench.soak import (
    SPAN,
    WARM_UP,
    ResourceUsage,
    Sample,
    children_of,
    compare,
    leaks_of,
)

USAGE = ResourceUsage(100.0, 1800.0, threads=24, files=23, processes=1, entities=39)


def soak_of(count: int, last: ResourceUsage = USAGE) -> list[Sample]:
    samples = [Sample(n, 'tidy up', '', 'failed', 1.0, USAGE) for n in range(1, count + 1)]
    return [*samples[:-6], *(replace(one, usage=last, fault='cancel') for one in samples[-6:])]


def test_what_stays_as_it_was_is_no_leak() -> None:
    assert leaks_of(soak_of(60)) == []
    assert leaks_of(soak_of(60, replace(USAGE, planner_mib=109.0, threads=27))) == []
    assert compare(soak_of(60))[0] == ('planner_mib', 100.0, 100.0)


@pytest.mark.parametrize(
    ('name', 'value'),
    [('planner_mib', 111.0), ('model_mib', 2000.0), ('threads', 29), ('files', 24),
     ('processes', 2), ('entities', 40)],
)  # fmt: skip
def test_what_grows_is_named(name: str, value: float) -> None:
    (fault,) = leaks_of(soak_of(60, replace(USAGE, **{name: value})))
    assert fault.startswith(f'{name}: ')
    assert fault.endswith(f'{value:g} at the end')


def test_a_model_that_was_just_killed_hides_nothing() -> None:
    grown = soak_of(60, replace(USAGE, model_mib=2400.0))
    killed = replace(grown[-1], usage=replace(USAGE, model_mib=10.0, processes=0))
    assert [fault.partition(':')[0] for fault in leaks_of([*grown[:-1], killed])] == ['model_mib']
    early = [*soak_of(60)]
    early[WARM_UP - 1] = killed
    assert leaks_of(early) == []


def test_a_short_soak_tells_nothing() -> None:
    with pytest.raises(ConfigurationError, match=f'more than {WARM_UP + SPAN} goals'):
        compare(soak_of(WARM_UP + SPAN))


def test_children_are_found_by_the_kernel() -> None:
    with subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE) as child:
        assert child.pid in children_of(os.getpid())
        child.kill()
    assert child.pid not in children_of(os.getpid())
