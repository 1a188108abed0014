# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The ``reactree`` command line; its sub-commands are entry points."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from reactree_ros import plugins
from reactree_ros.cli.interrupts import CANCELED
from reactree_ros.errors import ConfigurationError, ReactreeError, not_installed

BROKEN_PIPE = 141
"""Exit code when the reader of the output has ended, as of a shell command that SIGPIPE ended."""
_HIGHEST_DOMAIN = 232
_EXAMPLES = """examples:
  reactree demo                                  one task from start to end
  reactree demo --goal "put the apple in the fridge"
  reactree demo --list                           the shipped tasks
  reactree up                                    planner and household, until Ctrl-C
  reactree send "put the apple in the fridge"    … and a goal, from another shell
"""


class _CommandParser(argparse.ArgumentParser):
    """Parser of a sub-command; ``missing`` says why the command cannot run here."""

    missing = ''

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self.missing:
            self.error(self.missing)
        options, extra = super().parse_known_args(args, namespace)
        if extra:
            quotes = hasattr(options, 'goal') and not any(one.startswith('-') for one in extra)
            hint = '; put the goal in quotes' if quotes else ''
            self.error(f'unrecognized arguments: {" ".join(extra)}{hint}')
        return options, extra


def make_parser(
    group: str = plugins.COMMANDS,
    prog: str = 'reactree',
    description: str = 'Goals in plain language for ROS 2 robots, worked out by an agent tree.',
    examples: str = _EXAMPLES,
    asked: Sequence[str] = (),
) -> argparse.ArgumentParser:
    """Return the parser of a command line.

    Args:
        group: entry points whose modules have ``add_parser(commands)``; each parser has a ``run``
            that returns the exit code.
        prog: name of the program.
        description: what it does.
        examples: shown below its help.
        asked: the arguments, if known: where they begin with a command, only that one is loaded.
    """
    parser = argparse.ArgumentParser(
        prog=prog,
        description=description,
        epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('--version', action='version', version=f'%(prog)s {version(plugins.OWN)}')
    commands = parser.add_subparsers(
        title='commands', metavar='COMMAND', required=True, parser_class=_CommandParser
    )
    names = plugins.names(group)
    for name in [one for one in names if asked and one == asked[0].replace('-', '_')] or names:
        try:
            module = plugins.load(group, name)
        except ConfigurationError as error:
            # A command that needs ROS, or a broken plugin, leaves the others usable.
            command = name.replace('_', '-')
            commands.add_parser(command, help='not available here', add_help=False).missing = str(
                error
            )
        else:
            module.add_parser(commands)
    return parser


def run(
    arguments: Sequence[str] | None = None,
    make: Callable[..., argparse.ArgumentParser] = make_parser,
) -> int:
    """Run one command and return the exit code; 2 if it was called or configured wrongly."""
    arguments = sys.argv[1:] if arguments is None else arguments
    prog = Path(sys.argv[0]).name
    domain = os.environ.get('ROS_DOMAIN_ID', '')
    if domain and not (domain.isdecimal() and int(domain) <= _HIGHEST_DOMAIN):
        print(f'{prog}: ROS_DOMAIN_ID is {domain!r}, not a number from 0 to {_HIGHEST_DOMAIN}',
              file=sys.stderr)  # fmt: skip
        return 2
    try:
        parser = make(asked=arguments)
        prog = parser.prog
        options = parser.parse_args(arguments)
        return int(options.run(options))
    except ReactreeError as error:
        print(f'{prog}: {error}', file=sys.stderr)
        return 2
    except ModuleNotFoundError as missing:
        if (missing.name or plugins.OWN).startswith(plugins.OWN):
            raise
        print(f'{prog}: {not_installed(missing)}', file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f'\n{prog}: interrupted', file=sys.stderr)
        return CANCELED
    except BrokenPipeError:
        # The reader (head, less) has seen enough; Python would complain at exit, too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE


def main() -> None:
    """Run the command line as a process."""
    sys.exit(run())


if __name__ == '__main__':
    main()
