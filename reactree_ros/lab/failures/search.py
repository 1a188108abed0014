# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Failures of search: what was wanted was never seen (paper, section 5.6)."""

from __future__ import annotations

from collections.abc import Sequence

from reactree_ros.lab.failures.case import Case, Failure, Want
from reactree_ros.lab.failures.nodes import failed_leaves
from reactree_ros.lab.failures.walk import Walk
from reactree_ros.lab.goal_words import verbs_of
from reactree_ros.sim.household.scene import Node

LOOKED = 3
"""Places of one room that make a search of that room."""
AGAIN = 3
"""Walks back to places that were looked into, that make a search one of revisits."""


def unfinished_search(case: Case) -> Failure | None:
    """What was wanted was never seen, and the planner gave up or its limits ended it."""
    return searched(case) if case.gave_up else None


def searched(case: Case) -> Failure | None:
    """What was wanted was never seen."""
    want = next((want for want in case.focus if want.sought), None)
    if want is None:
        return None
    return _same_room(case, want) or _revisits(case, want) or _incomplete(case, want)


def _same_room(case: Case, want: Want) -> Failure | None:
    walk = case.walk
    looked = {name: event for name, event in walk.looked_into.items() if event >= 0}
    rooms = {walk.where(name).rpartition('in ')[2] for name in looked}
    # The room that the robot starts in, and leaves at once, is not searched.
    elsewhere = set(walk.entered) - {walk.steps[0].seen.room} - rooms
    targets = {_room(walk, node) for node in _sought(walk, want)}
    if len(rooms) != 1 or len(looked) < LOOKED or targets & rooms or elsewhere:
        return None
    (room,) = rooms
    detail = f'All {len(looked)} places that were looked into are in {room}; {_hidden(walk, want)}.'
    return Failure('same_room', detail, max(looked.values()))


def _revisits(case: Case, want: Want) -> Failure | None:
    walk = case.walk
    wanted = {condition.subject for condition in walk.conditions}
    back = [
        step.event
        for step in walk.steps
        if step.skill == 'go_to'
        and not step.refused
        and walk.looked_into.get(step.arguments[0], step.event) < step.event
        and not any(name.rpartition(' ')[0] in wanted for name in step.held)
    ]
    fresh = [event for event in walk.looked_into.values() if event >= 0]
    if len(back) < max(AGAIN, len(fresh)):
        return None
    detail = (
        f'{len(back)} walks led to places that had been looked into, {len(fresh)} to new ones; '
        f'{_hidden(walk, want)}.'
    )
    return Failure('revisit', detail, back[0])


def _incomplete(case: Case, want: Want) -> Failure:
    detail = f'The search ended before {want.sought} was seen: {_hidden(case.walk, want)}.'
    return Failure('incomplete', detail, _search_end(case, want))


def _search_end(case: Case, want: Want) -> int:
    """Return the event at which the search of what was sought ended."""
    for span, end in case.said_done():
        if want.sought in case.words.named(span.goal) and verbs_of(span.goal) & {'find', 'hold'}:
            return end
    ends = [
        leaf.end
        for leaf in failed_leaves(case.root)
        if leaf.end is not None and want.sought in case.words.named(leaf.goal)
    ]
    return max(ends, default=case.last)


def _hidden(walk: Walk, want: Want) -> str:
    """Return where one of what was sought was, in a room that was entered if there is such."""
    nodes = _sought(walk, want)
    return where_it_was(walk, min(nodes, key=lambda n: _room(walk, n) not in walk.entered))


def where_it_was(walk: Walk, node: Node) -> str:
    """Return where something that was never seen was, and what kept it from being seen."""
    place = f'{node.name} was {walk.where(node.name, at_start=True)}'
    room = _room(walk, node)
    if room not in walk.entered:
        return f'{place}, and {room} was never entered'
    graph = walk.start.state
    around = [graph.scene.nodes[edge.to_id] for edge in graph.supports(node.id)]
    for support in reversed(around):
        if support.name not in walk.looked_into:
            stood = 'furniture' not in support.affordances or any(
                step.seen.place == support.name for step in walk.steps
            )
            return f'{place}, and {support.name} was never {"opened" if stood else "gone to"}'
    return place


def _sought(walk: Walk, want: Want) -> Sequence[Node]:
    return walk.world.scene.of_words(want.sought)


def _room(walk: Walk, node: Node) -> str:
    room = walk.start.state.room_of(node.id)
    return '' if room is None else walk.start.scene.nodes[room].name
