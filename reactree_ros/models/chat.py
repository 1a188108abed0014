# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A prompt as a conversation, for models that were taught to follow one."""

from __future__ import annotations

from reactree_ros.core.prompt import Prompt


def to_messages(prompt: Prompt) -> list[dict[str, str]]:
    """Return the messages of a chat: the system prompt, and all the rest as the user's message.

    The node's own decisions are not laid out as the model's turns. Where they were, while those
    of the examples stood in the user's message, models followed the examples far less.

    Args:
        prompt: what the model reads.

    Returns:
        Two messages with ``role`` (system, user) and ``content``. The second one's next version
        continues where this one ends, so that its key/value cache is reused.
    """
    system = prompt.system.strip()
    rest = prompt.text()[len(system) :].strip()
    return [{'role': 'system', 'content': system}, {'role': 'user', 'content': rest}]
