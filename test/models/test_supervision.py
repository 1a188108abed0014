# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The real server process, with a stand-in for the model: it dies, hangs, and is started again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from reactree_ros.core.decision import Choices
from reactree_ros.core.futures import Future
from reactree_ros.core.model import Answer, DecisionRequest, TextRequest
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ModelError
from reactree_ros.models import process as supervision
from reactree_ros.models import server_link
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.process import ModelProcess

T = TypeVar('T')
MINUTES = 300
"""Longest wait for anything, below the limit of a whole test."""
STAND_IN = Path(__file__).parent / 'stand_in_server.py'
MODEL = 'stand-in/model'
DIES = 'stand-in/dies-while-loading'
HINDERED = 'stand-in/hindered'


def until(condition: Callable[[], T]) -> T:
    """Return what is true in the end; what never becomes true is a failure."""
    clock = threading.Event()
    for _ in range(MINUTES * 100):
        value = condition()
        if value:
            return value
        clock.wait(0.01)
    raise AssertionError('it did not happen')


def answer_of(pending: Future[T]) -> T:
    found: list[T] = []

    def look() -> bool:
        value = pending.poll()
        if value is not None:
            found.append(value)
        return bool(found)

    until(look)
    return found[0]


def ask(
    process: ModelProcess, goal: str, limit: float = MINUTES, length: int = 0
) -> Future[Answer]:
    prompt = Prompt('x' * length, (), f'Goal: {goal}\nYou see nothing.\n')
    return process.decide(DecisionRequest(prompt, Choices(), limit))


def ask_text(process: ModelProcess, goal: str, **values: Any) -> Future[tuple[Answer, ...]]:
    return process.write(TextRequest(Prompt('', (), f'Goal: {goal}\n'), **values))


def hold(process: ModelProcess, go: Path) -> Future[Answer]:
    """Let the model work on a decision until a file is there."""
    pending = ask(process, f'hold {go}')
    until(Path(f'{go}.begun').exists)
    return pending


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., ModelProcess]]:
    """Return what starts a stand-in, loaded if it can be."""
    monkeypatch.setattr(server_link, 'COMMAND', (sys.executable, str(STAND_IN)))
    monkeypatch.setenv('PYTHONPATH', os.pathsep.join(filter(None, sys.path)))
    started = []

    def begin(model: str = MODEL) -> ModelProcess:
        process = ModelProcess(ModelOptions(model))
        started.append(process)
        if model == MODEL:
            until(process.poll_ready)
        return process

    yield begin
    for process in started:
        process.close()
        process.close()
        assert not is_running(process.pid)


Start = Callable[..., ModelProcess]


def is_running(pid: int) -> bool:
    state = Path(f'/proc/{pid}/stat')
    try:
        return state.read_text().rpartition(')')[2].split()[0] != 'Z'
    except OSError:
        return False


# What the server does with several requests


def test_the_least_work_goes_first_and_each_gets_its_own_answer(
    start: Start, tmp_path: Path
) -> None:
    process = start()
    running = hold(process, tmp_path / 'go')
    waiting = {n: ask(process, f'answer {n}', length=n) for n in (500, 10, 300)}
    assert answer_of(process.count(('',))) == (0,)  # so all of them have come in
    (tmp_path / 'go').touch()
    assert answer_of(running).tokens_out == 1
    answers = {n: answer_of(pending) for n, pending in waiting.items()}
    assert [answers[n].tokens_out for n in (10, 300, 500)] == [2, 3, 4]
    assert all(answer.model == f'answer {n}' for n, answer in answers.items())
    assert all(answer.queued_seconds > 0.0 for answer in answers.values())


def test_embeddings_and_counts_do_not_wait_behind_a_decision(start: Start, tmp_path: Path) -> None:
    process = start()
    running = hold(process, tmp_path / 'go')
    assert answer_of(process.count(('abc', ''))) == (3, 0)
    assert answer_of(process.embed(('abc',))).shape == (1, 1)
    assert running.poll() is None


def test_what_was_canceled_or_ran_out_of_time_while_it_waited_is_never_begun(
    start: Start, tmp_path: Path
) -> None:
    process = start()
    running = hold(process, tmp_path / 'go')
    canceled = ask(process, 'answer')
    canceled.cancel()
    canceled.cancel()
    late = ask(process, 'answer', limit=0.2)
    with pytest.raises(ModelError, match=r'no decision within 0\.2 s \(other requests came first'):
        answer_of(late)
    assert running.poll() is None
    (tmp_path / 'go').touch()
    assert answer_of(running).tokens_out == 1
    assert answer_of(ask(process, 'answer')).tokens_out == 2
    assert canceled.poll() is None


def test_a_running_decision_can_be_canceled_and_runs_out_of_time(
    start: Start, tmp_path: Path
) -> None:
    process = start()
    running = hold(process, tmp_path / 'go')
    running.cancel()
    timed = ask(process, f'hold {tmp_path / "go"}', limit=0.2)
    for _ in range(2):
        with pytest.raises(ModelError, match=r'no decision within 0\.2 s$'):
            answer_of(timed)
    assert answer_of(ask(process, 'answer')).tokens_out == 1
    assert running.poll() is None


def test_a_bug_in_the_back_end_fails_the_request_and_no_other(start: Start) -> None:
    process = start()
    pid = process.pid
    with pytest.raises(ModelError, match='the model failed: IndexError: a bug of ours'):
        answer_of(ask(process, 'raise'))
    assert answer_of(ask(process, 'answer')).text == 'Act: done'
    assert process.pid == pid


def test_half_a_surrogate_pair_does_not_get_out_of_an_answer(start: Start) -> None:
    assert answer_of(ask(start(), 'say Think: \U0001f600 \ud83d!')).text == 'Think: \U0001f600 ?!'


def test_what_hinders_a_loaded_model_is_no_progress_of_its_loading(start: Start) -> None:
    process = start()
    assert process.notice == ''
    answer_of(ask(process, 'notice busy'))
    assert (process.notice, process.progress) == ('busy', f'{MODEL}: ready')
    answer_of(ask(process, 'notice'))
    assert process.notice == ''


def test_what_hindered_it_before_it_was_loaded_still_does(start: Start) -> None:
    process = start(HINDERED)
    until(lambda: process.notice)
    assert process.notice == 'slow'


def test_a_failure_has_its_kind(start: Start, tmp_path: Path) -> None:
    process = start()
    with pytest.raises(ModelError) as error:
        answer_of(ask(process, 'raise'))
    assert error.value.kind == 'fault'
    with pytest.raises(ModelError) as error:
        answer_of(ask(process, f'hold {tmp_path / "go"}', 0.1))
    assert error.value.kind == 'timeout'


# A server that dies


def test_a_killed_server_is_started_again_and_all_requests_are_answered(
    start: Start, tmp_path: Path
) -> None:
    process = start()
    pid, said = process.pid, process.progress
    assert said == f'{MODEL}: ready'
    running = hold(process, tmp_path / 'go')
    counted = process.count(('abc',))
    waiting = ask(process, 'answer')
    answer_of(counted)
    os.kill(pid, signal.SIGKILL)
    until(lambda: 'SIGKILL' in process.progress or process.pid != pid)
    (tmp_path / 'go').touch()
    assert answer_of(running).model.startswith('hold')
    assert answer_of(waiting).model == 'answer'
    assert process.pid != pid
    assert process.poll_ready()
    assert not is_running(pid)


def test_a_request_that_kills_the_server_once_is_answered_at_the_second_attempt(
    start: Start, tmp_path: Path
) -> None:
    process = start()
    assert answer_of(ask(process, f'die_once {tmp_path / "died"}')).text == 'Act: done'
    assert (tmp_path / 'died').exists()


def test_a_request_that_kills_the_server_twice_fails_alone(start: Start) -> None:
    process = start()
    deadly = ask(process, 'die')
    innocent = ask(process, 'answer', length=500)
    with pytest.raises(ModelError, match='signal SIGKILL, for the second time while it worked on'):
        answer_of(deadly)
    assert answer_of(innocent).text == 'Act: done'
    assert answer_of(ask(process, 'answer')).text == 'Act: done'


def test_a_server_that_dies_again_and_again_is_given_up(start: Start) -> None:
    process = start(DIES)
    waiting = ask(process, 'answer')
    why = 'ended with signal SIGKILL; it is not started again, after 3 times within 10 minutes'
    with pytest.raises(ModelError, match=why):
        answer_of(waiting)
    for later in (ask(process, 'answer'), process.count(('a',)), process.embed(('a',))):
        with pytest.raises(ModelError, match=why):
            later.poll()
        later.cancel()
    with pytest.raises(ModelError, match=why):
        process.poll_ready()


def test_rubbish_in_place_of_an_answer_is_a_reason_to_start_again(
    start: Start, tmp_path: Path
) -> None:
    process = start()
    pid = process.pid
    running = hold(process, tmp_path / 'go')
    with end_of_the_pipe(process).open('wb', buffering=0) as pipe:
        pipe.write(b'Segmentation fault (imagined)\n')
    until(lambda: process.pid != pid)
    (tmp_path / 'go').touch()
    assert answer_of(running).text == 'Act: done'


def end_of_the_pipe(process: ModelProcess) -> Path:
    """Return the descriptor through which the server writes its answers."""
    ours = os.fstat(process._link._out.fileno())
    for descriptor in Path(f'/proc/{process.pid}/fd').iterdir():
        theirs = descriptor.stat()
        if (theirs.st_dev, theirs.st_ino) == (ours.st_dev, ours.st_ino):
            return descriptor
    raise AssertionError('the server has no such pipe')


# A server that hangs


def test_a_stopped_server_is_replaced_and_its_requests_are_answered(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervision, 'SILENCE_S', 1.5)
    process = start()
    pid = process.pid
    running = hold(process, tmp_path / 'go')
    os.kill(pid, signal.SIGSTOP)
    # More than a pipe holds: to ask must not wait for the server to read.
    waiting = [ask(process, f'answer {n}', length=100_000) for n in range(4)]
    until(lambda: 'no heartbeat for 1.5 s' in process.progress or process.pid != pid)
    (tmp_path / 'go').touch()
    assert answer_of(running).model.startswith('hold')
    assert [answer_of(one).model for one in waiting] == [f'answer {n}' for n in range(4)]
    assert not is_running(pid)


def test_a_request_to_a_stopped_server_fails_when_its_time_is_up(start: Start) -> None:
    process = start()
    os.kill(process.pid, signal.SIGSTOP)
    with pytest.raises(ModelError, match=r'no decision within 0\.1 s'):
        answer_of(ask(process, 'answer', limit=0.1))


@pytest.mark.parametrize('how', ['canceled', 'out of time'])
def test_a_decision_that_cannot_be_stopped_is_ended_with_its_process(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(supervision, 'GRACE_S', 0.1)
    monkeypatch.setattr(supervision, 'HANG_S', 0.3)
    process = start()
    pid = process.pid
    begun = tmp_path / 'begun'
    stuck = ask(process, f'stick {begun}', limit=MINUTES if how == 'canceled' else 1.0)
    until(begun.exists)
    if how == 'canceled':
        stuck.cancel()
        assert stuck.poll() is None
    else:
        with pytest.raises(ModelError, match='no decision within 1 s'):
            answer_of(stuck)
    assert answer_of(ask(process, 'answer')).tokens_out == 1
    assert process.pid != pid


def test_requests_while_it_starts_again_wait_as_long_as_their_limit(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = start()
    monkeypatch.setattr(
        server_link, 'COMMAND', (sys.executable, '-c', 'import sys; sys.stdin.read()')
    )
    os.kill(process.pid, signal.SIGKILL)
    until(lambda: not process.poll_ready())
    with pytest.raises(ModelError, match=r'no decision within 0\.2 s \(.*starting again: .*SIGK'):
        answer_of(ask(process, 'answer', limit=0.2))
    assert not process.poll_ready()


def test_a_closed_model_fails_what_is_open_and_what_comes(start: Start, tmp_path: Path) -> None:
    process = start()
    running = hold(process, tmp_path / 'go')
    process.close()
    for pending in (running, ask(process, 'answer'), process.count(('a',))):
        with pytest.raises(ModelError, match='the model was closed'):
            pending.poll()


# A planner that dies


PLANNER = """
import sys, time
from reactree_ros.core.decision import Choices
from reactree_ros.core.prompt import Prompt
from reactree_ros.models import server_link
from reactree_ros.core.model import DecisionRequest
from reactree_ros.core.futures import Future
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.process import ModelProcess
model, goal, *command = sys.argv[1:]
if command:
    server_link.COMMAND = tuple(command)
process = ModelProcess(ModelOptions(model))
process.decide(DecisionRequest(Prompt('', (), f'Goal: {goal}\\n'), Choices(), 600.0))
print(process.pid, flush=True)
time.sleep(600)
"""


class Planner:
    """A process with a model server that can be killed."""

    def __init__(self, model: str, goal: str = '', command: tuple[str, ...] = ()) -> None:
        self._process = subprocess.Popen(
            [sys.executable, '-c', PLANNER, model, goal, *command],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        with self._process.stdout as output:
            self.server = int(output.readline())
        assert is_running(self.server)

    def kill(self) -> None:
        """Kill it; the server must end by itself."""
        self._process.kill()
        self._process.wait()
        until(lambda: not is_running(self.server))


def test_the_server_ends_with_the_planner_in_the_middle_of_a_long_computation(
    start: Start, tmp_path: Path
) -> None:
    pytest.importorskip('torch')
    begun = tmp_path / 'begun'
    planner = Planner(MODEL, f'compute {begun}', (sys.executable, str(STAND_IN)))
    until(begun.exists)
    planner.kill()


def test_the_server_ends_with_the_planner_while_it_waits_for_http() -> None:
    with socket.create_server(('127.0.0.1', 0)) as silent:
        planner = Planner(f'http://127.0.0.1:{silent.getsockname()[1]}/v1')
        connection, _ = silent.accept()
        with connection:
            planner.kill()


def test_a_text_is_asked_again_when_the_server_died_over_it(
    start: Callable[..., ModelProcess], tmp_path: Path
) -> None:
    process = start()
    answers = answer_of(ask_text(process, f'die_once {tmp_path / "died"}', samples=3))
    assert len(answers) == 3
    with pytest.raises(ModelError, match='for the second time while it worked on this request'):
        answer_of(ask_text(process, 'die'))


def test_a_text_is_canceled_and_has_a_time_limit(
    start: Callable[..., ModelProcess], tmp_path: Path
) -> None:
    process = start()
    go = tmp_path / 'go'
    working = ask_text(process, f'hold {go}', time_limit_s=MINUTES)
    until(Path(f'{go}.begun').exists)
    waiting = ask_text(process, 'sing', time_limit_s=0.5)
    with pytest.raises(ModelError, match=r'no text within 0\.5 s'):
        answer_of(waiting)
    working.cancel()
    assert answer_of(ask_text(process, 'sing', time_limit_s=MINUTES))
    assert working.poll() is None


def test_a_fresh_server_has_forgotten_its_warm_up_and_forgets_once_each_time(
    start: Callable[..., ModelProcess], tmp_path: Path
) -> None:
    process = start()
    (answer,) = answer_of(ask_text(process, 'sing', time_limit_s=MINUTES))
    assert answer.text == 'forgot 1 times'
    go = tmp_path / 'go'
    working = hold(process, go)
    process.forget()
    waiting = ask_text(process, 'sing', time_limit_s=MINUTES)
    go.touch()
    answer_of(working)
    (answer,) = answer_of(waiting)
    assert answer.text == 'forgot 2 times'
    (answer,) = answer_of(ask_text(process, 'sing', time_limit_s=MINUTES))
    assert answer.text == 'forgot 2 times'
