# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What other processes and files say cannot steer the terminal it is shown on."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from reactree_ros.cli.goal_view import make_view, print_outcome, print_text
from reactree_ros.cli.replay import _formatted
from reactree_ros.core.events import DecisionRecord, Event
from reactree_ros.core.outcome import Costs, NodeCosts, Reason

ORDERS = ('\x1b[2J', '\x1b]0;title\x07', '\x9b31m', '\x08', '\r')


@pytest.fixture(params=[True, False], ids=['terminal', 'file'])
def console(request: pytest.FixtureRequest) -> Console:
    return Console(file=io.StringIO(), force_terminal=request.param, width=200, height=50)


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


@pytest.mark.parametrize('order', ORDERS)
def test_a_text_does_not_steer_the_terminal(console: Console, order: str) -> None:
    bad = f'before {order}after'
    with make_view(console) as view:
        before = written(console)
        view.event(Event('think', bad, (bad,), Costs(), Costs(), robot=bad), f'{bad}\n  [*] {bad}')
        view.ask(bad, [bad])
        view.answered(bad)
    node = NodeCosts((bad,), Reason.DONE, Costs())
    print_outcome(console, bad, bad, f'{bad}\n', Costs(), [node])
    print_text(console, bad)
    shown = written(console).removeprefix(before)
    assert 'before' in shown and 'after' in shown
    assert f'{order}after' not in shown


@pytest.mark.parametrize('order', ORDERS)
def test_an_audit_does_not_steer_the_terminal(order: str) -> None:
    bad = f'before {order}after\nand another line'
    record = DecisionRecord(1, 1, (bad,), bad, bad, bad, bad, False, bad, bad, bad)
    told = _formatted(record)
    assert order not in told and len(told.split('\n')) == 4
