# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree skills try``: calls one skill by its phrase, as the planner would."""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from reactree_ros.cli.interrupts import CANCELED, Interrupts
from reactree_ros.cli.skills.spinning import spinning
from reactree_ros.core.futures import Future
from reactree_ros.core.names import numbered
from reactree_ros.core.observation import ObservedObject, SkillResult, SkillStatus
from reactree_ros.core.plain_text import plain
from reactree_ros.core.situation import Situation
from reactree_ros.errors import ConfigurationError, SkillError, WorldError
from reactree_ros.execution.checking import CheckStage
from reactree_ros.execution.guard import guarded
from reactree_ros.execution.pipeline import PipelineRun, SkillPipeline
from reactree_ros.memory.working import WorkingMemory
from reactree_ros.ros.discovery.definition import shown
from reactree_ros.ros.discovery.graph import CHECK_GOAL, OBSERVE, below, endpoints
from reactree_ros.ros.skills.answers import ForeignAnswers, OwnAnswers
from reactree_ros.ros.skills.asking import Handshake
from reactree_ros.ros.skills.client import RosSkillExecutor, in_namespace
from reactree_ros.ros.skills.message_guard import check_limits
from reactree_ros.ros.skills.messages import interface, sent_type
from reactree_ros.ros.skills.run import Timeouts
from reactree_ros.skills.call import EXECUTE_SKILL, Kind
from reactree_ros.skills.conditions import WorldCondition
from reactree_ros.skills.library import GroundedSkill, SkillLibrary
from reactree_ros.skills.phrases import alike, named, unchecked
from reactree_ros.skills.pose import Pose
from reactree_ros.skills.reader import library_at

T = TypeVar('T')

SUCCEEDED, FAILED = 0, 1
_STEP_SEC = 0.02
_DISCOVERY_SEC = 1.5
_NEEDED_SEC = 10.0
_MOST_LISTED = 40


def run(options: argparse.Namespace) -> int:
    """Show the message of a skill, send it if that is wanted, and return the exit code."""
    library = library_at(options.library)
    if options.at:
        library = _started_at(library, options.at)
    if options.dry_run:
        return _dry_run(library, options.phrase)
    with Interrupts() as interrupts, _robot(library, options, interrupts) as robot:
        return robot.attempt(options.phrase, options.yes)


def _started_at(library: SkillLibrary, at: str) -> SkillLibrary:
    """Return a library whose declared world begins with the robot at a place or in a room."""
    declared = library.declared
    if declared is None:
        raise ConfigurationError(
            '--at: the library declares no "world"; the robot says where it is'
        )
    places = [one.name for one in declared.objects if 'furniture' in one.affordances]
    names = [*places, *declared.rooms]
    wanted = ' '.join(at.lower().split())
    found = [one for one in names if wanted == one] or [
        one for one in names if wanted == one.rpartition(' ')[0]
    ]
    if len(found) != 1:
        raise ConfigurationError(f'--at: {at!r} is not one of {", ".join(names)}')
    return replace(library, declared=replace(declared, start=found[0]))


def _dry_run(library: SkillLibrary, phrase: str) -> int:
    """Show a message without a robot; of a world that is not declared, every name is taken."""
    model = library.world_model()
    memory = WorkingMemory(library.objects, library.places, namespace='try')
    try:
        if model is not None:
            memory.update(model.observe())
        situation = memory.situation()
    finally:
        memory.close()
    skill = named(library, phrase, situation) if model else unchecked(library, phrase)
    if skill is None:
        return _unknown(library, phrase, situation)
    message = _show(library, skill, situation)
    if message is None:
        return FAILED
    if model is None:
        print('Whether it is possible was not looked at: no robot was asked.')
    for why in library.objections(skill, situation) if model else ():
        print(f'At the start it would be refused: {why}.')
    print('Nothing was sent.')
    return SUCCEEDED


class _Robot:
    """The robot behind the planner's stages; that for approval is the question before."""

    def __init__(
        self,
        node: Node,
        spin: Callable[[float], None],
        library: SkillLibrary,
        robot: RosSkillExecutor,
        interrupts: Interrupts,
        namespace: str,
    ) -> None:
        self._node = node
        self._spin = spin
        self._library = library
        self._robot = robot
        self._interrupts = interrupts
        self._namespace = namespace
        self._memory = WorkingMemory(library.objects, library.places, namespace='try')

    def close(self) -> None:
        """Release what it has."""
        self._memory.close()

    def attempt(self, phrase: str, sure: bool) -> int:
        """Call the skill of a phrase; ``sure`` sends it without asking."""
        try:
            seen = self._wait(self._robot.observe())
        except WorldError as error:
            raise ConfigurationError(
                f'what the robot perceives is not known: {error}. A library without "world" needs '
                'a service of reactree_interfaces/srv/Observe (--observe-service)'
            ) from error
        if seen is None:
            return CANCELED
        self._memory.update(seen)
        situation = self._memory.situation()
        print(f'Perceived: {plain(seen.text)}')
        if not phrase:
            _list_possible(self._library.executable(situation))
            return SUCCEEDED
        skill = named(self._library, phrase, situation)
        if skill is None:
            return _unknown(self._library, phrase, situation)
        if _show(self._library, skill, situation) is None:
            return FAILED
        why = self._library.objections(skill, situation)
        if why:
            print(f'Refused, nothing was sent: {"; ".join(why)}.')
            return FAILED
        if not sure and not self._is_wanted(skill):
            print('Nothing was sent.')
            return FAILED
        if not self._is_discovered(skill):
            return CANCELED
        return self._send(skill, situation)

    def _is_wanted(self, skill: GroundedSkill) -> bool:
        risk = ' It needs approval; "y" gives it.' if skill.approval else ''
        # Ctrl-C has to end the question, too
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return input(f'Send it?{risk} [y/N] ').strip().casefold() in ('y', 'yes')
        except EOFError:
            print()
            return False
        finally:
            signal.signal(signal.SIGINT, before)

    def _is_discovered(self, skill: GroundedSkill) -> bool:
        """Wait, not for long, until the server knows this client: its answer would be lost."""
        call = skill.call
        name = in_namespace(call.name, self._namespace)
        shake = Handshake(self._node, name) if call.kind is Kind.ACTION else None
        end = time.monotonic() + _DISCOVERY_SEC
        while time.monotonic() < end and not self._interrupts:
            if shake is not None and shake.done():
                break
            self._spin(_STEP_SEC)
        if shake is not None:
            shake.destroy()
        return not self._interrupts

    def _send(self, skill: GroundedSkill, situation: Situation) -> int:
        stages = [CheckStage(self._memory.reader)]
        pipeline = SkillPipeline(stages, guarded(self._robot, self._library))
        started = time.monotonic()
        run = pipeline.start(skill, situation)
        result = self._follow(run)
        print(f'{result.status.value.capitalize()} after {time.monotonic() - started:.1f} s.')
        print(f'The model reads: {plain(result.observation.text)}')
        self._memory.update(result.observation)
        changes = [*changed(situation, self._memory.situation())]
        print('Working memory: ' + ('; '.join(changes) if changes else 'nothing changed') + '.')
        declared = self._library.declared
        place = self._memory.situation().place
        if declared is not None and place != situation.place:
            print('The next try begins at the "start" of the world again, or where --at says.')
        if self._interrupts:
            stopped = result.confirmed and run.settled
            print('The robot has stopped.' if stopped else
                  'The robot has NOT confirmed that it stopped: look at it.')  # fmt: skip
            return CANCELED
        return SUCCEEDED if result.status is SkillStatus.SUCCEEDED else FAILED

    def _follow(self, run: PipelineRun) -> SkillResult:
        shown, is_canceled = '', False
        while (result := run.poll()) is None:
            if self._interrupts and not is_canceled:
                is_canceled = True
                print('\nCanceling ...', flush=True)
                run.cancel()
            doing = plain(run.doing)
            if doing and doing != shown:
                print(f'  {doing}', flush=True)
                shown = doing
            self._spin(_STEP_SEC)
        return result

    def _wait(self, future: Future[T]) -> T | None:
        while (value := future.poll()) is None and not self._interrupts:
            self._spin(_STEP_SEC)
        return value


@contextmanager
def _robot(
    library: SkillLibrary, options: argparse.Namespace, interrupts: Interrupts
) -> Iterator[_Robot]:
    with spinning('try') as (node, executor):

        def spin(seconds: float) -> None:
            executor.spin_once(timeout_sec=seconds)

        namespace = options.namespace
        robot = RosSkillExecutor(
            node,
            library,
            options.observe_service
            or _running(node, OBSERVE, library.declared is None, namespace, interrupts),
            Timeouts(),
            MutuallyExclusiveCallbackGroup(),
            namespace=namespace,
            check_service=in_namespace(options.check_service, namespace)
            or _running(node, CHECK_GOAL, _asks_world(library), namespace, interrupts),
        )
        made = _Robot(node, spin, library, robot, interrupts, namespace)
        try:
            yield made
        finally:
            robot.destroy()
            made.close()


def _asks_world(library: SkillLibrary) -> bool:
    """Return whether a check of a skill asks the world."""
    asked = (one for skill in library.skills for one in skill.check.asked)
    return any(isinstance(one, WorldCondition) for one in asked)


def _running(
    node: Node, type_name: str, is_needed: bool, namespace: str, interrupts: Interrupts
) -> str:
    """Return the service of a type that runs; if none does, or several, the usual name."""
    end = time.monotonic() + (_NEEDED_SEC if is_needed else 0.0)
    while True:
        near = (one for one in endpoints(node) if one.name.startswith(below(namespace)))
        found = {one.name for one in near if one.type == type_name}
        if found or interrupts or time.monotonic() >= end:
            break
        time.sleep(_STEP_SEC)
    usual = 'observe' if type_name == OBSERVE else ''
    return found.pop() if len(found) == 1 else usual


def _show(library: SkillLibrary, skill: GroundedSkill, situation: Situation) -> Any:
    """Show what would be sent, and return it; None if it cannot be filled."""
    call = skill.call
    message = sent_type(call.kind, interface(call.type))()
    print(f'{skill.phrase}: skill {skill.name}, {call.kind.value} {call.name} ({call.type})')
    try:
        if call.type == EXECUTE_SKILL:
            OwnAnswers(skill).fill(message)
        else:
            surroundings = library.surroundings(skill.named, situation)
            ForeignAnswers(skill, surroundings, _as_it_is).fill(message)
        check_limits(message, call.limits)
    except SkillError as error:
        print(f'Refused, nothing was sent: {error}.')
        return None
    text = shown(message).rstrip()
    print('\n'.join(f'  {line}' for line in text.splitlines()))
    return message


def _as_it_is(pose: Pose) -> Pose:
    """Return a pose as the library has it; it is transformed when it is sent."""
    return pose


def _unknown(library: SkillLibrary, phrase: str, situation: Situation) -> int:
    possible = library.executable(situation)
    print(f'No skill is called "{plain(phrase)}".' if phrase else 'No phrase is given.')
    near = alike(phrase, possible)
    if near:
        print('Possible now, and most like it: ' + '; '.join(near) + '.')
    elif possible:
        _list_possible(possible)
    else:
        print('Phrases of the library: ' + '; '.join(one.phrase for one in library.skills) + '.')
    return FAILED


def _list_possible(possible: Sequence[GroundedSkill]) -> None:
    print('Possible now:' if possible else 'No skill is possible now.')
    for one in possible[:_MOST_LISTED]:
        print(f'  {one.phrase}')
    if len(possible) > _MOST_LISTED:
        print(f'  ... and {len(possible) - _MOST_LISTED} more')


def changed(before: Situation, after: Situation) -> Iterator[str]:
    """Yield what is different in working memory, in words."""
    for what, old, new in (
        ('in', before.room, after.room),
        ('at', before.place, after.place),
    ):
        if old != new:
            yield f'the robot is {what} {numbered(new) or "no known place"}'
    for name in after.objects:
        if name not in before.objects:
            yield f'new: {numbered(name)}'
    for name, old_item in before.objects.items():
        new_item = after.objects.get(name)
        if new_item is None:
            yield f'{numbered(name)} is not where it was'
        else:
            yield from _changed_item(old_item, new_item)


def _changed_item(old: ObservedObject, new: ObservedObject) -> Iterator[str]:
    name = numbered(new.name)
    if old.held != new.held:
        yield f'{name} is {"held" if new.held else "not held any more"}'
    if (old.receptacle, old.relation) != (new.receptacle, new.relation) and new.receptacle:
        yield f'{name} is {new.relation} {numbered(new.receptacle)}'
    if old.states != new.states:
        yield f'{name} is {", ".join(sorted(new.states)) or "in no known state"}'
    if old.near != new.near:
        yield f'{name} is {"within" if new.near else "out of"} reach'
