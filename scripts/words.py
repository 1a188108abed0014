# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Finds words that a native ROS engineer would not use; part of ``make lint``."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORDS = {
    r'(?<!here )\b(is|are|was|were) no (?!longer|more|one|help|need|use)(?=[a-z])': 'is not a',
    r'\b(lets?|letting) go\b': 'release',
    r'\b(hears?|heard|hearing)\b': 'receive, listen to, on_...',
    r'(?<![.\w`\'])(tells?|told|telling)\b(?![:=])': 'report, say, publish, show',
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
EXEMPT = ('CHANGELOG', 'LICENSE', 'scripts/words.py', 'resource/', 'test/')
SUFFIXES = ('.py', '.md', '.rst', '.yaml', '.action', '.msg', '.srv', '.xml', '.toml')


def main() -> int:
    """Print every place, and return 1 if there is one."""
    listed = subprocess.run(
        ['git', 'ls-files', *sys.argv[1:]], cwd=ROOT, capture_output=True, text=True, check=True
    )
    places = 0
    for name in listed.stdout.splitlines():
        if not name.endswith(SUFFIXES) or name.startswith(EXEMPT):
            continue
        lines = (ROOT / name).read_text(encoding='utf-8').splitlines()
        for number, line in enumerate(lines, start=1):
            for pattern, better in WORDS.items():
                for found in re.finditer(pattern, line):
                    places += 1
                    print(f'{name}:{number}:{found.start() + 1}: "{found[0]}": write {better}')
    return min(places, 1)


if __name__ == '__main__':
    sys.exit(main())
