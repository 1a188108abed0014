# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A ROS domain of one's own, so that a demo or a test meets no other robot and no other demo."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager

from reactree_ros.errors import ConfigurationError

DOMAINS = range(1, 102)
"""Domains whose ports lie below those that Linux gives to clients (ROS 2, "The ROS_DOMAIN_ID")."""
_BASE_PORT = 7400
_PORTS_PER_DOMAIN = 250
_FIRST_UNICAST = 10


@contextmanager
def private_domain() -> Iterator[int]:
    """Take a free domain, on this machine only, for this process and its children.

    Yields:
        The domain's number; ``ROS_DOMAIN_ID`` has it as long as the context is open.

    Raises:
        ConfigurationError: every domain is taken.
    """
    number, reserved = _reserve()
    names = ('ROS_DOMAIN_ID', 'ROS_AUTOMATIC_DISCOVERY_RANGE', 'ROS_STATIC_PEERS')
    before = {name: os.environ[name] for name in names if name in os.environ}
    with closing(reserved):
        os.environ['ROS_DOMAIN_ID'] = str(number)
        os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
        os.environ.pop('ROS_STATIC_PEERS', None)
        try:
            yield number
        finally:
            for name in names:
                os.environ.pop(name, None)
            os.environ.update(before)


def _reserve() -> tuple[int, socket.socket]:
    """Return a domain that nobody uses, and the socket that reserves it until it is closed."""
    for number in random.sample(DOMAINS, len(DOMAINS)):
        port = _BASE_PORT + _PORTS_PER_DOMAIN * number + _FIRST_UNICAST
        # Participants open this port for UDP. The same port for TCP, which DDS leaves free, keeps
        # other callers of this function off until our own participants have opened theirs.
        reserved = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        try:
            reserved.bind(('', port))
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                probe.bind(('', port))
        except OSError:
            reserved.close()
            continue
        return number, reserved
    raise ConfigurationError(
        f'every ROS domain from {DOMAINS.start} to {DOMAINS.stop - 1} is in use on this machine'
    )
