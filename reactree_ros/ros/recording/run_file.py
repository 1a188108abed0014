# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the file of a run, also one that was cut off, or is still being written."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Any

from mcap.exceptions import EndOfFile, McapError
from mcap.records import Channel, Chunk, Message, Metadata, Schema
from mcap.stream_reader import StreamReader, breakup_chunk
from mcap.well_known import MessageEncoding, SchemaEncoding
from mcap.writer import MCAP0_MAGIC
from mcap_ros2.decoder import DecoderFactory

from reactree_ros.errors import ConfigurationError
from reactree_ros.ros.recording.run_publisher import (
    AUDIT_TOPIC,
    EVENT_TOPIC,
    INPUT_TOPIC,
    MEMORY_TOPIC,
    POSES_TOPIC,
    SCENE_TOPIC,
    TREE_TOPIC,
)
from reactree_ros.ros.recording.run_recorder import BEGAN, ENDED, definition_of

_HEAD = struct.Struct('<BQ')
"""How a record begins: what it is, and its length in bytes."""
_RECORD_BYTES = 64 * 2**20
_TYPES = {
    EVENT_TOPIC: 'reactree_interfaces/msg/Event',
    AUDIT_TOPIC: 'reactree_interfaces/msg/DecisionRecord',
    TREE_TOPIC: 'reactree_interfaces/msg/Tree',
    MEMORY_TOPIC: 'reactree_interfaces/msg/Observation',
    INPUT_TOPIC: 'std_msgs/msg/String',
    SCENE_TOPIC: 'std_msgs/msg/String',
    POSES_TOPIC: 'std_msgs/msg/String',
}
"""The types of the topics of a run; others are not read."""


@dataclass(frozen=True)
class Recorded:
    """One message of a run.

    Args:
        topic: name of its topic without the planner's namespace, e.g. ``reactree/events``.
        nanoseconds: when it was written, since 1970.
        message: has the fields of the topic's type.
    """

    topic: str
    nanoseconds: int
    message: Any


class RunFile:
    """What the file of a run holds.

    Raises:
        ConfigurationError: if it cannot be read, or is not a file of a run.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.began: dict[str, Any] = {}
        """What was asked: goal, goal_id, strategy, limits, parameters, skills."""
        self.ended: dict[str, Any] = {}
        """How it ended: status, reason, message, tree, costs, nodes; empty if it was cut off."""
        self.messages: tuple[Recorded, ...] = ()
        self._schemas: dict[int, Schema] = {}
        self._channels: dict[int, Channel] = {}
        self._offset = 0
        self._damaged = False
        self.read_on()
        if not isinstance(self.began.get('goal'), str):
            raise ConfigurationError(f'{path} is not a recorded run')

    def read_on(self) -> tuple[Recorded, ...]:
        """Return the messages that were written since, and add them to ``messages``.

        Raises:
            ConfigurationError: if it cannot be read.
        """
        if self._damaged:
            return ()
        try:
            with self.path.open('rb') as file:
                file.seek(self._offset)
                data = file.read()
        except OSError as error:
            raise ConfigurationError(f'cannot read the run {self.path}: {error}') from error
        begin = 0
        if not self._offset:
            begin = len(MCAP0_MAGIC)
            self._damaged = data[:begin] != MCAP0_MAGIC
        end = _end_of_whole(data, begin)
        self._offset += end
        found = () if self._damaged else tuple(self._read(data[begin:end]))
        self.messages += found
        return found

    def _read(self, data: bytes) -> Iterator[Recorded]:
        # whole, so that no length in it can ask for more memory than the file has
        with io.BytesIO(data) as stream:
            try:
                for record in _records(stream):
                    if isinstance(record, Schema):
                        self._schemas[record.id] = record
                    elif isinstance(record, Channel):
                        self._channels[record.id] = record
                    elif isinstance(record, Metadata):
                        self._note(record)
                    elif isinstance(record, Message):
                        channel = self._channels[record.channel_id]
                        type_name = self._schemas[channel.schema_id].name
                        for topic in (one for one in _TYPES if channel.topic.endswith(f'/{one}')):
                            message = _message(topic, type_name, record.data)
                            yield Recorded(topic, record.log_time, message)
            except EndOfFile:
                return
            # damaged: what was read so far counts; the libraries of formats and of ROS have errors
            # of their own
            except (McapError, struct.error, LookupError, ValueError, RuntimeError, OverflowError):
                self._damaged = True

    def _note(self, record: Metadata) -> None:
        about = {key: json.loads(text) for key, text in record.metadata.items()}
        if record.name == BEGAN:
            self.began = about
        elif record.name == ENDED:
            self.ended = about


def _end_of_whole(data: bytes, begin: int) -> int:
    """Return where the last record ends that is there as a whole."""
    while begin + _HEAD.size <= len(data):
        _, length = _HEAD.unpack_from(data, begin)
        if begin + _HEAD.size + length > len(data):
            break
        begin += _HEAD.size + length
    return begin


def _records(stream: IO[bytes]) -> Iterator[Any]:
    """Yield all records of a file, those of a chunk each by itself.

    Raises:
        ConfigurationError: at a chunk that is packed: no recorder here packs, and what is in it
            may be of any size.
    """
    reader = StreamReader(
        stream, skip_magic=True, emit_chunks=True, record_size_limit=_RECORD_BYTES
    )
    for record in reader.records:
        if not isinstance(record, Chunk):
            yield record
        elif record.compression:
            raise ConfigurationError(
                f'the run is packed by {record.compression}; unpack it with "mcap decompress"'
            )
        else:
            yield from breakup_chunk(record, validate_crc=True)


def _message(topic: str, type_name: str, data: bytes) -> Any:
    """Return the message of a record.

    Raises:
        ValueError: if it is damaged, or not of its topic's type.
    """
    if _TYPES[topic] != type_name:
        raise ValueError(f'{type_name} is not a type of messages on {topic}')
    return _decoder(type_name)(data)


@cache
def _decoder(type_name: str) -> Callable[[bytes], Any]:
    # rclpy's deserialiser trusts the lengths in a message, and damaged ones end the process.
    definition = definition_of(type_name).encode()
    schema = Schema(id=1, name=type_name, encoding=SchemaEncoding.ROS2, data=definition)
    decoder = DecoderFactory().decoder_for(MessageEncoding.CDR, schema)
    if decoder is None:
        raise ValueError(f'{type_name} cannot be decoded')
    return decoder
