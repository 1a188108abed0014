# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What an agent node of the solver is to do, and the goal that says it.

The goals are worded so that the planner's own checks read them: a thing to be heated "in" an oven,
for example, would count as arrived there, and could not be taken out again.
"""

from __future__ import annotations

from dataclasses import dataclass

from reactree_ros.core.decision import ControlFlow

SWITCHING = {'on': 'turn on', 'off': 'turn off', 'open': 'open', 'closed': 'close'}
"""What brings a place into a state."""


@dataclass(frozen=True)
class Thing:
    """A movable thing that is wanted.

    Args:
        name: its class in words.
        said: how goals name it, e.g. ``another book``.
        at: class of the place where it is to be; what lies there already is not fetched.
        state: the one in this state is meant, if there is one.
        load: class of what lies on or in the one that is meant; empty for any.
    """

    name: str
    said: str
    at: str = ''
    state: str = ''
    load: str = ''


@dataclass(frozen=True)
class Seek:
    """Find a thing, and take it or slice it.

    Args:
        thing: which.
        then: ``take``, ``slice`` or ``see``: what is done once it is found.
        room: name of the only room where it is sought; empty for all.
    """

    thing: Thing
    then: str = 'take'
    room: str = ''

    @property
    def text(self) -> str:
        """The goal."""
        where = f' in {self.room}' if self.room else ''
        if self.then == 'take':
            return f'find and pick up {self.thing.said}{where}'
        return f'find {self.thing.said}{where}' + (' and slice it' if self.then == 'slice' else '')


@dataclass(frozen=True)
class Put:
    """Put down the thing in the hand.

    Args:
        thing: which.
        target: class of the place; empty for any place.
        relation: ``on`` or ``inside``.
    """

    thing: Thing
    target: str = ''
    relation: str = 'on'

    @property
    def text(self) -> str:
        """The goal."""
        if not self.target:
            return f'put down {self.thing.said}'
        preposition = 'in' if self.relation == 'inside' else 'on'
        return f'put down {self.thing.said} {preposition} the {self.target}'


@dataclass(frozen=True)
class Insert:
    """Put the thing in the hand into a movable vessel.

    Args:
        thing: which.
        vessel: into which.
        splits: it looks for the vessel first, if that is not in reach.
    """

    thing: Thing
    vessel: Thing
    splits: bool = True

    @property
    def text(self) -> str:
        """The goal."""
        into = f'a {self.vessel.name}' if self.splits else f'the {self.vessel.name}'
        return f'put {self.thing.said} into {into}'


@dataclass(frozen=True)
class Switch:
    """Bring a place into a state.

    Args:
        target: class of the place.
        state: ``on``, ``off``, ``open`` or ``closed``.
        shut: it has a door that must be closed before.
    """

    target: str
    state: str = 'on'
    shut: bool = False

    @property
    def text(self) -> str:
        """The goal."""
        return f'{"close and " if self.shut else ""}{SWITCHING[self.state]} the {self.target}'


@dataclass(frozen=True)
class Treat:
    """Give the thing in the hand another state, and have it in the hand again.

    Args:
        thing: which.
        state: ``clean``, ``hot``, ``cooked`` or ``cold``.
    """

    thing: Thing
    state: str

    @property
    def text(self) -> str:
        """The goal."""
        verbs = {'clean': 'wash', 'hot': 'heat', 'cooked': 'cook', 'cold': 'cool'}
        device = ' and '.join(f'the {one}' for one in self.devices)
        return f'use {device} to {verbs[self.state]} {self.thing.said}'

    @property
    def devices(self) -> tuple[str, ...]:
        """Classes of the places that do it; the thing is put into the first of them."""
        return {'clean': ('sink', 'faucet'), 'cold': ('fridge',)}.get(
            self.state, ('microwave oven',)
        )


@dataclass(frozen=True)
class Parts:
    """Something that is split into smaller jobs.

    Args:
        text: the goal.
        control_flow: how the parts are coordinated.
        parts: the smaller jobs.
        thought: what is thought first; empty for nothing.
        moves: the parts bring this thing to its place; None if they do more.
        number: which one of several such things it is, from 1; 0 if it is the only one.
    """

    text: str
    control_flow: ControlFlow
    parts: tuple[Job, ...]
    thought: str = ''
    moves: Thing | None = None
    number: int = 0


Job = Seek | Put | Insert | Switch | Treat | Parts


def leaves(job: Job) -> tuple[tuple[Job, ...], ...]:
    """Return the jobs that are not split, in groups that each must stay in order."""
    if not isinstance(job, Parts):
        return ((job,),)
    if not any(isinstance(part, Parts) for part in job.parts):
        if any(isinstance(part, Seek | Put) for part in job.parts):
            return (job.parts,)
        return tuple((part,) for part in job.parts)
    return tuple(group for part in job.parts for group in leaves(part))
