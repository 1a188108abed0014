# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The page as one document: served with its modules beside it, or with all of it and a run inside.

The modules import each other as ``viewer/NAME.js``. An import map says where these are, so the same
files run from a server and from a document that is opened without one.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
from pathlib import Path
from typing import Any

from reactree_ros.viewer.history import Frame, RunHistory

_PAGE = Path(__file__).parent / 'page'
_TYPES = {'.js': 'text/javascript', '.css': 'text/css'}
_MAP, _STYLE, _RUN = '<!-- import map -->', '<!-- style -->', '<!-- run -->'
_ALONE = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src data:"
)
"""What a document with a run inside may do: nothing outside itself."""
_MOST_POSES = 3000
"""Of one run in a document, which have about 0.1 kB each; of more, every so manieth is taken."""


def page_files() -> dict[str, tuple[bytes, str]]:
    """Return what a server hands out beside the page, with its media type, by path."""
    found = sorted(_PAGE.iterdir())
    return {
        f'page/{path.name}': (path.read_bytes(), _TYPES[path.suffix])
        for path in found
        if path.suffix in _TYPES
    }


def served_page() -> tuple[str, str]:
    """Return the page for a server, and its content security policy."""
    places = {f'viewer/{path.name}': f'/page/{path.name}' for path in _PAGE.glob('*.js')}
    imports = json.dumps({'imports': places})
    digest = base64.b64encode(hashlib.sha256(imports.encode()).digest()).decode()
    start = '<script type="module" src="/page/start.js"></script>'
    text = _page(
        f'<script type="importmap">{imports}</script>\n    {start}',
        '<link rel="stylesheet" href="/page/viewer.css">',
        '',
    )
    policy = (
        f"default-src 'self'; script-src 'self' 'sha256-{digest}'; style-src 'self'; "
        "img-src 'self' data:; frame-ancestors 'none'"
    )
    return text, policy


def page_with(runs: list[RunHistory]) -> str:
    """Return the page with runs inside: one document that needs no server and no network.

    Args:
        runs: the first is shown, others can be put beside it.
    """
    places = {
        f'viewer/{path.name}': 'data:text/javascript;base64,'
        + base64.b64encode(path.read_bytes()).decode()
        for path in sorted(_PAGE.glob('*.js'))
    }
    inside = [{'about': run.summary(), 'frames': _fewer_poses(run.frames)} for run in runs]
    packed = gzip.compress(_json(inside).encode(), mtime=0)
    about = [run.summary() for run in runs]
    scripts = (
        f'<script type="application/json" id="about">{_json(about)}</script>\n    '
        f'<script type="text/plain" id="run">{base64.b64encode(packed).decode()}</script>'
    )
    style = (_PAGE / 'viewer.css').read_text(encoding='utf-8')
    text = _page(
        f'<meta http-equiv="Content-Security-Policy" content="{_ALONE}">\n    '
        f'<script type="importmap">{json.dumps({"imports": places})}</script>\n    '
        '<script type="module">import "viewer/start.js"</script>',
        f'<style>{style}</style>',
        scripts,
    )
    title = html.escape(f'{runs[0].goal or runs[0].name} \u2013 reactree')
    return text.replace('<title>reactree</title>', f'<title>{title}</title>', 1)


def _fewer_poses(frames: list[Frame]) -> list[Frame]:
    """Return frames with no more poses than a document has; what has changed is kept."""
    every = 1 + sum(frame['kind'] == 'pose' for frame in frames) // _MOST_POSES
    fewer: list[Frame] = []
    pending: dict[int, float] = {}
    count = 0
    for frame in frames:
        if frame['kind'] == 'pose':
            changed = frame['changed']
            pending.update(zip(changed[::2], changed[1::2], strict=True))
            count += 1
            if count % every:
                continue
            frame = {**frame, 'changed': _flat(pending)}
            pending = {}
        fewer.append(frame)
    if pending:
        fewer.append({'t': frames[-1]['t'], 'kind': 'pose', 'changed': _flat(pending)})
    return fewer


def _flat(pairs: dict[int, float]) -> list[float]:
    return [one for pair in pairs.items() for one in pair]


def _page(head: str, style: str, inside: str) -> str:
    text = (_PAGE / 'index.html').read_text(encoding='utf-8')
    for mark, part in ((_MAP, head), (_STYLE, style), (_RUN, inside)):
        text = text.replace(mark, part, 1)
    return text


def _json(value: Any) -> str:
    """Write a value as JSON that ends no script element."""
    text = json.dumps(value, ensure_ascii=False, separators=(',', ':'))
    return text.replace('<', '\\u003c')
