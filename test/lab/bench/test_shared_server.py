# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Many planners on a server of scripted speed: nobody starves, and no goal is lost."""

from __future__ import annotations

import pytest

from reactree_ros.lab.bench.shared_server import ScriptedServer, Served, row, serve
from reactree_ros.lab.bench.workload import make_workload
from reactree_ros.models.local.embedded import DEFAULT_MODEL
from reactree_ros.models.options import ModelOptions

WORKLOAD = make_workload(len, 2, 0, 20)


def test_no_planner_starves_and_none_loses_a_goal() -> None:
    """There are more planners than slots and places in the queue."""
    with ScriptedServer(slots=2, service_sec=0.02, queue=2) as server:
        served = serve(ModelOptions(server.address), WORKLOAD, 6, seconds=4.0, limit_s=60.0)
        assert server.refused > 0
    assert [one.lost for one in served] == [[]] * 6
    assert min(one.goals for one in served) > 0


def test_a_decision_that_takes_too_long_is_a_goal_lost() -> None:
    with ScriptedServer(slots=1, service_sec=1.0, queue=8) as server:
        (one,) = serve(ModelOptions(server.address), WORKLOAD, 1, seconds=0.1, limit_s=0.2)
    assert (one.seconds, one.goals) == ([], 0)
    assert one.lost == ['no decision within 0.2 s']


def test_a_row_has_rates_and_quantiles() -> None:
    served = [Served([0.1] * 98 + [1.0, 2.0], 99, 9), Served([0.1] * 51, 51, 5, ['late'])]
    assert row(served, 10.0) == '| 2 | 15.00 | 0.10 | 1.00 | 51 to 99 | 0.52 | 14 | 1 |'
    assert row([Served()], 10.0).startswith('| 1 | 0.00 | nan | nan | 0 to 0 |')


@pytest.mark.model
@pytest.mark.thorough
def test_planners_share_a_model_process() -> None:
    (one, two) = serve(ModelOptions(DEFAULT_MODEL), WORKLOAD, 2, seconds=5.0, limit_s=120.0)
    assert one.seconds
    assert two.seconds
