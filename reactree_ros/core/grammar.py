# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The grammar of one decision, in llguidance's variant of the Lark language."""

from __future__ import annotations

import json

from reactree_ros.core.decision import DONE, FAILURE, RECALL, Choices


def decision_grammar(choices: Choices) -> str:
    """Return a grammar that accepts exactly the decision lines that ``choices`` allows.

    Each line ends with a line break, so that a model which stops at the grammar's end has
    written one decision and nothing else. ``parse_decision`` reads every string of the language.

    Args:
        choices: what is allowed at this moment.

    Returns:
        Lark source with the start rule ``start``.
    """
    kinds: list[str] = []
    rules: list[str] = []
    if choices.think:
        kinds.append('think')
        rules.append('think: "Think: " THOUGHT')
        length = choices.max_thought_chars - 1
        rules.append(rf'THOUGHT: /[^\s\x00-\x1f][^\n\r\x00-\x1f]{{0,{length}}}/')
    phrases = list(choices.skills)
    phrases += [] if choices.not_done else [DONE]
    phrases += [] if choices.no_failure else [FAILURE]
    phrases += [RECALL + class_name for class_name in choices.recall]
    acts = [json.dumps(phrase, ensure_ascii=False) for phrase in phrases]
    if acts:
        kinds.append('act')
        rules.append('act: "Act: " skill')
        rules.append('skill: ' + '\n    | '.join(acts))
    if choices.control_flows:
        kinds.append('expand')
        flows = ' | '.join(f'"{flow.value}"' for flow in choices.control_flows)
        more = ' more' if choices.max_subgoals > 1 else ''
        rules.append(f'expand: "Expand: " flow " [" SUBGOAL{more} "]"')
        rules.append(f'flow: {flows}')
        if more:
            rules.append(f'more: (", " SUBGOAL){{0,{choices.max_subgoals - 1}}}')
        # The first character is no space and an escape counts for one, so that what the model
        # wrote is as long as what the parser reads.
        plain = r'[^\s"\\\x00-\x1f]'
        inner = r'([^"\\\x00-\x1f]|\\["\\])'
        rules.append(rf'SUBGOAL: /"({plain}|\\["\\]){inner}{{0,{choices.max_subgoal_chars - 1}}}"/')
    rules.insert(0, f'start: ({" | ".join(kinds)}) "\\n"')
    return '\n'.join(rules) + '\n'
