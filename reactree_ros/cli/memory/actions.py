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
from itertools import chain

from reactree_ros.cli.argument_types import store_file
from reactree_ros.cli.interrupts import Interrupts
from reactree_ros.cli.memory import view
from reactree_ros.cli.memory.importing import Counting, embedded, import_runs, open_source
from reactree_ros.cli.memory.view import counted
from reactree_ros.core.model import Vectors
from reactree_ros.core.settings import USER
from reactree_ros.errors import ConfigurationError
from reactree_ros.memory.embedding_cache import CachedEncoder
from reactree_ros.memory.exchange import TEXT, form_of, write_records
from reactree_ros.memory.experience import Origin, Verification
from reactree_ros.memory.goal_key import things_in
from reactree_ros.memory.record_json import values_of
from reactree_ros.memory.sqlite.store import SqliteStore
from reactree_ros.memory.store import Choice, Query, Record
from reactree_ros.models.local.encoder import LocalEncoder
from reactree_ros.planner.assembly import library_of
from reactree_ros.planner.memory_setup import cached_encoder, goal_key_of
from reactree_ros.planner.options import planner_options
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.strategies.registry import DEFAULT_STRATEGY

LISTED = 50
"""How many experiences are listed if nobody says so."""
CANCELED = 130
"""Exit code of what a person interrupted."""
_EXPERIENCE = 'experience'
_SHOWN_BEFORE_DELETION = 5


def list_records(options: argparse.Namespace) -> int:
    """List experiences, or the runs that they come from."""
    limit = options.limit
    if limit is None:
        limit = 0 if options.json else LISTED
    with _opened(options) as store:
        records = store.iterate(_choice(options))
        if options.runs:
            runs = view.summarise_runs(records)
            count, shown = len(runs), runs[-limit:]
            _print(options, [view.run_values(run) for run in shown], lambda: view.print_runs(shown))
            _say_rest(store, len(shown), count, 'run')
            return 0
        latest = deque[Record](maxlen=limit or None)
        count = 0
        for record in records:
            latest.append(record)
            count += 1
        _print(options, [view.brief(one) for one in latest], lambda: view.print_records(latest))
        _say_rest(store, len(latest), count, _EXPERIENCE)
    return 0


def search(options: argparse.Namespace) -> int:
    """Find the experiences whose goals are most like one."""
    library = _library(options.skills)
    key = goal_key_of(library)
    goal = key.of(options.goal)
    if not goal:
        raise ConfigurationError('the goal is empty')
    encoder = _encoder(options)
    with _opened(options, encoder.encoder_name) as store:
        query = Query(
            embedded(encoder, [goal])[0],
            limit=options.limit,
            things=things_in(goal),
            strategy=options.strategy,
            skills=library.name if options.skills else '',
            verified_only=options.verified_only,
        )
        found = store.search(query)
        # Equals at the limit all come; who asks for N gets N.
        found = found[: options.limit or None]
        _note(f'compared as: {goal}')
        values = [{'score': match.score, **view.brief(match.record)} for match in found]
        _print(options, values, lambda: view.print_matches(found))
        _say_rest(store, len(found), len(found), _EXPERIENCE)
    return 0


def show(options: argparse.Namespace) -> int:
    """Show all that is known of experiences."""
    with _opened(options) as store:
        records = _numbered(store, options.numbers)

    def print_all() -> None:
        for place, record in enumerate(records):
            if place:
                print()
            view.print_record(record)

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
    source = open_source(
        options.file,
        # Nobody knows when the runs of a file without times were; not after it was written.
        Origin('', options.task, library.name, strategy, options.model, modified,
               Verification(options.verified)),
    )  # fmt: skip
    if form == TEXT and not options.strategy:
        _note(
            f'{options.file.name} is text alone: taken for runs of {strategy} (--strategy) with '
            f'the skills {library.name} (--skills), {options.verified} (--verified)'
        )
    path = store_file(options.memory)
    counting = Counting(f'importing {options.file.name}', source.experiences)
    with (
        closing(SqliteStore(path, encoder.encoder_name)) as store,
        Interrupts() as interrupts,
        counting,
    ):
        runs, saved = import_runs(
            source,
            store,
            encoder,
            goal_key_of(library),
            library.name,
            counting,
            lambda: bool(interrupts),
        )
        holds = store.stats().records
    words = (
        f'{counted(runs, "run")}: {counted(saved.added, "new experience")}, '
        f'{saved.merged:,} merged, {saved.known:,} already there; '
    )
    _print(
        options,
        {'memory': str(path), 'runs': runs, **asdict(saved), 'records': holds},
        lambda: print(f'{words}{path} holds {holds:,}'),
    )
    if interrupts and saved.added + saved.merged + saved.known < source.experiences:
        print('reactree: interrupted; the same command imports the rest', file=sys.stderr)
        return CANCELED
    return 0


def export(options: argparse.Namespace) -> int:
    """Write experiences to a file."""
    form = form_of(options.file)
    if not options.file.parent.is_dir():
        raise ConfigurationError(
            f'cannot write the experiences {options.file}: there is no folder {options.file.parent}'
        )
    with _opened(options) as store:
        records = store.iterate(_choice(options))
        first = next(records, None)
        if first is None:
            raise ConfigurationError(f'{_nothing(store)}; {options.file} was not written')
        count = write_records(options.file, chain((first,), records))
    _print(
        options,
        {'file': str(options.file), 'experiences': count},
        lambda: print(f'{options.file}: {counted(count, _EXPERIENCE)}'),
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
            'say what to forget: numbers, --run, --goal, --task, --strategy, --skills, '
            '--verified, or --all'
        )
    if choice != Choice() and options.all:
        raise ConfigurationError('--all means every experience: leave the other conditions away')
    with _opened(options) as store:
        _numbered(store, options.numbers)
        if choice.run and not any(True for _ in store.iterate(Choice(run=choice.run))):
            raise _no_run(store, choice.run)
        first: list[Record] = []
        count = 0
        for record in store.iterate(choice):
            count += 1
            if count <= _SHOWN_BEFORE_DELETION:
                first.append(record)
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
        {'memory': str(store.path), 'forgotten': forgotten},
        lambda: print(f'forgot {counted(forgotten, _EXPERIENCE)}') if count else None,
    )
    return 0


def _confirmed(first: Sequence[Record], count: int, store: SqliteStore) -> bool:
    """Show what is to be deleted, as far as there is room, and ask."""
    if not sys.stdin.isatty():
        raise ConfigurationError(
            f'{counted(count, _EXPERIENCE)} would be deleted permanently; without a terminal, '
            'confirm with --yes'
        )
    view.print_records(first, view.error_console())
    if count > len(first):
        _note(f'… and {count - len(first):,} more')
    print(f'Delete {counted(count, _EXPERIENCE)} of {store.path} permanently? [y/N] ', end='',
          file=sys.stderr, flush=True)  # fmt: skip
    return sys.stdin.readline().strip().lower() in ('y', 'yes')


def verify(options: argparse.Namespace) -> int:
    """Note who says that a run reached its goal."""
    with _opened(options) as store:
        count = store.verify(options.name, Verification(options.by))
    if not count:
        raise _no_run(store, options.name)
    _print(
        options,
        {'run': options.name, 'verified': options.by, 'experiences': count},
        lambda: print(f'{options.name}: {counted(count, _EXPERIENCE)}, {options.by}'),
    )
    return 0


def re_embed(options: argparse.Namespace) -> int:
    """Embed all goals again."""
    if options.file and options.memory != USER:
        raise ConfigurationError('name the experience store once: as FILE, or with --memory')
    options.memory = options.file or options.memory
    # Not cached: another model may go by the name of the one before.
    encoder = LocalEncoder(options.encoder)
    name = encoder.encoder_name
    with _opened(options) as store:
        counting = Counting(f'embedding with {name}', store.key_count())

        def embed(texts: Sequence[str]) -> Vectors:
            vectors = embedded(encoder, texts)
            counting.advance(len(texts))
            return vectors

        try:
            with counting:
                dimension = embedded(encoder, ['']).shape[1]
                count = store.re_embed(name, dimension, embed)
        except KeyboardInterrupt:
            print('reactree: interrupted; nothing was changed', file=sys.stderr)
            return CANCELED
        records = store.stats().records
    _print(
        options,
        {'memory': str(store.path), 'encoder': name, 'embedded': count, 'records': records},
        lambda: print(
            f'{store.path}: {counted(count, "goal")} of {counted(records, _EXPERIENCE)} '
            f'embedded with {name}'
        ),
    )
    return 0


def stats(options: argparse.Namespace) -> int:
    """Say how much there is of what."""
    with _opened(options) as store:
        stats = store.stats()
    _print(
        options,
        {'memory': str(store.path), **asdict(stats)},
        lambda: view.print_stats(str(store.path), stats),
    )
    return 0


@contextmanager
def _opened(options: argparse.Namespace, encoder: str = '') -> Iterator[SqliteStore]:
    """Open a store that is there; with the name of an encoder, only one that was made with it."""
    path = store_file(options.memory)
    if not path.exists():
        ways = 'planners make it when they learn, and "reactree memory import" does'
        raise ConfigurationError(f'there is no experience store {path}; {ways}')
    with closing(SqliteStore(path, encoder, create=False)) as store:
        yield store


def _numbered(store: SqliteStore, numbers: Sequence[int]) -> tuple[Record, ...]:
    """Return the records of these numbers, all of which must be there."""
    if not numbers:
        return ()
    records = store.records(Choice(numbers=tuple(numbers)))
    if missing := sorted(set(numbers) - {record.number for record in records}):
        raise ConfigurationError(
            f'there is no experience {", ".join(map(str, missing))} in {store.path}; '
            '"reactree memory list" shows what there is'
        )
    return records


def _library(skills: str) -> SkillLibrary:
    return library_of(planner_options({'skills': skills} if skills else {}))


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
    )


def _print(options: argparse.Namespace, values: object, show: Callable[[], None]) -> None:
    if options.json:
        view.print_json(values)
    else:
        show()


def _say_rest(store: SqliteStore, shown: int, count: int, what: str) -> None:
    if not count:
        _note(_nothing(store))
    elif shown < count:
        _note(f'the latest {shown:,} of {counted(count, what)}; --limit 0 shows all')


def _nothing(store: SqliteStore) -> str:
    """Say that nothing was found, and in how much."""
    holds = store.stats().records
    if not holds:
        return f'{store.path} holds no experiences yet'
    return f'nothing matches; {store.path} holds {counted(holds, _EXPERIENCE)}'


def _no_run(store: SqliteStore, name: str) -> ConfigurationError:
    return ConfigurationError(
        f'there is no run {name!r} in {store.path}; "reactree memory list --runs" shows what '
        'there is'
    )


def _note(text: str) -> None:
    """Say something beside the answer."""
    print(text, file=sys.stderr)
