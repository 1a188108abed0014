# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads a skill library from YAML and refuses one that is wrong, naming every fault at once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os.path import isdir, isfile  # Path's own raise if a name is too long
from pathlib import Path
from typing import Any

from reactree_ros import plugins
from reactree_ros.core.decision import is_own_word
from reactree_ros.core.plain_text import is_plain
from reactree_ros.core.settings import RISK_LEVELS
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.skills import document
from reactree_ros.skills.call_reader import CallReader
from reactree_ros.skills.check_reader import CheckReader
from reactree_ros.skills.declared_world import Declared
from reactree_ros.skills.keep_out import KeepOut, read_keep_out
from reactree_ros.skills.library import (
    Filter,
    GroundedSkill,
    Skill,
    SkillLibrary,
)
from reactree_ros.skills.pose import Pose
from reactree_ros.skills.predicates import read_predicates
from reactree_ros.skills.world_reader import WorldReader

ARGUMENT = re.compile(r'\{([a-z][a-z0-9_]*)\}')
"""An argument in a phrase."""


def library_at(named: str) -> SkillLibrary:
    """Read a skill library.

    Args:
        named: name of one that comes with this package, or a file.

    Raises:
        ConfigurationError: if there is no such file, or it is wrong.
    """
    return read_library(library_file(named))


def library_file(named: str) -> Path:
    """Return where a skill library is; that of this package is found by its name.

    Raises:
        ConfigurationError: if this package has none of that name.
    """
    if '/' in named or named.endswith(('.yaml', '.yml')):
        return Path(named)
    try:
        return share('behaviors', f'{named}.yaml')
    except ConfigurationError as error:
        known = ', '.join(sorted(one.stem for one in share('behaviors').glob('*.yaml')))
        raise ConfigurationError(
            f'there is no skill library {named!r} in this package, only {known}; the name of a '
            'file of your own ends with .yaml'
        ) from error


def read_library(path: Path) -> SkillLibrary:
    """Read a skill library.

    Args:
        path: a YAML file; docs/skills.md explains the form.

    Raises:
        ConfigurationError: if the file cannot be read or is wrong; one line for each fault.
    """
    try:
        text = path.read_text(encoding='utf-8')
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f'cannot read the skill library {path}: {error}') from error
    return parse_library(text, str(path))


def parse_library(text: str, source: str) -> SkillLibrary:
    """Read a skill library from its text; ``source`` names it in messages."""
    content = document.load(text, source)
    faults = document.faults_of(content)
    if faults:
        raise wrong_library(source, faults)
    for key in plugins.names(plugins.READERS):
        if key in content:
            library: SkillLibrary = plugins.load(plugins.READERS, key)(content, source)
            return library
    return library_from(content, source)


def library_from(content: Mapping[str, Any], source: str) -> SkillLibrary:
    """Make a library of a document whose form is right.

    Args:
        content: the document.
        source: its path; files that it names are relative to its folder.

    Raises:
        ConfigurationError: if it is wrong; one line for each fault.
    """
    reader = _Reader(Path(source).parent)
    library = reader.library(content)
    if reader.faults:
        raise wrong_library(source, reader.faults)
    return library


def wrong_library(source: str, faults: Sequence[str]) -> ConfigurationError:
    """Return the error that names every fault of a library."""
    lines = '\n  '.join(faults)
    return ConfigurationError(f'the skill library {source} is invalid:\n  {lines}')


class _Reader:
    """Makes a library of a document whose form is right, and collects what is wrong with it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.faults: list[str] = []

    def library(self, content: Mapping[str, Any]) -> SkillLibrary:
        world = WorldReader(content, self.faults)
        declared = world.declared()
        poses = world.poses()
        objects = {*_words(content, 'objects'), *_classes(declared, movable=True)}
        places = {*_words(content, 'places'), *_classes(declared, movable=False)}
        given = content.get('kinds', {})
        kinds = {word.strip(): _words(given, word) for word in given}
        calls = CallReader(content, self.faults, declared)
        checks = CheckReader(calls, self.faults)
        skills = tuple(
            self._skill(name, entry, calls, checks) for name, entry in content['skills'].items()
        )
        self._check_phrases(skills)
        for skill in skills:
            self._check_poses(skill, declared, poses)
        keep_out = self._keep_out(content, declared, objects | places)
        return SkillLibrary(
            content['name'].strip(),
            skills,
            content.get('hands', 1),
            frozenset(objects),
            frozenset(places),
            self._kinds(kinds, objects | places),
            declared,
            poses,
            content.get('frame', 'map').lstrip('/'),
            agent=self._prose(content, 'agent', 'a robot'),
            rules=self._prose(content, 'rules', ''),
            prompts=self._prompts(content.get('prompts')),
            examples=self._examples(content.get('examples', {})),
            keep_out=keep_out,
            done=checks.goals(content.get('done', [])),
            safe_state=self._safe_state(content.get('safe_state', []), skills, calls, keep_out),
            predicates=read_predicates(
                content.get('predicates', {}),
                frozenset({*objects, *places, *kinds}),
                self.faults,
            ),
        )

    def _prose(self, content: Mapping[str, Any], key: str, default: str) -> str:
        text = ' '.join(content.get(key, default).split())
        if not is_plain(text):
            self.faults.append(f'{key}: it has a control character')
        return text

    def _prompts(self, given: str | None) -> Path | None:
        folder = None if given is None else self._folder / given
        if folder is not None and not isdir(folder):
            self.faults.append(f'prompts: there is no folder {folder}')
        return folder

    def _examples(self, given: str | Mapping[str, str]) -> dict[str, Path]:
        named = {'flat': given} if isinstance(given, str) else given
        files = {kind: self._folder / name for kind, name in named.items()}
        for kind, file in files.items():
            if not isfile(file):
                self.faults.append(f'examples.{kind}: there is no file {file}')
        return files

    def _safe_state(
        self,
        given: list[str | dict[str, dict[str, str]]],
        skills: Sequence[Skill],
        calls: CallReader,
        keep_out: KeepOut,
    ) -> tuple[GroundedSkill, ...]:
        by_name = {skill.name: skill for skill in skills}
        found = []
        for one in given:
            name, arguments = (one, {}) if isinstance(one, str) else next(iter(one.items()))
            skill = by_name.get(name)
            if skill is None:
                self.faults.append(f'safe_state: {name!r} is not in skills')
            elif {*arguments} != {*skill.arguments}:
                wanted = ', '.join(skill.arguments) or 'none'
                self.faults.append(f'safe_state.{name}: its arguments are {wanted}')
            else:
                where = f'safe_state.{name}'
                named = {key: calls.full_name(one, where) for key, one in arguments.items()}
                found.append(skill.ground_named(named))
                for one in filter(keep_out.names_it, named.values()):
                    self.faults.append(f'{where}: the robot must keep out of {one}')
                if skill.approval:
                    self.faults.append(
                        f'safe_state: {name} needs approval: a safe state must do without a person'
                    )
        return tuple(found)

    def _keep_out(
        self, content: Mapping[str, Any], declared: Declared | None, classes: set[str]
    ) -> KeepOut:
        given = content.get('keep_out', [])
        found = read_keep_out(given, content.get('frame', 'map'), self.faults)
        if declared is not None:
            names = {item.name for item in declared.objects} | classes
            names |= {key for room in declared.rooms for key in _room_keys(room)}
            for name in sorted(found.names - names):
                self.faults.append(f'keep_out: {name!r} is not in world')
        return found

    def _kinds(
        self, value: Mapping[str, list[str]], classes: set[str]
    ) -> dict[str, frozenset[str]]:
        for word, meant in value.items():
            if not word.strip():
                self.faults.append(f'kinds: {word!r} is not a word')
            unknown = ', '.join(repr(one) for one in meant if one not in classes)
            if unknown:
                self.faults.append(f'kinds.{word}: {unknown} is neither in objects nor in places')
        return {word: frozenset(meant) for word, meant in value.items()}

    def _skill(
        self, name: str, entry: Mapping[str, Any], calls: CallReader, checks: CheckReader
    ) -> Skill:
        place = f'skills.{name}'
        phrase = entry['phrase'].strip()
        arguments = entry.get('arguments', {})
        names = self._names(phrase, f'{place}.phrase')
        if sorted(names) != sorted(arguments):
            self.faults.append(
                f'{place}: the phrase has the arguments {names}, '
                f'arguments describes {list(arguments)}'
            )
        when = entry.get('when', {})
        for one in names:
            self._check_rooms(f'{place}.arguments.{one}', arguments.get(one, []))
        if when.get('at', {}).get('kind') == 'room':
            self.faults.append(f'{place}.when.at: a robot is at an object, not at a room')
        return Skill(
            name=name,
            phrase=phrase,
            arguments={one: _filters(arguments.get(one, [])) for one in names},
            hands_free=when.get('hands') == 'free',
            holding=when.get('holding', ''),
            at=_filter(when['at']) if 'at' in when else None,
            call=calls.call(place, entry, frozenset(names)),
            approval=entry.get('approval', False),
            risk=entry.get('risk', RISK_LEVELS[0]),
            claims=self._claims(place, entry, names),
            check=checks.check(f'{place}.check', entry.get('check', {}), frozenset(names)),
        )

    def _check_rooms(self, where: str, filters: Any) -> None:
        for one in filters if isinstance(filters, list) else [filters]:
            others = ', '.join(sorted({*one} - {'kind', 'here'}))
            if others and one.get('kind') == 'room':
                self.faults.append(f'{where}: a room has no {others}, only here')

    def _claims(self, place: str, entry: Mapping[str, Any], names: list[str]) -> frozenset[str]:
        claims = frozenset(one.strip() for one in entry.get('claims', []))
        arguments = {f'{{{name}}}' for name in names}
        for claim in sorted(claims - arguments):
            if '{' in claim or '}' in claim:
                self.faults.append(f'{place}.claims: {claim!r} is not an argument of the phrase')
        return claims

    def _names(self, phrase: str, place: str) -> list[str]:
        """Return the argument names of a phrase; only plain ``{name}`` is one."""
        rest = ARGUMENT.sub('', phrase)
        if '{' in rest or '}' in rest:
            self.faults.append(
                f'{place}: {phrase!r} has a brace that is not an argument like {{item}}'
            )
        if not is_plain(phrase):
            self.faults.append(f'{place}: {phrase!r} has a line break or control character')
        if is_own_word(phrase):
            self.faults.append(f'{place}: {phrase!r} is reserved by the planner')
        return ARGUMENT.findall(phrase)

    def _check_phrases(self, skills: tuple[Skill, ...]) -> None:
        phrases: dict[str, str] = {}
        for skill in skills:
            bare = _bare(skill.phrase)
            if bare in phrases:
                self.faults.append(
                    f'skills.{skill.name}.phrase: {skill.phrase!r} reads like the phrase of '
                    f'{phrases[bare]!r}; the model could not distinguish them'
                )
            phrases.setdefault(bare, skill.name)

    def _check_poses(
        self, skill: Skill, declared: Declared | None, poses: Mapping[str, Pose]
    ) -> None:
        """Check that everything that may fill an argument has the pose that the skill asks for."""
        if declared is None:
            return
        for name in skill.call.posed:
            fits = skill.arguments.get(name, ())
            named = [
                item.name
                for item in declared.objects
                if not {item.name, item.class_name} & poses.keys()
                and any(
                    one.kind == 'object'
                    and (not one.affordance or one.affordance & item.affordances)
                    for one in fits
                )
            ]
            if any(one.kind == 'room' for one in fits):
                named += [room for room in declared.rooms if not _room_keys(room) & poses.keys()]
            if named:
                self.faults.append(
                    f'skills.{skill.name}: it asks for {{{name}.pose}}, '
                    f'and there is no pose of {", ".join(named)}'
                )


def _classes(declared: Declared | None, *, movable: bool) -> set[str]:
    if declared is None:
        return set()
    return {
        item.class_name
        for item in declared.objects
        if movable is ('furniture' not in item.affordances)
    }


def _room_keys(room: str) -> set[str]:
    return {room, room.rstrip('0123456789 ')}


def _words(content: Mapping[str, Any], key: str) -> list[str]:
    """Return a list of classes, without spaces at their ends."""
    return [' '.join(one.split()) for one in content.get(key, [])]


def _filters(value: Any) -> tuple[Filter, ...]:
    return tuple(_filter(one) for one in (value if isinstance(value, list) else [value]))


def _filter(value: Mapping[str, Any]) -> Filter:
    affordance = value.get('affordance', [])
    return Filter(
        kind=value.get('kind', 'object'),
        affordance=frozenset([affordance] if isinstance(affordance, str) else affordance),
        state=value.get('state', ''),
        not_state=value.get('not_state', ''),
        near=value.get('near'),
        held=value.get('held'),
        here=value.get('here'),
    )


def _bare(phrase: str) -> str:
    """Return a phrase without its argument names, as the model would see it."""
    return ARGUMENT.sub('{}', phrase).lower()
