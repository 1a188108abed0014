# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree memory``: see, correct, delete and exchange what the planner has learned."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from reactree_ros import plugins
from reactree_ros.cli.argument_types import whole_number
from reactree_ros.cli.memory import actions
from reactree_ros.core.settings import USER
from reactree_ros.memory.experience import Verification
from reactree_ros.memory.store import INDEXES
from reactree_ros.strategies.registry import DEFAULT_STRATEGY

_FOUND = 10
_VERIFICATIONS = tuple(one.value for one in Verification)
_DESCRIPTION = """\
Experiences are what agent nodes of successful runs went through; the planner
shows those with goals like the one at hand to its model. These commands show,
correct and exchange them."""
_EXAMPLES = """\
examples:
  reactree memory list                  the latest experiences
  reactree memory list --runs           … and the runs that they come from
  reactree memory search "put the apple in the fridge"
                                        what was learned for similar goals
  reactree memory show 12               all of one, its text too
  reactree memory verify RUN            confirm that the run reached its goal
  reactree memory forget --run RUN      … or delete one that did not
  reactree memory export all.jsonl.gz   all of it, in a file
  reactree memory import all.jsonl.gz --memory other.sqlite
  reactree memory push postgresql://robots@db.local/fleet
                                        add what a fleet's server lacks

Exit code: 0 success; 1 aborted by the user; 2 error; 130 interrupted.
"""


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'memory',
        help='see, correct, delete and exchange what the planner has learned',
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subparsers = parser.add_subparsers(title='actions', metavar='ACTION', required=True)

    def add(
        name: str, run: Callable[[argparse.Namespace], int], words: str, more: str = ''
    ) -> argparse.ArgumentParser:
        action = subparsers.add_parser(
            name, help=words, description=f'{words[0].upper()}{words[1:]}. {more}'
        )
        action.add_argument('--memory', metavar='STORE', default=USER,
                            help='experience store: a file, or postgresql://USER@HOST:PORT/'
                            "DATABASE (default: the user's file)")  # fmt: skip
        action.add_argument('--json', action='store_true', help='print JSON')
        action.set_defaults(run=run)
        return action

    listing = add('list', actions.list_records, 'list experiences, or the runs that they come from',
                  'A narrow terminal shows fewer columns; a file and --json have all.')  # fmt: skip
    _add_choice(listing)
    listing.add_argument('--runs', action='store_true', help='one line a run')
    listing.add_argument('--limit', type=whole_number, metavar='N',
                         help=f'the latest N; 0 for all (default: {actions.LISTED}; with --json '
                         'all)')  # fmt: skip

    searching = add('search', actions.search, 'find the experiences whose goals are most like one',
                    'By cosine similarity of goals, in this store only. A planner also reads the '
                    'shipped experiences, only those of its strategy, and adds weights to '
                    'the ranking.')  # fmt: skip
    searching.add_argument('goal', help='a goal, worded as for the robot')
    searching.add_argument('--limit', type=whole_number, default=_FOUND, metavar='N',
                           help=f'the best N; 0 for all (default: {_FOUND})')  # fmt: skip
    searching.add_argument('--strategy', default='', help='only of this planning strategy')
    searching.add_argument('--skills', default='', metavar='LIBRARY', help='only of this '
                           'skill library, whose words are compared (default: any; the words of '
                           'household)')  # fmt: skip
    _add_encoder(searching)

    showing = add('show', actions.show, 'show all that is known of experiences')
    showing.add_argument('numbers', type=whole_number, nargs='+', metavar='N', help='number of one')

    importing = add('import', actions.import_file, 'add the experiences of a file',
                    'What the file lacks is taken from the options; *.txt has no strategy, skill '
                    'library, task, model and verification.')  # fmt: skip
    importing.add_argument('file', type=Path, metavar='FILE',
                           help='*.jsonl (JSON lines) or *.txt '
                           '(trajectories with --- between them), also with .gz')  # fmt: skip
    importing.add_argument('--skills', default='', metavar='LIBRARY',
                           help='skill library of those that do not say it (default: '
                           'household)')  # fmt: skip
    importing.add_argument('--strategy', default='', metavar='NAME',
                           choices=plugins.names(plugins.STRATEGIES),
                           help='planning strategy of those that do not say it (default: '
                           f'{DEFAULT_STRATEGY})')  # fmt: skip
    for name in ('task', 'model'):
        importing.add_argument(f'--{name}', default='', help=f'{name} of those that do not say it')
    importing.add_argument('--verified', choices=_VERIFICATIONS, default=_VERIFICATIONS[0],
                           help='who verified that the runs reached their goals, where the file '
                           'does not say it (default: %(default)s, the agent itself)')  # fmt: skip
    _add_encoder(importing)

    exporting = add('export', actions.export, 'write experiences to a file')
    exporting.add_argument('file', type=Path, metavar='FILE', help='*.jsonl keeps all that is '
                           'known; *.txt the text alone, not which run, strategy or task it is '
                           'of nor who verified it; with .gz it is compressed')  # fmt: skip
    _add_choice(exporting)

    forgetting = add('forget', actions.forget, 'delete experiences permanently')
    forgetting.add_argument(
        'numbers', type=whole_number, nargs='*', metavar='N', help='number of one'
    )
    _add_choice(forgetting)
    forgetting.add_argument('--all', action='store_true', help='every experience')
    forgetting.add_argument('--yes', action='store_true', help='do not ask')

    verifying = add('verify', actions.verify, 'record who verified that a run reached its goal')
    verifying.add_argument('name', metavar='RUN', help='as "reactree memory list --runs" shows '
                           'it; in quotes if it has spaces')  # fmt: skip
    verifying.add_argument('--by', choices=_VERIFICATIONS, default=Verification.PERSON.value,
                           help='person: you; world: something that checked it; reported: again '
                           'nobody but the agent (default: %(default)s)')  # fmt: skip

    embedding = add(
        're-embed', actions.re_embed, 'embed all goals again, with another sentence encoder'
    )
    _add_encoder(embedding)

    for name, run, words, more in (
        ('push', actions.push, 'add to a server what it lacks of this robot\'s experiences',
         'What was deleted on the server stays deleted.'),
        ('pull', actions.pull, 'add to this robot\'s experiences what they lack of a server\'s',
         'What was deleted on the server is deleted here, too; what was deleted here stays so.'),
    ):  # fmt: skip
        exchanging = add(name, run, words, more)
        exchanging.add_argument('server', help='postgresql://USER@HOST:PORT/DATABASE')
        _add_choice(exchanging)
        _add_encoder(exchanging)
        if name == 'push':
            exchanging.add_argument('--as', dest='as_robot', default='', metavar='ROBOT',
                                    help='who learned those that do not say it')  # fmt: skip

    indexing = add('index', actions.set_index, 'choose how a server is searched',
                   'exact: every experience is compared; hnsw: by an index of pgvector, which '
                   'is faster from some ten thousand on and may miss a few. Planners go on '
                   'meanwhile.')  # fmt: skip
    indexing.add_argument('index', choices=INDEXES)

    add(
        'stats',
        actions.stats,
        'count experiences by verification, ending, strategy, model and robot',
    )


def _add_choice(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group('which', 'all conditions must hold')
    group.add_argument('--run', dest='of_run', default='', metavar='RUN', help='of this run')
    group.add_argument('--goal', default='', metavar='TEXT', help='with this text in the goal')
    group.add_argument('--task', default='', help='of this task, such as "wah_train 12"')
    group.add_argument('--strategy', default='', help='of this planning strategy')
    group.add_argument('--robot', default='', help='learned by this robot')
    group.add_argument('--skills', default='', metavar='LIBRARY', help='of this skill library')
    group.add_argument('--verified', action='append', choices=_VERIFICATIONS, default=[],
                       help='by whom; may be given several times')  # fmt: skip


def _add_encoder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument('--encoder', default='', metavar='MODEL',
                        help='sentence encoder: a sentence-transformers folder, or an id on a hub '
                        '(default: the packaged one)')  # fmt: skip
