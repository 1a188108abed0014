# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the planner learns from a goal that it reported as succeeded, and who has a say in it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from reactree_ros.core.futures import Future, ready
from reactree_ros.errors import StoreError
from reactree_ros.memory.experience import Verification
from reactree_ros.memory.learning import Learner
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.ros.goals.learning import MOST_REMEMBERED, GoalLearning, Verdict

pytestmark = pytest.mark.ros

WORDS = 'put find the thing place in on'
HOLDS, FAILS, UNKNOWN = (
    Verdict(True, True),
    Verdict(True, False, ('apple inside fridge',)),
    Verdict(),
)
WORLD, PERSON, REPORTED = Verification.WORLD, Verification.PERSON, Verification.REPORTED
SCRIPT = {
    'get the apple': ['Expand: sequence ["find it"]'],
    'find it': ['Act: go to bedroom 1', 'Act: go to kitchen 1', 'Act: done'],
}


class Slow:
    """An answer that comes when the test says so."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        self.there = False

    def poll(self) -> Verdict | None:
        return self.verdict if self.there else None

    def cancel(self) -> None:
        pass


@dataclass
class Lines:
    """A log."""

    lines: list[str] = field(default_factory=list)

    def info(self, message: str) -> None:
        self.lines.append(message)

    def warning(self, message: str) -> None:
        self.lines.append(message)


class Scene:
    """Learning with a store in memory and a world that says what the test wants."""

    def __init__(self, play: Any, encoder: Any, policy: str, library: Any) -> None:
        self._play = play
        self.store: Any = SqliteStore(':memory:', encoder.encoder_name, len(WORDS.split()) + 1)
        self.log = Lines()
        self.verdict: Future[Verdict] = ready(UNKNOWN)
        self.asked: list[str] = []
        self._learner = Learner(self.store, encoder)
        self.learning = GoalLearning(
            self._learner, policy, 'household', self.ask, self.log, lambda: 1e9, 'ann'
        )

    def ask(self, lines: Sequence[str]) -> Future[Verdict]:
        self.asked += lines
        return self.verdict

    def succeed(
        self,
        number: int = 1,
        strategy: str = 'reactree',
        script: Mapping[str, list[str]] = SCRIPT,
    ) -> bytes:
        """Have a run succeed, and return the goal's id."""
        played = self._play({goal: list(lines) for goal, lines in script.items()})
        assert played.end().status == 'succeeded'
        goal_id = number.to_bytes(16, 'little')
        self.learning.succeeded(goal_id, played.run, strategy, 'a model')
        return goal_id

    def settle(self) -> None:
        """Tick until nothing is under way."""
        turn = threading.Event()
        for _ in range(10_000):
            self.learning.tick()
            if not self.learning.busy:
                return
            turn.wait(0.001)
        raise AssertionError('it does not come to an end')

    @property
    def kept(self) -> list[Verification]:
        return [one.origin.verified for one in self.store.records()]

    def close(self) -> None:
        self.learning.close()
        self._learner.close()
        self.store.close()


@pytest.fixture
def scene(play: Any, word_encoder: Any, household: Any) -> Iterator[Callable[..., Scene]]:
    made: list[Scene] = []

    def make(policy: str = 'verified') -> Scene:
        made.append(Scene(play, word_encoder(WORDS), policy, household))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.parametrize(
    ('policy', 'verdict', 'kept'),
    [
        ('verified', HOLDS, [WORLD, WORLD]),
        ('verified', FAILS, []),
        ('verified', UNKNOWN, []),
        ('reported', HOLDS, [WORLD, WORLD]),
        ('reported', FAILS, []),
        ('reported', UNKNOWN, [REPORTED, REPORTED]),
        ('never', HOLDS, []),
    ],
)
def test_the_world_and_the_parameter_decide(
    scene: Any, policy: str, verdict: Verdict, kept: list[Verification]
) -> None:
    here = scene(policy)
    here.verdict = ready(verdict)
    here.succeed()
    here.settle()
    assert here.kept == kept
    assert here.asked == ([] if policy == 'never' else ['get the apple'])


def test_it_says_what_was_learned_and_what_was_not(scene: Any) -> None:
    here = scene()
    here.verdict = ready(HOLDS)
    here.succeed(1)
    here.settle()
    run = '20010909-014640-01000000'
    (record, _) = here.store.records()
    origin = record.origin
    assert (origin.run, origin.skills, origin.strategy) == (run, 'household', 'reactree')
    assert (origin.model, origin.time, origin.robot) == ('a model', 1e9, 'ann')
    here.succeed(2)
    here.settle()
    here.verdict = ready(FAILS)
    here.succeed(3)
    here.settle()
    assert here.log.lines == [
        f'kept 2 experiences of the run {run} (verified by the world); memory holds 2',
        'kept 0 experiences of the run 20010909-014640-02000000 (verified by the world), '
        '2 merged; memory holds 2',
        'learned nothing from the run 20010909-014640-03000000: in the world the goal is not '
        'reached (apple inside fridge)',
    ]


def test_nothing_moves_before_the_world_has_answered(scene: Any) -> None:
    here = scene()
    here.verdict = slow = Slow(HOLDS)
    here.succeed()
    here.learning.tick()
    assert here.learning.checking
    slow.there = True
    here.learning.tick()
    assert not here.learning.checking
    here.settle()
    assert here.kept == [WORLD, WORLD]


@pytest.mark.parametrize('verdict', [UNKNOWN, FAILS])
def test_a_person_who_says_that_it_was_reached_teaches(scene: Any, verdict: Verdict) -> None:
    here = scene()
    here.verdict = ready(verdict)
    goal = here.succeed()
    here.settle()
    taken, message, run = here.learning.confirm(goal, reached=True)
    assert taken and run in message
    here.settle()
    assert here.kept == [PERSON, PERSON]
    assert 'kept 2 experiences' in here.log.lines[-1]
    assert 'verified by a person' in here.log.lines[-1]


def test_a_person_outdoes_the_world(scene: Any) -> None:
    here = scene()
    here.verdict = ready(HOLDS)
    goal = here.succeed()
    here.settle()
    here.learning.confirm(bytes(16), reached=True)
    here.settle()
    assert here.kept == [PERSON, PERSON], 'all zeros mean the latest goal'
    here.learning.confirm(goal, reached=False)
    here.settle()
    assert here.kept == []
    assert 'forgot 2 experiences' in here.log.lines[-1]
    here.learning.confirm(goal, reached=True)
    here.settle()
    assert here.kept == [PERSON, PERSON], 'and may think better of it'


def test_a_person_may_answer_before_the_world_does(scene: Any) -> None:
    here = scene()
    here.verdict = slow = Slow(HOLDS)
    goal = here.succeed()
    here.learning.confirm(goal, reached=False)
    slow.there = True
    here.settle()
    assert here.kept == []


def test_only_the_latest_goals_are_remembered(scene: Any) -> None:
    here = scene()
    goals = [here.succeed(number) for number in range(1, MOST_REMEMBERED + 2)]
    here.settle()
    taken, message, run = here.learning.confirm(goals[0], reached=True)
    assert (taken, run) == (False, '')
    assert f'not one of the last {MOST_REMEMBERED} goals' in message
    assert here.learning.confirm(goals[1], reached=True)[0]


def test_plans_are_no_examples_for_agent_nodes(scene: Any) -> None:
    here = scene('reported')
    here.succeed(strategy='zsp')
    here.settle()
    assert (here.kept, here.asked) == ([], [])


def test_a_goal_that_was_reached_before_anything_was_done_teaches_nothing(scene: Any) -> None:
    here = scene()
    here.verdict = ready(HOLDS)
    here.succeed(script={'get the apple': ['Think: It is here.', 'Act: done']})
    here.settle()
    assert (here.kept, here.asked) == ([], [])
    assert here.log.lines == ['learned nothing from this run: it executed no skill']


def test_a_denial_that_the_store_missed_may_be_repeated(scene: Any) -> None:
    here = scene()
    here.verdict = ready(HOLDS)
    goal = here.succeed()
    here.settle()
    works = here.store.forget

    def locked(*_: Any) -> None:
        raise StoreError('the store is locked')

    here.store.forget = locked
    here.learning.confirm(goal, reached=False)
    here.settle()
    assert here.kept == [WORLD, WORLD]
    here.store.forget = works
    here.learning.confirm(goal, reached=False)
    here.settle()
    assert here.kept == []


def test_without_learning_a_verdict_is_refused_with_the_reason(scene: Any) -> None:
    here = scene('never')
    taken, message, _ = here.learning.confirm(here.succeed(), reached=True)
    assert not taken and 'memory.learning_policy is never' in message


def test_a_store_that_fails_is_told_once(scene: Any) -> None:
    here = scene()
    here.verdict = ready(HOLDS)
    works = here.store.add_run

    def full(*_: Any) -> None:
        raise StoreError('the disk is full')

    here.store.add_run = full
    goal = here.succeed(1)
    here.settle()
    here.succeed(2)
    here.settle()
    assert here.log.lines == [
        'cannot write to episodic memory: the disk is full; goals continue without learning'
    ]
    here.store.add_run = works
    here.learning.confirm(goal, reached=True)
    here.settle()
    assert here.kept == [PERSON, PERSON]


def test_what_the_planner_calls_unconfirmed_needs_a_person(
    play: Any, word_encoder: Any, household: Any
) -> None:
    script = {'get the apple': ['Act: go to fridge 1', 'Act: done', 'Act: done']}
    scene = Scene(
        lambda lines: play(lines, conditions=('apple held',), max_rejected_done=1),
        word_encoder(WORDS),
        'reported',
        household,
    )
    try:
        goal_id = scene.succeed(script=script)
        scene.settle()
        assert scene.kept == []
        assert scene.asked == ['apple held']
        scene.learning.confirm(goal_id, True)
        scene.settle()
        assert scene.kept == [PERSON]
    finally:
        scene.close()


def test_conditions_are_asked_for_where_a_library_has_no_predicates(
    play: Any, word_encoder: Any, household: Any
) -> None:
    library = replace(household, predicates=())
    script = {'open it': ['Act: go to fridge 1', 'Act: open fridge 1', 'Act: done']}
    scene = Scene(
        lambda lines: play(lines, library=library, conditions=('fridge open',)),
        word_encoder(WORDS),
        'verified',
        library,
    )
    try:
        scene.succeed(script=script)
        assert scene.asked == ['fridge open']
    finally:
        scene.close()
