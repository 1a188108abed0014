# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Finds words that a native ROS engineer would not use; part of ``make lint``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORDS = {
    r'(?<!here )\b(is|are|was|were) no (?!longer|more|one|help|need|use)(?=[a-z])': 'is not a',
    r'\b(lets?|letting) go\b': 'release',
    r'\b(hears?|heard|hearing)\b': 'receive, listen to, on_...',
    r'(?<![.\w`\'\"])(tells?|told|telling)\b(?![:=])': 'report, say, publish, show',
    r'\bstumbl\w*': 'fail',
    r'\b(hold|holds|held) (\w+ ){0,3}against\b': 'check, compare',
    r'\bkeeps? an eye\b': 'watch',
    r'\bwhat (it|the \w+|a \w+) (is|was|were) at\b': 'what it executes',
    r'(?<!gripper )\bis at it\b': 'is running',
    r'\bat its door\b|\bthe robot.s door\b|\bthe door\b(?= (of|to) (the|a) robot)': 'guard',
    r'\bcomes? to (its|their) ends?\b': 'ends',
    r'\banew\b': 'again',
    r'\bbut for\b': 'except',
    r'\boutdo(es)?\b': 'overrides',
    r'\b(goes|go|went|going|gone) on (?=with|where|after|until|without|learning)': 'continue',
    r'\bfor good\b': 'permanently',
    r'\bis none of\b': 'is not one of',
    r'\bgave way\b|\bgives way\b': 'was preempted',
}
"""What is looked for, by regular expression, and what to write in its place."""
FOLDERS = (
    *('reactree_ros', 'reactree_interfaces', 'behaviors', 'config', 'docs', 'examples', 'launch'),
    'scripts',
)
EXEMPT = ('CHANGELOG', 'words.py')
SUFFIXES = ('.py', '.md', '.rst', '.yaml', '.action', '.msg', '.srv', '.xml', '.toml')


def files(given: list[str]) -> Iterator[Path]:
    """Yield the files to check: those below the given folders, or all of the project's."""
    for folder in given or FOLDERS:
        yield from sorted((ROOT / folder).rglob('*'))
    if not given:
        yield from sorted(ROOT.glob('*'))


def main() -> int:
    """Print every place, and return 1 if there is one."""
    places = 0
    for file in files(sys.argv[1:]):
        if file.suffix not in SUFFIXES or file.name.startswith(EXEMPT):
            continue
        if '_build' in file.parts or 'api' in file.parts:
            continue
        name = file.relative_to(ROOT)
        lines = file.read_text(encoding='utf-8').splitlines()
        for number, line in enumerate(lines, start=1):
            for pattern, better in WORDS.items():
                for found in re.finditer(pattern, line):
                    places += 1
                    print(f'{name}:{number}:{found.start() + 1}: "{found[0]}": write {better}')
    return min(places, 1)


if __name__ == '__main__':
    sys.exit(main())
