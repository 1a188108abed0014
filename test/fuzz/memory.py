# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The import of experiences: the first byte says in which form the rest is a file.

``J`` JSON lines, ``T`` text, ``j`` and ``t`` these packed with gzip; ``E`` examples that ship with
a skill library. What is accepted goes into a store, comes out as a file, and is imported again:
the second file is the first.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from reactree_ros.cli.memory.importing import import_runs
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Vectors
from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.exchange import ImportedRun, read_runs, write_records
from reactree_ros.memory.experience import Origin, parse_experience, read_experiences
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.paths import share

from .contract import Target, demand, scratch, told
from .mutations import ODD_TEXTS, mutate_bytes, mutate_lines, mutate_values

_NAMES = {b'J': 'x.jsonl', b'j': 'x.jsonl.gz', b'T': 'x.txt', b't': 'x.txt.gz', b'E': 'x.txt'}
_GIVEN = Origin(run='', task='given', skills='household', model='me', time=7.0)
_EXPERIENCES = 4
_WORDS = (
    *('Goal: ', 'Primary goal: tidy up', 'Subgoals (sequence): x', 'Act: done', 'Act: failure'),
    *('Expand: sequence ["a"]', '---', '# remark', 'Think: x', 'done', 'Now it is your turn.'),
    *('[' * 3000, '9' * 5000, '\\ud800', 'Infinity', 'NaN', '1e400'),
    *('You are in the house', 'Your task is to: x', 'OK.', '> think: x', '- subgoals: x'),
)


class _Encoder:
    """Embeds texts by their length: what is near what does not matter here."""

    encoder_name = 'lengths'

    def embed(self, texts: tuple[str, ...]) -> Future[Vectors]:
        vectors = np.array([[1.0, len(text) % 7] for text in texts], dtype=np.float32)
        return ready(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        return ready(tuple(map(len, texts)))


@cache
def seeds() -> list[bytes]:
    """Return some of the shipped experiences in each form."""
    folder = share('resource', 'experiences')
    text = (folder / 'household.txt').read_text(encoding='utf-8')
    text = '\n---\n'.join(text.split('\n---\n')[:_EXPERIENCES]) + '\n'
    with gzip.open(folder / 'learned.jsonl.gz', 'rt', encoding='utf-8') as packed:
        lines = ''.join(line for line, _ in zip(packed, range(_EXPERIENCES), strict=False))
    bare = json.dumps({'text': text.split('\n---\n')[0]}) + '\n'
    return [
        *(b'J' + lines.encode(), b'J' + bare.encode()),
        *(b'T' + text.encode(), b'E' + text.encode()),
        b'j' + gzip.compress(lines.encode(), 1, mtime=0),
        b't' + gzip.compress(text.encode(), 1, mtime=0),
    ]


def mutate(random: Random, data: bytes, among: Sequence[bytes]) -> bytes:
    """Change a line of text, a value of an object, or bytes; before or after they are packed."""
    mark, rest = data[:1], data[1:]
    if mark in b'jt' and random.randrange(3):
        plain = _unpacked(rest)
        return mark + gzip.compress(mutate(random, mark.upper() + plain, among)[1:], 1, mtime=0)
    kind = random.randrange(4)
    if kind == 0 or mark in b'jt':
        return mark + mutate_bytes(random, rest, among, [word.encode() for word in _WORDS])
    text = rest.decode('utf-8', 'replace')
    if mark == b'J' and kind > 1:
        return mark + _mutated_object(random, text)
    text = mutate_lines(random, text, (*_WORDS, *ODD_TEXTS))
    return mark + text.encode('utf-8', 'replace')


def check(data: bytes) -> bool:
    """Hold an input against the contract; see the module."""
    name = _NAMES.get(data[:1])
    if name is None:
        return False
    path = scratch() / name
    path.write_bytes(data[1:])
    try:
        if data[:1] == b'E':
            for one in read_experiences(path):
                again = parse_experience(one.text.splitlines(), 'again')
                demand(again == one, f'{one!r} is read again as {again!r}')
            return True
        runs = read_runs(path, _GIVEN)
    except ConfigurationError as error:
        return told(error)
    # once it is read, nothing of it is refused any more
    first = _through_a_store(runs, 'first.jsonl')
    second = _through_a_store(read_runs(first, _GIVEN), 'second.jsonl')
    demand(
        _lines(first) == _lines(second),
        f'imported\n{_lines(first)}\nand imported again\n{_lines(second)}',
    )
    return True


def _through_a_store(runs: list[ImportedRun], name: str) -> Path:
    """Import runs into a new store and write what it holds."""
    path = scratch() / name
    store = SqliteStore(':memory:', 'lengths', 2)
    try:
        import_runs(runs, store, _Encoder(), lambda more: None, lambda: False)
        records = store.records()
        write_records(path, records)
    finally:
        store.close()
    if runs:
        demand(bool(records), 'nothing has arrived')
    return path


def _lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file without their numbers, which are the store's."""
    objects = [json.loads(line) for line in path.read_text(encoding='utf-8').split('\n') if line]
    for one in objects:
        del one['number']
    return sorted(objects, key=lambda one: json.dumps(one))


def _mutated_object(random: Random, text: str) -> bytes:
    lines = text.splitlines()
    at = random.randrange(len(lines)) if lines else 0
    try:
        values = json.loads(lines[at])
    except (ValueError, RecursionError, IndexError):
        return mutate_bytes(random, text.encode('utf-8', 'replace'), ())
    if isinstance(values, dict) and isinstance(values.get('text'), str) and random.randrange(2):
        values['text'] = mutate_lines(random, values['text'], (*_WORDS, *ODD_TEXTS))
    else:
        values = mutate_values(random, values)
    lines[at] = json.dumps(values)
    return '\n'.join(lines).encode('utf-8', 'replace')


def _unpacked(data: bytes) -> bytes:
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error):
        return data


TARGET = Target('memory', seeds, mutate, check)
