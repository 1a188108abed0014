# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A run of the teacher, done again in the form of another method.

The teacher decides as ReAcTree's agent nodes do. Its run is read as a tree of work; then the nodes
of ADaPT, HiAgent or STEP do the same task in the same world, answered so that the robot does the
same. All prompts are those of the method's own nodes; only the answers come from here.

=======  ==========================================================================================
adapt    an attempt does what needs no search and is no more than ``MOST_AT_ONCE`` skills; of what
         is more it asks memory until a thing was not seen, and fails; the teacher's split is its
hiagent  what each agent node does itself is a subgoal; its summary says how the node ended and
         what has changed; what a summary hides is retrieved before a skill needs it
step     an agent node is a subgoal that is split, its skills are subgoals that are one skill, and
         what it asks memory is asked before; some subgoals are wrong on purpose, and only the
         check that finds it is learned
=======  ==========================================================================================
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from reactree_ros.core.decision import (
    ACT_LINE,
    CONDITIONS_LINE,
    DONE,
    EXPLAINED,
    FAILURE,
    RECALL,
    THINK_LINE,
    Choices,
    ControlFlow,
    Expand,
    ending_of,
    parse_decision,
    to_text,
)
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.model import Answer, DecisionRequest, TextRequest
from reactree_ros.core.observation import ObservedObject
from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.core.situation import Situation
from reactree_ros.errors import ModelError
from reactree_ros.lab.dataset.dagger import Label
from reactree_ros.lab.dataset.example import ExampleOrigin, TrainingExample
from reactree_ros.lab.teacher.view import is_named
from reactree_ros.planner.options import PlannerOptions
from reactree_ros.sim.draw import Draw
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.strategies.adapt import AdaptOptions
from reactree_ros.strategies.hiagent import NOT_REACHED, REACHED, VERDICTS
from reactree_ros.strategies.step import (
    BEYOND,
    CONSISTENT,
    ELSEWHERE,
    MAPPABLE,
    NO_SKILL,
    NOT_NOW,
    REFINED,
)

MOST_AT_ONCE = 12
"""Skills that an attempt of ADaPT does. What the teacher splits is split if it takes more, or if
something has to be looked for in one place after another."""
_MOST_PARTS = 5
"""Of a split, as ADaPT's prompt asks for."""
_MISTAKES = 0.15
"""Share of STEP's subgoals that are preceded by a wrong one."""
_MOST_NEWS, _MOST_SEEN = 4, 4
_MOST_CHARS = 400
"""Of a summary: HiAgent's may have 128 tokens."""
_AGAIN = 0.5
"""Share of those that are not for the goal which repeat what is done, where anything is."""
_NO_SKILLS = ('paint', 'repair', 'photograph', 'iron', 'weigh')
"""Verbs, of which those are used that no skill of the robot has."""
_ANY = Choices(max_subgoals=0, max_subgoal_chars=0)
_UNKNOWN, _TOO_MUCH = 'it has to be looked for', 'this is more than one task'


@dataclass
class Work:
    """What an agent node of the teacher did.

    Args:
        goal: the node's.
        conditions: the line that put the goal into conditions; empty if none did.
        parts: its skills and questions, as decision lines, and the nodes below it, in order.
        splits: its expansions.
        ending: the decision line that ended it; empty if its last expansion did.
    """

    goal: str
    conditions: str = ''
    parts: list[Work | str] = field(default_factory=list)
    splits: list[Expand] = field(default_factory=list)
    ending: str = ''

    @property
    def end(self) -> str:
        """The decision line that ended it; one whose parts have succeeded is asked for none."""
        return self.ending or f'{ACT_LINE}{DONE}'

    @property
    def failed(self) -> bool:
        """Whether the node gave up."""
        return ending_of(self.ending) == FAILURE

    @property
    def below(self) -> list[Work]:
        """The nodes below it."""
        return [part for part in self.parts if isinstance(part, Work)]

    def acts(self) -> Iterator[str]:
        """Yield all decision lines of skills and questions, those of the nodes below included."""
        for part in self.parts:
            if isinstance(part, Work):
                yield from part.acts()
            else:
                yield part


def work_of(labels: Iterable[Label]) -> Work:
    """Return what the teacher did in a run, from its decisions in their order.

    Raises:
        ModelError: if it decided nothing.
    """
    path: list[tuple[str, Work]] = []
    for label in labels:
        prompt, text = label.prompt, label.text
        while len(path) > 1 and path[-1][0] != prompt.task and path[-1][1].goal != prompt.parent:
            path.pop()
        if not path or path[-1][0] != prompt.task:
            work = Work(prompt.goal)
            if path:
                path[-1][1].parts.append(work)
            path.append((prompt.task, work))
        work = path[-1][1]
        if text.startswith(CONDITIONS_LINE):
            work.conditions = text
        elif text.startswith('Expand: '):
            split = parse_decision(text, _ANY)
            assert isinstance(split, Expand)
            work.splits.append(split)
        elif ending_of(text):
            work.ending = text
        elif not text.startswith(THINK_LINE):
            work.parts.append(text)
    if not path:
        raise ModelError('the teacher has decided nothing')
    return path[0][1]


class Form:
    """Answers the nodes of a method as the teacher's run says; a language model.

    Args:
        work: the teacher's run.
        library: the robot's skills.
        draw: draws what is left to chance.
        options: of the planner.
    """

    situation: Callable[[], Situation] = Situation
    """Returns what the run knows."""

    def __init__(
        self, work: Work, library: SkillLibrary, draw: Draw, options: PlannerOptions
    ) -> None:
        self._root = work
        self._library = library
        self._draw = draw
        self.labels: list[Label] = []
        """All answers; those that are mistakes are not executed ones."""

    def decide(self, request: DecisionRequest) -> Future[Answer]:
        """Answer at once."""
        self._look()
        if request.choices.conditions is not None:
            return ready(self._answer(request.prompt, self._root.conditions))
        decision = self._decision(request.prompt, request.choices)
        return ready(self._answer(request.prompt, decision))

    def write(self, request: TextRequest) -> Future[tuple[Answer, ...]]:
        """Write at once."""
        return ready((self._answer(request.prompt, self._text(request.prompt)),))

    def _answer(self, prompt: Prompt, text: str) -> Answer:
        self.labels.append(Label(prompt, text, not self._errs()))
        return Answer(text, tokens_out=1)

    def _errs(self) -> bool:
        """Return whether what was answered just now is wrong on purpose."""
        return False

    def _look(self) -> None:
        """Take note of what is known before a decision."""

    def _decision(self, prompt: Prompt, choices: Choices) -> str:
        raise NotImplementedError

    def _text(self, prompt: Prompt) -> str:
        raise ModelError('this method writes no text')


@dataclass
class _Subgoal:
    """Skills that one agent node of the teacher did in a row.

    Args:
        goal: the node's.
        acts: their decision lines.
        failed: why the node gave up after them; empty if it split its goal then; None otherwise.
    """

    goal: str
    acts: deque[str]
    failed: str | None = None


class HiAgentForm(Form):
    """Answers HiAgent's node."""

    def __init__(
        self, work: Work, library: SkillLibrary, draw: Draw, options: PlannerOptions
    ) -> None:
        super().__init__(work, library, draw, options)
        self._subgoals = [*_subgoals(work)] or [_Subgoal(work.goal, deque())]
        self._begun = 0
        self._known: dict[str, ObservedObject] = {}
        """Each thing as it was before the subgoal, or when it was first seen."""
        self._folded: list[str] = []

    def _look(self) -> None:
        self._known = {**self.situation().objects, **self._known}

    def _decision(self, prompt: Prompt, choices: Choices) -> str:
        if choices.skills == VERDICTS:
            # the next subgoal is named already
            failed = self._subgoals[self._begun - 2].failed is not None
            return f'{ACT_LINE}{NOT_REACHED if failed else REACHED}'
        acts = self._subgoals[self._begun - 1].acts if self._begun else ()
        if not acts:
            if self._begun == len(self._subgoals):
                return self._root.end
            self._begun += 1
            return f'{THINK_LINE}{self._subgoals[self._begun - 1].goal}'
        return self._retrieved(acts[0], prompt, choices) or acts.popleft()

    def _retrieved(self, act: str, prompt: Prompt, choices: Choices) -> str:
        """Return the request for the steps that name what an act is about; empty if it is read."""
        read = '\n'.join((prompt.task, *(step.text for step in prompt.steps)))
        for item in self.situation().objects.values():
            if not act.endswith(f' {item.name}') or is_named(item, read, self._library):
                continue
            for number, text in reversed(list(enumerate(self._folded, start=1))):
                phrase = f'retrieve subgoal {number}'
                if phrase in choices.skills and is_named(item, text, self._library):
                    return f'{ACT_LINE}{phrase}'
        return ''

    def _text(self, prompt: Prompt) -> str:
        """Return the summary of the subgoal before the one that was named last."""
        steps = prompt.steps[:-1]
        read = '\n'.join(step.text for step in steps)
        self._folded.append(read)
        subgoal = self._subgoals[self._begun - 2]
        now = self.situation().objects
        named = {name for name, item in now.items() if is_named(item, read, self._library)}
        news = _news(self._known, now, named, self._root.goal)
        self._known = dict(self.situation().objects)
        said = subgoal.failed or ('' if news and subgoal.failed is None else steps[-1].text)
        sentences = [f'{one[0].upper()}{one[1:].rstrip(".")}.' for one in (said, *news) if one]
        while len(sentences) > 1 and len(' '.join(sentences)) > _MOST_CHARS:
            # of what was seen, that which the goal names stands last
            seen = (n for n, one in enumerate(sentences) if one.startswith('Seen '))
            del sentences[next(seen, -1)]
        return ' '.join(sentences)


def _subgoals(work: Work) -> Iterator[_Subgoal]:
    last: _Subgoal | None = None
    for part in work.parts:
        if isinstance(part, Work):
            if last is not None:
                last.failed = ''  # what it did was not enough
            last = None
            yield from _subgoals(part)
        elif last is None:
            last = _Subgoal(work.goal, deque([part]))
            yield last
        else:
            last.acts.append(part)
    if last is not None and work.failed:
        last.failed = work.ending.partition(EXPLAINED)[2].partition(EXPLAINED)[2]


def _is_recall(line: str) -> bool:
    return line.startswith(ACT_LINE + RECALL)


def _is_offered(recall: str, choices: Choices) -> bool:
    return recall.removeprefix(ACT_LINE + RECALL) in choices.recall


def _news(
    before: Mapping[str, ObservedObject],
    now: Mapping[str, ObservedObject],
    named: Collection[str],
    goal: str,
) -> list[str]:
    """Return short sentences on what has changed, and on what was seen; what the goal names first.

    Args:
        before: what was known before the steps.
        now: what is known after them.
        named: names of what the steps name.
        goal: what all of it is for.
    """
    changed: list[tuple[bool, bool, str]] = []
    seen: dict[str, list[tuple[bool, str]]] = {}
    for name, item in now.items():
        old, movable = before.get(name), 'grabbable' in item.affordances
        wanted, where = item.class_name in goal, f'{item.relation or "at"} {item.receptacle}'
        what = ''
        if old and item.states != old.states:
            gone = f'no longer {" and ".join(sorted(old.states - item.states))}'
            what = ' and '.join(sorted(item.states - old.states)) or gone
        elif item.held and not (old and old.held):
            what = 'held'
        elif old and movable and not item.held and item.receptacle not in ('', old.receptacle):
            what = where
        elif movable and not item.held and item.receptacle and name in named:
            seen.setdefault(where, []).append((not wanted, name))
        if what:
            changed.append((not wanted, not movable, f'{name} is {what}'))
    places = sorted(seen, key=lambda where: min(seen[where])[0], reverse=True)
    return [
        *(text for *_, text in sorted(changed)[:_MOST_NEWS]),
        *(f'seen {where}: {", ".join(name for _, name in sorted(seen[where])[:_MOST_SEEN])}'
          for where in places[-_MOST_NEWS:]),
    ]  # fmt: skip


class StepForm(Form):
    """Answers STEP's nodes."""

    def __init__(
        self, work: Work, library: SkillLibrary, draw: Draw, options: PlannerOptions
    ) -> None:
        super().__init__(work, library, draw, options)
        self._path: list[tuple[Work, deque[Work | str], list[str]]] = []
        self._part: Work | str = ''
        self._asks: deque[str] = deque()
        self._wrong: deque[str] = deque()
        self._goes_well = False
        self._enter(work)

    def _enter(self, work: Work) -> None:
        """Begin with a node, its parts, and none of them that is reached."""
        self._path.append((work, deque(work.parts), []))

    def _decision(self, prompt: Prompt, choices: Choices) -> str:
        if choices.think:
            return self._subgoal(prompt, choices)
        if self._wrong:
            if self._wrong[0] == MAPPABLE and MAPPABLE not in choices.skills:
                self._wrong.popleft()  # at the greatest depth
            return f'{ACT_LINE}{self._wrong.popleft()}'
        if CONSISTENT in choices.skills:
            return f'{ACT_LINE}{CONSISTENT}'
        skill = _only(self._part)
        if REFINED not in choices.skills:
            return skill or f'{ACT_LINE}{NO_SKILL}'
        if skill:
            return f'{ACT_LINE}{MAPPABLE}'
        assert isinstance(self._part, Work)
        self._enter(self._part)
        return f'{ACT_LINE}{REFINED}'

    def _subgoal(self, prompt: Prompt, choices: Choices) -> str:
        work, left, _ = self._path[-1]
        if prompt.goal != work.goal:
            raise ModelError(f'the teacher is not at {prompt.goal!r}')
        while left and _is_nothing(left[0]):
            self._asks.extend(_lines(left.popleft()))
        if left and left[0] is not self._part and _only(left[0]):
            self._part = left[0]
            self._asks.extend(line for line in _lines(self._part) if _is_recall(line))
        while self._asks:
            line = self._asks.popleft()
            if _is_offered(line, choices):
                return line
        if not left:
            if len(self._path) > 1:
                self._path.pop()
                self._path[-1][2].extend([] if work.failed else [work.goal])
            self._goes_well = not work.failed
            return f'{ACT_LINE}{FAILURE if work.failed else DONE}'
        # a few unfit subgoals in a row end a node
        if self._goes_well and self._draw.chance(_MISTAKES):
            named, found = self._mistake(prompt, left)
            if found:
                # what is overseen by the first check shows when a skill is to be chosen
                overseen = (CONSISTENT, MAPPABLE) if found == NO_SKILL else ()
                self._wrong.extend((*overseen, found))
                self._goes_well = False
                return f'{THINK_LINE}{named}'
        self._part = left.popleft()
        self._goes_well = True
        if isinstance(self._part, Work):
            return f'{THINK_LINE}{self._part.goal}'
        return f'{THINK_LINE}{self._part.removeprefix(ACT_LINE)}'

    def _errs(self) -> bool:
        return bool(self._wrong)

    def _mistake(self, prompt: Prompt, left: Sequence[Work | str]) -> tuple[str, str]:
        """Return a subgoal that is none, and what the check says of it; empty if there is none."""
        situation = self.situation()
        kind = self._draw.pick((BEYOND, ELSEWHERE, NOT_NOW, NO_SKILL))
        skills = self._library.executable(situation)
        if kind in (NOT_NOW, NO_SKILL):
            possible = {skill.phrase for skill in skills}
            later = [act for part in left for act in _lines(part) if not _is_nothing(act)]
            phrases = (act.removeprefix(ACT_LINE) for act in later[1:])
            named = [one for one in phrases if one not in possible]
            return (named[0], kind) if named else ('', '')
        planned = {part.goal for part in left if isinstance(part, Work)}
        finished = [goal for goal in self._path[-1][2] if goal not in planned]
        if kind == ELSEWHERE and finished and self._draw.chance(_AGAIN):
            return self._draw.pick(finished), kind
        read = '\n'.join(
            (self._root.goal, self._root.conditions, prompt.task, *self._root.acts())
        ).lower()
        kinds = self._library.kinds.items()
        meant = {one for word, classes in kinds if word in read for one in classes}
        others = sorted(one for one in situation.movable - meant if one not in read)
        if not others:
            return '', ''
        if kind == ELSEWHERE:
            return f'find and pick up the {self._draw.pick(others)}', kind
        known = ' '.join(skill.phrase for skill in skills)
        verbs = [verb for verb in _NO_SKILLS if verb not in known]
        return f'{self._draw.pick(verbs)} the {self._draw.pick(others)}', kind


def _lines(part: Work | str) -> Iterator[str]:
    if isinstance(part, Work):
        yield from part.acts()
    else:
        yield part


def _is_nothing(part: Work | str) -> bool:
    """Return whether STEP has no subgoal for it: it only asks memory."""
    return all(map(_is_recall, _lines(part)))


def _only(part: Work | str) -> str:
    """Return the decision line of the only skill that a part is; empty if it is more."""
    lines = [line for line in _lines(part) if not _is_nothing(line)]
    failed = isinstance(part, Work) and part.failed
    return lines[0] if len(lines) == 1 and not failed else ''


class AdaptForm(Form):
    """Answers ADaPT's attempts and splits."""

    def __init__(
        self, work: Work, library: SkillLibrary, draw: Draw, options: PlannerOptions
    ) -> None:
        super().__init__(work, library, draw, options)
        found = options.options_of('adapt')
        assert isinstance(found, AdaptOptions)
        self._deepest = found.split_depth
        self._waiting = [(work, 1)]
        self._tried = (work, 1)
        self._lines: deque[str] = deque()

    def _decision(self, prompt: Prompt, choices: Choices) -> str:
        if choices.control_flows:
            return self._split()
        if not self._lines:
            self._begin(prompt.goal, choices)
        return self._lines.popleft()

    def _begin(self, goal: str, choices: Choices) -> None:
        """Prepare the attempt at a goal."""
        found = next((one for one in self._waiting if one[0].goal == goal), None)
        if found is None:
            raise ModelError(f'the teacher did not work on {goal!r}')
        self._waiting.remove(found)
        self._tried = found
        work, depth = found
        splits = self._is_split(work)
        if splits and depth == self._deepest:
            raise ModelError('what is split elsewhere would be tried at the greatest depth')
        if not splits:
            self._lines.extend((*work.acts(), work.end))
            return
        seen = {item.class_name for item in self.situation().objects.values()}
        for asked in dict.fromkeys(filter(_is_recall, work.acts())):
            if _is_offered(asked, choices):
                self._lines.append(asked)
                if asked.removeprefix(ACT_LINE + RECALL) not in seen:
                    break
        why = _UNKNOWN if self._searches(work) else _TOO_MUCH
        self._lines.append(f'{ACT_LINE}{FAILURE}{EXPLAINED}{why}')

    def _split(self) -> str:
        work, depth = self._tried
        if not self._is_split(work):
            raise ModelError('the teacher has not split this')
        (split,) = work.splits
        if len(split.subgoals) > _MOST_PARTS:
            raise ModelError('the split is longer than the prompt asks for')
        self._waiting[:0] = [(one, depth + 1) for one in work.below]
        if split.control_flow is ControlFlow.PARALLEL:
            split = replace(split, control_flow=ControlFlow.SEQUENCE)
        return to_text(split)

    def _is_split(self, work: Work) -> bool:
        """Return whether a goal is too much for one attempt, and its parts can be attempted."""
        if len(work.splits) != 1 or len(work.splits[0].subgoals) == 1:
            return False
        return self._searches(work) or len([*work.acts()]) > MOST_AT_ONCE

    def _searches(self, work: Work) -> bool:
        """Return whether something was looked for in one place after another."""
        fallbacks = (one for one in work.splits if one.control_flow is ControlFlow.FALLBACK)
        places_differ = any(self._names_places(work.goal, one) for one in fallbacks)
        return places_differ or any(map(self._searches, work.below))

    def _names_places(self, goal: str, split: Expand) -> bool:
        """Return whether each part names a place that the goal, unlike a choice, does not name."""
        situation = self.situation()
        places = {one for one in situation.objects.values() if 'furniture' in one.affordances}
        words = {*situation.rooms, *(one.name for one in places)}
        words |= {word.rstrip(' 0123456789') for word in words}
        named = re.compile(rf'\b(?:{"|".join(map(re.escape, words))})\b', re.IGNORECASE)
        own = {one.casefold() for one in named.findall(goal)}
        return bool(words) and all(
            {one.casefold() for one in named.findall(subgoal)} - own for subgoal in split.subgoals
        )


FORMS: dict[str, type[Form]] = {'adapt': AdaptForm, 'hiagent': HiAgentForm, 'step': StepForm}
"""What answers the nodes of a strategy, by its name."""


@dataclass
class _Growing:
    """A prompt, all steps from its first to the last answer, and which of them are learned."""

    prompt: Prompt
    steps: list[Step]
    learned: set[int] = field(default_factory=set)

    def is_continued_by(self, prompt: Prompt) -> bool:
        same = (self.prompt.system, self.prompt.task) == (prompt.system, prompt.task)
        return same and list(prompt.steps[: len(self.steps)]) == self.steps


def examples_of(
    labels: Iterable[Label], origin: Callable[[Prompt], ExampleOrigin]
) -> list[TrainingExample]:
    """Return what is learned from answers; what only continues a prompt is one example with it.

    Args:
        labels: the answers in their order.
        origin: of an example, from its prompt.
    """
    found: list[_Growing] = []
    for label in labels:
        prompt = label.prompt
        known = next((one for one in reversed(found) if one.is_continued_by(prompt)), None)
        if known is None:
            known = _Growing(prompt, [])
            found.append(known)
        known.steps = [*prompt.steps, Step(label.text, decided=True)]
        if label.executed:
            known.learned.add(len(prompt.steps))
    return [
        TrainingExample(
            one.prompt.system,
            one.prompt.examples,
            one.prompt.task,
            tuple(
                Step(step.text, number in one.learned)
                for number, step in enumerate(one.steps[: max(one.learned) + 1])
            ),
            origin(one.prompt),
        )
        for one in found
        if one.learned
    ]
