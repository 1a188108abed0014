# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One client and one faulty server."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import yaml
from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node

from reactree_ros.core.situation import Situation
from reactree_ros.ros.skills.client import RosSkillExecutor
from reactree_ros.skills.reader import parse_library

from .conftest import PatientClock, PatientExecutor
from .endings import LIMITS
from .faulty_server import FaultyServer
from .manners import Entry, Manners

ACTION, PHRASE = 'cut/off', 'wave'
BUSY_SEC = 30.0
PATIENT = Manners(work_sec=BUSY_SEC)
"""Those of a good robot that has much to do."""
SKILLS = {'wave': {'phrase': PHRASE, 'action': ACTION, 'result_sec': 5.0}}


class Pair:
    """One client and one server, on one thread and one clock.

    Args:
        clock: their clock.
        manners: the server's.
    """

    def __init__(self, clock: PatientClock, manners: Manners = PATIENT) -> None:
        self.manners = manners
        self.nodes = [Node('faulty'), Node('client')]
        self._spinner = PatientExecutor(clock)
        for node in self.nodes:
            self._spinner.add_node(node)
        self.library = parse_library(yaml.safe_dump({'name': 'robot', 'skills': SKILLS}), 'here')
        self.server = FaultyServer(self.nodes[0], ACTION, lambda: self.manners, clock)
        group = MutuallyExclusiveCallbackGroup()
        self.robot = RosSkillExecutor(
            self.nodes[1], self.library, 'nobody/observe', LIMITS, group, clock
        )

    def start(self) -> tuple[Any, Entry]:
        """Have the skill accepted and return its run and what the server knows of it."""
        run = self.send()
        self.until(lambda: run._goal.accepted, 'the goal is accepted')
        return run, self.server.ledger[run.goal_id]

    def send(self) -> Any:
        """Start the skill."""
        return self.robot.start(self.library.skills[0].ground(), Situation())

    def cut_off(self) -> None:
        """Hide the server until the client has noticed it."""
        ((channel, _),) = self.robot._clients.values()
        self.server.hide()
        self.until(lambda: not channel.server_is_ready(), 'it is missed')

    def lose_client(self) -> Node:
        """Let nothing of the client happen any more; return the node of another one."""
        self._spinner.remove_node(self.nodes[1])
        self.nodes.append(Node('client'))
        self._spinner.add_node(self.nodes[-1])
        return self.nodes[-1]

    def until(self, condition: Callable[[], Any], what: str) -> None:
        """Go on until a condition is true."""
        end = time.monotonic() + BUSY_SEC
        while not condition():
            assert time.monotonic() < end, f'it hangs: {what}'
            self._spinner.spin_step()
            self.server.step()

    def close(self) -> None:
        """Destroy all of it."""
        self.robot.destroy()
        self._spinner.shutdown()
        for node in self.nodes:
            node.destroy_node()
