# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a person sees of a goal: whole on every terminal, and nothing of it steers that."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from reactree_ros.cli import main
from reactree_ros.cli.goal_view import LiveView, make_view, print_outcome, print_text
from reactree_ros.cli.interrupts import CANCELED
from reactree_ros.cli.replay import _formatted
from reactree_ros.core.events import DecisionRecord, Event
from reactree_ros.core.outcome import Costs, NodeCosts, Reason
from reactree_ros.ros.goals.client import GoalResult

ORDERS = ('\x1b[2J', '\x1b]0;title\x07', '\x9b31m', '\x08', '\r')
GOAL = 'Bitte lege den Apfel in den Kühlschrank und 冷蔵庫の扉を必ず閉めてください、お願いします。'
REASON = f'the agent gave up: [{"kein Apfel, 林檎は見つかりませんでした, " * 8}]'
TREE = (
    f'--> {GOAL} [✕] -- {REASON}\n'
    f'    --> look {"everywhere " * 12}[✓] -- You see nothing.\n'
    '        --> go to kitchen 1 [*]\n' + '    --> later [-]\n' * 40
)
COSTS = Costs(decisions=12, skills=7, tokens_in=123_456)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def terminal(width: int, height: int = 50) -> Console:
    return Console(
        file=Terminal(), force_terminal=True, color_system=None, width=width, height=height
    )


@pytest.fixture(params=[True, False], ids=['terminal', 'file'])
def console(request: pytest.FixtureRequest) -> Console:
    return terminal(200) if request.param else Console(file=io.StringIO(), width=200, height=50)


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
    print_outcome(console, GoalResult(bad, '', bad, f'{bad}\n', Costs(), (node,)))
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


def bare(text: str) -> str:
    return ''.join(text.split())


@pytest.mark.parametrize('width', [40, 80, 200])
def test_a_terminal_has_the_whole_outcome_at_any_width(width: int) -> None:
    console = terminal(width)
    node = NodeCosts((GOAL,), Reason.DONE, COSTS)
    print_outcome(console, GoalResult('failed', '', REASON, TREE, COSTS, (node,), answer=GOAL))
    shown = written(console)
    assert all(cell_len(line) <= width for line in shown.splitlines())
    for whole in (f'{GOAL}[✕]--{REASON}', 'everywhere[✓]', f'answer:{GOAL}', f'failed:{REASON}'):
        assert bare(whole) in bare(shown), whole
    assert '123,456' in shown


@pytest.mark.parametrize('environment', [{}, {'FORCE_COLOR': '1'}, {'TERM': 'dumb'}], ids=str)
def test_a_pipe_and_a_dumb_terminal_get_lines_without_orders(environment: dict[str, str]) -> None:
    file = Terminal() if 'TERM' in environment else io.StringIO()
    console = Console(file=file, color_system=None, width=60, _environ=environment)
    with make_view(console) as view:
        assert not isinstance(view, LiveView)
        view.note(REASON)
        view.event(Event('think', REASON, (GOAL,), COSTS, COSTS), TREE)
    print_outcome(console, GoalResult('failed', '', REASON, TREE, COSTS, ()))
    lines = written(console).splitlines()
    assert '\x1b' not in written(console) and '\r' not in written(console)
    for line in (REASON, *TREE.splitlines(), f'failed: {REASON}'):
        assert line in lines


def test_what_runs_and_how_far_it_is_are_seen_on_a_small_terminal() -> None:
    console = terminal(60, 12)
    with make_view(console) as view:
        view.event(Event('think', REASON, (GOAL,), COSTS, COSTS), TREE)
    frame = written(console)[written(console).rindex('--> Bitte') :]
    assert '… [✕]' in frame.splitlines()[0]
    assert 'go to kitchen 1 [*]' in frame and 'lines below' in frame
    assert '12 decisions, 7 skills, 0 s  think: the agent gave up' in frame
    assert len(frame.splitlines()) <= 12


def test_a_narrower_window_is_drawn_anew() -> None:
    console = terminal(200)
    view = make_view(console)
    view.event(Event('think', 'hm', (GOAL,), COSTS, COSTS), TREE)
    console.width = 100
    with view:
        pass
    clear = '\x1b[2J'
    assert clear in written(console)
    assert written(console).index(clear) < written(console).index('--> Bitte')


def test_ctrl_c_while_a_command_is_loaded_ends_it(capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(**_: object) -> None:
        raise KeyboardInterrupt

    assert main.run([], interrupted) == CANCELED
    assert 'interrupted' in capsys.readouterr().err
