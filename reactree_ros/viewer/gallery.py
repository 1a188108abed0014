# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""An index of exported runs: one page with a card for each."""

from __future__ import annotations

import html
import json
import re
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

from reactree_ros.errors import ConfigurationError

INDEX = 'index.html'
_ABOUT = re.compile(r'<script type="application/json" id="about">(.*?)</script>', re.DOTALL)
_TEMPLATE = Path(__file__).parent / 'page' / 'gallery.html'


def write_gallery(folder: Path) -> int:
    """Write the index of all exported runs in a folder.

    Returns:
        How many there are.

    Raises:
        ConfigurationError: if there are none, or the index cannot be written.
    """
    cards = []
    try:
        for path in sorted(folder.glob('*.html')):
            found = _ABOUT.search(path.read_text(encoding='utf-8'))
            if path.name != INDEX and found is not None:
                (about, *_) = json.loads(found[1])
                cards.append(_card(path.name, about))
        if not cards:
            raise ConfigurationError(
                f'{folder} has no exported runs; make some with "reactree replay RUN --export FILE"'
            )
        text = _TEMPLATE.read_text(encoding='utf-8')
        (folder / INDEX).write_text(text.replace('<!-- cards -->', '\n'.join(cards)), 'utf-8')
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ConfigurationError(f'no index can be made of {folder}: {error}') from error
    return len(cards)


def _card(name: str, about: dict[str, Any]) -> str:
    status = str(about['ended'] or 'cut off').partition(':')[0]
    if about.get('holds') is not None:
        status = 'succeeded' if about['holds'] else 'failed'
    when = time.strftime('%Y-%m-%d %H:%M', time.gmtime(about['began']))
    counts = f'{int(about["decisions"])} decisions, {about["seconds"]:.0f} s'
    goal = about['goal'] or about['name']
    title = about.get('title', goal)
    said = f'\u201c{goal}\u201d' if title != goal else ''
    rest = (('dim', said), ('', about.get('look', '')), ('', about['ended']))
    link = quote(name)
    lines = ''.join(
        f'<p class="{kind}">{html.escape(line)}</p>'
        for kind, line in (*rest, ('world', about.get('world', '')))
        if line
    )
    return (
        f'<li class="{html.escape(status, quote=True)}"><a href="{link}">{html.escape(title)}</a>'
        f'{lines}<p class="dim">{counts} \u00b7 {when}</p></li>'
    )
