# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A model behind an OpenAI-compatible server: vLLM, llama.cpp, Ollama, a service in the cloud."""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial

from reactree_ros.core.decision import Choices
from reactree_ros.core.model import Answer, TextRequest
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ModelError
from reactree_ros.models.backend import Interrupted, Watch
from reactree_ros.models.chat import to_messages
from reactree_ros.models.context import fit
from reactree_ros.models.marks import without_marks
from reactree_ros.models.openai.discovery import find_server
from reactree_ros.models.openai.http import Address, Connection, Refused, Reply, Values
from reactree_ros.models.openai.reply import counted, written_texts
from reactree_ros.models.openai.servers import PlainServer
from reactree_ros.models.openai.text import counted_once, text_fields, texts_as_answers
from reactree_ros.models.options import ModelOptions

ANSWER_TOKENS = 384
"""Most tokens of an answer, for which a prompt leaves room: the longest expansion."""
FRAME_TOKENS = 48
"""Tokens of headings and of the chat template, at most."""
BYTES_PER_TOKEN = 3
"""Where a server does not count: fewer bytes than a token of English has on average."""
SETUP_S = 120.0
"""Longest wait for a server while it is found out what it is; Ollama loads the model then."""
COUNT_S = 10.0
ATTEMPTS = 5
"""How often one answer is asked for in another way after a refusal."""
KNOWN_TEXTS = 4096
"""Texts whose token counts are remembered."""
_OVERFLOW = re.compile(r'context[ _](length|size|window)|prompt is too long', re.IGNORECASE)
_LIMIT = re.compile(r'context (?:length|size|window)\D{0,16}(\d+)', re.IGNORECASE)
_OPTIONAL = {
    'max_tokens': (r'\bmax_tokens\b', 'max_completion_tokens'),
    'temperature': (r'\btemperature\b', ''),
    'reasoning_effort': (r'\breasoning', ''),
    'chat_template_kwargs': (r'\bchat_template', ''),
    'n': (r'\bn\b', ''),
    'seed': (r'\bseed\b', ''),
    'top_p': (r'\btop_p\b', ''),
}
"""Fields that not every model takes, how a refusal names them, and what takes their place."""

_log = logging.getLogger(__name__)


class OpenAIModel:
    """A model behind an OpenAI-compatible server.

    Args:
        options: ``name`` is the address; ``device``, ``dtype``, ``threads`` and ``cache_mib`` are
            the server's own affair.

    Raises:
        ModelError: if the server cannot be reached, refuses the key, or serves nothing that
            can be used in this way.
    """

    workers = 8

    def __init__(self, options: ModelOptions) -> None:
        connection = Connection(Address.read(options.name), options.max_retries)
        self._connection = connection
        self._api = connection.address.api
        watch = Watch(SETUP_S)
        try:
            self._server = find_server(connection, options, watch)
            self._name = self._server.name
            self._server.learn(watch)
            self._chat = _choose_chat(options.chat_template, self._server)
            self._context = _choose_context(options.context_tokens, self._server)
        except Interrupted:
            connection.close()
            raise ModelError(f'no answer from {self._api} within {SETUP_S:g} s') from None
        except BaseException:
            connection.close()
            raise
        self._replaced: frozenset[str] = frozenset()
        self._counts: dict[str, int] = {}

    @property
    def server(self) -> str:
        """Kind of the server, one of ``options.SERVERS``."""
        return self._server.kind

    def close(self) -> None:
        """Close all connections; calling it again does nothing."""
        self._connection.close()

    def count(self, text: str) -> int:
        """Return the number of tokens of a text, an estimate where the server does not count.

        Raises:
            ModelError: if the server does not answer.
        """
        try:
            return self._count(text, Watch(COUNT_S))
        except Interrupted:
            raise ModelError(f'no answer from {self._api} within {COUNT_S:g} s') from None

    def new_tokens(self, prompt: Prompt) -> int:
        """Return 0: what the server has in its cache is not known."""
        return 0

    def decide(self, prompt: Prompt, choices: Choices, watch: Watch) -> Answer:
        """Make one decision, one that ``choices`` allows if the server can be constrained.

        Raises:
            Interrupted: if ``watch`` said so.
            ModelError: if the server does not answer, or not as it should.
        """

        def fields() -> Values:
            limits = {'temperature': 0, 'max_tokens': ANSWER_TOKENS}
            return limits | self._server.extra(chat=self._chat) | self._server.constrain(choices)

        reply, dropped = self._ask(prompt, fields, ANSWER_TOKENS, watch, decides=True)
        return self._answer(reply, dropped)

    def write(self, request: TextRequest, watch: Watch) -> tuple[Answer, ...]:
        """Write free text, one answer a sample; a server that ignores ``n`` is asked again.

        The tokens of samples that come with one reply are counted in the first of them.

        Raises:
            Interrupted: if ``watch`` said so.
            ModelError: if the server does not answer, or not as it should.
        """
        greedy = request.temperature <= 0.0
        samples = 1 if greedy else request.samples
        answers: list[Answer] = []
        while len(answers) < samples:
            missing = min(samples - len(answers), self._server.samples_at_once)
            fields = text_fields(request, missing, len(answers))
            fields |= {} if greedy else self._server.sampling
            extra = self._server.extra(chat=self._chat)
            reply, dropped = self._ask(
                request.prompt, partial(dict, extra | fields), request.max_tokens, watch
            )
            texts = written_texts(reply.values)
            if not texts:
                raise self._no_answer(reply)
            cost = counted(reply, self._name, dropped)
            answers += texts_as_answers(texts[:missing], request.stop, cost)
        return counted_once(answers * (request.samples if greedy else 1))

    def forget(self) -> None:
        """Do nothing: a server's caches are its own affair."""

    def _ask(
        self,
        prompt: Prompt,
        fields: Callable[[], Values],
        answer_tokens: int,
        watch: Watch,
        *,
        decides: bool = False,
    ) -> tuple[Reply, int]:
        """Return a reply, and how much of the prompt was left out.

        Args:
            prompt: all that the model reads.
            fields: the rest of the request; after a refusal they may be others.
            answer_tokens: room to be left in the context.
            watch: asked while it waits.
            decides: whether the answer is to be a decision, in the form that the server knows.
        """
        for attempt in itertools.count(1):
            before = (self._context, self._replaced)
            fitted, dropped = self._fit(prompt, answer_tokens, watch)
            sent = {'model': self._name, **fields()}
            try:
                return self._send(fitted, dict(sent), watch, decides=decides), dropped
            except Refused as refused:
                if attempt == ATTEMPTS or not self._adapt(refused, fitted, sent, *before):
                    raise
        raise AssertionError('unreachable')

    def _send(self, prompt: Prompt, fields: Values, watch: Watch, *, decides: bool) -> Reply:
        prompt = without_marks(prompt)
        for name in self._replaced & fields.keys():
            value = fields.pop(name)
            if other := _OPTIONAL[name][1]:
                fields[other] = value
        if self._chat:
            fields['messages'] = self._messages(prompt, self._server.note if decides else '')
            return self._connection.post(f'{self._api}/chat/completions', fields, watch)
        fields['prompt'] = prompt.text()
        return self._connection.post(f'{self._api}/completions', fields, watch)

    def _messages(self, prompt: Prompt, note: str) -> list[dict[str, str]]:
        messages = to_messages(prompt)
        if note:
            messages[0]['content'] += f'\n\n{note}'
        return messages

    def _answer(self, reply: Reply, dropped: int) -> Answer:
        text, finish = next(iter(written_texts(reply.values)), ('', ''))
        if not text:
            raise self._no_answer(reply)
        # Free text may continue after the line that matters.
        if finish == 'length' and (self._server.kind != 'none' or '\n' not in text.strip()):
            raise ModelError(
                f'{self._api}: the answer was cut off after {ANSWER_TOKENS} tokens; it begins '
                f'{self._connection.excerpt(text)!r}'
            )
        return replace(counted(reply, self._name, dropped), text=self._server.line(text))

    def _no_answer(self, reply: Reply) -> ModelError:
        shown = self._connection.excerpt(str(reply.values))
        return ModelError(f'{self._api}: there is no answer in {shown!r}')

    def _fit(self, prompt: Prompt, answer_tokens: int, watch: Watch) -> tuple[Prompt, int]:
        if not self._context:
            return prompt, 0
        limit = self._context - answer_tokens
        return fit(prompt, limit, lambda some: self._length(some, limit, watch))

    def _length(self, prompt: Prompt, limit: int, watch: Watch) -> int:
        """Return the tokens of a prompt, or some more; each part is counted once, by itself."""
        steps = (step.text for step in prompt.steps)
        parts = [prompt.system, self._server.note, *prompt.examples, prompt.task, *steps]
        around = FRAME_TOKENS + 2 * len(parts)
        # No token is shorter than a byte: most prompts need no counting.
        most = sum(len(text.encode()) for text in parts) + around
        if most <= limit:
            return most
        if len(self._counts) > KNOWN_TEXTS:
            self._counts.clear()
        for text in parts:
            if text not in self._counts:
                self._counts[text] = self._count(text, watch)
        return sum(self._counts[text] for text in parts) + around

    def _count(self, text: str, watch: Watch) -> int:
        counted = self._server.count(text, watch)
        return -(-len(text.encode()) // BYTES_PER_TOKEN) if counted is None else counted

    def _adapt(
        self,
        refused: Refused,
        prompt: Prompt,
        sent: Collection[str],
        context: int,
        replaced: frozenset[str],
    ) -> bool:
        """Change what a request was refused for, unless another thread did so meanwhile.

        Args:
            refused: why.
            prompt: that was sent.
            sent: names of the other fields of the request.
            context: that it was fitted into.
            replaced: fields that were not sent.

        Returns:
            Whether the request should be made again.
        """
        if _OVERFLOW.search(refused.reason):
            if self._context == context:
                self._context = _shorter(context, prompt, refused.reason)
                _log.warning('%s; taking the context for %d tokens', refused, self._context)
            return True
        if self._server.weaken(refused):
            return True
        named = {
            name
            for name, (pattern, _) in _OPTIONAL.items()
            if name in sent and re.search(pattern, refused.reason)
        }
        if named - self._replaced:
            _log.warning('%s; continuing without %s', refused, ', '.join(sorted(named)))
        self._replaced |= named
        return not named <= replaced


def _shorter(context: int, prompt: Prompt, reason: str) -> int:
    """Return a context that a prompt was too long for: what the server says, if it does."""
    limit = _LIMIT.search(reason)
    if limit and (not context or int(limit[1]) < context):
        return max(int(limit[1]), 2 * ANSWER_TOKENS)
    # Its number is not news: the prompt was counted too low.
    asked = len(prompt.text().encode()) // BYTES_PER_TOKEN + ANSWER_TOKENS
    return max((context or asked) * 3 // 4, 2 * ANSWER_TOKENS)


def _choose_chat(wish: str, server: PlainServer) -> bool:
    if wish == 'always' and not server.has_template and not server.lends_template:
        raise ModelError(
            f'{server.name} has no chat template: set model.chat_template to auto or never'
        )
    if wish == 'always' or (wish == 'auto' and server.has_template):
        return True
    if not server.completes:
        raise ModelError(
            f'a server of kind {server.kind!r} constrains chats only: set '
            'model.chat_template to auto or always'
        )
    return False


def _choose_context(wish: int, server: PlainServer) -> int:
    available = server.context
    if available and wish > available:
        raise ModelError(f'context_tokens is {wish}, the server has room for {available}')
    context = wish or available or server.assumed_context
    if context and context < 2 * ANSWER_TOKENS:
        raise ModelError(
            f'the context has {context} tokens, at least {2 * ANSWER_TOKENS} are needed'
        )
    return context
