# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an agent node may decide at this moment: only what can be valid and change something."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros.behaviours.services import RunState
from reactree_ros.core.checks import Check, check_done
from reactree_ros.core.completion import complete
from reactree_ros.core.decision import Ask, Choices, Decision, Expand, Recall, Think
from reactree_ros.core.expansion import (
    faults_of,
    left_out,
    one_after_the_other,
    overloads,
    settle,
    without_reached,
    without_strays,
)
from reactree_ros.core.observation import SkillStatus
from reactree_ros.core.searches import check_failure
from reactree_ros.core.situation import Situation
from reactree_ros.core.undoing import undoes
from reactree_ros.skills.library import GroundedSkill
from reactree_ros.skills.needs import states_asked
from reactree_ros.skills.relevance import Relevance

_MOST_UNFIT = 2
"""After so many rejected expansions in a row a node has to act before it may expand again."""


@dataclass(frozen=True)
class Examined:
    """An expansion as it may join the tree.

    Args:
        expansion: without repeats, strays and what is reached already, with what was left out.
        strays: subgoals that were taken out because nobody asked for them.
        added: subgoals that stand for what was left out, or in the place of one without a place.
        reached: subgoals that were taken out because they are reached already.
        faults: why it may not join the tree, one sentence each; empty if it may.
    """

    expansion: Expand
    added: tuple[str, ...]
    strays: tuple[str, ...]
    reached: tuple[str, ...]
    faults: tuple[str, ...]

    def adjustments(self) -> tuple[str, ...]:
        """Return a sentence for each subgoal that was taken out or put in."""
        return (
            *(f'"{one}" is not asked for; the other subgoals stay' for one in self.strays),
            *(f'the goal asks for more; added: "{one}"' for one in self.added),
            *(f'"{one}" is reached already; the other subgoals stay' for one in self.reached),
        )


class Offer:
    """Keeps what one agent node has just done and derives the choices of its next decision.

    Args:
        state: what all nodes of the run share.
        path: goals from the root to the node, as they were put; here they are read in the words
            of the skill library.
    """

    def __init__(self, state: RunState, path: tuple[str, ...]) -> None:
        self.choices = Choices()
        self._idle = True
        self._state = state
        library = state.services.library
        self._path = tuple(library.in_class_words(goal) for goal in path)
        self._goal = self._path[-1]
        self._skills: dict[str, GroundedSkill] = {}
        self._thought = False
        self._recalled: set[str] = set()
        self._looked_up = False
        self._questioned = False
        self._refused: set[str] = set()
        self._unfit = 0

    def renew(self) -> None:
        """Derive the choices from the situation of this moment."""
        services = self._state.services
        settings = services.settings
        situation = self._state.memory.situation()
        executable = services.library.executable(
            situation,
            self._state.memory.rooms,
            # After a refusal the robot may need what the goal does not name.
            () if self._refused else self._path,
            named=settings.only_relevant,
            unsearched=settings.search_memory,
        )
        self._skills = {
            skill.phrase: skill for skill in executable if skill.phrase not in self._refused
        }
        not_done = no_failure = ''
        if settings.check_decisions:
            done = self.check_success()
            not_done, no_failure = self._objections(done, situation)
            if done.confirmed:
                self._withhold_what_undoes(situation)
        think = settings.think_twice or not self._thought
        looks_up = settings.working_memory and not self._looked_up
        recall = self._recallable() if looks_up else ()
        ask = self._may_ask()
        tired = settings.check_decisions and self._unfit >= _MOST_UNFIT and bool(self._skills)
        control_flows = () if tired else settings.control_flows
        if not (self._skills or think or recall or control_flows or ask):
            no_failure = ''  # where nothing is left to do, giving up is never too early
        self.choices = Choices(
            skills=tuple(self._skills),
            think=think,
            recall=recall,
            control_flows=control_flows,
            not_done=not_done,
            no_failure=no_failure,
            ask=ask,
        )

    def check_success(self) -> Check:
        """Hold the goal's success against working memory; nothing is found without checks."""
        services = self._state.services
        if not services.settings.check_decisions:
            return Check()
        return check_done(self._goal, self._state.memory.situation(), services.library.kinds)

    def _withhold_what_undoes(self, situation: Situation) -> None:
        """Withhold skills that would undo what the goal asks for, and was seen to be so."""
        kinds = self._state.services.library.kinds
        self._skills = {
            phrase: skill
            for phrase, skill in self._skills.items()
            if not undoes(phrase, self._goal, situation, kinds)
        }

    def _objections(self, done: Check, situation: Situation) -> tuple[str, str]:
        if done.confirmed:
            return done.objection, 'what the goal asks for was seen to be so'
        not_done = done.objection or ('nothing was done for it yet' if self._idle else '')
        return not_done, check_failure(self._goal, situation, self._state.memory.rooms).objection

    def _may_ask(self) -> bool:
        """Whether a question to the operator can bring anything."""
        operator, settings = self._state.services.operator, self._state.services.settings
        answers = self._state.answers
        return (
            settings.ask_operator
            and operator is not None
            and operator.present
            and not self._questioned
            and len(answers) < settings.max_questions
            and all(answers.values())
        )

    def _recallable(self) -> tuple[str, ...]:
        """Classes to ask for: those that the goal names, or all; each once."""
        relevance = self._relevance(self._state.memory.situation())
        return tuple(sorted((relevance.objects or relevance.movable) - self._recalled))

    @property
    def skills(self) -> tuple[str, ...]:
        """Phrases of all skills on offer."""
        return tuple(self._skills)

    def skill(self, phrase: str) -> GroundedSkill:
        """Return the skill of an offered phrase."""
        return self._skills[phrase]

    def decided(self, decision: Decision) -> None:
        """Remember what was decided: no second thought or question in a row, no question twice."""
        self._thought = isinstance(decision, Think)
        self._questioned = isinstance(decision, Ask)
        if isinstance(decision, Recall):
            self._recalled.add(decision.class_name)
            self._looked_up = True

    def executed(self, skill: GroundedSkill, status: SkillStatus) -> None:
        """Remember how a skill ended: a refused one is not offered until something changed."""
        self._looked_up = False
        if status is SkillStatus.SUCCEEDED:
            self._idle = False
            self._unfit = 0
            self._refused.clear()
        else:
            self._refused.add(skill.phrase)

    def examine(self, proposed: Expand) -> Examined:
        """Say whether an expansion may join the tree, and as what."""
        library = self._state.services.library
        subgoals = tuple(library.in_class_words(subgoal) for subgoal in proposed.subgoals)
        put = dict(zip(subgoals, proposed.subgoals, strict=True))
        expansion = settle(Expand(proposed.control_flow, subgoals))
        strays: tuple[str, ...] = ()
        reached: tuple[str, ...] = ()
        faults = []
        if self._state.services.settings.check_decisions:
            situation = self._state.memory.situation()
            classes, tools = situation.classes, self._tools(situation)
            expansion, strays = without_strays(
                expansion, self._goal, classes, situation.movable, tools, library.kinds
            )
            expansion = complete(expansion, self._goal, classes, situation.movable - tools)
            expansion = one_after_the_other(expansion, library.hands, classes, situation.movable)
            faults += left_out(expansion, self._goal, classes, library.kinds)
            faults += overloads(expansion, library.hands, classes)
            expansion, reached = without_reached(expansion, situation, library.kinds)
        faults += faults_of(expansion, self._path)
        self._unfit = self._unfit + 1 if faults else 0
        kept = tuple(put.get(one, one) for one in expansion.subgoals)
        return Examined(
            Expand(expansion.control_flow, kept),
            added=tuple(one for one in expansion.subgoals if one not in put),
            strays=tuple(put[one] for one in strays),
            reached=tuple(put.get(one, one) for one in reached),
            faults=tuple(faults),
        )

    def _tools(self, situation: Situation) -> frozenset[str]:
        """Return classes that a subgoal may name because something above it is to be sliced."""
        library = self._state.services.library
        known = {*situation.classes, *library.kinds}
        sliced = any('sliced' in states_asked(goal, known) for goal in self._path)
        return library.tools if sliced else frozenset()

    def pointer(self) -> str:
        """Return a sentence on what the goal names and the robot can reach; empty if nothing."""
        if not self._state.services.settings.point_out:
            return ''
        situation = self._state.memory.situation()
        relevance = self._relevance(situation)
        if any(item.class_name in relevance.objects for item in situation.held):
            return ''
        reached = [
            item.name
            for item in situation.objects.values()
            if item.near and 'grabbable' in item.affordances and relevance.meant(item)
        ]
        return f' In reach: {", ".join(reached)}.' if reached else ''

    def _relevance(self, situation: Situation) -> Relevance:
        library = self._state.services.library
        return library.relevance(situation, self._state.memory.rooms, self._path)
