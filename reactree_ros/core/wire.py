# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Prompts, choices and requests as JSON values, for the model server's pipe and for recordings.

What reads them raises KeyError, TypeError or ValueError if a value is missing or of another type.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from reactree_ros.core.decision import Choices, ConditionLanguage, ControlFlow
from reactree_ros.core.model import TextRequest
from reactree_ros.core.prompt import Prompt, Step

Values = dict[str, Any]
_Made = TypeVar('_Made')


def typed(made: _Made) -> _Made:
    """Return a dataclass instance if its values are of the types that its fields declare.

    Raises:
        TypeError: if one is not.
    """
    kind: Any = type(made)
    for name, declared in _kinds(kind).items():
        value = getattr(made, name)
        if not _fits(value, declared):
            raise TypeError(f'{name} of {kind.__name__} is {value!r:.80}')
    return made


@cache
def _kinds(kind: type[Any]) -> Values:
    return get_type_hints(kind)


def _fits(value: Any, kind: Any) -> bool:
    if get_origin(kind) is tuple:
        return isinstance(value, tuple) and all(_fits(one, get_args(kind)[0]) for one in value)
    if get_origin(kind) is Callable:
        return callable(value)
    return isinstance(value, (int, float) if kind is float else kind)


def choices_to_json(choices: Choices) -> Values:
    """Return choices as JSON values; ``choices_from_json`` reads them."""
    values = {one.name: getattr(choices, one.name) for one in fields(choices)}
    values['control_flows'] = [flow.value for flow in choices.control_flows]
    if choices.conditions is not None:
        values['conditions'] = {'lark': choices.conditions.lark, 'gbnf': choices.conditions.gbnf}
    return values


def choices_from_json(values: Values) -> Choices:
    """Return the choices that ``choices_to_json`` wrote."""
    flows = tuple(ControlFlow(word) for word in values['control_flows'])
    lists = {key: tuple(values[key]) for key in ('skills', 'recall', 'endings')}
    made = {**values, **lists, 'control_flows': flows}
    if values['conditions'] is not None:
        made['conditions'] = typed(ConditionLanguage(**values['conditions']))
    return typed(Choices(**made))


def text_request_to_json(request: TextRequest) -> Values:
    """Return a request as JSON values; ``text_request_from_json`` reads them."""
    values = {field.name: getattr(request, field.name) for field in fields(request)}
    return {**values, 'prompt': prompt_to_json(request.prompt), 'stop': list(request.stop)}


def text_request_from_json(values: Values) -> TextRequest:
    """Return the request that ``text_request_to_json`` wrote; other values are left out."""
    known = {field.name: values[field.name] for field in fields(TextRequest)}
    known |= {'prompt': prompt_from_json(values['prompt']), 'stop': tuple(values['stop'])}
    return typed(TextRequest(**known))


def prompt_to_json(prompt: Prompt) -> Values:
    """Return a prompt as JSON values; ``prompt_from_json`` reads them."""
    return {
        'system': prompt.system,
        'examples': list(prompt.examples),
        'task': prompt.task,
        'steps': [[step.text, step.decided] for step in prompt.steps],
    }


def prompt_digest(prompt: Prompt) -> str:
    """Return the SHA-256 of a prompt, of its JSON form with sorted keys and without spaces."""
    text = json.dumps(
        prompt_to_json(prompt), ensure_ascii=False, sort_keys=True, separators=(',', ':')
    )
    return hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()


def prompt_from_json(values: Values) -> Prompt:
    """Return the prompt that ``prompt_to_json`` wrote."""
    steps = tuple(typed(Step(text, decided)) for text, decided in values['steps'])
    return typed(Prompt(values['system'], tuple(values['examples']), values['task'], steps))


def wanted_by(request: Values) -> str:
    """Return in a word what a request to the model server asks for."""
    return 'text' if request['op'] == 'write' else 'decision'
