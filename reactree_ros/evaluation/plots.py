# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Pictures of an evaluation: success by planner, by length of task, and growing contexts.

One panel a model and task set. Colours are those of Okabe and Ito, which colour-blind people tell
apart; every planner has a mark of its own besides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reactree_ros.evaluation.metrics import Row, Run, Summary
from reactree_ros.evaluation.statistics import Share
from reactree_ros.evaluation.summary import ORDER, base_of
from reactree_ros.exceptions import ConfigurationError

_COLOURS = ('#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000', '#999933')
_MARKS = 'osD^vPX*'
_LINES = ('-', '--', ':')
_MOST_BINS = 4
_FEWEST_RUNS = 3
"""No median is drawn of fewer runs, unless there never are as many."""

Panel = Callable[[Any, list[tuple[Row, tuple[Run, ...]]], dict[str, dict[str, Any]]], None]
"""Draws the rows of one model and task set with the styles of their planners."""


def use_matplotlib() -> None:
    """Have matplotlib draw into files.

    Raises:
        ConfigurationError: if it is not installed.
    """
    try:
        import matplotlib
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            'pictures need matplotlib: pip install -r requirements/bench.txt'
        ) from error
    matplotlib.use('agg')


def draw_plots(summary: Summary, folder: Path) -> list[Path]:
    """Draw the pictures that a summary has something for, as PNG files.

    Args:
        summary: of the runs.
        folder: where the files are written.

    Returns:
        The files.

    Raises:
        ConfigurationError: if matplotlib is not installed.
    """
    use_matplotlib()
    written = []
    if summary.rows:
        written.append(_draw_success(summary, folder / 'gsr.png'))
    if any(run.task.shortest for run in summary.runs):
        written.append(_draw(summary, folder / 'ssr_by_length.png', _by_length))
    if any(run.tokens_in for run in summary.runs):
        written.append(_draw(summary, folder / 'context.png', _context))
    return written


def _draw_success(summary: Summary, path: Path) -> Path:
    """Draw the goal success rate of every planner, models side by side, a panel a task set."""
    from matplotlib import pyplot

    models = list(dict.fromkeys(row.model for row in summary.rows))
    planners = list(dict.fromkeys(row.planner for row in summary.rows))
    task_sets = list(dict.fromkeys(row.task_set for row in summary.rows))
    slots = [(planner, model) for planner in planners for model in models]
    figure, all_axes = pyplot.subplots(
        1,
        len(task_sets),
        figsize=(3.4 + 3.6 * len(task_sets), 1.5 + 0.32 * len(slots) + 0.12 * len(planners)),
        dpi=120,
        sharey=True,
        squeeze=False,
    )
    height = 0.8 / len(models)
    for axes, task_set in zip(all_axes[0], task_sets, strict=True):
        for row in (row for row in summary.rows if row.task_set == task_set):
            model = models.index(row.model)
            at = planners.index(row.planner) + (model - (len(models) - 1) / 2) * height
            colour = _COLOURS[model % len(_COLOURS)]
            axes.barh(at, 100 * row.gsr.value, height * 0.9, color=colour, alpha=0.45)
            axes.errorbar(
                100 * row.gsr.value,
                at,
                xerr=_error(row.gsr),
                color=colour,
                marker=_MARKS[model % len(_MARKS)],
                markersize=5,
                capsize=3,
                clip_on=False,
                label=row.model_shown,
            )
            axes.text(
                101.5, at, f'{row.gsr.hits}/{row.gsr.of}', va='center', fontsize=8, color='#444444'
            )
        axes.set_xlim(0, 100)
        axes.set_yticks(range(len(planners)), [_in_lines(name) for name in planners], fontsize=9)
        axes.set_ylim(len(planners) - 0.5, -0.5)
        axes.set_xlabel('goal success rate (%), 95 % interval')
        axes.set_title(task_set, fontsize=10)
        axes.grid(axis='x', color='#dddddd', linewidth=0.7)
        axes.set_axisbelow(True)
    _legend(figure, all_axes)
    return _save(figure, path)


def _draw(summary: Summary, path: Path, panel: Panel) -> Path:
    """Draw a panel for every model and task set.

    Planners with settings are left to the tables, unless there are no others: more than six lines
    in a panel cannot be told apart.
    """
    from matplotlib import pyplot

    shown = [row for row in summary.rows if row.planner == base_of(row.planner)] or summary.rows
    # A planner looks the same in every evaluation.
    planners = list(dict.fromkeys([*ORDER, *(row.planner for row in shown)]))
    styles = {
        planner: {
            'color': _COLOURS[index % len(_COLOURS)],
            'marker': _MARKS[index % len(_MARKS)],
            'linestyle': _LINES[index // len(_COLOURS) % len(_LINES)],
            'markersize': 5,
            'label': planner,
        }
        for index, planner in enumerate(planners)
    }
    settings: dict[tuple[str, str], list[tuple[Row, tuple[Run, ...]]]] = {}
    for row in shown:
        settings.setdefault((row.model_shown, row.task_set), []).append((row, summary.runs_of(row)))
    columns = min(2, len(settings))
    lines = -(-len(settings) // columns)
    figure, all_axes = pyplot.subplots(
        lines,
        columns,
        figsize=(1.5 + 5 * columns, 0.3 + 3.6 * lines + 0.1 * len({row.planner for row in shown})),
        dpi=120,
        squeeze=False,
    )
    for axes in all_axes.flat[len(settings) :]:
        axes.set_axis_off()
    for axes, ((model, task_set), rows) in zip(all_axes.flat, settings.items(), strict=False):
        panel(axes, rows, styles)
        axes.set_title(f'{model}, {task_set}, {_runs([row for row, _ in rows])}', fontsize=10)
        axes.grid(color='#dddddd', linewidth=0.7)
        axes.set_axisbelow(True)
    _legend(figure, all_axes)
    return _save(figure, path)


def _by_length(
    axes: Any, rows: list[tuple[Row, tuple[Run, ...]]], styles: dict[str, dict[str, Any]]
) -> None:
    """Draw the subgoal success rate by the length of the shortest solution known."""
    tasks = {run.spec.task: run.task.shortest for _, runs in rows for run in runs}
    bins = length_bins([length for length in tasks.values() if length])
    for index, (row, runs) in enumerate(rows):
        shift = (index - (len(rows) - 1) / 2) * 0.6 / len(rows)
        places, shares = [], []
        for place, (low, high) in enumerate(bins):
            members = [run for run in runs if low <= run.task.shortest <= high]
            if members:
                met, wanted = sum(r.met for r in members), sum(r.wanted for r in members)
                places.append(place + shift)
                shares.append(Share.count(met, wanted, len(members)))
        axes.errorbar(
            places,
            [100 * share.value for share in shares],
            yerr=np.hstack([_error(share) for share in shares]) if shares else None,
            capsize=2,
            linewidth=1.2,
            elinewidth=0.8,
            **styles[row.planner],
        )
    counts = [sum(low <= length <= high for length in tasks.values()) for low, high in bins]
    axes.set_xticks(
        range(len(bins)),
        [
            f'{low}{f"–{high}" * (low < high)}\n{count} task{"s" * (count > 1)}'
            for (low, high), count in zip(bins, counts, strict=True)
        ],
        fontsize=9,
    )
    axes.set_xlim(-0.5, max(0.5, len(bins) - 0.5))
    axes.set_ylim(-2, 102)
    axes.set_xlabel('skills of the shortest solution known')
    axes.set_ylabel('subgoal success rate (%), 95 % interval')


def _context(
    axes: Any, rows: list[tuple[Row, tuple[Run, ...]]], styles: dict[str, dict[str, Any]]
) -> None:
    """Draw how many tokens the prompt of the n-th decision has."""
    from matplotlib.ticker import MaxNLocator

    grown = [(row, growth([run.tokens_in for run in runs])) for row, runs in rows]
    longest = max(len(median) for _, (_, median, _) in grown)
    for row, (lower, median, upper) in grown:
        decisions = np.arange(1, len(median) + 1)
        style = styles[row.planner]
        axes.fill_between(decisions, lower, upper, color=style['color'], alpha=0.15, linewidth=0)
        if len(median) == 1:
            # A whole plan is one decision; the others must not hide it.
            style = {**style, 'markersize': 9, 'fillstyle': 'none', 'zorder': 4}
        axes.plot(decisions, median, linewidth=1.5, markevery=max(1, longest // 8), **style)
    axes.set_ylim(bottom=0)
    axes.set_xlim(0, longest + 1)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel('decision (median and middle half of the runs that got there)')
    axes.set_ylabel('tokens of its prompt')


def length_bins(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Return up to four ranges of lengths with about as many tasks each, both ends included."""
    ordered = sorted(lengths)
    count = min(_MOST_BINS, len(set(ordered)))
    bins: list[tuple[int, int]] = []
    for number in range(count):
        part = ordered[len(ordered) * number // count : len(ordered) * (number + 1) // count]
        # Equal lengths belong together.
        part = [length for length in part if not bins or length > bins[-1][1]]
        if part:
            bins.append((part[0], part[-1]))
    return bins


def growth(tokens: Sequence[Sequence[int]]) -> tuple[list[float], list[float], list[float]]:
    """Return lower quartile, median and upper quartile of the n-th decisions of several runs.

    Where only one or two runs went on, no figure is given, unless there are no more at all.
    """
    runs = [run for run in tokens if run]
    fewest = min(_FEWEST_RUNS, len(runs))
    quartiles: list[list[float]] = []
    for index in range(max(map(len, runs), default=0)):
        column = [run[index] for run in runs if len(run) > index]
        if len(column) < fewest:
            break
        quartiles.append(np.percentile(column, [25, 50, 75]).tolist())
    lower, median, upper = ([row[part] for row in quartiles] for part in range(3))
    return lower, median, upper


def _error(share: Share) -> Any:
    """Return how far an interval reaches below and above its share, in percent, (2, 1)."""
    return 100 * np.array([[share.value - share.low], [share.high - share.value]]).clip(0)


def _runs(rows: Sequence[Row]) -> str:
    """Say how many runs every row has."""
    fewest, most = min(row.gsr.of for row in rows), max(row.gsr.of for row in rows)
    number = str(most) if fewest == most else f'{fewest} to {most}'
    return f'{number} run{"s" * (most > 1)} a planner'


def _in_lines(planner: str) -> str:
    return planner.replace('[', '\n[').replace(',', ',\n')


def _legend(figure: Any, all_axes: Any) -> None:
    """Put one legend for all panels under them."""
    handles: dict[str, Any] = {}
    for axes in all_axes.flat:
        handles |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    columns = 3 if max(map(len, handles)) < 30 else 2
    inches = 0.1 + 0.23 * -(-len(handles) // columns)
    figure.tight_layout(rect=(0, inches / figure.get_figheight(), 1, 1))
    figure.legend(
        handles.values(),
        handles.keys(),
        loc='lower center',
        ncols=columns,
        fontsize=9,
        frameon=False,
    )


def _save(figure: Any, path: Path) -> Path:
    from matplotlib import pyplot

    figure.savefig(path)
    pyplot.close(figure)
    return path
