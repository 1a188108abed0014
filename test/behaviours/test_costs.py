# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What is counted: each decision once, for its node and for the run."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import reduce
from typing import Any

import pytest

from reactree_ros.core.futures import Future, Promise, mapped
from reactree_ros.core.model import Answer, DecisionRequest
from reactree_ros.core.outcome import Costs, Reason
from reactree_ros.errors import ModelError
from reactree_ros.models.scripted import ENDLESS, ScriptedModel

DONE, FAILURE = 'Act: done', 'Act: failure'
TIDY = {
    'tidy up': ['Think: two things', 'Expand: sequence ["first", "second", "third"]'],
    'first': ['Act: go to fridge 1', 'nonsense', 'Act: open fridge 1', DONE],
    'second': ['Act: recall location of mug', 'Expand: sequence ["deeper"]'],
    'deeper': [FAILURE],
    'third': [DONE],
}


class CountedModel(ScriptedModel):
    """A script whose answers cost something, each something else."""

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        number = len(self.requests) + 1
        return mapped(super().decide(request), lambda answer: self._counted(answer, number))

    def _counted(self, answer: Answer, number: int) -> Answer:
        return Answer(
            text=answer.text,
            tokens_in=1000 + number,
            tokens_reused=900 + number,
            tokens_out=number,
            queued_seconds=0.125,
            prefill_seconds=0.25 * number,
            decode_seconds=0.5,
            dropped=number % 2,
            model='big' if number % 3 else 'small',
        )


def added(costs: Any) -> Costs:
    """Return the sum without the total, which is a time of its own."""
    return replace(reduce(Costs.__add__, costs, Costs()), total_seconds=0.0)


def test_costs_add_up_field_by_field() -> None:
    ones = Costs(*range(1, len(fields(Costs)) + 1))
    assert ones + ones == Costs(*(2 * value for value in vars(ones).values()))
    assert (Costs(tokens_in=8, tokens_reused=6).reused, Costs().reused) == (0.75, 0.0)


def test_run_nodes_and_decisions_count_the_same(play: Any) -> None:
    played = play(dict(TIDY), model_type=CountedModel)
    report = played.end()
    assert report.status == 'failed'
    asked = len(played.model.requests)
    assert report.costs.decisions == asked == 9
    numbers = range(1, asked + 1)
    assert report.costs.tokens_in == sum(1000 + n for n in numbers)
    assert report.costs.tokens_reused == sum(900 + n for n in numbers)
    assert report.costs.tokens_out == sum(numbers)
    assert report.costs.dropped == 5
    assert report.costs.queued_seconds == pytest.approx(0.125 * asked)
    assert report.costs.prefill_seconds == pytest.approx(0.25 * sum(numbers))
    assert report.costs.decode_seconds == pytest.approx(0.5 * asked)
    assert added(node.costs for node in report.nodes) == added([report.costs])
    decisions = added(event.decision for event in played.events)
    assert decisions == replace(added([report.costs]), skills=0)


TOLD = [
    ('goal', 0, ''),
    ('think', 1, 'big'),
    ('expand', 1, 'big'),
    ('goal', 0, ''),
    ('act', 1, 'small'),
    ('observation', 0, ''),
    ('rejected', 1, 'big'),
    ('observation', 0, ''),
    ('act', 1, 'big'),
    ('observation', 0, ''),
    ('done', 1, 'small'),
    ('goal', 0, ''),
    ('recall', 1, 'big'),
    ('observation', 0, ''),
    ('expand', 1, 'big'),
    ('goal', 0, ''),
    ('failure', 1, 'small'),
    ('failure', 0, ''),
    ('failure', 0, ''),
    ('ended', 0, ''),
]


def test_a_decision_is_told_with_its_costs_once(play: Any) -> None:
    played = play(dict(TIDY), model_type=CountedModel)
    played.end()
    assert [(e.kind, e.decision.decisions, e.model) for e in played.events] == TOLD
    think = played.events[1]
    assert think.decision == Costs(
        decisions=1,
        tokens_in=1001,
        tokens_reused=901,
        tokens_out=1,
        dropped=1,
        queued_seconds=0.125,
        prefill_seconds=0.25,
        decode_seconds=0.5,
    )
    assert think.node == think.run == think.decision
    done = played.events[10]
    assert (done.node.decisions, done.node.skills, done.run.decisions) == (4, 2, 6)


def test_every_node_that_began_is_listed_above_those_below_it(play: Any) -> None:
    report = play(dict(TIDY), model_type=CountedModel).end()
    listed = [
        ('/'.join(node.path), node.reason, node.costs.decisions, node.costs.skills)
        for node in report.nodes
    ]
    # the third never began
    assert listed == [
        ('tidy up', Reason.EXPANSION, 2, 0),
        ('tidy up/first', Reason.DONE, 4, 2),
        ('tidy up/second', Reason.EXPANSION, 2, 0),
        ('tidy up/second/deeper', Reason.GAVE_UP, 1, 0),
    ]


class Clock:
    """Time that passes when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_what_is_cut_short_is_counted_for_the_node_that_waited(play: Any, robot: Any) -> None:
    clock = Clock()
    script = {'root': ['Expand: sequence ["a", "b"]'], 'a': ['Act: go to fridge 1', ENDLESS]}
    played = play(script, robot=robot, clock=clock)
    played.tick_until(lambda: bool(robot.running))
    clock.now += 3
    robot.running[0].finish()
    played.tick_until(lambda: len(played.model.requests) == 3)
    clock.now += 4
    played.run.cancel()
    clock.now += 10
    root, a = played.run.report().nodes
    assert (a.reason, a.costs.skill_seconds, a.costs.model_seconds) == (None, 3.0, 4.0)
    assert (root.reason, root.costs.model_seconds) == (Reason.CANCELED, 0.0)
    assert (root.costs.total_seconds, a.costs.total_seconds) == (7.0, 7.0)
    assert played.run.report().costs.model_seconds == 4.0


def test_the_time_of_a_request_that_failed_is_counted(play: Any) -> None:
    clock, asked = Clock(), list[Promise[Answer]]()

    class Silent(ScriptedModel):
        def decide(self, request: DecisionRequest) -> Future[Answer]:
            asked.append(Promise())
            return asked[-1]

    played = play({'root': []}, clock=clock, model_type=Silent)
    played.tick_until(lambda: bool(asked))
    clock.now += 120
    asked[0].fail(ModelError('no answer within 120 s'))
    report = played.end()
    assert (report.reason, report.costs.model_seconds) == (Reason.MODEL, 120.0)
