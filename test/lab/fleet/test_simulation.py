# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The simulated fleet against queueing theory, its routing, and its workload from run records."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest

from reactree_ros.core.outcome import Costs, Reason
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.evaluation.trace import Ending, RunSpec, Trace, TraceEvent
from reactree_ros.lab.fleet.simulation import (
    Fleet,
    Memory,
    ServerRates,
    most_per_sec,
    saturates_at,
    simulate,
)
from reactree_ros.lab.fleet.workload import Step, Workload, read_workload, workload_of

ACTING_SEC = 4.0
NO_MEMORY = Memory(1000, 1e-9, 1e-9)


def exponential(mean: float, count: int) -> list[float]:
    draw = random.Random(1)
    return [draw.expovariate(1 / mean) for _ in range(count)]


def repairman(robots: int, acting: float, service: float) -> tuple[float, float]:
    """Return throughput and mean response time of M/M/1//N."""
    load = service / acting
    terms = [
        math.factorial(robots) / math.factorial(robots - n) * load**n for n in range(robots + 1)
    ]
    per_sec = (1 - 1 / sum(terms)) / service
    return per_sec, robots / per_sec - acting


@pytest.mark.parametrize('robots', [2, 5, 12])
def test_one_server_is_the_machine_repairman(robots: int) -> None:
    pytest.importorskip('simpy')
    runs = tuple((Step(1, 0, round(1e6 * one), True, False),) for one in exponential(1.0, 4000))
    workload = Workload('theory', 0, tuple(exponential(ACTING_SEC, 4000)), runs)
    rates = ServerRates(slots=1, prefill=1.0, decode=1e6, decode_all=1e6, kept=robots)
    found = simulate(workload, rates, Fleet(robots, 1), NO_MEMORY, decisions=12_000)
    per_sec, mean = repairman(robots, ACTING_SEC, 1.0)
    assert found.per_sec == pytest.approx(per_sec, rel=0.05)
    assert found.slots == pytest.approx(per_sec, rel=0.05)
    # the response time law, of the mean; the median of what has a long tail lies below
    assert robots / found.per_sec - ACTING_SEC == pytest.approx(mean, rel=0.12)
    assert found.p50 < found.p99


def test_a_saturated_fleet_does_what_the_bound_allows_and_no_more() -> None:
    pytest.importorskip('simpy')
    workload = read_workload()
    rates = ServerRates(slots=8, prefill=550.0, decode=67.0, decode_all=200.0, kept=0)
    most = most_per_sec(workload, rates, cached=False)
    knee = saturates_at(workload, rates, 2, cached=False)
    few = simulate(workload, rates, Fleet(max(1, round(knee / 8)), 2), decisions=2000)
    many = simulate(workload, rates, Fleet(round(4 * knee), 2), decisions=2000)
    assert 1.6 * most < many.per_sec < 2.15 * most
    assert few.per_sec < 0.4 * most
    assert few.p50 < many.p50 / 3 and few.goals_per_hour > 2 * many.goals_per_hour


def test_prompts_that_are_kept_need_not_be_read() -> None:
    pytest.importorskip('simpy')
    workload = read_workload()
    point = {
        kept: simulate(
            workload,
            ServerRates(8, 2000.0, 1000.0, 8000.0, kept),
            Fleet(40, 1),
            decisions=2000,
        )
        for kept in (0, 40)
    }
    assert point[40].reading < 0.5 * point[0].reading


def test_a_slow_memory_is_what_all_wait_for() -> None:
    pytest.importorskip('simpy')
    rates = ServerRates(64, 1e6, 1e6, 1e8, 500)
    found = simulate(read_workload(), rates, Fleet(200, 1), Memory(1, 5.0, 6.0), decisions=2000)
    assert found.memory > 0.95 and found.slots < 0.05


def test_who_takes_over_from_a_server_that_is_down() -> None:
    def asked(*, shuffled: bool) -> list[int]:
        fleet = Fleet(800, 8, down=1, shuffled=shuffled)
        servers = [fleet.server_of(robot) for robot in range(800)]
        return [servers.count(one) for one in range(8)]

    assert asked(shuffled=False) == [0, 200, *[100] * 6]
    spread = asked(shuffled=True)
    assert spread[0] == 0 and sum(spread) == 800 and max(spread) < 130
    with pytest.raises(ConfigurationError):
        Fleet(1, 2, down=2)


def test_a_workload_comes_from_run_records(tmp_path: Path) -> None:
    path = ('tidy up',)
    below = ('tidy up', 'find it')

    def decision(read: int, reused: int, written: int) -> Costs:
        return Costs(decisions=1, tokens_in=read, tokens_reused=reused, tokens_out=written)

    events = (
        TraceEvent('goal', 'tidy up', path, 0.0),
        TraceEvent('expand', 'sequence: find it', path, 1.0, decision(100, 0, 9)),
        TraceEvent('goal', 'find it', below, 1.0),
        TraceEvent('act', 'go to kitchen 1', below, 2.0, decision(120, 90, 5)),
        TraceEvent('observation', 'You are there.', below, 5.5),
        TraceEvent('done', 'the agent said done', below, 6.0, decision(140, 125, 1)),
    )
    ending = Ending('succeeded', Reason.DONE, '', Costs(), (), '', (), (), 0, 0)
    trace = Trace(RunSpec('reactree', 'm', 's', 1, 0), 'tidy up', {}, False, events, ending)
    workload = workload_of([trace], 'one run')
    assert workload.runs == (
        (
            Step(100, 100, 9, False, True),
            Step(120, 30, 5, True, True),
            Step(140, 15, 1, False, False),
        ),
    )
    assert workload.skill_sec == (3.5,) and workload.shared_tokens == 90
    workload.write(tmp_path / 'one.json')
    assert read_workload(tmp_path / 'one.json') == workload
    (tmp_path / 'one.json').write_text('{}', encoding='utf-8')
    with pytest.raises(ConfigurationError):
        read_workload(tmp_path / 'one.json')
