# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A person who decides on the viewer's page, in a real browser."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.ros, pytest.mark.browser, pytest.mark.model]


def test_a_person_takes_all_decisions_on_the_page(
    start_system: Callable[..., Any], open_page: Any, tmp_path: Path
) -> None:
    bridge = {'room': 'kitchen 1'}
    options = {'model': 'person', 'viewer': 'true', 'runs': str(tmp_path)}
    with start_system({}, {'agent.read_conditions': False}, bridge, **options) as system:
        system.ready(seconds=120.0)
        system.logs('the viewer is at')
        line = next(line for line in system.log if 'the viewer is at' in line)
        page = open_page(re.findall(r'http://\S+', line)[0])
        page.until("document.getElementById('planner').textContent === 'planner ready'")
        page.page.fill('#goal', 'look around')
        page.page.click('#send')
        field = 'document.getElementById'
        asked = f"!{field}('question-form').hidden && !{field}('give').disabled"
        page.until(asked)
        page.page.click('text="Expand: sequence …"')
        page.page.fill('#subgoals', 'see the bathroom\n\n come back ')
        page.page.click('#give')
        page.until(f"{field}('question').textContent.includes('Goal: see the bathroom')")
        page.until(asked)
        page.page.fill('#answer', 'to bathroom 1')
        assert page.page.locator('#options button:visible').all_inner_texts() == [
            'Act: go to bathroom 1'
        ]
        page.page.press('#answer', 'Enter')  # a part of a name decides nothing
        page.page.click('text="Act: go to bathroom 1"')
        for said, begin, text in (
            ('Seen: You enter the bathroom', 'Act: done: …', 'it is clean'),
            ('Goal: come back', 'Act: failure: …', 'enough'),
            ('Goal: look around', 'Act: failure: …', 'not all of it'),
        ):
            page.until(f"{field}('question').textContent.includes('{said}')")
            page.until(asked)
            page.page.click(f'text="{begin}"')
            page.page.fill('#answer', text)
            page.page.click('#give')
        page.until('reactree.run.ended && reactree.following && !reactree.drawing')
        assert 'failed' in page.text('#happened') and page.faults == []
