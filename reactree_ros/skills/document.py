# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The form of a skill library: YAML that ``behaviors/skills.schema.json`` describes."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable
from functools import cache
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError

from reactree_ros.exceptions import ConfigurationError
from reactree_ros.paths import share

SCHEMA = ('behaviors', 'skills.schema.json')

_EXPECTED = {
    'string': 'a text',
    'object': 'a mapping',
    'array': 'a list',
    'number': 'a number',
    'integer': 'a whole number',
    'boolean': 'true or false',
    'null': 'nothing',
}


class _UniqueKeyLoader(yaml.SafeLoader):
    """Refuses a key that is given twice, which YAML libraries usually let pass.

    Only true and false are no words, as in YAML 1.2: "state: off" is the state off.
    """

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if not isinstance(key, str):
                raise yaml.constructor.ConstructorError(
                    None, None, 'a key must be a word (quotes make it one)', key_node.start_mark
                )
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f'the key {key!r} is given twice', key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


_UniqueKeyLoader.yaml_implicit_resolvers = {
    first: [
        (tag, re.compile('^(?:true|false)$') if tag == 'tag:yaml.org,2002:bool' else pattern)
        for tag, pattern in resolvers
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load(text: str, source: str) -> Any:
    """Read a document from its text; ``source`` names it in messages.

    Raises:
        ConfigurationError: if it is not YAML, or has a key twice.
    """
    try:
        return yaml.load(text, Loader=_UniqueKeyLoader)  # noqa: S506 - a SafeLoader
    except (yaml.YAMLError, RecursionError) as error:
        raise ConfigurationError(f'{source} is not YAML: {" ".join(str(error).split())}') from error


def faults_of(document: Any) -> list[str]:
    """Return what is wrong with the form of a document, each fault with its place."""
    errors = list(_validator().iter_errors(document))
    errors.sort(key=lambda error: [str(part) for part in error.absolute_path])
    return [f'{place(error.absolute_path)}: {fault}' for error in errors for fault in _said(error)]


def place(path: Iterable[str | int]) -> str:
    """Write where in a document something is.

    >>> place(['skills', 'go_to', 'arguments', 'place', 0])
    'skills.go_to.arguments.place[0]'
    """
    parts = ''.join(f'[{one}]' if isinstance(one, int) else f'.{one}' for one in path)
    return parts.lstrip('.') or 'top level'


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(share(*SCHEMA).read_text(encoding='utf-8')))


def _said(error: ValidationError) -> list[str]:
    """Return a schema's error in the words of the other faults."""
    given: Any = error.instance
    wanted: Any = error.validator_value
    schema: Any = error.schema
    if error.validator == 'additionalProperties':
        known = schema['properties']
        names = ', '.join(sorted(known))
        return [f'unknown key {key!r} (known: {names})' for key in given if key not in known]
    if error.validator == 'required':
        return [f'{key} is missing' for key in wanted if key not in given]
    if error.validator == 'type':
        types = [wanted] if isinstance(wanted, str) else wanted
        expected = ' or '.join(_EXPECTED[one] for one in types)
        hint = ' (quotes make it one)' if types == ['string'] and _is_scalar(given) else ''
        return [f'{expected} is expected, not {given!r}{hint}']
    if error.validator == 'enum':
        return [f'{given!r} is neither {" nor ".join(wanted)}']
    if error.validator == 'minProperties':
        return ['give at least one']
    if error.validator == 'pattern':
        if not given.strip() or re.search(r'\n', given):
            return [f'a text in one line is expected, not {given!r}']
        return [f'{given!r} does not look like what is expected there ({wanted})']
    return [error.message]


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (bool, int, float))
