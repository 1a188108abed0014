# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plots success against a number, such as that of the robots a model was trained on.

``python scripts/plot_success.py OUT.svg 'robots trained on' 10=RUNS.csv 100=RUNS.csv …`` reads
``runs.csv`` of one evaluation for each number, and needs ``pip install -r requirements/plots.txt``.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import matplotlib.pyplot as plt

from reactree_ros.lab.report.statistics import Share


def main() -> None:
    """Plot the goals reached, with their intervals, and the single conditions met."""
    given = [text.partition('=') for text in sys.argv[3:]]
    if not given or not all(path for _, _, path in given):
        sys.exit('usage: plot_success.py OUT.svg LABEL NUMBER=RUNS.csv …')
    numbers = [float(number) for number, _, _ in given]
    runs = [list(csv.DictReader(Path(path).open())) for _, _, path in given]
    shares = [Share.count(sum(run['holds'] == 'True' for run in own), len(own)) for own in runs]
    values = [100 * share.value for share in shares]
    below = [100 * (share.value - share.low) for share in shares]
    above = [100 * (share.high - share.value) for share in shares]
    met = [
        100 * sum(int(r['met']) for r in own) / sum(int(r['wanted']) for r in own) for own in runs
    ]
    figure, axes = plt.subplots(figsize=(6, 4), layout='constrained')
    axes.errorbar(
        numbers, values, yerr=(below, above), marker='o', capsize=3, label='goals reached (95 %)'
    )
    axes.plot(numbers, met, marker='s', linestyle=':', label='single conditions met')
    axes.set_xscale('log')
    axes.set_xticks(numbers, [number for number, _, _ in given])
    axes.minorticks_off()
    axes.set(xlabel=sys.argv[2], ylabel='%', ylim=(-3, 103))
    axes.legend()
    figure.savefig(sys.argv[1])


if __name__ == '__main__':
    main()
