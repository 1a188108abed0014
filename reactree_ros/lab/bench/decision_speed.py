# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Times decisions of one growing node: with caches, without, and by the guidance library."""

from __future__ import annotations

import json
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from reactree_ros.core.decision import Choices
from reactree_ros.errors import ModelError
from reactree_ros.lab.bench.workload import Workload
from reactree_ros.models.backend import Watch
from reactree_ros.models.local.transformers_model import TransformersModel

HEAD = (
    '| model | decided by | first decision (s) | later decision (s) | all (s) | reused (%) |\n'
    '|---|---|---|---|---|---|'
)
LIMIT_S = 3600.0
SAMPLE = 5
"""Without caches only every fifth decision is timed: each costs about as much as a first one."""


@dataclass
class Timing:
    """What was measured of one contender.

    Args:
        model: name of the model.
        name: how it decided.
        every: one in so many decisions was timed.
        seconds: for each repeat, the seconds of each decision that was timed.
        reused: share of the prompt's tokens taken from the cache, from the second decision on.
    """

    model: str
    name: str
    every: int = 1
    seconds: list[list[float]] = field(default_factory=list)
    reused: list[float] = field(default_factory=list)

    def row(self) -> str:
        """Return a row of the table: medians over the repeats."""
        first = statistics.median(run[0] for run in self.seconds)
        later = statistics.median(value for run in self.seconds for value in run[1:])
        total = statistics.median(sum(run) * self.every for run in self.seconds)
        about = '~' if self.every > 1 else ''
        reused = f'{100 * min(self.reused):.1f}' if self.reused else '0' if about else '–'
        return (
            f'| {self.model} | {self.name} | {first:.2f} | {later:.3f} '
            f'| {about}{total:.1f} | {reused} |'
        )


def time_decisions(
    model: TransformersModel,
    name: str,
    workload: Workload,
    repeats: int,
    say: Callable[[str], None],
) -> list[Timing]:
    """Time this project's decisions.

    Returns:
        Choosing one of the skills; deciding freely (thoughts and subgoals allowed); and choosing
        a skill without any cache.
    """
    skills_only = Choices(workload.skills, think=False, control_flows=())
    contenders = [
        (Timing(name, 'reactree_ros, one of the skills'), skills_only),
        (Timing(name, 'reactree_ros, any decision'), Choices(workload.skills)),
        (Timing(name, 'reactree_ros, one of the skills, no cache', SAMPLE), skills_only),
    ]
    for repeat in range(repeats):
        for timing, choices in contenders:
            say(f'{name}: {timing.name}, {repeat + 1} of {repeats}')
            model.forget(experiences=True)
            run = []
            for number, prompt in enumerate(workload.prompts()):
                if number % timing.every:
                    continue
                if timing.every > 1:
                    model.forget(experiences=True)
                start = time.perf_counter()
                answer = model.decide(prompt, choices, Watch(LIMIT_S))
                run.append(time.perf_counter() - start)
                if number and timing.every == 1:
                    timing.reused.append(answer.tokens_reused / answer.tokens_in)
            timing.seconds.append(run)
    return [timing for timing, _ in contenders]


def time_guidance(
    command: Sequence[str],
    folder: Path,
    name: str,
    workload: Workload,
    repeats: int,
    threads: int,
) -> tuple[Timing, str]:
    """Time the guidance library, in an environment of its own.

    Args:
        command: its Python and ``scripts/bench_guidance.py``.
        folder: folder of the model.
        name: of the model.
        workload: what is decided.
        repeats: how often all decisions are taken.
        threads: threads to compute with.

    Returns:
        The timing, and the versions of the libraries.

    Raises:
        ModelError: if it fails; the message has the end of its output.
    """
    turns = [
        {'skills': list(workload.skills), 'kind': 'Act', 'answer': phrase, 'observation': seen}
        for phrase, seen in workload.turns
    ]
    task = {
        'model_folder': str(folder),
        'dtype': 'bfloat16',
        'threads': threads,
        'repeats': repeats,
        'prompt': next(workload.prompts()).text(),
        'turns': turns,
    }
    try:
        done = subprocess.run(
            command, input=json.dumps(task), capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise ModelError(f'cannot run {command[0]}: {error}') from error
    if done.returncode:
        raise ModelError(f'{" ".join(command)} failed: {done.stderr[-400:]}')
    load, *measured = (json.loads(line) for line in done.stdout.splitlines())
    versions = ', '.join(f'{package} {version}' for package, version in load['versions'].items())
    timing = Timing(name, f'guidance {load["versions"]["guidance"]}, kind, then one of the skills')
    timing.seconds = [
        [one['seconds'] for one in measured if one['repeat'] == repeat] for repeat in range(repeats)
    ]
    timing.reused = [
        1 - one['computed_tokens'] / one['prompt_tokens'] for one in measured if one['turn']
    ]
    return timing, versions
