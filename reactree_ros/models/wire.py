# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Prompts, choices and requests as JSON values, for the model server's pipe and for recordings."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, fields
from typing import Any

from reactree_ros.core.decision import Choices, ControlFlow
from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.models.interface import TextRequest

Values = dict[str, Any]


def choices_to_json(choices: Choices) -> Values:
    """Return choices as JSON values; ``choices_from_json`` reads them."""
    values = asdict(choices)
    values['control_flows'] = [flow.value for flow in choices.control_flows]
    return values


def choices_from_json(values: Values) -> Choices:
    """Return the choices that ``choices_to_json`` wrote."""
    flows = tuple(ControlFlow(word) for word in values['control_flows'])
    lists = {key: tuple(values[key]) for key in ('skills', 'recall')}
    return Choices(**{**values, **lists, 'control_flows': flows})


def text_request_to_json(request: TextRequest) -> Values:
    """Return a request as JSON values; ``text_request_from_json`` reads them."""
    values = {field.name: getattr(request, field.name) for field in fields(request)}
    return {**values, 'prompt': prompt_to_json(request.prompt), 'stop': list(request.stop)}


def text_request_from_json(values: Values) -> TextRequest:
    """Return the request that ``text_request_to_json`` wrote; other values are left out."""
    known = {field.name: values[field.name] for field in fields(TextRequest)}
    known |= {'prompt': prompt_from_json(values['prompt']), 'stop': tuple(values['stop'])}
    return TextRequest(**known)


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
    steps = tuple(Step(text, decided) for text, decided in values['steps'])
    return Prompt(values['system'], tuple(values['examples']), values['task'], steps)


def wanted_by(request: Values) -> str:
    """Return in a word what a request to the model server asks for."""
    return 'text' if request['op'] == 'write' else 'decision'
