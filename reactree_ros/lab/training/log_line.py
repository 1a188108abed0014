# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What one step of a training came to: a line of its log."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LogLine:
    """What one step came to.

    Args:
        step: number of steps done; 0 stands for the model as it was before.
        epoch: how often it has gone through the data, e.g. 0.5.
        loss: mean negative log-probability of the step's target tokens before the step, in nats;
            None before the first step.
        held_out: that of the held-out trajectories after it; None where it was not measured.
        learning_rate: of the step.
        tokens: read in the step.
        seconds: that the step took, without measuring on held-out trajectories.
    """

    step: int
    epoch: float
    loss: float | None
    held_out: float | None
    learning_rate: float
    tokens: int
    seconds: float
