# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A prompt as the turns of a conversation, for models that were taught to follow one."""

from __future__ import annotations

from reactree_ros.core.prompt import EXAMPLES, Prompt

GO_ON = 'Go on.'
"""What is said after a decision that brings no observation, since turns must alternate."""


def to_messages(prompt: Prompt) -> list[dict[str, str]]:
    """Return the messages of a chat: the model's decisions are its own turns.

    The last message is never the model's, so what it writes next is its decision. Every message
    but the last is one of the node's next prompt, too, so that their key/value cache is reused.

    Args:
        prompt: what the model reads.

    Returns:
        Messages with ``role`` (system, user, assistant) and ``content``, user and assistant in
        turn.
    """
    first = prompt.task.strip()
    if prompt.examples:
        examples = '\n\n'.join(text.strip() for text in prompt.examples)
        first = f'{EXAMPLES}\n\n{examples}\n\n{first}'
    messages = [
        {'role': 'system', 'content': prompt.system.strip()},
        {'role': 'user', 'content': first},
    ]
    for step in prompt.steps:
        last = messages[-1]
        if step.decided:
            if last['role'] == 'assistant':
                messages.append({'role': 'user', 'content': GO_ON})
            messages.append({'role': 'assistant', 'content': step.text})
        elif last['role'] == 'user':
            last['content'] += f'\n{step.text}'
        else:
            messages.append({'role': 'user', 'content': step.text})
    if messages[-1]['role'] == 'assistant':
        messages.append({'role': 'user', 'content': GO_ON})
    return messages
