# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A fixed node of many decisions, the same for all contenders.

A robot walks through a shipped apartment and opens what it can; every observation is the world's.
What the model decides is timed and discarded: the trajectory continues as written, so that every
contender reads the same growing text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from reactree_ros.core.observation import SkillStatus
from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.experience import read_experiences
from reactree_ros.paths import share
from reactree_ros.sim.household import World, shipped_scene

GOAL = 'find and pick up the remote control'
SCENE = 'apartment_1'


@dataclass(frozen=True)
class Workload:
    """One agent node.

    Args:
        start: its prompt before the first decision, experiences in it.
        turns: for each decision, the skill that is carried out after it and what is observed.
        skills: phrases that every decision chooses from, those of the turns among them.
    """

    start: Prompt
    turns: tuple[tuple[str, str], ...]
    skills: tuple[str, ...]

    def prompts(self) -> Iterator[Prompt]:
        """Yield the prompt of every decision."""
        prompt = self.start
        for phrase, observation in self.turns:
            yield prompt
            steps = (Step(f'Act: {phrase}', True), Step(observation, False))
            prompt = replace(prompt, steps=(*prompt.steps, *steps))


def make_workload(
    count: Callable[[str], int], decisions: int, example_tokens: int, skills: int
) -> Workload:
    """Return a workload.

    Args:
        count: counts the tokens of a text.
        decisions: number of decisions.
        example_tokens: tokens of all experiences together, at most.
        skills: number of skills on offer.

    Raises:
        ConfigurationError: if the apartment does not have that many decisions or skills.
    """
    world = World(shipped_scene(SCENE))
    first = world.observe().text
    names = [node.name for node in world.scene.nodes.values() if node.class_name != 'character']
    turns = tuple(_walk(world, names, decisions))
    verbs = ('go to', 'pick up', 'open', 'close', 'turn on', 'put down')
    offered = dict.fromkeys(
        [phrase for phrase, _ in turns] + [f'{verb} {name}' for verb in verbs for name in names]
    )
    if len(turns) < decisions or len(offered) < skills:
        raise ConfigurationError(
            f'the scene {SCENE} has {len(turns)} decisions and {len(offered)} skills, '
            f'not {decisions} and {skills}'
        )
    examples: list[str] = []
    for one in read_experiences(share('resource', 'experiences', 'household.txt')):
        if count('\n'.join([*examples, one.text])) <= example_tokens:
            examples.append(one.text)
    system = share('resource', 'prompts', 'reactree.txt').read_text(encoding='utf-8')
    task = f'Goal: {GOAL}\n{first}\n'
    return Workload(Prompt(system, tuple(examples), task), turns, tuple(offered)[:skills])


def _walk(world: World, names: list[str], decisions: int) -> Iterator[tuple[str, str]]:
    """Go to everything in turn and open what opens; yield what could be done, with what is seen."""
    rooms = [world.scene.nodes[number].name for number in world.scene.rooms]
    things = [name for name in names if name not in rooms]
    left = decisions
    for room in rooms:
        for skill, name in [('go_to', room), *((s, n) for n in things for s in ('go_to', 'open'))]:
            if left == 0:
                return
            result = world.execute(skill, (name,))
            if result.status is not SkillStatus.SUCCEEDED:
                continue
            if world.observe().room != room:
                world.execute('go_to', (room,))  # it stands in another room, whose turn will come
                continue
            left -= 1
            yield f'{skill.replace("_", " ")} {name}', result.observation.text
