# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A decision of an agent node: think, act, recall, expand, done or failure, as in the paper (4.1).

Beyond the paper are: a question to the operator, the goal put into conditions, an answer after
"done" and a reason after "failure".
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from reactree_ros.core.plain_text import is_plain, quoted
from reactree_ros.errors import DecisionError

DONE = 'done'
FAILURE = 'failure'
ENDINGS = (DONE, FAILURE)
"""The words that end an agent node."""
RECALL = 'recall location of '
THINK_LINE = 'Think: '
"""What the line of a thought begins with."""
ACT_LINE = 'Act: '
"""What the line of a skill begins with, and of an ending."""
CONDITIONS_LINE = 'Conditions: '
"""What the line of a goal's conditions begins with."""
NO_CONDITIONS = 'none'
"""What stands there for a goal that no conditions fit."""
DECISION_LINES = (CONDITIONS_LINE, THINK_LINE, ACT_LINE, 'Expand: ', 'Ask: ')
"""What the lines of decisions begin with."""
EXPLAINED = ': '
"""Stands between an ending and its sentence."""
_OWN_WORDS = (RECALL, DONE + EXPLAINED, FAILURE + EXPLAINED)


def is_own_word(phrase: str) -> bool:
    """Return whether a phrase after ``Act:`` is the planner's own, which no skill may have."""
    return phrase in ENDINGS or phrase.startswith(_OWN_WORDS)


def is_prose(text: str) -> bool:
    """Return whether there is free text, and no decision line, which small models copy instead."""
    return bool(text) and not text.startswith(DECISION_LINES)


def ending_of(line: str) -> str:
    """Return ``done`` or ``failure`` for a decision line that ends its node, else nothing."""
    word = line.removeprefix(ACT_LINE).partition(EXPLAINED)[0]
    return word if line.startswith(ACT_LINE) and word in ENDINGS else ''


class ControlFlow(Enum):
    """How the subgoals of an expansion are coordinated (paper, section 4.1)."""

    SEQUENCE = 'sequence'
    FALLBACK = 'fallback'
    PARALLEL = 'parallel'


@dataclass(frozen=True)
class Think:
    """A thought: it joins the trajectory and brings no observation."""

    text: str


@dataclass(frozen=True)
class Act:
    """One skill of the executable set, named by its phrase, e.g. ``go to kitchen 1``."""

    phrase: str


@dataclass(frozen=True)
class Recall:
    """A question to working memory: where was this class of object last seen?"""

    class_name: str


@dataclass(frozen=True)
class Expand:
    """New subgoals under one control flow."""

    control_flow: ControlFlow
    subgoals: tuple[str, ...]


@dataclass(frozen=True)
class Ask:
    """A question to the operator."""

    question: str


@dataclass(frozen=True)
class Conditions:
    """What must hold for the goal to be reached, in the predicates of the skill library."""

    line: str


@dataclass(frozen=True)
class Done:
    """The agent node holds its goal for reached; a question ends with its answer."""

    answer: str = ''


@dataclass(frozen=True)
class Failure:
    """The agent node gives its goal up."""

    why: str = ''


Decision = Think | Act | Recall | Expand | Ask | Conditions | Done | Failure


@dataclass(frozen=True)
class ConditionLanguage:
    """What may follow ``Conditions:``, for the skill library and what the robot knows.

    Args:
        lark: rules of llguidance's Lark variant, among them the terminal ``CONDITION_LINE``.
        gbnf: rules of GBNF, among them ``condition-line``, for the same lines.
        parse: returns a line in its canonical form; raises DecisionError, with a sentence that
            a model can repair its line from. It is not sent to a model's process, which only
            writes what the grammar allows.
    """

    lark: str
    gbnf: str
    parse: Callable[[str], str] = field(default=str.strip, compare=False)


@dataclass(frozen=True)
class Choices:
    """What a decision may be at this moment; a decision outside of it is not valid.

    Args:
        skills: phrases of the executable set, e.g. ``('go to kitchen 1', 'open fridge 1')``.
        think: a thought is allowed.
        recall: classes of object that working memory may be asked for.
        control_flows: control flows of an expansion; empty if none is allowed.
        endings: which of ``ENDINGS`` are allowed.
        ask: a question to the operator is allowed.
        conditions: the decision puts the goal into conditions, and can be nothing else.
        explain: "failure" says why, and "done" may carry an answer.
        max_thought_chars: longest thought, reason and answer, in characters; 0: no limit.
        max_subgoals: most subgoals of one expansion; 0: no limit.
        max_subgoal_chars: longest subgoal, in characters; 0: no limit.
        max_question_chars: longest question, in characters; 0: no limit.

    Raises:
        DecisionError: if nothing is allowed, or two phrases are ambiguous.
    """

    skills: tuple[str, ...] = ()
    think: bool = True
    recall: tuple[str, ...] = ()
    control_flows: tuple[ControlFlow, ...] = tuple(ControlFlow)
    endings: tuple[str, ...] = ENDINGS
    ask: bool = False
    conditions: ConditionLanguage | None = None
    explain: bool = False
    max_thought_chars: int = 265
    max_subgoals: int = 16
    max_subgoal_chars: int = 120
    max_question_chars: int = 160

    def __post_init__(self) -> None:
        """Refuse a set that allows nothing, or ambiguous phrases."""
        if not self.kinds:
            raise DecisionError('no decision is allowed: the choices are empty')
        if len({*self.skills}) < len(self.skills) or len({*self.recall}) < len(self.recall):
            raise DecisionError('a skill or a class to recall is given twice')
        for phrase in (*self.skills, *self.recall):
            if not phrase or phrase != phrase.strip() or not is_plain(phrase):
                raise DecisionError(
                    f'skill or class to recall {quoted(phrase)} is empty, has space around it, or '
                    'has a line break or control character'
                )
        for phrase in filter(is_own_word, self.skills):
            raise DecisionError(f'skill {quoted(phrase)} is reserved by the planner')
        for name in ('thought_chars', 'subgoals', 'subgoal_chars', 'question_chars'):
            if getattr(self, f'max_{name}') < 0:
                raise DecisionError(f'max_{name} is {getattr(self, f"max_{name}")}; give 0 or more')

    @property
    def acts(self) -> tuple[str, ...]:
        """What may follow ``Act:`` as it stands, skills first, then the planner's own words.

        Endings with a sentence are not among them, see ``explained``.
        """
        return (
            *self.skills,
            *(one for one in self.endings if one == DONE or not self.explain),
            *(RECALL + class_name for class_name in self.recall),
        )

    @property
    def explained(self) -> tuple[str, ...]:
        """Endings that carry a sentence."""
        return self.endings if self.explain else ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The words that a decision line may begin with."""
        if self.conditions is not None:
            return ('Conditions',)
        allowed = {
            'Think': self.think,
            'Act': self.skills or self.recall or self.endings,
            'Expand': self.control_flows,
            'Ask': self.ask,
        }
        return tuple(kind for kind, is_allowed in allowed.items() if is_allowed)


def to_text(decision: Decision) -> str:
    """Return the line that stands for a decision in prompts, trajectories and answers."""
    if isinstance(decision, Think):
        return f'{THINK_LINE}{decision.text}'
    if isinstance(decision, Act):
        return f'{ACT_LINE}{decision.phrase}'
    if isinstance(decision, Recall):
        return f'{ACT_LINE}{RECALL}{decision.class_name}'
    if isinstance(decision, Expand):
        subgoals = json.dumps(list(decision.subgoals), ensure_ascii=False)
        return f'Expand: {decision.control_flow.value} {subgoals}'
    if isinstance(decision, Ask):
        return f'Ask: {decision.question}'
    if isinstance(decision, Conditions):
        return f'{CONDITIONS_LINE}{decision.line}'
    word, sentence = (
        (DONE, decision.answer) if isinstance(decision, Done) else (FAILURE, decision.why)
    )
    return f'{ACT_LINE}{word}{EXPLAINED}{sentence}' if sentence else f'{ACT_LINE}{word}'


def parse_decision(text: str, choices: Choices) -> Decision:
    """Read one decision line and check it against what is allowed.

    Args:
        text: the model's answer, one line; space around it is ignored.
        choices: what is allowed at this moment.

    Returns:
        The decision, which later code need not check again.

    Raises:
        DecisionError: with a sentence that a model can repair its answer from.
    """
    line = text.strip()
    if '\n' in line:
        raise DecisionError('answer with a single line')
    kind, found, rest = line.partition(': ')
    if not found:
        raise DecisionError(_begin(choices))
    rest = rest.strip()
    if kind == 'Conditions' and choices.conditions is not None:
        return Conditions(choices.conditions.parse(rest))
    if choices.conditions is not None:
        raise DecisionError(f'say first what must hold in the end: {_begin(choices)}')
    if kind == 'Think':
        if not choices.think:
            raise DecisionError(f'no thought is allowed now: {_begin(choices)}')
        return Think(_free_text(rest, 'a thought', choices.max_thought_chars))
    if kind == 'Act':
        return _act(rest, choices)
    if kind == 'Expand':
        return _expand(rest, choices)
    if kind == 'Ask':
        if not choices.ask:
            raise DecisionError(f'no question is allowed now: {_begin(choices)}')
        return Ask(_free_text(rest, 'a question', choices.max_question_chars))
    raise DecisionError(f'{quoted(kind)} is not a kind of decision: {_begin(choices)}')


def _begin(choices: Choices) -> str:
    *others, last = (f'"{kind}: "' for kind in choices.kinds)
    return f'begin with {", ".join(others)} or {last}' if others else f'begin with {last}'


def _free_text(text: str, name: str, max_chars: int) -> str:
    if not text or not is_plain(text):
        raise DecisionError(f'{name} must be one line of plain text, not empty')
    if 0 < max_chars < len(text):
        raise DecisionError(f'{name} may have {max_chars} characters')
    return text


def _act(phrase: str, choices: Choices) -> Decision:
    if phrase in choices.skills:
        return Act(phrase)
    word, explained, sentence = phrase.partition(EXPLAINED)
    if explained and word in choices.explained:
        sentence = _free_text(sentence.strip(), 'what follows it', choices.max_thought_chars)
        return Done(sentence) if word == DONE else Failure(sentence)
    if phrase == FAILURE and phrase in choices.explained:
        raise DecisionError(f'say why: "{FAILURE}{EXPLAINED}" and one sentence')
    if phrase in choices.endings:
        return Done() if phrase == DONE else Failure()
    if phrase.startswith(RECALL) and phrase[len(RECALL) :] in choices.recall:
        return Recall(phrase[len(RECALL) :])
    raise DecisionError(f'{quoted(phrase)} cannot be done now')


def _expand(rest: str, choices: Choices) -> Expand:
    word, _, listed = rest.partition(' ')
    if word not in {flow.value for flow in choices.control_flows}:
        allowed = ', '.join(flow.value for flow in choices.control_flows) or 'none'
        raise DecisionError(f'control flow {quoted(word)} is not allowed now (allowed: {allowed})')
    try:
        subgoals = json.loads(listed)
    except (ValueError, RecursionError) as error:
        raise DecisionError(f'subgoals must be a JSON list of strings: {error}') from error
    if not isinstance(subgoals, list) or not all(isinstance(item, str) for item in subgoals):
        raise DecisionError('subgoals must be a JSON list of strings')
    most = choices.max_subgoals
    if not subgoals or 0 < most < len(subgoals):
        how_many = f'1 to {most} subgoals' if most else 'at least 1 subgoal'
        raise DecisionError(f'give {how_many}, not {len(subgoals)}')
    longest = choices.max_subgoal_chars
    cleaned = tuple(_free_text(item.strip(), 'a subgoal', longest) for item in subgoals)
    return Expand(ControlFlow(word), cleaned)
