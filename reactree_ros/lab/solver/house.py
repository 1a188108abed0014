# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Where things lie in a household, from where each can be reached, and behind which doors."""

from __future__ import annotations

from functools import cached_property

from reactree_ros.sim.household.graph import Graph


class House:
    """The furniture of a world, which is only read, as it stands while things are carried about.

    Attributes:
        furniture: ids of what the robot can go to.
        room_of: id of the room that a piece of furniture is in.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.scene = graph.scene
        self.furniture = frozenset(graph.scene.furniture)
        self.room_of = {place: graph.room_of(place) for place in graph.scene.furniture}

    def places(self, node_id: int) -> tuple[int, ...]:
        """The furniture from which a node is within reach once all doors are open."""
        if node_id in self.furniture:
            return (node_id,)
        found: dict[int, None] = {}
        beside: dict[int, None] = {}
        chain = [node_id]
        for current in chain:
            for edge in self.graph.supports(current):
                if edge.to_id in self.furniture:
                    found[edge.to_id] = None
                elif self.scene.nodes[edge.to_id].affordances and edge.to_id not in chain:
                    chain.append(edge.to_id)
            room = self.graph.room_of(current)
            for place in self.graph.close_to(current):
                if place in self.furniture and self.room_of[place] == room:
                    beside[place] = None
        return tuple(p for p in (found | beside) if self.room_of[p] is not None)

    @cached_property
    def puttable(self) -> frozenset[int]:
        """Ids of the furniture where things can be put down."""
        return frozenset(
            place
            for place, room in self.room_of.items()
            if room is not None and self.scene.nodes[place].affordances & {'surfaces', 'containers'}
        )

    def doors(self, node_id: int) -> tuple[int, ...]:
        """Ids of what must be open for a node to be within reach, the outermost first."""
        doors: dict[int, None] = {}
        for edge in self.graph.supports(node_id):
            doors |= dict.fromkeys(self.doors(edge.to_id))
            closable = 'CAN_OPEN' in self.scene.nodes[edge.to_id].properties
            if edge.relation == 'INSIDE' and closable:
                doors[edge.to_id] = None
        return tuple(doors)
