# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A skill library as a draft: YAML with comments, for a person to go through."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from reactree_ros.skills.call import EXECUTE_SKILL, Kind
from reactree_ros.skills.draft.places import Place
from reactree_ros.skills.draft.words import comment, scalar

_KEY = re.compile(r'([a-z_]+):')


@dataclass(frozen=True)
class Block:
    """One key of a skill.

    Args:
        key: its name.
        text: its lines, with the comments before it.
        off: why it is a comment; empty if it is not.
    """

    key: str
    text: str
    off: str = ''

    def lines(self) -> list[str]:
        """Return its lines, not indented."""
        if not self.off:
            return self.text.splitlines()
        return [*comment(self.off), *comment(self.text)]


@dataclass(frozen=True)
class DraftSkill:
    """One skill.

    Args:
        name: its key.
        phrase: how the model names it.
        kind: what does it.
        server: name of that, relative to the planner's namespace.
        type: its interface type.
        blocks: its other keys.
        needs: ``places``, ``things``: what the world must have for it.
        notes: for the person who reads it.
        off: why the whole of it is a comment; empty if it is not.
    """

    name: str
    phrase: str
    kind: Kind
    server: str
    type: str
    blocks: tuple[Block, ...] = ()
    needs: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    off: str = ''

    def without(self, faults: dict[str, str]) -> DraftSkill:
        """Return it with some keys as comments.

        Args:
            faults: why, by key.
        """
        blocks = (
            replace(one, off=faults[one.key]) if one.key in faults else one for one in self.blocks
        )
        return replace(self, blocks=tuple(blocks))

    def lines(self) -> list[str]:
        """Return its lines, indented for a library."""
        body = [f'phrase: {scalar(self.phrase, alone=True)}']
        if self.type == EXECUTE_SKILL:
            call = [f'action: {scalar(self.server)}']
        else:
            call = [f'{self.kind.value}: {{name: {scalar(self.server)}, type: {self.type}}}']
        for block in self.blocks:
            if block.key == self.kind.filled:
                body, call = body + call, []
            body += block.lines()
        body += call
        lines = [f'{scalar(self.name)}:', *(f'  {line}'.rstrip() for line in body)]
        notes = [line for note in self.notes for line in comment(note)]
        if self.off:
            return [*comment(f'Left out: {self.off}', '  '), *_indented(notes), *(
                f'  # {line}'.rstrip() for line in lines
            )]  # fmt: skip
        return _indented([*notes, *lines])


@dataclass(frozen=True)
class Thing:
    """A thing that the robot can handle.

    Args:
        name: as the model reads it.
        place: name of the place that it is on; empty if unknown.
    """

    name: str
    place: str = ''


@dataclass(frozen=True)
class DraftLibrary:
    """A whole library.

    Args:
        name: of the robot.
        skills: its skills.
        places: where it can go.
        things: what it can handle.
        start: name of the place that it is at in the beginning.
        observes: full name of a service that reports what it perceives; empty if there is none,
            and the library declares its world.
        rules: sentences for every prompt.
        frame: TF frame of the places.
        schema: path of the schema, for editors.
        heading: lines that say where it comes from.
    """

    name: str
    skills: Sequence[DraftSkill]
    places: Sequence[Place] = ()
    things: Sequence[Thing] = ()
    start: str = ''
    observes: str = ''
    rules: str = ''
    frame: str = 'map'
    schema: str = ''
    heading: Sequence[str] = ()

    @property
    def usable(self) -> list[DraftSkill]:
        """Its skills that are not comments."""
        return [skill for skill in self.skills if not skill.off]

    def text(self) -> str:
        """Return it as YAML."""
        lines = [f'# yaml-language-server: $schema={self.schema}'] if self.schema else []
        lines += [line for one in self.heading for line in comment(one)]
        lines += [f'name: {scalar(self.name, alone=True)}']
        lines += ['# What it is, in the words of prompts: "You steer ..."']
        lines += ['agent: a robot']
        if self.rules:
            lines += [
                '# What the phrases do not say to the model:',
                f'rules: {scalar(self.rules, alone=True)}',
            ]
        lines += ['# How many things it can hold.', 'hands: 1']
        lines += ['# TF frame of the places.', f'frame: {scalar(self.frame)}', '']
        lines += self._perceived() if self.observes else self._world()
        lines += ['', 'skills:' if self.usable else 'skills: {}']
        for number, skill in enumerate(self.skills):
            lines += [*([''] if number else []), *skill.lines()]
        return '\n'.join(lines) + '\n'

    def _world(self) -> list[str]:
        uses = {need for skill in self.usable for need in skill.needs}
        lines = [
            '# The planner keeps account of where things are by the effects of the skills,',
            '# beginning with this. With a service of reactree_interfaces/srv/Observe it is asked.',
            'world:',
            '  # Where the robot is when the planner starts; nobody looks whether that is so.',
            f'  start: {scalar(self.start)}'
            if self.start
            else f'  # start: {scalar(self.places[0].name)}  # it was at none of the places',
            '  # Where it can go: metres and degrees. "is: []" is for a place where nothing can be',
            '  # put down, "is: [containers]" for one to put things into.',
            '  places:',
        ]
        for place in self.places:
            note = f'  # {place.note}' if place.note else ''
            lines.append(f'    {scalar(place.name)}: {{pose: {place.pose}}}{note}')
        if self.things:
            lines.append('  things:')
        for thing in self.things:
            where = f'on_top_of: {scalar(thing.place)}' if thing.place else ''
            lines.append(f'    {scalar(thing.name)}: {{{where}}}')
        if not self.things and 'things' in uses:
            lines += [
                '  # What it can handle: without things, skills with {item} are never possible.',
                '  # things:',
                f'  #   cup: {{on_top_of: {scalar(self.places[0].name)}}}',
            ]
        return lines

    def _perceived(self) -> list[str]:
        lines = [
            f'# What it perceives is asked of {self.observes}: no "world" and no effects here.',
        ]
        if self.places:
            lines += ['# Where places are, by the names or classes that are perceived:', 'poses:']
        elif any('places' in skill.needs for skill in self.usable):
            lines += [
                '# Skills with {place.pose} are refused for places whose pose is not given here,',
                '# by the name or class that is perceived:',
                '# poses: {dock: {x: 0, y: 0, yaw: 90}}',
            ]
        for place in self.places:
            note = f'  # {place.note}' if place.note else ''
            lines.append(f'  {scalar(place.name)}: {place.pose}{note}')
        return lines


def blocks_of(body: str) -> tuple[Block, ...]:
    """Return the keys of a skill from its lines of YAML; comments belong to what is below them."""
    found: list[Block] = []
    above: list[str] = []
    for line in body.splitlines():
        match = _KEY.match(line)
        if match:
            found.append(Block(match[1], '\n'.join([*above, line])))
            above = []
        elif line.startswith('#'):
            above.append(line)
        elif found:
            last = found[-1]
            found[-1] = replace(last, text='\n'.join([last.text, *above, line]))
            above = []
    if above:
        last = found[-1]
        found[-1] = replace(last, text='\n'.join([last.text, *above]))
    return tuple(found)


def _indented(lines: Sequence[str]) -> list[str]:
    return [f'  {line}'.rstrip() for line in lines]
