# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plots success and prompt length against the length of tasks.

``python scripts/plot_lengths.py OUT.svg RUNS.csv …`` reads ``runs.csv`` of evaluations and needs
``pip install -r requirements/plots.txt``.
"""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import matplotlib.pyplot as plt

from reactree_ros.lab.report.statistics import Share

EDGES = (1, 9, 17, 25, 40, 60, 100)
"""Classes of length: steps of a known plan, from each edge up to the next."""

Runs = Sequence[dict[str, str]]


def main() -> None:
    """Plot the runs of some files."""
    if len(sys.argv) < 3:
        sys.exit('usage: plot_lengths.py OUT.svg RUNS.csv …')
    runs = [run for path in sys.argv[2:] for run in csv.DictReader(Path(path).open())]
    figure, (upper, lower) = plt.subplots(2, 1, sharex=True, figsize=(7, 6), layout='constrained')
    names = [f'{low}–{high - 1}' for low, high in pairwise(EDGES)]
    for label in dict.fromkeys(map(label_of, runs)):
        found = [(n, runs_of(runs, label, *edges)) for n, edges in enumerate(pairwise(EDGES))]
        classes = [(n, own) for n, own in found if own]
        shares = [
            Share.count(sum(run['holds'] == 'True' for run in own), len(own)) for _, own in classes
        ]
        values = [100 * share.value for share in shares]
        below = [100 * (share.value - share.low) for share in shares]
        above = [100 * (share.high - share.value) for share in shares]
        at = [n for n, _ in classes]
        upper.errorbar(at, values, yerr=(below, above), marker='o', capsize=3, label=label)
        tokens = [prompt_tokens(own) for _, own in classes]
        lower.plot(at, tokens if any(tokens) else [math.nan] * len(at), marker='o')
    upper.set(ylabel='goals reached, % (95 %)', ylim=(-3, 103))
    figure.legend(loc='outside upper center', ncols=2, fontsize='small')
    lower.set(xlabel='steps of a known plan', ylabel='prompt tokens a decision')
    lower.set_ylim(bottom=0)
    lower.set_xticks(range(len(names)), names)
    figure.savefig(sys.argv[1])


def label_of(run: dict[str, str]) -> str:
    """Return what decided in a run."""
    without = run['model'] if run['model'].startswith('none-') else ''
    return without or f'{run["planner"]}, {run["model"]}'


def runs_of(runs: Runs, label: str, low: int, high: int) -> Runs:
    """Return the runs of a label on tasks with ``low`` to ``high - 1`` steps."""
    return [r for r in runs if label_of(r) == label and low <= int(r['steps']) < high]


def prompt_tokens(runs: Runs) -> float:
    """Return the mean length of a prompt."""
    read = sum(int(run['tokens_in']) for run in runs)
    return read / max(1, sum(int(run['decisions']) for run in runs))


if __name__ == '__main__':
    main()
