# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A task as it is drawn: what is wanted, before it is worded and before things are laid out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reactree_ros.lab.generator.catalogue import FURNITURE
from reactree_ros.lab.generator.draw import Draw
from reactree_ros.sim.household.scene import Scene


@dataclass(frozen=True)
class Draft:
    """What one task wants.

    Args:
        type: its type.
        items: classes of the things that are wanted, with counts.
        place: class of the place where they are to be, or of the lamp.
        treatment: state that the things must be in: clean, hot, cooked or cold; or empty.
        sliced: whether they must be sliced.
        vessel: class of what the thing must lie in or on; or empty.
        switch: whether the place is to be switched on at the end.
        look: whether the thing is to be held in the light of the place, instead of put there.
        vague: what the wording leaves open: ``items`` or ``place``; or empty.
        from_places: classes of places where the things must not lie at the start, besides the
            place itself.
    """

    type: str
    items: tuple[tuple[str, int], ...]
    place: str
    treatment: str = ''
    sliced: bool = False
    vessel: str = ''
    switch: bool = False
    look: bool = False
    vague: str = ''
    from_places: tuple[str, ...] = ()

    def goal(self) -> dict[str, int]:
        """The goal conditions in WAH form."""
        if self.look:
            return {f'lit_{self.items[0][0]}': 1, f'turnOn_{self.place}': 1}
        relation = FURNITURE[self.place].relation.lower()
        states = ('sliced.' if self.sliced else '') + (
            f'{self.treatment}.' if self.treatment else ''
        )
        before = f'{self.vessel}+' if self.vessel else ''
        goal = {
            f'{relation}_{before}{states}{name}_{self.place}': count for name, count in self.items
        }
        return {**goal, f'turnOn_{self.place}': 1} if self.switch else goal

    def things(self) -> tuple[str, ...]:
        """Classes of all things that the goal is about."""
        return tuple(name for name, _ in self.items) + ((self.vessel,) if self.vessel else ())

    def avoid(self) -> frozenset[str]:
        """Classes of places where none of those things may lie at the start."""
        return frozenset({self.place, *self.from_places})


def counts_of(scene: Scene) -> dict[str, int]:
    """How many nodes of each class a scene has."""
    counts: dict[str, int] = {}
    for node in scene.nodes.values():
        counts[node.class_name] = counts.get(node.class_name, 0) + 1
    return counts


def draw_items(
    draw: Draw, weights: Mapping[str, float], have: Mapping[str, int], total: int
) -> tuple[tuple[str, int], ...]:
    """Draw so many things of a home, now and then two or three of a kind.

    Args:
        draw: chooses.
        weights: classes with weights.
        have: how many of each class the home has.
        total: how many things.
    """
    left = {name: weight for name, weight in weights.items() if have.get(name, 0)}
    chosen: dict[str, int] = {}
    while sum(chosen.values()) < total and left:
        more = [name for name, count in chosen.items() if count < have[name]]
        name = draw.pick(more) if more and draw.chance(0.15) else draw.weighted(left)
        chosen[name] = chosen.get(name, 0) + 1
        left.pop(name, None)
    return tuple(chosen.items())
