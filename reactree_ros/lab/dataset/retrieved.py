# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Puts experiences into training examples, as the planner's prompts have them."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import NamedTuple

from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Encoder, Vectors
from reactree_ros.core.settings import FEW_SHOT_TOKENS
from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.dataset.collect import TAUGHT
from reactree_ros.lab.dataset.example import TrainingExample
from reactree_ros.lab.dataset.held_back import has_test_wording
from reactree_ros.lab.evaluation.planners import read_planner
from reactree_ros.memory.episodic import EpisodicMemory
from reactree_ros.planner.assembly import library_of, system_prompt
from reactree_ros.planner.memory_setup import experience_source
from reactree_ros.planner.options import planner_options
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.tasks import ON_DEMAND

_CHARS_A_TOKEN = 4
_LOOK_SEC = 0.001


def with_experiences(
    nodes: Sequence[TrainingExample],
    share: float,
    seed: int,
    encoder: Callable[[], Encoder],
) -> Generator[TrainingExample, None, None]:
    """Yield the training examples of nodes, some of them with experiences in the prompt.

    They are those that the planner would retrieve from the shipped ones, none of the same task
    and none with a goal of a test. All nodes of a run have some, or none has; those of made-up
    robots, which no shipped ones are about, are left as they are.

    Args:
        nodes: agent nodes.
        share: of the runs, 0 to 1.
        seed: the same seed chooses the same runs.
        encoder: gives the sentence encoder, which is asked for when it is needed.

    Raises:
        ConfigurationError: if a planner has no experiences.
        ModelError: if the sentence encoder cannot be loaded.
    """
    memories: dict[tuple[str, int], _Memory] = {}
    counting: _Counting | None = None
    try:
        for node in nodes:
            origin = node.origin
            run = f'{origin.planner} {origin.source} {origin.task} {origin.instruction}'
            is_drawn = origin.task.partition(' ')[0] in ON_DEMAND
            if is_drawn or not Draw(f'experiences {seed} {run}').chance(share):
                yield node
                continue
            counting = counting or _Counting(encoder())
            key = (origin.planner, origin.wording)
            if key not in memories:
                memories[key] = _memory(*key, counting)
            memory = memories[key]
            # a check or a summary is asked for without experiences
            shows = node.system == memory.system
            yield replace(node, examples=_retrieved(node, memory)) if shows else node
    finally:
        for memory in memories.values():
            memory.experiences.close()


class _Memory(NamedTuple):
    """What a planner would have retrieved, and the prompts for which it does.

    Args:
        experiences: the planner's.
        budget: their tokens in a prompt.
        system: the prompt with which nodes read them.
    """

    experiences: EpisodicMemory
    budget: int
    system: str


def _memory(planner: str, seed: int, counting: _Counting) -> _Memory:
    chosen = read_planner(planner)
    # The model that will be trained does not matter yet.
    given = {
        'memory.example_tokens': FEW_SHOT_TOKENS,
        **TAUGHT,
        **chosen.parameters,
        'memory.store': '',
        'seed': seed,
    }
    options = planner_options(given)
    library = library_of(options)
    memory = experience_source(options, options.strategy, counting, library)
    if not isinstance(memory, EpisodicMemory):
        raise ConfigurationError(
            f'planner {planner!r} retrieves no experiences, so none can be put into its examples: '
            'leave --with-examples away, or give a planner with example_tokens and episodic'
        )
    system = system_prompt(options, options.strategy, library)
    return _Memory(memory, options.memory.example_tokens, system)


def _retrieved(node: TrainingExample, memory: _Memory) -> tuple[str, ...]:
    experiences = memory.experiences.excluding(node.origin.task)
    pending = experiences.retrieve(node.goal, node.origin.root, memory.budget)
    while (texts := pending.poll()) is None:
        time.sleep(_LOOK_SEC)  # stores are searched on a thread of the memory's own
    # In prompts, the most similar stands next to the task.
    return tuple(text for text in reversed(texts) if not has_test_wording(text))


class _Counting:
    """A sentence encoder that says about how many tokens there will be, with any model."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.encoder_name = encoder.encoder_name

    def embed(self, texts: tuple[str, ...]) -> Future[Vectors]:
        return self._encoder.embed(texts)

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        return ready(tuple(len(text) // _CHARS_A_TOKEN for text in texts))
