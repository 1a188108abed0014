# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an agent node may decide at this moment: only what can be valid and change something."""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros.behaviours.guidance import GoalCheck, Review
from reactree_ros.behaviours.services import RunState
from reactree_ros.core.decision import Ask, Choices, Decision, Expand, Recall, Think
from reactree_ros.core.expansion import faults_of, settle
from reactree_ros.core.observation import SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.skills.library import GroundedSkill

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
        self._guidance = state.services.guidance
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
        rooms = self._state.memory.rooms
        relevant = self._guidance.skill_filter(
            situation,
            rooms,
            # After a refusal the robot may need what the goal does not name.
            () if self._refused else self._path,
            named=settings.guidance.filter_irrelevant_skills,
            unsearched=settings.guidance.skip_searched_places,
        )
        executable = services.library.executable(situation, rooms, relevant)
        self._skills = {
            skill.phrase: skill for skill in executable if skill.phrase not in self._refused
        }
        not_done = no_failure = ''
        if settings.guidance.check_decisions:
            done = self.check_success()
            not_done, no_failure = self._objections(done, situation)
            if done.confirmed:
                self._withhold_what_undoes(situation)
        think = settings.agent.allow_consecutive_thoughts or not self._thought
        looks_up = settings.memory.working and not self._looked_up
        recall = self._recallable() if looks_up else ()
        ask = self._may_ask()
        tired = (
            settings.guidance.check_decisions and self._unfit >= _MOST_UNFIT and bool(self._skills)
        )
        control_flows = () if tired else settings.agent.control_flows
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

    def check_success(self) -> GoalCheck:
        """Compare the goal with working memory; nothing is found without checks."""
        if not self._state.services.settings.guidance.check_decisions:
            return GoalCheck()
        return self._guidance.check_done(self._goal, self._state.memory.situation())

    def _withhold_what_undoes(self, situation: Situation) -> None:
        """Withhold skills that would undo what the goal asks for, and was seen to be so."""
        self._skills = {
            phrase: skill
            for phrase, skill in self._skills.items()
            if not self._guidance.undoes(phrase, self._goal, situation)
        }

    def _objections(self, done: GoalCheck, situation: Situation) -> tuple[str, str]:
        if done.confirmed:
            return done.objection, 'what the goal asks for was seen to be so'
        not_done = done.objection or ('nothing was done for it yet' if self._idle else '')
        rooms = self._state.memory.rooms
        return not_done, self._guidance.check_failure(self._goal, situation, rooms)

    def _may_ask(self) -> bool:
        """Whether a question to the operator can bring anything."""
        operator, settings = self._state.services.operator, self._state.services.settings
        answers = self._state.answers
        return (
            settings.operator.ask
            and operator is not None
            and operator.present
            and not self._questioned
            and len(answers) < settings.operator.max_questions
            and all(answers.values())
        )

    def _recallable(self) -> tuple[str, ...]:
        """Classes that working memory may be asked for, each once."""
        memory = self._state.memory
        classes = self._guidance.recallable(memory.situation(), memory.rooms, self._path)
        return tuple(sorted(classes - self._recalled))

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
        review = Review(settle(Expand(proposed.control_flow, subgoals)))
        if self._state.services.settings.guidance.check_decisions:
            situation = self._state.memory.situation()
            review = self._guidance.review(review.expansion, self._path, situation)
        expansion = review.expansion
        faults = [*review.rejections, *faults_of(expansion, self._path)]
        self._unfit = self._unfit + 1 if faults else 0
        kept = tuple(put.get(one, one) for one in expansion.subgoals)
        return Examined(
            Expand(expansion.control_flow, kept),
            added=tuple(one for one in expansion.subgoals if one not in put),
            strays=tuple(put[one] for one in review.off_goal),
            reached=tuple(put.get(one, one) for one in review.reached),
            faults=tuple(faults),
        )

    def pointer(self) -> str:
        """Return a sentence on what the goal names and the robot can reach; empty if nothing."""
        if not self._state.services.settings.guidance.hint_reachable:
            return ''
        memory = self._state.memory
        reached = self._guidance.reachable(memory.situation(), memory.rooms, self._path)
        return f' In reach: {", ".join(reached)}.' if reached else ''
