# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What people do with which things, and where they put them; what a home has of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reactree_ros.lab.generator.catalogue import THINGS
from reactree_ros.sim.household.graph import Graph
from reactree_ros.sim.household.scene import Node, Scene
from reactree_ros.sim.household.truth import household_library as library
from reactree_ros.sim.household.words import words

DISHES = ('bowl', 'mug', 'plate', 'water glass', 'wine glass', 'cutlery fork', 'cutlery knife',
           'cutlery spoon', 'cooking pot', 'frying pan', 'coffee pot')  # fmt: skip
CLOTHES = ('clothes shirt', 'clothes pants', 'towel', 'slippers', 'clothes pile')
FOOD = ('apple', 'bananas', 'bread slice', 'carrot', 'chicken', 'chocolate syrup', 'cupcake',
         'juice', 'lime', 'milk', 'pancake', 'peach', 'pear', 'plum', 'potato', 'pound cake',
         'pudding', 'salmon', 'tomato', 'wine', 'candy bar')  # fmt: skip
SMALL = ('book', 'magazine', 'keys', 'cell phone', 'remote control', 'notes', 'folder', 'candle',
          'mug', 'box')  # fmt: skip
BATH = ('bar soap', 'deodorant', 'face cream', 'hair product', 'perfume', 'toilet paper',
         'toothbrush', 'toothpaste', 'towel')  # fmt: skip
GOES: Mapping[str, tuple[str, ...]] = {
    'fridge': FOOD,
    'dishwasher': DISHES,
    'washing machine': CLOTHES,
    'microwave oven': ('potato', 'chicken', 'salmon', 'pancake', 'mug', 'tomato', 'pound cake'),
    'oven': ('chicken', 'salmon', 'potato', 'pound cake'),
    'sink': (*DISHES, 'washing sponge'),
    'stove': ('frying pan', 'cooking pot'),
    'garbage can': ('candy bar', 'magazine', 'notes', 'tomato', 'pear', 'pancake', 'chips',
                    'bread slice', 'toilet paper'),
    'kitchen cabinet': (*DISHES, 'cereal', 'chips', 'crackers'),
    'kitchen table': (*DISHES, *FOOD, 'candle', 'condiment bottle', 'cereal'),
    'dining table': (*DISHES, *FOOD, 'candle', 'condiment bottle'),
    'coffee table': (*SMALL, 'cupcake', 'pudding', 'apple', 'juice', 'wine', 'wine glass', 'chips',
                     'plate', 'bowl'),
    'kitchen counter': (*DISHES, *FOOD, 'dishwashing liquid', 'washing sponge'),
    'desk': (*SMALL, 'water glass'),
    'sofa': ('pillow', 'book', 'magazine', 'remote control', 'cell phone', 'clothes shirt'),
    'bed': ('pillow', 'book', 'clothes shirt', 'clothes pants', 'towel', 'cell phone', 'slippers'),
    'nightstand': (*SMALL, 'water glass', 'perfume'),
    'bookshelf': ('book', 'magazine', 'folder', 'notes', 'candle', 'board game', 'photo frame'),
    'wall shelf': ('book', 'candle', 'photo frame', 'plate'),
    'tv stand': ('remote control', 'candle', 'photo frame', 'book', 'magazine', 'keys'),
    'cabinet': ('board game', 'box', 'candle', 'book', 'folder', 'wine', 'wine glass'),
    'closet': (*CLOTHES, 'box', 'pillow', 'board game'),
    'bathroom counter': BATH,
    'bathroom cabinet': BATH,
    'bathtub': ('bar soap', 'washing sponge', 'towel'),
    'towel rack': ('towel',),
    'chair': ('pillow', 'clothes shirt', 'book', 'towel'),
    'counter': (*DISHES, *FOOD),
    'shelf': ('book', 'candle', 'photo frame', 'box'),
}  # fmt: skip
"""What people put where, besides where it is found."""

TARGETS: Mapping[str, float] = {
    'fridge': 5, 'dishwasher': 3, 'kitchen table': 4, 'coffee table': 4, 'dining table': 3,
    'kitchen counter': 3, 'sofa': 3, 'desk': 3, 'bed': 2.5, 'nightstand': 2, 'bookshelf': 2.5,
    'tv stand': 2, 'kitchen cabinet': 2, 'cabinet': 1.5, 'closet': 1.5, 'sink': 2,
    'garbage can': 1.5, 'bathroom counter': 2, 'bathroom cabinet': 1, 'washing machine': 1,
    'microwave oven': 1.5, 'oven': 1, 'wall shelf': 1, 'stove': 1, 'chair': 0.5, 'bathtub': 0.5,
    'towel rack': 0.5, 'counter': 1, 'shelf': 1,
}  # fmt: skip
OPEN_TARGETS = ('fridge', 'dishwasher', 'kitchen cabinet', 'cabinet', 'closet',
                 'bathroom cabinet', 'microwave oven', 'oven', 'washing machine')  # fmt: skip
STARTED = ('dishwasher', 'washing machine', 'microwave oven', 'oven')
SERVED = ('kitchen table', 'dining table', 'coffee table', 'kitchen counter', 'desk')
HEATED = ('mug', 'potato', 'tomato', 'apple', 'bread slice', 'chicken', 'salmon', 'pancake',
           'pound cake')  # fmt: skip
COOKED = ('potato', 'tomato', 'chicken', 'salmon', 'carrot', 'pancake')
COOLED = ('wine', 'juice', 'pudding', 'apple', 'tomato', 'milk', 'cupcake', 'water glass',
           'wine glass', 'pear', 'peach')  # fmt: skip
WASHED = ('mug', 'bowl', 'plate', 'water glass', 'wine glass', 'cutlery fork', 'cutlery knife',
           'cutlery spoon', 'frying pan', 'cooking pot', 'apple', 'tomato', 'carrot',
           'pear')  # fmt: skip
TREATED: Mapping[str, tuple[str, ...]] = {
    'hot': HEATED, 'cold': COOLED, 'clean': WASHED, 'cooked': COOKED, 'sliced': (),
}  # fmt: skip
LOADS: Mapping[str, tuple[str, ...]] = {
    'bowl': ('apple', 'tomato', 'potato', 'cutlery spoon', 'keys', 'pear', 'peach', 'lime'),
    'box': ('keys', 'notes', 'cell phone', 'remote control', 'book'),
    'cooking pot': ('potato', 'carrot', 'cutlery spoon', 'tomato'),
    'plate': ('apple', 'bread slice', 'cupcake', 'tomato', 'cutlery fork', 'pancake', 'salmon'),
}
FOUND_AT: Mapping[str, frozenset[str]] = {
    words(name): frozenset(map(words, thing.places)) for name, thing in THINGS.items()
}
"""The classes of places where a thing is usually found."""


def members(name: str) -> frozenset[str]:
    """A class, or the classes of a kind, with the kind's own name."""
    return frozenset(library().kinds.get(name, ())) | {name}


class Home:
    """What goals can be about in a home.

    Args:
        scene: the home.
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        graph = Graph(scene)
        furniture = [scene.nodes[i] for i in scene.furniture]
        rooms = {node.id: graph.room_of(node.id) for node in furniture}
        self.room_of = {i: scene.nodes[room] for i, room in rooms.items() if room is not None}
        self.places = _by_words(node for node in furniture if node.id in self.room_of)
        self.rooms = _by_words(scene.nodes[i] for i in scene.rooms)
        self.things = _by_words(
            node
            for node in scene.nodes.values()
            if 'grabbable' in node.affordances
            and node.id not in scene.furniture
            and node.words in library().objects
        )

    def count(self, name: str) -> int:
        """How many things of a class or kind there are."""
        kind = library().kinds.get(name, {name})
        return sum(len(self.things.get(one, ())) for one in kind)

    def having(self, affordance: str) -> list[str]:
        """Classes of places with an affordance."""
        return [
            name
            for name, nodes in self.places.items()
            if all(affordance in node.affordances for node in nodes) and name in library().places
        ]

    def relation(self, place: str) -> str:
        """How a thing put there lies: ``inside`` or ``on``."""
        members = library().kinds.get(place, frozenset({place})) & self.places.keys()
        names = members or {place}
        return 'inside' if any(self._is_container(name) for name in names) else 'on'

    def _is_container(self, name: str) -> bool:
        if name not in self.places:
            return name in OPEN_TARGETS
        found = self.places[name][0].affordances
        return 'containers' in found and ('can_open' in found or 'surfaces' not in found)


def _by_words(nodes: Iterable[Node]) -> dict[str, list[Node]]:
    found: dict[str, list[Node]] = {}
    for node in nodes:
        found.setdefault(node.words, []).append(node)
    return found
