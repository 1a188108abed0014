# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the machine has to bring along: Linux on x86-64, Python 3.11 with headers, a compiler."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterator

from steps import SetupError

WANTED = '3.11'

# Asks an interpreter for its version, whether it can make environments, and for its headers.
PROBE = """
import importlib.util, os, sys, sysconfig
version = '%d.%d' % sys.version_info[:2]
venv = all(importlib.util.find_spec(name) for name in ('venv', 'ensurepip'))
headers = os.path.isfile(os.path.join(sysconfig.get_path('include'), 'Python.h'))
print(version, int(venv), int(headers), sys.maxsize > 2**32 and sys.implementation.name)
"""

# Variables by which a sourced ROS 2 set-up, another environment or an outer make would leak in.
FOREIGN = (
    'AMENT_PREFIX_PATH',
    'CMAKE_PREFIX_PATH',
    'COLCON_PREFIX_PATH',
    'LD_LIBRARY_PATH',
    'MAKEFLAGS',
    'MAKELEVEL',
    'MFLAGS',
    'PYTHONHOME',
    'PYTHONPATH',
    'ROS_DISTRO',
    'VIRTUAL_ENV',
    '_ROS_WHEELS_BOOTSTRAP_COMPLETE',
)


def clean_environment() -> dict[str, str]:
    """Return this process's environment without what belongs to other installations."""
    return {name: value for name, value in os.environ.items() if name not in FOREIGN}


def check_platform() -> None:
    """Raise SetupError unless this is Linux on x86-64, which the ROS 2 wheels are built for."""
    found = f'{platform.system()} on {platform.machine()}'
    if found != 'Linux on x86_64':
        raise SetupError(
            f'the ROS 2 wheels are for Linux on x86_64, this machine is {found}',
            'use a ROS 2 installation and colcon build (see README.md), or a Linux container',
        )


def check_compilers() -> None:
    """Raise SetupError unless a C compiler, a C++ compiler and make are found."""
    wanted = (
        ('C compiler', [os.environ.get('CC', ''), 'cc', 'gcc', 'clang']),
        ('C++ compiler', [os.environ.get('CXX', ''), 'c++', 'g++', 'clang++']),
        ('make', ['make', 'gmake']),
    )
    for what, names in wanted:
        if not any(shutil.which(name.split()[0]) for name in names if name.strip()):
            raise SetupError(
                f'no {what} found; the ROS 2 interfaces have to be compiled',
                'install one, on Debian and Ubuntu: sudo apt install build-essential',
            )


def _candidates() -> Iterator[str]:
    chosen = os.environ.get('REACTREE_PYTHON')
    if chosen:
        yield chosen
        return
    yield sys.executable
    for folder in os.environ.get('PATH', '').split(os.pathsep):
        for name in (f'python{WANTED}', 'python3', 'python'):
            path = Path(folder) / name
            if path.is_file() and os.access(path, os.X_OK):
                yield str(path)
    yield from map(str, sorted(Path.home().glob(f'.pyenv/versions/{WANTED}.*/bin/python3')))


def find_python() -> str:
    """Return the path of a CPython 3.11 that can make environments and has its C headers.

    ``REACTREE_PYTHON`` names one; otherwise this interpreter, those on the search path and those
    of pyenv are tried.

    Raises:
        SetupError: there is none; the message says what the nearest one lacks.
    """
    seen: dict[str, None] = {}
    lacks = ''
    for path in _candidates():
        if path in seen:
            continue
        seen[path] = None
        try:
            probe = subprocess.run(
                [path, '-I', '-c', PROBE],
                env=clean_environment(),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=30,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        answer = probe.stdout.split()
        if probe.returncode != 0 or len(answer) != 4:
            continue
        version, venv, headers, kind = answer
        if version != WANTED or kind != 'cpython':
            continue
        if venv == '1' and headers == '1':
            return path
        lacks = lacks or f'{path} lacks ' + ('its C headers' if venv == '1' else 'venv')
    raise SetupError(
        lacks or f'no Python {WANTED} found (the ROS 2 wheels are built for it); tried {len(seen)}',
        f'install python{WANTED}, python{WANTED}-venv and python{WANTED}-dev, or name one:'
        f' REACTREE_PYTHON=/path/to/python{WANTED} make setup',
    )
