# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Serves a GGUF file with llama.cpp's own server, as the tests' real OpenAI-compatible server.

It takes the path of the file and the key that clients must have, prints the server's address, and
ends when its standard input does.
"""

from __future__ import annotations

import os
import sys

import xllamacpp


def main() -> None:
    """Start the server and wait."""
    path, key = sys.argv[1:]
    parameters = xllamacpp.CommonParams()
    parameters.model.path = path
    parameters.api_keys = [key]
    parameters.n_ctx = 8192
    parameters.n_parallel = 2
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 2
    parameters.warmup = False
    # Replies go to standard output; so does llama.cpp's log, unless it is moved.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), 'w')
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    server = xllamacpp.Server(parameters)
    answers.write(f'{server.listening_address}\n')
    answers.flush()
    sys.stdin.read()
    os._exit(0)


if __name__ == '__main__':
    main()
