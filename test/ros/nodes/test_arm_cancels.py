# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Skills of the arm are canceled at random moments: it rests, and the next skill works.

A few in the suite; ``make cancels`` cancels 30 times and says how long the arm took to rest. A
moment is drawn by its seed, so that it can be tried again: ``REACTREE_CANCEL_SEED=17``.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from action_msgs.msg import GoalStatus

from reactree_ros.cli.process_group import ProcessGroup

from ...thorough import thorough

pytest.importorskip('mujoco')
pytest.importorskip('ompl')
pytest.importorskip('vision_msgs')
pytestmark = pytest.mark.ros

from ..arm_client import ARM_SKILLS, BRIDGE, Skills, Watch  # noqa: E402

CANCELS = int(os.environ.get('REACTREE_CANCELS') or thorough(3, 1))
SEED = os.environ.get('REACTREE_CANCEL_SEED')
SEEDS = [int(SEED)] if SEED else [*range(CANCELS)]
ABOVE = SEEDS[1 :: max(3, len(SEEDS) // 4)]
"""The moments that are tried above the controllers, too."""
REST_SEC = 0.5
SPEED, FINGERS = 0.02, 0.005
"""What is slower is at rest: joints of arm and base (rad/s or m/s), fingers (m/s)."""
WATCH_SEC = 1.5

TABLE, DRAWER, SHELF = 'kitchen table 1', 'drawer 1', 'shelf 1'
HELD = (('go_to', TABLE), ('pick_up', 'red block 1'))


@dataclass(frozen=True)
class Case:
    """A skill that is canceled.

    Args:
        before: skills before it.
        skill: its name and its arguments.
        seconds: it takes a little longer than this, in simulated time.
        done: what holds if it has succeeded; empty for nothing that the simulator can judge.
    """

    before: tuple[tuple[str, ...], ...]
    skill: tuple[str, ...]
    seconds: float
    done: str


CASES = (
    Case((), ('go_to', TABLE), 2.3, ''),
    Case(HELD[:1], HELD[1], 3.5, 'red block held'),
    Case((('go_to', DRAWER),), ('open', DRAWER), 9.0, 'drawer open'),
    Case((*HELD, ('go_to', DRAWER)), ('open', DRAWER), 17.0, 'drawer open'),
    Case(
        (*HELD, ('go_to', SHELF)), ('put_into', 'red block 1', 'tray 1'), 3.6, 'red block on tray'
    ),
)
REASONS = {
    'no hand is free, you hold red block (1)': 'red block held',
    'you do not hold it': 'hands empty',
    'it is open already': 'drawer open',
}
"""Why a skill may be refused after a cancel, and what has to be true then."""


@pytest.fixture
def kitchen(spinner: Any, tmp_path: Path) -> Callable[..., Any]:
    @contextmanager
    def start(seed: int, above: bool) -> Iterator[tuple[Skills, Watch]]:
        path, log = tmp_path / 'params.yaml', list[str]()
        bridge = {'pace': 1.0, 'seed': seed, 'skills': not above}
        names = {'/**/kitchen_bridge': bridge, '/**/arm_skills': {'seed': seed}}
        path.write_text(
            yaml.safe_dump({name: {'ros__parameters': values} for name, values in names.items()})
        )
        given = {'sim': 'kitchen', 'params_file': str(path)}
        processes = (BRIDGE, ARM_SKILLS) if above else (BRIDGE,)
        skills, watch = Skills(spinner, log), Watch(spinner)
        with ProcessGroup(given, lambda name, line: log.append(line), processes):
            skills.ready()
            yield skills, watch

    return start


@pytest.mark.parametrize(
    ('seed', 'above'), [*((seed, False) for seed in SEEDS), *((seed, True) for seed in ABOVE)]
)
def test_after_a_cancel_the_arm_rests_and_the_next_skill_works(
    kitchen: Callable[..., Any], seed: int, above: bool
) -> None:
    draw = random.Random(f'cancel {seed}')
    case = CASES[seed % len(CASES)]
    moment = draw.uniform(0.0, case.seconds)
    with kitchen(seed, above) as (skills, watch):
        spinner = skills.spinner
        for skill in case.before:
            skills.do(*skill)
        handle = skills.start(*case.skill)
        begin = watch.time
        spinner.until(lambda: watch.time >= begin + moment, 'it is time', 120.0, seen=skills.log)
        sent = time.monotonic()
        asked = handle.cancel_goal_async()
        spinner.until(asked.done, 'the cancel is answered')
        answered, since = time.monotonic(), watch.time
        status, text = skills.end(handle)
        ended = time.monotonic()
        spinner.until(lambda: watch.time >= since + WATCH_SEC, 'time passes', 120.0)
        rest = watch.moved_last(since, SPEED, FINGERS) - since
        print(
            f'\n{" ".join(case.skill)}, seed {seed}{", above the controllers" * above}: '
            f'canceled after {moment:.2f} s; at rest {rest:.3f} s after the answer; answered after '
            f'{answered - sent:.3f} s and ended {ended - answered:.3f} s later (wall): {text!r}'
        )
        assert status == GoalStatus.STATUS_CANCELED, text
        assert rest < REST_SEC
        spinner.until(lambda: not watch.active(), 'no goal is active', seen=watch.active())
        assert 'You hold' not in skills.observe() or skills.holds('red block held')
        status, text = skills.end(skills.start(*case.skill))
        print(f'again: {text!r}')
        if status == GoalStatus.STATUS_SUCCEEDED:
            assert not case.done or skills.holds(case.done), text
        else:
            true = [fact for reason, fact in REASONS.items() if text.endswith(f': {reason}.')]
            assert true, (text, skills.log)
            assert skills.holds(*true), text
        skills.do('go_to', 'kitchen counter 1')
