# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A robot's skills as data: phrases, when each is offered, and which action server does it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Protocol

from reactree_ros.core.observation import Observation, ObservedObject
from reactree_ros.core.settings import NO_APPROVAL, RISK_LEVELS
from reactree_ros.core.situation import Situation, receptacles
from reactree_ros.skills.call import Call, Surroundings
from reactree_ros.skills.conditions import Check, GoalCheck
from reactree_ros.skills.declared_world import Declared, DeclaredWorld
from reactree_ros.skills.executable_set import executable_set, objections
from reactree_ros.skills.keep_out import KeepOut
from reactree_ros.skills.pose import Pose
from reactree_ros.skills.predicates import Predicate


@dataclass(frozen=True)
class GroundedSkill:
    """A skill with its arguments, ready to run.

    Args:
        name: name of the skill in its library, e.g. ``go_to``.
        arguments: names of objects or rooms, e.g. ``('kitchen 1',)``.
        phrase: how the model names it, e.g. ``go to kitchen 1``.
        call: how it reaches the robot.
        named: its arguments by their names in the library, e.g. ``{'place': 'kitchen 1'}``.
        approval: a person has to allow it each time.
        claims: names of the robot's resources that it needs for itself, e.g. ``arm``.
        check: what must hold when the robot says that it is done.
        shared_claims: things and places that no other robot's skill may be at meanwhile.
    """

    name: str
    arguments: tuple[str, ...]
    phrase: str
    call: Call
    named: Mapping[str, str] = field(default_factory=dict)
    approval: bool = False
    claims: frozenset[str] = frozenset()
    check: Check = Check()  # noqa: RUF009 - immutable
    shared_claims: frozenset[str] = frozenset()


class WorldModel(Protocol):
    """What is known of the surroundings of a robot that does not perceive them."""

    def observe(self) -> Observation:
        """Return all that is known."""

    def after(self, skill: GroundedSkill, said: str) -> Observation:
        """Apply a skill that has succeeded, and return what is known then.

        Args:
            skill: the skill.
            said: what the robot said of it, with which the observation's text begins.
        """

    def reset(self) -> None:
        """Forget what skills have changed."""


@dataclass(frozen=True)
class Filter:
    """Which objects or rooms may fill an argument; every condition that is set must hold.

    Args:
        kind: ``object`` or ``room``.
        affordance: at least one of these affordances.
        state: this state.
        not_state: not this state.
        near: within reach, or not.
        held: in the robot's hands, or not.
        here: the robot stands there, or not.
    """

    kind: str = 'object'
    affordance: frozenset[str] = frozenset()
    state: str = ''
    not_state: str = ''
    near: bool | None = None
    held: bool | None = None
    here: bool | None = None

    def accepts(self, item: ObservedObject, situation: Situation) -> bool:
        """Return whether an object passes."""
        return (
            (not self.affordance or bool(self.affordance & item.affordances))
            and (not self.state or self.state in item.states)
            and (not self.not_state or self.not_state not in item.states)
            and self.near in (None, item.near)
            and self.held in (None, item.held)
            and self.here in (None, item.name == situation.place)
        )


@dataclass(frozen=True)
class Skill:
    """One skill of a library.

    Args:
        name: its name.
        phrase: how the model names it, with arguments in braces: ``put down {item}``.
        arguments: for each argument, by name in the order of the phrase, the filters of which
            one must accept.
        hands_free: offered only with a free hand.
        holding: offered only while holding something with this affordance.
        at: offered only while standing at something that this filter accepts.
        call: how it reaches the robot.
        approval: a person has to allow it each time.
        risk: its class, one of ``RISK_LEVELS``.
        claims: names of the robot's resources that it needs for itself, e.g. ``arm``; a name in
            braces is an argument, which no other robot's skill may be at meanwhile.
        check: what must hold when the robot says that it is done.
    """

    name: str
    phrase: str
    arguments: Mapping[str, tuple[Filter, ...]]
    hands_free: bool
    holding: str
    at: Filter | None
    call: Call
    approval: bool = False
    risk: str = RISK_LEVELS[0]
    claims: frozenset[str] = frozenset()
    check: Check = Check()  # noqa: RUF009 - immutable

    @property
    def verb(self) -> str:
        """Its phrase without the arguments, e.g. ``pick up``."""
        return ' '.join(re.sub(r'{\w*}', ' ', self.phrase).split())

    def ground_named(self, arguments: Mapping[str, str]) -> GroundedSkill:
        """Return the skill with its arguments filled in by their names."""
        return self.ground(*(arguments[name] for name in self.arguments))

    def ground(self, *arguments: str) -> GroundedSkill:
        """Return the skill with its arguments filled in."""
        named = dict(zip(self.arguments, arguments, strict=True))
        phrase = self.phrase.format(**named)
        return GroundedSkill(
            self.name,
            arguments,
            phrase,
            self.call,
            named,
            self.approval,
            frozenset(one for one in self.claims if '{' not in one),
            self.check,
            frozenset(one.format(**named) for one in self.claims if '{' in one),
        )


@dataclass(frozen=True)
class SkillLibrary:
    """The skills of one robot or bridge.

    Args:
        name: name of the library.
        skills: its skills, in the order in which they are offered.
        hands: how many objects the robot can hold.
        objects: classes of movable objects that its perception can name; empty if unknown.
        places: classes of places that its perception can name; empty if unknown.
        kinds: classes that a wider word means, e.g. plate and bowl for crockery.
        declared: the surroundings of a robot that does not perceive them; None for one that does.
        poses: where rooms, places and things are, by name or class.
        frame: TF frame of poses in messages that name none.
        ids: what the robot calls rooms, places and things, by name, where that is another name.
        agent: what has these skills, in the words of prompts.
        rules: what prompts say about the skills besides their phrases.
        prompts: folder whose prompts replace those of the package of the same name; None for none.
        examples: files of experiences with these skills, by kind: ``tree``, ``tree_sequence``,
            ``tree_sequence_fallback``, ``flat``, ``plans``, ``skills``, ``hiagent``, ``step`` or
            ``learned``.
        closed_world: everything is known by name from the start, as in a PDDL problem; nothing is
            recalled, and plans name individual things.
        safe_state: what brings the robot to rest when no model answers, in order.
        keep_out: what the robot must keep out of.
        done: what must hold when a goal is said to be done.
        predicates: what the conditions of a goal can say; without any, goals have no conditions.
    """

    name: str
    skills: tuple[Skill, ...]
    hands: int
    objects: frozenset[str]
    places: frozenset[str]
    kinds: Mapping[str, frozenset[str]] = field(default_factory=dict)
    declared: Declared | None = None
    poses: Mapping[str, Pose] = field(default_factory=dict)
    frame: str = 'map'
    ids: Mapping[str, str] = field(default_factory=dict)
    agent: str = 'a robot'
    rules: str = ''
    prompts: Path | None = None
    examples: Mapping[str, Path] = field(default_factory=dict)
    closed_world: bool = False
    keep_out: KeepOut = KeepOut()  # noqa: RUF009 - immutable
    done: tuple[GoalCheck, ...] = ()
    safe_state: tuple[GroundedSkill, ...] = ()
    predicates: tuple[Predicate, ...] = ()

    @property
    def planned_skills(self) -> tuple[Skill, ...]:
        """What a plan that is made before anything is done can consist of."""
        return self.skills

    def forbids(self, skill: GroundedSkill, situation: Situation) -> str:
        """Return why the robot must not do a skill, wherever it stands; empty if it may."""
        if not self.keep_out:
            return ''
        poses = self._poses_in(situation)
        objections = (self.keep_out.objection(name, situation, poses) for name in skill.arguments)
        return next(filter(None, objections), '')

    def surroundings(self, arguments: Mapping[str, str], situation: Situation) -> Surroundings:
        """Return what the references of a grounded skill are looked up in.

        Args:
            arguments: names of rooms and objects, by the names of the skill's arguments.
            situation: what is known now.
        """
        return Surroundings(arguments, self._poses_in(situation), situation, self.ids)

    def _poses_in(self, situation: Situation) -> Mapping[str, Pose]:
        """Return the poses that hold now: a declared thing that was moved has none any more."""
        now = situation.objects
        moved = {name for name in self._posed_things if _is_moved(name, self._first, now)}
        if not moved:
            return self.poses
        return {name: pose for name, pose in self.poses.items() if name not in moved}

    @cached_property
    def _first(self) -> Mapping[str, ObservedObject]:
        """What is declared, by name."""
        return {item.name: item for item in self.declared.objects} if self.declared else {}

    @cached_property
    def _posed_things(self) -> tuple[str, ...]:
        """Names of what is declared with a pose, and can be moved."""
        things = (one for one in self._first.values() if 'furniture' not in one.affordances)
        return tuple(one.name for one in things if one.name in self.poses)

    def world_model(self) -> WorldModel | None:
        """Return a model of the declared surroundings; None for a robot that perceives them."""
        return None if self.declared is None else DeclaredWorld(self.declared)

    def approved_from(self, risk: str) -> SkillLibrary:
        """Return the same with approval of every skill of a risk class and of those above it.

        That goes for the skills of the safe state as well.

        Args:
            risk: one of ``RISK_LEVELS``; ``NO_APPROVAL`` leaves it to the skills.
        """
        if risk == NO_APPROVAL:
            return self
        asked = RISK_LEVELS[RISK_LEVELS.index(risk) :]
        skills = (
            replace(skill, approval=skill.approval or skill.risk in asked) for skill in self.skills
        )
        return self.with_skills(tuple(skills))

    def with_skills(self, skills: tuple[Skill, ...]) -> SkillLibrary:
        """Return the same with changed skills of the same names, also in the safe state."""
        by_name = {skill.name: skill for skill in skills}
        state = (by_name[one.name].ground_named(one.named) for one in self.safe_state)
        return replace(self, skills=skills, safe_state=tuple(state))

    def executable(self, situation: Situation) -> tuple[GroundedSkill, ...]:
        """Return what the robot can do now; see ``executable_set``."""
        return executable_set(self, situation)

    def objections(self, skill: GroundedSkill, situation: Situation) -> list[str]:
        """Return why a skill cannot be done now, one sentence each; none if it can."""
        return objections(self, skill, situation)


def _is_moved(
    name: str, first: Mapping[str, ObservedObject], now: Mapping[str, ObservedObject]
) -> bool:
    if name not in now:
        return False
    below = [*receptacles(name, now)]
    return below != [*receptacles(name, first)] or any(now[one].held for one in below if one in now)
