# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The ROS graph: which actions, services and topics somebody serves or listens to."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rclpy.action import get_action_names_and_types
from rclpy.node import Node

from reactree_ros.errors import ConfigurationError
from reactree_ros.ros.discovery.definition import fields_of
from reactree_ros.ros.skills.messages import interface, sent_type
from reactree_ros.skills.call import EXECUTE_SKILL, Kind
from reactree_ros.skills.draft.catalogue import Catalogue
from reactree_ros.skills.draft.drafting import Offer

OBSERVE = 'reactree_interfaces/srv/Observe'
CHECK_GOAL = 'reactree_interfaces/srv/CheckGoal'
_STEP_SEC = 0.1
_ORDER = (Kind.ACTION, Kind.SERVICE, Kind.TOPIC)


@dataclass(frozen=True)
class Endpoint:
    """Something that can be called.

    Args:
        kind: what it is.
        name: its full name.
        type: its interface type.
        streamed: somebody else publishes on it, too; only for topics.
    """

    kind: Kind
    name: str
    type: str
    streamed: bool = False

    @property
    def label(self) -> str:
        """Kind and name, for people."""
        return f'{self.kind.value} {self.name}'


@dataclass(frozen=True)
class Seen:
    """What was seen in a graph.

    Args:
        endpoints: what was there at the end.
        gone: what was there before, and not at the end.
        nodes: full names of all nodes but the one that looked.
    """

    endpoints: tuple[Endpoint, ...]
    gone: tuple[Endpoint, ...]
    nodes: tuple[str, ...]

    def servers(self, type_name: str) -> list[str]:
        """Return the full names of the services of a type."""
        return [one.name for one in self.endpoints if one.type == type_name]


def look(node: Node, seconds: float, spin: Callable[[float], None]) -> Seen:
    """Watch the graph for a while; it takes some time until everything has been discovered.

    Args:
        node: which looks.
        seconds: how long.
        spin: spins the node for that many seconds at most.
    """
    ever: dict[Endpoint, None] = {}
    end = time.monotonic() + seconds
    while True:
        now = endpoints(node)
        ever.update(dict.fromkeys(now))
        if time.monotonic() >= end:
            break
        spin(_STEP_SEC)
    own = node.get_fully_qualified_name()
    nodes = (f'{space.rstrip("/")}/{name}' for name, space in node.get_node_names_and_namespaces())
    there = {(one.kind, one.name, one.type) for one in now}
    return Seen(
        tuple(now),
        tuple(one for one in ever if (one.kind, one.name, one.type) not in there),
        tuple(sorted({one for one in nodes if one != own})),
    )


def endpoints(node: Node) -> list[Endpoint]:
    """Return all that somebody serves or listens to at this moment, hidden names left out."""
    found = [*_actions(node), *_services(node), *_topics(node)]
    return sorted(found, key=lambda one: (_ORDER.index(one.kind), one.name, one.type))


def _actions(node: Node) -> Iterator[Endpoint]:
    for name, types in get_action_names_and_types(node):
        # a name may be there because of a client alone
        if not _is_hidden(name) and node.count_services(f'{name}/_action/send_goal'):
            yield from (Endpoint(Kind.ACTION, name, one) for one in types)


def _services(node: Node) -> Iterator[Endpoint]:
    for name, types in node.get_service_names_and_types():
        if not _is_hidden(name) and node.count_services(name):
            yield from (Endpoint(Kind.SERVICE, name, one) for one in types)


def _topics(node: Node) -> Iterator[Endpoint]:
    own = node.get_name(), node.get_namespace()
    for name, types in node.get_topic_names_and_types():
        if _is_hidden(name):
            continue
        listeners = [
            one
            for one in node.get_subscriptions_info_by_topic(name)
            if (one.node_name, one.node_namespace) != own
        ]
        if listeners:
            streamed = bool(node.count_publishers(name))
            yield from (Endpoint(Kind.TOPIC, name, one, streamed) for one in types)


def below(namespace: str) -> str:
    """Return what the full names of all begin with that is in a namespace.

    >>> below(''), below('robot1/')
    ('/', '/robot1/')
    """
    return f'/{namespace.strip("/")}/' if namespace.strip('/') else '/'


def _is_hidden(name: str) -> bool:
    return '/_' in name


@dataclass(frozen=True)
class Offers:
    """What of a graph may become skills.

    Args:
        offers: the most likely first.
        by_default: how many of the first are taken if nobody chooses.
        left_out: how many were left out, by the reason.
    """

    offers: tuple[Offer, ...]
    by_default: int
    left_out: Counter[str]


def offers_of(seen: Seen, catalogue: Catalogue, namespace: str) -> Offers:
    """Return what may become skills, sorted, and why the rest may not.

    Args:
        seen: the graph.
        catalogue: what is known of types.
        namespace: the planner's; what is elsewhere is left out.
    """
    order = [*catalogue.types]
    ranked: list[tuple[int, int, Offer]] = []
    left_out: Counter[str] = Counter()
    inside = below(namespace)
    for one in seen.endpoints:
        why = catalogue.why_not(one.name, one.type)
        known = catalogue.types.get(one.type)
        if not one.name.startswith(inside):
            why = f'outside of the namespace {inside.rstrip("/")}'
        elif not why and one.kind is Kind.TOPIC and one.streamed and known is None:
            why = 'sensor data and other streams'
        if why:
            left_out[why] += 1
            continue
        offer = _offer(one, one.name.removeprefix(inside), known is not None)
        chosen = known is not None and known.by_default and not offer.missing and not one.streamed
        rank = 0 if chosen else 1 + _ORDER.index(one.kind) + (0 if known else 3)
        ranked.append((rank, order.index(one.type) if known else 0, offer))
    ranked.sort(key=lambda entry: entry[:2])
    by_default = sum(rank == 0 for rank, *_ in ranked)
    return Offers(tuple(offer for *_, offer in ranked), by_default, left_out)


def _offer(one: Endpoint, name: str, is_known: bool) -> Offer:
    fields: tuple[str, ...] = ()
    missing = ''
    try:
        found = interface(one.type)
        if not is_known and one.type != EXECUTE_SKILL:
            fields = tuple(fields_of(sent_type(one.kind, found)))
    except ConfigurationError as error:
        missing = str(error)
    return Offer(one.kind, name, one.type, fields, missing)
