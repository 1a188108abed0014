# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A model behind an OpenAI-compatible server: vLLM, llama.cpp, Ollama, a service in the cloud."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

from reactree_ros.core.decision import Choices
from reactree_ros.core.model import Answer, TextRequest
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ModelError
from reactree_ros.models.backend import Backend, Interrupted, Watch
from reactree_ros.models.context import fit
from reactree_ros.models.openai.http import (
    Address,
    Connection,
    Refused,
    Reply,
    Unavailable,
    Values,
)
from reactree_ros.models.openai.servers import PlainServer, find_server, whole
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.prompt_text import to_messages, without_marks

ANSWER_TOKENS = 512
"""Most tokens of an answer, for which a prompt leaves room: the longest expansion."""
FRAME_TOKENS = 48
"""Tokens of headings and of the chat template, at most."""
SETUP_S = 120.0
"""Longest wait for a server while it is found out what it is; Ollama loads the model then."""
COUNT_S = 5.0
GREET_S = 5.0
NOT_FOUND = 404
ATTEMPTS = 5
"""How often one answer is asked for in another way after a refusal."""
KNOWN_TEXTS = 4096
"""Texts whose token counts are remembered."""
MOST_STOPS = 4
"""OpenAI refuses more of them; the text is cut at all of them when it is here."""
_BYTES_PER_TOKEN = 4
"""Of letters and spaces; a word of English and its space have more on average."""
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
    'stop': (r'\bstop\b', ''),
}
"""Fields that not every model takes, how a refusal names them, and what takes their place."""

_log = logging.getLogger(__name__)


class OpenAIModel(Backend):
    """A model behind an OpenAI-compatible server.

    Args:
        options: ``name`` is the address; ``device``, ``dtype``, ``threads`` and ``cache_mib`` are
            the server's own affair.
        say: called with what requests wait for; with an empty text when none waits any more.

    Raises:
        ModelError: if the server cannot be reached, refuses the key, or serves nothing that
            can be used in this way.
    """

    def __init__(
        self, options: ModelOptions, say: Callable[[str], None] = lambda text: None
    ) -> None:
        self.workers = options.max_requests
        connection = Connection(Address.read(options.name), options.max_retries, say)
        self._options = options
        self._connection = connection
        self._api = connection.address.api
        watch = Watch(SETUP_S)
        try:
            self._learn(find_server(connection, options, watch), watch)
        except Interrupted:
            connection.close()
            raise Unavailable(f'no answer from {self._api} within {SETUP_S:g} s') from None
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """Close all connections; calling it again does nothing."""
        self._connection.close()

    def greet(self) -> None:
        """Find out whether the server answers.

        Raises:
            ModelError: if it does not.
        """
        try:
            self._connection.ask(f'{self._api}/models', Watch(GREET_S))
        except Refused:
            pass  # it lists nothing, but it answers
        except Interrupted:
            raise Unavailable(f'no answer from {self._api} within {GREET_S:g} s') from None

    def count(self, text: str) -> int:
        """Return the number of tokens of a text, an estimate where the server does not count."""
        try:
            return self._count(text, Watch(COUNT_S))
        except Interrupted:
            self._server.leave_uncounted()
            return estimate(text)

    def decide(self, prompt: Prompt, choices: Choices, watch: Watch) -> Answer:
        """Make one decision, one that ``choices`` allows if the server can be constrained.

        Raises:
            Interrupted: if ``watch`` said so.
            ModelError: if the server does not answer, or not as it should.
        """
        fields: Values = {'temperature': 0, 'max_tokens': ANSWER_TOKENS}
        ((text, finish), *_), cost = self._ask(prompt, fields, watch, choices)
        # Free text may continue after the line that matters.
        if finish == 'length' and (self._server.kind != 'none' or '\n' not in text.strip()):
            raise ModelError(
                f'{self._api}: the answer was cut off after {ANSWER_TOKENS} tokens; it begins '
                f'{self._connection.excerpt(text)!r}'
            )
        return replace(cost, text=self._server.line(text))

    def write(self, request: TextRequest, watch: Watch) -> tuple[Answer, ...]:
        """Write free text, one answer a sample; a server that ignores ``n`` is asked again.

        The tokens and seconds of all samples are counted in the first of them.

        Raises:
            Interrupted: if ``watch`` said so.
            ModelError: if the server does not answer, or not as it should.
        """
        greedy = request.temperature <= 0.0
        samples = 1 if greedy else request.samples
        texts: list[str] = []
        costs: list[Answer] = []
        while len(texts) < samples:
            missing = min(samples - len(texts), self._server.samples_at_once)
            fields = _text_fields(request, missing, len(texts))
            fields |= {} if greedy else self._server.sampling
            written, cost = self._ask(request.prompt, fields, watch)
            texts += [_up_to(text, request.stop) for text, _ in written[:missing]]
            costs.append(cost)
        texts *= request.samples if greedy else 1
        first = replace(
            costs[0],
            text=texts[0],
            tokens_out=sum(one.tokens_out for one in costs),
            prefill_seconds=sum(one.prefill_seconds for one in costs),
            decode_seconds=sum(one.decode_seconds for one in costs),
        )
        return (first, *(Answer(text, model=first.model) for text in texts[1:]))

    def _ask(
        self, prompt: Prompt, fields: Values, watch: Watch, choices: Choices | None = None
    ) -> tuple[list[tuple[str, str]], Answer]:
        """Ask for texts; a request that is refused is made again in another way.

        Args:
            prompt: all that the model reads.
            fields: the rest of the request, ``max_tokens`` among them.
            watch: asked while it waits.
            choices: of a decision, to which the answer is constrained; None for free text.

        Returns:
            At least one text, each with the reason for its end; and their cost, without a text.
        """
        attempts, known = 0, self._replaced
        while True:
            attempts += 1
            before = (self._context, self._replaced)
            fitted, dropped = self._fit(prompt, fields['max_tokens'], watch)
            sent = self._server.extra(chat=self._chat) | fields
            if choices is not None:
                sent |= self._server.constrain(choices)
            try:
                reply = self._send(fitted, sent, watch, decides=choices is not None)
                break
            except Refused as refused:
                if attempts == ATTEMPTS:
                    self._replaced &= known  # without these it was refused as well
                    raise
                found = refused.status == NOT_FOUND and self._find_again(watch)
                if not found and not self._adapt(refused, fitted, sent, *before):
                    self._replaced &= known
                    if refused.status == NOT_FOUND:  # another server may have the model
                        raise Unavailable(str(refused)) from refused
                    raise
        written = _written_texts(reply.values)
        if not written or (choices is not None and not written[0][0]):
            shown = self._connection.excerpt(str(reply.values))
            raise ModelError(f'{self._api}: there is no answer in {shown!r}')
        return written, self._cost(reply, dropped)

    def _send(self, prompt: Prompt, fields: Values, watch: Watch, *, decides: bool) -> Reply:
        prompt = without_marks(prompt)
        sent: Values = {'model': self._server.name}
        for name, value in fields.items():
            name = _OPTIONAL[name][1] if name in self._replaced else name
            if name:
                sent[name] = value
        if not self._chat:
            sent['prompt'] = prompt.text()
            return self._connection.ask(f'{self._api}/completions', watch, sent)
        sent['messages'] = messages = to_messages(prompt)
        if decides and self._server.note:
            messages[0]['content'] += f'\n\n{self._server.note}'
        return self._connection.ask(f'{self._api}/chat/completions', watch, sent)

    def _cost(self, reply: Reply, dropped: int) -> Answer:
        """Return an answer without text that counts what a reply cost."""
        usage = _part(reply.values, 'usage')
        timings = _part(reply.values, 'timings')
        tokens_in = whole(usage, 'prompt_tokens')
        reused = whole(_part(usage, 'prompt_tokens_details'), 'cached_tokens')
        decode = _seconds(timings, 'predicted_ms')
        return Answer(
            text='',
            tokens_in=tokens_in,
            tokens_reused=min(tokens_in, reused or whole(timings, 'cache_n')),
            tokens_out=whole(usage, 'completion_tokens'),
            prefill_seconds=_seconds(timings, 'prompt_ms'),
            decode_seconds=decode if timings else reply.seconds,
            dropped=dropped,
            model=self._server.name,
        )

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
        return sum(self._known(text, watch) for text in parts) + around

    def _known(self, text: str, watch: Watch) -> int:
        count = self._counts.get(text)  # another request may clear them at any moment
        if count is None:
            count = self._counts[text] = self._count(text, watch)
        return count

    def _count(self, text: str, watch: Watch) -> int:
        counted = self._server.count(text, watch)
        return estimate(text) if counted is None else counted

    def _find_again(self, watch: Watch) -> bool:
        """Take the model that the server has now; return whether it is another one."""
        try:
            server = find_server(self._connection, self._options, watch)
        except ModelError as error:
            raise Unavailable(str(error)) from error
        if server.name == self._server.name:
            return False
        _log.warning('%s: %s instead of %s', self._api, server.name, self._server.name)
        self._learn(server, watch)
        return True

    def _learn(self, server: PlainServer, watch: Watch) -> None:
        server.learn(watch)
        self._chat = _choose_chat(self._options.chat_template, server)
        self._context = _choose_context(self._options.context_tokens, server)
        self._server = server
        self._replaced: frozenset[str] = frozenset()
        self._counts: dict[str, int] = {}

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


def estimate(text: str) -> int:
    """Return about how many tokens a text has, for a server that does not count; rather too many.

    A digit or a sign is a token of most tokenizers, a word of English one or two.

    >>> estimate('You see: milk (1).'), estimate('x=1.2345, y=-0.5321')
    (9, 17)
    """
    signs = sum(char.isascii() and not (char.isalpha() or char.isspace()) for char in text)
    return signs + -(-(len(text.encode()) - signs) // _BYTES_PER_TOKEN)


def _written_texts(values: Values) -> list[tuple[str, str]]:
    """Return the texts of a reply, and why each ends; a choice without text is left out."""
    choices = values.get('choices')
    found = []
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, dict):
            text = choice['text'] if 'text' in choice else _part(choice, 'message').get('content')
            if isinstance(text, str):
                found.append((text, str(choice.get('finish_reason'))))
    return found


def _up_to(text: str, stop: Collection[str]) -> str:
    """Return a text up to the first of the stops in it."""
    ends = [end for end in map(text.find, stop) if end >= 0]
    return text[: min(ends, default=None)]


def _text_fields(request: TextRequest, samples: int, done: int) -> Values:
    """Return the fields of a request for free text, except prompt and model.

    Args:
        request: what is asked.
        samples: how many texts.
        done: samples that are there already; the others must not be the same.
    """
    fields: Values = {
        'temperature': request.temperature,
        'max_tokens': request.max_tokens,
        'stop': list(request.stop[:MOST_STOPS]),
    }
    if request.temperature > 0.0:
        fields |= {'top_p': request.top_p, 'seed': request.seed + done}
    if samples > 1:
        fields['n'] = samples
    return fields


def _part(values: Values, key: str) -> Values:
    part = values.get(key)
    return part if isinstance(part, dict) else {}


def _seconds(values: Values, key: str) -> float:
    number: Any = values.get(key)
    return max(0.0, float(number)) / 1000.0 if isinstance(number, (int, float)) else 0.0


def _shorter(context: int, prompt: Prompt, reason: str) -> int:
    """Return a context that a prompt was too long for: what the server says, if it does."""
    limit = _LIMIT.search(reason)
    if limit and (not context or int(limit[1]) < context):
        return max(int(limit[1]), 2 * ANSWER_TOKENS)
    # Its number is not news: the prompt was counted too low.
    asked = estimate(prompt.text()) + ANSWER_TOKENS
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
        raise ModelError(f'model.context_tokens is {wish}, the server supports {available}')
    context = wish or available or server.assumed_context
    if context and context < 2 * ANSWER_TOKENS:
        raise ModelError(
            f'the context has {context} tokens, at least {2 * ANSWER_TOKENS} are required'
        )
    return context
