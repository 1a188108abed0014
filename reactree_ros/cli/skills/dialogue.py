# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What ``reactree skills discover`` asks."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import yaml

from reactree_ros.cli.skills.questions import Questions, ranges, read_choice, table
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.ros.discovery.fit import check_fields
from reactree_ros.ros.discovery.graph import Offers
from reactree_ros.ros.discovery.published import Published
from reactree_ros.skills import document
from reactree_ros.skills.call import EXECUTE_SKILL
from reactree_ros.skills.draft.drafting import Draft, Offer, skills_of
from reactree_ros.skills.draft.library import Thing
from reactree_ros.skills.draft.places import HERE, Place, read_name, read_place, read_places
from reactree_ros.skills.draft.words import key_of

_REFERENCE = r'\{[a-z_]+(?:\.[a-z]+)?\}'
_VALUE = re.compile(
    rf"""(?P<quoted>"[^"]*"|'[^']*')"""
    rf"""|(?<=[:,\[])(?P<space>\s*)(?P<value>[^"'\[\]{{}},:]*(?:{_REFERENCE}[^"'\[\]{{}},:]*)+)"""
)
"""A value with references that nobody has put in quotes."""


def choose(offers: Offers, questions: Questions, named: bool) -> list[Offer]:
    """Show what was found and return what a person takes of it."""
    rows = [
        (f'{one.kind.value} {one.name}', one.type, 'type not installed' if one.missing else '')
        for one in offers.offers
    ]
    print(f'Found {len(rows)} that may become skills, the likeliest first:')
    for number, line in enumerate(table(rows)):
        if number == offers.by_default and not named:
            print('      less likely, or nothing is known of the type:')
        print(line)
    for one in offers.offers:
        if one.type == EXECUTE_SKILL:
            for library in _shipped_for(one.name):
                print(f'{one.name} is what the library {library} of this package is for')
    count = sum(offers.left_out.values())
    if count:
        left = '; '.join(f'{number} {why}' for why, number in offers.left_out.most_common())
        print(f'Left out are {count}: {left}')
    default = ranges(offers.by_default)

    def read(text: str) -> list[int]:
        chosen = read_choice(text, len(rows))
        if not chosen:
            raise ConfigurationError(
                'nothing is chosen: give numbers such as 1,3-5'
                + (', or name them with --only' if questions.silent else '')
            )
        return chosen

    return [offers.offers[one] for one in questions.ask('Which (1,3-5 or all)', default, read)]


def _shipped_for(action: str) -> Iterator[str]:
    """Yield the names of the libraries of this package whose skills all go to an action."""
    for path in sorted(share('behaviors').glob('*.yaml')):
        content = document.load(path.read_text(encoding='utf-8'), str(path))
        if content.get('action') == action:
            yield path.stem


def settle(drafts: Sequence[Draft], questions: Questions, observes: str) -> None:
    """Have a person change phrases and values until they are right."""
    owners = [(draft, one) for draft in drafts for one in draft.settings]
    while not questions.silent:
        print('Skills, as the model would read them, and what they are filled with:')
        rows = [(draft.offer.name, one.label, one.text or '(empty)') for draft, one in owners]
        for line in table(rows):
            print(line)
        picked = questions.ask(
            'Number of one to change, Enter if all are right',
            '',
            lambda text: read_choice(text, len(owners)),
        )
        if not picked:
            return
        for number in picked:
            draft, setting = owners[number]
            if setting is draft.fields:
                for line in draft.offer.fields:
                    print(f'      {line}')

            def change(text: str, draft: Draft = draft, setting: object = setting) -> None:
                _change(draft, setting, text, observes)

            questions.ask(f'  {setting.label}', setting.text, change)


def _change(draft: Draft, setting: object, text: str, observes: str) -> None:
    (found,) = (one for one in draft.settings if one is setting)
    before = found.text
    if found is draft.fields:
        text = read_fields(text)
    draft.change(found, text)
    try:
        if not draft.offer.missing:
            for skill in skills_of(draft, set(), set(), bool(observes)):
                check_fields(skill, observes)
    except ConfigurationError as error:
        found.text = before
        raise ConfigurationError(' '.join(str(error).split())) from error


def read_fields(text: str) -> str:
    """Return fields as a person types them as a flow mapping of YAML."""

    def written(found: re.Match[str]) -> str:
        return found['quoted'] or f'{found["space"]}"{found["value"].strip()}"'

    quoted = _VALUE.sub(written, text.strip())
    inner = quoted if quoted.startswith(('{', '"')) else f'{{{quoted}}}'
    try:
        found = document.load(inner, 'the fields')
    except ConfigurationError as error:
        raise ConfigurationError(
            f'{text!r} are not fields: give them as "order: 3, target: {{place.pose}}"'
        ) from error
    if isinstance(found, dict) and not all(isinstance(one, str) for one in found):
        raise ConfigurationError(f'{text!r} are not fields, but values without a name')
    return yaml.safe_dump(found, default_flow_style=True, width=1e9, sort_keys=False).strip()


def ask_places(questions: Questions, look: Callable[[], Published]) -> list[Place]:
    """Return the places that a person names.

    Args:
        questions: asks for them.
        look: returns what the robot publishes now: it may be driven from one place to the next.
    """
    published = look()
    frames, here = published.frames, published.here
    questions.show('Places that it can go to, one a line: name, x, y (metres), yaw (degrees).')
    questions.show('  dock 0 0 90        in the map')
    questions.show('  dock 2: 4 0 90     a name that ends in a number')
    questions.show('  places.yaml        a file with "dock: {x: 0, y: 0, yaw: 90}"')
    if here is not None:
        questions.show(f'  charger {HERE}       where the robot is now ({here.x:g}, {here.y:g})')
    if frames:
        questions.show(f'  shelf {frames[0]}   a TF frame: {", ".join(frames)}')

    def read(text: str) -> list[Place]:
        if text.endswith(('.yaml', '.yml')):
            return read_places(Path(text))
        now = look()
        place = read_place(text, now.frames, now.here)
        questions.show(f'  {place.name}: {place.pose.strip("{}")}')
        return [place]

    found = questions.lines('Place, Enter when done', read)
    by_name = {place.name.lower(): place for places in found for place in places}
    return [*by_name.values()]


def ask_things(questions: Questions, places: Sequence[Place]) -> list[Thing]:
    """Return the things that a person names, each perhaps on one of the places."""
    names = {place.name.lower(): place.name for place in places}
    questions.show(
        'Things that it can handle, and where they are now, one a line: '
        f'cup on {places[0].name}'
    )  # fmt: skip

    def read(text: str) -> Thing:
        name, _, place = (part.strip() for part in text.partition(' on '))
        if place and place.lower() not in names:
            raise ConfigurationError(
                f'{place!r} is not one of the places {", ".join(names.values())}'
            )
        if name.lower() in names:
            raise ConfigurationError(f'{name!r} is a place')
        return Thing(read_name(name), names.get(place.lower(), ''))

    found = questions.lines('Thing, Enter when done', read)
    return [*{thing.name.lower(): thing for thing in found}.values()]


def ask_file(questions: Questions, options: argparse.Namespace, name: str) -> Path:
    """Return the file that the library goes to."""
    if options.out:
        return Path(options.out)

    def read(text: str) -> Path:
        check_file(Path(text), options.force)
        return Path(text)

    return questions.ask('File', f'{key_of(name)}.yaml', read)


def check_file(path: Path, replaces: bool) -> None:
    """Raise ConfigurationError if a library cannot be written there."""
    if path.suffix not in ('.yaml', '.yml'):
        raise ConfigurationError(f'{path}: the name of a library ends with .yaml')
    if not path.parent.is_dir():
        raise ConfigurationError(f'there is no folder {path.parent}')
    if path.exists() and not replaces:
        raise ConfigurationError(f'{path} is there already; --force replaces it')
