# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an agent node may decide at this moment: only what can be valid and change something."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_ros.behaviours.guidance import ExpansionReview, GoalCheck
from reactree_ros.behaviours.services import RunState
from reactree_ros.core.decision import Ask, Choices, ControlFlow, Decision, Expand, Recall, Think
from reactree_ros.core.observation import SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.skills.library import GroundedSkill

_MOST_REJECTED = 2
"""After so many rejected expansions in a row a node has to act before it may expand again."""


class ActionMask:
    """Remembers what one agent node has just done, and masks what it may not decide next.

    Args:
        state: what all nodes of the run share.
        path: goals from the root to the node; here they are read in the words of the library.
    """

    def __init__(self, state: RunState, path: tuple[str, ...]) -> None:
        library = state.services.library
        self.choices = Choices()
        self._state = state
        self._settings = state.services.settings
        self._guidance = state.services.guidance
        self._checks = self._settings.guidance.check_decisions
        self._path = tuple(library.in_class_words(goal) for goal in path)
        self._goal = self._path[-1]
        self._skills: dict[str, GroundedSkill] = {}
        self._idle = True
        self._thought = False
        self._recalled: set[str] = set()
        self._looked_up = False
        self._questioned = False
        self._refused: set[str] = set()
        self._rejections = 0

    def update(self) -> None:
        """Derive the choices from the situation of this moment."""
        settings, memory = self._settings, self._state.memory
        situation, rooms = memory.situation(), memory.rooms
        relevant = self._guidance.skill_filter(
            situation,
            rooms,
            # After a refusal the robot may need what the goal does not name.
            () if self._refused else self._path,
            named=settings.guidance.filter_irrelevant_skills,
            unsearched=settings.guidance.skip_searched_places,
        )
        done = self.check_success()
        self._skills = {
            skill.phrase: skill
            for skill in self._state.services.library.executable(situation, rooms, relevant)
            if skill.phrase not in self._refused
            and not (done.confirmed and self._guidance.undoes(skill.phrase, self._goal, situation))
        }
        not_done, no_failure = self._objections(done, situation) if self._checks else ('', '')
        recall: tuple[str, ...] = ()
        if settings.memory.working and not self._looked_up:
            classes = self._guidance.recallable(situation, rooms, self._path)
            recall = tuple(sorted(classes - self._recalled))
        think = settings.agent.allow_consecutive_thoughts or not self._thought
        ask = self._may_ask()
        control_flows = settings.agent.control_flows
        if self._checks and self._skills and self._rejections >= _MOST_REJECTED:
            control_flows = ()
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
            explain=settings.agent.explain_endings,
            max_thought_chars=settings.agent.max_thought_chars,
            max_subgoals=settings.agent.max_subgoals,
            max_subgoal_chars=settings.agent.max_subgoal_chars,
        )

    def check_success(self) -> GoalCheck:
        """Compare the goal with working memory; nothing is found without checks."""
        if not self._checks:
            return GoalCheck()
        return self._guidance.check_done(self._goal, self._state.memory.situation())

    def _objections(self, done: GoalCheck, situation: Situation) -> tuple[str, str]:
        """Return what speaks against ending with success, and with failure."""
        if done.confirmed:
            return done.objection, 'what the goal asks for was seen to be so'
        not_done = done.objection or ('nothing was done for it yet' if self._idle else '')
        rooms = self._state.memory.rooms
        return not_done, self._guidance.check_failure(self._goal, situation, rooms)

    def _may_ask(self) -> bool:
        """Return whether a question to the operator can bring anything."""
        operator, answers = self._state.services.operator, self._state.answers
        return (
            self._settings.operator.ask
            and operator is not None
            and operator.present
            and not self._questioned
            and len(answers) < self._settings.operator.max_questions
            and all(answers.values())
        )

    @property
    def skills(self) -> tuple[str, ...]:
        """Phrases of the skills that are allowed now."""
        return tuple(self._skills)

    def skill(self, phrase: str) -> GroundedSkill:
        """Return the skill that is allowed under a phrase."""
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
            self._rejections = 0
            self._refused.clear()
        else:
            self._refused.add(skill.phrase)

    def review(self, proposed: Expand) -> ExpansionReview:
        """Return an expansion as it may join the tree, or why it may not."""
        library = self._state.services.library
        subgoals = tuple(library.in_class_words(subgoal) for subgoal in proposed.subgoals)
        original = dict(zip(subgoals, proposed.subgoals, strict=True))
        review = ExpansionReview(without_repeats(Expand(proposed.control_flow, subgoals)))
        if self._checks:
            situation = self._state.memory.situation()
            review = self._guidance.review(review.expansion, self._path, situation)
        expansion = review.expansion
        rejections = (*review.rejections, *expansion_faults(expansion, self._path))
        self._rejections = self._rejections + 1 if rejections else 0
        kept = tuple(original.get(one, one) for one in expansion.subgoals)
        return ExpansionReview(
            Expand(expansion.control_flow, kept),
            off_goal=tuple(original[one] for one in review.off_goal),
            added=tuple(one for one in expansion.subgoals if one not in original),
            reached=tuple(original.get(one, one) for one in review.reached),
            rejections=rejections,
        )

    def hint(self) -> str:
        """Return a sentence on what the goal names and the robot can reach; empty if nothing."""
        if not self._settings.guidance.hint_reachable:
            return ''
        memory = self._state.memory
        reached = self._guidance.reachable(memory.situation(), memory.rooms, self._path)
        return f' In reach: {", ".join(reached)}.' if reached else ''


def without_repeats(expansion: Expand) -> Expand:
    """Return a fallback without repeats: what has just failed is not tried again as it is."""
    if expansion.control_flow is not ControlFlow.FALLBACK:
        return expansion
    subgoals: dict[str, str] = {}
    for subgoal in expansion.subgoals:
        subgoals.setdefault(_key(subgoal), subgoal)
    return Expand(expansion.control_flow, tuple(subgoals.values()))


def expansion_faults(expansion: Expand, path: Sequence[str]) -> list[str]:
    """Return every fault of an expansion; empty if it may join the tree.

    Returns:
        One sentence a fault, which the model can repair its decision from.
    """
    faults = []
    above = {_key(goal) for goal in path}
    seen: set[str] = set()
    for subgoal in expansion.subgoals:
        key = _key(subgoal)
        if key in above:
            faults.append(f'"{subgoal}" is a goal that is being worked on already')
        if key in seen:
            faults.append(f'"{subgoal}" is given twice')
        seen.add(key)
    return faults


def _key(goal: str) -> str:
    return ' '.join(goal.casefold().strip(' .!').split())
