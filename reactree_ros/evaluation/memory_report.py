# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What was measured of stores of experiences: a folder that keeps it, and tables that show it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from statistics import median, quantiles

from reactree_ros.evaluation.memory_contenders import CONTENDERS
from reactree_ros.evaluation.memory_costs import CHECKED, NEAREST, RUN, Case, Speed
from reactree_ros.exceptions import ConfigurationError

WANTED_SECONDS = {100_000: 0.005, 1_000_000: 0.040}
"""A search in so many experiences takes no longer, on 2 cores and without the encoder."""
_OURS = 'ours'
_ALL_HEAD = (
    f'| experiences | kept in | {NEAREST} nearest: median (ms) | 95 % (ms) | exact '
    f'| opening (s) | memory (MiB) | files (MiB) | imported a second | run of {RUN} stored (ms) |\n'
    '|---:|---|---:|---:|---|---:|---:|---:|---:|---:|'
)
_OURS_HEAD = (
    f'| experiences | {NEAREST} nearest (ms) | wanted (ms) | as the planner searches (ms) '
    '| … from the words of a goal on (ms) | embedding alone (ms) |\n|---:|---:|---:|---:|---:|---:|'
)


class MemoryResults:
    """The folder of a benchmark: a file for every case that was measured as a whole.

    A result counts only for the machine and the versions that it was measured with.

    Args:
        folder: where it is; it exists.
        machine: processor, cores, system and Python of this machine.
    """

    def __init__(self, folder: Path, machine: str) -> None:
        self._folder = folder
        self._machine = machine

    def get(self, case: Case) -> Speed | None:
        """Return what was measured in a case; None if nothing was, or with something else.

        Raises:
            ConfigurationError: if the file cannot be read.
        """
        path = self._path(case)
        try:
            data = json.loads(path.read_text(encoding='utf-8'))
            speed = Speed.from_dict(data['speed'])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConfigurationError(
                f'{path} is no result of this benchmark ({error!r}): delete it'
            ) from error
        made = {'machine': self._machine, 'versions': CONTENDERS[case.contender].versions()}
        same = all(data.get(name) == value for name, value in made.items())
        return speed if same and speed.case == case else None

    def put(self, speed: Speed) -> None:
        """Keep what was measured, as a whole or not at all."""
        path = self._path(speed.case)
        data = {
            'machine': self._machine,
            'versions': CONTENDERS[speed.case.contender].versions(),
            'speed': speed.to_dict(),
        }
        unfinished = path.with_suffix('.part')
        unfinished.write_text(json.dumps(data, indent=1) + '\n', encoding='utf-8')
        os.replace(unfinished, path)

    def _path(self, case: Case) -> Path:
        return self._folder / f'{case.contender}-{case.size}.json'


def too_slow(speed: Speed) -> bool:
    """Return whether our store takes longer than wanted, or finds something else."""
    if speed.case.contender != _OURS:
        return False
    wanted = WANTED_SECONDS.get(speed.case.size)
    slow = wanted is not None and median(speed.searched.seconds) > wanted
    return slow or speed.searched.inexact > 0


def to_markdown(speeds: Sequence[Speed]) -> str:
    """Return tables as Markdown: all contenders by size, then our store alone."""
    lines = [_ALL_HEAD]
    lines += [_row(one) for one in sorted(speeds, key=lambda one: one.case.size)]
    ours = [one for one in speeds if one.case.contender == _OURS]
    if ours:
        lines += ['', _OURS_HEAD]
        lines += [_our_row(one) for one in sorted(ours, key=lambda one: one.case.size)]
    versions = {
        name: number
        for one in speeds
        for name, number in CONTENDERS[one.case.contender].versions().items()
    }
    lines += ['', ', '.join(f'{name} {number}' for name, number in versions.items()) + '.']
    return '\n'.join(lines)


def _row(speed: Speed) -> str:
    kind = CONTENDERS[speed.case.contender]
    filled, searched = speed.filled, speed.searched
    checked = min(CHECKED, speed.case.searches)
    exact = 'yes' if not searched.inexact else f'no: {searched.inexact} of {checked} differ'
    run = f'{1e3 * filled.run_seconds:.1f}' if filled.run_seconds else '–'
    return (
        f'| {speed.case.size:,} | {kind.title} | {_ms(searched.seconds)} '
        f'| {1e3 * quantiles(searched.seconds, n=20, method="inclusive")[-1]:.2f} | {exact} '
        f'| {searched.open_seconds:.2f} | {searched.memory_bytes / 2**20:,.0f} '
        f'| {filled.file_bytes / 2**20:,.0f} | {filled.per_second:,.0f} | {run} |'
    )


def _our_row(speed: Speed) -> str:
    wanted = WANTED_SECONDS.get(speed.case.size)
    words, alone = ('–', '–')
    if speed.encoded:
        words, alone = _ms(speed.encoded.seconds), _ms(speed.encoded.encoder_seconds)
    return (
        f'| {speed.case.size:,} | {_ms(speed.searched.seconds)} '
        f'| {"–" if wanted is None else f"{1e3 * wanted:.0f}"} '
        f'| {_ms(speed.searched.weighed_seconds)} | {words} | {alone} |'
    )


def _ms(seconds: Sequence[float]) -> str:
    """Return the median in milliseconds."""
    return f'{1e3 * median(seconds):.2f}'
