# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goals of several things to be fetched, for one robot or several.

Rules may stand in for a language model, so that what is measured is the time of the robots: they
read the same prompts and choose from the same decisions.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from reactree_ros.core.decision import RECALL
from reactree_ros.core.futures import Future, failed, ready
from reactree_ros.core.model import Answer, DecisionRequest, PlannerModel
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.outcome import RunReport
from reactree_ros.core.prompt import Prompt
from reactree_ros.core.situation import Situation
from reactree_ros.errors import WorldError
from reactree_ros.execution.claims import Claims
from reactree_ros.execution.guard import guarded
from reactree_ros.lab.kept_model import kept_model
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.planner.assembly import assemble, for_team, library_of
from reactree_ros.planner.in_process import run_goal
from reactree_ros.planner.options import planner_options
from reactree_ros.sim.household import World, check_lines
from reactree_ros.sim.household.scene import Scene
from reactree_ros.sim.household.shipped import shipped_scene
from reactree_ros.skills.conditions import Question
from reactree_ros.skills.executor import SENT, SkillExecutor, SkillRun
from reactree_ros.skills.library import GroundedSkill
from reactree_ros.skills.simulated import WorldExecutor

THINGS = 4
_TARGETS = ('kitchen table', 'dining table', 'coffee table', 'kitchen counter', 'desk')
_HERE = re.compile(r'Not looked into here: ([^.]*)\.|Nothing here is left to look into')
_LISTED = re.compile(r'([^,(]+) \(([\d, ]+)\)')
_SEEN = re.compile(r'\d (?:inside|on|near) (.+? \d+) in ')
_OPTIONS = {
    'skills': 'household',
    'agent.read_conditions': False,
    'agent.check_at_start': False,
    'agent.explain_endings': False,
    'agent.max_repetitions': 0,
    'limits.max_decisions': 2000,
    'memory.example_tokens': 0,
    'memory.store': '',
    'prompt.facts': ['unexplored'],
}


@dataclass(frozen=True)
class Fetching:
    """One goal: things that are somewhere, and have to be in one place.

    Args:
        scene: name of the scene.
        start: room in which all robots start.
        things: classes of movable objects.
        target: name of the place, e.g. ``coffee table 1``.
        room: of the place.
        rooms: all of the scene.
    """

    scene: str
    start: str
    things: tuple[str, ...]
    target: str
    room: str
    rooms: tuple[str, ...]

    @property
    def text(self) -> str:
        """The goal in words."""
        return f'bring {", ".join(self.things)} to {self.target}'

    @property
    def sentence(self) -> str:
        """The goal as a person says it."""
        *others, last = (f'the {thing}' for thing in self.things)
        return f'Put {", ".join(others)} and {last} on the {self.target.rpartition(" ")[0]}.'

    @property
    def subgoals(self) -> tuple[str, ...]:
        """A subgoal for each thing."""
        return tuple(f'bring {thing} to {self.target}' for thing in self.things)

    @property
    def conditions(self) -> tuple[str, ...]:
        """What holds when it is reached."""
        return tuple(f'{thing} on {self.target.rpartition(" ")[0]}' for thing in self.things)


def drawn_goals(scenes: Sequence[str], seed: int = 0) -> tuple[Fetching, ...]:
    """Return a goal for each scene; one that has too few things to fetch is left out.

    Args:
        scenes: names of shipped scenes.
        seed: of the draw.
    """
    found = []
    for name in scenes:
        scene = shipped_scene(name)
        rng = random.Random(f'{name} {seed}')
        targets = [node for words in _TARGETS for node in scene.of_words(words)]
        if not targets:
            continue
        target = targets[0]
        things = sorted(_to_fetch(scene, target.id))
        if len(things) >= THINGS:
            rooms = tuple(scene.nodes[room].name for room in scene.rooms)
            room = scene.near[target.id].room
            assert room is not None
            found.append(
                Fetching(
                    name,
                    rng.choice(rooms),
                    tuple(rng.sample(things, THINGS)),
                    target.name,
                    scene.nodes[room].name,
                    rooms,
                )
            )
    return tuple(found)


def _to_fetch(scene: Scene, target: int) -> Iterator[str]:
    """Yield the classes of which all things are on or in furniture, and none at the target."""
    classes: dict[str, list[bool]] = {}
    for node in scene.nodes.values():
        if 'grabbable' in node.affordances and 'furniture' not in node.affordances:
            supports = [edge.to_id for edge in scene.near[node.id].supports]
            fits = len(supports) == 1 and supports[0] in scene.furniture and supports[0] != target
            classes.setdefault(node.words, []).append(fits)
    library = library_of(planner_options(_OPTIONS))
    for words, fit in classes.items():
        if all(fit) and words in library.objects:
            yield words


class FetchingRules(ScriptedModel):
    """Decides for ``Fetching`` goals by rules in place of a script: find each thing, then take it.

    To find one is a parallel of a subgoal a room, each of which ends as soon as a robot has seen
    the thing. Each thing is looked for in another room first.

    Args:
        goal: the goal.
    """

    def __init__(self, goal: Fetching) -> None:
        super().__init__({})
        self._goal = goal

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Return the decision for the goal that the prompt ends with."""
        return ready(Answer(self._decision(request.prompt, request.choices.skills)))

    def _decision(self, prompt: Prompt, offered: Sequence[str]) -> str:
        goal, own = self._goal, prompt.goal
        if own == goal.text:
            return _expansion('parallel', goal.subgoals)
        words, _, rest = own.partition(' ')
        if words == 'bring':
            thing = rest.removesuffix(f' to {goal.target}')
            return _expansion('sequence', [f'find {thing}', f'take {rest}'])
        thing = re.split(' (?:in|to) ', rest.removeprefix('for '))[0]
        acts = [step.text for step in prompt.steps if step.decided]
        lines = [prompt.task.splitlines()[-1], *(step.text for step in prompt.steps)]
        if words == 'take':
            return self._take(thing, acts, lines, offered)
        recall = f'Act: {RECALL}{thing}'
        if not acts or acts[-1] != recall:
            return recall
        if not lines[-1].endswith('not seen so far.'):
            return 'Act: done'
        if words == 'find':
            first = len(goal.rooms) * goal.things.index(thing) // len(goal.things)
            rooms = (*goal.rooms[first:], *goal.rooms[:first])
            return _expansion('parallel', [f'look for {thing} in {room}' for room in rooms])
        room = rest.partition(' in ')[2]
        if f'go to {room}' in offered:
            return f'Act: go to {room}'
        return self._search(thing, acts, lines, offered)

    def _search(
        self, thing: str, acts: Sequence[str], lines: Sequence[str], offered: Sequence[str]
    ) -> str:
        """Look into the next place of the room."""
        closed = [one for one in offered if one.startswith('open ') and f'Act: {one}' not in acts]
        if closed:
            return f'Act: {closed[0]}'
        left = [name for name in _left_here(lines) if f'go to {name}' in offered]
        if not left:
            return 'Act: done'
        things = self._goal.things
        return f'Act: go to {left[len(left) * things.index(thing) // len(things)]}'

    def _take(
        self, thing: str, acts: Sequence[str], lines: Sequence[str], offered: Sequence[str]
    ) -> str:
        """Bring a thing of which it is known where it is."""
        goal = self._goal
        if lines[-1].startswith(f'You put down {thing} ('):
            return 'Act: done'
        held = [one for one in offered if re.match(rf'put down {thing} \d', one)]
        if held and acts and acts[-1] == f'Act: go to {goal.target}':
            return f'Act: {held[0]}'
        if any(line.startswith(f'You pick up {thing} (') for line in lines):
            to = f'go to {goal.target}'
            return f'Act: {to}' if to in offered else f'Act: go to {goal.room}'
        for one in offered:
            if re.match(rf'pick up {thing} \d', one):
                return f'Act: {one}'
        recall = f'Act: {RECALL}{thing}'
        if not acts or acts[-1] != recall:
            return recall
        for place in _SEEN.findall(lines[-1]):
            for one in (f'go to {place}', f'open {place}'):
                if one in offered:
                    return f'Act: {one}'
        return 'Act: failure'


def _expansion(control_flow: str, subgoals: Sequence[str]) -> str:
    listed = ', '.join(f'"{one}"' for one in subgoals)
    return f'Expand: {control_flow} [{listed}]'


def _left_here(lines: Sequence[str]) -> list[str]:
    """Return the places of the room that are left to look into, as it was said last."""
    said = next(filter(None, map(_HERE.search, reversed(lines))), None)
    listed = _LISTED.findall(said[1] or '') if said else []
    return [f'{name.strip()} {n.strip()}' for name, ns in listed for n in ns.split(',')]


class TimedRobot(SkillExecutor):
    """A robot in a household whose skills take their time, and which may leave.

    Args:
        world: the household as the robot sees it.
        skill_sec: how long a skill takes.
        leaves_after: it is gone in the middle of the next skill after so many, if its hands are
            empty; None for never.
    """

    def __init__(self, world: World, skill_sec: float, leaves_after: int | None = None) -> None:
        self.world = world
        self.skill_sec = skill_sec
        self.skills = 0
        self.taken: Counter[str] = Counter()
        self.has_left = False
        self._leaves_after = leaves_after
        self._inner = WorldExecutor(world)

    def start(self, skill: GroundedSkill, situation: Situation) -> SkillRun:
        """Start a skill."""
        self.skills += 1
        late = self._leaves_after is not None and self.skills > self._leaves_after
        self.has_left = self.has_left or (late and not self.world.state.held())
        return _TimedSkill(self, self._inner, skill, situation)

    def check(self, question: Question) -> Future[str]:
        """See ``WorldExecutor``."""
        return self._inner.check(question)

    def observe(self) -> Future[Observation]:
        """Return what is perceived now."""
        return failed(WorldError('the robot has left')) if self.has_left else self._inner.observe()

    def survey(self) -> Future[Observation]:
        """See ``WorldExecutor``."""
        return self._inner.survey()


class _TimedSkill(SkillRun):
    def __init__(
        self, robot: TimedRobot, inner: WorldExecutor, skill: GroundedSkill, situation: Situation
    ) -> None:
        self._robot, self._inner, self._skill, self._situation = robot, inner, skill, situation
        self._end = time.monotonic() + robot.skill_sec
        self._result: SkillResult | None = None

    @property
    def settled(self) -> bool:
        return self._result is not None

    costs = SENT

    def poll(self) -> SkillResult | None:
        if self._result is None and time.monotonic() >= self._end:
            if self._robot.has_left:
                text = Observation(f'"{self._skill.phrase}" failed: the robot has left.')
                self._result = SkillResult(SkillStatus.FAILED, text, gone=True)
                return self._result
            self._result = self._inner.start(self._skill, self._situation).poll()
            if self._skill.name == 'pick_up' and self._result is not None:
                succeeded = self._result.status is SkillStatus.SUCCEEDED
                self._robot.taken[self._skill.arguments[0]] += succeeded
        return self._result

    def cancel(self) -> None:
        if self._result is None:
            text = Observation(f'"{self._skill.phrase}" was canceled.')
            self._result = SkillResult(SkillStatus.CANCELED, text)


@dataclass(frozen=True)
class Fetched:
    """What came of a goal.

    Args:
        report: of the run.
        seconds: how long it took.
        holds: whether the goal holds in the household.
        skills: how many each robot has begun.
        taken: how often each thing was picked up.
        lost: names of the robots that have left.
    """

    report: RunReport
    seconds: float
    holds: bool
    skills: Mapping[str, int]
    taken: Mapping[str, int]
    lost: tuple[str, ...]

    @property
    def taken_again(self) -> tuple[str, ...]:
        """Things that were picked up more than once, and classes of which two things were."""
        classes = Counter(name.rpartition(' ')[0] for name in self.taken)
        return tuple(name for name, times in {**self.taken, **classes}.items() if times > 1)


def fetch(
    goal: Fetching,
    robots: int,
    skill_sec: float,
    leaves_after: int | None = None,
    model: str | None = None,
) -> Fetched:
    """Carry out a goal with so many robots in one household.

    Args:
        goal: the goal.
        robots: how many.
        skill_sec: how long a skill takes.
        leaves_after: the last robot is gone after so many skills; None for never.
        model: name of the language model that decides; None for ``FetchingRules``.
    """
    options, text = planner_options(_OPTIONS), goal.text
    decides: PlannerModel = FetchingRules(goal)
    if model is not None:
        named = {'skills': 'household', 'memory.store': '', 'model.name': model}
        options, text = planner_options(named).resolved, goal.sentence
        decides = kept_model(options.model)
    library = library_of(options)
    house = World(shipped_scene(goal.scene), goal.start)
    worlds = [house, *(house.join(goal.start) for _ in range(robots - 1))]
    team = {f'robot{n}': TimedRobot(world, skill_sec) for n, world in enumerate(worlds, 1)}
    if leaves_after is not None:
        last = f'robot{robots}'
        team[last] = TimedRobot(worlds[-1], skill_sec, leaves_after)
    claims = Claims()
    doors = {name: guarded(robot, library, claims, name) for name, robot in team.items()}
    alone = assemble(options, decides, doors['robot1'], library=library)
    services = for_team({name: replace(alone, executor=door) for name, door in doors.items()})
    began = time.monotonic()
    report = run_goal(text, services, options.limits)
    seconds = time.monotonic() - began
    check = check_lines(house, goal.conditions)
    assert check is not None, goal
    return Fetched(
        report=report,
        seconds=seconds,
        holds=check.holds,
        skills={name: robot.skills for name, robot in team.items()},
        taken=sum((robot.taken for robot in team.values()), Counter()),
        lost=tuple(name for name, robot in team.items() if robot.has_left),
    )
