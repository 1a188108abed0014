# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What every fuzz target promises, and how one input is held against it.

A target is a function of bytes. Wrong input leads to the documented error of its parser, never to
another exception; what is accepted keeps an invariant; either takes bounded time and memory.
"""

from __future__ import annotations

import atexit
import resource
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from types import FrameType

LIMIT_S = 2.0
"""Processor time that one input may take."""
LIMIT_MB = 256
"""Memory that one input may take beyond what was in use before it."""

Mutate = Callable[[Random, bytes, Sequence[bytes]], bytes]
"""Makes an input of another one; it may take parts of the seeds."""


class Broken(AssertionError):
    """A target has not done what its contract says."""


class Hang(BaseException):
    """An input took too long; no ``except Exception`` on its way can swallow it."""


@dataclass(frozen=True)
class Target:
    """One parser and its contract.

    Args:
        name: names it on the command line.
        seeds: returns inputs that are right, made of real files.
        mutate: makes an input of a seed, knowing its form.
        check: holds one input against the contract; says whether it was accepted, and raises
            anything at all if the contract is broken.
        guided: atheris can see which branches an input takes; else inputs are only drawn.
        limit_s: processor time that one input may take.
    """

    name: str
    seeds: Callable[[], list[bytes]]
    mutate: Mutate
    check: Callable[[bytes], bool]
    guided: bool = True
    limit_s: float = LIMIT_S


def hold(target: Target, data: bytes, slower: float = 1.0) -> bool:
    """Hold one input against the contract of a target, within bounded time and memory.

    Args:
        target: the target.
        data: the input.
        slower: by what the processor time is multiplied, for code that is instrumented.

    Returns:
        Whether it was accepted.

    Raises:
        Broken: if an invariant does not hold, or memory grew too much.
        Hang: if it took too long.
    """
    _forget_peak()
    before = _peak_mb()
    with _within(target.limit_s * slower):
        accepted = target.check(data)
    grown = _peak_mb() - before
    if grown > LIMIT_MB:
        raise Broken(f'{len(data)} bytes of input took {grown} MB of memory')
    return accepted


def demand(holds: bool, what: str) -> None:
    """Raise ``Broken`` unless an invariant holds.

    A plain ``assert`` would be taken for one of the code that is tested.
    """
    if not holds:
        raise Broken(what)


def told(error: Exception) -> bool:
    """Return False, that an input was refused, after a look at what a person is told of it."""
    demand(bool(str(error).strip()), f'{type(error).__name__} says nothing')
    demand(len(str(error)) < 1_000_000, f'{type(error).__name__} says {len(str(error))} characters')
    return False


@cache
def scratch() -> Path:
    """Return a folder for the files that inputs are written to; it goes with the process."""
    folder = Path(tempfile.mkdtemp(prefix='reactree-fuzz-'))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _forget_peak() -> None:
    """Let the peak be what is in use now; where Linux refuses that, only a higher one counts."""
    with suppress(OSError):
        Path('/proc/self/clear_refs').write_text('5', encoding='ascii')


def _peak_mb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raise ``Hang`` when the process has computed for so long; the machine may be slow."""

    def late(number: int, frame: FrameType | None) -> None:
        raise Hang(f'still computing after {seconds:g} s')

    # the timer of processor time: others take the one of the clock
    before = signal.signal(signal.SIGPROF, late)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
