# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Files that experiences are exchanged in: JSON lines with all that is known, or text alone.

The ending names the form; ``.gz`` after it compresses.

``.jsonl``
    One experience a line, an object with ``text``, the whole trajectory. All else may be missing:
    ``goal`` and ``termination`` are derived from the text, the rest comes from the arguments.
``.txt``
    Trajectories with a line ``---`` between them; lines that begin with ``#`` are remarks. Run,
    strategy, verification and all else that the text does not say is lost.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.experience import (
    SEPARATOR,
    Origin,
    Verification,
    parse_experience,
    trajectories,
)
from reactree_ros.memory.record_json import record_of, values_of
from reactree_ros.memory.store import Record

JSON_LINES = '.jsonl'
TEXT = '.txt'
LEARNED = 'learned'
"""Kind of a library's examples whose file has whole runs, as ``read_runs`` reads it."""
_PACKED = '.gz'
_DIGITS = 10
_LONGEST_LINE = 16 * 2**20
"""In characters; a packed file of a few kilobytes could have one of any length."""


@dataclass(frozen=True)
class ImportedRun:
    """What a file says of one run.

    Args:
        origin: the run. Of a file that has no name for it, the name is made of its content, so
            that the same run has the same name again.
        records: its experiences in the order of the file; what a file does not say is empty.
    """

    origin: Origin
    records: tuple[Record, ...]


def read_runs(path: Path, given: Origin) -> list[ImportedRun]:
    """Read a file with experiences, in the order in which its runs end.

    Experiences without the name of a run are taken for one run from a root to the next.

    Args:
        path: the file.
        given: what is taken where the file does not say it; its run is not looked at.

    Raises:
        ConfigurationError: if the file cannot be read, is in no form that is known, or an
            experience is wrong.
    """
    runs: dict[str | int, list[Record]] = {}
    unnamed = 0
    for record in _records(path, given):
        if not record.origin.run and record.experience.root:
            unnamed += 1
        # A run's experiences need not follow each other: merged ones change their run.
        name = record.origin.run or unnamed
        runs[name] = runs.pop(name, [])
        runs[name].append(record)
    stem = path.name.partition('.')[0]
    return [
        _run(name if isinstance(name, str) else _run_name(stem, records), records)
        for name, records in runs.items()
    ]


def form_of(path: Path) -> str:
    """Return ``.jsonl`` or ``.txt``, by the ending of a name.

    Raises:
        ConfigurationError: if it is neither.
    """
    for form in (JSON_LINES, TEXT):
        if path.name.endswith((form, form + _PACKED)):
            return form
    raise ConfigurationError(
        f'{path} has no ending that names its form: {JSON_LINES} (JSON lines) or {TEXT} '
        f'(trajectories with {SEPARATOR} between them), each with {_PACKED} behind it or without'
    )


def write_records(path: Path, records: Iterable[Record]) -> int:
    """Write experiences to a file, whole or not at all; what was there is replaced.

    Equal records make equal files, byte for byte.

    Returns:
        How many were written.

    Raises:
        ConfigurationError: if the ending names no form, or the file cannot be written.
    """
    form = form_of(path)
    if not path.parent.is_dir():
        raise ConfigurationError(
            f'cannot write the experiences {path}: there is no folder {path.parent}'
        )
    count = 0
    try:
        with _replacing(path) as file:
            for record in records:
                if form == JSON_LINES:
                    line = json.dumps(values_of(record), ensure_ascii=False) + '\n'
                else:
                    line = (f'{SEPARATOR}\n' if count else '') + record.experience.text
                file.write(line.encode('utf-8'))
                count += 1
    except OSError as error:
        # Without the name in it, which is that of the scratch file.
        words = error.strerror or error
        raise ConfigurationError(f'cannot write the experiences {path}: {words}') from error
    return count


def _records(path: Path, given: Origin) -> Iterator[Record]:
    if form_of(path) == TEXT:
        for number, (place, lines) in enumerate(trajectories(_lines(path), path), start=1):
            yield Record(number, parse_experience(lines, place), replace(given, run=''), key='')
        return
    for number, line in enumerate(_lines(path), start=1):
        if line.strip():
            place = f'{path}, line {number}'
            yield record_of(_object(line, place), place, given)


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines of a text file without their ends; unpacked if its name ends so."""
    opened: IO[str]
    try:
        if path.name.endswith(_PACKED):
            opened = gzip.open(path, 'rt', encoding='utf-8')
        else:
            opened = path.open(encoding='utf-8')
        with opened as file:
            number = 0
            while line := file.readline(_LONGEST_LINE + 1):
                number += 1
                if len(line) > _LONGEST_LINE:
                    raise ConfigurationError(
                        f'{path}, line {number}: longer than {_LONGEST_LINE:,} characters'
                    )
                yield line.rstrip('\n')
    except (OSError, UnicodeDecodeError, EOFError, zlib.error) as error:
        raise ConfigurationError(f'cannot read the experiences {path}: {error}') from error


def _object(line: str, place: str) -> dict[str, Any]:
    """Return the object of a line of JSON."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f'{place}: no JSON: {error}') from error
    if not isinstance(values, dict):
        raise ConfigurationError(f'{place}: {str(values)[:40]!r} is not an object ({{"text": …}})')
    return values


def _run_name(stem: str, records: Sequence[Record]) -> str:
    """Return a name for a run that has none: the stem, and a digest of its experiences."""
    digest = hashlib.sha256('\0'.join(one.experience.text for one in records).encode('utf-8'))
    return f'{stem}-{digest.hexdigest()[:_DIGITS]}'


def _run(name: str, records: Sequence[Record]) -> ImportedRun:
    """Put a run together; the latest says where it is from, the least verified holds for all."""
    origin = max((one.origin for one in records), key=lambda one: one.time)
    weakest = min((one.origin.verified for one in records), key=list(Verification).index)
    return ImportedRun(replace(origin, run=name, verified=weakest), tuple(records))


@contextmanager
def _replacing(path: Path) -> Iterator[IO[bytes]]:
    """Write a file beside the path, and put it there once it is whole."""
    scratch = path.with_name(f'.{path.name}.{os.getpid()}')
    try:
        with scratch.open('wb') as raw:
            if path.name.endswith(_PACKED):
                # Neither name nor time in the header: equal content makes equal files.
                with gzip.GzipFile('', 'wb', fileobj=raw, mtime=0) as packed:
                    yield packed  # type: ignore[misc]  # it is one for writing bytes
            else:
                yield raw
            raw.flush()
            os.fsync(raw.fileno())
        scratch.replace(path)
    finally:
        scratch.unlink(missing_ok=True)
