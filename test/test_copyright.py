# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Every file begins with its licence. ament_copyright does not read SPDX lines."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ('launch', 'reactree_ros', 'scripts', 'test')
HEADER = '# Copyright 2026 the reactree_ros authors\n# SPDX-License-Identifier: Apache-2.0\n'


@pytest.mark.parametrize('folder', FOLDERS)
def test_every_file_has_a_licence(folder: str) -> None:
    files = sorted((ROOT / folder).rglob('*.py'))
    assert files
    texts = {file: file.read_text(encoding='utf-8') for file in files}
    assert not [str(file) for file, text in texts.items() if text and not text.startswith(HEADER)]
