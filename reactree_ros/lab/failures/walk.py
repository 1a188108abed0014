# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The skills of a run executed again in its world: what the robot saw, held and missed.

A trace has what the planner observed. Where a thing really was, and whether a goal condition was
met in between, only the world knows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from reactree_ros.core.names import parse_name
from reactree_ros.core.observation import Observation, SkillStatus
from reactree_ros.lab.evaluation.replay import replay
from reactree_ros.lab.evaluation.trace import Trace
from reactree_ros.sim.household.goal import parse_conditions
from reactree_ros.sim.household.scene import Node
from reactree_ros.sim.household.task import Task
from reactree_ros.sim.household.task_sets import world_of


@dataclass(frozen=True)
class Step:
    """One skill of a run, or its start.

    Args:
        event: index of its ``act`` event; -1 for the start.
        skill: name of the skill, e.g. ``go_to``; empty for the start.
        arguments: names of rooms or objects.
        refused: a precondition was not met, and nothing changed.
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


class Walk:
    """A run as the world knows it.

    Args:
        trace: the run.
        task: its task.

    Raises:
        ConfigurationError: the world answers differently than it did in the run.
    """

    def __init__(self, trace: Trace, task: Task) -> None:
        self.start, self.world = world_of(task), world_of(task)
        self.conditions = parse_conditions(task.goal, self.world.scene)
        self.seen: dict[str, int] = {}
        """Objects that the robot saw, and the event of the first time; -1 is before the run."""
        self.looked_into: dict[str, int] = {}
        """Places that it stood at and could look into, and the event of the first time."""
        self.entered: dict[str, int] = {}
        """Rooms that it was in, and the event of the first time."""
        self.taken: dict[str, int] = {}
        """Objects that it picked up, and the event of the last time."""
        self.put: dict[str, int] = {}
        """Objects that it put down, and the event of the last time."""
        self.progress: list[int] = []
        """Events that brought something new: a place looked into, a room, a wanted thing, a
        condition that is met."""
        self._wanted = {name for c in self.conditions for name in (c.subject, c.target)}
        self.steps = [Step(-1, '', (), False, self.world.observe(), self._met())]
        """Its start, and each of its skills."""
        self._found_something(self.steps[0])
        results: dict[tuple[str, str], int] = {}
        for event, skill, result in replay(trace, self.world):
            refused = result.status is not SkillStatus.SUCCEEDED
            seen, met = self.world.observe(), self._met()
            step = Step(event, skill.name, skill.arguments, refused, seen, met)
            reached = any(n > t for n, t in zip(met, self.steps[-1].met, strict=True))
            answer = skill.phrase, result.observation.text
            if self._found_something(step) or reached:
                self.progress.append(event)
            elif results.get(answer) == len(self.progress):
                step = replace(step, repeated=True)
            results[answer] = len(self.progress)
            self.steps.append(step)

    def at(self, event: int) -> Step:
        """Return the last step until an event."""
        return [step for step in self.steps if step.event <= event][-1]

    def node(self, name: str) -> Node | None:
        """Return the object or room of a name."""
        key = parse_name(name)
        node_id = self.world.scene.by_name.get(key) if key else None
        return None if node_id is None else self.world.scene.nodes[node_id]

    def where(self, name: str, *, at_start: bool = False) -> str:
        """Return where an object really is, e.g. ``inside fridge 1 (closed) in kitchen 1``."""
        node = self.node(name)
        assert node is not None, name
        graph = self.start.state if at_start else self.world.state
        if node.id in graph.held():
            return "in the robot's hand"
        nodes, parts = graph.scene.nodes, []
        current = node.id
        while supports := graph.supports(current):
            current = supports[0].to_id
            door = ' (closed)' if graph.is_closed(current) else ''
            parts.append(f'{supports[0].relation.lower()} {nodes[current].name}{door}')
        room = graph.room_of(node.id)
        parts += [] if room is None else [f'in {nodes[room].name}']
        return ' '.join(parts) or 'somewhere in the house'

    def _met(self) -> tuple[int, ...]:
        return tuple(condition.met(self.world.state) for condition in self.conditions)

    def _found_something(self, step: Step) -> bool:
        """Record what a step brought, and return whether that was new."""
        seen, event = step.seen, step.event
        new = [item for item in seen.objects if item.name not in self.seen]
        self.seen.update((item.name, event) for item in new)
        found = any(item.class_name in self._wanted for item in new)
        if seen.room not in self.entered:
            self.entered[seen.room] = event
            found = True
        here = next((item for item in seen.objects if item.name == seen.place), None)
        if here and 'closed' not in here.states and here.name not in self.looked_into:
            self.looked_into[here.name] = event
            found = True
        if step.skill == 'pick_up' and not step.refused:
            node = self.node(step.arguments[0])
            first = step.arguments[0] not in self.taken
            found = found or (first and node is not None and node.words in self._wanted)
            self.taken[step.arguments[0]] = event
        elif step.skill.startswith('put_') and not step.refused:
            self.put[step.arguments[0]] = event
        return found
