# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Answers from the terminal: how lines are read, and when a question is taken back."""

from __future__ import annotations

import os
import pty
import tty
from collections.abc import Iterator, Sequence

import pytest
from rich.console import Console

from reactree_ros.cli.goal_view import print_outcome
from reactree_ros.cli.terminal_operator import TerminalOperator, TypedLines
from reactree_ros.core.outcome import Costs, NodeCosts
from reactree_ros.ros.goals.client import GoalResult
from reactree_ros.ros.goals.operator_server import OpenQuestion


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)


def test_lines_come_one_by_one_without_waiting(pipe: tuple[int, int]) -> None:
    lines = TypedLines(pipe[0])
    assert lines.next() is None
    os.write(pipe[1], b'one')
    assert lines.next() is None
    os.write(pipe[1], ' and a hälf\n\n two \nrest'.encode())
    lines.discard()  # what is piped in was meant
    assert [lines.next() for _ in range(4)] == ['one and a hälf', '', 'two', None]
    os.close(pipe[1])
    assert [lines.next() for _ in range(3)] == ['rest', '', '']


def test_what_was_typed_before_the_question_is_no_answer() -> None:
    terminal, keyboard_end = pty.openpty()
    tty.setcbreak(keyboard_end)
    lines = TypedLines(keyboard_end)
    os.write(terminal, b'too early\n')
    assert lines.next() == 'too early'
    os.write(terminal, b'too early again\n')
    lines.discard()
    assert lines.next() is None
    os.write(terminal, b'now\n')
    assert lines.next() == 'now'
    os.close(terminal)
    os.close(keyboard_end)


class Desk:
    """Where questions arrive."""

    def __init__(self) -> None:
        self.question: OpenQuestion | None = None
        self.answers: list[str] = []
        self.why = ''

    def asks(self, text: str) -> None:
        self.question = OpenQuestion(text, text)

    def withdraws(self, why: str) -> None:
        self.question, self.why = None, why

    def reason(self, question_id: str) -> str:
        is_open = self.question is not None and self.question.id == question_id
        return '' if is_open else self.why

    def answer(self, question_id: str, text: str) -> str:
        if self.reason(question_id):
            return f'too late: {self.why}'
        if text == 'maybe':
            return 'not understood'
        self.withdraws('it has been answered')
        self.answers.append(text)
        return ''


class View:
    """What a person is shown."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def ask(self, question: str, options: Sequence[str] = ()) -> None:
        self.shown.append(f'? {question}')

    def say(self, text: str) -> None:
        self.shown.append(text.splitlines()[-1])

    def answered(self, remark: str = '') -> None:
        self.shown.append(f'! {remark}')


def looks(operator: TerminalOperator, times: int = 3) -> None:
    for _ in range(times):
        operator.update()


def test_a_question_is_shown_once_and_answered(pipe: tuple[int, int]) -> None:
    desk, view = Desk(), View()
    operator = TerminalOperator(desk, view, TypedLines(pipe[0]))  # type: ignore[arg-type]
    operator.update()
    desk.asks('Which one?')
    looks(operator)
    os.write(pipe[1], b'the red one\n')
    looks(operator)
    assert (desk.answers, view.shown) == (['the red one'], ['? Which one?', '! '])
    os.close(pipe[1])


def test_an_answer_that_is_not_understood_is_asked_for_again(pipe: tuple[int, int]) -> None:
    desk, view = Desk(), View()
    operator = TerminalOperator(desk, view, TypedLines(pipe[0]))  # type: ignore[arg-type]
    desk.asks('Sure?')
    operator.update()
    os.write(pipe[1], b'maybe\nyes\n')
    looks(operator)
    assert view.shown == ['? Sure?', '! not understood', '? Sure?', '! ']
    assert desk.answers == ['yes']
    os.close(pipe[1])


def test_a_withdrawn_question_makes_room_for_the_next(pipe: tuple[int, int]) -> None:
    desk, view = Desk(), View()
    operator = TerminalOperator(desk, view, TypedLines(pipe[0]))  # type: ignore[arg-type]
    desk.asks('First?')
    operator.update()
    desk.withdraws('nobody answered within 8 s')
    operator.update()
    desk.asks('Second?')
    looks(operator)
    os.write(pipe[1], b'yes\n')
    looks(operator)
    told = ['? First?', '! no answer: nobody answered within 8 s', '? Second?', '! ']
    assert (desk.answers, view.shown) == (['yes'], told)
    desk.asks('Third?')
    operator.update()
    operator.close()
    assert view.shown[4:] == ['? Third?', '! no answer: the goal has ended']
    assert desk.answers == ['yes', '']
    os.close(pipe[1])


def test_what_is_typed_too_late_is_told_so() -> None:
    terminal, keyboard_end = pty.openpty()
    tty.setcbreak(keyboard_end)
    desk, view = Desk(), View()
    lines = TypedLines(keyboard_end)
    operator = TerminalOperator(desk, view, lines)  # type: ignore[arg-type]
    desk.asks('First?')
    operator.update()
    desk.withdraws('nobody answered within 8 s')
    operator.update()
    os.write(terminal, b'yes\n')
    looks(operator)
    assert view.shown[1:] == [
        '! no answer: nobody answered within 8 s',
        '! too late: nobody answered within 8 s',
    ]
    assert desk.answers == []
    os.close(terminal)
    os.close(keyboard_end)


@pytest.mark.parametrize('terminal', [True, False])
def test_numbers_are_never_cut(
    terminal: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr('sys.stdout.isatty', lambda: terminal)
    costs = Costs(199, 150, 2, 1_234_567, 1_200_000, 900, 3, 120.5, 1112.25, 991.75, 2300.0)
    goal = 'find and pick up the apple in the living room 1 behind the sofa, or anywhere else'
    nodes = NodeCosts(('root',), None, costs), NodeCosts(('root', goal), None, costs)
    console = Console(width=80, force_terminal=terminal, color_system=None)
    print_outcome(console, GoalResult('failed', '', 'why', '--> root', costs, nodes))
    shown = capsys.readouterr().out
    lines = [line for line in shown.splitlines() if '1112.2 s' in line]
    assert len(lines) == 2
    for line in lines:
        numbers = ['199', '150', '1,234,567', '97%', '120.5', 's', '1112.2', 's', '991.8', 's']
        assert line.split()[:10] == numbers
    assert '1,234,567 in (97% of them reused), 900 out, 3 parts left out' in shown
    assert 'questions  2' in shown
    assert 'decode  agent node' in shown
