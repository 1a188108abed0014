# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A model back end of your own: it picks the skill that has most words in common with the goal.

    pip install .
    python model_backend.py

Installing registers the back end as ``words`` (pyproject.toml); the planner node takes
``model:=words``, too. It runs in a process of its own, so it may wait and compute.
"""

from __future__ import annotations

from reactree_ros import (
    Answer,
    Backend,
    Choices,
    ModelKind,
    ModelOptions,
    Planner,
    Prompt,
    ReactreeError,
    TextRequest,
    Watch,
)
from reactree_ros.errors import ModelError
from reactree_ros.sim.household import World, shipped_scene

GOAL = 'Go to the fridge and open the fridge'


class WordModel(Backend):
    """Does what the goal names, each thing once."""

    workers = 1

    def decide(self, prompt: Prompt, choices: Choices, watch: Watch) -> Answer:
        """Return one line: a decision that ``choices`` allow."""
        watch.check()  # a long computation asks again and again whether it is still wanted
        goal = set(prompt.goal.lower().split())
        before = {step.text for step in prompt.steps if step.decided}
        found = [one for one in choices.skills if set(one.split()) - {'1'} <= goal]
        new = [f'Act: {one}' for one in found if f'Act: {one}' not in before]
        text = new[0] if new else 'Act: done'
        return Answer(text, tokens_in=self.count(prompt.text()), tokens_out=self.count(text))

    def write(self, request: TextRequest, watch: Watch) -> tuple[Answer, ...]:
        """Write free text, which some strategies ask for."""
        raise ModelError('the word model makes decisions only')

    def count(self, text: str) -> int:
        """Return how many tokens a text has."""
        return len(text.split())


def check(options: ModelOptions) -> None:
    """Refuse what cannot work before a process is started."""
    if options.name != 'words':
        raise ModelError(f'the model {options.name!r}: "words" takes nothing after its name')


# No sentence encoder is loaded beside it, so there is no episodic memory.
WORDS = ModelKind(lambda options, progress: WordModel(), check=check, encoder=False, warm_up=False)

if __name__ == '__main__':
    world = World(shipped_scene('apartment_1'), 'kitchen 1')
    try:
        with Planner(skills='household', model='words', robot=world) as planner:
            report = planner.run(GOAL, on_event=print)
    except ReactreeError as error:
        raise SystemExit(f'is the example installed? {error}') from error
    print(f'{report.status}: {report.message}')
