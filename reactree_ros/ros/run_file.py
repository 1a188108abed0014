# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the file of a run, also one that was cut off."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcap.exceptions import McapError
from mcap.records import Channel, Message, Metadata, Schema
from mcap.stream_reader import StreamReader
from rclpy.serialization import deserialize_message

from reactree_ros.exceptions import ConfigurationError
from reactree_ros.ros.messages import interface
from reactree_ros.ros.run_recorder import BEGAN, ENDED

_RECORD_BYTES = 64 * 2**20


@dataclass(frozen=True)
class Recorded:
    """One message of a run.

    Args:
        topic: its topic.
        nanoseconds: when it was written, since 1970.
        message: of the topic's type.
    """

    topic: str
    nanoseconds: int
    message: Any


class RunFile:
    """What the file of a run holds.

    Args:
        path: the file.

    Raises:
        ConfigurationError: if it cannot be read, or is no file of a run.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.began: dict[str, Any] = {}
        """What was asked: goal, goal_id, strategy, limits, parameters, skills."""
        self.ended: dict[str, Any] = {}
        """How it ended: status, reason, message, tree, costs, nodes; empty if it was cut off."""
        try:
            self.messages = tuple(self._read())
        except OSError as error:
            raise ConfigurationError(f'cannot read the run {path}: {error}') from error
        if not self.began:
            raise ConfigurationError(f'{path} is no recorded run')

    def _read(self) -> Iterator[Recorded]:
        schemas: dict[int, Schema] = {}
        channels: dict[int, Channel] = {}
        with self.path.open('rb') as stream:
            try:
                for record in StreamReader(stream, record_size_limit=_RECORD_BYTES).records:
                    if isinstance(record, Schema):
                        schemas[record.id] = record
                    elif isinstance(record, Channel):
                        channels[record.id] = record
                    elif isinstance(record, Metadata):
                        self._note(record)
                    elif isinstance(record, Message):
                        channel = channels[record.channel_id]
                        kind = interface(schemas[channel.schema_id].name)
                        yield Recorded(
                            channel.topic, record.log_time, deserialize_message(record.data, kind)
                        )
            except (McapError, struct.error, KeyError, ValueError):
                return  # cut off, or no MCAP: what was read so far counts

    def _note(self, record: Metadata) -> None:
        about = {key: json.loads(text) for key, text in record.metadata.items()}
        if record.name == BEGAN:
            self.began = about
        elif record.name == ENDED:
            self.ended = about
