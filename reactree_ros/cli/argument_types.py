# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Readers of arguments that several commands take; each reports what is wrong with a value."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

from reactree_ros.core.settings import NONE, USER
from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.postgres.address import is_server, shown
from reactree_ros.planner.options import planner_options

_NAME = re.compile('(~?/)?[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*/?')


def ros_name(text: str) -> str:
    """Read the name of a topic or a service; empty for none."""
    if text not in ('', '/') and not _NAME.fullmatch(text):
        raise argparse.ArgumentTypeError(
            f'{text!r} is not a ROS name: letters, digits and underscores, with / between them'
        )
    return text


def namespace(text: str) -> str:
    """Read a namespace, with or without a slash at its ends; empty for none."""
    if text.startswith('~'):
        raise argparse.ArgumentTypeError(f'{text!r}: a namespace does not begin with ~')
    return ros_name(text).strip('/')


def whole_number(text: str) -> int:
    """Read a whole number from 0."""
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f'{text!r} is not a whole number from 0')
    return int(text)


def number(
    kind: type[int] | type[float], highest: int, lowest: float = 0
) -> Callable[[str], float]:
    """Return a reader of numbers from the lowest to the highest allowed."""

    def read(text: str) -> float:
        try:
            value = kind(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(f'{text!r} is not a number') from error
        if not lowest <= value <= highest:
            raise argparse.ArgumentTypeError(f'{text} is not from {lowest} to {highest}')
        return value

    return read


def store_address(memory: str) -> str:
    """Return the file or the server of the experience store that an argument names.

    Raises:
        ConfigurationError: if it names none, as one may where a planner is started.
    """
    if memory == NONE:
        raise ConfigurationError(
            f'--memory {NONE}: this command cannot do without an experience store; give a file '
            f'("./{NONE}" if it has that name), or "{USER}" for yours'
        )
    address = planner_options({'memory.store': memory}).memory_address
    if not address:
        raise ConfigurationError('--memory is empty: name a file or a server, or omit it')
    return address


def store_file(memory: str) -> Path:
    """Return the file of the experience store that an argument names.

    Raises:
        ConfigurationError: if it names none, or a server.
    """
    address = store_address(memory)
    if is_server(address):
        raise ConfigurationError(
            f'{shown(address)} is a server, but this command copies the experience store: give a '
            'file ("reactree memory pull" makes one of a server\'s experiences)'
        )
    return Path(address)
