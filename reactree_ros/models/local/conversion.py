# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Converts GGUF files, once, into folders of the user's cache that transformers loads in seconds.

Other models that are made once are kept there in the same way (``keep_folder``).

A folder is made aside, under a name that says so, and renamed when it is complete; what an
interruption leaves behind is removed at once by ``remove_unfinished`` or else by the next
conversion. Only one is made at a time, since each needs memory for the whole network.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from reactree_ros.errors import ModelError
from reactree_ros.models.local.gguf_file import count_parameters
from reactree_ros.paths import cache

MIB = 1 << 20
BYTES = 2
"""Of a number in a converted model: bfloat16."""
DIGITS = 12
"""Digits of a file's SHA-256 in the name of its folder."""
OTHER_FILES = 64 * MIB
"""Room for the tokenizer and the like."""
_SCRATCH = '.making-'
_OWN_SCRATCH = f'{_SCRATCH}{os.getpid()}-{secrets.token_hex(4)}-'
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

Progress = Callable[[str], None]


def sha256(*paths: Path) -> str:
    """Return the SHA-256 of files, one behind the other, as hexadecimal digits.

    Raises:
        ModelError: if one cannot be read.
    """
    digest = hashlib.sha256()
    for path in paths:
        try:
            with path.open('rb') as file:
                while block := file.read(MIB):
                    digest.update(block)
        except OSError as error:
            raise ModelError(f'cannot read {path}: {error.strerror}') from error
    return digest.hexdigest()


def converted_folder(name: str, digest: str) -> Path:
    """Return where the converted copy of a GGUF file lies, or will lie.

    Args:
        name: what the model is called.
        digest: SHA-256 of the file; a copy made under another name is found, too.
    """
    store = cache('models')
    found = sorted(filter(is_complete, store.glob(f'*-{digest[:DIGITS]}')))
    return found[0] if found else store / f'{name}-{digest[:DIGITS]}'


def is_complete(folder: Path) -> bool:
    """Return whether a model lies in a folder; an empty file is one that a power cut left."""
    config = folder / 'config.json'
    return config.is_file() and all(path.stat().st_size for path in folder.iterdir())


def convert_file(gguf: Path, progress: Progress) -> Path:
    """Return the folder of a converted GGUF file, making it if it is not there yet.

    Args:
        gguf: the file.
        progress: called with a line of progress before each long step.

    Raises:
        ModelError: if the file cannot be used, or there is no room for the folder.
    """
    count_parameters(gguf)  # refuses what is incomplete
    progress(f'{gguf.name}: checking')
    folder = converted_folder(gguf.stem[:100], sha256(gguf))
    return make_folder(folder, lambda scratch, room: gguf, gguf.name, progress)


def make_folder(
    folder: Path, provide: Callable[[Path, Room], Path], name: str, progress: Progress
) -> Path:
    """Make a folder out of a GGUF file, if it is not there yet.

    Args:
        folder: where the converted model shall lie.
        provide: called with a folder to work in, and the room for it; returns the GGUF file.
        name: what the model is called.
        progress: called with a line of progress before each long step.

    Returns:
        The folder.

    Raises:
        ModelError: if the file cannot be used, or there is no room for the folder.
    """

    def converted(scratch: Path, room: Room) -> Path:
        gguf = provide(scratch, room)
        room.claim(count_parameters(gguf) * BYTES + OTHER_FILES)
        progress(f'{name}: converting for transformers (once, about a minute)')
        target = scratch / 'converted'
        convert(gguf, target)
        return target

    if is_complete(folder):
        return folder
    keep_folder(folder, converted, name, progress)
    progress(f'{name}: converted')
    return folder


def keep_folder(
    folder: Path, make: Callable[[Path, Room], Path], name: str, progress: Progress
) -> None:
    """Make a folder of the cache, if it is not there yet; whole or not at all.

    Args:
        folder: where the model shall lie.
        make: called with a folder to work in, and the room for it; returns the made folder, which
            lies in there. No other is made by anybody meanwhile, so it must not ask for one.
        name: what the model is called.
        progress: called with a line of progress before each long step.

    Raises:
        ModelError: if there is no room for the folder.
    """
    store = folder.parent
    room = Room(name, store)
    with room.watched():
        store.mkdir(parents=True, exist_ok=True)
        with _alone(store, name, progress):
            if is_complete(folder):  # another process has made it meanwhile
                return
            remove_unfinished(store, _SCRATCH)
            with tempfile.TemporaryDirectory(dir=store, prefix=_OWN_SCRATCH) as scratch:
                made = make(Path(scratch), room)
                shutil.rmtree(folder, ignore_errors=True)  # half a model of an earlier version
                for path in (*made.iterdir(), made):
                    _write_through(path)
                os.rename(made, folder)


def _write_through(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Room:
    """The room that a conversion needs on the disk of the cache.

    Args:
        name: what the model is called.
        store: folder to which it writes.
    """

    def __init__(self, name: str, store: Path) -> None:
        self._name = name
        self._store = store
        self._needed = 0

    def claim(self, needed: int) -> None:
        """Say how many bytes are written next.

        Raises:
            ModelError: if fewer are free.
        """
        self._needed = needed
        if shutil.disk_usage(self._store).free < needed:
            raise self._error('the disk is full')

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Raise a ModelError where writing fails."""
        try:
            yield
        except ModelError:
            raise
        except Exception as error:
            if is_full(error):
                raise self._error(str(error)) from error
            if isinstance(error, OSError):
                raise ModelError(f'{self._name}: cannot write to {self._store}: {error}') from error
            raise

    def _error(self, why: str) -> ModelError:
        free = shutil.disk_usage(self._store).free
        return ModelError(
            f'{self._name}: no room in the cache folder {self._store}: '
            f'{self._needed / MIB:.1f} MiB are needed, {free / MIB:.1f} MiB are free ({why}); make '
            'room, or set the environment variable XDG_CACHE_HOME to a folder on another disk'
        )


def remove_unfinished(store: Path | None = None, prefix: str = _OWN_SCRATCH) -> None:
    """Remove what this process has not finished, so that it can be ended in the middle."""
    for scratch in (store or cache('models')).glob(f'{prefix}*'):
        shutil.rmtree(scratch, ignore_errors=True)


def convert(gguf: Path, target: Path) -> None:
    """Convert a GGUF file with transformers, which takes about a minute.

    Raises:
        ModelError: if transformers cannot.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    source: dict[str, Any] = {'gguf_file': gguf.name, 'trust_remote_code': False}
    try:
        network = AutoModelForCausalLM.from_pretrained(
            gguf.parent,
            quantization_config=GgufConfig(dequantize=True),
            dtype=torch.bfloat16,
            **source,
        )
        # A dequantised model still carries the note that it was quantised; saving would refuse.
        network.config.quantization_config = None
        network.save_pretrained(target)
        AutoTokenizer.from_pretrained(gguf.parent, **source).save_pretrained(target)
    except Exception as error:
        # A file can be wrong in so many ways that transformers raises nearly anything.
        if is_full(error):
            raise
        raise ModelError(
            f'transformers cannot convert the GGUF file {gguf}: {type(error).__name__}: {error}'
        ) from error


def is_full(error: Exception) -> bool:
    """Return whether an error says that the disk is full, a quota or a file size is reached."""
    if isinstance(error, OSError):
        return error.errno in _FULL
    # safetensors has an error class of its own, without a number.
    return any(f'os error {number})' in str(error) for number in _FULL)


@contextmanager
def _alone(store: Path, name: str, progress: Progress) -> Iterator[None]:
    """Wait until no other process makes a folder in this one."""
    handle = os.open(store, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            progress(f'{name}: waiting for another process that is converting a model')
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
