# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The teacher of generated robots reaches goals, splits long ones, and decides what is allowed."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass, replace
from importlib.util import find_spec

import pytest

from reactree_ros.core.decision import Act, Choices, parse_decision
from reactree_ros.core.futures import Future
from reactree_ros.core.model import Answer, DecisionRequest, TextRequest
from reactree_ros.core.outcome import Reason
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.dataset import collect
from reactree_ros.lab.dataset.collect import TaughtRun, planner_of, runs_of, teach
from reactree_ros.lab.evaluation.plan import limits
from reactree_ros.lab.evaluation.trace import judged_run
from reactree_ros.lab.teacher.made import MadeTeacher
from reactree_ros.lab.teacher.made.aims import Aim, Knowledge
from reactree_ros.lab.teacher.mistakes import MistakeModel, MistakeShares
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.assembly import assemble
from reactree_ros.planner.run import GoalRun
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.made.belief import Belief
from reactree_ros.sim.made.make import DEV, FIELD_TRAIN, TRAIN, made_robot
from reactree_ros.sim.made.planning import plan_stages
from reactree_ros.sim.made.robot import AT, FULL, HELD, ON, PLACE, ROBOT
from reactree_ros.sim.made.seeing import View
from reactree_ros.sim.made.tasks import MadeTask, made_task
from reactree_ros.skills.simulated import WorldExecutor

from ...thorough import thorough

if find_spec('up_fast_downward') is None:
    pytest.skip('Fast Downward is not installed', allow_module_level=True)

RUNS = [(TRAIN, n) for n in range(61, thorough(106, 84))] + [
    (DEV, n) for n in range(1, thorough(16, 9))
]


class Checked:
    """A teacher whose decisions are held against what is allowed."""

    def __init__(self, teacher: MadeTeacher) -> None:
        self.teacher = teacher
        self.decisions = 0

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        self.decisions += 1
        answer = self.teacher.decide(request)
        found = answer.poll()
        assert found is not None
        parse_decision(found.text, request.choices)
        return answer

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        raise AssertionError


@dataclass
class Run:
    task: MadeTask
    reached: bool
    reason: Reason
    decisions: int
    depth: int
    text: str


def taught(name: str, number: int, planner: str = 'reactree+wm') -> Run:
    task = made_task(name, number)
    instruction = task.instructions[number % len(task.instructions)]
    most = limits(max_decisions=120)
    options = planner_of(TaughtRun(planner, name, number, 0, instruction), most)
    world = task.world()
    model = Checked(MadeTeacher(task, instruction, world))
    executor = model.teacher.watching(WorldExecutor(world))
    services = assemble(options, ScriptedModel({}), executor, library=task.made.library)
    goal = GoalRun(
        instruction, replace(services, model=model), most, namespace=f'{planner} {name} {number}'
    )
    try:
        while not goal.finished:
            goal.tick()
        report, agents = goal.report(), list(goal.agents())
    finally:
        goal.close()
    found = judged_run(task, world.judge(), report)
    return Run(
        task,
        found.holds and (task.impossible or report.status == 'succeeded'),
        report.reason,
        model.decisions,
        max(one.depth for one in agents),
        ''.join(one.trajectory.text() for one in agents),
    )


@pytest.fixture(scope='module')
def runs() -> list[Run]:
    return [taught(name, number) for name, number in RUNS]


def test_goals_are_reached(runs: list[Run]) -> None:
    missed = [(run.task.scene, run.task.condition_line) for run in runs if not run.reached]
    assert len(missed) <= 0.05 * len(runs), missed
    assert all(run.reason is not Reason.REPETITION for run in runs)
    assert all(run.decisions <= 100 for run in runs)


def test_trees_differ_in_depth_and_short_goals_are_seldom_split(runs: list[Run]) -> None:
    depths = Counter(run.depth for run in runs)
    assert {1, 2, 3} <= {*depths}
    short = [run.depth > 1 for run in runs if 0 < run.task.steps <= 3]
    long = [run.depth > 1 for run in runs if run.task.steps >= 8]
    assert sum(short) < 0.35 * len(short)
    assert sum(long) > 0.6 * len(long)


def test_all_that_can_be_decided_is(runs: list[Run]) -> None:
    text = '\n'.join(run.text for run in runs)
    for line in (
        *('Expand: sequence ', 'Expand: fallback '),
        *('Act: recall location of ', 'Act: failure: ', 'Act: done: '),
    ):
        assert f'\n{line}' in text, line


def test_what_fails_is_tried_again_and_then_given_up() -> None:
    """Each goal is reached, also where what the goal names first cannot be done."""
    runs = [taught(FIELD_TRAIN, number) for number in range(80, thorough(140, 105))]
    missed = [(run.task.scene, run.task.condition_line) for run in runs if not run.reached]
    assert len(missed) <= 0.1 * len(runs), missed
    text = '\n'.join(run.text for run in runs)
    assert 'That failed. I try it again.' in text
    assert 'has failed twice' in text
    assert ' or else ' in text


def test_without_expansions_there_is_one_node() -> None:
    for number in (4, 17):
        run = taught(TRAIN, number, 'react+wm')
        assert run.reached
        assert run.depth == 1


def test_it_knows_only_the_subgoals_that_it_has_made() -> None:
    task = made_task(TRAIN, 17)
    teacher = MadeTeacher(task, task.instruction, task.world())
    prompt = Prompt('', (), 'Primary goal: a\nSubgoals (sequence): b\nGoal: b\nNothing.\n')
    assert teacher.decision(DecisionRequest(prompt, Choices(), 1.0)) is None


def test_mistakes_are_made_but_not_learned() -> None:
    """With its hands empty the robot cannot put anything down."""
    task = made_task(TRAIN, 5017)  # take something to a room
    world = task.world()
    teacher = MadeTeacher(task, task.instruction, world)
    teacher.update(world.observe())
    prompt = Prompt('', (), f'Goal: {task.instruction}\n{world.observe().text}\n')
    skills = {one.name: one for one in task.made.library.skills}
    steps = plan_stages(task.made, world.belief.assumed(), world.conditions) or ()
    phrases = [skills[step.skill].ground(*step.arguments).phrase for step in steps]
    choices = Choices(skills=tuple(dict.fromkeys(phrases)), control_flows=(), think=False)
    request = DecisionRequest(prompt, choices, 1.0)
    right = teacher.decision(request)
    assert isinstance(right, Act)
    teacher.comes_first = False
    erring = MistakeModel(teacher, Draw('mistakes'))
    teacher.last = None  # it knew nothing to do
    answer = erring.decide(request).poll()
    assert answer is not None and answer.text.startswith('Act: failure')
    teacher.last = right
    wrong = {answer.text for _ in range(40) if (answer := erring.decide(request).poll())}
    assert f'Act: {right.phrase}' not in wrong
    assert 'Act: done' in wrong
    assert len(wrong) > 2
    mistakes = 0
    for number in range(1, 31):
        task = made_task(TRAIN, number)
        run = TaughtRun('reactree+wm', TRAIN, number, 0, task.instruction)
        refusal = task.made.say.refuses.split('{')[0] or 'Refused'
        for node in teach(run).nodes:
            mistakes += sum(not one.decided and one.text.startswith('Act: ') for one in node.steps)
            for step, after in itertools.pairwise(node.steps):
                assert not (step.decided and after.text.startswith(refusal)), node.text()
    assert mistakes > 5


@pytest.mark.parametrize(('forgets', 'least', 'most'), [(0.0, 0, 0), (1.0, 4, 100)])
def test_where_what_comes_first_is_forgotten_going_on_is_learned(
    monkeypatch: pytest.MonkeyPatch, forgets: float, least: int, most: int
) -> None:
    monkeypatch.setattr(collect, '_MISTAKES', MistakeShares(0.0, 0.0, forgets))
    learned = 0
    for number in range(1, 31):
        run = TaughtRun('reactree+wm', TRAIN, number, 0, made_task(TRAIN, number).instruction)
        for node in teach(run).nodes:
            # a node with the decision that was forgotten is an example of its own
            early = [not one.decided and one.text.startswith('Act: ') for one in node.steps]
            learned += any(
                is_early and any(one.decided for one in node.steps[place + 1 :])
                for place, is_early in enumerate(early)
                if any(one.decided for one in node.steps[:place])
            )
    assert least <= learned <= most


def test_to_charge_may_be_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collect, '_MISTAKES', replace(collect._MISTAKES, forgets=1.0))
    run = TaughtRun('reactree+wm', TRAIN, 112, 0, made_task(TRAIN, 112).instruction)
    text = '\n'.join(node.text() for node in teach(run).nodes)
    assert 'The battery is too low.\nThink: That does not work yet.' in text


def test_places_are_looked_into_in_the_order_in_which_the_prompt_lists_them() -> None:
    """At equally good places the next decision can be read off the observation."""
    first = others = 0
    for number in range(1, 61):
        run = TaughtRun('reactree+wm', TRAIN, number, 0, made_task(TRAIN, number).instruction)
        for node in teach(run).nodes:
            for before, step in itertools.pairwise(node.steps):
                found = re.search('Not looked into here: ([^.]*)', before.text)
                if found is None or not step.text.startswith('Act: '):
                    continue
                listed = re.findall(r'([^,(]+) \((\d+)', found[1].replace('), ', '),'))
                named = [
                    place for place, _ in listed
                    if re.search(rf'\b{re.escape(place.strip())} \d', step.text)
                ]  # fmt: skip
                if len(listed) > 1 and named:
                    first += named[0] == listed[0][0]
                    others += named[0] != listed[0][0]
    assert first > 20
    assert first > 3 * others


def test_a_phase_means_the_thing_that_the_phase_before_has_dealt_with() -> None:
    """After "find a cup and pick it up", "put the cup on the tray" means the cup in the hand."""
    robot = next(
        robot
        for robot in (made_robot(TRAIN, seed) for seed in range(1, 99))
        if any('grabbable' in one.tags and one.number == 2 for one in robot.things.values())
    )
    second = next(
        name for name, one in robot.things.items() if 'grabbable' in one.tags and one.number == 2
    )
    first = f'{second[:-1]}1'
    place = next(name for name, one in robot.things.items() if one.is_place)
    belief = Belief(robot)
    state = frozenset({*robot.static, (AT, ROBOT, place), (HELD, second)})
    belief.update(View(replace(robot, sees=FULL), state))
    put = Aim(
        facts=(((ON, first, place), (ON, second, place)),),
        reached=(((HELD, first), (HELD, second)),),
    )
    assert Knowledge(robot, belief).narrowed(put).facts == (((ON, second, place),),)


def test_done_is_said_where_it_was_seen_to_hold() -> None:
    """What a machine has done behind its door is looked at before the goal is called reached."""
    for number in range(1, 61):
        task = made_task(TRAIN, number)
        for node in teach(TaughtRun('reactree+wm', TRAIN, number, 0, task.instruction)).nodes:
            if node.origin.root and node.steps[-1].text == 'Act: done':
                told = [one.text for one in node.steps[:-1] if not one.decided]
                assert not (told and 'Not done yet' in told[-1]), node.text()


def test_examples_of_the_same_robot_stand_in_prompts() -> None:
    (run,) = runs_of(['react+wm'], [f'{TRAIN}:5-5'], wordings=1, shown=1.0)
    assert 1 <= run.shown <= 3
    collected = teach(run)
    assert collected.reached
    assert all(node.examples for node in collected.nodes if node.origin.root)
    assert all(run.instruction not in text for node in collected.nodes for text in node.examples)


def test_robots_of_tests_are_refused() -> None:
    with pytest.raises(ConfigurationError, match='made_train'):
        runs_of(['reactree+wm'], ['made_test:2'])


def test_prompts_say_what_was_not_looked_into_unless_the_robot_sees_everything() -> None:
    for sees, is_said in ((FULL, False), (PLACE, True)):
        robots = (made_task(TRAIN, number) for number in range(1, 100))
        one = next(task for task in robots if task.made.sees == sees and task.made.rooms)
        (run,) = runs_of(['reactree+wm'], [f'{TRAIN}:{one.id}-{one.id}'], wordings=1)
        text = ''.join(node.text() for node in teach(run).nodes)
        assert bool(re.search('Not looked into|Nothing here is left', text)) is is_said
