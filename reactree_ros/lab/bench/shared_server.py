# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Many planners that share one language model: how fast it decides, and how evenly."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from reactree_ros.core.decision import Choices
from reactree_ros.core.model import Answer, DecisionRequest, PlannerModel
from reactree_ros.errors import ModelError
from reactree_ros.lab.bench.workload import Workload
from reactree_ros.lab.evaluation.runner import Unwatched, loaded
from reactree_ros.models.backend import Interrupted, Watch
from reactree_ros.models.kind import check_options
from reactree_ros.models.options import ModelOptions

HEAD = (
    '| planners | decisions a second | p50 (s) | p99 (s) | decisions of a planner, least to most '
    '| least / most | goals | goals lost |\n| ---: |' + ' ---: |' * 7
)
RETRY_AFTER_S = 1
_POLL_S = 0.005
Decide = Callable[[DecisionRequest], Answer]


@dataclass
class Served:
    """What one planner got.

    Args:
        seconds: of each decision.
        in_time: how many of them ended while new ones were begun.
        goals: how many goals it got all decisions for.
        lost: why it lost a goal, for each.
    """

    seconds: list[float] = field(default_factory=list)
    in_time: int = 0
    goals: int = 0
    lost: list[str] = field(default_factory=list)


def row(served: Sequence[Served], seconds: float) -> str:
    """Return a row of the table."""
    every = sorted(one for planner in served for one in planner.seconds)
    counts = [planner.in_time for planner in served]
    values = (
        str(len(served)),
        f'{sum(counts) / seconds:.2f}',
        f'{_quantile(every, 0.5):.2f}',
        f'{_quantile(every, 0.99):.2f}',
        f'{min(counts)} to {max(counts)}',
        f'{min(counts) / max(*counts, 1):.2f}' if len(counts) > 1 else '',
        str(sum(planner.goals for planner in served)),
        str(sum(len(planner.lost) for planner in served)),
    )
    return f'| {" | ".join(values)} |'


def _quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else float('nan')


def serve(
    options: ModelOptions, workload: Workload, planners: int, seconds: float, limit_s: float
) -> list[Served]:
    """Let planners decide one after the other what a node of a goal needs, again and again.

    Args:
        options: the model. A server has a connection for each planner; any other model is in one
            process that all of them ask.
        workload: the node; its prompts differ by planner from the first observation on.
        planners: how many.
        seconds: for how long decisions are begun.
        limit_s: time limit of a decision.

    Raises:
        ModelError: if the model cannot be loaded.
        ConfigurationError: if an option has a value that is not allowed.
    """
    served = [Served() for _ in range(planners)]
    ready = threading.Barrier(planners + 1)
    with ExitStack() as stack:
        if options.name.startswith(('http://', 'https://')):
            deciders = [stack.enter_context(_connected(options)) for _ in served]
        else:
            check_options(options)
            model = stack.enter_context(loaded(options, Unwatched()))
            deciders = [partial(_ask, model)] * planners
        threads = [
            threading.Thread(
                target=_plan, args=(deciders[i], workload, i, ready, seconds, limit_s, served[i])
            )
            for i in range(planners)
        ]
        for thread in threads:
            thread.start()
        ready.wait()
        for thread in threads:
            thread.join()
    return served


def _plan(
    decide: Decide,
    workload: Workload,
    number: int,
    ready: threading.Barrier,
    seconds: float,
    limit_s: float,
    served: Served,
) -> None:
    task = f'{workload.start.task}You are robot {number}.\n'
    own = replace(workload, start=replace(workload.start, task=task))
    choices = Choices(workload.skills, think=False, control_flows=())
    ready.wait()
    end = time.monotonic() + seconds
    while True:
        for prompt in own.prompts():
            begin = time.monotonic()
            if begin >= end:
                return
            try:
                decide(DecisionRequest(prompt, choices, limit_s))
            except ModelError as error:
                served.lost.append(str(error))
                break
            now = time.monotonic()
            served.seconds.append(now - begin)
            served.in_time += now <= end
        else:
            served.goals += 1


@contextmanager
def _connected(options: ModelOptions) -> Iterator[Decide]:
    from reactree_ros.models.openai.model import OpenAIModel

    with closing(OpenAIModel(options)) as model:

        def decide(request: DecisionRequest) -> Answer:
            try:
                return model.decide(request.prompt, request.choices, Watch(request.time_limit_s))
            except Interrupted:
                raise ModelError(f'no decision within {request.time_limit_s:g} s') from None

        yield decide


def _ask(model: PlannerModel, request: DecisionRequest) -> Answer:
    asked = model.decide(request)
    while (answer := asked.poll()) is None:
        time.sleep(_POLL_S)
    return answer


class ScriptedServer(ThreadingHTTPServer):
    """An OpenAI-compatible server that decides "done" after a fixed time; a context manager.

    Args:
        slots: requests that it works on at the same time.
        service_sec: seconds of each.
        queue: most requests that wait; further ones are refused with 429 and ``Retry-After``.
    """

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, slots: int, service_sec: float, queue: int) -> None:
        super().__init__(('127.0.0.1', 0), _Handler)
        self.refused = 0
        """How often it was too busy."""
        self._service_sec = service_sec
        self._most = slots + queue
        self._slots = threading.Semaphore(slots)
        self._lock = threading.Lock()
        self._open = 0
        self._thread = threading.Thread(target=self.serve_forever, args=(0.05,))

    @property
    def address(self) -> str:
        """The value of ``model.name`` that asks it."""
        return f'http://127.0.0.1:{self.server_port}/v1'

    def __enter__(self) -> ScriptedServer:
        """Begin to answer."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop it."""
        self.shutdown()
        self._thread.join()
        self.server_close()

    def work(self) -> bool:
        """Do a request, or return False if there is no room for it."""
        with self._lock:
            if self._open >= self._most:
                self.refused += 1
                return False
            self._open += 1
        with self._slots:
            time.sleep(self._service_sec)
        with self._lock:
            self._open -= 1
        return True


class _Handler(BaseHTTPRequestHandler):
    server: ScriptedServer
    protocol_version = 'HTTP/1.1'

    def do_GET(self) -> None:
        if self.path == '/v1/models':
            self._send(200, {'data': [{'id': 'scripted'}]})
        else:
            self._send(404, {'error': 'no such page'})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers['content-length']))
        if not self.server.work():
            self._send(429, {'error': 'too many requests'}, {'Retry-After': str(RETRY_AFTER_S)})
            return
        message = {'role': 'assistant', 'content': '{"decision": {"Act": "done"}}'}
        self._send(200, {'choices': [{'message': message, 'finish_reason': 'stop'}]})

    def _send(self, status: int, values: Any, headers: dict[str, str] | None = None) -> None:
        body = json.dumps(values).encode()
        self.send_response(status)
        for name, value in {**(headers or {}), 'Content-Length': str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(ConnectionError):  # nobody waits for it any more
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass
