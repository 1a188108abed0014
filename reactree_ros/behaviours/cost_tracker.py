# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What one agent node costs; the run's costs grow with it."""

from __future__ import annotations

from dataclasses import replace

from reactree_ros.core.budget import Budget
from reactree_ros.core.model import Answer
from reactree_ros.core.outcome import Costs


class CostTracker:
    """Adds up what an agent node costs, and passes it on to the budgets that it draws on.

    Args:
        budget: the node's; its clock is used.
    """

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._spent = Costs()
        self._started_at: float | None = None
        self._stopped_at: float | None = None
        self._waiting_since = 0.0
        self._decision = (Costs(), '')

    @property
    def started(self) -> bool:
        """Whether the node has started."""
        return self._started_at is not None

    @property
    def costs(self) -> Costs:
        """The node's own costs; the total is the time from its start to its end, or to now."""
        if self._started_at is None:
            return self._spent
        until = self._budget.seconds if self._stopped_at is None else self._stopped_at
        return replace(self._spent, total_seconds=until - self._started_at)

    @property
    def waited(self) -> float:
        """Seconds since ``wait``."""
        return self._budget.seconds - self._waiting_since

    def start(self) -> None:
        """Start to count the node's time."""
        self._budget.start()
        self._started_at = self._budget.seconds
        self._stopped_at = None

    def stop(self) -> None:
        """Stop counting the node's time."""
        self._stopped_at = self._budget.seconds

    def wait(self) -> None:
        """Start to wait for a decision, a skill or the operator."""
        self._waiting_since = self._budget.seconds

    def add(self, costs: Costs) -> None:
        """Add costs to those of the node and of the run."""
        self._spent += costs
        self._budget.spend(costs)

    def add_skill(self, costs: Costs) -> None:
        """Add the costs of a skill that was waited for; the operator's time is not the robot's."""
        seconds = max(0.0, self.waited - costs.operator_seconds)
        self.add(replace(costs, skill_seconds=seconds))

    def add_question(self) -> None:
        """Add the costs of a question to the operator whose answer was waited for."""
        self.add(Costs(questions=1, operator_seconds=self.waited))

    def add_decision(self, answer: Answer) -> None:
        """Add the costs of a decision that was waited for."""
        costs = Costs(
            decisions=1,
            tokens_in=answer.tokens_in,
            tokens_reused=answer.tokens_reused,
            tokens_out=answer.tokens_out,
            dropped=answer.dropped,
            queued_seconds=answer.queued_seconds,
            prefill_seconds=answer.prefill_seconds,
            decode_seconds=answer.decode_seconds,
            model_seconds=self.waited,
        )
        self.add(costs)
        self._decision = (costs, answer.model)

    def take_decision(self) -> tuple[Costs, str]:
        """Return the costs of the latest decision and its model's name, once; then nothing."""
        taken, self._decision = self._decision, (Costs(), '')
        return taken
