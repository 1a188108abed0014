# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The skills of a run, carried out again in its world: what the robot saw, held and missed.

A trace has what the planner observed. The rest - where a thing really was, whether the
goal held in between - is only in the world, so the world is walked through once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from reactree_ros.core.names import parse_name
from reactree_ros.core.observation import Observation, SkillStatus
from reactree_ros.lab.evaluation.replay import ReplayedAct, replay_in
from reactree_ros.lab.evaluation.trace import Trace, TraceEvent
from reactree_ros.sim.household import World
from reactree_ros.sim.household.goal import Condition, parse_conditions
from reactree_ros.sim.household.graph import Graph
from reactree_ros.sim.household.scene import Node
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.household.task_sets import world_of


@dataclass(frozen=True)
class Step:
    """One skill of a run.

    Args:
        event: index of its ``act`` event.
        skill: name of the skill, e.g. ``go_to``.
        arguments: names of rooms or objects.
        refused: a precondition did not hold, and nothing changed.
        seen: what the robot perceived afterwards.
        met: for each goal condition, how many objects met it afterwards.
        repeated: the same skill had the same result before, with nothing new in between.
    """

    event: int
    skill: str
    arguments: tuple[str, ...]
    refused: bool
    seen: Observation
    met: tuple[int, ...]
    repeated: bool = False

    @property
    def held(self) -> tuple[str, ...]:
        """Names of what the robot held afterwards."""
        return tuple(item.name for item in self.seen.held)


@dataclass
class Walk:
    """A run as the world knows it; ``first`` things map to the index of the event that did it.

    Args:
        start: the world before the run.
        world: the world after it.
        conditions: what the goal wants.
        met_at_start: for each condition, how many objects met it before the run.
        steps: the skills, in order.
        seen: names of the objects that the robot saw, and when first; -1 is before the run.
        looked_into: places that it stood at and could look into, and when first.
        entered: rooms that it was in, and when first.
        taken: objects that it picked up, and when last.
        put: objects that it put down, and when last.
    """

    start: World
    world: World
    conditions: tuple[Condition, ...]
    met_at_start: tuple[int, ...]
    steps: list[Step] = field(default_factory=list)
    seen: dict[str, int] = field(default_factory=dict)
    looked_into: dict[str, int] = field(default_factory=dict)
    entered: dict[str, int] = field(default_factory=dict)
    taken: dict[str, int] = field(default_factory=dict)
    put: dict[str, int] = field(default_factory=dict)
    progress: list[int] = field(default_factory=list)
    """Events that brought something new: a place looked into, a room, a wanted thing, a condition
    that is met."""

    def held_at(self, event: int) -> tuple[str, ...]:
        """Names of what the robot held when an event happened."""
        before = [step for step in self.steps if step.event <= event]
        return before[-1].held if before else ()

    def met_at(self, number: int, event: int) -> int:
        """How many objects met a condition, by its number, when an event happened."""
        before = [step for step in self.steps if step.event <= event]
        return before[-1].met[number] if before else self.met_at_start[number]

    def picked_up(self, name: str, before: int) -> int:
        """Index of the event that last picked an object up before another event, or that one."""
        events = [
            step.event
            for step in self.steps
            if step.event < before
            and step.skill == 'pick_up'
            and step.arguments[0] == name
            and not step.refused
        ]
        return events[-1] if events else before

    def node(self, name: str) -> Node | None:
        """Return the object or room of a name."""
        key = parse_name(name)
        node_id = self.world.scene.by_name.get(key) if key else None
        return None if node_id is None else self.world.scene.nodes[node_id]

    def where(self, name: str, *, at_start: bool = False) -> str:
        """Say where an object is, from the truth: ``inside fridge 1 (closed) in kitchen 1``."""
        node = self.node(name)
        assert node is not None, name
        return where(self.start.state if at_start else self.world.state, node.id)

    def _note(self, event: int, seen: Observation, wanted: frozenset[str]) -> None:
        new = [item for item in seen.objects if item.name not in self.seen]
        self.seen.update((item.name, event) for item in new)
        found = any(item.class_name in wanted for item in new)
        if seen.room not in self.entered:
            self.entered[seen.room] = event
            found = True
        here = next((item for item in seen.objects if item.name == seen.place), None)
        if here and 'closed' not in here.states and here.name not in self.looked_into:
            self.looked_into[here.name] = event
            found = True
        if found and event >= 0:
            self.progress.append(event)

    def _handled(self, act: ReplayedAct, wanted: frozenset[str]) -> None:
        name = act.arguments[0]
        node = self.node(name)
        if act.skill == 'pick_up':
            if name not in self.taken and node is not None and node.words in wanted:
                self.progress.append(act.event)
            self.taken[name] = act.event
        elif act.skill.startswith('put_'):
            self.put[name] = act.event


def where(graph: Graph, node_id: int) -> str:
    """Say where an object is, innermost first."""
    scene = graph.scene
    if node_id in graph.held():
        return "in the robot's hand"
    parts = []
    current = node_id
    while supports := graph.supports(current):
        current = supports[0].to_id
        door = ' (closed)' if graph.is_closed(current) else ''
        parts.append(f'{supports[0].relation.lower()} {scene.nodes[current].name}{door}')
    room = graph.room_of(node_id)
    if room is not None:
        parts.append(f'in {scene.nodes[room].name}')
    return ' '.join(parts) or 'somewhere in the house'


def walk_through(trace: Trace, task: Task) -> Walk:
    """Carry the skills of a run out again.

    Args:
        trace: the run.
        task: its task.

    Raises:
        ConfigurationError: the world answers otherwise than it did in the run.
    """
    start, world = world_of(task), world_of(task)
    conditions = parse_conditions(task.goal, world.scene)
    count = tuple(condition.met(world.state) for condition in conditions)
    walk = Walk(start, world, conditions, count)
    wanted = frozenset(name for c in conditions for name in (c.subject, c.target))
    walk._note(-1, world.observe(), wanted)
    results: dict[tuple[str, str], int] = {}
    for act in replay_in(trace, world):
        before = walk.steps[-1].met if walk.steps else walk.met_at_start
        met = tuple(condition.met(world.state) for condition in conditions)
        seen, refused = world.observe(), act.status is not SkillStatus.SUCCEEDED
        news = len(walk.progress)
        walk._note(act.event, seen, wanted)
        if not refused:
            walk._handled(act, wanted)
        if any(now > then for now, then in zip(met, before, strict=True)):
            walk.progress.append(act.event)
        key = (trace.events[act.event].text, act.text)
        repeated = results.get(key) == news and len(walk.progress) == news
        results[key] = len(walk.progress)
        walk.steps.append(Step(act.event, act.skill, act.arguments, refused, seen, met, repeated))
    return walk


def decisions(events: Sequence[TraceEvent]) -> int:
    """Return the number of decisions in a range of events."""
    return sum(event.decision.decisions for event in events)
