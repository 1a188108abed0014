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
)
from reactree_ros.memory.record_json import record_of, values_of
from reactree_ros.memory.store import Record

JSON_LINES = '.jsonl'
TEXT = '.txt'
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


class ExperienceFile:
    """A file with experiences, read run by run: never the whole of a large file at once.

    Args:
        path: the file.
        given: what is taken where the file does not say it; its run is not looked at.

    Raises:
        ConfigurationError: if the file cannot be read, or is in no form that is known.
    """

    def __init__(self, path: Path, given: Origin) -> None:
        self._path = path
        self._given = given
        self._json = form_of(path) == JSON_LINES
        self._last: dict[str, int] = {}
        self.experiences = 0
        """How many there are."""
        if self._json:
            # A run's experiences need not follow each other: merged ones change their run.
            for number, values in read_objects(path):
                self.experiences += 1
                self._last[str(values.get('run') or '')] = number
        else:
            self._texts = tuple(_blocks(path))
            self.experiences = len(self._texts)

    def check(self) -> None:
        """Read all of it once, so that nothing is begun with what cannot be ended.

        Raises:
            ConfigurationError: if an experience is wrong.
        """
        for _ in self._records():
            pass

    def runs(self) -> Iterator[ImportedRun]:
        """Yield the runs, each when the last of its experiences has been read.

        Experiences without the name of a run are taken for one run from a root to the next.
        """
        unnamed: list[Record] = []
        open_runs: dict[str, list[Record]] = {}
        for number, record in self._records():
            name = record.origin.run
            if name:
                open_runs.setdefault(name, []).append(record)
                if number == self._last[name]:
                    yield _run(name, open_runs.pop(name))
                continue
            if record.experience.root and unnamed:
                yield self._nameless(unnamed)
                unnamed = []
            unnamed.append(record)
        if unnamed:
            yield self._nameless(unnamed)

    def _records(self) -> Iterator[tuple[int, Record]]:
        if self._json:
            for number, values in read_objects(self._path):
                yield number, record_of(values, f'{self._path}, line {number}', self._given)
            return
        for number, (place, lines) in enumerate(self._texts, start=1):
            experience = parse_experience(lines, place)
            yield number, Record(number, experience, replace(self._given, run=''), key='')

    def _nameless(self, records: Sequence[Record]) -> ImportedRun:
        return _run(run_name(self._path.name.partition('.')[0], records), records)


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


def run_name(stem: str, records: Sequence[Record]) -> str:
    """Return a name for a run that has none: the stem, and a digest of its experiences."""
    digest = hashlib.sha256('\0'.join(one.experience.text for one in records).encode('utf-8'))
    return f'{stem}-{digest.hexdigest()[:_DIGITS]}'


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a text file without their ends; unpacked if its name ends so.

    Raises:
        ConfigurationError: if it cannot be read, or a line is far longer than any experience.
    """
    try:
        opened: IO[str]
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


def read_objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file of JSON lines, each with the number of its line.

    Raises:
        ConfigurationError: if the file cannot be read, or a line is not an object.
    """
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            values = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise ConfigurationError(f'{path}, line {number}: no JSON: {error}') from error
        if not isinstance(values, dict):
            raise ConfigurationError(
                f'{path}, line {number}: {str(values)[:40]!r} is not an object ({{"text": …}})'
            )
        yield number, values


def _blocks(path: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each trajectory's place and lines."""
    block: list[str] = []
    begin = 1
    number = 0
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip() == SEPARATOR:
            if block:
                yield f'{path}, line {begin}', tuple(block)
            block, begin = [], number + 1
        elif line.strip() and not line.startswith('#'):
            block.append(line.rstrip())
    if block:
        yield f'{path}, line {begin}', tuple(block)


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
