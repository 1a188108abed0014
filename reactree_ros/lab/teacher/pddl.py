# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The teacher of drawn PDDL domains as a language model: it decides for any agent node of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reactree_ros.core.decision import DONE, Act, ControlFlow, Decision, Done, Expand
from reactree_ros.core.model import DecisionRequest
from reactree_ros.lab.teacher.mistakes import ErringSolver
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.pddl.drawn.domain import DrawnDomain
from reactree_ros.sim.pddl.library import PddlLibrary
from reactree_ros.sim.pddl.world import PddlWorld
from reactree_ros.sim.planning.facts import Action, Fact
from reactree_ros.sim.planning.goal import PlanningGoal

LONG = 12
"""A plan of so many steps is split at the parts of the goal, where it has several."""


@dataclass(frozen=True)
class _Aim:
    """What a node is to reach, and what it is not to undo."""

    facts: tuple[Fact, ...]
    kept: tuple[Fact, ...] = ()


class PddlTeacher(ErringSolver):
    """Decides by a plan from the present state, which its prompts describe whole.

    Args:
        domain: the domain, with the problem.
        library: its skills.
        world: of the run.
    """

    def __init__(self, domain: DrawnDomain, library: PddlLibrary, world: PddlWorld) -> None:
        self._domain, self._world = domain, world
        self._aims: dict[str, _Aim] = {}
        self._plans: dict[str, tuple[Action, ...]] = {}
        self._skills = {skill.name: skill for skill in library.skills}

    def decision(self, request: DecisionRequest) -> Decision | None:
        """Return what to decide; None for a goal that is not the teacher's."""
        self.last = self._decision(request)
        return self.last

    def mistake(self, request: DecisionRequest, draw: Draw) -> Decision | None:
        """Return a mistake in the place of an act that ``decision`` returned last; None for none.

        It is any other skill, or to say "done" before it is.
        """
        if not isinstance(self.last, Act):
            return None
        offered = sorted({*request.choices.skills} - {self.last.phrase})
        mistakes: list[Decision] = [Act(draw.pick(offered))] if offered else []
        if not request.prompt.parent and DONE in request.choices.endings:
            mistakes.append(Done())
        return draw.pick(mistakes) if mistakes else None

    def _decision(self, request: DecisionRequest) -> Decision | None:
        choices, prompt = request.choices, request.prompt
        aim = _Aim(self._domain.goal) if not prompt.parent else self._aims.get(prompt.goal)
        if aim is None:
            return None
        try:
            steps = self._plan(prompt.task, aim)
        except TimeoutError:
            return None
        if steps is None:
            return None
        if not steps:
            return Done()
        decided = [step.text for step in prompt.steps if step.decided]
        begins = not any(text.startswith(('Act: ', 'Expand: ')) for text in decided)
        if begins and ControlFlow.SEQUENCE in choices.control_flows and len(steps) >= LONG:
            split = self._split(aim, steps, choices.max_subgoals)
            if split is not None:
                return split
        names = map(self._world.problem.name_of, steps[0].arguments)
        return Act(self._skills[steps[0].skill].ground(*names).phrase)

    def _plan(self, node: str, aim: _Aim) -> tuple[Action, ...] | None:
        """Return what is left of the node's plan, or a new one; None if there is none."""
        state = self._world.state
        before = self._plans.get(node, ())
        wanted = PlanningGoal([(fact, True) for fact in (*aim.facts, *aim.kept)])
        for begin in range(min(2, len(before))):
            left, now = before[begin:], state
            for step in left:
                if not step.is_possible(now):
                    break
                now = step.after(now)
            else:
                if wanted.holds(now):
                    self._plans[node] = left
                    return left
        if PlanningGoal([(fact, True) for fact in aim.facts]).holds(state):
            return ()
        found = self._domain.plan(state, (*aim.facts, *aim.kept)) if aim.kept else None
        found = found or self._domain.plan(state, aim.facts)
        self._plans[node] = found or ()
        return found

    def _split(self, aim: _Aim, steps: Sequence[Action], most: int) -> Decision | None:
        """Return the parts of the goal in the order in which a plan reaches them to stay."""
        state = self._world.state
        reached: dict[Fact, int] = {}
        for number, step in enumerate(steps):
            after = step.after(state)
            for fact in aim.facts:
                if fact in after and fact not in state:
                    reached[fact] = number
            state = after
        order = sorted(reached, key=lambda fact: reached[fact])
        if len(order) < 2 or 0 < most < len(order):
            return None
        texts = [f'Reach that {self._world.problem.fact_sentence(fact)}' for fact in order]
        same = tuple(fact for fact in aim.facts if fact not in reached)
        for number, text in enumerate(texts):
            self._aims[text] = _Aim((order[number],), (*same, *order[:number]))
        return Expand(ControlFlow.SEQUENCE, tuple(texts))
