# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Several robots: the children of a parallel run at the same time, one robot each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from reactree_ros.behaviours.services import RobotSkills, RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.events import Event
from reactree_ros.core.futures import ready
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.outcome import Reason
from reactree_ros.execution.claims import Claims
from reactree_ros.execution.guard import guarded
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.experiences import experiences_of
from reactree_ros.planner.replay import RecordedRun, recompute
from reactree_ros.planner.resume import resumed
from reactree_ros.planner.run import GoalRun
from reactree_ros.sim.household import World
from reactree_ros.sim.household.shipped import shipped_scene
from reactree_ros.skills.executor import SENT
from reactree_ros.skills.simulated import WorldExecutor

from ..conftest import Lost

TICKS = 5
"""So many looks a skill takes."""
BOTH = {
    'both': ['Expand: parallel ["first", "second", "third"]'],
    **{name: ['Act: go to bathroom 1', 'Act: go to bedroom 1', 'Act: done'] for name in
       ('first', 'second', 'third')},
}  # fmt: skip


class Late:
    """An answer that takes some looks."""

    def __init__(self, answer: Any, looks: int) -> None:
        self._answer = answer
        self._looks = looks

    def poll(self) -> Any:
        self._looks -= 1
        return self._answer.poll() if self._looks < 0 else None

    def cancel(self) -> None:
        self._answer.cancel()


class Slow:
    """A robot whose skills take some looks, and change the world at the end; keeps who works."""

    def __init__(self, name: str, world: World) -> None:
        self.name = name
        self.inner = WorldExecutor(world)
        self.ticks = TICKS
        self.leaves_after = 1000
        self.observes_after = 0
        self.started: list[str] = []
        self.open = 0
        self.most = 0

    @property
    def has_left(self) -> bool:
        return len(self.started) > self.leaves_after

    def start(self, skill: Any, situation: Any) -> SlowSkill:
        self.started.append(skill.phrase)
        self.open += 1
        self.most = max(self.most, self.open)
        return SlowSkill(self, lambda: self.inner.start(skill, situation).poll())

    def check(self, question: Any) -> Any:
        return self.inner.check(question)

    def observe(self) -> Any:
        if self.has_left:
            return Lost(f'{self.name} has left')
        return Late(self.inner.observe(), self.observes_after)

    def survey(self) -> Any:
        return self.inner.survey()


class SlowSkill:
    """A skill that ends after some looks."""

    goal_id = ''
    started = True
    doing = ''
    costs = SENT

    def __init__(self, robot: Slow, do: Callable[[], Any]) -> None:
        self._robot = robot
        self._do = do
        self._looks = 0
        self._result: SkillResult | None = None

    @property
    def settled(self) -> bool:
        return self._result is not None

    def poll(self) -> SkillResult | None:
        self._looks += 1
        if self._looks >= self._robot.ticks and self._result is None:
            self._robot.open -= 1
            gone = SkillResult(SkillStatus.FAILED, Observation('Nobody is there.'), gone=True)
            self._result = gone if self._robot.has_left else self._do()
        return self._result

    def cancel(self) -> None:
        """Go on: this robot takes its time to stop."""


class Shown:
    """Episodic memory of a skill library."""

    def __init__(self, skills: str) -> None:
        self._skills = skills

    def retrieve(self, goal: str, root: bool, token_budget: int) -> Any:
        return ready((f'an example of {self._skills}',))


class Fleet:
    """A run with several robots."""

    def __init__(
        self,
        household: Any,
        settings: Any,
        script: Any,
        *names: str,
        drives_only: str = '',
        limits: Limits = Limits(),  # noqa: B008 - immutable
        shows: bool = False,
    ) -> None:
        house = World(shipped_scene('apartment_1'), 'kitchen 1')
        worlds = [house, *(house.join('kitchen 1') for _ in names[1:])]
        self.robots = {name: Slow(name, one) for name, one in zip(names, worlds, strict=True)}
        claims = Claims(clock=lambda: 0.0)
        walk = tuple(one for one in household.skills if one.name == 'go_to')
        base = replace(household, name='base', skills=walk)
        own = {name: base if name == drives_only else household for name in names}
        guards = {name: guarded(one, own[name], claims, name) for name, one in self.robots.items()}
        self.events: list[Event] = []
        self.entries: list[Any] = []
        first, *others = names
        self.services = RunServices(
            model=ScriptedModel(script),
            executor=guards[first],
            library=own[first],
            experiences=None,
            system_prompt='',
            settings=settings,
            robot=first,
            helpers={name: guards[name] for name in others},
            skills_of={
                name: RobotSkills(
                    one, f'You are {name}.', {}, Shown(one.name) if shows else None, settings
                )
                for name, one in own.items()
            }
            if drives_only
            else {},
        )
        self.goal = next(iter(script))
        self.run = GoalRun(
            self.goal,
            self.services,
            limits,
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

    def make(script: Any, *names: str, **given: Any) -> Fleet:
        settings = given.pop('settings', plain())
        made.append(Fleet(household, settings, script, *names, **given))
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


def test_robots_share_what_they_see(fleet: Any) -> None:
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
    assert told['there'] == told['here'] == 'apple: apple 1 on kitchen counter 1 in kitchen 1.'


def test_what_a_robot_holds_is_known_to_be_in_its_hand(fleet: Any) -> None:
    script = {
        'look': ['Expand: parallel ["fetch", "ask"]'],
        'fetch': [
            'Act: go to kitchen counter 1',
            'Act: pick up apple 1',
            'Act: go to kitchen table 1',
            'Act: put down apple 1',
            'Act: done',
        ],
        'ask': [
            'Act: go to kitchen counter 1',
            'Act: go to kitchen table 1',
            'Act: recall location of apple',
            'Act: go to bathroom 1',
            'Act: go to bedroom 1',
            'Act: recall location of apple',
            'Act: done',
        ],
    }
    run = fleet(script, 'anna', 'bert')
    run.play()
    assert run.run.report().status == 'succeeded'
    told = [one.text for one in run.events if one.path[-1] == 'ask' and 'apple:' in one.text]
    assert told[0] == 'apple: apple 1 in the hand of anna.'
    assert told[1].endswith(' apple: apple 1 on kitchen table 1 in kitchen 1.'), 'asked before'
    asked = [one for one in run.services.model.requests if one.prompt.goal == 'ask']
    assert len(asked) == len(script['ask'])
    assert not any('pick up apple 1' in one.choices.skills for one in asked[2:5]), 'anna has it'


def test_the_parent_knows_what_the_others_have_seen(fleet: Any) -> None:
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
            'Act: recall location of bananas',
            'Act: done',
        ],
    }
    run = fleet(script, 'anna', 'bert')
    run.play()
    assert run.run.report().status == 'succeeded'
    told = [event.text for event in run.events if event.path[-1] == 'tell']
    assert 'apple: apple 1 on kitchen table 1 in kitchen 1.' in told
    assert 'bananas: bananas 1 in the hand of bert.' in told
    assert 'bananas 1' not in run.run.situation().objects
    assert 'kitchen table 1' in run.run.situation().looked_into
    assert run.robots_of('tell') == {'anna'}


def test_two_robots_do_not_take_one_thing(fleet: Any) -> None:
    fetch = ['Act: go to kitchen counter 1', 'Act: pick up apple 1', 'Act: done']
    script = {'both': ['Expand: parallel ["first", "second"]'], 'first': fetch, 'second': fetch}
    run = fleet(script, 'anna', 'bert')
    run.play()
    assert run.run.report().status == 'succeeded'
    taken = [robot.name for robot in run.robots.values() if 'pick up apple 1' in robot.started]
    assert taken == ['anna'], 'the other is refused before it reaches the robot'
    told = [event.text for event in run.events if event.path[-1] == 'second']
    was = (
        '"pick up apple 1" was refused: apple 1 was busy with "pick up apple 1" of anna meanwhile.'
    )
    assert was in told


def test_what_another_robot_is_taking_is_not_offered(fleet: Any) -> None:
    go = 'Act: go to kitchen counter 1'
    script = {
        'both': ['Expand: parallel ["first", "second"]'],
        'first': [go, 'Act: pick up apple 1', 'Act: done'],
        'second': [go, *['Act: recall location of apple'] * 4, 'Act: done'],
    }
    run = fleet(script, 'anna', 'bert')
    run.robots['anna'].ticks = 2 * TICKS
    run.robots['bert'].ticks = 2 * TICKS
    run.play()
    offered = [
        'pick up apple 1' in entry['choices']['skills']
        for entry in run.entries
        if entry['op'] == 'decide' and entry['answer']['text'].startswith('Act: recall')
    ]
    told = [one.text for one in run.events if one.path[-1] == 'second' and 'apple:' in one.text]
    assert told == ['apple: apple 1 on kitchen counter 1 in kitchen 1.'] * 4, 'it still lies there'
    assert offered == [True, False, False, False]


def leaving(name: str, after: int, fleet: Any, **script: list[str]) -> Fleet:
    """Play a parallel with a robot that leaves after so many skills."""
    run: Fleet = fleet({**BOTH, **script}, 'anna', 'bert')
    run.robots[name].leaves_after = after
    run.play()
    return run


def attempts(run: Fleet, goal: str) -> list[tuple[str, str]]:
    """Return which robots worked for a goal, and how it ended."""
    began = [one.robot for one in run.events if (one.kind, one.path[-1]) == ('goal', goal)]
    ended = [
        one.kind for one in run.events if one.kind in ('done', 'failure') and one.path[-1] == goal
    ]
    return [*zip(began, ended, strict=True)]


@pytest.mark.parametrize('name', ['anna', 'bert'])
def test_the_subgoal_of_a_robot_that_leaves_goes_to_another(name: str, fleet: Any) -> None:
    mine, other = ('first', 'bert') if name == 'anna' else ('second', 'anna')
    twice = ['Act: go to bathroom 1', 'Act: go to bedroom 1', *BOTH['first']]
    run = leaving(name, 1, fleet, **{mine: twice})
    report = run.run.report()
    assert report.status == 'succeeded'
    assert report.message.startswith('parallel of 3 succeeded')
    assert attempts(run, mine) == [(name, 'failure'), (other, 'done')]
    assert attempts(run, 'third') == [(other, 'done')]
    lost = next(one for one in run.run.report().nodes if one.reason is Reason.ROBOT)
    assert lost.path == ('both', mine)
    assert run.robots_of('both') == {'anna', other}, 'who is lost does nothing any more'


def test_a_subgoal_is_given_to_another_robot_once(fleet: Any) -> None:
    first = ['Act: go to bathroom 1', 'Act: go to living room 1', 'Act: done']
    run: Fleet = fleet({**BOTH, 'first': first}, 'anna', 'bert', 'carl')
    run.robots['anna'].leaves_after = 0
    run.robots['bert'].leaves_after = 2
    run.robots['carl'].ticks = 3 * TICKS
    run.play()
    report = run.run.report()
    assert attempts(run, 'second') == [('bert', 'done')]
    assert attempts(run, 'third') == [('carl', 'done')]
    assert attempts(run, 'first') == [('anna', 'failure'), ('bert', 'failure')]
    assert report.status == 'succeeded', 'two of three: the lost attempts do not vote'


def test_without_any_robot_the_goal_fails(fleet: Any) -> None:
    run: Fleet = fleet(BOTH, 'anna', 'bert')
    run.robots['anna'].leaves_after = run.robots['bert'].leaves_after = 0
    run.play()
    report = run.run.report()
    assert (report.status, report.reason) == ('failed', Reason.ROBOT)
    assert 'Nobody is there' in report.message


def test_the_parent_goes_on_with_another_robot(fleet: Any) -> None:
    script = {
        'all': ['Expand: sequence ["both", "then"]'],
        **BOTH,
        'first': ['Act: go to bathroom 1', *BOTH['first']],
        'then': ['Act: go to kitchen 1', 'Act: done'],
    }
    run: Fleet = fleet(script, 'anna', 'bert')
    run.robots['anna'].leaves_after = 0
    run.play()
    assert run.run.report().status == 'succeeded'
    assert attempts(run, 'then') == [('bert', 'done')]


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


def test_the_parents_robot_works_for_others_meanwhile(fleet: Any) -> None:
    script = {
        'all': ['Expand: parallel ["short", "long"]'],
        'short': ['Act: go to bathroom 1', 'Act: done'],
        'long': ['Act: go to bathroom 1', 'Act: go to bedroom 1', 'Act: done'],
    }
    rooms = ('bathroom', 'kitchen', 'living room', 'bedroom')
    script['long'] = ['Expand: parallel ["long a", "long b", "long c"]']
    for part in 'abc':
        acts = [f'Act: go to {room} 1' for room in rooms]
        script[f'long {part}'] = [*acts, 'Act: done']
    run = fleet(script, 'anna', 'bert')
    run.play()
    assert run.run.report().status == 'succeeded'
    assert run.robots_of('short') == run.robots_of('all') == {'anna'}
    assert run.robots_of('long') == {'bert'}
    assert {*run.robots_of('long b'), *run.robots_of('long c')} == {'anna', 'bert'}
    assert [robot.most for robot in run.robots.values()] == [1, 1]


def test_who_was_lent_is_back_before_the_parent_goes_on(fleet: Any) -> None:
    script = {
        'all': ['Expand: parallel ["one", "two"]'],
        'one': ['Expand: sequence ["one a", "one b"]'],
        'one a': ['Expand: parallel ["quick"]'],
        'quick': ['Act: go to bathroom 1', 'Act: done'],
        'one b': ['Act: go to bedroom 1', 'Act: done'],
        'two': ['Expand: parallel ["two a", "two b", "two c"]'],
        **{
            f'two {part}': [f'Act: go to {room} 1' for room in ('bathroom', 'kitchen')]
            + ['Act: done']
            for part in 'abc'
        },
    }
    run = fleet(script, 'anna', 'bert', 'carl')
    run.robots['carl'].ticks = 4 * TICKS
    run.play()
    assert run.run.report().status == 'succeeded'
    for goal in ('one', 'one a', 'one b'):
        assert run.robots_of(goal) == {'anna'}
    assert [robot.most for robot in run.robots.values()] == [1, 1, 1]


LISTENING = {
    'look': ['Expand: parallel ["here", "there", "last"]'],
    'here': [
        'Act: go to kitchen counter 1',
        'Act: pick up apple 1',
        'Act: go to kitchen table 1',
        'Act: put down apple 1',
        'Act: done',
    ],
    'there': [
        *['Act: go to bathroom 1', 'Act: recall location of apple'],
        *['Act: go to bedroom 1', 'Act: recall location of apple'] * 2,
        'Act: done',
    ],
    'last': ['Act: recall location of apple', 'Act: go to bathroom 1', 'Act: done'],
}


SEARCHING = {
    'both': ['Expand: parallel ["search", "look"]'],
    'search': [
        'Act: recall location of salmon',
        'Expand: fallback ["search the bathroom", "search the bedroom"]',
        'Act: go to kitchen counter 2',
        'Act: done',
    ],
    'search the bathroom': ['Act: go to bathroom 1', 'Act: go to toilet 1', 'Act: failure'],
    'search the bedroom': ['Act: done'],
    'look': ['Act: recall location of salmon', 'Act: go to kitchen counter 2', 'Act: done'],
}


def planned_again(run: Fleet, goal: str) -> None:
    """Check that the run is the same when it is planned from what was recorded."""
    run.run.report()
    recorded = RecordedRun(
        'fleet', goal, Limits(), tuple(run.events), run.run.snapshot(), run.entries, False
    )
    found = recompute(recorded, run.services)
    assert found.difference == ''
    assert found.same == len(run.events)


@pytest.mark.parametrize('ticks', [(5, 5), (2, 7), (9, 2), (3, 4)])
def test_a_run_of_several_robots_is_planned_again(ticks: tuple[int, int], fleet: Any) -> None:
    for script in (BOTH, LISTENING, SEARCHING):
        run = fleet(script, 'anna', 'bert')
        for robot, count in zip(run.robots.values(), ticks, strict=True):
            robot.ticks = count
        run.play()
        planned_again(run, next(iter(script)))


def test_a_run_that_has_lost_a_robot_is_planned_again(fleet: Any) -> None:
    first = ['Act: go to bathroom 1', 'Act: go to living room 1', *BOTH['first']]
    planned_again(leaving('anna', 1, fleet, first=first), 'both')


class Reader(ScriptedModel):
    """Answers from the script by what an agent has decided before, however often it is asked."""

    def __init__(self, script: Any) -> None:
        super().__init__(script)
        self._script = script

    def decide(self, request: Any) -> Any:
        step = sum(one.decided for one in request.prompt.steps)
        self._lines = {goal: list(lines[step:]) for goal, lines in self._script.items()}
        return super().decide(request)


class Nothing:
    """What an earlier process left running: nothing that is known."""

    def attach(self, robot: str, skill: Any) -> bool:
        return False

    def done(self, robot: str, skill: Any) -> None:
        """Know it."""


@pytest.mark.parametrize('lost', [False, True])
def test_a_run_of_several_robots_is_resumed_from_anywhere(lost: bool, fleet: Any) -> None:
    first = ['Act: go to bathroom 1', 'Act: go to living room 1', *BOTH['first']]
    script = {**BOTH, 'first': first}
    entries = (leaving('anna', 1, fleet, first=first) if lost else whole_run(fleet, script)).entries
    for kept in range(0, len(entries), 7):
        again: Fleet = fleet(script, 'anna', 'bert')
        given = resumed(
            replace(again.services, model=Reader(script)), entries[:kept], 'record', Nothing()
        )
        finished(GoalRun('both', given, Limits(), again.events.append, 'again', lambda: 0.0), kept)


def test_a_run_with_a_stopped_search_is_resumed_from_anywhere(fleet: Any) -> None:
    entries = whole_run(fleet, SEARCHING).entries
    for kept in range(len(entries)):
        again: Fleet = fleet(SEARCHING, 'anna', 'bert')
        given = resumed(
            replace(again.services, model=Reader(SEARCHING)), entries[:kept], 'record', Nothing()
        )
        finished(GoalRun('both', given, Limits(), again.events.append, 'again', lambda: 0.0), kept)


def finished(run: GoalRun, kept: int) -> None:
    for _ in range(2000):
        if run.finished:
            break
        run.tick()
    assert run.finished, kept
    assert run.report().status == 'succeeded', (kept, run.report().message)
    run.close()


def whole_run(fleet: Any, script: Any) -> Fleet:
    run: Fleet = fleet(script, 'anna', 'bert')
    run.play()
    return run


def test_where_another_robot_sees_what_was_recalled_is_told_once(fleet: Any) -> None:
    seen = 'salmon: salmon 1 on kitchen counter 2 in kitchen 1.'
    script = {
        'both': ['Expand: parallel ["search", "look"]'],
        'search': [
            'Act: recall location of salmon',
            'Act: go to bathroom 1',
            'Act: go to toilet 1',
            'Act: go to bedroom 1',
            'Act: done',
        ],
        'look': ['Act: recall location of salmon', 'Act: go to kitchen counter 2', 'Act: done'],
    }
    both = fleet(script, 'a', 'b')
    both.play()
    assert both.run.report().status == 'succeeded'
    told = [e.path[-1] for e in both.events if e.kind == 'observation' and seen in e.text]
    assert told == ['search']


def test_a_search_for_what_another_robot_sees_is_stopped(fleet: Any) -> None:
    seen = 'salmon: salmon 1 on kitchen counter 2 in kitchen 1.'
    both = fleet(SEARCHING, 'a', 'b')
    both.play()
    assert both.run.report().status == 'succeeded'
    (told,) = (e for e in both.events if e.kind == 'observation' and 'stopped' in e.text)
    assert told.path[-1] == 'search'
    assert told.text.startswith('fallback of 2 was stopped.') and told.text.endswith(seen)
    bathroom = both.robots['a'].started
    assert bathroom[-1] == 'go to kitchen counter 2', 'the skill comes to its end, then it is told'


def test_a_search_goes_on_if_those_who_work_for_it_find_the_thing(fleet: Any) -> None:
    script = {
        'both': [
            'Act: recall location of salmon',
            'Expand: parallel ["bathroom", "kitchen"]',
            'Act: failure',
        ],
        'bathroom': ['Act: go to bathroom 1', 'Act: go to toilet 1', 'Act: done'],
        'kitchen': ['Act: go to kitchen counter 2', 'Act: pick up salmon 1', 'Act: done'],
    }
    both = fleet(script, 'a', 'b')
    both.play()
    assert both.run.report().status == 'succeeded'
    assert not [e for e in both.events if 'stopped' in e.text]


def test_a_lone_robot_is_not_told_what_it_does_itself(fleet: Any) -> None:
    script = {
        'look': ['Act: recall location of salmon', 'Act: go to kitchen counter 2', 'Act: done']
    }
    alone = fleet(script, 'a')
    alone.play()
    assert not [one for one in alone.events if 'salmon: salmon 1' in one.text]


FETCH = ['Act: go to kitchen counter 1', 'Act: pick up apple 1', 'Act: done']
DRIVE = ['Act: go to bathroom 1', 'Act: done']


def test_a_subgoal_may_name_its_robot(fleet: Any) -> None:
    script = {
        'both': ['Expand: parallel ["bert: fetch", "anna: drive", "drive on"]'],
        'fetch': FETCH,
        'drive': DRIVE,
        'drive on': DRIVE,
    }
    run = fleet(script, 'anna', 'bert')
    run.play()
    assert run.run.report().status == 'succeeded'
    assert run.robots_of('fetch') == {'bert'}
    assert run.robots_of('drive') == {'anna'}
    assert run.robots['bert'].started[:2] == ['go to kitchen counter 1', 'pick up apple 1']


def test_a_colon_names_nobody_who_is_not_there(fleet: Any) -> None:
    script = {
        'both': ['Expand: sequence ["then: drive", "anna: "]'],
        'then: drive': DRIVE,
        'anna:': DRIVE,
    }
    run = fleet(script, 'anna', 'bert')
    run.play()
    assert run.run.report().status == 'succeeded'
    assert run.robots_of('then: drive') == run.robots_of('anna:') == {'anna'}


@pytest.mark.parametrize('flow', ['sequence', 'fallback'])
def test_a_step_of_another_robot_is_waited_for(flow: str, fleet: Any) -> None:
    script = {
        'all': [f'Expand: {flow} ["bert: drive", "anna: drive on", "drive home"]'],
        'drive': [*DRIVE[:-1], 'Act: done' if flow == 'sequence' else 'Act: failure'],
        'drive on': [*DRIVE[:-1], 'Act: done' if flow == 'sequence' else 'Act: failure'],
        'drive home': DRIVE,
    }
    run = fleet(script, 'anna', 'bert')
    run.play()
    assert run.run.report().status == 'succeeded'
    assert run.robots_of('drive') == {'bert'}
    assert run.robots_of('drive on') == run.robots_of('drive home') == {'anna'}
    order = [(one.kind, one.path[-1]) for one in run.events if one.kind in ('act', 'goal')]
    goals = [goal for kind, goal in order if kind == 'goal']
    assert goals == ['all', 'drive', 'drive on', 'drive home']
    assert 'by bert' in run.run.tree_text()


def test_agents_that_need_the_robot_of_each_other_both_get_it(fleet: Any) -> None:
    script = {
        'all': ['Expand: parallel ["anna: one", "bert: two"]'],
        'one': ['Expand: sequence ["drive a", "bert: drive b"]'],
        'two': ['Expand: sequence ["drive c", "anna: drive d"]'],
        **{f'drive {part}': DRIVE for part in 'abcd'},
    }
    run = fleet(script, 'anna', 'bert')
    run.play()
    assert run.run.report().status == 'succeeded'
    assert run.robots_of('drive b') == run.robots_of('two') == {'bert'}
    assert run.robots_of('drive d') == run.robots_of('one') == {'anna'}
    assert [robot.most for robot in run.robots.values()] == [1, 1]


def test_each_agent_is_offered_what_its_robot_can_do(fleet: Any) -> None:
    script = {
        'both': ['Expand: parallel ["bert: drive", "anna: fetch"]'],
        'drive': ['Act: go to kitchen counter 1', 'Act: done'],
        'fetch': FETCH,
    }
    run = fleet(script, 'anna', 'bert', drives_only='bert')
    run.play()
    assert run.run.report().status == 'succeeded'
    asked = run.services.model.requests
    read = {(one.prompt.goal, one.prompt.system) for one in asked if one.prompt.goal != 'both'}
    assert read == {('drive', 'You are bert.'), ('fetch', 'You are anna.')}
    offered: dict[str, set[str]] = {'both': set(), 'drive': set(), 'fetch': set()}
    for one in asked:
        offered[one.prompt.goal] |= {phrase.split(' to ')[0] for phrase in one.choices.skills}
    assert offered['drive'] == {'go'}
    assert 'pick up apple 1' in offered['fetch']
    learned = [one.goal for one in experiences_of(run.run)]
    assert learned == ['both', 'fetch'], 'of the skills of the first robot'


GIVES_UP = {
    'both': ['Expand: parallel ["drive", "fetch", "wait"]'],
    'drive': [*DRIVE[:-1], *DRIVE],
    'wait': DRIVE,
}


def test_what_an_agent_gives_up_is_tried_by_a_robot_with_other_skills(fleet: Any) -> None:
    script = {**GIVES_UP, 'fetch': ['Act: failure', *FETCH]}
    run = fleet(script, 'anna', 'bert', 'carl', drives_only='bert')
    run.play()
    report = run.run.report()
    assert report.status == 'succeeded'
    assert report.message.startswith('parallel of 3 succeeded')
    assert [one for one, _ in attempts(run, 'fetch')][0] == 'bert'
    assert attempts(run, 'fetch')[1:] in ([('anna', 'done')], [('carl', 'done')])


def test_what_nobody_can_do_fails_when_every_kind_of_robot_has_tried(fleet: Any) -> None:
    script = {**GIVES_UP, 'both': ['Expand: parallel ["drive", "fetch"]'],
              'fetch': ['Act: failure'] * 3}  # fmt: skip
    run = fleet(script, 'anna', 'bert', 'carl', drives_only='bert')
    run.play()
    assert run.run.report().status == 'failed'
    tried = [robot for robot, ended in attempts(run, 'fetch') if ended == 'failure']
    assert tried[0] == 'bert'
    assert len(tried) == 2
    assert tried[1] in ('anna', 'carl')


@pytest.mark.parametrize(('drives_only', 'subgoal'), [('', 'fetch'), ('bert', 'bert: fetch')])
def test_who_has_the_same_skills_or_was_named_is_not_replaced(
    drives_only: str, subgoal: str, fleet: Any
) -> None:
    script = {
        'both': [f'Expand: parallel ["drive", "{subgoal}"]', 'Act: failure'],
        'drive': DRIVE,
        'fetch': ['Act: failure'],
    }
    run = fleet(script, 'anna', 'bert', drives_only=drives_only)
    run.play()
    assert attempts(run, 'fetch') == [('bert', 'failure')]


def test_the_subgoal_of_a_named_robot_that_is_lost_goes_to_another(fleet: Any) -> None:
    script = {
        'all': ['Expand: sequence ["bert: drive", "drive home"]'],
        'drive': [*DRIVE[:-1], *DRIVE[:-1], *DRIVE],
        'drive home': DRIVE,
    }
    run = fleet(script, 'anna', 'bert')
    run.robots['bert'].leaves_after = 0
    run.play()
    assert run.run.report().status == 'succeeded'
    assert attempts(run, 'drive') == [('bert', 'failure'), ('anna', 'done')]


def test_an_agent_does_not_go_on_with_a_robot_of_other_skills(fleet: Any) -> None:
    script = {**BOTH, 'first': ['Act: go to bathroom 1', *BOTH['first']]}
    script = {'all': ['Expand: sequence ["both", "then"]'], **script, 'then': DRIVE}
    run = fleet(script, 'anna', 'bert', drives_only='bert')
    run.robots['anna'].leaves_after = 0
    run.play()
    report = run.run.report()
    assert (report.status, report.reason) == ('failed', Reason.ROBOT)
    assert run.robots_of('then') == {'anna'}, 'bert is another kind of robot'
    assert len(run.robots['anna'].started) == 1, 'who is lost is not asked again'


def test_an_agent_goes_on_as_the_robot_that_it_has_got(
    fleet: Any, plain: Callable[..., Any]
) -> None:
    settings = plain(replan_after_failure=True)
    script = {**BOTH, 'first': ['Act: go to bathroom 1', *BOTH['first']]}
    script['both'] = [script['both'][0].replace('first', 'anna: first'), 'Act: done']
    script['second'] = script['third'] = ['Act: failure']
    run = fleet(script, 'anna', 'bert', 'carl', drives_only='bert', settings=settings)
    run.robots['anna'].leaves_after = 0
    run.services.model.requests.clear()
    run.play()
    assert run.run.report().status == 'succeeded'
    asked = [one.prompt.system for one in run.services.model.requests if one.prompt.goal == 'both']
    assert asked[-1] == 'You are carl.'


def test_a_goal_is_given_on_until_each_kind_of_robot_has_had_it(
    fleet: Any, plain: Callable[..., Any]
) -> None:
    settings = plain(reject_recursion=True)
    script = {'fetch': ['Expand: sequence ["bert: fetch"]'] * 2
              + ['Expand: sequence ["anna: fetch"]', *FETCH]}  # fmt: skip
    run = fleet(script, 'bert', 'anna', drives_only='bert', settings=settings)
    run.play()
    begun = [one.robot for one in run.events if one.kind == 'goal']
    rejected = [one.text for one in run.events if 'is being worked on already' in one.text]
    assert begun == ['bert', 'bert']
    assert rejected, 'both kinds are above: anna was not asked'


@pytest.mark.parametrize('subgoal', ['bert: one', 'one'])
def test_with_a_time_limit_for_subtrees_nobody_waits_for_a_robot_by_name(
    subgoal: str, fleet: Any
) -> None:
    script = {
        'all': [f'Expand: sequence ["{subgoal}"]'],
        'one': ['Expand: sequence ["anna: drive"]'],
        'drive': DRIVE,
    }
    limits = Limits(subtree_duration_sec=100.0)
    run = fleet(script, 'anna', 'bert', limits=limits)
    run.play()
    assert run.run.report().status == 'succeeded'
    assert {one.robot for one in run.events} == {'anna'}


def test_what_is_passed_on_goes_to_a_third_robot_when_the_second_is_lost(fleet: Any) -> None:
    script = {**GIVES_UP, 'both': ['Expand: parallel ["drive", "fetch"]'],
              'drive': DRIVE, 'fetch': ['Act: failure', *FETCH[:-1], *FETCH]}  # fmt: skip
    run = fleet(script, 'anna', 'bert', 'carl', drives_only='bert')
    run.robots['anna'].ticks = 4 * TICKS
    run.robots['carl'].leaves_after = 0
    run.play()
    assert attempts(run, 'fetch') == [('bert', 'failure'), ('carl', 'failure'), ('anna', 'done')]
    assert run.run.report().status == 'succeeded'


def test_examples_of_robots_with_different_skills_are_not_mixed_up(
    fleet: Any, plain: Callable[..., Any]
) -> None:
    settings = plain(example_tokens=100)
    script = {
        'both': ['Expand: parallel ["bert: patrol", "anna: patrol"]'],
        'patrol': ['Act: go to bathroom 1', 'Act: go to bathroom 1', *['Act: done'] * 2],
    }
    run = fleet(script, 'anna', 'bert', drives_only='bert', shows=True, settings=settings)
    run.robots['bert'].observes_after = 3  # its examples are asked for later than in a replay
    run.play()
    assert run.run.report().status == 'succeeded'
    read = {(one.prompt.system, one.prompt.examples) for one in run.services.model.requests}
    assert ('You are anna.', ('an example of household',)) in read
    assert ('You are bert.', ('an example of base',)) in read
    planned_again(run, 'both')


@pytest.mark.parametrize('ticks', [(5, 5), (2, 7), (9, 2)])
def test_a_run_of_robots_with_different_skills_is_planned_again(
    ticks: tuple[int, int], fleet: Any
) -> None:
    script = {**GIVES_UP, 'fetch': ['Act: failure', *FETCH],
              'wait': ['Expand: sequence ["anna: drive on", "drive"]'], 'drive on': DRIVE,
              'drive': [*DRIVE, *DRIVE]}  # fmt: skip
    run = fleet(script, 'anna', 'bert', drives_only='bert')
    for robot, count in zip(run.robots.values(), ticks, strict=True):
        robot.ticks = count
    run.play()
    assert run.run.finished
    planned_again(run, 'both')


def test_at_a_closed_place_nobody_is_told_what_others_have_looked_into(
    fleet: Any, plain: Callable[..., Any]
) -> None:
    settings = plain(facts=('unexplored',))
    script = {
        'both': ['Expand: parallel ["search", "look"]'],
        'search': ['Act: go to kitchen cabinet 1', 'Act: open kitchen cabinet 1', 'Act: done'],
        'look': ['Act: go to kitchen counter 2', 'Act: go to kitchen table 1', 'Act: done'],
    }
    run = fleet(script, 'anna', 'bert', settings=settings)
    run.robots['anna'].ticks = 3 * TICKS
    run.play()
    assert run.run.report().status == 'succeeded'
    told = [one.text for one in run.events if (one.kind, one.path[-1]) == ('observation', 'search')]
    assert told[0].endswith('It is closed. You see nothing there.')
    left = told[1].split('Not looked into here: ')[1]
    assert 'kitchen table' not in left
    assert 'kitchen counter (2)' not in left


@pytest.mark.parametrize('ticks', [(5, 5), (2, 7), (9, 2), (3, 4)])
def test_who_is_stopped_has_its_robot_for_itself(ticks: tuple[int, int], fleet: Any) -> None:
    """It had lent it while it waited for the other, which then asks for helpers itself."""
    script = {
        'both': ['Expand: parallel ["search", "look"]'],
        'search': [
            'Act: recall location of salmon',
            'Expand: sequence ["bert: search the bathroom", "wait"]',
            'Act: go to kitchen counter 2',
            'Act: go to bedroom 1',
            'Act: go to kitchen counter 2',
            'Act: done',
        ],
        'look': [
            'Act: recall location of salmon',
            'Act: go to kitchen counter 2',
            'Expand: parallel ["one", "two"]',
        ],
        'one': ['Act: go to bathroom 1', 'Act: go to living room 1', 'Act: done'],
        'two': ['Act: go to bedroom 1', 'Act: go to living room 1', 'Act: done'],
        'search the bathroom': ['Act: go to bathroom 1', 'Act: failure'],
        'wait': ['Act: done'],
    }
    run = fleet(script, 'anna', 'bert', drives_only='bert')
    for robot, count in zip(run.robots.values(), ticks, strict=True):
        robot.ticks = count
    run.play()
    assert run.run.report().status == 'succeeded'
    assert any('stopped' in event.text for event in run.events)
    assert [robot.most for robot in run.robots.values()] == [1, 1]
    free = [robot.name for robot in run.run.root._state.free_robots]
    assert free == ['bert'], 'anna is with the root'
