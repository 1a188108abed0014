# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Finds out what an OpenAI-compatible server is and which model it serves."""

from __future__ import annotations

from reactree_ros.errors import ModelError
from reactree_ros.models.backend import Watch
from reactree_ros.models.openai.http import Connection, Refused, Values
from reactree_ros.models.openai.servers import LlamaCpp, Ollama, PlainServer, Unconstrained, Vllm
from reactree_ros.models.options import ModelOptions

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
        listed = connection.get(f'{api}/models', watch)
        software, entries = listed.software, listed.values.get('data')
    except Refused as refused:
        if not options.served_name:
            raise ModelError(
                f'{refused}; if the address is right, set served_name to the name of a model'
            ) from refused
        software, entries = '', None
    entries = entries if isinstance(entries, list) else []
    models = [entry for entry in entries if isinstance(entry, dict) and entry.get('id')]
    name = options.served_name or (str(models[0]['id']) if models else '')
    if not name:
        raise ModelError(f'{api} lists no model: set served_name to the name of one')
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
            reply = connection.get(connection.address.root + path, watch)
        except ModelError:
            continue  # many servers show a page, ask for a login, or break at unknown paths
        if isinstance(reply.values.get('version'), str):
            return kind
    return 'openai'
