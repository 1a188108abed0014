# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""OpenAI-compatible servers: which one it is, what it is asked, and all that can go wrong."""

from __future__ import annotations

import http.client
import json
import logging
import socketserver
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from email.utils import formatdate
from typing import Any

import pytest

from reactree_ros.core.decision import Choices, parse_decision
from reactree_ros.core.model import TextRequest
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ModelError
from reactree_ros.models.backend import Interrupted, Watch
from reactree_ros.models.openai import http as openai_http
from reactree_ros.models.openai.http import Address
from reactree_ros.models.openai.model import OpenAIModel, estimate
from reactree_ros.models.openai.servers import one_line
from reactree_ros.models.options import API_KEY, ModelOptions

SECRET = 'sk-secret-0123456789'
LIMIT = 60.0
PROMPT = Prompt('You steer a robot.', (), 'Goal: put the apple in the fridge\nYou see a fridge.\n')
CHOICES = Choices(('go to fridge 1', 'go to table 1'), max_thought_chars=40)
Fault = Callable[['Server', Any], None]


def reply(values: Any, status: int = 200, **headers: str) -> bytes:
    """Return an HTTP answer; text and bytes go as they are, all else as JSON."""
    body = values if isinstance(values, bytes) else json.dumps(values).encode()
    lines = [f'HTTP/1.1 {status} {http.client.responses[status]}', f'Content-Length: {len(body)}']
    lines += [f'{name.replace("_", "-")}: {value}' for name, value in headers.items()]
    return '\r\n'.join([*lines, 'Connection: close', '', '']).encode() + body


def chat(text: str | None, finish: str = 'stop', **fields: Any) -> dict[str, Any]:
    message = {'role': 'assistant', 'content': text}
    return {'choices': [{'message': message, 'finish_reason': finish}], **fields}


def as_json(**decision: Any) -> str:
    return json.dumps({'decision': decision})


def refusal(message: str, **fields: str) -> bytes:
    return reply({'error': {'message': message, **fields}}, 400)


GOOD = reply(chat(as_json(Act='go to fridge 1'), usage={'prompt_tokens': 9}))


class Server(socketserver.ThreadingTCPServer):
    """Answers each request for a decision with the next of ``script``, the last again and again.

    ``pages`` are what it answers elsewhere, by path.
    """

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(('127.0.0.1', 0), Handler)
        self.script: list[bytes | Fault] = [GOOD]
        self.pages: dict[str, bytes | Fault] = {
            '/v1/models': reply({'data': [{'id': 'first'}, {'id': 'second'}]})
        }
        self.asked: list[dict[str, Any]] = []
        self.headers: list[http.client.HTTPMessage] = []
        self.arrived = threading.Event()
        """A request for a decision is there."""
        self.left = threading.Event()
        """The client of a hanging request has closed its connection."""

    @property
    def address(self) -> str:
        return f'http://127.0.0.1:{self.server_address[1]}/v1'


class Handler(socketserver.StreamRequestHandler):
    server: Server

    def handle(self) -> None:
        line = self.rfile.readline().decode()
        if not line:
            return
        method, path, _ = line.split()
        headers = http.client.parse_headers(self.rfile)
        body = self.rfile.read(int(headers.get('content-length', 0)))
        self.server.headers.append(headers)
        if 'completions' not in path:
            page = self.server.pages.get(path, reply({'error': 'no such page'}, 404))
            if callable(page):
                page(self.server, self)
            else:
                self.wfile.write(page)
            return
        self.server.asked.append(json.loads(body))
        script = self.server.script
        action = script.pop(0) if len(script) > 1 else script[0]
        self.server.arrived.set()
        if callable(action):
            action(self.server, self)
        else:
            self.wfile.write(action)


def hang(server: Server, handler: Handler) -> None:
    """Answer nothing until the client leaves."""
    handler.rfile.read()
    server.left.set()


def trickle(server: Server, handler: Handler) -> None:
    """Answer a byte at a time, for ever."""
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n{')
    handler.connection.settimeout(0.01)
    while True:
        try:
            if not handler.connection.recv(1):
                break
        except TimeoutError:
            handler.wfile.write(b' ')
        except OSError:
            break
    server.left.set()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(openai_http, 'BACKOFF_S', 0.0)
    monkeypatch.delenv(API_KEY, raising=False)
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def connect(server: Server) -> Iterator[Callable[..., OpenAIModel]]:
    """Return what makes a model of the server; all are closed in the end."""
    made = []

    def connect(**options: Any) -> OpenAIModel:
        made.append(OpenAIModel(ModelOptions(server.address, **options)))
        return made[-1]

    yield connect
    for model in made:
        model.close()
        model.close()


Connect = Callable[..., OpenAIModel]


@pytest.mark.parametrize(
    ('text', 'api', 'root'),
    [
        ('http://host:8000', 'http://host:8000/v1', 'http://host:8000'),
        ('http://host:8000/v1/', 'http://host:8000/v1', 'http://host:8000'),
        ('https://host/some/v1', 'https://host/some/v1', 'https://host/some'),
        ('https://host/v1beta/openai', 'https://host/v1beta/openai', 'https://host/v1beta/openai'),
        ('http://[::1]:80/v1', 'http://[::1]:80/v1', 'http://[::1]:80'),
    ],
)
def test_an_address_is_read(text: str, api: str, root: str) -> None:
    assert Address.read(text) == Address(api, root)


@pytest.mark.parametrize(
    'text', ['host:8000', 'ftp://host/v1', 'http://', 'http://host/v1?key=1', 'http://host:port/v1']
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ModelError, match='address'):
        Address.read(text)


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(ModelError, match=API_KEY) as caught:
        Address.read(f'http://user:{SECRET}@host/v1')
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ('text', 'line'),
    [
        ('Act: done', 'Act: done'),
        ('\n```text\nAct: done\n```\n', 'Act: done'),
        ('Sure, here it is:\n\nAct: done\n\nThis ends it.', 'Act: done'),
        ('<think>\nAct: failure\n</think>\n\nAct: done', 'Act: done'),
        ('Think: one\nAct: done', 'Think: one'),
        ('I am not sure.\nAm I?', 'I am not sure.'),
        (' \n', ''),
    ],
)
def test_the_line_that_is_meant_is_found_among_chatter(text: str, line: str) -> None:
    assert one_line(text) == line


@pytest.mark.parametrize(
    ('pages', 'kind'),
    [
        ({'/v1/models': reply({'data': [{'id': 'm', 'owned_by': 'vllm'}]})}, 'vllm'),
        ({'/version': reply({'version': '0.11.0'})}, 'vllm'),
        ({'/props': reply({}), '/v1/models': reply({'data': [{'id': 'm'}]}, Server='llama.cpp')},
         'llama.cpp'),
        ({'/api/version': reply({'version': '0.9'}), '/api/generate': reply({})}, 'ollama'),
        ({'/version': reply(b'<html>')}, 'openai'),
        ({}, 'openai'),
    ],
)  # fmt: skip
def test_the_kind_of_a_server_is_found_out(
    server: Server, connect: Connect, pages: dict[str, bytes], kind: str
) -> None:
    server.pages |= pages
    assert connect()._server.kind == kind


def test_the_first_served_model_is_asked_or_the_one_that_is_named(
    server: Server, connect: Connect
) -> None:
    for name, asked in (('', 'first'), ('second', 'second')):
        answer = connect(served_name=name).decide(PROMPT, CHOICES, Watch(LIMIT))
        assert server.asked[-1]['model'] == answer.model == asked
    for data in ([], 5, [5, {}]):
        server.pages['/v1/models'] = reply({'data': data})
        with pytest.raises(ModelError, match='served_name'):
            connect()
    del server.pages['/v1/models']
    with pytest.raises(ModelError, match='served_name'):
        connect()
    assert connect(served_name='third').decide(PROMPT, CHOICES, Watch(LIMIT)).model == 'third'


def test_a_server_that_serves_another_model_now_is_asked_for_that(
    server: Server, connect: Connect
) -> None:
    model = connect()
    server.pages['/v1/models'] = reply({'data': [{'id': 'other'}]})
    server.script = [reply({'error': 'The model first does not exist.'}, 404), GOOD]
    assert model.decide(PROMPT, CHOICES, Watch(LIMIT)).model == 'other'
    server.script = [reply({'error': 'The model other does not exist.'}, 404)]
    with pytest.raises(ModelError, match='does not exist'):
        model.decide(PROMPT, CHOICES, Watch(LIMIT))


def test_what_a_server_does_not_count_in_time_is_estimated(
    server: Server, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = 'You see: milk (1).'
    model = connect(server_type='llama.cpp')
    server.pages['/tokenize'] = reply({'tokens': [1, 2]})
    assert model.count(text) == 2
    for page in (reply({'error': 'starting'}, 503), hang):
        server.pages['/tokenize'] = page
        assert model.count(text) == estimate(text)
        server.pages['/tokenize'] = reply({'tokens': [1, 2]})
        assert model.count(text) == estimate(text), 'it is left alone for a while'
        model._server._count_from = 0.0
        monkeypatch.setattr('reactree_ros.models.openai.model.COUNT_S', 0.2)
    assert model.count(text) == 2


def test_vllm_is_given_a_grammar(server: Server, connect: Connect) -> None:
    server.script = [reply(chat('Act: go to table 1\n'))]
    answer = connect(server_type='vllm').decide(PROMPT, CHOICES, Watch(LIMIT))
    assert answer.text == 'Act: go to table 1'
    assert server.asked[0]['structured_outputs']['grammar'].startswith('root ::= ')


def test_vllm_without_grammars_is_given_a_schema_from_then_on(
    server: Server, connect: Connect
) -> None:
    refused = refusal('LM Format Enforcer does not support grammar specifications')
    server.script = [refused, GOOD]
    model = connect(server_type='vllm')
    for _ in range(2):
        answer = model.decide(PROMPT, CHOICES, Watch(LIMIT))
        assert answer.text == 'Act: go to fridge 1'
    assert ['response_format' in fields for fields in server.asked] == [False, True, True]


def test_ollama_loads_the_model_and_tells_its_context(server: Server, connect: Connect) -> None:
    running = {'models': [{'name': 'first:latest', 'context_length': 2048}]}
    server.pages |= {'/api/generate': reply({}), '/api/ps': reply(running)}
    long = Prompt(PROMPT.system, tuple('a robot ' * 200 for _ in range(9)), PROMPT.task)
    answer = connect(server_type='ollama').decide(long, CHOICES, Watch(LIMIT))
    assert 0 < answer.dropped < 9
    sent = ' '.join(message['content'] for message in server.asked[0]['messages'])
    assert 'Goal: put the apple in the fridge' in sent
    with pytest.raises(ModelError, match='context_tokens is 4096, the server supports 2048'):
        connect(server_type='ollama', context_tokens=4096)
    server.pages['/api/generate'] = reply({'error': "model 'first' not found"}, 404)
    with pytest.raises(ModelError, match="cannot load 'first'.*not found"):
        connect(server_type='ollama')


def test_a_schema_states_the_skills_only_as_far_as_strict_mode_takes_them(
    server: Server, connect: Connect
) -> None:
    model = connect()
    for count, stated in ((200, True), (1100, False)):
        skills = tuple(f'go to cabinet {n}' for n in range(count))
        model.decide(PROMPT, Choices(skills), Watch(LIMIT))
        asked = server.asked[-1]
        assert asked['response_format']['json_schema']['strict'] is True
        assert ('go to cabinet 7"' in json.dumps(asked['response_format'])) is stated


@pytest.mark.parametrize(
    ('kind', 'field', 'message'),
    [
        ('openai', 'max_tokens', "Unsupported parameter: 'max_tokens'"),
        ('openai', 'temperature', "'temperature' does not support 0 with this model"),
        ('vllm', 'stop', "Unsupported parameter: 'stop'"),
        ('ollama', 'reasoning_effort', 'invalid reasoning value: "none"'),
        ('vllm', 'chat_template_kwargs', 'chat_template is not supported for this tokenizer'),
    ],
)
def test_fields_that_a_model_does_not_take_are_left_out_from_then_on(
    server: Server, connect: Connect, kind: str, field: str, message: str
) -> None:
    server.pages['/api/generate'] = reply({})
    server.script = [refusal(message), GOOD]
    model = connect(server_type=kind)
    for _ in range(2):
        model.decide(PROMPT, CHOICES, Watch(LIMIT))
    assert [field in fields for fields in server.asked] == [True, False, False]
    if field == 'max_tokens':
        assert server.asked[1]['max_completion_tokens'] > 0


def test_a_refusal_that_nothing_can_be_done_about_is_told(server: Server, connect: Connect) -> None:
    server.script = [refusal('temperature is too high in here')]
    with pytest.raises(ModelError, match='too high in here'):
        connect().decide(PROMPT, CHOICES, Watch(LIMIT))
    assert len(server.asked) == 2


def test_a_field_with_which_and_without_which_it_was_refused_is_sent_again(
    server: Server, connect: Connect
) -> None:
    server.script = [refusal('no skill "read the temperature"')] * 2 + [GOOD]
    model = connect()
    with pytest.raises(ModelError, match='read the temperature'):
        model.decide(PROMPT, CHOICES, Watch(LIMIT))
    model.decide(PROMPT, CHOICES, Watch(LIMIT))
    assert ['temperature' in fields for fields in server.asked] == [True, False, True]


@pytest.mark.parametrize(
    'message',
    [
        "This model's maximum context length is 1200 tokens. However, you requested 1500",
        'the request exceeds the available context size, try increasing it',
        'prompt is too long',
    ],
)
def test_a_server_that_finds_a_prompt_too_long_is_asked_with_a_shorter_one(
    server: Server, connect: Connect, message: str
) -> None:
    long = Prompt(PROMPT.system, tuple('a robot ' * 50 for _ in range(20)), PROMPT.task)
    server.script = [refusal(message), GOOD]
    answer = connect().decide(long, CHOICES, Watch(LIMIT))
    assert 0 < answer.dropped < 20
    assert 'put the apple' in server.asked[1]['messages'][-1]['content']


def test_a_server_that_never_finds_a_prompt_short_enough_is_given_up(
    server: Server, connect: Connect
) -> None:
    server.script = [refusal('prompt is too long')]
    with pytest.raises(ModelError, match='prompt is too long'):
        connect().decide(PROMPT, CHOICES, Watch(LIMIT))


def test_an_answer_off_the_schema_is_handed_on_for_the_node_to_answer(
    server: Server, connect: Connect
) -> None:
    server.script = [reply(chat('Sure!\nAct: go to table 1')), reply(chat('{"decision": 3}'))]
    model = connect()
    assert model.decide(PROMPT, CHOICES, Watch(LIMIT)).text == 'Act: go to table 1'
    assert model.decide(PROMPT, CHOICES, Watch(LIMIT)).text == '{"decision": 3}'


def test_a_model_without_a_template_reads_plain_text(server: Server, connect: Connect) -> None:
    server.pages['/tokenize'] = refusal('you must provide a chat template')
    server.script = [reply({'choices': [{'text': 'Act: done\n', 'finish_reason': 'stop'}]})]
    answer = connect(server_type='vllm').decide(PROMPT, CHOICES, Watch(LIMIT))
    assert answer.text == 'Act: done'
    assert server.asked[0]['prompt'] == PROMPT.text()
    with pytest.raises(ModelError, match='first has no chat template'):
        connect(server_type='vllm', chat_template='always')


def test_a_server_that_constrains_chats_only_is_not_asked_for_text(connect: Connect) -> None:
    with pytest.raises(ModelError, match='chats only'):
        connect(server_type='openai', chat_template='never')


@pytest.mark.parametrize(
    'fault',
    [
        reply({'error': 'slow down'}, 429, Retry_After='0'),
        reply({'error': 'slow down'}, 429, Retry_After=formatdate(0)),
        reply({'error': 'slow down'}, 429, Retry_After='soon'),
        reply(b'overloaded', 503),
        b'',
        GOOD[:-20],
        b'HTTP/1.1 200',
        b'nonsense\r\n\r\n',
    ],
    ids=['429', 'date', 'bad header', '503', 'closed', 'half', 'half head', 'no HTTP'],
)
def test_a_passing_fault_is_followed_by_another_attempt(
    server: Server, connect: Connect, fault: bytes
) -> None:
    server.script = [fault, fault, GOOD]
    answer = connect(max_retries=2).decide(PROMPT, CHOICES, Watch(LIMIT))
    assert answer.text == 'Act: go to fridge 1'
    assert answer.tokens_in == 9
    assert len(server.asked) == 3


def test_a_fault_that_does_not_pass_is_told(server: Server, connect: Connect) -> None:
    server.script = [reply({'error': {'message': 'out of memory'}}, 500)]
    with pytest.raises(ModelError, match=r'/v1/.*HTTP 500: out of memory \(asked 3 times\)'):
        connect(max_retries=2).decide(PROMPT, CHOICES, Watch(LIMIT))
    assert len(server.asked) == 3


def test_a_server_that_asks_for_more_time_than_there_is_is_not_waited_for(
    server: Server, connect: Connect
) -> None:
    server.script = [reply({'error': 'quota'}, 429, Retry_After='3600'), GOOD]
    with pytest.raises(ModelError, match=r'HTTP 429: quota \(no time is left to wait 3600\.0 s\)'):
        connect().decide(PROMPT, CHOICES, Watch(LIMIT))
    assert len(server.asked) == 1


def test_a_server_that_is_not_there_is_told_at_once(server: Server) -> None:
    with Server() as gone:
        address = gone.address
    with pytest.raises(ModelError, match=rf'{address}/models: .*\(asked 4 times\)'):
        OpenAIModel(ModelOptions(address))


@pytest.mark.parametrize(
    ('page', 'said'),
    [
        (reply(b'<html><body>Log in</body></html>'), '<html><body>Log in'),
        (reply(b''), 'not a JSON object'),
        (reply(b'\xff\xfe{{{'), 'not a JSON object'),
        (reply([1, 2]), r'object: .\[1, 2\]'),
        (reply({}), 'no answer in'),
        (reply({'choices': []}), 'no answer in'),
        (reply({'choices': [None]}), 'no answer in'),
        (reply({'choices': [{'message': 'x'}]}), 'no answer in'),
        (reply(chat(None)), 'no answer in'),
        (reply(chat('{"decision"', finish='length')), 'cut off after'),
        (reply({'error': 'x' * 1000}, 418), 'HTTP 418: x{80}…$'),
        (reply(b'', 302, Location='http://elsewhere/v1'), 'redirects to http://elsewhere/v1'),
        (refusal('The model does not exist'), 'HTTP 400: The model does not exist'),
    ],
)
def test_garbage_is_told_with_its_address_and_its_beginning(
    server: Server, connect: Connect, page: bytes, said: str
) -> None:
    server.script = [page]
    with pytest.raises(ModelError, match=said) as caught:
        connect().decide(PROMPT, CHOICES, Watch(LIMIT))
    assert server.address in str(caught.value)
    assert len(server.asked) == 1


def test_an_answer_without_end_is_not_read_to_its_end(
    server: Server, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openai_http, 'LARGEST_ANSWER', 1000)
    server.script = [reply(chat('x' * 2000))]
    with pytest.raises(ModelError, match='the answer has no end'):
        connect().decide(PROMPT, CHOICES, Watch(LIMIT))


@pytest.mark.parametrize('fault', [hang, trickle])
def test_a_server_that_does_not_come_to_an_end_is_left_when_the_time_is_up(
    server: Server, connect: Connect, fault: Fault
) -> None:
    server.script = [fault, GOOD]
    model = connect()
    with pytest.raises(Interrupted):
        model.decide(PROMPT, CHOICES, Watch(0.3))
    assert server.left.wait(LIMIT)
    assert model.decide(PROMPT, CHOICES, Watch(LIMIT)).text == 'Act: go to fridge 1'


@pytest.mark.parametrize('fault', [hang, trickle])
def test_a_canceled_request_closes_its_connection(
    server: Server, connect: Connect, fault: Fault
) -> None:
    server.script = [fault, GOOD]
    model = connect()
    with pytest.raises(Interrupted):
        model.decide(PROMPT, CHOICES, Watch(LIMIT, server.arrived.is_set))
    assert server.left.wait(LIMIT)
    assert model.decide(PROMPT, CHOICES, Watch(LIMIT)).text == 'Act: go to fridge 1'


def test_a_request_is_canceled_while_it_waits_to_ask_again(
    server: Server, connect: Connect
) -> None:
    server.script = [reply({'error': 'wait'}, 429, Retry_After='30')]
    with pytest.raises(Interrupted):
        connect().decide(PROMPT, CHOICES, Watch(LIMIT, server.arrived.is_set))


@pytest.mark.parametrize('status', [401, 403])
def test_a_key_that_is_refused_is_named_by_its_variable_and_never_shown(
    server: Server,
    connect: Connect,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv(API_KEY, SECRET)
    model = connect()
    echo = {'error': {'message': f'Incorrect API key provided: {SECRET}.'}}
    server.script = [
        reply(echo, status),
        reply(echo, 500),
        reply(echo, 400),
        reply(SECRET.encode()),
        reply(chat(None, id=SECRET)),
        reply(chat(SECRET, finish='length')),
        b'',
    ]
    with pytest.raises(ModelError, match=f'rejected the key in {API_KEY}.*') as caught:
        model.decide(PROMPT, CHOICES, Watch(LIMIT))
    assert len(server.asked) == 1
    errors = [caught.value]
    for _ in range(5):
        with pytest.raises(ModelError) as caught:
            model.decide(PROMPT, CHOICES, Watch(LIMIT))
        errors.append(caught.value)
    told = caplog.text + repr(vars(model)) + repr(model._connection._client.headers)
    for error in errors:
        told += repr(error) + ''.join(traceback.format_exception(error))
    assert 'asking again' in caplog.text
    assert SECRET not in told
    assert server.headers[-1]['authorization'] == f'Bearer {SECRET}'


def test_a_server_that_asks_for_a_key_where_there_is_none_is_told(
    server: Server, connect: Connect
) -> None:
    server.pages['/v1/models'] = reply({'error': 'who are you?'}, 401)
    with pytest.raises(ModelError, match=f'asks for a key: set {API_KEY}'):
        connect()
    assert server.headers[-1]['authorization'] is None


@pytest.mark.parametrize('key', ['with space', 'ünicode', 'two\nlines'])
def test_a_key_that_cannot_be_sent_is_refused_and_not_shown(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    monkeypatch.setenv(API_KEY, key)
    with pytest.raises(ModelError, match=API_KEY) as caught:
        connect()
    assert key not in ''.join(traceback.format_exception(caught.value))


@pytest.mark.model
def test_llama_cpp_tells_what_it_is_and_a_base_model_reads_plain_text(llama_server: str) -> None:
    with closing(OpenAIModel(ModelOptions(llama_server))) as model:
        assert model._server.kind == 'llama.cpp'
        assert not model._chat
        answer = model.decide(PROMPT, CHOICES, Watch(LIMIT))
        assert answer.prefill_seconds > 0.0
        assert model.count('hello there my friend') == 4
    with pytest.raises(ModelError, match='the server supports 4096'):
        OpenAIModel(ModelOptions(llama_server, context_tokens=8192))


@pytest.mark.model
def test_llama_cpp_refuses_a_wrong_key(llama_server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(API_KEY, SECRET)
    with pytest.raises(ModelError, match=f'rejected the key in {API_KEY}'):
        OpenAIModel(ModelOptions(llama_server))


@pytest.mark.model
def test_a_schema_constrains_as_a_grammar_does(llama_server: str) -> None:
    with closing(OpenAIModel(ModelOptions(llama_server, server_type='openai'))) as model:
        parse_decision(model.decide(PROMPT, CHOICES, Watch(LIMIT)).text, CHOICES)
        only = Choices(('say "Grüß Gött" \\ 你好',), False, (), (), ())
        text = model.decide(PROMPT, only, Watch(LIMIT)).text
        assert text == f'Act: {only.skills[0]}'


@pytest.mark.model
def test_without_a_constraint_the_first_line_is_the_answer(llama_server: str) -> None:
    with closing(
        OpenAIModel(ModelOptions(llama_server, server_type='none', chat_template='never'))
    ) as model:
        answer = model.decide(PROMPT, CHOICES, Watch(LIMIT))
        assert '\n' not in answer.text
        assert answer.tokens_out < 100


PLAN = TextRequest(PROMPT, ('done',), max_tokens=80, samples=3, temperature=0.8, top_p=0.9, seed=7)


def texts(*written: str, **fields: Any) -> bytes:
    choices = [{'message': {'content': text}, 'finish_reason': 'stop'} for text in written]
    return reply({'choices': choices, **fields})


def test_free_text_is_asked_for_as_a_chat_without_a_word_of_json(
    server: Server, connect: Connect
) -> None:
    usage = {'prompt_tokens': 9, 'completion_tokens': 12}
    server.script = [texts('open it\ndone\n', 'close it\n', '', usage=usage)]
    answers = connect().write(PLAN, Watch(LIMIT))
    assert [answer.text for answer in answers] == ['open it\n', 'close it\n', '']
    assert [answer.tokens_in for answer in answers] == [9, 0, 0]
    assert sum(answer.tokens_out for answer in answers) == 12
    assert [answer.decode_seconds > 0 for answer in answers] == [True, False, False]
    (asked,) = server.asked
    assert 'JSON' not in str(asked.pop('messages'))
    assert asked == {
        'model': 'first',
        'max_tokens': 80,
        'stop': ['done'],
        'temperature': 0.8,
        'top_p': 0.9,
        'seed': 7,
        'n': 3,
    }


def test_a_server_that_writes_fewer_texts_is_asked_for_the_others(
    server: Server, connect: Connect
) -> None:
    server.script = [texts('a'), texts('b', usage={'prompt_tokens': 9}), texts('c')]
    answers = connect().write(PLAN, Watch(LIMIT))
    assert [answer.text for answer in answers] == ['a', 'b', 'c']
    assert [asked['seed'] for asked in server.asked] == [7, 8, 9]
    assert [asked.get('n') for asked in server.asked] == [3, 2, None]


def test_one_text_without_temperature_stands_for_all_samples(
    server: Server, connect: Connect
) -> None:
    server.script = [texts('a')]
    answers = connect().write(replace(PLAN, temperature=0.0), Watch(LIMIT))
    assert [answer.text for answer in answers] == ['a'] * 3
    (asked,) = server.asked
    assert not {'n', 'seed', 'top_p'} & asked.keys()


def test_a_continued_text_may_have_several_lines(server: Server, connect: Connect) -> None:
    server.script = [reply({'choices': [{'text': 'open it\nclose it\n'}]})]
    (answer,) = connect(server_type='none', chat_template='never').write(
        replace(PLAN, samples=1), Watch(LIMIT)
    )
    assert answer.text == 'open it\nclose it\n'
    (asked,) = server.asked
    assert asked['prompt'] == PROMPT.text()
    assert asked['stop'] == ['done']


@pytest.mark.parametrize('field', ['n', 'seed', 'top_p', 'temperature', 'max_tokens'])
def test_what_a_server_refuses_about_a_text_is_left_out(
    server: Server, connect: Connect, field: str
) -> None:
    refused = refusal(f"Unsupported parameter: '{field}' is not supported with this model.")
    server.script = [refused, texts('a')]
    model = connect()
    assert len(model.write(PLAN, Watch(LIMIT))) == PLAN.samples
    assert field in server.asked[0]
    assert all(field not in asked for asked in server.asked[1:])


def test_vllm_and_llama_cpp_sample_as_they_are_asked_and_no_otherwise(
    server: Server, connect: Connect
) -> None:
    server.script = [texts('a')]
    for kind, sampling in [
        ('vllm', {'top_k': -1, 'min_p': 0.0, 'repetition_penalty': 1.0}),
        ('llama.cpp', {'top_k': 0, 'min_p': 0.0}),
    ]:
        connect(server_type=kind).write(PLAN, Watch(LIMIT))
        assert sampling.items() <= server.asked[-1].items()
        connect(server_type=kind).write(replace(PLAN, temperature=0.0), Watch(LIMIT))
        assert not sampling.keys() & server.asked[-1].keys()


def test_a_reply_without_a_text_is_none(server: Server, connect: Connect) -> None:
    server.script = [reply({'choices': []})]
    with pytest.raises(ModelError, match='there is no answer in'):
        connect().write(PLAN, Watch(LIMIT))
