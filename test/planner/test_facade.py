# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A goal in process, by the public names alone."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import Any

import pytest
import yaml

from reactree_ros import (
    EndedSkill,
    Event,
    GroundedSkill,
    Limits,
    Planner,
    Situation,
    SkillResult,
    SkillStatus,
)
from reactree_ros.errors import ConfigurationError, GoalError, ModelError
from reactree_ros.models.scripted import ENDLESS, ScriptedModel
from reactree_ros.sim.household import World
from reactree_ros.skills.simulated import WorldExecutor

GOAL = 'go to the fridge'


@pytest.fixture
def planner_of(tmp_path: Path, world: World) -> Any:
    """Make a planner with a scripted model: ``planner_of([lines])``."""

    def make(lines: list[str], **changes: Any) -> Planner:
        script = tmp_path / 'script.yaml'
        script.write_text(yaml.safe_dump({GOAL: lines}))
        values = {'skills': 'household', 'robot': world, 'model': f'scripted:{script}'}
        return Planner(**{**values, **changes})

    return make


def test_a_goal_in_five_lines(planner_of: Any, world: World) -> None:
    events: list[Event] = []
    with planner_of(['Act: go to fridge 1', 'Act: done']) as planner:
        report = planner.run(GOAL, limits=Limits(max_decisions=30), on_event=events.append)
    assert (report.status, report.costs.decisions, report.costs.skills) == ('succeeded', 2, 1)
    assert world.observe().place == 'fridge 1'
    assert [str(one) for one in events if one.kind == 'act'] == ['act: go to fridge 1']


def test_success_is_held_against_conditions(planner_of: Any) -> None:
    lines = ['Act: done', 'Act: go to fridge 1', 'Act: open fridge 1', 'Act: done']
    with planner_of(lines) as planner:
        report = planner.run(GOAL, conditions=['fridge open'])
    assert (report.status, report.costs.skills) == ('succeeded', 2)
    assert (report.unmet, report.unconfirmed) == ((), False)


def test_working_memory_is_kept_if_it_is_asked_to(planner_of: Any, tmp_path: Path) -> None:
    script = {
        'look': ['Act: go to fridge 1', 'Act: open fridge 1', 'Act: go to bedroom 1', 'Act: done'],
        'where is the milk': ['Act: recall location of milk', 'Act: done'],
    }
    (tmp_path / 'two.yaml').write_text(yaml.safe_dump(script))
    events: list[Event] = []
    given = {
        'model': f'scripted:{tmp_path / "two.yaml"}',
        'options': {'memory.keep_between_goals': True},
    }
    with planner_of([], **given) as planner:
        for goal in script:
            assert planner.run(goal, on_event=events.append).status == 'succeeded'
    assert any('milk 1 inside fridge 1' in one.text for one in events if one.kind == 'observation')


def test_limits_of_the_options_hold_where_none_are_given(planner_of: Any) -> None:
    with planner_of(['Act: go to fridge 1'] * 3, options={'limits.max_decisions': 1}) as planner:
        assert planner.run(GOAL).reason.value == 'max_decisions'


def test_a_goal_is_canceled_from_another_thread(planner_of: Any) -> None:
    with planner_of([ENDLESS]) as planner:

        def cancel(event: Event) -> None:
            threading.Thread(target=planner.cancel).start()

        assert planner.run(GOAL, on_event=cancel).status == 'canceled'


def test_one_goal_at_a_time(planner_of: Any) -> None:
    with planner_of(['Act: done']) as planner:
        with pytest.raises(GoalError, match='another goal is running'):
            planner.run(GOAL, on_event=lambda event: planner.run(GOAL))


def test_a_goal_needs_a_planner_that_is_started(planner_of: Any) -> None:
    with pytest.raises(GoalError, match='with statement'):
        planner_of([]).run(GOAL)
    with planner_of([]) as planner, pytest.raises(GoalError, match='the goal is empty'):
        planner.run(' ')


class Canceled(EndedSkill):
    """A skill that ends once it is canceled."""

    settled = False
    cancels = 0

    def poll(self) -> Any:
        return super().poll() if self.settled else None

    def cancel(self) -> None:
        self.cancels += 1
        self.settled = True


def test_an_interrupt_stops_the_robot(planner_of: Any, world: World) -> None:
    runs: list[Canceled] = []

    class Robot(WorldExecutor):
        def start(self, skill: GroundedSkill, situation: Situation) -> Canceled:
            runs.append(Canceled(SkillResult(SkillStatus.CANCELED, world.observe())))
            signal.raise_signal(signal.SIGINT)
            return runs[-1]

    with planner_of(['Act: go to fridge 1'], robot=Robot(world)) as planner:
        with pytest.raises(KeyboardInterrupt):
            planner.run(GOAL)
    assert [run.cancels for run in runs] == [1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(
    ('changes', 'error', 'why'),
    [
        ({'robot': object()}, ConfigurationError, 'the robot is a object: it must have'),
        ({'skills': 'no_such'}, ConfigurationError, "parameter skills is 'no_such'"),
        ({'options': {'tea': 1}}, ConfigurationError, 'tea'),
        ({'strategy': 'guess'}, ConfigurationError, "'guess'"),
        ({'model': 'no_such_model'}, ModelError, "there is no model 'no_such_model'"),
    ],
)
def test_what_is_wrong_is_said_at_once(
    planner_of: Any, changes: dict[str, Any], error: type[Exception], why: str
) -> None:
    with pytest.raises(error, match=why), planner_of(['Act: done'], **changes):
        pass


def test_what_an_earlier_goal_saw_does_not_end_the_next(
    planner_of: Any, tmp_path: Path, world: World
) -> None:
    script = {
        'open it': ['Act: go to fridge 1', 'Act: open fridge 1', 'Act: done'],
        'is it open': ['Act: failure'],
    }
    (tmp_path / 'two.yaml').write_text(yaml.safe_dump(script))
    given = {
        'model': f'scripted:{tmp_path / "two.yaml"}',
        'options': {'memory.keep_between_goals': True},
    }
    with planner_of([], **given) as planner:
        assert planner.run('open it').status == 'succeeded'
        world.execute('close', ('fridge 1',))
        world.execute('go_to', ('bedroom 1',))
        report = planner.run('is it open', conditions=['fridge open'])
    assert (report.status, report.reason.value) == ('failed', 'gave_up')


def test_a_model_that_is_never_ready_ends_the_wait(
    planner_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ScriptedModel, 'poll_ready', lambda self: False)
    with pytest.raises(ModelError, match='not loaded within 1 s'):
        with planner_of([], options={'model.load_timeout_sec': 1.0}):
            pass
