# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Plots a simulated fleet: how long a decision takes, and what a robot gets done.

``python scripts/plot_fleet.py OUT.svg CSV=LABEL …`` reads what ``reactree-lab simulate-fleet`` has
written with ``--out``, and needs ``pip install -r requirements/plots.txt``.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import matplotlib.pyplot as plt


def main() -> None:
    """Plot some files, one column each."""
    if len(sys.argv) < 3:
        sys.exit('usage: plot_fleet.py OUT.svg CSV=LABEL …')
    plt.rcParams |= {'svg.hashsalt': 'fleet', 'svg.fonttype': 'none'}
    files = [text.partition('=')[::2] for text in sys.argv[2:]]
    figure, axes = plt.subplots(
        2, len(files), sharex=True, sharey='row', figsize=(3.4 * len(files), 5.2),
        layout='constrained', squeeze=False,
    )  # fmt: skip
    for (upper, lower), (path, label) in zip(axes.T, files, strict=True):
        rows = list(csv.DictReader(Path(path).open(encoding='utf-8')))
        for servers in dict.fromkeys(row['servers'] for row in rows):
            own = [row for row in rows if row['servers'] == servers]
            robots = [int(row['robots']) for row in own]
            (line,) = upper.plot(
                robots, [float(row['p50']) for row in own], marker='.', label=servers
            )
            upper.plot(
                robots, [float(row['p99']) for row in own], linestyle=':', color=line.get_color()
            )
            lower.plot(robots, [float(row['goals_per_hour']) for row in own], marker='.')
        upper.set(title=label, xscale='log', yscale='log')
        lower.set(xlabel='robots')
        for one in (upper, lower):
            one.grid(visible=True, alpha=0.3)
            one.minorticks_off()
    axes[0][0].set(ylabel='seconds of a decision (dotted: p99)')
    axes[1][0].set(ylabel='goals per hour of a robot')
    axes[0][-1].legend(title='servers', fontsize='small')
    figure.savefig(sys.argv[1], metadata={'Date': None})


if __name__ == '__main__':
    main()
