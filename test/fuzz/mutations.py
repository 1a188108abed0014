# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Changes to right inputs that make wrong ones: to bytes, to text and to nested values.

All of them draw from a ``random.Random``, which hypothesis, atheris and the plain driver provide.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

ODD_TEXTS = (
    *('', ' ', '\n', 'a\nb', '\t', '\x00', '\x1b[2J', '\u2028', '\x85', '\ud800', 'é', '…', '٣'),
    *('done', 'failure', 'recall location of apple', 'Act: done', 'null', '1', '-1', '1e999'),
    *('{', '}', '{}', '{0}', '{x}', '{item.pose}', '{x.y.z}', '{item!r}', '%s', '${x}', '../x'),
    *('x' * 300, 'apple 1', 'apple (1)', 'kitchen 1', 'character', 'Rooms', '---', '# x', '"'),
)
ODD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 2**31, 2**63, -(2**63), 2**64, 10**25),
    *(0.5, -0.0, 1e308, -1e308, float('nan'), float('inf')),
    *([], {}, [[]], [None], {'': ''}, ['x', 'x'], {'x': {}}, [1, 2]),
    *ODD_TEXTS,
)
_ODD_BYTES = (b'\x00', b'\xff', b'\xc3', b'\xed\xa0\x80', b'\xe2\x80\xa8', b'\n', b' ', b'\r')
_MOST = 20_000
# Longer inputs take longer and find nothing else.


def mutate_bytes(
    random: Random, data: bytes, seeds: Sequence[bytes], words: Sequence[bytes] = ()
) -> bytes:
    """Return bytes with one to four changes; ``words`` are what its form is made of."""
    for _ in range(random.choice((1, 1, 2, 4))):
        kind = random.randrange(8)
        start = random.randrange(len(data) + 1)
        end = min(len(data), start + random.choice((1, 1, 2, 8, 40)))
        piece = data[start:end]
        if kind == 0:
            data = data[:start] + data[end:]
        elif kind == 1:
            data = data[:start] + bytes([random.randrange(256)]) + data[start + 1 :]
        elif kind == 2:
            data = data[:start] + random.choice(_ODD_BYTES) + data[start:]
        elif kind == 3:
            most = max(1, _MOST // max(1, len(piece)))
            times = min(most, random.choice((2, 3, 8, 100, 5000)))
            data = data[:start] + piece * times + data[end:]
        elif kind == 4 and words:
            data = data[:start] + random.choice(words) + data[start:]
        elif kind == 5 and words:
            data = data[:start] + random.choice(words) + data[end:]
        elif kind == 6 and seeds:
            other = random.choice(seeds)
            at = random.randrange(len(other) + 1)
            data = data[:start] + other[at : at + random.choice((8, 100, 1000))] + data[start:]
        else:
            there = random.randrange(len(data) + 1)
            data = data[:there] + piece + data[there:]
    return data


def mutate_lines(random: Random, text: str, words: Sequence[str] = ODD_TEXTS) -> str:
    """Return a text with a line gone, twice, elsewhere, or with an odd text in it."""
    lines = text.split('\n')
    for _ in range(random.choice((1, 1, 2, 3))):
        at, other = random.randrange(len(lines)), random.randrange(len(lines))
        kind = random.randrange(5)
        if kind == 0 and len(lines) > 1:
            del lines[at]
        elif kind == 1:
            lines.insert(other, lines[at])
        elif kind == 2:
            lines[at], lines[other] = lines[other], lines[at]
        elif kind == 3:
            lines.insert(at, random.choice(words))
        else:
            place = random.randrange(len(lines[at]) + 1)
            lines[at] = lines[at][:place] + random.choice(words) + lines[at][place:]
    return '\n'.join(lines)


def mutate_values(random: Random, value: Any) -> Any:
    """Return nested lists, mappings and scalars with one to three changes."""
    value = copy.deepcopy(value)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        places = list(_places(value))
        if not places:
            return random.choice(ODD_VALUES)
        holder, key = random.choice(places)
        random.choice(_CHANGES)(random, holder, key, places)
    return value


def to_json(value: Any) -> bytes:
    """Write values as JSON; halves of surrogates are escaped, so that every text can be written."""
    return json.dumps(value).encode()


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each list or mapping with each of its keys, whatever lies below."""
    keys = range(len(value)) if isinstance(value, list) else ()
    for key in list(value) if isinstance(value, dict) else keys:
        yield value, key
        yield from _places(value[key])


def _odd(random: Random, holder: Any, key: Any, places: Sequence[tuple[Any, Any]]) -> None:
    holder[key] = copy.deepcopy(random.choice(ODD_VALUES))


def _gone(random: Random, holder: Any, key: Any, places: Sequence[tuple[Any, Any]]) -> None:
    del holder[key]


def _other(random: Random, holder: Any, key: Any, places: Sequence[tuple[Any, Any]]) -> None:
    source, at = random.choice(places)
    holder[key] = copy.deepcopy(source[at])


def _renamed(random: Random, holder: Any, key: Any, places: Sequence[tuple[Any, Any]]) -> None:
    if isinstance(holder, dict):
        names = [at for source, at in places if isinstance(source, dict)]
        holder[random.choice((*names, *ODD_TEXTS))] = holder.pop(key)
    else:
        holder.insert(random.randrange(len(holder) + 1), copy.deepcopy(holder[key]))


def _near(random: Random, holder: Any, key: Any, places: Sequence[tuple[Any, Any]]) -> None:
    value = holder[key]
    if isinstance(value, str):
        at = random.randrange(len(value) + 1)
        holder[key] = value[:at] + random.choice(ODD_TEXTS) + value[at:]
    elif isinstance(value, (int, float)):
        holder[key] = value + random.choice((-1, 1, 0.5, 1000))
    else:
        holder[key] = [value] if random.randrange(2) else {'x': value}


_CHANGES: tuple[Callable[[Random, Any, Any, Sequence[tuple[Any, Any]]], None], ...] = (
    *(_odd, _gone, _other, _renamed, _near),
)
