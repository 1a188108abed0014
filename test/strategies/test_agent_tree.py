# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What HiAgent and STEP add to ReAcTree's agent nodes: summaries of acts, checks of subgoals."""

from __future__ import annotations

from typing import Any

import pytest

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.lab.evaluation.trace import TraceEvent
from reactree_ros.lab.report.engagement import engagement_of, idle_text, mechanisms_of
from reactree_ros.planner.experiences import experiences_of
from reactree_ros.strategies.strategy import Mechanism

DONE = 'Act: done'
FRIDGE, TABLE = 'Act: go to fridge 1', 'Act: go to kitchen table 1'
SPLIT = 'Expand: sequence ["walk"]'
FITS, IS_ONE, IS_MORE = 'Act: consistent', 'Act: one skill', 'Act: split the subgoal'
CHUNKS = {'strategies.reactree.chunk_acts': 2}
CHECKS = {'strategies.reactree.check_subgoals': True}
TWO_PARTS = ['Think: a', FRIDGE, TABLE, FRIDGE, 'The fridge is closed.', TABLE, DONE]


def lines(prompt: Any) -> list[str]:
    return [step.text for step in prompt.steps]


def engaged(played: Any, planner: str) -> dict[str, int]:
    counts = engagement_of(planner, [TraceEvent.of(event) for event in played.events])
    return {name: count for name, count in counts.items() if count}


def test_without_the_options_the_nodes_are_plain(play: Any) -> None:
    played = play({'root': [SPLIT], 'walk': [FRIDGE, TABLE, FRIDGE, DONE]})
    assert played.end().status == 'succeeded'
    assert {type(one) for one in played.agents().values()} == {AgentNode}
    assert all('hidden' not in one.prompt.system for one in played.model.requests)


def test_a_full_part_is_read_as_the_summary_that_the_model_wrote(play: Any) -> None:
    script = {'root': [SPLIT], 'walk': [*TWO_PARTS[:-1], 'Act: retrieve part 1', DONE]}
    played = play(script, **CHUNKS)
    assert played.end().status == 'succeeded'
    (asked,) = (request.prompt for request in played.model.texts)
    assert (asked.system, lines(asked)[:2]) == ('You sum up.', ['Think: a', FRIDGE])
    assert lines(asked)[-1] == 'Summary:' and TABLE in lines(asked)
    *_, folded, last = (one for one in played.model.requests if one.prompt.goal == 'walk')
    assert folded.prompt.system == 'You steer a robot. Parts are hidden.'
    assert lines(folded.prompt)[:2] == ['Summary of part 1: The fridge is closed.', FRIDGE]
    assert 'retrieve part 1' in folded.choices.skills
    assert lines(last.prompt)[:2] == ['Think: a', FRIDGE], 'it stands there again'
    assert engaged(played, 'reactree[chunk_acts=2]') == {
        'expansions': 1, 'summaries': 1, 'retrievals': 1, 'depth': 2,
    }  # fmt: skip
    learned = '\n'.join(one.text for one in experiences_of(played.run))
    assert 'part 1' not in learned and learned.count(FRIDGE) == 2


@pytest.mark.parametrize('written', [FRIDGE, 'Think: the fridge', ''])
def test_a_copied_decision_is_no_summary(play: Any, written: str) -> None:
    script = [*TWO_PARTS]
    script[4] = written
    played = play({'root': script}, **CHUNKS)
    assert played.end().status == 'succeeded'
    assert 'summaries' not in engaged(played, 'reactree[chunk_acts=2]')
    (why,) = [event.text for event in played.events if event.kind == 'rejected']
    assert 'not a summary' in why
    first = lines(played.model.requests[-1].prompt)[0]
    assert first.startswith('Summary of part 1: You are at the kitchen table (1).')


def test_a_subgoal_that_is_one_skill_is_reached_by_it(play: Any) -> None:
    script = {'root': [SPLIT, FITS, IS_ONE, FRIDGE]}
    played = play(script, **CHECKS)
    assert played.end().status == 'succeeded'
    assert played.names() == ['root', 'sequence of 1', 'walk', 'go to fridge 1']
    assert played.agents()['walk'].outcome.detail == 'it was one skill: go to fridge 1'
    first, consistent, mappable, which = played.model.requests
    assert first.prompt.system == 'You steer a robot.', 'the root is no subgoal'
    assert consistent.prompt.system == 'You check.'
    assert consistent.prompt.text().endswith('\nSubgoal: walk\n')
    assert 'Goal: root\nSubgoals (sequence' in consistent.prompt.text()
    assert mappable.choices.acts == ('one skill', 'split the subgoal')
    assert 'go to fridge 1' in which.choices.acts
    assert engaged(played, 'reactree[check_subgoals=true]') == {
        'expansions': 1, 'checks': 1, 'depth': 2,
    }  # fmt: skip


def test_a_check_reads_what_was_reached_before_and_why_an_answer_was_rejected(play: Any) -> None:
    split = 'Expand: sequence ["walk", "look"]'
    script = {'root': [split, FITS, IS_ONE, FRIDGE, 'Act: perhaps', 'Act: not for the goal', DONE]}
    played = play(script, replan_after_failure=True, **CHECKS)
    assert played.end().status == 'succeeded'
    *_, again, _ = played.model.requests
    first, rejected, subgoal = lines(again.prompt)
    assert (first, subgoal) == ('Think: walk', 'Subgoal: look')
    assert rejected.startswith('Not possible: ')


def test_a_larger_subgoal_is_worked_on_as_before(play: Any) -> None:
    script = {'root': [SPLIT, FITS, IS_MORE], 'walk': [FRIDGE, TABLE, DONE]}
    played = play(script, **CHECKS)
    assert played.end().status == 'succeeded'
    assert engaged(played, 'reactree')['expansions'] == 1, 'it was not split by the check'


@pytest.mark.parametrize(
    ('said', 'told'),
    [
        (['Act: beyond the robot'], 'no skill can do it'),
        (['Act: not for the goal'], 'does not serve the goal'),
        ([FITS, IS_ONE, 'Act: none of these'], 'no skill that can be done now'),
    ],
)
def test_an_unfit_subgoal_has_its_parent_plan_again(play: Any, said: list[str], told: str) -> None:
    script = {'root': ['Expand: sequence ["fly"]', *said, TABLE, DONE]}
    played = play(script, replan_after_failure=True, **CHECKS)
    assert played.end().status == 'succeeded'
    assert told in lines(played.model.requests[-2].prompt)[-1]
    assert played.agents()['fly'].outcome.success is False
    assert played.agents()['fly'].trajectory.steps[-1].text.startswith('Act: failure')


def test_both_together(play: Any) -> None:
    script = {'root': [SPLIT, FITS, IS_MORE], 'walk': TWO_PARTS}
    played = play(script, **CHUNKS, **CHECKS)
    assert played.end().status == 'succeeded'
    counts = engaged(played, 'reactree[chunk_acts=2,check_subgoals=true]')
    assert (counts['summaries'], counts['checks']) == (1, 1)


def test_reports_say_which_addition_never_ran() -> None:
    planner = 'reactree+wm[check_subgoals=true,chunk_acts=6]'
    assert mechanisms_of('reactree+wm') == (Mechanism.EXPANSIONS,)
    assert mechanisms_of('reactree+wm[chunk_acts=0]') == (Mechanism.EXPANSIONS,)
    ran = {one.value: one is Mechanism.EXPANSIONS for one in Mechanism}
    said = f'{planner}: no summaries, no retrievals, no checks'
    assert idle_text(planner, ran) == said
