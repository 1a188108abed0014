# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One decision as JSON, for servers that take a JSON schema but no grammar.

The answer is as close to the decision line as JSON allows: ``Act: go to kitchen 1`` becomes
``{"decision": {"Act": "go to kitchen 1"}}``. A model that reads decision lines chooses the kind
first, as it does there, and no two alternatives begin with the same key, which OpenAI refuses.
An ending with a sentence is a kind of its own: ``{"decision": {"failure": "there is no apple"}}``.
"""

from __future__ import annotations

import json
from typing import Any

from reactree_ros.core.decision import ACT_LINE, DONE, EXPLAINED, FAILURE, Choices
from reactree_ros.core.plain_text import quoted
from reactree_ros.errors import DecisionError

_SHAPE = 'answer with one JSON object such as {"decision": {"Act": "done"}}'


def decision_schema(choices: Choices, *, limits: bool) -> dict[str, Any]:
    """Return a JSON schema of the answers that ``choices`` allows.

    It keeps to what OpenAI's strict mode takes: the root is an object, every property is
    required, no other is allowed. That service takes 1,000 enumeration values in all, together
    no longer than 15,000 characters.

    Args:
        choices: what is allowed at this moment.
        limits: state the longest texts and the most subgoals, too; strict mode does not know
            the length of a text. Without it, only ``parse_decision`` enforces them.

    Returns:
        A schema of JSON values; ``decision_line`` reads what it describes.
    """

    def text(longest: int) -> dict[str, Any]:
        least = {'minLength': 1} if limits else {}
        return {'type': 'string', **least, **({'maxLength': longest} if limits and longest else {})}

    subgoals: dict[str, Any] = {'type': 'array', 'items': text(choices.max_subgoal_chars)}
    if limits:
        most = choices.max_subgoals
        subgoals |= {'minItems': 1, **({'maxItems': most} if most else {})}
    flows = [flow.value for flow in choices.control_flows]
    contents = {
        'Think': text(choices.max_thought_chars),
        'Act': {'type': 'string', 'enum': list(choices.acts)},
        'Expand': _object(control_flow={'type': 'string', 'enum': flows}, subgoals=subgoals),
        'Ask': text(choices.max_question_chars),
        'Conditions': text(0),
        **dict.fromkeys(choices.explained, text(choices.max_thought_chars)),
    }
    named = [kind for kind in choices.kinds if kind != 'Act' or choices.acts]
    endings = choices.explained if choices.conditions is None else ()
    kinds = [_object(**{kind: contents[kind]}) for kind in (*named, *endings)]
    return _object(decision={'anyOf': kinds} if len(kinds) > 1 else kinds[0])


def decision_line(answer: str) -> str:
    """Return the decision line that a JSON answer stands for; ``parse_decision`` checks it.

    Line breaks and runs of space in free text become one space: JSON allows them, a line not.

    Raises:
        DecisionError: with a sentence that a model can repair its answer from.
    """
    try:
        values = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise DecisionError(f'the answer is not JSON ({error}): {_SHAPE}') from error
    decision = values.get('decision') if isinstance(values, dict) else None
    if not isinstance(decision, dict) or len(decision) != 1:
        raise DecisionError(_SHAPE)
    ((kind, content),) = decision.items()
    if kind != 'Expand':
        if not isinstance(content, str):
            raise DecisionError(f'{quoted(kind)} must be a string: {_SHAPE}')
        if not content.strip():
            raise DecisionError(f'{quoted(kind)} must not be empty')
        if kind in (DONE, FAILURE):
            return f'{ACT_LINE}{kind}{EXPLAINED}{_one_line(content)}'
        return f'{kind}: {content if kind == "Act" else _one_line(content)}'
    flow = content.get('control_flow') if isinstance(content, dict) else None
    subgoals = content.get('subgoals') if isinstance(content, dict) else None
    if not isinstance(flow, str) or not isinstance(subgoals, list):
        raise DecisionError('"Expand" must have a "control_flow" and a list of "subgoals"')
    if not all(isinstance(subgoal, str) for subgoal in subgoals):
        raise DecisionError('"subgoals" must be a list of strings')
    listed = json.dumps([_one_line(subgoal) for subgoal in subgoals], ensure_ascii=False)
    return f'Expand: {_one_line(flow)} {listed}'


def _object(**properties: Any) -> dict[str, Any]:
    return {
        'type': 'object',
        'properties': properties,
        'required': list(properties),
        'additionalProperties': False,
    }


def _one_line(text: str) -> str:
    return ' '.join(text.split())
