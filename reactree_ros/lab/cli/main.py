# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The ``reactree-lab`` command line: it measures, trains and generates."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from reactree_ros import plugins
from reactree_ros.cli import main as command_line

_EXAMPLES = """examples:
  reactree-lab evaluate --tasks wah_test:20 --out results    success and cost of the default
  reactree-lab explain results                               why runs failed
  reactree-lab dataset --tasks wah_train --out data.jsonl.gz
  reactree-lab train --data data.jsonl.gz --out adapter
"""


def make_parser(asked: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser of a command line; see ``cli.main.make_parser``."""
    return command_line.make_parser(
        plugins.LAB_COMMANDS,
        'reactree-lab',
        'Evaluates, trains and benchmarks planners; a robot does not need it.',
        _EXAMPLES,
        asked,
    )


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code; 2 if it was called or configured wrongly."""
    return command_line.run(arguments, make_parser)


def main() -> None:
    """Run the command line as a process."""
    sys.exit(run())


if __name__ == '__main__':
    main()
