# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Addresses of PostgreSQL servers, and how they are shown: never with a password."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, unquote

from reactree_ros.errors import ConfigurationError

SCHEMES = ('postgresql://', 'postgres://')
_FORM = 'postgresql://USER@HOST:PORT/DATABASE'
# Without the characters that must be written as %40 and the like: where they stand in a password,
# a part of it would be taken for the host, and be in messages.
_ADDRESS = re.compile(
    r"""
    postgres(?:ql)?://
    (?:(?P<user>[^:@/?\#\s]*)(?P<password>:[^:@/?\#\s]*)?@)?
    (?P<host>[^@/?\#\s]*)
    (?P<database>/[^@:/?\#\s]*)?
    (?:\?(?P<more>[^\#\s]*))?
    """,
    re.VERBOSE,
)
_SECRET = ('password', 'passfile', 'sslpassword', 'sslkey')


def is_server(address: str) -> bool:
    """Return whether an address names a PostgreSQL server, not a file."""
    return address.startswith(SCHEMES)


def shown(address: str) -> str:
    """Return an address as it may be shown to everyone: without a password.

    >>> shown('postgresql://ann:secret@db.local:5432/fleet?sslmode=require&password=x')
    'postgresql://ann@db.local:5432/fleet'
    >>> shown('/home/ann/memory.sqlite')
    '/home/ann/memory.sqlite'
    """
    if not is_server(address):
        return address
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return f'{SCHEMES[0]}…'
    user = f'{found["user"]}@' if found['user'] else ''
    return f'{SCHEMES[0]}{user}{found["host"]}{found["database"] or ""}'


def check_address(address: str) -> None:
    """Check the form of a server's address.

    Raises:
        ConfigurationError: if it is wrong; the message does not repeat it, for a part of it may be
            a password.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise ConfigurationError(
            f'the address of the experience store is not of the form {_FORM}; in a user name or '
            'password, the characters @ : / ? # % and blanks are written as %40, %3A, %2F, %3F, '
            '%23, %25 and %20'
        )
    wrong = [one for one in (found['user'], found['password']) if one and _bad_escape(one)]
    if wrong:
        raise ConfigurationError(
            'the user name or the password in the address of the experience store has a % that '
            'is not followed by two digits; write %25 for it'
        )


def secrets_of(address: str) -> list[str]:
    """Return what must not be in a message about a server."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        return []
    pairs = parse_qsl(found['more'] or '')
    secrets = [(found['password'] or '')[1:], *(value for name, value in pairs if name in _SECRET)]
    return [form for one in secrets if one for form in {one, unquote(one)}]


def _bad_escape(text: str) -> bool:
    return re.search(r'%(?![0-9a-fA-F]{2})', text) is not None
