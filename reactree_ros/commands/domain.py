# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A ROS domain of one's own, so that a demo or a test meets no other robot and no other demo."""

from __future__ import annotations

import fcntl
import os
import random
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from reactree_ros.exceptions import ConfigurationError

DOMAINS = range(1, 102)
"""Domains whose ports lie below those that Linux gives to clients (ROS 2, "The ROS_DOMAIN_ID")."""
_BASE_PORT = 7400
_PORTS_PER_DOMAIN = 250
_FIRST_UNICAST = 10


@contextmanager
def private_domain() -> Iterator[int]:
    """Take a free domain, on this machine only, for this process and its children.

    Others that ask in this way are kept off by a lock, which ends with the process; those that do
    not are seen by their open ports.

    Yields:
        The domain's number; ``ROS_DOMAIN_ID`` has it as long as the context is open.

    Raises:
        ConfigurationError: every domain is taken.
    """
    with _locked_domain() as number:
        names = ('ROS_DOMAIN_ID', 'ROS_AUTOMATIC_DISCOVERY_RANGE', 'ROS_STATIC_PEERS')
        before = {name: os.environ.get(name) for name in names}
        os.environ['ROS_DOMAIN_ID'] = str(number)
        os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
        os.environ.pop('ROS_STATIC_PEERS', None)
        try:
            yield number
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                if value is not None:
                    os.environ[name] = value


@contextmanager
def _locked_domain() -> Iterator[int]:
    for number in random.sample(DOMAINS, len(DOMAINS)):
        lock = _lock(number)
        if lock is None:
            continue
        with lock:
            if _silent(number):
                yield number
                return
    raise ConfigurationError(
        f'every ROS domain from {DOMAINS.start} to {DOMAINS.stop - 1} is in use on this machine'
    )


def _lock(number: int) -> IO[str] | None:
    path = Path(tempfile.gettempdir()) / f'reactree_ros_domain_{number}_{os.getuid()}.lock'
    file = path.open('w')
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        return None
    return file


def _silent(number: int) -> bool:
    """Return whether no participant of the domain has opened its first port on this machine."""
    port = _BASE_PORT + _PORTS_PER_DOMAIN * number + _FIRST_UNICAST
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.bind(('', port))
        except OSError:
            return False
    return True
