# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The policy for SROS 2 allows what the nodes do, and nothing else."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pytestmark = pytest.mark.ros

POLICY = Path(__file__).parents[3] / 'config' / 'sros2_policy.xml'
_OF_ACTIONS = {
    'execute': (('reply', ('send_goal', 'cancel_goal', 'get_result')),
                ('publish', ('feedback', 'status'))),
    'call': (('request', ('send_goal', 'cancel_goal', 'get_result')),
             ('subscribe', ('feedback', 'status'))),
}  # fmt: skip
_ONLY_AT_TIMES = {
    # while a page is open
    ('reactree_viewer', 'reply', '/reactree/ask_operator'),
    ('reactree_viewer', 'subscribe', '/reactree/ask_operator/closed'),
}
_CLIENT = """
import sys
from reactree_ros import PlannerClient
with PlannerClient(answers=True):
    sys.stdin.read()
"""
_CLIENTS = re.compile(r'reactree_(client|operator)_\d+')
"""Nodes of a client; the number is that of its process."""
_OF_PY_TREES_ROS = ('/blackboard_streams/', '/snapshot_streams/', '/introspection/')
"""Parts of the names of its services, which are not there without it."""


def allowed() -> set[tuple[str, str, str]]:
    """Return what the policy allows: node, what it does, and the full name."""
    found = set()
    for profile in ElementTree.parse(POLICY).getroot().iter('profile'):
        node = profile.attrib['node']
        for group in profile:
            ((does, word),) = group.attrib.items()
            assert word == 'ALLOW'
            for one in group.iterfind('*'):
                name = (one.text or '').strip().replace('~', node)
                for what, full in _all_of(does, f'/{name}'):
                    found.add((node, what, full))
    return found


def _all_of(does: str, name: str) -> list[tuple[str, str]]:
    if does not in _OF_ACTIONS:
        return [(does, name)]
    return [(what, f'{name}/_action/{part}') for what, parts in _OF_ACTIONS[does] for part in parts]


def test_the_policy_fits_the_running_nodes(start_system: Callable[..., Any]) -> None:
    with (
        start_system({}, viewer='true') as system,
        subprocess.Popen([sys.executable, '-c', _CLIENT], stdin=subprocess.PIPE),
    ):
        system.ready()
        node = system.spinner.node
        asked = {
            'publish': node.get_publisher_names_and_types_by_node,
            'subscribe': node.get_subscriber_names_and_types_by_node,
            'reply': node.get_service_names_and_types_by_node,
            'request': node.get_client_names_and_types_by_node,
        }
        names = {profile for profile, _, _ in allowed()}

        def done() -> set[tuple[str, str, str]]:
            there = {name for name, _ in node.get_node_names_and_namespaces()}
            return {
                (_CLIENTS.sub('reactree_client', name), what, full)
                for name in there
                if _CLIENTS.sub('reactree_client', name) in names
                for what, ask in asked.items()
                for full, _ in ask(name, '/')
            }

        for_parameters = {(name, 'subscribe', '/parameter_events') for name in names}
        policy = allowed()
        optional = {
            one
            for one in policy
            if find_spec('py_trees_ros') is None
            and any(part in one[2] for part in _OF_PY_TREES_ROS)
        }
        system.spinner.until(
            lambda: policy - done() <= for_parameters | _ONLY_AT_TIMES | optional,
            'nothing is allowed that no node does',
        )
        assert done() <= policy, 'everything is allowed that a node does'


def test_the_tools_of_sros_accept_the_policy() -> None:
    sros2 = pytest.importorskip('sros2.policy')
    assert sros2.load_policy(POLICY) is not None
