# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The model process: apart from the planner, so that generation never holds up the planner's tick.

It reads requests from standard input and writes answers to standard output, one JSON object a
line. It ends when its input ends, so it never outlives the planner. Waiting decisions and texts
take turns fairly; embeddings and token counts, which a node needs before it can ask for a decision,
do not wait behind them.

==========  ==========================================  =====================================
request     fields                                      result
==========  ==========================================  =====================================
``decide``  ``prompt``, ``choices``, ``time_limit_s``   fields of ``Answer``
``write``   fields of ``TextRequest``                   ``answers``, fields of each ``Answer``
``embed``   ``texts``                                   ``vectors``, a list for each text
``count``   ``texts``                                   ``counts``, a number for each text
``cancel``  ``id`` of the request                       none
``forget``  none                                        none
==========  ==========================================  =====================================

Every request but the last two has an ``id`` of its own, and ``waited_s``: seconds since the planner
made it. It is answered exactly once, with ``result`` or ``error``, also after a cancel. After
``forget``, the caches of prompts are dropped before anything else is decided or written.

================  ============================================================================
event             meaning
================  ============================================================================
``alive``         every half second, also in the middle of a decision
``progress``      ``text`` says what is loading; after ``ready``, what hinders the model, empty
                  if nothing does
``ready``         everything is loaded
``failed``        ``text`` says why it will not be, ``kind`` is that of the error; the process
                  ends
``started``       the request ``id`` is being worked on
================  ============================================================================
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from typing import Any, NoReturn, TextIO

from reactree_ros.core.decision import Choices
from reactree_ros.core.prompt import Prompt
from reactree_ros.core.wire import (
    choices_from_json,
    prompt_from_json,
    text_request_from_json,
    wanted_by,
)
from reactree_ros.errors import ModelError, ReactreeError
from reactree_ros.models.backend import Backend, Interrupted, Watch
from reactree_ros.models.fair_queue import FairQueue
from reactree_ros.models.kind import check_options, kind_of
from reactree_ros.models.local.conversion import Progress, remove_unfinished
from reactree_ros.models.local.encoder import load_encoder
from reactree_ros.models.options import ModelOptions

Message = dict[str, Any]

HEARTBEAT_S = 0.5
BATCH = 256
"""Texts that are embedded between two looks at whether they are still wanted."""
_WARM_UP = Prompt('You steer a robot.', (), 'Goal: find the apple\nYou are in the kitchen.\n')
_ONLY_A_THOUGHT = Choices(control_flows=(), endings=(), max_thought_chars=12)


class _Request:
    """A request that has come in and is not answered yet."""

    def __init__(self, values: Message) -> None:
        self.number: int = values['id']
        self.values = values
        self.canceled = False
        self.made = time.monotonic() - values['waited_s']
        self.limit: float = values.get('time_limit_s', float('inf'))
        self.watch = Watch(self.limit - values['waited_s'], lambda: self.canceled)


class ModelServer:
    """Answers requests with one back end and one sentence encoder.

    Args:
        out: where answers go.
    """

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._writing = threading.Lock()
        self._changed = threading.Condition()
        self._waiting: FairQueue[_Request] = FairQueue()
        self._open: dict[int, _Request] = {}
        self._forget = False
        self._texts: dict[str, queue.SimpleQueue[_Request]] = {
            'embed': queue.SimpleQueue(),
            'count': queue.SimpleQueue(),
        }

    def read_requests(self, source: TextIO) -> NoReturn:
        """Take in requests until the input ends, then end the process at once."""
        try:
            for line in source:
                self._accept(json.loads(line))
        finally:
            self._exit(0)

    def send_heartbeats(self) -> NoReturn:
        """Show for ever that the process is alive, and refuse requests whose time is over."""
        while True:
            self._send({'event': 'alive'})
            time.sleep(HEARTBEAT_S)
            with self._changed:
                over = self._waiting.remove(lambda request: request.watch.seconds_left <= 0.0)
            for request in over:
                self._refuse(request, ' (other requests came first)')

    def serve(self, options: ModelOptions) -> NoReturn:
        """Load the model, then answer requests for ever.

        Raises:
            ReactreeError: if the model or the encoder cannot be loaded.
        """
        check_options(options)
        backend = make_backend(options, self._progress)
        kind = kind_of(options.name)
        encoder = load_encoder(options.encoder) if kind.encoder else None
        if kind.warm_up:
            self._progress(f'{options.name}: warming up')
            backend.decide(_WARM_UP, _ONLY_A_THOUGHT, Watch(float('inf')))
            backend.forget()
        others = [partial(self._serve_texts, 'embed', partial(_embed, encoder))]
        others += [partial(self._serve_texts, 'count', partial(_count, backend))]
        others += [partial(self._serve_decisions, backend)] * (backend.workers - 1)
        for other in others:
            threading.Thread(target=other, daemon=True).start()
        self._send({'event': 'ready'})
        # What was said before that is forgotten.
        self._progress(getattr(backend, 'notice', ''))
        self._serve_decisions(backend)

    def fail(self, why: str, kind: str = ModelError.kind) -> NoReturn:
        """Tell why the model cannot be loaded, and end the process."""
        self._send({'event': 'failed', 'text': why, 'kind': kind})
        self._exit(1)

    def _accept(self, values: Message) -> None:
        with self._changed:
            if values['op'] == 'cancel':
                if canceled := self._open.get(values['id']):
                    canceled.canceled = True
                return
            if values['op'] == 'forget':
                self._forget = True
                return
            request = _Request(values)
            self._open[request.number] = request
            if values['op'] in ('decide', 'write'):
                self._waiting.add(request)
                self._changed.notify()
            else:
                self._texts[values['op']].put(request)

    def _serve_decisions(self, backend: Backend) -> NoReturn:
        while True:
            with self._changed:
                while not len(self._waiting):
                    self._changed.wait()
                request = self._waiting.take(lambda one: _work(backend, one))
                forget, self._forget = self._forget, False
            if forget:
                backend.forget()
            work = _decide if request.values['op'] == 'decide' else _write
            self._answer(request, partial(work, backend))

    def _serve_texts(self, op: str, work: Callable[[_Request], Message]) -> NoReturn:
        while True:
            self._answer(self._texts[op].get(), work)

    def _answer(self, request: _Request, work: Callable[[_Request], Message]) -> None:
        try:
            request.watch.check()
            self._send({'event': 'started', 'id': request.number})
            result = work(request)
        except Interrupted:
            self._refuse(request)
        except ModelError as error:
            self._finish(request, {'error': str(error), 'kind': error.kind})
        except Exception as error:  # the other requests can still be answered
            traceback.print_exc()
            self._finish(request, {'error': f'the model failed: {type(error).__name__}: {error}'})
        else:
            self._finish(request, {'result': result})

    def _refuse(self, request: _Request, why: str = '') -> None:
        over = f'no {wanted_by(request.values)} within {request.limit:g} s{why}'
        error = 'canceled' if request.canceled else over
        self._finish(request, {'error': error, 'kind': 'timeout'})

    def _finish(self, request: _Request, outcome: Message) -> None:
        with self._changed:
            del self._open[request.number]
        self._send({'id': request.number, **outcome})

    def _progress(self, text: str) -> None:
        self._send({'event': 'progress', 'text': text})

    def _send(self, message: Message) -> None:
        line = json.dumps(message) + '\n'
        try:
            with self._writing:
                self._out.write(line)
                self._out.flush()
        except OSError:  # the planner has gone
            self._exit(0)

    def _exit(self, code: int) -> NoReturn:
        remove_unfinished()
        os._exit(code)  # whatever the other threads are in the middle of


def make_backend(options: ModelOptions, progress: Progress) -> Backend:
    """Make the back end; takes from seconds to, with a large GGUF file, minutes.

    Args:
        options: which model, and how it is run.
        progress: called with a line of progress before each long step.

    Raises:
        ModelError: if the model cannot be loaded, or its server cannot be used.
    """
    make = kind_of(options.name).backend
    assert make is not None, 'models of other kinds run in the planner'
    return make(options, progress)


def _decide(backend: Backend, request: _Request) -> Message:
    queued = time.monotonic() - request.made
    prompt = prompt_from_json(request.values['prompt'])
    choices = choices_from_json(request.values['choices'])
    answer = backend.decide(prompt, choices, request.watch)
    return asdict(replace(answer, queued_seconds=queued))


def _write(backend: Backend, request: _Request) -> Message:
    queued = time.monotonic() - request.made
    answers = backend.write(text_request_from_json(request.values), request.watch)
    first = replace(answers[0], queued_seconds=queued)
    return {'answers': [asdict(answer) for answer in (first, *answers[1:])]}


def _work(backend: Backend, request: _Request) -> int:
    """Return about how much work a request is, in tokens to be read or written."""
    try:
        new = backend.new_tokens(prompt_from_json(request.values['prompt']))
    except Exception:  # reported when the decision is made
        return 0
    return new + int(request.values.get('max_tokens', 0))


def _embed(encoder: Any, request: _Request) -> Message:
    if encoder is None:
        raise ModelError('this kind of model has no sentence encoder')
    texts, vectors = request.values['texts'], list[Any]()
    for begin in range(0, len(texts), BATCH):
        request.watch.check()
        some = encoder.encode(
            texts[begin : begin + BATCH], normalize_embeddings=True, show_progress_bar=False
        )
        vectors += some.tolist()
    return {'vectors': vectors}


def _count(backend: Backend, request: _Request) -> Message:
    counts = []
    for text in request.values['texts']:
        request.watch.check()
        counts.append(backend.count(text))
    return {'counts': counts}


def lower_priority(niceness: int) -> None:
    """Let other processes go first, with all threads there are (numpy has some) and will be.

    A thread that computes in batches never takes the core from one that wakes up, such as a tick;
    niceness then says how a core is shared with what computes all the time as well.

    Args:
        niceness: added to that of this process.
    """
    niceness += os.getpriority(os.PRIO_PROCESS, 0)
    for thread in map(int, os.listdir('/proc/self/task')):
        os.sched_setscheduler(thread, os.SCHED_BATCH, os.sched_param(0))
        os.setpriority(os.PRIO_PROCESS, thread, niceness)


def main() -> None:
    """Run the server on the standard streams."""
    parser = argparse.ArgumentParser(description='The model process; the planner starts it.')
    parser.add_argument('--options', required=True, help='ModelOptions as a JSON object')
    options = ModelOptions(**json.loads(parser.parse_args().options))
    lower_priority(options.niceness)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the planner decides when the server ends
    # Libraries print to standard output; only answers may go there.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), 'w', encoding='utf-8')
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    server = ModelServer(answers)
    threading.Thread(target=server.read_requests, args=(sys.stdin,), daemon=True).start()
    threading.Thread(target=server.send_heartbeats, daemon=True).start()
    try:
        server.serve(options)
    except ReactreeError as error:
        server.fail(str(error), getattr(error, 'kind', ModelError.kind))
    except Exception as error:
        # Loading again would fail again, so the planner must not try.
        traceback.print_exc()
        server.fail(f'{options.name}: cannot be loaded: {type(error).__name__}: {error}')


if __name__ == '__main__':
    main()
