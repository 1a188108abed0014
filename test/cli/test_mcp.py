# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree mcp`` as an assistant uses it: the SDK's own client, processes, and a household."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

pytest.importorskip('mcp')

import httpx2
import rclpy
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from reactree_ros.cli import main
from reactree_ros.ros.goals.operator_server import OperatorServer

from ..command import PATIENCE_SEC, Command

pytestmark = pytest.mark.ros

FETCH = {
    'fetch it': [
        'Expand: sequence ["look around", "come back"]',
    ],
    'look around': ['Act: go to kitchen 1', 'Ask: Which one?', 'Act: done'],
    'come back': ['Act: go to bedroom 1', 'Act: done'],
    'wait': ['(never answers)'],
}
GOING = {
    'go': ['Act: go to kitchen 1', 'Act: done'],
    'go on': ['Act: go to bedroom 1', 'Act: done'],
}
LOOKS = {'get_goal', 'wait_for_goal', 'get_tree', 'list_skills', 'search_memory', 'find_objects'}
ACTS = {'send_goal', 'answer_question', 'cancel_goal', 'stop', 'pause', 'resume'}
Start = Callable[..., Command]


class Assistant:
    """What an assistant does with its client."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.progress: list[str] = []

    async def does(self, tool: str, **arguments: Any) -> Any:
        """Call a tool that must succeed, and return what it gives."""
        result = await self.client.call_tool(tool, arguments, progress_callback=self._on_progress)
        text = ''.join(getattr(one, 'text', '') for one in result.content)
        assert not result.is_error, text
        given = result.structured_content
        if given is None:
            return text
        return given['result'] if set(given) == {'result'} else given

    async def fails(self, tool: str, **arguments: Any) -> str:
        """Call a tool that must fail, and return why."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error, result
        return ''.join(getattr(one, 'text', '') for one in result.content)

    async def until(self, is_so: Callable[[Any], bool]) -> Any:
        """Look at the latest goal until something is so, and return its state."""
        end = time.monotonic() + PATIENCE_SEC
        while not is_so(state := await self.does('get_goal')):
            assert time.monotonic() < end, state
            await anyio.sleep(0.05)
        return state

    async def _on_progress(self, done: float, total: float | None, message: str | None) -> None:
        self.progress.append(message or '')


def over_stdio(scenario: Callable[[Assistant], Awaitable[None]], *arguments: str) -> None:
    """Play a scenario with a server that the client starts."""
    command = StdioServerParameters(
        command=sys.executable,
        args=['-m', 'reactree_ros.cli.main', 'mcp', *arguments],
        env=dict(os.environ),
    )

    async def play() -> None:
        with open(os.devnull, 'w') as log:
            async with Client(stdio_client(command, errlog=log)) as client:
                await scenario(Assistant(client))

    anyio.run(play)


def over_http(
    scenario: Callable[[Assistant], Awaitable[None]], url: str, mode: str = 'auto'
) -> None:
    """Play a scenario with a server that runs; the mode ``legacy`` is that of older assistants."""

    async def play() -> None:
        async with Client(url, mode=mode) as client:
            await scenario(Assistant(client))

    anyio.run(play)


@pytest.fixture
def served(reactree: Start) -> Callable[..., str]:
    """Start a server over HTTP and return its address."""

    def start(*arguments: str) -> str:
        line = reactree('mcp', '--http', '--port', '0', *arguments).says('reactree mcp is at')
        return next(word for word in line.split() if word.startswith('http'))

    return start


@pytest.fixture
def planner(reactree: Start, scripted: Callable[..., list[str]]) -> Callable[..., None]:
    """Start a planner in the household with a script."""

    def start(script: dict[str, list[str]], **parameters: Any) -> None:
        given = {'operator__answer_timeout_sec': 3600.0, **parameters}
        reactree('up', *scripted(script, 0.3, **given)).says('ready; send a goal')

    return start


def test_a_goal_from_an_assistant(planner: Any) -> None:
    planner(FETCH, operator__ask=True)

    async def scenario(assistant: Assistant) -> None:
        tools = {tool.name: tool for tool in (await assistant.client.list_tools()).tools}
        assert {*tools} == LOOKS | ACTS
        for name, tool in tools.items():
            assert tool.annotations.read_only_hint is (name in LOOKS), name
        skills = await assistant.does('list_skills')
        assert skills['library'] == 'household'
        assert 'go to {place}' in [one['phrase'] for one in skills['skills']]
        assert 'no goal was sent yet' in await assistant.fails('get_goal')
        bad = await assistant.does('send_goal', goal=' ')
        assert bad['status'] == 'failed' and 'the goal is empty' in bad['message']

        async with assistant.client.listen(resource_subscriptions=['reactree://tree']) as changes:
            sent = await assistant.does('send_goal', goal='fetch it')
            assert sent['status'] == 'running'
            with anyio.fail_after(PATIENCE_SEC):
                changed = await anext(aiter(changes))
            assert changed.uri == 'reactree://tree'
        state = await assistant.does('wait_for_goal', goal_id=sent['goal_id'])
        (question,) = state['questions']
        assert (question['text'], state['status']) == ('Which one?', 'running')
        assert 'act: go to kitchen 1' in assistant.progress
        assert [one.partition(':')[0] for one in state['doing']] == ['ask']
        tree = await assistant.does('get_tree')
        assert '--> look around [*]' in tree and '--> come back [-]' in tree
        resource = await assistant.client.read_resource('reactree://tree')
        assert resource.contents[0].text == tree
        seen = (await assistant.does('find_objects', name='fridge'))['objects']
        assert [(one['name'], one['room']) for one in seen] == [('fridge 1', 'kitchen 1')]

        assert 'paused' in await assistant.does('pause')
        answered = {'question_id': question['id'], 'answer': 'the red one'}
        assert await assistant.does('answer_question', **answered) == 'answered'
        answer = 'observation: The operator answers: the red one'
        await assistant.until(lambda one: answer in one['latest'])
        state = await assistant.until(lambda one: one['pause_state'] == 'paused')
        assert state['status'] == 'running'
        assert 'answered' in await assistant.fails('answer_question', **answered)
        await assistant.does('resume')
        state = await assistant.does('wait_for_goal')
        assert (state['status'], state['goal_id']) == ('succeeded', sent['goal_id'])
        assert state['skills'] == 2
        assert 'act: go to bedroom 1' in assistant.progress

        waiting = await assistant.does('send_goal', goal='wait')
        assert 'another goal is running' in await assistant.fails('send_goal', goal='fetch it')
        await assistant.does('cancel_goal', goal_id=waiting['goal_id'])
        state = await assistant.does('wait_for_goal')
        assert (state['goal'], state['status']) == ('wait', 'canceled')
        gone = await assistant.does('cancel_goal', goal_id=waiting['goal_id'])
        assert gone.startswith('there is no such goal to cancel')
        assert '32 hexadecimal digits' in await assistant.fails('cancel_goal', goal_id='0' * 32)
        assert await assistant.does('stop') == 'no goal was running or queued'

    over_stdio(scenario)


@pytest.fixture
def person() -> Any:
    """A person at a terminal, who is there until they leave."""
    desks: list[OperatorServer] = []
    rclpy.init()
    yield lambda: desks.append(OperatorServer()) or desks[-1]
    rclpy.try_shutdown()


def test_what_needs_approval_stays_with_the_person(
    planner: Any, served: Callable[..., str], person: Callable[[], OperatorServer]
) -> None:
    desk = person()  # before the planner, which then knows it from the start
    planner(GOING, operator__ask=True, operator__approval_risk_level='low')

    async def with_a_person(assistant: Assistant) -> None:
        await assistant.does('send_goal', goal='go')
        state = await assistant.until(lambda one: desk.question and 'allowed' in str(one['doing']))
        question = desk.question
        assert question.text == 'Allow the robot to "go to kitchen 1"?'
        assert (state['doing'], state['questions']) == (
            ['go to kitchen 1: waiting to be allowed'],
            [],
        )
        for key in (question.id, ''):
            why = await assistant.fails('answer_question', question_id=key, answer='yes')
            assert 'in the terminal of "reactree send --answer" or on the web page' in why
        assert desk.question == question, 'it is open as before'
        assert desk.answer(question.id, 'yes') == ''
        state = await assistant.does('wait_for_goal')
        assert (state['status'], state['skills']) == ('succeeded', 1)

    async def alone(assistant: Assistant) -> None:
        await assistant.does('send_goal', goal='go on')
        state = await assistant.does('wait_for_goal')
        assert (state['status'], state['skills']) == ('succeeded', 0)
        assert (
            'observation: "go to bedroom 1" was refused: nobody is there to allow it.'
            in state['latest']
        ), state

    url = served()
    over_http(with_a_person, url)
    desk.close()
    over_http(alone, url, 'legacy')


def test_without_the_sdk_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, 'mcp.server', None)
    monkeypatch.delitem(sys.modules, 'reactree_ros.cli.mcp.server', raising=False)
    assert main.run(['mcp']) == 2
    assert "needs the MCP SDK: pip install 'reactree_ros[mcp]'" in capsys.readouterr().err


def test_an_assistant_that_may_only_look_and_finds_no_planner(served: Callable[..., str]) -> None:
    url = served('--read-only')

    async def scenario(assistant: Assistant) -> None:
        tools = (await assistant.client.list_tools()).tools
        assert {tool.name for tool in tools} == LOOKS
        assert 'Unknown tool' in await assistant.fails('send_goal', goal='go')
        why = await assistant.fails('get_goal')
        assert 'no planner answered' in why and 'reactree up' in why

    over_http(scenario, url)
    accept = {'Accept': 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-06-18'}
    ping = {'jsonrpc': '2.0', 'id': 1, 'method': 'ping'}
    foreign = {'Host': {'Host': 'robot.example:80'}, 'Origin': {'Origin': 'http://robot.example'}}
    for name, header in foreign.items():
        response = httpx2.post(url, json=ping, headers={**accept, **header})
        assert (response.status_code, response.text) == (
            {'Host': 421, 'Origin': 403}[name],
            f'Invalid {name} header',
        )
