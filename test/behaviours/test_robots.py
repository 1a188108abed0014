# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Several robots: the children of a parallel run at the same time, one robot each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.events import Event
from reactree_ros.core.observation import SkillResult
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.replay import RecordedRun, recompute
from reactree_ros.planner.run import GoalRun
from reactree_ros.sim.household import World
from reactree_ros.sim.household.shipped import shipped_scene
from reactree_ros.skills.executor import SENT
from reactree_ros.skills.simulated import WorldExecutor

TICKS = 5
"""So many looks a skill takes."""
BOTH = {
    'both': ['Expand: parallel ["first", "second", "third"]'],
    **{name: ['Act: go to bathroom 1', 'Act: go to bedroom 1', 'Act: done'] for name in
       ('first', 'second', 'third')},
}  # fmt: skip


class Slow:
    """A robot in a world of its own whose skills take some looks; keeps who is at work."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.world = World(shipped_scene('apartment_1'), 'kitchen 1')
        self.inner = WorldExecutor(self.world)
        self.open = 0
        self.most = 0

    def start(self, skill: Any, situation: Any) -> SlowSkill:
        self.open += 1
        self.most = max(self.most, self.open)
        return SlowSkill(self, self.inner.start(skill, situation))

    def observe(self) -> Any:
        return self.inner.observe()

    def survey(self) -> Any:
        return self.inner.survey()


class SlowSkill:
    """A skill that ends after some looks."""

    goal_id = ''
    started = True
    doing = ''
    costs = SENT

    def __init__(self, robot: Slow, run: Any) -> None:
        self._robot = robot
        self._run = run
        self._looks = 0

    def poll(self) -> SkillResult | None:
        self._looks += 1
        if self._looks < TICKS:
            return None
        if self._looks == TICKS:
            self._robot.open -= 1
        result: SkillResult = self._run.poll()
        return result

    def cancel(self) -> None:
        """Go on: this robot takes its time to stop."""


class Fleet:
    """A run with several robots."""

    def __init__(self, household: Any, settings: Any, script: Any, *names: str) -> None:
        self.robots = {name: Slow(name) for name in names}
        self.events: list[Event] = []
        self.entries: list[Any] = []
        first, *others = names
        self.services = RunServices(
            model=ScriptedModel(script),
            executor=self.robots[first],
            library=household,
            experiences=None,
            system_prompt='',
            settings=settings,
            robot=first,
            helpers={name: self.robots[name] for name in others},
        )
        self.goal = next(iter(script))
        self.run = GoalRun(
            self.goal,
            self.services,
            Limits(),
            self.events.append,
            'fleet',
            lambda: 0.0,
            record=lambda entry: self.entries.append(json.loads(json.dumps(entry))),
        )
        self.ticks = 0

    def play(self, ticks: int = 500) -> None:
        while not self.run.finished and self.ticks < ticks:
            self.run.tick()
            self.ticks += 1

    def robots_of(self, goal: str) -> set[str]:
        return {event.robot for event in self.events if event.path[-1] == goal}


@pytest.fixture
def fleet(household: Any, plain: Callable[..., Any]) -> Iterator[Callable[..., Fleet]]:
    made: list[Fleet] = []

    def make(script: Any, *names: str) -> Fleet:
        made.append(Fleet(household, plain(), script, *names))
        return made[-1]

    yield make
    for one in made:
        one.run.close()


def test_children_share_the_robots_and_none_has_two_agents(fleet: Any) -> None:
    run = fleet(BOTH, 'anna', 'bert')
    run.play()
    assert run.run.report().status == 'succeeded'
    assert [robot.most for robot in run.robots.values()] == [1, 1]
    assert run.robots_of('both') == {'anna'}
    assert run.robots_of('first') == {'anna'}
    assert run.robots_of('second') == {'bert'}
    assert len(run.robots_of('third')) == 1  # whoever was free first
    begun = [event.path[-1] for event in run.events if event.kind == 'goal']
    ended = [event.path[-1] for event in run.events if event.kind == 'done']
    assert begun == ['both', 'first', 'second', 'third']
    assert set(ended[:2]) == {'first', 'second'}


def test_more_robots_need_fewer_ticks(fleet: Any) -> None:
    needed = []
    for names in (('anna',), ('anna', 'bert'), ('anna', 'bert', 'carl')):
        run = fleet(BOTH, *names)
        run.play()
        assert run.run.report().status == 'succeeded'
        needed.append(run.ticks)
    assert needed[0] > needed[1] > needed[2]


def test_each_robot_remembers_what_it_has_seen(fleet: Any) -> None:
    script = {
        'look': ['Expand: parallel ["here", "there"]'],
        'here': ['Act: go to kitchen counter 1', 'Act: recall location of apple', 'Act: done'],
        'there': [
            'Act: go to bathroom 1',
            'Act: go to bedroom 1',
            'Act: recall location of apple',
            'Act: done',
        ],
    }
    run = fleet(script, 'anna', 'bert')
    run.play()
    told = {
        event.path[-1]: event.text
        for event in run.events
        if event.kind == 'observation' and event.text.startswith('apple')
    }
    assert 'kitchen counter 1' in told['here']
    assert told['there'] == 'apple: not seen so far.'


def test_the_parent_hears_what_the_others_have_seen(fleet: Any) -> None:
    script = {
        'look': ['Expand: sequence ["part", "tell"]'],
        'part': ['Expand: parallel ["here", "there"]'],
        'here': ['Act: go to bathroom 1', 'Act: done'],
        'there': [
            'Act: go to kitchen counter 1',
            'Act: pick up apple 1',
            'Act: go to kitchen table 1',
            'Act: put down apple 1',
            'Act: pick up bananas 1',
            'Act: done',
        ],
        'tell': [
            'Act: recall location of apple',
            'Act: done',
        ],
    }
    run = fleet(script, 'anna', 'bert')
    run.play()
    assert run.run.report().status == 'succeeded'
    told = [event.text for event in run.events if event.path[-1] == 'tell']
    assert 'apple: apple 1 on kitchen table 1 in kitchen 1.' in told
    assert 'bananas 1' not in run.run.situation().objects  # bert has them
    assert run.robots_of('tell') == {'anna'}


def test_a_sequence_stays_with_its_robot(fleet: Any) -> None:
    script = {
        'all': ['Expand: parallel ["one", "two"]'],
        'one': ['Expand: sequence ["one a", "one b"]'],
        'two': ['Expand: sequence ["two a", "two b"]'],
        **{name: ['Act: go to bathroom 1', 'Act: done'] for name in ('one a', 'two a')},
        **{name: ['Act: go to bedroom 1', 'Act: done'] for name in ('one b', 'two b')},
    }
    run = fleet(script, 'anna', 'bert')
    run.play()
    assert run.run.report().status == 'succeeded'
    for name, robot in (('one', 'anna'), ('two', 'bert')):
        assert run.robots_of(name) == run.robots_of(f'{name} a') == run.robots_of(f'{name} b')
        assert run.robots_of(name) == {robot}
    assert [robot.most for robot in run.robots.values()] == [1, 1]


def test_a_parallel_in_a_parallel_takes_who_is_free(fleet: Any) -> None:
    script = {
        'all': ['Expand: parallel ["one", "two"]'],
        'one': ['Expand: parallel ["one a", "one b"]'],
        **{name: ['Act: go to bathroom 1', 'Act: done'] for name in ('one a', 'one b', 'two')},
    }
    run = fleet(script, 'anna', 'bert', 'carl')
    run.play()
    assert run.run.report().status == 'succeeded'
    assert run.robots_of('one a') == {'anna'}
    assert {*run.robots_of('one b'), *run.robots_of('two')} == {'bert', 'carl'}


def test_who_still_moves_is_not_free(fleet: Any) -> None:
    script = {
        'both': ['Expand: parallel ["first", "second"]'],
        'first': ['Act: go to bathroom 1', 'Act: done'],
        'second': ['Act: go to bathroom 1', 'Act: done'],
    }
    run = fleet(script, 'anna', 'bert')
    while not run.robots['bert'].open:
        run.run.tick()
    run.run.cancel()
    assert not run.run.finished
    for _ in range(TICKS):
        run.run.finished  # noqa: B018 - looking is what lets time pass
    assert run.run.finished
    assert run.run.report().status == 'canceled'


def test_a_run_of_several_robots_is_planned_again(fleet: Any) -> None:
    run = fleet(BOTH, 'anna', 'bert')
    run.play()
    run.run.report()
    recorded = RecordedRun(
        'fleet', 'both', Limits(), tuple(run.events), run.run.snapshot(), run.entries, False
    )
    found = recompute(recorded, run.services)
    assert found.difference == ''
    assert found.same == len(run.events)
