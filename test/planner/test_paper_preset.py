# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""In the paper's preset the decisions that the authors published are accepted as they stand."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reactree_ros.behaviours.action_mask import ActionMask
from reactree_ros.core.decision import (
    RECALL,
    Act,
    ControlFlow,
    Decision,
    Done,
    Expand,
    Failure,
    Recall,
    Think,
    parse_decision,
    to_text,
)
from reactree_ros.core.observation import SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.planner.options import planner_options
from reactree_ros.skills.call import Call, Kind
from reactree_ros.skills.library import GroundedSkill

SHARED = Path(os.environ.get('REACTREE_SHARED', Path(__file__).parents[2] / '../shared'))
PUBLISHED = SHARED / 'data' / 'wah_experiences.jsonl'

_ENDINGS = {'done': Done(), 'failure': Failure()}


def decisions_of(text: str) -> Iterator[Decision]:
    """Return the decisions of a published trajectory."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        kind, _, rest = line.partition(': ')
        if kind == 'Think':
            yield Think(rest)
        elif kind == 'Act' and rest.startswith(RECALL):
            yield Recall(rest.removeprefix(RECALL))
        elif kind == 'Act':
            yield _ENDINGS.get(rest) or Act(rest)
        elif line == 'Expand:':
            flow, subgoals = (one.partition(': ')[2] for one in lines[number + 1 : number + 3])
            yield Expand(ControlFlow(flow), tuple(subgoals.split(', ')))


class Offer:
    """A run in which the skills and recalls of a trajectory are possible all the time."""

    def __init__(self, decisions: list[Decision]) -> None:
        acts = [one.phrase for one in decisions if isinstance(one, Act)]
        recalls = {one.class_name for one in decisions if isinstance(one, Recall)}
        skills = [
            GroundedSkill(one, (), one, Call(Kind.ACTION, 'act')) for one in dict.fromkeys(acts)
        ]
        library = SimpleNamespace(executable=lambda situation: skills)
        situation = Situation(movable=frozenset(recalls))
        self.services = SimpleNamespace(
            settings=planner_options({'preset': 'paper'}), library=library, operator=None
        )
        self.memory = SimpleNamespace(situation=lambda: situation)
        self.answers: dict[str, str] = {}


@pytest.mark.skipif(not PUBLISHED.is_file(), reason='the published experiences are not there')
def test_every_published_decision_is_accepted_as_it_stands() -> None:
    count = 0
    for line in PUBLISHED.read_text(encoding='utf-8').splitlines():
        node = json.loads(line)
        decisions = [*decisions_of(node['text'])]
        offer: Any = Offer(decisions)
        goal = ' '.join(node['goal'].split())
        mask = ActionMask(offer, (goal,))
        for decision in decisions:
            mask.update()
            assert parse_decision(to_text(decision), mask.choices) == decision
            mask.decided(decision)
            if isinstance(decision, Act):
                mask.executed(mask.skill(decision.phrase), SkillStatus.REFUSED)
            elif isinstance(decision, Expand):
                assert mask.faults(decision) == [], node['goal']
            count += 1
    assert count > 4900
