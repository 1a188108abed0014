# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Drives one target for a time: guided by atheris where it can be, else by chance.

It is a process of its own, for a fault may end it: ``python -m fuzz.drive TARGET SECONDS FOLDER
SEED HOW``.
The input at hand lies in ``FOLDER/now`` all the while, counts in ``FOLDER/counts.json``.
"""

from __future__ import annotations

import faulthandler
import json
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from .contract import Target, hold
from .targets import target

INSTRUMENTED = ('reactree_ros', 'mcap')
"""Packages whose branches are watched; those of YAML and PDDL would take most of the time."""
SLOWER = 20.0
"""How much longer instrumented code may take."""
_STUCK_S = 240
_RSS_MB = 4096
_LONGEST = 1 << 17


class Counts:
    """Counts inputs, and writes the counts where another process can see them.

    Args:
        folder: where they are written.
        one: the target.
        slower: see ``contract.hold``.
    """

    def __init__(self, folder: Path, one: Target, slower: float) -> None:
        self._now, self._file = folder / 'now', folder / 'counts.json'
        self._target = one
        self._slower = slower
        self._told = self._begin = time.monotonic()
        self.executions = self.accepted = 0

    def __call__(self, data: bytes) -> None:
        """Hold an input against the contract; a fault is raised, and the input stays in ``now``."""
        self._now.write_bytes(data)
        # what neither computes nor ends, or computes where Python cannot interrupt it
        faulthandler.dump_traceback_later(_STUCK_S, exit=True)
        self.executions += 1
        self.accepted += hold(self._target, data, self._slower)
        faulthandler.cancel_dump_traceback_later()
        if time.monotonic() - self._told > 1.0:
            self.tell()

    def tell(self) -> None:
        """Write the counts."""
        self._told = time.monotonic()
        seconds = round(self._told - self._begin, 1)
        counts = {'executions': self.executions, 'accepted': self.accepted, 'seconds': seconds}
        self._file.write_text(json.dumps(counts), encoding='utf-8')


def by_chance(one: Target, seconds: float, folder: Path, seed: int) -> None:
    """Draw inputs until the time is over."""
    counts, random, seeds = Counts(folder, one, 1.0), Random(seed), one.seeds()
    end = time.monotonic() + seconds
    for data in seeds:
        counts(data)
    while time.monotonic() < end:
        counts(one.mutate(random, random.choice(seeds), seeds))
    counts.tell()


def guided(one: Target, seconds: float, folder: Path, seed: int) -> None:
    """Let atheris look for inputs until the time is over; it ends the process."""
    import atheris

    seeds = one.seeds()
    corpus = folder / 'corpus'
    corpus.mkdir(exist_ok=True)
    for number, data in enumerate(seeds):
        (corpus / f'seed-{number}').write_bytes(data)
    counts = Counts(folder, one, SLOWER)

    def changed(data: bytes, longest: int, number: int) -> bytes:
        random = Random(number)
        if random.randrange(3) == 0:
            return atheris.Mutate(data, longest)
        # from a seed every other time: what was changed often is seldom accepted
        begin = random.choice(seeds) if random.randrange(2) else data
        return one.mutate(random, begin, seeds)[:longest]

    def run(data: bytes) -> None:
        counts(data)

    options = [
        *(f'-max_total_time={seconds:.0f}', f'-seed={seed}', f'-max_len={_LONGEST}'),
        *(f'-rss_limit_mb={_RSS_MB}', f'-timeout={2 * _STUCK_S}', '-len_control=0'),
        *(f'-artifact_prefix={folder}/', '-print_final_stats=1', '-verbosity=1'),
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], run, custom_mutator=changed)
    atheris.Fuzz()


def main() -> None:
    """Drive the target that the command line names."""
    name, seconds, folder, seed, how = sys.argv[1:]
    faulthandler.enable()
    tempfile.tempdir = folder  # what an end without notice leaves behind goes with the folder
    if name == 'socket' or how == 'chance':
        by_chance(target(name), float(seconds), Path(folder), int(seed))
        return
    import atheris

    with atheris.instrument_imports(include=list(INSTRUMENTED), enable_loader_override=False):
        one = target(name)
        one.seeds()
    guided(one, float(seconds), Path(folder), int(seed))


if __name__ == '__main__':
    main()
