# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The losses of a training as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import IO

import numpy as np

from reactree_ros.training.log_line import LogLine

_LOSS, _HELD_OUT = '#0072B2', '#D55E00'  # Okabe and Ito
_SMOOTHED = 20
"""Steps of which a mean is drawn."""


def can_draw() -> bool:
    """Return whether matplotlib is installed, which a training does without."""
    return find_spec('matplotlib') is not None


def draw_losses(lines: Sequence[LogLine], file: IO[bytes]) -> None:
    """Draw the losses of training and of held-out trajectories over the steps, as PNG.

    Args:
        lines: the log.
        file: written to.
    """
    import matplotlib

    matplotlib.use('agg')
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4), dpi=120)
    trained = [(line.step, line.loss) for line in lines if line.loss is not None]
    measured = [(line.step, line.held_out) for line in lines if line.held_out is not None]
    if trained:
        steps, losses = (np.array(column) for column in zip(*trained, strict=True))
        axes.plot(steps, losses, color=_LOSS, alpha=0.3, linewidth=0.8)
        means = [losses[max(0, end - _SMOOTHED) : end].mean() for end in range(1, len(losses) + 1)]
        axes.plot(steps, means, color=_LOSS, label=f'training, mean of {_SMOOTHED} steps')
    if measured:
        steps, losses = (np.array(column) for column in zip(*measured, strict=True))
        axes.plot(steps, losses, 'o-', color=_HELD_OUT, markersize=4, label='held-out tasks')
    axes.set_yscale('log')
    axes.set_xlabel('step')
    axes.set_ylabel('loss of decision tokens (nats per token)')
    axes.grid(color='#dddddd', linewidth=0.7, which='both')
    axes.set_axisbelow(True)
    if trained or measured:
        axes.legend(frameon=False, fontsize=9)
    figure.tight_layout()
    figure.savefig(file, format='png')
    pyplot.close(figure)
