# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plots success against a number, such as that of the robots a model was trained on.

``python scripts/plot_success.py OUT.svg 'robots trained on' 10=FOLDER 100=FOLDER …`` reads the
evaluation in each folder, and needs ``pip install -r requirements/plots.txt``.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

import matplotlib.pyplot as plt

from reactree_ros.lab.report.statistics import Share

_COUNTS = ('gsr_hits', 'gsr_of', 'ssr_hits', 'ssr_of', 'conditions_right', 'conditions_read')


def main() -> None:
    """Plot the goals reached, with their intervals, single conditions, and goals read right."""
    given = [text.partition('=') for text in sys.argv[3:]]
    if not given or not all(path for _, _, path in given):
        sys.exit('usage: plot_success.py OUT.svg LABEL NUMBER=FOLDER …')
    numbers = [float(number) for number, _, _ in given]
    rows = [_totals(Path(path, 'summary.csv')) for _, _, path in given]
    shares = [Share.count(row['gsr_hits'], row['gsr_of']) for row in rows]
    values = [100 * share.value for share in shares]
    below = [100 * (share.value - share.low) for share in shares]
    above = [100 * (share.high - share.value) for share in shares]
    figure, axes = plt.subplots(figsize=(6, 4), layout='constrained')
    axes.errorbar(
        numbers, values, yerr=(below, above), marker='o', capsize=3, label='goals reached (95 %)'
    )
    for name, hits, of, marker, line in (
        ('single conditions met', 'ssr_hits', 'ssr_of', 's', ':'),
        ('goals read right', 'conditions_right', 'conditions_read', '^', '--'),
    ):
        if all(row[of] for row in rows):
            found = [100 * row[hits] / row[of] for row in rows]
            axes.plot(numbers, found, marker=marker, linestyle=line, label=name)
    axes.set_xscale('log')
    axes.set_xticks(numbers, [number for number, _, _ in given])
    axes.minorticks_off()
    axes.set(xlabel=sys.argv[2], ylabel='%', ylim=(-3, 103))
    axes.legend()
    figure.savefig(sys.argv[1])


def _totals(path: Path) -> Counter[str]:
    """Return the counts of an evaluation, all its task sets together."""
    totals: Counter[str] = Counter()
    with path.open(newline='') as file:
        for row in csv.DictReader(file):
            totals.update({name: int(row[name] or 0) for name in _COUNTS})
    return totals


if __name__ == '__main__':
    main()
