# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``make fuzz``: drives the targets, one after the other, and keeps what breaks a contract."""

from __future__ import annotations

import argparse
import hashlib
import importlib.util
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .targets import NAMES

_GRACE_S = 300.0
"""How much longer than asked a process may run: it imports, instruments and makes its seeds."""
_TAIL = 25


@dataclass(frozen=True)
class Outcome:
    """How one target did.

    Args:
        name: of the target.
        executions: inputs that were tried.
        accepted: how many of them were accepted.
        seconds: how long.
        fault: file of the input that broke the contract; None if none did.
    """

    name: str
    executions: int
    accepted: int
    seconds: float
    fault: Path | None


def main() -> int:
    """Drive the targets and return the exit code: 0, or 1 if a contract was broken."""
    options = _options()
    outcomes = []
    for name in options.target or NAMES:
        print(f'{name}: {options.minutes:g} min', flush=True)
        outcomes.append(_driven(name, options))
    print(f'{"target":10} {"minutes":>7} {"executions":>10} {"accepted":>9}  result')
    for one in outcomes:
        result = f'BROKEN by {one.fault}' if one.fault else 'clean'
        counts = f'{one.executions:10,} {one.accepted:9,}'
        print(f'{one.name:10} {one.seconds / 60:7.1f} {counts}  {result}')
    return int(any(one.fault for one in outcomes))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog='make fuzz', description='Throws wrong input at the parsers; see docs/fuzzing.md.'
    )
    parser.add_argument('--minutes', type=float, default=10.0, help='for each target (default 10)')
    parser.add_argument(
        '--target', action='append', choices=NAMES, help='may be given again; all without it'
    )
    parser.add_argument('--seed', type=int, default=1, help='other seeds try other inputs')
    parser.add_argument(
        '--by-chance', action='store_true', help='without atheris: inputs are only drawn'
    )
    parser.add_argument(
        '--out', type=Path, default=Path('../results/fuzz'), help='where broken inputs are kept'
    )
    options = parser.parse_args()
    if not options.by_chance and importlib.util.find_spec('atheris') is None:
        parser.error('atheris is not installed (requirements/fuzz.txt); --by-chance goes without')
    return options


def _driven(name: str, options: argparse.Namespace) -> Outcome:
    seconds = 60.0 * options.minutes
    with tempfile.TemporaryDirectory(prefix=f'reactree-fuzz-{name}-') as scratch:
        folder = Path(scratch)
        how = 'chance' if options.by_chance else 'guided'
        command = [sys.executable, '-m', f'{__package__}.drive', name, str(seconds), scratch]
        with (folder / 'log').open('w+', encoding='utf-8', errors='replace') as log:
            try:
                code = subprocess.run(
                    [*command, str(options.seed), how],
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    timeout=seconds + _GRACE_S,
                    check=False,
                ).returncode
            except subprocess.TimeoutExpired:
                code = -1
        file = folder / 'counts.json'
        counts = json.loads(file.read_text(encoding='utf-8')) if file.exists() else {}
        if not code and not counts:
            code = -1  # it ended before it began
        fault = _kept(name, folder, options.out) if code else None
        return Outcome(
            name,
            counts.get('executions', 0),
            counts.get('accepted', 0),
            counts.get('seconds', 0.0),
            fault,
        )


def _kept(name: str, folder: Path, out: Path) -> Path:
    """Keep the input that ended a process and say what to do with it."""
    log = (folder / 'log').read_text(encoding='utf-8', errors='replace')
    print('\n'.join(log.splitlines()[-_TAIL:]))
    now = folder / 'now'
    data = now.read_bytes() if now.exists() else b''
    out.mkdir(parents=True, exist_ok=True)
    kept = out / f'{name}-{hashlib.sha256(data).hexdigest()[:10]}'
    kept.write_bytes(data)
    kept.with_suffix('.log').write_text(log, encoding='utf-8')
    print(
        f'{name}: {kept.resolve()} breaks the contract. To keep it as a test, make it as small as '
        f'you can and move it to test/fuzz/found/{name}/, with a name that says what it was.'
    )
    return kept


if __name__ == '__main__':
    sys.exit(main())
