# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What must hold in the end of a run: read by the model or given, followed as the robot goes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from reactree_ros.core.decision import ConditionLanguage
from reactree_ros.core.outcome import ConditionState
from reactree_ros.core.settings import AgentOptions
from reactree_ros.core.situation import Situation
from reactree_ros.errors import DecisionError
from reactree_ros.skills.goal_conditions import (
    Condition,
    ConditionTracker,
    ConditionWords,
    condition_gbnf,
    condition_lark,
    conditions_text,
    parse_conditions,
)
from reactree_ros.skills.library import SkillLibrary


class Corrections:
    """What a person corrects of a running goal, a line each, until it is taken."""

    def __init__(self) -> None:
        self._waiting: deque[str] = deque()

    def put(self, line: str) -> None:
        """Add a correction."""
        self._waiting.append(line)

    def take(self) -> tuple[str, ...]:
        """Return all that are new, the oldest first."""
        return tuple(self._waiting.popleft() for _ in range(len(self._waiting)))


class GoalConditions:
    """What must hold for the goal of one run.

    Args:
        library: has the predicates; without any there are no conditions.
        situation: returns what the robot knows now that the root works with.
        options: of the agent nodes.
        given: conditions of whoever sent the goal, in the words of the library.
        corrections: from a person while the goal is carried out.
    """

    def __init__(
        self,
        library: SkillLibrary,
        situation: Callable[[], Situation],
        options: AgentOptions,
        given: Sequence[str],
        corrections: Corrections,
    ) -> None:
        self.reads = options.read_conditions and bool(library.predicates)
        self._library = library
        self._situation = situation
        self.given = tuple(given)
        """Those that came with the goal, or that a person has put in their place."""
        self.states: tuple[ConditionState, ...] = ()
        """Whether each holds, as of the last observation; no answer was given yet."""
        self._most = options.max_rejected_done
        self._corrections = corrections
        self._objections = 0
        self._conditions: tuple[Condition, ...] | None = None
        self._tracker: ConditionTracker | None = None
        self._shown: str | None = None

    @property
    def due(self) -> bool:
        """The model has to say them."""
        return self.reads and self._conditions is None

    @property
    def news(self) -> bool:
        """They are not those that stand in the root's trajectory."""
        return self.reads and self._conditions is not None and self.line != self._shown

    @property
    def line(self) -> str:
        """All of them."""
        return conditions_text(self._conditions or ())

    @property
    def text(self) -> str:
        """All of them, each with whether it holds, for people."""
        states = (f'{one.text} ({"holds" if one.met else one.detail})' for one in self.states)
        return '; '.join(states) or self.line

    @property
    def met(self) -> bool:
        """There are some, and all of them hold."""
        return bool(self.states) and all(one.met for one in self.states)

    def begin_given(self) -> bool:
        """Take those that were given, after the first observation; return whether there are any.

        What was reached in its turn before, by another root of the tree, stays reached.

        Raises:
            DecisionError: if they cannot be read.
        """
        if self.given and self._tracker is None:
            self.begin('; '.join(self.given))
        self._objections = 0
        return bool(self.given)

    def begin(self, line: str) -> None:
        """Require conditions for success from now on.

        Raises:
            DecisionError: if they cannot be read.
        """
        self._conditions = parse_conditions(line, self._words())
        self._tracker = ConditionTracker(self._conditions, self._library)
        self._objections = 0
        self.states = self._tracker.states(self._situation())

    def observe(self) -> bool:
        """Take note of what is known now, and of corrections; return whether to publish them.

        The latest of several corrections counts. One that cannot be read any more, since what it
        names was forgotten, is dropped.
        """
        corrections = self._corrections.take()
        if corrections:
            with suppress(DecisionError):
                self.begin(corrections[-1])
                self.given = corrections[-1:] if self._conditions else ()
            return True
        if self._tracker is None:
            return False
        before, self.states = self.states, self._tracker.states(self._situation())
        return self.states != before

    def shown(self) -> str:
        """Return all of them, for the root's trajectory."""
        self._shown = self.line
        return self.line

    def objection(self, answer: str = '') -> str:
        """Return why a success does not count yet; empty if it does, or was objected to enough."""
        unmet = [one for one in self.after(answer) if not one.met]
        if not unmet or self._objections >= self._most:
            return ''
        self._objections += 1
        return f'Not done yet: {"; ".join(f"{one.text} ({one.detail})" for one in unmet)}'

    def after(self, answer: str) -> tuple[ConditionState, ...]:
        """Return whether each holds after an answer."""
        if self._tracker is None:
            return ()
        return self._tracker.states(self._situation(), answer)

    def unconfirmed(self, answer: str) -> bool:
        """Return whether a success is not confirmed: not all hold, or what must hold is unknown."""
        states = self.after(answer)
        return self._conditions is not None and not (states and all(one.met for one in states))

    def language(self) -> ConditionLanguage:
        """Return what the model may say now."""
        words = self._words()
        return ConditionLanguage(condition_lark(words), condition_gbnf(words), self._canonical)

    def _words(self) -> ConditionWords:
        return ConditionWords.of(self._library, self._situation())

    def _canonical(self, line: str) -> str:
        return conditions_text(parse_conditions(line, self._words()))

    def correct(self, lines: Iterable[str]) -> str:
        """Replace them at the next observation; return the new ones in their canonical form.

        Raises:
            DecisionError: if they cannot be read, or the library has no predicates.
        """
        if not self._library.predicates:
            raise DecisionError(f'the skill library {self._library.name!r} has no predicates')
        line = self._canonical('; '.join(lines) or conditions_text(()))
        self._corrections.put(line)
        return line
