# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Every run in a file of its own, as it happens: MCAP, which Foxglove and ros2 bag open.

The file holds the messages that are published, their topics' names and QoS as ros2 bag writes them,
and what the run was and how it ended as metadata. Each message is written at once, so a file that
was cut off has all that came before. Other programs than ``reactree`` need ``mcap recover`` first.
"""

from __future__ import annotations

import json
import queue
import re
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import yaml
from mcap.writer import CompressionType, Writer
from rclpy.duration import Duration
from rclpy.qos import QoSProfile
from rclpy.serialization import serialize_message

from reactree_ros.paths import make_private, share_of

PROFILE = 'ros2'
BEGAN, ENDED = 'run', 'result'
"""Names of the metadata records: what was asked, and how it ended; each a JSON text by name."""
SUFFIX = '.mcap'
_RULE = '=' * 80
_OWN = re.compile(rf'\d{{8}}-\d{{6}}-.*[0-9a-f]{{8}}{re.escape(SUFFIX)}')
"""How files of runs are named; no others are deleted."""
_PLAIN = re.compile(r'[^a-z0-9]+')
_MESSAGE_FIELD = re.compile(r'^\s*(?:(\w+)/)?([A-Z]\w*)(?:\[.*?\])?\s', re.MULTILINE)
"""A field that is a message: its package, empty for the same one, and its type."""


def run_file(folder: Path, goal_id: str) -> Path | None:
    """Return the file of a goal's run, the latest if it has several; None if there is none.

    Args:
        folder: of the files.
        goal_id: hexadecimal digits.
    """
    return max(folder.glob(f'*-{goal_id[:8]}{SUFFIX}'), default=None)


class RunRecorder:
    """Writes runs, one file each, on a thread of its own; only ``close`` waits.

    Args:
        folder: of the files; it is made when it is needed. None: nothing is written.
        kept: how many files are kept; the oldest are deleted first.
        log: a ROS logger; a run that cannot be written is logged once.
    """

    def __init__(self, folder: Path | None, kept: int, log: Any) -> None:
        self._folder = folder
        self._kept = kept
        self._log = log
        self.fault = ''
        """Why the latest run is not recorded; empty if it is."""
        self._file: _RunFile | None = None
        self._tasks: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name='run recorder', daemon=True)
        if folder is not None:
            self._thread.start()

    def begin(self, goal_id: bytes, goal: str, about: Mapping[str, Any]) -> None:
        """Begin a file.

        Args:
            goal_id: of the action goal, 16 bytes.
            goal: what the person wants.
            about: what else is to be known of the run; plain data.
        """
        if self._folder is None:
            return
        stamp = time.strftime('%Y%m%d-%H%M%S', time.gmtime())
        words = _PLAIN.sub('-', goal.lower()).strip('-')[:40].strip('-')
        name = f'{stamp}-{words or "goal"}-{goal_id.hex()[:8]}{SUFFIX}'
        began = {'goal_id': goal_id.hex(), 'goal': goal, **about}
        path = self._folder / name
        self._put(lambda: self._open(path, began))

    def write(self, topic: str, message: Any, qos: QoSProfile) -> None:
        """Write a message that is published now under this full name; nothing outside a run."""
        now = time.time_ns()
        self._put(lambda: self._add(topic, message, qos, now))

    def end(self, about: Mapping[str, Any]) -> None:
        """End the file with how the run ended; plain data."""
        self._put(lambda: self._finish(about))

    def close(self) -> None:
        """End everything, after all that was to be written."""
        self._tasks.put(None)
        if self._folder is not None:
            self._thread.join()

    def _put(self, task: Callable[[], None]) -> None:
        if self._folder is not None:
            self._tasks.put(task)

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            try:
                task()
            except Exception as error:  # what cannot be written must not end the recorder
                self.fault = f'the run is not recorded any more: {error}'
                self._log.warning(self.fault)
                self._drop()
        self._drop()

    def _open(self, path: Path, began: Mapping[str, Any]) -> None:
        self._drop()
        make_private(path.parent)
        own = [one for one in sorted(path.parent.iterdir()) if _OWN.fullmatch(one.name)]
        for old in own[: -self._kept + 1 or None]:
            old.unlink(missing_ok=True)
        self._file = _RunFile(path)
        self.fault = ''
        self._file.note(BEGAN, began)

    def _add(self, topic: str, message: Any, qos: QoSProfile, now: int) -> None:
        if self._file is not None:
            self._file.write(topic, message, qos, now)

    def _finish(self, about: Mapping[str, Any]) -> None:
        if self._file is not None:
            self._file.note(ENDED, about)
            self._log.info(f'recorded in {self._file.path}')
        self._drop()

    def _drop(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # what could not be written was logged already
                file.close()


class _RunFile:
    """One MCAP file that is open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stream: IO[bytes] = path.open('wb')
        # A chunk a message: readers find an index, and nothing is held back.
        self._writer = Writer(self._stream, chunk_size=1, compression=CompressionType.NONE)
        self._writer.start(profile=PROFILE, library='reactree_ros')
        self._channels: dict[str, int] = {}
        self._counts: dict[str, int] = {}

    def write(self, topic: str, message: Any, qos: QoSProfile, now: int) -> None:
        if topic not in self._channels:
            name = _type_name(type(message))
            schema = self._writer.register_schema(name, 'ros2msg', definition_of(name).encode())
            offered = {'offered_qos_profiles': yaml.safe_dump([_qos_values(qos)], sort_keys=False)}
            self._channels[topic] = self._writer.register_channel(topic, 'cdr', schema, offered)
        count = self._counts[topic] = self._counts.get(topic, 0) + 1
        self._writer.add_message(
            self._channels[topic], now, serialize_message(message), now, sequence=count
        )
        self._stream.flush()

    def note(self, name: str, about: Mapping[str, Any]) -> None:
        texts = {key: json.dumps(value, ensure_ascii=False) for key, value in about.items()}
        self._writer.add_metadata(name, texts)
        self._stream.flush()

    def close(self) -> None:
        try:
            self._writer.finish()
        finally:
            self._stream.close()


def _qos_values(qos: QoSProfile) -> dict[str, Any]:
    """Return a profile as rosbag2 writes it (rosbag2_storage/qos.cpp, metadata version 9)."""

    def duration(value: Duration) -> dict[str, int]:
        seconds, nanoseconds = divmod(value.nanoseconds, 10**9)
        return {'sec': seconds, 'nsec': nanoseconds}

    return {
        'history': qos.history.short_key,
        'depth': qos.depth,
        'reliability': qos.reliability.short_key,
        'durability': qos.durability.short_key,
        'deadline': duration(qos.deadline),
        'lifespan': duration(qos.lifespan),
        'liveliness': qos.liveliness.short_key,
        'liveliness_lease_duration': duration(qos.liveliness_lease_duration),
        'avoid_ros_namespace_conventions': qos.avoid_ros_namespace_conventions,
    }


def definition_of(name: str) -> str:
    """Return a message's definition with those that it needs, as ``ros2msg`` wants it.

    Args:
        name: e.g. ``reactree_interfaces/msg/Event``.
    """
    texts: dict[str, str] = {}
    wanted = [name]
    for one in wanted:
        package, kind, word = one.split('/')
        if one not in texts:
            texts[one] = (share_of(package) / kind / f'{word}.msg').read_text(encoding='utf-8')
            used = _MESSAGE_FIELD.findall(texts[one])
            wanted += [f'{other or package}/msg/{field_type}' for other, field_type in used]
    first, *others = texts.items()
    parts = [first[1]]
    parts += [f'{_RULE}\nMSG: {one.replace("/msg/", "/")}\n{text}' for one, text in others]
    return '\n'.join(parts)


def _type_name(message_type: type) -> str:
    package, kind, *_ = message_type.__module__.split('.')
    return f'{package}/{kind}/{message_type.__name__}'
