# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Rewrites a run as if only some control flows, or none, had been allowed.

The same acts with the same observations, in fewer agent nodes (paper, section 5.4, which
collects experiences for each set of control flows; and Appendix C for ReAct, which has none):

- parallel subgoals that all succeeded become a sequence, if there are sequences;
- every other expansion that is not on offer goes into the trajectory of its node: what the nodes
  below decided and observed, in order, without their own endings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.core.decision import ControlFlow, Done, Failure, ending_of, to_text
from reactree_ros.core.prompt import Message, Step, Trajectory

_EXPAND = 'Expand: '


def trajectories(
    node: AgentNode, control_flows: Collection[ControlFlow], message: Message | None = None
) -> Iterator[Trajectory]:
    """Return the trajectories of a node and of the nodes below it, each before those.

    Args:
        node: an agent node that has ended.
        control_flows: those on offer.
        message: the message of its parent; None for the root.
    """
    own = replace(node.trajectory, message=message)
    for step in node.trajectory.steps:
        if not step.text.startswith(_EXPAND):
            continue
        flow = ControlFlow(step.text[len(_EXPAND) :].partition(' ')[0])
        rewritten = _instead(flow, _below(node), control_flows)
        if rewritten is None:
            assert node.outcome is not None
            ending = Step(to_text(Done() if node.outcome.success else Failure()), decided=True)
            yield replace(own, steps=[*_steps_without_ending(node), ending])
            return
        if rewritten is not flow:
            text = step.text.replace(flow.value, rewritten.value, 1)
            steps = [Step(text, True) if one is step else one for one in own.steps]
            own = replace(own, steps=steps)
    yield own
    for child in _below(node):
        given = child.trajectory.message
        assert isinstance(given, Message)
        now = _instead(given.control_flow, _below(node), control_flows)
        assert now is not None
        yield from trajectories(child, control_flows, replace(given, control_flow=now))


def _instead(
    flow: ControlFlow, children: list[AgentNode], control_flows: Collection[ControlFlow]
) -> ControlFlow | None:
    if flow in control_flows:
        return flow
    every = all(child.outcome is not None and child.outcome.success for child in children)
    if flow is ControlFlow.PARALLEL and ControlFlow.SEQUENCE in control_flows and every:
        return ControlFlow.SEQUENCE
    return None


def _below(node: AgentNode) -> list[AgentNode]:
    return [
        child
        for control_flow in node.children
        for child in control_flow.children
        if isinstance(child, AgentNode) and child.tracker.started
    ]


def _steps_without_ending(node: AgentNode) -> Iterator[Step]:
    for step in node.trajectory.steps:
        if not ending_of(step.text) and not step.text.startswith(_EXPAND):
            yield step
    for child in _below(node):
        yield from _steps_without_ending(child)
