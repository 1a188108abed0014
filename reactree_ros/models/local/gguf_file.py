# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Looks into a GGUF file before it is converted, which takes a minute and much memory.

The format is described in ggml's ``docs/gguf.md``: metadata, the table of tensors, the tensors.
Only the table is read, so that an incomplete download is detected quickly.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any, BinaryIO

from reactree_ros.errors import ModelError

MAGIC = b'GGUF'
VERSIONS = (2, 3)
_FORMATS = 'B b H h I i f ? s a Q q d'.split()
"""Formats of ``struct`` by number of the type; s is a string, a an array."""
_DAMAGED = 'its header is damaged'
_BROKEN = f'{_DAMAGED}, or it broke off'


class _Damaged(Exception):
    """The file is not what its first bytes promise."""


def count_parameters(path: Path) -> int:
    """Return how many numbers the tensors of a GGUF file have, all of which must be there.

    Raises:
        ModelError: if it cannot be read, is not a GGUF file, is damaged or broke off.
    """
    try:
        with path.open('rb') as file:
            return _Reader(file).parameters()
    except OSError as error:
        raise ModelError(f'cannot read the GGUF file {path}: {error.strerror}') from error
    except _Damaged as error:
        raise ModelError(
            f'the GGUF file {path} cannot be used: {error}; download or copy it again'
        ) from error


class _Reader:
    """Reads the parts of the file in turn."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._size = os.fstat(file.fileno()).st_size

    def parameters(self) -> int:
        if self._take(len(MAGIC)) != MAGIC:
            raise _Damaged('it is not a GGUF file, which begins with the letters GGUF')
        version = self._number('I')
        if version not in VERSIONS:
            raise _Damaged(f'it is GGUF version {version}, known are 2 and 3')
        tensors, entries = self._number('Q'), self._number('Q')
        known = {}
        for _ in range(entries):
            key = self._text()
            known[key] = self._value(self._number('I'))
        if not isinstance(known.get('general.architecture'), str) or not tensors:
            raise _Damaged('it holds no network')
        alignment = known.get('general.alignment', 32)
        if not isinstance(alignment, int) or alignment < 1:
            raise _Damaged(_DAMAGED)
        parameters, end = self._tensors(tensors)
        needed = -(-self._file.tell() // alignment) * alignment + end
        if needed > self._size:
            raise _Damaged(f'it broke off after {self._size} of {needed} bytes')
        return parameters

    def _tensors(self, count: int) -> tuple[int, int]:
        """Return the numbers in all tensors, and where the last one ends."""
        from gguf import GGML_QUANT_SIZES

        sizes = {int(kind): size for kind, size in GGML_QUANT_SIZES.items()}
        parameters = end = 0
        for _ in range(count):
            self._text()
            length = 1
            for _ in range(self._number('I')):
                length *= self._number('Q')
            kind, offset = self._number('I'), self._number('Q')
            if kind not in sizes:
                raise _Damaged(f'a tensor has the unknown type {kind}')
            block, bytes_per_block = sizes[kind]
            parameters += length
            end = max(end, offset + length // block * bytes_per_block)
        return parameters, end

    def _value(self, kind: int) -> Any:
        """Return a number or a string; an array is passed over."""
        form = self._format(kind)
        if form == 's':
            return self._text()
        if form != 'a':
            return self._number(form)
        form, count = self._format(self._number('I')), self._number('Q')
        if form in 'sa':
            if form == 'a':
                raise _Damaged('it has arrays in arrays')
            for _ in range(count):
                self._skip(self._number('Q'))
        else:
            self._skip(count * struct.calcsize(f'<{form}'))
        return None

    def _format(self, kind: int) -> str:
        if kind >= len(_FORMATS):
            raise _Damaged(_DAMAGED)
        return _FORMATS[kind]

    def _text(self) -> str:
        return self._take(self._number('Q')).decode('utf-8', errors='replace')

    def _number(self, form: str) -> Any:
        form = f'<{form}'
        return struct.unpack(form, self._take(struct.calcsize(form)))[0]

    def _take(self, count: int) -> bytes:
        if count > self._size - self._file.tell():
            raise _Damaged(f'{_BROKEN} after {self._size} bytes')
        return self._file.read(count)

    def _skip(self, count: int) -> None:
        if count > self._size - self._file.tell():
            raise _Damaged(f'{_BROKEN} after {self._size} bytes')
        self._file.seek(count, os.SEEK_CUR)
