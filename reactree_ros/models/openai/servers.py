# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How OpenAI-compatible servers differ: constraints, token counts, context length.

=============  =================================================================  ===============
kind           an answer is constrained by                                        counts tokens
=============  =================================================================  ===============
``vllm``       ``structured_outputs`` with a grammar (0.11 and later); a JSON     ``/tokenize``
               schema if it was started with a grammar engine that reads no
               grammars
``llama.cpp``  ``grammar``                                                        ``/tokenize``
``ollama``     ``response_format`` with a JSON schema                             no
``openai``     ``response_format`` with a JSON schema, strict                     no
``none``       nothing                                                            no
=============  =================================================================  ===============
"""

from __future__ import annotations

import re
import time
from typing import Any

from reactree_ros.core.decision import Choices
from reactree_ros.core.grammars.gbnf import decision_gbnf
from reactree_ros.core.grammars.json import decision_line, decision_schema
from reactree_ros.errors import DecisionError, ModelError
from reactree_ros.models.backend import Watch
from reactree_ros.models.openai.http import Connection, Refused, Unavailable, Values
from reactree_ros.models.options import ModelOptions

JSON_NOTE = (
    'Write your line as one JSON object: {"decision": {"Act": "done"}} stands for "Act: done", '
    '{"decision": {"Expand": {"control_flow": "sequence", "subgoals": ["…"]}}} for an expansion.'
)
"""Told to models whose answers are JSON, since the examples in the prompt are lines."""
STRICT_VALUES = 250
"""Enumeration values that OpenAI's strict mode takes whatever their length."""
STRICT_CHARS = 15000
STRICT_MOST = 1000
COUNT_AGAIN_S = 30.0
"""How long nothing is counted after a count that was not answered."""
OWN_MARK = '<|im_start|>'
"""Begins a turn in the template that llama.cpp uses where a model has none."""
_NO_THOUGHTS = {'chat_template_kwargs': {'enable_thinking': False}}
_KIND = re.compile(r'(Think|Act|Expand|Ask|Conditions): ')


class PlainServer:
    """The API as OpenAI describes it.

    Args:
        connection: to the server.
        name: by which it knows the model.
        entry: what it says of the model in its list; empty if it has none.
    """

    kind = 'openai'
    note = JSON_NOTE
    """What is added to the system prompt."""
    completes = False
    """Whether plain text can be continued under the same constraint as a chat."""
    lends_template = True
    """Whether a model without a chat template is given one."""
    samples_at_once = 32
    """Texts to ask for in one request; what does not come of them is asked for again."""
    sampling: Values = {}
    """Fields that turn off what a server does to samples beyond what it is asked."""
    counted_field = ''
    """Field of a text whose tokens ``/tokenize`` counts; empty if the server does not count."""
    assumed_context = 0
    """``context`` if the server does not report it; 0 waits for its refusal."""

    def __init__(self, connection: Connection, name: str, entry: Values) -> None:
        self._connection = connection
        self.name = name
        self._entry = entry
        self._count_from = 0.0
        self.context = 0
        """Tokens that prompt and answer may have together; 0 if the server does not report it."""
        self.has_template = True
        """Whether the model was taught to follow a chat, as far as the server reports it."""

    def learn(self, watch: Watch) -> None:
        """Find out what should be known before the first request.

        Raises:
            Interrupted: if ``watch`` said so.
            ModelError: if the model cannot be had.
        """

    def constrain(self, choices: Choices) -> Values:
        """Return the fields of a request that allow only what ``choices`` allows."""
        schema = decision_schema(choices, limits=False)
        if not _strict_takes(choices):
            schema = _without_enumerations(schema)
        return {'response_format': _response_format(schema, strict=True)}

    def line(self, text: str) -> str:
        """Return the decision line that an answer stands for, or its first line if it is none."""
        try:
            return decision_line(text)
        except DecisionError:
            return one_line(text)  # the agent node answers what is wrong with it

    def weaken(self, refused: Refused) -> bool:
        """Return whether a request was refused for its constraint; use another from now on."""
        return False

    def count(self, text: str, watch: Watch) -> int | None:
        """Return the number of tokens of a text; None if the server does not count, or not now.

        One that does not answer is left alone for ``COUNT_AGAIN_S``: what is counted is many texts,
        and an estimate will do.

        Raises:
            Interrupted: if ``watch`` said so.
        """
        if not self.counted_field or time.monotonic() < self._count_from:
            return None
        fields = {'model': self.name, self.counted_field: text, 'add_special_tokens': False}
        try:
            return self._tokens(fields, watch, retries=0)
        except Unavailable:
            self.leave_uncounted()
        except ModelError:
            pass
        return None

    def leave_uncounted(self) -> None:
        """Count nothing for a while: the server does not answer."""
        self._count_from = time.monotonic() + COUNT_AGAIN_S

    def extra(self, *, chat: bool) -> Values:
        """Return other fields of a request."""
        return {}

    def _ask_about(self, path: str, watch: Watch) -> Values:
        """Return the server's data outside the API; a gateway may hide it."""
        try:
            return self._connection.ask(self._connection.address.root + path, watch).values
        except ModelError:
            return {}

    def _tokens(self, fields: Values, watch: Watch, retries: int | None = None) -> int | None:
        url = f'{self._connection.address.root}/tokenize'
        tokens = self._connection.ask(url, watch, fields, retries=retries).values.get('tokens')
        return len(tokens) if isinstance(tokens, list) else None


class Unconstrained(PlainServer):
    """A server that writes what it likes."""

    kind = 'none'
    note = ''
    completes = True

    def constrain(self, choices: Choices) -> Values:
        """Return nothing."""
        return {}

    def line(self, text: str) -> str:
        """Return the line of an answer that is meant as the decision."""
        return one_line(text)

    def extra(self, *, chat: bool) -> Values:
        """End a continued text with its line; a chat may say something before it."""
        return {} if chat else {'stop': ['\n']}


class LlamaCpp(PlainServer):
    """llama.cpp's server; https://github.com/ggml-org/llama.cpp/tree/master/tools/server."""

    kind = 'llama.cpp'
    note = ''
    completes = True
    samples_at_once = 1
    counted_field = 'content'
    sampling: Values = {'top_k': 0, 'min_p': 0.0}

    def constrain(self, choices: Choices) -> Values:
        """Return the grammar."""
        return {'grammar': decision_gbnf(choices), 'stop': ['\n']}

    def line(self, text: str) -> str:
        """Return the answer, which is the line."""
        return text.strip()

    def learn(self, watch: Watch) -> None:
        """Find out the context of one slot, and whether the model knows the chat's marks.

        For a model without a template the server shows its own, whose marks a base model does
        not know.
        """
        props = self._ask_about('/props', watch)
        defaults = props.get('default_generation_settings')
        self.context = whole(defaults, 'n_ctx') or whole(self._entry.get('meta'), 'n_ctx')
        if OWN_MARK in str(props.get('chat_template')):
            self.has_template = self.count(OWN_MARK, watch) in (1, None)

    def extra(self, *, chat: bool) -> Values:
        """Ask for a reused cache and for no thoughts before the answer."""
        return {'cache_prompt': True, **(_NO_THOUGHTS if chat else {})}


class Vllm(PlainServer):
    """vLLM; https://docs.vllm.ai/en/latest/features/structured_outputs."""

    kind = 'vllm'
    note = ''
    completes = True
    lends_template = False
    counted_field = 'prompt'
    sampling: Values = {'top_k': -1, 'min_p': 0.0, 'repetition_penalty': 1.0}

    def __init__(self, connection: Connection, name: str, entry: Values) -> None:
        super().__init__(connection, name, entry)
        self._json = False

    def learn(self, watch: Watch) -> None:
        """Find out the length that the model is served with, and whether it has a template."""
        self.context = whole(self._entry, 'max_model_len')
        messages = [{'role': 'user', 'content': 'Go on.'}]
        try:
            self._tokens({'model': self.name, 'messages': messages}, watch)
        except Refused as refused:
            self.has_template = 'template' not in refused.reason
        except ModelError:
            pass  # a gateway may serve nothing outside of /v1

    def constrain(self, choices: Choices) -> Values:
        """Return the grammar, or the schema."""
        if self._json:
            schema = decision_schema(choices, limits=True)
            return {'response_format': _response_format(schema, strict=True)}
        return {'structured_outputs': {'grammar': decision_gbnf(choices)}, 'stop': ['\n']}

    def line(self, text: str) -> str:
        """Return the answer, or the line that it stands for."""
        return super().line(text) if self._json else text.strip()

    def weaken(self, refused: Refused) -> bool:
        """Go on with a JSON schema if the server's engine reads no grammars."""
        if not re.search(r'not support.{0,20}grammar', refused.reason):
            return False
        self._json = True
        self.note = JSON_NOTE
        return True

    def extra(self, *, chat: bool) -> Values:
        """Ask for no thoughts before the answer."""
        return dict(_NO_THOUGHTS) if chat else {}


class Ollama(PlainServer):
    """Ollama; https://docs.ollama.com/api/openai-compatibility."""

    kind = 'ollama'
    samples_at_once = 1
    assumed_context = 4096  # what it gives a model on a small machine

    def constrain(self, choices: Choices) -> Values:
        """Return the schema, with lengths, which its grammars know."""
        return {'response_format': _response_format(decision_schema(choices, limits=True))}

    def learn(self, watch: Watch) -> None:
        """Load the model and find out the context that it was given.

        Ollama cuts a longer chat without a word, the goal first, so it must be known.
        """
        url = f'{self._connection.address.root}/api/generate'
        try:
            self._connection.ask(url, watch, {'model': self.name, 'stream': False})
        except Refused as refused:
            raise ModelError(f'Ollama cannot load {self.name!r}: {refused}') from refused
        running = self._ask_about('/api/ps', watch).get('models')
        for model in running if isinstance(running, list) else []:
            names = (model.get('name'), model.get('model')) if isinstance(model, dict) else ()
            if self.name in names or f'{self.name}:latest' in names:
                self.context = whole(model, 'context_length')

    def extra(self, *, chat: bool) -> Values:
        """Ask for no thoughts before the answer."""
        return {'reasoning_effort': 'none'} if chat else {}


SERVER_KINDS: dict[str, type[PlainServer]] = {
    server.kind: server for server in (Vllm, LlamaCpp, Ollama, PlainServer, Unconstrained)
}
_OWNERS = {'llamacpp': 'llama.cpp', 'vllm': 'vllm', 'library': 'ollama'}


def find_server(connection: Connection, options: ModelOptions, watch: Watch) -> PlainServer:
    """Return the server at the end of a connection, with the model that is asked.

    Args:
        connection: to it.
        options: ``server_type`` and ``served_name`` say what need not be found out.
        watch: when to give up.

    Raises:
        Interrupted: if ``watch`` said so.
        ModelError: if it does not answer, or no model can be named.
    """
    api = connection.address.api
    try:
        listed = connection.ask(f'{api}/models', watch)
        software, entries = listed.software, listed.values.get('data')
    except Refused as refused:
        if not options.served_name:
            raise ModelError(
                f'{refused}; if the address is right, set model.served_name'
            ) from refused
        software, entries = '', None
    entries = entries if isinstance(entries, list) else []
    models = [entry for entry in entries if isinstance(entry, dict) and entry.get('id')]
    name = options.served_name or (str(models[0]['id']) if models else '')
    if not name:
        raise ModelError(f'{api} lists no model: set model.served_name')
    entry: Values = next((model for model in models if model['id'] == name), {})
    kind = options.server_type
    if kind == 'auto':
        kind = _find_kind(connection, entry or (models or [{}])[0], software, watch)
    return SERVER_KINDS[kind](connection, name, entry)


def _find_kind(connection: Connection, entry: Values, software: str, watch: Watch) -> str:
    if software.startswith('llama.cpp'):
        return 'llama.cpp'
    owner = str(entry.get('owned_by', ''))
    if owner in _OWNERS:
        return _OWNERS[owner]
    for path, kind in (('/api/version', 'ollama'), ('/version', 'vllm')):
        try:
            reply = connection.ask(connection.address.root + path, watch)
        except ModelError:
            continue  # many servers show a page, ask for a login, or break at unknown paths
        if isinstance(reply.values.get('version'), str):
            return kind
    return 'openai'


def one_line(text: str) -> str:
    """Return the decision line among chatter, or the first line if it is not plain which it is.

    Args:
        text: an unconstrained answer; thoughts up to ``</think>`` and code fences are left out.
    """
    said = text.rpartition('</think>')[2]
    lines = [line.strip() for line in said.splitlines()]
    lines = [line for line in lines if line and not line.startswith('```')]
    meant = [line for line in lines if _KIND.match(line)]
    return meant[0] if len(meant) == 1 else (lines or [''])[0]


def _strict_takes(choices: Choices) -> bool:
    acts = choices.acts
    if len(acts) > STRICT_VALUES and sum(map(len, acts)) > STRICT_CHARS:
        return False
    return len(acts) + len(choices.control_flows) <= STRICT_MOST


def _without_enumerations(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {key: _without_enumerations(schema[key]) for key in schema if key != 'enum'}
    return [_without_enumerations(item) for item in schema] if isinstance(schema, list) else schema


def _response_format(schema: Values, **fields: Any) -> Values:
    named = {'name': 'decision', **fields, 'schema': schema}
    return {'type': 'json_schema', 'json_schema': named}


def whole(values: Any, key: str) -> int:
    """Return a number that a server reports, from 0; 0 if it does not."""
    number = values.get(key) if isinstance(values, dict) else None
    return max(0, number) if isinstance(number, int) and not isinstance(number, bool) else 0
