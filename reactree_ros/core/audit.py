# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One record per decision: who decided what, on what grounds, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DecisionRecord:
    """What is to be known of one decision afterwards.

    Args:
        index: its place among the decisions of the run, from 1.
        behaviour: number of the agent node in the run; the root has 1.
        path: goals from the root to the agent node.
        robot: name of the robot that it works with; empty if there is only one.
        prompt_sha256: of the prompt that the model read, in hexadecimal digits.
        model: name of the model that decided.
        decision: its answer, as it was.
        accepted: whether the answer counted; else the outcome says why not.
        robot_goal_id: id of the action goal that the robot was sent for it; empty for none.
        robot_action: name of the action; empty for none.
        outcome: the observation after it, or how the agent node continued.
        seconds_ago: how long before the outcome it was decided.
    """

    index: int
    behaviour: int
    path: tuple[str, ...]
    robot: str
    prompt_sha256: str
    model: str
    decision: str
    accepted: bool = True
    robot_goal_id: str = ''
    robot_action: str = ''
    outcome: str = ''
    seconds_ago: float = 0.0
