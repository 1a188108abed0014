# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goals of generated robots: conditions in their own predicates, worded, and solvable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from reactree_ros.sim.draw import Draw
from reactree_ros.sim.made.conditions import NoPlanError
from reactree_ros.sim.made.drafting import (
    FIELD_SHAPES,
    LIST,
    SHAPES,
    STEPS,
    Draft,
    Drafting,
    NoDraftError,
)
from reactree_ros.sim.made.make import FIELD_SETS
from reactree_ros.sim.made.planning import plan, plan_stages
from reactree_ros.sim.made.robot import MadeRobot
from reactree_ros.sim.made.saying import Phrase, Speaker
from reactree_ros.sim.made.world import MadeWorld
from reactree_ros.sim.planning.facts import Action, State
from reactree_ros.sim.vocabulary import phrases, requests, translations
from reactree_ros.skills.goal_conditions import Condition

_TRIES = 60
_WORDINGS = 5
_ALWAYS = 1000
_HELD_UP = 0.4
"""In how many goals with steps a skill fails the first time."""
_FREELY = 0.75
"""How many wordings are free ones, where a goal can be said so."""
_OTHERS = ('de', 'es')
"""Languages in which some people speak to robots that speak English."""


@dataclass(frozen=True)
class MadeGoal:
    """A goal of a generated robot.

    Args:
        shape: one of SHAPES or FIELD_SHAPES; of what is done, with a dot and the kinds of wishes
            after it.
        start: seed of a start in which it does not hold.
        conditions: lines of conditions; empty if it cannot be said in the robot's language.
        instructions: wordings.
        languages: of each wording.
        answer: words of which one must stand in the answer; empty if nothing is asked.
        impossible: it cannot be reached.
        plan: phrases of a plan under full knowledge; empty if it is impossible.
        faults: skills with their arguments, and how often each fails before it can be done.
    """

    shape: str
    start: int
    conditions: tuple[str, ...]
    instructions: tuple[str, ...]
    languages: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    impossible: bool = False
    plan: tuple[str, ...] = ()
    faults: tuple[tuple[tuple[str, ...], int], ...] = ()


def goals_of(robot: MadeRobot, how_many: int) -> tuple[MadeGoal, ...]:
    """Return goals of a robot, always the same; fewer if it can do too little.

    Args:
        robot: the robot.
        how_many: at most so many.

    Raises:
        ConfigurationError: the planning engine is not installed.
    """
    found: dict[tuple[str, ...], MadeGoal] = {}
    for number in range(_TRIES + 3 * how_many):
        if len(found) == how_many:
            break
        goal = _goal(robot, number)
        if goal is not None and (goal.conditions or goal.instructions) not in found:
            found[goal.conditions or goal.instructions] = goal
    return tuple(found.values())


@lru_cache(maxsize=512)
def _goal(robot: MadeRobot, number: int) -> MadeGoal | None:
    """Draw a goal and try it; None if it does not make sense."""
    draw = Draw(f'{robot.name} goal {number}')
    start = draw.whole(1, 9999)
    state = robot.start(start)
    shape = draw.weighted(FIELD_SHAPES if robot.set in FIELD_SETS else SHAPES)
    try:
        draft = Drafting(robot, state, draw).draft(shape)
    except NoDraftError:
        return None
    speaker = Speaker(robot.say.language, draw)
    if not _can_say(draft, speaker, robot.say.language):
        return None
    world = MadeWorld(robot, start, draft.lines)
    steps = _planned(draft, world)
    if steps is None:
        return None
    goal = _made(robot, draft, shape, start, speaker, draw, steps)
    if draft.joint != STEPS:
        return goal
    faults = _faults(robot, state, world.conditions, draft.fails, steps, draw)
    return None if faults is None else replace(goal, faults=faults)


def _can_say(draft: Draft, speaker: Speaker, language: str) -> bool:
    """Return whether there are words for a draft."""
    if draft.joint == LIST:
        return speaker.can_say_freely(draft.parts, listed=True)
    if draft.question and not requests(language)[draft.question[0]]:
        return False
    return all(map(speaker.can_say, draft.parts))


def _planned(draft: Draft, world: MadeWorld) -> tuple[Action, ...] | None:
    """Return a plan of which was seen that it reaches a draft, none if that is impossible.

    None if the draft makes no sense: a part of it holds already, or it cannot be reached, or it
    was to be impossible and is not.
    """
    if not draft.lines:
        return ()
    if world.judge().satisfied:
        return None
    conditions = world.conditions
    if draft.joint == STEPS:
        later = [one for one in conditions if one.stage and not one.of_robot]
        if world.at_once(later).satisfied:
            return None
        conditions = tuple(_one_way(one, fails=draft.fails) for one in conditions)
    try:
        steps = plan_stages(world.robot, world.state, conditions)
    except (NoPlanError, TimeoutError):
        return None
    if (steps is None) != draft.impossible:
        return None
    for step in steps or ():
        world.execute(step.skill, step.arguments)
    asks = all(one.asks for one in conditions)
    if steps and not asks and not world.judge().holds:
        return None
    return steps or ()


def _one_way(condition: Condition, *, fails: bool) -> Condition:
    """Return a condition without the other way to meet it; with that alone if the first fails."""
    return replace(condition, clauses=condition.clauses[-1:] if fails else condition.clauses[:1])


def _faults(
    robot: MadeRobot,
    state: State,
    conditions: Sequence[Condition],
    fails: bool,
    steps: Sequence[Action],
    draw: Draw,
) -> tuple[tuple[tuple[str, ...], int], ...] | None:
    """Return what fails: always, so that another way has to be taken, or the first time.

    None if a plan cannot do without what always fails.
    """
    found: dict[tuple[str, ...], int] = {}
    if steps and draw.chance(_HELD_UP):
        step = draw.pick([*steps])
        found[step.skill, *step.arguments] = 1
    for condition in conditions:
        if fails and len(condition.clauses) > 1:
            way = plan(robot, state, (replace(_one_way(condition, fails=False), stage=0),))
            if not way:
                return None
            always = (way[-1].skill, *way[-1].arguments)
            if any((step.skill, *step.arguments) == always for step in steps):
                return None
            found[always] = _ALWAYS
    return tuple(found.items())


def _made(
    robot: MadeRobot,
    draft: Draft,
    shape: str,
    start: int,
    speaker: Speaker,
    draw: Draw,
    steps: Sequence[Action],
) -> MadeGoal:
    listed = draft.joint == LIST
    free = (
        robot.set in FIELD_SETS
        and draft.joint in ('', 'both', LIST)
        and speaker.can_say_freely(draft.parts, listed=listed)
    )

    def worded() -> str:
        if free and (listed or draw.chance(_FREELY)):
            return speaker.freely(draft.parts, listed=listed)
        return _worded(draft, speaker)

    words = {worded(): robot.say.language for _ in range(_WORDINGS)}
    answer = draft.answer
    if robot.say.language == 'en' and draw.chance(0.6):
        for language in draw.shuffled(_OTHERS):
            other = _translated(draft, robot, language)
            if other is not None:
                foreign = Speaker(language, draw)
                words |= {_worded(other, foreign): language for _ in range(2)}
                answer += other.answer
    kind = '.'.join((shape, *dict.fromkeys(draft.acts)))
    skills = {one.name: one for one in robot.library.skills}
    return MadeGoal(
        kind,
        start,
        draft.lines,
        tuple(words),
        tuple(words.values()),
        tuple(dict.fromkeys(answer)),
        draft.impossible,
        tuple(skills[one.skill].ground(*one.arguments).phrase for one in steps),
    )


def _translated(draft: Draft, robot: MadeRobot, language: str) -> Draft | None:
    """Return a draft with the words of another language; None if there are none for it."""
    if draft.joint in (STEPS, LIST):
        return None
    nouns, verbs = translations(language)
    speaker = Speaker(language, Draw(''))
    if any(part.x and (part.x.count != 1 or part.x.adjective) for part in draft.parts):
        return None

    def phrase(one: Phrase | None) -> Phrase | None:
        return None if one is None else replace(one, noun=nouns[one.noun.name])

    try:
        parts = []
        for part in draft.parts:
            words = part.words
            if words:
                verb, state = verbs[words['verb']]
                words = {'verb': verb, 'state': state}
            parts.append(replace(part, x=phrase(part.x), p=phrase(part.p), words=words))
        question, acts, answer = None, draft.acts, draft.answer
        if draft.question:
            key, slots = draft.question
            question = (key, {name: replace(one, noun=nouns[one.noun.name])
                              for name, one in slots.items()})  # fmt: skip
            if acts[0] == 'where':
                answer = tuple(nouns[one].every[0] for one in answer if one in nouns)
                if not answer:
                    return None
            if acts[0] == 'whether':
                keys = {word: key for key, word in phrases('en')['states'].items()}
                acts = ('whether', phrases(language)['states'][keys[acts[-1]]])
                is_so = answer == tuple(requests('en')['yes'])
                answer = tuple(requests(language)['yes' if is_so else 'no'])
    except KeyError:
        return None
    if not draft.parts and not draft.question:
        return draft
    if not all(map(speaker.can_say, parts)) or (question and not requests(language)[question[0]]):
        return None
    return replace(draft, parts=tuple(parts), question=question, acts=acts, answer=answer)


def _worded(draft: Draft, speaker: Speaker) -> str:
    if draft.question:
        key, named = draft.question
        slots = {}
        for name, phrase in named.items():
            if name == 'xs':
                slots[name] = speaker.plural(phrase)
            else:
                slots[name] = speaker.noun(phrase)
                slots[f'{name}n'] = speaker.noun(phrase, 'n')
        state = draft.acts[-1] if draft.acts else ''
        return speaker.ask(key, **slots, state=state)
    if not draft.parts:
        return speaker.nonsense()
    if draft.joint == STEPS:
        return speaker.steps(draft.parts)
    if draft.joint:
        return speaker.several(draft.parts, draft.joint)
    return speaker.one(draft.parts[0])
