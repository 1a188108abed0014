# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What the actions of ``reactree memory`` do; each gives the exit code."""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console

from reactree_ros.cli.argument_types import store_address
from reactree_ros.cli.counting import counting
from reactree_ros.cli.interrupts import CANCELED, Interrupts
from reactree_ros.cli.memory import view
from reactree_ros.cli.memory.importing import embedded, import_runs
from reactree_ros.cli.memory.view import counted
from reactree_ros.core.model import Encoder, Vectors
from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.catch_up import add_missing, forget_too
from reactree_ros.memory.embedding_cache import CachedEncoder
from reactree_ros.memory.exchange import TEXT, form_of, read_runs, write_records
from reactree_ros.memory.experience import Origin, Verification
from reactree_ros.memory.goal_key import goal_key
from reactree_ros.memory.opening import open_store
from reactree_ros.memory.postgres.address import is_server, shown
from reactree_ros.memory.record_json import values_of
from reactree_ros.memory.store import Choice, ExperienceStore, Match, Query, Record
from reactree_ros.models.local.encoder import LocalEncoder
from reactree_ros.planner.assembly import library_of
from reactree_ros.planner.memory_setup import cached_encoder
from reactree_ros.planner.options import planner_options
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.strategies.registry import DEFAULT_STRATEGY

LISTED = 50
"""How many experiences are listed by default."""
T = TypeVar('T')
_EXPERIENCE = 'experience'
_SHOWN_BEFORE_DELETION = 5


def list_records(options: argparse.Namespace) -> int:
    """List experiences, or the runs that they come from."""
    limit = options.limit
    if limit is None:
        limit = 0 if options.json else LISTED
    with opened(options.memory) as store:
        records = store.iterate(_choice(options))
        if options.runs:
            found = view.runs_of(records)
            _print(options, found[-limit:], view.print_runs)
            _print_rest(store, len(found[-limit:]), len(found), 'run')
        else:
            latest = deque(map(view.brief, records), maxlen=limit or None)
            count = store.count(_choice(options)) if limit == len(latest) else len(latest)
            _print(options, list(latest), view.print_records)
            _print_rest(store, len(latest), count, _EXPERIENCE)
    return 0


def search(options: argparse.Namespace) -> int:
    """Find the experiences whose goals are most like one."""
    skills = _library(options.skills).name if options.skills else ''
    encoder = _encoder(options)
    with opened(options.memory, encoder.encoder_name) as store:
        goal, found = most_alike(
            store, encoder, options.goal, options.limit, options.strategy, skills
        )
        _note(f'compared as: {goal}')
        values = [{'score': match.score, **view.brief(match.record)} for match in found]
        _print(options, values, view.print_records)
        _print_rest(store, len(found), len(found), _EXPERIENCE)
    return 0


def most_alike(
    store: ExperienceStore,
    encoder: Encoder,
    text: str,
    limit: int,
    strategy: str = '',
    skills: str = '',
) -> tuple[str, Sequence[Match]]:
    """Find the experiences whose goals are most like a text.

    Args:
        store: where they are.
        encoder: of the store's embeddings; it answers at once.
        text: the goal.
        limit: most of them; 0 for all.
        strategy: only of this planning strategy; empty for any.
        skills: name of the skill library that they must be of; empty for any.

    Returns:
        How the text was compared, and the experiences, the most alike first.

    Raises:
        ConfigurationError: the text is empty.
    """
    goal = goal_key(text)
    if not goal:
        raise ConfigurationError('the goal is empty')
    query = Query(embedded(encoder, [goal])[0], limit=limit, strategy=strategy, skills=skills)
    # Equals at the limit all come; who asks for N gets N.
    return goal, store.search(query)[: limit or None]


def show(options: argparse.Namespace) -> int:
    """Show all that is known of experiences."""
    with opened(options.memory) as store:
        records = _numbered(store, options.numbers)

    def print_all(records: Sequence[dict[str, Any]]) -> None:
        for place, values in enumerate(records):
            if place:
                print()
            view.print_facts(values)

    _print(options, [values_of(record) for record in records], print_all)
    return 0


def import_file(options: argparse.Namespace) -> int:
    """Add the experiences of a file."""
    library = _library(options.skills)
    strategy = options.strategy or DEFAULT_STRATEGY
    form = form_of(options.file)
    encoder = _encoder(options)
    try:
        modified = options.file.stat().st_mtime
    except OSError as error:
        raise ConfigurationError(f'cannot read the experiences {options.file}: {error}') from error
    # Nobody knows when the runs of a file without times were; not after it was written.
    given = Origin('', options.task, library.name, strategy, options.model, modified,
                   Verification(options.verified))  # fmt: skip
    runs = read_runs(options.file, given)
    if form == TEXT and not options.strategy:
        _note(
            f'{options.file.name} is text alone: taken for runs of {strategy} (--strategy) with '
            f'the skills {library.name} (--skills), {options.verified} (--verified)'
        )
    address = store_address(options.memory)
    experiences = sum(len(run.records) for run in runs)
    with (
        closing(open_store(address, encoder.encoder_name)) as store,
        Interrupts() as interrupts,
        counting(f'importing {options.file.name}', experiences) as advance,
    ):
        count, saved = import_runs(runs, store, encoder, advance, lambda: bool(interrupts))
        holds = store.count()
    _print(
        options,
        {'memory': store.address, 'runs': count, **asdict(saved), 'records': holds},
        lambda _: print(
            f'{counted(count, "run")}: {counted(saved.added, "new experience")}, '
            f'{saved.merged:,} merged, {saved.known:,} already there; {store.address} holds '
            f'{holds:,}'
        ),
    )
    if interrupts and saved.added + saved.merged + saved.known < experiences:
        print('reactree: interrupted; the same command imports the rest', file=sys.stderr)
        return CANCELED
    return 0


def export(options: argparse.Namespace) -> int:
    """Write experiences to a file."""
    form = form_of(options.file)
    with opened(options.memory) as store:
        records = store.iterate(_choice(options))
        first = next(records, None)
        if first is None:
            raise ConfigurationError(f'{_nothing(store)}; {options.file} was not written')
        count = write_records(options.file, chain((first,), records))
    _print(
        options,
        {'file': str(options.file), 'experiences': count},
        lambda _: print(f'{options.file}: {counted(count, _EXPERIENCE)}'),
    )
    if form == TEXT:
        _note(
            'that is text alone: runs, tasks, strategies and who verified them are not in it; '
            '*.jsonl keeps all'
        )
    return 0


def forget(options: argparse.Namespace) -> int:
    """Delete experiences, once a person has agreed."""
    choice = _choice(options)
    if choice == Choice() and not options.all:
        raise ConfigurationError(
            'choose what to forget: numbers, --run, --goal, --task, --strategy, --skills, '
            '--robot, --verified, or --all'
        )
    if choice != Choice() and options.all:
        raise ConfigurationError('--all means every experience: omit the other conditions')
    with opened(options.memory) as store:
        _numbered(store, options.numbers)
        if choice.run and not store.count(Choice(run=choice.run)):
            raise _no_run(store, choice.run)
        first = [view.brief(one) for one in islice(store.iterate(choice), _SHOWN_BEFORE_DELETION)]
        count = store.count(choice)
        if not count:
            _note(_nothing(store))
        elif not options.yes:
            try:
                agreed = _confirmed(first, count, store)
            except KeyboardInterrupt:
                print('\nreactree: interrupted; nothing was deleted', file=sys.stderr)
                return CANCELED
            if not agreed:
                _note('nothing was deleted')
                return 1
        forgotten = store.forget(choice) if count else 0
    _print(
        options,
        {'memory': store.address, 'forgotten': forgotten},
        lambda _: print(f'forgot {counted(forgotten, _EXPERIENCE)}') if count else None,
    )
    return 0


def _confirmed(first: Sequence[dict[str, Any]], count: int, store: ExperienceStore) -> bool:
    """Show what is to be deleted, as far as there is room, and ask."""
    if not sys.stdin.isatty():
        raise ConfigurationError(
            f'{counted(count, _EXPERIENCE)} would be deleted permanently; without a terminal, '
            'confirm with --yes'
        )
    view.print_records(first, Console(stderr=True))
    if count > len(first):
        _note(f'… and {count - len(first):,} more')
    print(f'Delete {counted(count, _EXPERIENCE)} of {store.address} permanently? [y/N] ', end='',
          file=sys.stderr, flush=True)  # fmt: skip
    return sys.stdin.readline().strip().lower() in ('y', 'yes')


def push(options: argparse.Namespace) -> int:
    """Add what a server lacks of a file."""
    return _catch_up(options, options.memory, options.server)


def pull(options: argparse.Namespace) -> int:
    """Delete in a file what was deleted on a server, and add what the file lacks of it."""
    return _catch_up(options, options.server, options.memory)


def _catch_up(options: argparse.Namespace, source: str, target: str) -> int:
    if not is_server(options.server):
        raise ConfigurationError(
            f'{options.server!r} is not the address of a server, '
            'postgresql://USER@HOST:PORT/DATABASE; for two files there are "reactree memory '
            'export" and "import"'
        )
    encoder = _encoder(options)
    pulls = target == options.memory
    with (
        opened(source) as have,
        closing(open_store(store_address(target), encoder.encoder_name)) as lacks,
        Interrupts() as interrupts,
    ):
        forgotten = forget_too(have, lacks) if pulls else 0
        choice = _choice(options)
        what = f'{"pulling from" if pulls else "pushing to"} {shown(options.server)}'
        with counting(what, have.count(choice)) as advance:
            saved = add_missing(
                have,
                lacks,
                lambda texts: embedded(encoder, texts),
                choice,
                advance,
                lambda: bool(interrupts),
                robot=getattr(options, 'as_robot', ''),
            )
        holds = lacks.count()
        address = lacks.address
    deleted = f'; {counted(forgotten, _EXPERIENCE)} deleted, as on the server' if forgotten else ''
    left = f', {saved.left_out:,} deleted there before' if saved.left_out else ''
    _print(
        options,
        {'memory': address, **asdict(saved), 'deleted': forgotten, 'records': holds},
        lambda _: print(
            f'{counted(saved.added, "new experience")}, {saved.merged:,} merged, {saved.known:,} '
            f'already there{left}{deleted}; {address} holds {holds:,}'
        ),
    )
    if interrupts:
        print('reactree: interrupted; the same command brings the rest', file=sys.stderr)
        return CANCELED
    return 0


def set_index(options: argparse.Namespace) -> int:
    """Search a server with an index from now on, or without one."""
    with opened(options.memory) as store:
        store.set_index(options.index)
    _print(
        options,
        {'memory': store.address, 'search': options.index},
        lambda _: print(f'{store.address}: search is {options.index} from now on'),
    )
    return 0


def verify(options: argparse.Namespace) -> int:
    """Record who verified that a run reached its goal."""
    with opened(options.memory) as store:
        count = store.verify(options.name, Verification(options.by))
    if not count:
        raise _no_run(store, options.name)
    _print(
        options,
        {'run': options.name, 'verified': options.by, 'experiences': count},
        lambda _: print(f'{options.name}: {counted(count, _EXPERIENCE)}, {options.by}'),
    )
    return 0


def re_embed(options: argparse.Namespace) -> int:
    """Embed all goals again."""
    # Not cached: another model may have the name of the one before.
    encoder = LocalEncoder(options.encoder)
    name = encoder.encoder_name
    with opened(options.memory) as store:
        try:
            with counting(f'embedding with {name}', store.key_count()) as advance:

                def embed(texts: Sequence[str]) -> Vectors:
                    vectors = embedded(encoder, texts)
                    advance(len(texts))
                    return vectors

                count = store.re_embed(name, embedded(encoder, ['']).shape[1], embed)
        except KeyboardInterrupt:
            print('reactree: interrupted; nothing was changed', file=sys.stderr)
            return CANCELED
        records = store.count()
    _print(
        options,
        {'memory': store.address, 'encoder': name, 'embedded': count, 'records': records},
        lambda _: print(
            f'{store.address}: {counted(count, "goal")} of {counted(records, _EXPERIENCE)} '
            f'embedded with {name}'
        ),
    )
    return 0


def stats(options: argparse.Namespace) -> int:
    """Show counts by verification, termination, strategy, skill library and model."""
    with opened(options.memory) as store:
        stats = store.stats()
    encoder = f'{stats.encoder}, {stats.dimension} floats' if stats.encoder else 'none yet'
    facts = {
        'store': f'{store.address} ({stats.bytes / 1e6:,.1f} MB)',
        'experiences': f'{stats.records:,} of {counted(stats.runs, "run")}',
        'encoder': encoder,
        'search': stats.index,
        **stats.counts,
    }
    _print(
        options,
        {'memory': store.address, **asdict(stats)},
        lambda _: view.print_facts(facts),
    )
    return 0


@contextmanager
def opened(memory: str, encoder: str = '') -> Iterator[ExperienceStore]:
    """Open a store that is there; with the name of an encoder, only one that was made with it."""
    address = store_address(memory)
    if not is_server(address) and not Path(address).exists():
        ways = 'planners make it when they learn, and "reactree memory import" does'
        raise ConfigurationError(f'there is no experience store {address}; {ways}')
    with closing(open_store(address, encoder, create=False)) as store:
        yield store


def _numbered(store: ExperienceStore, numbers: Sequence[int]) -> tuple[Record, ...]:
    """Return the records of these numbers, all of which must be there."""
    if not numbers:
        return ()
    records = store.records(Choice(numbers=tuple(numbers)))
    if missing := sorted(set(numbers) - {record.number for record in records}):
        raise ConfigurationError(
            f'there is no experience {", ".join(map(str, missing))} in {store.address}; '
            '"reactree memory list" shows what there is'
        )
    return records


def _library(skills: str) -> SkillLibrary:
    return library_of(planner_options({'skills': skills or 'household'}))


def _encoder(options: argparse.Namespace) -> CachedEncoder:
    """Return an encoder that answers at once and loads its model only for what is not known."""
    return cached_encoder(LocalEncoder(options.encoder))


def _choice(options: argparse.Namespace) -> Choice:
    return Choice(
        numbers=tuple(getattr(options, 'numbers', ())),
        run=options.of_run,
        goal=options.goal,
        skills=options.skills,
        strategy=options.strategy,
        verified=tuple(Verification(name) for name in options.verified),
        task=options.task,
        robot=options.robot,
    )


def _print(options: argparse.Namespace, values: T, show: Callable[[T], None]) -> None:
    if options.json:
        view.print_json(values)
    else:
        show(values)


def _print_rest(store: ExperienceStore, shown: int, count: int, what: str) -> None:
    if not count:
        _note(_nothing(store))
    elif shown < count:
        _note(f'the latest {shown:,} of {counted(count, what)}; --limit 0 shows all')


def _nothing(store: ExperienceStore) -> str:
    """Return that nothing was found, and among how many."""
    holds = store.count()
    if not holds:
        return f'{store.address} holds no experiences yet'
    return f'nothing matches; {store.address} holds {counted(holds, _EXPERIENCE)}'


def _no_run(store: ExperienceStore, name: str) -> ConfigurationError:
    return ConfigurationError(
        f'there is no run {name!r} in {store.address}; "reactree memory list --runs" shows what '
        'there is'
    )


def _note(text: str) -> None:
    """Print a remark that is not part of the result."""
    print(text, file=sys.stderr)
