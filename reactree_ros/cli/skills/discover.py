# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree skills discover``: drafts a skill library of what a running robot offers."""

from __future__ import annotations

import argparse
import math
import os
import shlex
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from reactree_ros.cli.skills.check import check
from reactree_ros.cli.skills.dialogue import (
    ask_file,
    ask_places,
    ask_things,
    check_file,
    choose,
    settle,
)
from reactree_ros.cli.skills.questions import Questions
from reactree_ros.cli.skills.spinning import spinning
from reactree_ros.errors import ConfigurationError
from reactree_ros.paths import share
from reactree_ros.ros.discovery.fit import fitted
from reactree_ros.ros.discovery.graph import (
    CHECK_GOAL,
    OBSERVE,
    Offers,
    Seen,
    below,
    look,
    offers_of,
)
from reactree_ros.ros.discovery.published import Published
from reactree_ros.skills.document import SCHEMA
from reactree_ros.skills.draft.catalogue import catalogue
from reactree_ros.skills.draft.drafting import Draft, draft_of, skills_of
from reactree_ros.skills.draft.library import DraftLibrary, DraftSkill
from reactree_ros.skills.draft.places import Place, read_name, read_places
from reactree_ros.skills.reader import parse_library

NOTHING = 2
_NAME = 'my robot'
_MOST_GONE = 5
_NEAR_M = 0.5
_CATCH_UP_SEC = 0.3


def run(options: argparse.Namespace) -> int:
    """Look, ask, write the library and check it; return the exit code."""
    questions = Questions(options.yes)
    given = read_places(options.places) if options.places else []
    if options.out:
        check_file(options.out, options.force)
    known = catalogue()
    looking = spinning('discover', namespace=options.namespace, enable_rosout=False)
    with looking as (node, executor):
        published = Published(node, options.namespace)
        print(f'Looking at the ROS graph for {options.seconds:g} s ...', flush=True)
        seen = look(node, options.seconds, lambda sec: executor.spin_once(timeout_sec=sec))
        offers = _only(offers_of(seen, known, options.namespace), options.only)
        _show_gone(seen)
        if not offers.offers:
            raise ConfigurationError(_nothing(seen, offers, options))
        chosen = choose(offers, questions, bool(options.only))
        name = questions.ask('Name of the robot', options.name or _NAME, read_name)
        drafts = [draft_of(one, chosen, known, published.facts(one.name)) for one in chosen]
        observes = '' if options.no_observe else next(iter(seen.servers(OBSERVE)), '')
        settle(drafts, questions, observes)
        skills = _skills(drafts, observes)
        needs = {need for one in drafts for need in one.needs}

        def now() -> Published:
            end = time.monotonic() + _CATCH_UP_SEC  # much has come while the person was typing
            while time.monotonic() < end:
                executor.spin_once(timeout_sec=_CATCH_UP_SEC / 10)
            return published

        places = given or (ask_places(questions, now) if 'places' in needs else [])
        if not places and not observes:
            places = [_start(published)]
        start = _start_of(places, now().here)
        things = ask_things(questions, places) if 'things' in needs and not observes else []
        later = look(node, 0.0, lambda sec: None)
    library = DraftLibrary(
        name=name,
        skills=skills,
        places=places,
        things=things,
        start=start,
        observes=observes,
        rules=_rules(drafts),
        schema=str(share(*SCHEMA)),
        heading=_heading(options, seen),
    )
    if not library.usable:
        reasons = '; '.join(f'{one.name}: {one.off}' for one in skills)
        raise ConfigurationError(
            f'nothing that was chosen can be used, so no file is written ({reasons})'
        )
    text = library.text()
    parse_library(text, 'the draft')
    out = ask_file(questions, options, name)
    _write(out, text, options.force)
    return _conclude(library, out, seen, later, options)


def _only(offers: Offers, names: str) -> Offers:
    """Return those offers that are named; all if nothing is."""
    patterns = [one.strip().lstrip('/') for one in names.split(',') if one.strip()]
    if not patterns:
        return offers
    for pattern in patterns:
        if not any(fnmatchcase(one.name, pattern) for one in offers.offers):
            there = ', '.join(one.name for one in offers.offers) or 'nothing'
            raise ConfigurationError(f'--only: there is no {pattern}, only {there}')
    found = tuple(
        one for one in offers.offers if any(fnmatchcase(one.name, each) for each in patterns)
    )
    return replace(offers, offers=found, by_default=len(found))


def _nothing(seen: Seen, offers: Offers, options: argparse.Namespace) -> str:
    domain = os.environ.get('ROS_DOMAIN_ID') or '0'
    where = f' below the namespace {options.namespace}' if options.namespace else ''
    found = f'no action, service or topic for a skill was found{where} in ROS domain {domain}'
    if seen.nodes:
        left = '; '.join(f'{count} {why}' for why, count in offers.left_out.most_common())
        return f'{found}: of what {len(seen.nodes)} nodes have, nothing is for skills ({left})'
    return (
        f'{found}, and no node at all. Is the robot running, with the same ROS_DOMAIN_ID, '
        'RMW_IMPLEMENTATION and ROS_AUTOMATIC_DISCOVERY_RANGE, and on this network? '
        '--seconds 15 looks longer'
    )


def _show_gone(seen: Seen) -> None:
    for one in seen.gone[:_MOST_GONE]:
        print(f'{one.label} was there and went away; it is left out')
    if len(seen.gone) > _MOST_GONE:
        print(f'... and {len(seen.gone) - _MOST_GONE} more went away')


def _skills(drafts: Sequence[Draft], observes: str) -> list[DraftSkill]:
    names: set[str] = set()
    phrases: set[str] = set()
    return [
        fitted(skill, observes)
        for draft in drafts
        for skill in skills_of(draft, names, phrases, bool(observes))
    ]


def _start(published: Published) -> Place:
    here = published.here
    if here is not None:
        return replace(here, name='start')
    return Place('start', note='a guess: TF does not have base_link in the map')


def _start_of(places: Sequence[Place], here: Place | None) -> str:
    """Return the place that the robot is at; empty if it is at none of them."""
    if here is None:
        return places[0].name if places else ''
    near = [
        (math.hypot(one.x - here.x, one.y - here.y), one.name) for one in places if not one.frame
    ]
    distance, name = min(near, default=(math.inf, ''))
    return name if distance <= _NEAR_M else ''


def _rules(drafts: Sequence[Draft]) -> str:
    return ' '.join(
        dict.fromkeys(one.known.rules for one in drafts if one.known and one.known.rules)
    )


def _heading(options: argparse.Namespace, seen: Seen) -> list[str]:
    domain = os.environ.get('ROS_DOMAIN_ID') or '0'
    where = f', namespace {options.namespace}' if options.namespace else ''
    return [
        'A draft by "reactree skills discover" of what ran in ROS domain '
        f'{domain}{where} (nodes: {len(seen.nodes)}).',
        'Go through it: what was guessed says so. docs/skills.md explains every key.',
        '',
    ]


def _write(path: Path, text: str, replaces: bool) -> None:
    """Write a file whole or not at all."""
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f'.{path.name}.')
        try:
            with open(descriptor, 'w', encoding='utf-8') as file:
                file.write(text)
            os.chmod(name, 0o666 & ~_umask())
            if replaces:
                os.replace(name, path)
            else:
                os.link(name, path)
        finally:
            Path(name).unlink(missing_ok=True)
    except FileExistsError as error:
        raise ConfigurationError(f'{path} is there already; --force replaces it') from error
    except OSError as error:
        raise ConfigurationError(f'cannot write {path}: {error}') from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _conclude(
    library: DraftLibrary, out: Path, seen: Seen, later: Seen, options: argparse.Namespace
) -> int:
    """Say what was written and what comes next; return the exit code."""
    print(f'Written: {out}')
    there = {(one.kind, one.name) for one in later.endpoints}
    inside = below(options.namespace)
    for skill in library.skills:
        if skill.off:
            print(f'  {skill.name} is a comment: {skill.off}')
        elif (skill.kind, f'{inside}{skill.server}') not in there:
            print(f'  {skill.name}: {skill.kind.value} {skill.server} is not there any more')
    if library.observes and len(seen.servers(OBSERVE)) > 1:
        others = ', '.join(seen.servers(OBSERVE))
        print(f'  several services report what is perceived, and the first is taken: {others}')
    print()
    code = check(str(out))
    print()
    for line in _next(library, out, seen, options):
        print(line)
    return code


def _next(
    library: DraftLibrary, out: Path, seen: Seen, options: argparse.Namespace
) -> Iterator[str]:
    file = shlex.quote(str(out))
    to = f' --namespace {options.namespace}' if options.namespace else ''
    elsewhere = [one.name for one in library.places if one.name != library.start]
    phrase = library.usable[0].phrase
    if elsewhere and not library.observes:
        phrase = phrase.replace('{place}', elsewhere[0])
    phrase = '' if '{' in phrase else f' {shlex.quote(phrase)}'
    start = f'--sim none --skills {file}{to}'
    checked = ''
    if library.observes:
        namespace = options.namespace.strip('/')
        if library.observes.strip('/') != f'{namespace}/observe'.strip('/'):
            start += f' --observe-service {library.observes}'
        checks = seen.servers(CHECK_GOAL)
        checked = f' --check-service {checks[0]}' if checks else ''
    yield 'Next: go through the file, then'
    yield f'  reactree skills check {file}'
    yield f'  reactree skills try {file}{phrase}{to}'
    yield f'  reactree teach {start} "..."        # show it a run'
    yield f'  reactree up {start}{checked} --model qwen2.5-coder-1.5b'
    yield f'  reactree send{to} "..."        # from another shell'
