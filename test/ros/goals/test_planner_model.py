# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Which models the planner starts, and what is recorded of them."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.core.option import make
from reactree_ros.core.outcome import Costs
from reactree_ros.models.options import ModelOptions
from reactree_ros.planner.assembly import system_prompt
from reactree_ros.ros.goals.session import price
from reactree_ros.ros.nodes.planner_config import PlannerConfig

from ...options import full_names

pytestmark = pytest.mark.ros

GOAL = 'open the fridge'
LOADING_SEC = 120.0
KITCHEN = {'room': 'kitchen 1'}
WORKSHOP = Path(__file__).parents[3] / 'docs' / 'workshop' / 'workshop.yaml'


def config(**changes: Any) -> PlannerConfig:
    return make(PlannerConfig, full_names(changes, PlannerConfig))


def test_the_standby_model_has_the_options_of_the_first_but_its_names() -> None:
    given = {'device': 'cuda:1', 'dtype': 'float16', 'threads': 3, 'encoder': '/models/sentences'}
    first = {f'model.{name}': value for name, value in given.items()}
    other = {'standby_model.name': 'gemma', 'standby_model.served_name': 'small'}
    made = config(**first, **other)
    assert made.model == ModelOptions('gemma-3-270m-household', **given)
    assert made.standby_options == ModelOptions('gemma', served_name='small', **given)
    assert config().standby_options is None


def test_the_system_prompt_tells_of_questions_only_if_they_can_be_asked() -> None:
    plain = system_prompt(config(skills='household'), 'reactree')
    asking = system_prompt(config(skills='household', operator__ask=True), 'reactree')
    assert 'Ask:' not in plain
    assert asking.startswith(plain) and '\nAsk: ' in asking


def test_a_decisions_price_is_one_short_line() -> None:
    costs = Costs(1, 0, 0, 1290, 1240, 9, 0, 0.05, 0.33, 0.134)
    line = '1,290 tokens in, 1,240 reused, 9 out; 0.05 s queued, 0.33 s prefill, 0.13 s decode'
    assert price(costs) == line
    assert '9 out, 2 parts left out; ' in price(replace(costs, dropped=2))


def model_servers() -> set[int]:
    """Return the processes that serve models in the domain of this test."""
    domain = f'ROS_DOMAIN_ID={os.environ["ROS_DOMAIN_ID"]}'
    found = set()
    for folder in Path('/proc').glob('[0-9]*'):
        try:
            serves = 'reactree_ros.models.server' in (folder / 'cmdline').read_text()
            if serves and domain in (folder / 'environ').read_text().split('\0'):
                found.add(int(folder.name))
        except OSError:
            continue  # it has just ended
    return found


@pytest.mark.thorough
@pytest.mark.model
def test_the_next_goal_is_taken_when_the_models_process_was_killed(
    start_system: Callable[..., Any],
) -> None:
    before = model_servers()
    with start_system({}, {'memory.example_tokens': 0}, KITCHEN, model='gemma-3-270m') as system:
        system.ready(seconds=LOADING_SEC)
        first = system.send(goal=GOAL, max_decisions=1)
        result = system.result(first, LOADING_SEC).result
        assert result.costs.decisions == 1
        assert result.costs.tokens_in > 0 < result.costs.prefill_seconds
        (pid,) = model_servers() - before
        os.kill(pid, signal.SIGKILL)
        second = system.send(goal='close the fridge', max_decisions=1)
        assert second.accepted
        after = system.result(second, LOADING_SEC).result
        assert after.costs.decisions == 1, after.message
        system.logs('gemma-3-270m: starting again')
        (again,) = model_servers() - before
        assert again != pid
    assert not model_servers() - before


@pytest.mark.model
def test_a_model_that_knows_another_robots_skills_is_warned_of(
    start_system: Callable[..., Any],
) -> None:
    model = 'gemma-3-270m-household'
    with start_system({}, model=model, skills=str(WORKSHOP), sim='none') as system:
        system.logs("trained on the skills of 'household', this robot has those of 'workshop'")
    with start_system({}, model=model, skills='household', sim='none') as system:
        system.logs('loading the language model')
        system.ready(bridge=False, seconds=LOADING_SEC)
        assert not [line for line in system.log if 'was trained on' in line]
