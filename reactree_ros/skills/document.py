# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The form of a skill library: YAML that ``behaviors/skills.schema.json`` describes."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Hashable, Iterable
from functools import cache
from typing import Any

import yaml
from jsonschema import Draft202012Validator, ValidationError

from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share

SCHEMA = ('behaviors', 'skills.schema.json')

_MOST_VALUES = 100_000
_TAGS = frozenset(
    f'tag:yaml.org,2002:{kind}' for kind in ('str', 'int', 'float', 'bool', 'null', 'seq', 'map')
)

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

    Only true and false are not words, as in YAML 1.2: "state: off" is the state off. A date is a
    word, too.
    """

    def construct_mapping(self, node: yaml.Node, deep: bool = False) -> dict[Hashable, Any]:
        if not isinstance(node, yaml.MappingNode):
            raise yaml.constructor.ConstructorError(
                None, None, 'this is not a mapping, but has the tag of one', node.start_mark
            )
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
        if tag != 'tag:yaml.org,2002:timestamp'
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def load(text: str, source: str) -> Any:
    """Read a document from its text; ``source`` names it in messages.

    Raises:
        ConfigurationError: if it is not YAML, has a key twice, or grows too large by its anchors.
    """
    try:
        loader = _UniqueKeyLoader(text)
        node = loader.get_single_node()
        if node is None:
            return None
        if _size(node, {}) > _MOST_VALUES:
            raise ConfigurationError(
                f'{source} is too large: with its anchors written out, it has more than '
                f'{_MOST_VALUES:,} values'
            )
        return loader.construct_document(node)
    # values that are none of their tag, such as !!bool perhaps, lead to the last two
    except (yaml.YAMLError, RecursionError, ValueError, LookupError) as error:
        raise ConfigurationError(f'{source} is not YAML: {" ".join(str(error).split())}') from error


def _size(node: yaml.Node, sizes: dict[int, int]) -> int:
    """Return how many values a node has with all its anchors written out.

    Args:
        node: the node.
        sizes: of those that were counted before, by identity; 0 while one is being counted.

    Raises:
        yaml.YAMLError: if a node is inside of itself, or has a tag of another kind of document.
    """
    known = sizes.get(id(node))
    if known == 0:
        raise yaml.constructor.ConstructorError(
            None, None, 'an anchor is used inside of itself', node.start_mark
        )
    if known is not None:
        return known
    if node.tag not in _TAGS:
        raise yaml.constructor.ConstructorError(
            None, None, f'the tag {node.tag} is not for this document', node.start_mark
        )
    sizes[id(node)] = 0
    size = 1
    if isinstance(node, yaml.MappingNode):
        size += sum(_size(one, sizes) for pair in node.value for one in pair)
    elif isinstance(node, yaml.SequenceNode):
        size += sum(_size(one, sizes) for one in node.value)
    sizes[id(node)] = size
    return size


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
        return [f'{" or ".join(wanted)} is expected, not {given!r}']
    if error.validator == 'minProperties':
        return ['give at least one']
    if error.validator == 'pattern':
        if not given.strip() or re.search(r'\n', given):
            return [f'a text in one line is expected, not {given!r}']
        return [f'{given!r} is not {schema["title"]}']
    return [error.message]


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (bool, int, float))


def as_float(value: float) -> float:
    """Return a number as a float; infinity for a whole number that is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf
