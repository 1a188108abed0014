# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree models``: the language models that come as pip packages."""

from __future__ import annotations

import argparse
from pathlib import Path

from reactree_ros.errors import ModelError
from reactree_ros.models.local.adapter import is_adapter
from reactree_ros.models.local.embedded import (
    DEFAULT_MODEL,
    GENERALIST,
    MODELS,
    TrainedModel,
    prepare,
)
from reactree_ros.models.local.source import is_gguf, local_folder


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'models',
        help='list or prepare language models',
        description='The language models that come as pip packages, those trained by this project '
        'or by you, and GGUF files.',
        epilog='Exit code: 0 done, 2 there is no such model, or it cannot be prepared.',
    )
    actions = parser.add_subparsers(title='actions', metavar='ACTION', required=True)
    listing = actions.add_parser('list', help='list the models')
    listing.set_defaults(run=_list)
    preparing = actions.add_parser(
        'prepare',
        help='join, check and convert a model, once',
        description='Joins the parts of an installed model package, checks them, and converts '
        "them into the user's cache folder; converts a GGUF file in the same way, and merges a "
        'trained adapter with its base model there. Does nothing if that has been done.',
    )
    preparing.add_argument(
        'name',
        nargs='?',
        default=DEFAULT_MODEL,
        help='a packaged model, or the path of a GGUF file or of the folder of an adapter '
        f'(default: {DEFAULT_MODEL})',
    )
    preparing.set_defaults(run=_prepare)


def _list(_: argparse.Namespace) -> int:
    for name, model in MODELS.items():
        state = f'ready in {model.folder}' if model.ready else 'not prepared'
        notes = [model.licence]
        notes += [f'trained from {model.adapter.origin}'] if isinstance(model, TrainedModel) else []
        notes += ['the default in the household'] if name == DEFAULT_MODEL else []
        notes += ['the default on other robots'] if name == GENERALIST else []
        print(f'{name}: {state} ({", ".join(notes)})')
    return 0


def _prepare(options: argparse.Namespace) -> int:
    if options.name in MODELS:
        folder: Path | str = prepare(MODELS[options.name], _say)
    elif is_gguf(options.name) or is_adapter(options.name):
        folder = local_folder(options.name, _say)
    else:
        raise ModelError(
            f'there is no model {options.name!r}, only {", ".join(MODELS)}, a GGUF file (*.gguf), '
            'or the folder of an adapter (with an adapter_config.json)'
        )
    print(folder)
    return 0


def _say(line: str) -> None:
    print(line, flush=True)
