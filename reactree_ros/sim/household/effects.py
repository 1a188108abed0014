# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What devices do to the things in and on them: heating, cooking, cooling, washing."""

from __future__ import annotations

from collections.abc import Callable

from reactree_ros.sim.household.graph import Graph
from reactree_ros.sim.household.scene import Node

HEATERS = frozenset({'microwave oven', 'oven', 'toaster', 'stove'})
"""Switched on and closed, they make things hot, and food cooked."""

COFFEE_MAKERS = frozenset({'coffee maker'})
"""Switched on, they fill a cup: it is hot then."""

COOLERS = frozenset({'fridge', 'freezer'})
"""Closed, they make things cold."""

WASHERS = frozenset({'dishwasher', 'washing machine'})
"""Switched on and closed, they make things clean."""

FAUCETS = frozenset({'faucet'})
"""Switched on, they make things in the sinks below them clean."""

SINKS = frozenset({'sink', 'bathroom sink', 'kitchen sink'})

STOP_WHEN_OPENED = frozenset({'microwave oven', 'dishwasher', 'washing machine', 'dryer'})
"""Their doors have a contact: who opens them switches them off. An oven or a fridge runs on."""

CUPS = frozenset({'mug', 'cup', 'coffee cup', 'tea cup', 'coffee pot'})
"""What a coffee maker fills."""


def settle(graph: Graph, place: int) -> tuple[int, ...]:
    """Let a device act on what is in and on it, as it is now: on or off, open or closed.

    Args:
        graph: the world, which is changed.
        place: id of any object; what is not a device does nothing.

    Returns:
        Ids of what has other states now.
    """
    kind = graph.scene.nodes[place].words
    change = _CHANGES.get(kind)
    works = graph.is_on(place) and not graph.is_open(place)
    if change is None or not (graph.is_closed(place) if kind in COOLERS else works):
        return ()
    places = sinks_of(graph, place) if kind in FAUCETS else [place]
    found = (i for one in places for i in graph.with_contents(one)[1:])
    things = [i for i in found if 'GRABBABLE' in graph.scene.nodes[i].properties]
    if kind in COFFEE_MAKERS:
        things = [i for i in things if graph.scene.nodes[i].words in CUPS]
    before = {i: graph.states(i) for i in things}
    for i in things:
        change(graph, graph.scene.nodes[i])
    return tuple(i for i, states in before.items() if graph.states(i) != states)


def settle_around(graph: Graph, place: int) -> tuple[int, ...]:
    """Let everything act that reaches a place: itself, what it stands in or on, faucets above.

    Args:
        graph: the world, which is changed.
        place: id of what something was just put in or on.

    Returns:
        Ids of what has other states now.
    """
    devices = [place, *sorted(graph.ancestors(place))]
    nodes = graph.scene.nodes
    for sink in [i for i in devices if nodes[i].words in SINKS]:
        faucets = (i for words in sorted(FAUCETS) for i in graph.scene.of_words(words))
        devices += [node.id for node in faucets if sink in sinks_of(graph, node.id)]
    changed = [node_id for device in devices for node_id in settle(graph, device)]
    return tuple(dict.fromkeys(changed))


def sinks_of(graph: Graph, faucet: int) -> list[int]:
    """The sinks that a faucet fills: those close to it, or else those of its room."""
    sinks = [node.id for words in sorted(SINKS) for node in graph.scene.of_words(words)]
    close = graph.close_to(faucet)
    near = [i for i in sinks if i in close]
    room = graph.room_of(faucet)
    return near or [i for i in sinks if graph.room_of(i) == room]


def hot(graph: Graph, node: Node) -> None:
    """Make a thing hot, and food cooked."""
    warm(graph, node)
    if is_food(node):
        graph.set_state(node.id, 'COOKED')


def is_food(node: Node) -> bool:
    """Whether heat cooks a thing."""
    return 'EATABLE' in node.properties or node.category == 'Food'


def warm(graph: Graph, node: Node) -> None:
    """Make a thing hot."""
    graph.set_state(node.id, 'HOT', instead_of='COLD')


def cold(graph: Graph, node: Node) -> None:
    """Make a thing cold."""
    graph.set_state(node.id, 'COLD', instead_of='HOT')


def clean(graph: Graph, node: Node) -> None:
    """Make a thing clean."""
    graph.set_state(node.id, 'CLEAN', instead_of='DIRTY')


_CHANGES: dict[str, Callable[[Graph, Node], None]] = {
    **dict.fromkeys(HEATERS, hot),
    **dict.fromkeys(COFFEE_MAKERS, warm),
    **dict.fromkeys(COOLERS, cold),
    **dict.fromkeys(WASHERS | FAUCETS, clean),
}
"""What each device does to a thing."""
