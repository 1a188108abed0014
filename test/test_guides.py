# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The guides, as a reader follows them: files, commands and typed answers are those of the pages.

What a page shows of a command's output has to be what is printed now; ``[…]`` stands for lines that
are left out. Seconds may differ. Real are the commands' processes and the servers, which have the
types that the pages name; in place of the language model a script decides.
"""

from __future__ import annotations

import os
import re
import selectors
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

rclpy = pytest.importorskip('rclpy')
pytest.importorskip('reactree_interfaces')

from rclpy.signals import SignalHandlerOptions  # noqa: E402

from reactree_interfaces.srv import CheckGoal  # noqa: E402
from reactree_ros.cli.domain import private_domain  # noqa: E402

pytestmark = pytest.mark.ros

GUIDES = Path(__file__).parents[1] / 'docs' / 'guides'
STACK = Path(__file__).with_name('guide_stack.py')
REACTREE = [sys.executable, '-u', '-m', 'reactree_ros.cli.main']
MODELS = ('http://gpu-box:8000/v1', 'qwen2.5-coder-1.5b')
PATIENCE_SEC = 60.0
LEFT_OUT = '[…]'
_FENCE = re.compile(r'^```(\w+)\n(.*?)^```', re.M | re.S)
_FILE = re.compile(r'[#;] (\w+\.\w+)(, at its end)?:?$')
_SECONDS = re.compile(r'\d+(?:\\\.\d+)?(?=\\ s\b)')
BRIDGE = [
    *(sys.executable, '-m', 'reactree_ros.ros.nodes.start', 'reactree_ros.ros.nodes.robot_bridge'),
    *('--ros-args', '-p'),
]


def blocks(page: str) -> Iterator[tuple[str, str]]:
    yield from _FENCE.findall((GUIDES / f'{page}.md').read_text(encoding='utf-8'))


def commands(text: str) -> Iterator[tuple[list[str], list[str]]]:
    """Yield the commands of a transcript, each with the lines below it."""
    for part in re.split(r'^\$ ', text, flags=re.M)[1:]:
        line, _, shown = re.sub(r'\\\n\s*', '', part).partition('\n')
        yield shlex.split(line, comments=True), shown.splitlines()


def pattern(shown: list[str]) -> str:
    """Return what an output has to match."""
    lines = ['(?:.*\n)*?' if line == LEFT_OUT else f'{re.escape(line)} *\n' for line in shown]
    lines = [line.replace(re.escape(LEFT_OUT), '.*') for line in lines]
    return _SECONDS.sub(r'[\\d.]+', ''.join(lines))


class Reader:
    """Somebody who follows a page in a folder.

    Args:
        folder: where files are written and commands run.
        script: what is decided in place of the model, by goal.
    """

    def __init__(self, folder: Path, script: dict[str, list[str]]) -> None:
        self._folder = folder
        self._script = folder.parent / 'script.yaml'
        self._script.write_text(yaml.safe_dump(script))
        self._running: list[subprocess.Popen[bytes]] = []
        self.ran: list[str] = []

    def follow(self, page: str) -> None:
        for kind, text in blocks(page):
            name = _FILE.match(text.partition('\n')[0])
            if kind == 'console':
                for words, shown in commands(text):
                    self._run(words, shown)
            elif name:
                with (self._folder / name[1]).open('a' if name[2] else 'w') as file:
                    file.write(text)

    def close(self) -> None:
        for process in self._running:
            process.send_signal(signal.SIGINT)
            process.wait(timeout=PATIENCE_SEC)

    def _run(self, words: list[str], shown: list[str]) -> None:
        program, *arguments = words
        if program != 'reactree':  # starts what the reader has
            return
        self.ran.append(' '.join(arguments[:2] if arguments[0] == 'skills' else arguments[:1]))
        model = f'scripted:{self._script}'
        line = [*REACTREE, *(model if one in MODELS else one for one in arguments)]
        if arguments[0] == 'up':
            if '--model' not in line:
                line += ['--model', model, '--viewer-port', '0']
            assert model in line
            self._start(line, shown)
            return
        text, code = self._typed(line, shown)
        assert re.fullmatch(pattern(shown), text), f'{shlex.join(words)}\n{text}'
        refused = any(one.startswith(('Refused', 'Failed')) for one in shown)
        assert code == int(refused), text

    def _start(self, line: list[str], shown: list[str]) -> None:
        """Start a command that runs on, and wait until it has said all that is shown."""
        output = self._folder.parent / 'up.out'
        with output.open('wb') as file:
            process = subprocess.Popen(
                line, cwd=self._folder, stdout=file, stderr=subprocess.STDOUT
            )
        self._running.append(process)
        end = time.monotonic() + PATIENCE_SEC
        while not re.match(pattern(shown), output.read_text()):
            assert time.monotonic() < end and process.poll() is None, output.read_text()
            time.sleep(0.1)

    def _typed(self, line: list[str], shown: list[str]) -> tuple[str, int]:
        """Run a command, answer its questions as it is shown, and return what a terminal shows."""
        process = subprocess.Popen(
            line,
            cwd=self._folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, 'COLUMNS': '120'},
        )
        assert process.stdin is not None and process.stdout is not None
        text, left = '', [*shown]
        with process, selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while True:
                if not selector.select(PATIENCE_SEC):
                    process.kill()
                    raise AssertionError(f'{shlex.join(line)} hangs:\n{text}')
                chunk = os.read(process.stdout.fileno(), 65536)
                if not chunk:
                    break
                # teach asks on a line of its own where its input is no terminal
                text = re.sub(r'^Decide:\n\Z', 'Decide: ', text + chunk.decode(), flags=re.M)
                asked = text.rpartition('\n')[2]
                if not asked.endswith((': ', '] ')):
                    continue
                while left and not left[0].startswith(asked.rstrip()):
                    left.pop(0)
                assert left, f'the page has no answer to {asked!r}:\n{text}'
                answer = left.pop(0)[len(asked.rstrip()) :].strip()
                text += f'{answer}\n'
                process.stdin.write(f'{answer}\n'.encode())
                process.stdin.flush()
        return text, process.returncode


@contextmanager
def running(line: list[str], until: str) -> Iterator[None]:
    """Run what the reader has, from when it has said a text."""
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        try:
            told = ''
            for said in process.stdout:
                told += said
                if until in said:
                    break
            else:
                raise AssertionError(told)
            yield
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE_SEC)


@pytest.fixture(autouse=True)
def domain() -> Iterator[int]:
    with private_domain() as number:
        yield number


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Callable[[dict[str, list[str]]], Reader]]:
    readers: list[Reader] = []
    folder = tmp_path / 'empty'
    folder.mkdir()

    def make(script: dict[str, list[str]]) -> Reader:
        readers.append(Reader(folder, script))
        return readers[-1]

    yield make
    for one in readers:
        one.close()


STACKS: dict[str, tuple[str, dict[str, list[str]], list[list[Any]]]] = {
    # page: the package of its types, decisions by goal, the last things that the robot does
    'nav2': (
        'nav2_msgs',
        {'look out of the window, then wait at the door': [
            'Act: go to window 1', 'Act: go to door 1', 'Act: wait', 'Act: done']},
        [['at', 2.4, 1.1, 90], ['at', 0.0, 0.0, 0], ['at', 2.4, 1.1, 90], ['at', 5.0, -2.0, 180],
         ['wait']],
    ),
    'moveit2': (
        'moveit_msgs',
        {'put the red block into the tray': [
            'Act: reach for red block 1', 'Act: grasp red block 1',
            'Act: move the arm over the tray', 'Act: release red block 1', 'Act: done']},
        [['moved to', 'red_block_1'], ['closed', True],
         ['moved to', 'posture of joint_1 joint_2 joint_3 joint_4 joint_5 joint_6'],
         ['opened', False]],
    ),
    'plansys2': (
        'plansys2_msgs',
        {'Somebody left the light on in the workshop. Have a look.': [
            'Act: send rosie 1 from hall 1 to workshop 1', 'Act: inspect workshop 1 with rosie 1',
            'Act: done']},
        [['move', 'rosie', 'hall', 'workshop'], ['inspect', 'rosie', 'workshop']],
    ),
}  # fmt: skip


@pytest.mark.parametrize('page', STACKS)
def test_a_guide_leads_to_a_reached_goal(page: str, tmp_path: Path, reader: Any) -> None:
    package, script, does = STACKS[page]
    pytest.importorskip(package)
    log = tmp_path / 'stack.log'
    log.touch()
    one = reader(script)
    with running([sys.executable, str(STACK), page, str(log)], 'ready'):
        one.follow(page)
    done = [yaml.safe_load(line) for line in log.read_text().splitlines()]
    assert done[-len(does) :] == does
    assert {'skills check', 'skills try', 'up', 'send'} <= {*one.ran}


# page: the robot, decisions by goal, what holds in the end and not before
ROBOTS: dict[str, tuple[str, dict[str, list[str]], str]] = {
    'grippers': (
        'warehouse',
        {'there should be a roll of tape in the tote': [
            'Act: go to bin 1', 'Act: grasp tape 1', 'Act: go to tote 1', 'Act: release tape 1',
            'Act: done']},
        'tape inside tote 1',
    ),
    'new_robot': (
        'rover',
        {'Inspect pump 3, please.': [
            'Act: switch the lamp on', 'Act: go to pump 3', 'Act: inspect what is in front of you',
            'Act: done']},
        'pump 3 inspected',
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    'page', ['grippers', pytest.param('new_robot', marks=pytest.mark.thorough)]
)
def test_a_guide_with_a_simulated_robot_leads_to_a_reached_goal(page: str, reader: Any) -> None:
    pytest.importorskip('control_msgs')
    pytest.importorskip('nav2_msgs')
    robot, script, condition = ROBOTS[page]
    one = reader(script)
    with running([*BRIDGE, f'robot:={robot}'], 'is ready'):
        assert unmet(robot, condition)
        one.follow(page)
        assert not unmet(robot, condition)
    assert {'skills check', 'skills try', 'up', 'send'} <= {*one.ran}


@pytest.mark.thorough
def test_the_first_page_leads_to_a_recorded_run(reader: Any) -> None:
    pytest.importorskip('aiohttp')
    book = ['Act: go to living room 1', 'Act: done']
    one = reader({'put the book on the sofa': book})
    one.follow('../start')
    assert one.ran == ['up', 'send', 'replay']


def unmet(robot: str, condition: str) -> list[str]:
    """Return what of a condition does not hold around a robot."""
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    try:
        node = rclpy.create_node('judge')
        client = node.create_client(CheckGoal, f'{robot}/check_goal')
        assert client.wait_for_service(PATIENCE_SEC)
        asked = client.call_async(CheckGoal.Request(conditions=[condition]))
        rclpy.spin_until_future_complete(node, asked, timeout_sec=PATIENCE_SEC)
        found = asked.result()
        node.destroy_node()
    finally:
        rclpy.try_shutdown()
    assert found is not None and found.known
    return [*found.unsatisfied]


def test_every_guide_is_run() -> None:
    pages = {page.stem for page in GUIDES.glob('*.md')}
    assert pages == {*STACKS, *ROBOTS}
