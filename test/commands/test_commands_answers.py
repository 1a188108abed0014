# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Answers from the terminal: how lines are read, and when a question is taken back."""

from __future__ import annotations

import os
import pty
import tty
from collections.abc import Iterator

import pytest
from rich.console import Console

from reactree_ros.commands.goal_view import print_outcome
from reactree_ros.commands.terminal_operator import TerminalOperator, TypedLines
from reactree_ros.core.events import Event
from reactree_ros.core.outcome import Costs, NodeCosts


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
    lines.forget()  # what is piped in was meant
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
    lines.forget()
    assert lines.next() is None
    os.write(terminal, b'now\n')
    assert lines.next() == 'now'
    os.close(terminal)
    os.close(keyboard_end)


class Desk:
    """Where questions arrive."""

    def __init__(self) -> None:
        self.question = ''
        self.answers: list[str] = []

    def answer(self, text: str) -> None:
        if self.question:
            self.question = ''
            self.answers.append(text)


class View:
    """What a person is shown."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def ask(self, question: str) -> None:
        self.shown.append(f'? {question}')

    def answered(self, answer: str) -> None:
        self.shown.append(f'! {answer}')


def event(kind: str) -> Event:
    return Event(kind, '', ('root',), 1, Costs(), Costs())


def test_a_question_is_shown_once_and_answered(pipe: tuple[int, int]) -> None:
    desk, view = Desk(), View()
    operator = TerminalOperator(desk, view, TypedLines(pipe[0]))  # type: ignore[arg-type]
    operator.look()
    desk.question = 'Which one?'
    for _ in range(3):
        operator.look()
    os.write(pipe[1], b'the red one\n')
    operator.look()
    operator.look()
    assert (desk.answers, view.shown) == (['the red one'], ['? Which one?', '! the red one'])
    os.close(pipe[1])


def test_a_question_is_taken_back_when_the_planner_has_gone_on(pipe: tuple[int, int]) -> None:
    desk, view = Desk(), View()
    operator = TerminalOperator(desk, view, TypedLines(pipe[0]))  # type: ignore[arg-type]
    desk.question = 'Which one?'
    operator.look()
    # what happened before the question may be told after it has arrived
    for kind in ('think', 'observation', 'ask'):
        operator.event(event(kind))
    assert desk.answers == []
    operator.event(event('observation'))
    assert (desk.answers, view.shown) == ([''], ['? Which one?', '! '])
    operator.event(event('ended'))
    assert desk.answers == ['']
    os.close(pipe[1])


@pytest.mark.parametrize('terminal', [True, False])
def test_numbers_are_never_cut(terminal: bool, capsys: pytest.CaptureFixture[str]) -> None:
    costs = Costs(199, 150, 2, 1_234_567, 1_200_000, 900, 3, 120.5, 1112.25, 991.75, 2300.0)
    goal = 'find and pick up the apple in the living room 1 behind the sofa, or anywhere else'
    nodes = [NodeCosts(('root',), None, costs), NodeCosts(('root', goal), None, costs)]
    console = Console(width=80, force_terminal=terminal, color_system=None)
    print_outcome(console, 'failed', 'why', '--> root', costs, nodes)
    shown = capsys.readouterr().out
    lines = [line for line in shown.splitlines() if '1112.2 s' in line]
    assert len(lines) == 2
    for line in lines:
        numbers = ['199', '150', '1,234,567', '97%', '120.5', 's', '1112.2', 's', '991.8', 's']
        assert line.split()[-10:] == numbers
    assert '1,234,567 in (97% of them reused), 900 out, 3 parts left out' in shown
    assert 'questions  2' in shown
    assert 'agent node  ' in shown
