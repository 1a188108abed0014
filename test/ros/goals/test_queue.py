# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goals that wait for their turn, what each client hears of its own, and stopping all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from action_msgs.msg import GoalStatus
from std_srvs.srv import Trigger

from reactree_interfaces.action import ExecuteGoal
from reactree_ros.models.scripted import ENDLESS
from reactree_ros.ros.conversions import feedback_from_msg
from reactree_ros.ros.nodes.diagnostics import Pace

from ...goal_results import in_words

pytestmark = pytest.mark.ros

SCRIPT = {
    'think for ever': [ENDLESS],
    **{f'look around {word}': ['Act: go to bathroom 1', 'Act: done'] for word in 'abcd'},
}
QUEUE = {'goals.policy': 'queue', 'goals.max_queued': 3}


class Sent:
    """A goal with all that its client hears."""

    def __init__(self, system: Any, text: str, priority: int = 0) -> None:
        self._system = system
        self.heard: list[tuple[str, str]] = []
        future = system.planner.send_goal_async(
            ExecuteGoal.Goal(goal=text, priority=priority),
            self._on_feedback,
        )
        system.spinner.until(future.done, f'{text} is answered')
        self.handle = future.result()
        self.result = self.handle.get_result_async() if self.handle.accepted else None

    def _on_feedback(self, message: Any) -> None:
        event = feedback_from_msg(message.feedback)
        self.heard.append((event.kind, event.text))

    @property
    def waited(self) -> list[str]:
        """What it was told while it waited."""
        return [text for kind, text in self.heard if kind == 'queued']

    def began(self) -> bool:
        return any(kind == 'goal' for kind, _ in self.heard)

    def end(self) -> tuple[int, str, str]:
        """Wait for its end and return how it ended."""
        self._system.spinner.until(self.result.done, 'the result', seen=self._system.log)
        answer = in_words(self.result.result())
        return answer.status, answer.result.status, answer.result.message


@pytest.fixture
def system(start_system: Callable[..., Any]) -> Iterator[Any]:
    with start_system(SCRIPT, QUEUE) as started:
        started.ready()
        yield started


def test_goals_wait_for_their_turn_by_priority(system: Any) -> None:
    first = Sent(system, 'think for ever')
    a, b, c = (Sent(system, f'look around {word}', n) for word, n in (('a', 0), ('b', 5), ('c', 0)))
    system.spinner.until(lambda: a.waited[-1:] == ['waiting for its turn, behind 1 more'])
    assert a.waited[0] == 'next in turn'
    system.spinner.until(lambda: b.waited == ['next in turn'])
    system.spinner.until(lambda: c.waited == ['waiting for its turn, behind 2 more'])
    assert not any(goal.began() for goal in (a, b, c))
    rejected = Sent(system, 'look around d')
    assert not rejected.handle.accepted
    system.logs("rejected the goal 'look around d': 3 goals are waiting already")
    system.cancel(first.handle)
    assert first.end()[:2] == (GoalStatus.STATUS_CANCELED, 'canceled')
    ended: list[str] = []
    for name, goal in (('a', a), ('b', b), ('c', c)):
        goal.result.add_done_callback(lambda _, name=name: ended.append(name))
    assert [goal.end()[1] for goal in (a, b, c)] == ['succeeded'] * 3
    system.spinner.until(lambda: len(ended) == 3)
    assert ended == ['b', 'a', 'c']
    assert c.waited[-1] == 'next in turn'


def test_a_goal_that_waits_can_be_canceled(system: Any) -> None:
    first = Sent(system, 'think for ever')
    a, b = (Sent(system, f'look around {word}') for word in 'ab')
    system.cancel(a.handle)
    assert a.end() == (GoalStatus.STATUS_CANCELED, 'canceled', 'the goal was canceled')
    assert not first.result.done(), 'the goal that runs is not touched'
    system.cancel(first.handle)
    assert b.end()[1] == 'succeeded'
    assert not a.began()


def test_all_goals_can_be_stopped_without_knowing_them(system: Any) -> None:
    stop = system.spinner.node.create_client(Trigger, 'reactree/stop')
    system.spinner.until(stop.service_is_ready, 'the service is there')
    goals = [Sent(system, 'think for ever'), Sent(system, 'look around a')]
    system.spinner.until(goals[0].began, 'it runs')
    answer = stop.call_async(Trigger.Request())
    system.spinner.until(answer.done, 'the stop is answered')
    assert (answer.result().success, answer.result().message) == (True, '2 goals canceled')
    assert [goal.end()[1:] for goal in goals] == [('canceled', 'all goals were stopped')] * 2
    assert Sent(system, 'look around b').end()[1] == 'succeeded', 'it takes new goals'
    answer = stop.call_async(Trigger.Request())
    system.spinner.until(answer.done, 'the stop is answered')
    assert answer.result().message == 'no goal was there'


def test_goals_that_wait_end_with_the_planner(system: Any) -> None:
    goals = [Sent(system, 'think for ever'), Sent(system, 'look around a')]
    planner = next(
        one.process for one in system.group._running if one.spec.name == 'reactree_planner'
    )
    planner.terminate()
    assert [goal.end()[1:] for goal in goals] == [('canceled', 'the planner is leaving')] * 2


def test_the_pace_of_ticks_is_late_when_they_take_more_than_twice_as_long() -> None:
    now = [0.0]
    pace = Pace(0.05, lambda: now[0])
    assert not pace.late
    for now[0] in (0.0, 0.05, 0.1, 0.16):
        pace.tick()
    assert (pace.late, pace.word) == (False, 'every 53 ms of 50')
    now[0] = 1.0
    assert pace.late, 'a tick that does not come is late before it comes'
    pace.tick()
    assert (pace.late, pace.word) == (True, 'every 250 ms of 50')
    for _ in range(60):
        now[0] += 0.05
        pace.tick()
    assert not pace.late
