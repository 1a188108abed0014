# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Says whether a serialised message is whole (CDR, as ROS 2 writes it).

What comes from a file may be damaged, and rclpy's deserialiser trusts its lengths: on some of such
messages it ends the process.
"""

from __future__ import annotations

import importlib
import struct
from collections.abc import Callable
from functools import cache
from typing import Any

from rosidl_parser.definition import (
    AbstractNestedType,
    AbstractString,
    Array,
    BasicType,
    BoundedSequence,
    NamespacedType,
)

_HEADERS = {b'\x00\x00': '>I', b'\x00\x01': '<I'}
"""The two plain encodings by the first bytes, and how each writes a length."""
_HEADER_BYTES = 4
_SIZES = {
    **dict.fromkeys(('octet', 'char', 'byte', 'uint8', 'int8', 'boolean'), 1),
    **dict.fromkeys(('int16', 'uint16'), 2),
    **dict.fromkeys(('int32', 'uint32', 'float'), 4),
    **dict.fromkeys(('int64', 'uint64', 'double'), 8),
}
_Skip = Callable[[bytes, int, str], int]
"""Goes past one value of a body, given how lengths are written, and returns where it ends."""


class _Damaged(Exception):
    """A value goes beyond the end, or is none of its type."""


def is_whole(data: bytes, message_type: Any) -> bool:
    """Return whether data is a whole message of a type; bytes behind it do not matter."""
    lengths = _HEADERS.get(data[:2])
    if lengths is None or len(data) < _HEADER_BYTES:
        return False
    try:
        _message(message_type)(data[_HEADER_BYTES:], 0, lengths)
    except _Damaged:
        return False
    return True


@cache
def _message(message_type: Any) -> _Skip:
    fields = [_value(kind) for kind in message_type.SLOT_TYPES]

    def skip(body: bytes, at: int, lengths: str) -> int:
        for one in fields:
            at = one(body, at, lengths)
        return at

    return skip


def _value(kind: Any) -> _Skip:
    if isinstance(kind, NamespacedType):
        return _message(getattr(importlib.import_module('.'.join(kind.namespaces)), kind.name))
    if isinstance(kind, AbstractNestedType):
        return _array(kind) if isinstance(kind, Array) else _sequence(kind)
    if isinstance(kind, AbstractString):
        return _text
    if isinstance(kind, BasicType) and kind.typename in _SIZES:
        return _flag if kind.typename == 'boolean' else _number(_SIZES[kind.typename])
    return _unknown


def _number(size: int) -> _Skip:
    def skip(body: bytes, at: int, lengths: str) -> int:
        return _end(body, -(-at // size) * size + size)

    return skip


def _flag(body: bytes, at: int, lengths: str) -> int:
    if body[at : at + 1] not in (b'\x00', b'\x01'):
        raise _Damaged
    return at + 1


def _text(body: bytes, at: int, lengths: str) -> int:
    length, at = _length(body, at, lengths)
    end = _end(body, at + length)
    if length and body[end - 1]:
        raise _Damaged  # no zero ends it
    return end


def _array(kind: Any) -> _Skip:
    one = _value(kind.value_type)

    def skip(body: bytes, at: int, lengths: str) -> int:
        for _ in range(kind.size):
            at = one(body, at, lengths)
        return at

    return skip


def _sequence(kind: Any) -> _Skip:
    one = _value(kind.value_type)
    most = kind.maximum_size if isinstance(kind, BoundedSequence) else None

    def skip(body: bytes, at: int, lengths: str) -> int:
        count, at = _length(body, at, lengths)
        # every element has a byte at least
        if count > len(body) - at or (most is not None and count > most):
            raise _Damaged
        for _ in range(count):
            at = one(body, at, lengths)
        return at

    return skip


def _unknown(body: bytes, at: int, lengths: str) -> int:
    raise _Damaged


def _length(body: bytes, at: int, lengths: str) -> tuple[int, int]:
    at = -(-at // 4) * 4
    _end(body, at + 4)
    length: int = struct.unpack_from(lengths, body, at)[0]
    return length, at + 4


def _end(body: bytes, end: int) -> int:
    if end > len(body):
        raise _Damaged
    return end
