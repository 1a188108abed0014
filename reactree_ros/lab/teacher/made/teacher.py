# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The teacher of generated robots as a language model: it decides for any agent node of a run."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from reactree_ros.core.decision import (
    DONE,
    Act,
    Conditions,
    Decision,
    Done,
    Expand,
    Recall,
    Think,
    to_text,
)
from reactree_ros.core.model import DecisionRequest
from reactree_ros.core.observation import Observation, ObservedObject, SkillResult, SkillStatus
from reactree_ros.core.situation import Situation, furnished, unsearched
from reactree_ros.lab.teacher.kind import given_up
from reactree_ros.lab.teacher.made.aims import Aim, Course, Knowledge
from reactree_ros.lab.teacher.made.splitting import Splitter
from reactree_ros.lab.teacher.made.words import Words
from reactree_ros.lab.teacher.mistakes import ErringSolver
from reactree_ros.lab.teacher.view import View
from reactree_ros.lab.teacher.watching import WatchingSolver
from reactree_ros.sim.draw import Draw
from reactree_ros.sim.made.drafting import STEPS
from reactree_ros.sim.made.robot import AT, HELD, IN, IS, NEXT, ON, REACH, ROBOT
from reactree_ros.sim.made.tasks import MadeTask
from reactree_ros.sim.made.world import MadeWorld
from reactree_ros.sim.planning.facts import Action, Fact
from reactree_ros.skills.goal_conditions import (
    Condition,
    ConditionTracker,
    ConditionWords,
    conditions_text,
    parse_conditions,
)
from reactree_ros.skills.goal_conditions.language import HOW_MANY, NO, WHERE, WHETHER, Clause, Noun

_FAILURES = 2
"""So often is tried what fails although it is possible."""
_GUESSES = 4
"""How many assumptions are tried before a goal is given up."""


@dataclass
class _Node:
    """What the teacher remembers of an agent node.

    Args:
        aim: what its goal means.
        seed: of the assumption that it plans by.
        course: its plan; None for none yet.
        number: of the plan's steps, how many were taken.
        way: what is left of the way to a place.
        is_split: it was split before, or was meant not to be.
        unreachable: places that there is no way to.
        taken: things that were found where everything of a kind is seen to.
    """

    aim: Aim
    seed: int = 0
    course: Course | None = None
    number: int = 0
    way: dict[str, tuple[Action, ...]] = field(default_factory=dict)
    is_split: bool = False
    unreachable: set[str] = field(default_factory=set)
    taken: dict[str, None] = field(default_factory=dict)


class MadeTeacher(WatchingSolver, ErringSolver):
    """Decides as a sensible planner would, by what the robot has perceived so far.

    What a subgoal means it knows by its text, if it has made it itself.

    Args:
        task: the task.
        instruction: its goal in the wording of the run.
        world: of the run; only what the robot has perceived of it is used.
    """

    def __init__(self, task: MadeTask, instruction: str, world: MadeWorld) -> None:
        super().__init__(world.robot.library)
        self._task, self._robot = task, world.robot
        self._failures = world.failures
        self._known = Knowledge(world.robot, world.belief)
        languages = dict(zip(task.instructions, task.languages, strict=False))
        self._language = languages.get(instruction, world.robot.say.language)
        self._words = Words(world.robot)
        self.no_way = self._words.reason('unable')
        self._skills = {one.name: one for one in self._library.skills}
        self._nodes: dict[str, _Node] = {}
        self._aims: dict[str, Aim] = {}
        self._refused = ''
        self._dropped: set[Clause] = set()
        self._drops = False
        self._plan: tuple[Action, ...] = ()
        self._goal: tuple[Condition, ...] | None = None
        self._tracker: ConditionTracker | None = None

    def update(self, observation: Observation) -> None:
        """Take note of what the robot perceives."""
        super().update(observation)
        if self._tracker is not None:
            self._tracker.update(self._memory.situation())

    def ended(self, result: SkillResult) -> None:
        """Take note of why a skill did not succeed, too."""
        done = result.status is SkillStatus.SUCCEEDED
        self._refused = '' if done else result.observation.text
        super().ended(result)

    def decision(self, request: DecisionRequest) -> Decision | None:
        """Return what to decide; None for a goal that is not the teacher's."""
        self._plan, self.comes_first, self._drops = (), False, False
        self.last = self._decision(request)
        return self.last

    def _decision(self, request: DecisionRequest) -> Decision | None:
        choices, prompt = request.choices, request.prompt
        if choices.conditions is not None:
            return Conditions(conditions_text(self._conditions()))
        node = self._node(request)
        if node is None:
            return None
        view = View(choices, self._memory.situation(), prompt, self._library)
        refused = self._refused if view.decided and view.decided[-1].startswith('Act: ') else ''
        if refused:
            node.course = None  # it was not as assumed
        decision = self._step(node, view, request)
        thought = self._thought(view, decision, refused)
        if thought is not None:
            return thought
        if isinstance(decision, Act) and not self._refused:
            self.comes_first = self._mends() or self._fills() or self._leaves_room()
        if isinstance(decision, Act) and decision.phrase == self._phrase(node):
            node.number += 1
        if isinstance(decision, Expand):
            node.is_split = True
        self._refused = ''
        return decision

    def mistake(self, request: DecisionRequest, draw: Draw) -> Decision | None:
        """Return a mistake in the place of an act that ``decision`` returned last; None for none.

        There is none after a thought: what was thought is done. In the place of what
        ``comes_first`` it is a later step of the plan, which the library offers although it is not
        possible yet. Elsewhere it is one of: such a step; the right skill with another thing or
        place; to say "done" before it is; to do again what was done last; to do anything else that
        is offered.
        """
        steps = [step.text for step in request.prompt.steps if step.decided]
        if not isinstance(self.last, Act) or (steps and steps[-1].startswith('Think: ')):
            return None
        later = self._too_early(request)
        if self.comes_first:
            return Act(draw.pick(later)) if later else None
        offered = sorted({*request.choices.skills} - {self.last.phrase})
        others = [
            one.phrase
            for one in self._library.executable(self._memory.situation())
            if self._plan and one.name == self._plan[0].skill and one.phrase in offered
        ]
        again = [one for one in offered if steps and steps[-1] == to_text(Act(one))]
        mistakes: list[Decision] = [
            *map(Act, later[:1]),
            *map(Act, again),
            *([Act(draw.pick(others))] if others else []),
            *([Act(draw.pick(offered))] if offered else []),
        ]
        asks = any(one.asks for one in self._conditions())
        if not request.prompt.parent and DONE in request.choices.endings and not asks:
            mistakes.append(Done())
        return draw.pick(mistakes) if mistakes else None

    def _too_early(self, request: DecisionRequest) -> list[str]:
        """Return later steps of the plan that are offered, are not possible yet, and are new."""
        state = self._known.belief.facts()
        later = (self._said(step) for step in self._plan[1:] if not step.is_possible(state))
        known = {step.text for step in request.prompt.steps if step.decided}
        return [
            one
            for one in dict.fromkeys(later)
            if one in request.choices.skills and to_text(Act(one)) not in known
        ]

    # Nodes

    def _conditions(self) -> tuple[Condition, ...]:
        if self._goal is None:
            words = ConditionWords.of(self._library, self._memory.situation())
            self._goal = parse_conditions(self._task.condition_line, words)
        return self._goal

    def _node(self, request: DecisionRequest) -> _Node | None:
        prompt = request.prompt
        node = self._nodes.get(prompt.task)
        if node is None:
            if not prompt.parent:
                conditions = self._conditions()
                if conditions and self._tracker is None:
                    self._tracker = ConditionTracker(conditions, self._library)
                    self._tracker.update(self._memory.situation())
                node = _Node(Aim(conditions))
            elif prompt.goal in self._aims:
                node = _Node(self._known.narrowed(self._aims[prompt.goal]))
            else:
                return None
            self._nodes[prompt.task] = node
        if not prompt.parent:
            node.aim = replace(node.aim, conditions=self._due())
        return node

    def _due(self) -> tuple[Condition, ...]:
        """Return the conditions of the whole goal that are left, or must not be undone."""
        conditions = self._conditions()
        if self._tracker is None:
            return conditions
        states = self._tracker.states(self._memory.situation())
        return tuple(
            one
            for one, state in zip(conditions, states, strict=True)
            if not (state.met and one.may_be_undone(conditions))
        )

    # Steps

    def _step(self, node: _Node, view: View, request: DecisionRequest) -> Decision:
        if not (node.aim.conditions or node.aim.facts or node.aim.places):
            if self._task.conditions:
                return Done()
            key = 'nonsense' if self._task.type == 'nonsense' else 'unknown'
            return given_up(self._words.reason(key), request)
        if node.aim.places:
            return self._looking(node, view, request)
        question = next((one for one in node.aim.conditions if one.asks), None)
        if question is not None:
            answer = self._answer(question, node.unreachable)
            if answer:
                return Done(answer) if view.choices.explain else Done()
        for _ in range(_GUESSES + len(self._failures)):
            course = self._course(node)
            if course is None:
                return self._search(node, view, request)
            stuck = next(filter(self._is_stuck, course.steps), None)
            if stuck is not None:
                node.course = None
                if self._drop(node.aim):
                    continue
                act = self._said(stuck)
                return given_up(self._words.reason('stuck', act=act), request)
            begins = not any(line.startswith('Act: ') for line in view.decided)
            ended = not course.steps and self._known.holds(node.aim)
            if view.choices.control_flows and question is None and begins and not ended:
                split = None if node.is_split else self._split(node, course, view, request)
                if split is not None:
                    return split
            if not course.steps:
                return self._at_end(node, view, request)
            step = self._take(node, course, view)
            if step is not None:
                return step
            node.seed += 1
            node.course = None
        return given_up(self.no_way, request)

    def _course(self, node: _Node) -> Course | None:
        """Return what is left of the node's plan, or a new one."""
        if node.course is not None:
            left = self._known.rest(node.course, node.number, self._one_way(node.aim), node.seed)
            if left is not None:
                return left
        node.course, node.number = None, 0
        for seed in range(node.seed, node.seed + 3):
            node.course = self._known.course(self._one_way(node.aim), seed)
            if node.course is not None:
                node.seed = seed
                break
        return node.course

    def _said(self, step: Action) -> str:
        return self._skills[step.skill].ground(*step.arguments).phrase

    def _is_stuck(self, step: Action) -> bool:
        """Return whether a step has failed twice, although it was possible."""
        return self._failures[step.skill, *step.arguments] >= _FAILURES

    def _one_way(self, aim: Aim) -> Aim:
        """Return an aim of which each condition can be met in one way, in a goal of steps.

        That is the first that was not dropped.
        """
        if self._task.type != STEPS:
            return aim
        conditions = []
        for one in aim.conditions:
            left = [clause for clause in one.clauses if clause not in self._dropped]
            conditions.append(replace(one, clauses=tuple(left[:1] or one.clauses[:1])))
        return replace(aim, conditions=tuple(conditions))

    def _drop(self, aim: Aim) -> bool:
        """Drop the way that is taken to meet a condition; return whether there is another one."""
        for one in aim.conditions:
            left = [clause for clause in one.clauses if clause not in self._dropped]
            if len(left) > 1:
                self._dropped.add(left[0])
                self._drops = True
                return True
        return False

    def _phrase(self, node: _Node) -> str:
        if node.course is None or node.number >= len(node.course.steps):
            return ''
        step = node.course.steps[node.number]
        return self._said(step)

    def _take(self, node: _Node, course: Course, view: View) -> Decision | None:
        """Return the first step of a plan; None if it is not offered."""
        recall = self._recalled(course, view)
        if recall is not None:
            return recall
        step = course.steps[0]
        phrase = self._said(step)
        if phrase not in view.choices.skills:
            return None
        self._plan = course.steps
        return Act(phrase)

    def _recalled(self, course: Course, view: View) -> Decision | None:
        """Return the question where a thing is that another node has seen, and this one has not."""
        for step in course.steps:
            for fact in step.add:
                if fact[0] != HELD or not self._known.is_known(fact[1]):
                    continue
                class_name, _, number = fact[1].rpartition(' ')
                if view.was_read(ObservedObject(class_name, int(number))):
                    return None
                asked = to_text(Recall(class_name)) in view.decided
                if class_name in view.choices.recall and not asked:
                    return Recall(class_name)
                return None
        return None

    def _split(
        self, node: _Node, course: Course, view: View, request: DecisionRequest
    ) -> Decision | None:
        node.is_split = True

        def is_named(name: str) -> bool:
            class_name, _, number = name.rpartition(' ')
            return view.is_named(ObservedObject(class_name, int(number)))

        splitter = Splitter(self._known, self._words, is_named, self._task.type == STEPS)
        split = splitter.split(request.prompt.goal, node.aim, course, node.seed)
        most = request.choices.max_subgoals
        if split is None or split.flow not in request.choices.control_flows:
            return None
        if 0 < most < len(split.parts):
            return None
        self._aims |= dict(split.parts)
        return Expand(split.flow, tuple(text for text, _ in split.parts))

    def _at_end(self, node: _Node, view: View, request: DecisionRequest) -> Decision:
        """Return what to do when nothing is left of a plan: to end, or to make sure."""
        reached = self._known.holds(node.aim)
        if reached and (again := self._again(node, view)) is not None:
            return again
        limited = any(one.quantity for cond in node.aim.conditions for one in cond.clauses)
        if not reached or limited:
            step = self._look_on(node, view)
            if step is not None:
                return step
        doubts = [] if view.prompt.parent else self._doubts()
        if reached and not doubts:
            return Done()
        if reached:
            places = [*self._places_of(doubts), *self._not_looked_into(view.situation)]
            step = self._way_to(node, places, view)
            if step is not None:
                return step
        return given_up(self.no_way, request)

    def _doubts(self) -> list[Condition]:
        """Return the conditions of the whole goal that were not seen to hold."""
        if self._tracker is None:
            return []
        states = self._tracker.states(self._memory.situation())
        pairs = zip(self._conditions(), states, strict=True)
        return [one for one, state in pairs if not (state.met or one.asks)]

    def _places_of(self, conditions: Iterable[Condition]) -> Iterator[str]:
        """Yield where the things of some conditions are, as far as that is known."""
        bearers = {fact[1]: fact[2] for fact in self._known.belief.facts() if fact[0] in (ON, IN)}
        for condition in conditions:
            for clause in condition.clauses:
                nouns = [clause.subject.noun] if clause.subject else []
                for name in itertools.chain(*map(self._robot.meant_by, nouns)):
                    while name in bearers:
                        name = bearers[name]
                    if self._robot.things[name].is_place and self._known.is_known(name):
                        yield name

    def _not_looked_into(self, situation: Situation) -> list[str]:
        """Return the places and rooms that prompts say were not looked into."""
        seen = furnished(situation)
        left = [room for room in situation.rooms if room not in seen]
        for room in seen:
            left += unsearched(room, situation)
        return sorted(left, key=self._known.belief.turn)

    def _again(self, node: _Node, view: View) -> Decision | None:
        """Return the first step of undoing what was so before its turn came."""
        if view.prompt.parent or self._tracker is None:
            return None
        states = self._tracker.states(self._memory.situation())
        for one, state in zip(self._conditions(), states, strict=True):
            if one.stage and not state.met and not one.asks and len(one.clauses) == 1:
                clause = replace(one.clauses[0], quantity=NO, count=1)
                course = self._known.course(Aim(conditions=(Condition((clause,)),)), node.seed)
                step = self._take(node, course, view) if course and course.steps else None
                if step is not None:
                    return step
        return None

    def _search(self, node: _Node, view: View, request: DecisionRequest) -> Decision:
        """Look everywhere for what there is no plan without, then give up."""
        step = self._look_on(node, view)
        if step is not None:
            return step
        for condition in node.aim.conditions:
            for clause in condition.clauses:
                if clause.subject is None:
                    continue
                names = self._robot.meant_by(clause.subject.noun)
                count = sum(map(self._known.is_known, names))
                if count < clause.count:
                    phrase = self._words.any_of(clause.subject.noun)
                    return given_up(self._words.reason('few', phrase, count=count), request)
        return given_up(self.no_way, request)

    def _look_on(self, node: _Node, view: View) -> Decision | None:
        return self._way_to(node, self._known.left_to_look(node.aim, node.seed), view)

    def _way_to(self, node: _Node, places: Iterable[str], view: View) -> Decision | None:
        """Return the next step to the first of some places that there is a way to."""
        for place in dict.fromkeys(places):
            if place in node.unreachable:
                continue
            kept = node.way.get(place)
            course = self._known.still(kept, node.seed) if kept else None
            course = course or self._known.way_to(place, node.seed)
            step = None if course is None else self._take(node, course, view)
            if step is not None:
                node.way = {place: course.steps[1:]} if course else {}
                return step
            node.unreachable.add(place)
        return None

    # Looking for a thing at a place

    def _looking(self, node: _Node, view: View, request: DecisionRequest) -> Decision:
        aim, belief = node.aim, self._known.belief
        held = tuple((HELD, name) for name in aim.things)
        if not aim.conditions and any(map(belief.knows, held)):
            return Done()
        (place,) = aim.places
        is_room = place in self._robot.rooms
        inner = [place]
        if is_room:
            inner = [
                name
                for name, one in self._robot.things.items()
                if one.room == place and self._known.is_known(name)
                and {'furniture', 'holder'} <= one.tags
            ]  # fmt: skip
        here = [
            name
            for name in aim.things
            if any(belief.knows((one, name, where)) for one in (ON, IN) for where in inner)
        ]
        if aim.conditions:
            return self._sweeping(node, view, request, here, inner)
        if here:
            found = Aim(facts=(tuple((HELD, name) for name in here),), kept=aim.kept)
            course = self._known.course(found, node.seed)
            step = None if course is None else self._take(node, course, view)
            if step is not None:
                return step
            return given_up(self.no_way, request)
        step = self._way_to(node, self._unlooked(place, inner, view), view)
        if step is not None:
            return step
        thing = self._words.any_of(self._known.noun_of(aim.things[0], aim))
        return given_up(self._words.reason('nothing', thing, place), request)

    def _unlooked(self, place: str, inner: list[str], view: View) -> list[str]:
        """Return what is left to look into at a place, or in a room and perhaps the room itself."""
        belief = self._known.belief
        left = sorted({*inner} - belief.looked_into, key=belief.turn)
        is_left = bool(left) or not inner
        away = place in self._robot.rooms and view.situation.room != place and is_left
        return [place, *left] if away else left

    def _sweeping(
        self, node: _Node, view: View, request: DecisionRequest,
        here: list[str], inner: list[str],
    ) -> Decision:  # fmt: skip
        """See to everything of a kind at a place, one after the other."""
        belief = self._known.belief
        (clause,) = node.aim.conditions[0].clauses
        assert clause.subject is not None
        held = [name for name in node.aim.things if belief.knows((HELD, name))]
        conditions = []
        node.taken |= dict.fromkeys((*held, *here))
        for name in node.taken:
            class_name, _, number = name.rpartition(' ')
            noun = Noun(class_name, int(number), frozenset({class_name}))
            subject = replace(clause.subject, noun=noun)
            conditions.append(Condition((replace(clause, subject=subject, quantity=''),)))
        left = [one for one in conditions if not self._known.holds(Aim((one,)))]
        unlooked = self._unlooked(node.aim.places[0], inner, view)
        if left:
            aim = Aim(tuple(left), node.aim.beside, kept=node.aim.kept)
            course = self._known.course(aim, node.seed)
            step = self._take(node, course, view) if course and course.steps else None
            return step or given_up(self.no_way, request)
        return self._way_to(node, unlooked, view) or Done()

    # Questions

    def _answer(self, question: Condition, given_up: Collection[str]) -> str:
        """Return the answer to a question; empty if it is not known yet."""
        (clause,) = question.clauses
        belief = self._known.belief
        if clause.subject is None:
            return ''
        things = self._robot.meant_by(clause.subject.noun)
        seen = [name for name in things if self._known.is_known(name)]
        if question.question == WHERE:
            for name in seen:
                found = self._where(name)
                if found:
                    return found
            return ''
        if question.question == WHETHER and clause.predicate is not None and seen:
            state = clause.predicate.holds.state
            looked = self._robot.hides.get(state)
            if looked and not belief.knows((IS, seen[0], looked)):
                return ''
            return self._words.yes_or_no(belief.knows((IS, seen[0], state)), self._language)
        if question.question == HOW_MANY and clause.others:
            places = self._robot.meant_by(clause.others[0])
            if {*self._known.left_to_look(Aim((question,)), 0)} - {*given_up}:
                return ''
            count = sum(
                any(belief.knows((one, name, place)) for one in (ON, IN) for place in places)
                for name in seen
            )
            return str(count)
        return ''

    def _where(self, name: str) -> str:
        for fact in sorted(self._known.belief.facts()):
            if fact[0] in (ON, IN) and fact[1] == name:
                found = self._words.where(fact[2], 'on' if fact[0] == ON else 'in')
                return f'{found} {self._where(fact[2])}'.strip()
        return ''

    # Thoughts and endings

    def _thought(self, view: View, decision: Decision, refused: str) -> Decision | None:
        """Return a thought before an act after something went wrong; None where nothing did.

        Where a model could not see from the last line that a thought is due, it would never think,
        and would not have learned what to do without the thought.
        """
        if not (view.choices.think and isinstance(decision, Act)):
            return None
        text = ''
        if refused and f'Act: {decision.phrase}' == view.decided[-1]:
            text = self._words.thought('again')
        elif refused and self._drops:
            text = self._words.thought('instead', act=decision.phrase)
        elif refused:
            text = self._words.thought('refused', why=refused, act=decision.phrase)
        elif view.failures and view.last == view.failures[-1]:
            text = self._words.thought('failed')
        most = view.choices.max_thought_chars
        return Think(text) if text and not 0 < most < len(text) else None

    def _mends(self) -> bool:
        """Return whether the next step mends what a rule asks of a later one of the plan."""
        state = self._known.belief.facts()
        for later in self._plan[1:]:
            for need in later.operator.needs if later.operator is not None else ():
                fact: Fact = tuple(later.binding.get(word, word) for word in need.fact)
                missing = (fact in state) != need.holds
                mended = fact in (self._plan[0].add if need.holds else self._plan[0].delete)
                if need.reason and missing and mended and fact[0] not in (AT, HELD, REACH, ON, IN):
                    return True
        return False

    def _fills(self) -> bool:
        """Return whether the plan first fills what is empty, and a later step takes of it."""
        steps = self._plan
        state = self._known.belief.facts()
        for (relation, subject), most in self._robot.levels.items():
            full: Fact = (relation, subject, str(most))
            filled = next((n for n, step in enumerate(steps) if full in step.add), None)
            if filled is None or (relation, subject, '0') not in state:
                continue
            serves = {*steps[filled].needs}
            if all(
                any(fact in serves or fact[:2] == (AT, ROBOT) for fact in step.add)
                for step in steps[:filled]
            ) and any(
                need.fact[:2] == (NEXT, relation)
                for later in steps[filled + 1 :]
                if later.operator is not None
                for need in later.operator.needs
            ):
                return True
        return False

    def _leaves_room(self) -> bool:
        """Return whether the next step is the way into another room, to a place there."""
        went = [fact[2] for step in self._plan for fact in step.add if fact[:2] == (AT, ROBOT)]
        into = went[0] if went else ''
        if into not in self._robot.rooms or (AT, ROBOT, into) not in self._plan[0].add:
            return False
        return any(place in self._robot.things for place in went)
