# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""MCAP files as lists of records, to be changed and written again without a check of any kind."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Sequence
from contextlib import suppress
from random import Random

from mcap.data_stream import RecordBuilder
from rclpy.serialization import serialize_message
from std_msgs.msg import String

from .mutations import mutate_bytes, mutate_values

MAGIC = b'\x89MCAP0\r\n'
_SCHEMA, _CHANNEL, _MESSAGE, _CHUNK, _METADATA = 3, 4, 5, 6, 12
_KEPT = (1, _SCHEMA, _CHANNEL, _MESSAGE, _METADATA, 15)
_MESSAGE_HEAD, _CHUNK_HEAD, _CDR_HEAD = 22, 28, 4
_LENGTHS = (0, 1, 2, 5, 100, 2**16, 2**31 - 1, 2**31, 2**32 - 1)
_NAMES = (b'std_msgs/msg/String', b'reactree_interfaces/msg/Tree', b'reactree_interfaces/msg/Event')
Record = tuple[int, bytes]


def records_of(data: bytes) -> list[Record]:
    """Return opcode and content of each record, those of chunks by themselves, without indices."""
    return [one for one in _flat(data[len(MAGIC) :]) if one[0] in _KEPT]


def file_of(records: Sequence[Record]) -> bytes:
    """Write records as a file without chunks."""
    return MAGIC + b''.join(struct.pack('<BQ', op, len(one)) + one for op, one in records) + MAGIC


def mutate_file(random: Random, data: bytes, among: Sequence[bytes]) -> bytes:
    """Return a file with some of its records changed, doubled, exchanged or left out."""
    records = records_of(data)
    if not records or random.randrange(6) == 0:
        return mutate_bytes(random, data, among, (MAGIC, b'zstd', b'lz4', *_NAMES))
    for _ in range(random.choice((1, 1, 2, 4))):
        at, other = random.randrange(len(records)), random.randrange(len(records))
        kind = random.randrange(10)
        if kind == 0:
            records[at], records[other] = records[other], records[at]
        elif kind == 1 and len(records) > 1:
            del records[at]
        elif kind == 2:
            records.insert(other, records[at])
        else:
            records[at] = _changed(random, records[at], among)
    return file_of(records)


def _flat(data: bytes) -> Iterator[Record]:
    at = 0
    while at + 9 <= len(data):
        op, length = struct.unpack_from('<BQ', data, at)
        content = data[at + 9 : at + 9 + length]
        at += 9 + len(content)
        if op != _CHUNK:
            yield op, content
        elif len(content) > _CHUNK_HEAD + 12:
            (name,) = struct.unpack_from('<I', content, _CHUNK_HEAD)
            yield from _flat(content[_CHUNK_HEAD + 4 + name + 8 :])


def _changed(random: Random, record: Record, among: Sequence[bytes]) -> Record:
    op, content = record
    kind = random.randrange(6)
    if op == _METADATA and kind > 0:
        return op, _changed_metadata(random, content)
    if op == _MESSAGE and kind > 0:
        head, body = content[:_MESSAGE_HEAD], content[_MESSAGE_HEAD:]
        return op, head + _changed_message(random, body)
    if op == _SCHEMA and kind > 3:
        for name in _NAMES:
            content = content.replace(name, random.choice(_NAMES))
        return op, content
    return op, mutate_bytes(random, content, (), _NAMES)


def _changed_message(random: Random, body: bytes) -> bytes:
    """Change a length, JSON that is the whole message, or bytes."""
    text = body[_CDR_HEAD + 4 : -1]
    if text[:1] == b'{' and random.randrange(5):
        with suppress(ValueError):  # changed before, it may be JSON no more
            values = mutate_values(random, json.loads(text))
            return bytes(serialize_message(String(data=json.dumps(values))))
    if random.randrange(2):
        at = random.randrange(len(body) // 4 + 1) * 4
        return body[:at] + struct.pack('<I', random.choice(_LENGTHS)) + body[at + 4 :]
    return mutate_bytes(random, body, ())


def _changed_metadata(random: Random, content: bytes) -> bytes:
    """Change the values of a metadata record, which are JSON texts by name."""
    texts = []
    at = 0
    try:
        while at < len(content):
            (length,) = struct.unpack_from('<I', content, at)
            at += 4
            if len(texts) == 1:  # the length of all that follows
                texts.append('')
                continue
            texts.append(content[at : at + length].decode())
            at += length
        values = dict(zip(texts[2::2], map(json.loads, texts[3::2]), strict=True))
    except (struct.error, ValueError, RecursionError):
        return mutate_bytes(random, content, ())
    values = mutate_values(random, values)
    if not isinstance(values, dict):
        values = {'goal': values}
    made = RecordBuilder()
    made.write_prefixed_string(texts[0])
    pairs = RecordBuilder()
    for key, value in values.items():
        pairs.write_prefixed_string(key.encode('utf-8', 'replace').decode())
        pairs.write_prefixed_string(json.dumps(value))
    packed = pairs.end()
    made.write4(len(packed))
    made.write(packed)
    return made.end()
