# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``examples/observe_server.py``: an observation from a tracker, a pose and a gripper."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('vision_msgs')
pytestmark = pytest.mark.ros

from geometry_msgs.msg import PoseWithCovarianceStamped  # noqa: E402
from std_msgs.msg import String  # noqa: E402
from vision_msgs.msg import Detection3D, Detection3DArray  # noqa: E402

from reactree_interfaces.srv import Observe  # noqa: E402
from reactree_ros.core.observation import Observation  # noqa: E402
from reactree_ros.ros.conversions import observation_from_msg  # noqa: E402

EXAMPLE = Path(__file__).parents[2] / 'examples' / 'observe_server.py'


@pytest.fixture
def perception() -> Iterator[None]:
    with subprocess.Popen([sys.executable, str(EXAMPLE)]) as process:
        yield
        process.terminate()


def test_the_example_puts_together_what_a_robot_publishes(perception: None, spinner: Any) -> None:
    node = spinner.node
    pose = node.create_publisher(PoseWithCovarianceStamped, 'amcl_pose', 10)
    detections = node.create_publisher(Detection3DArray, 'detections', 10)
    holds = node.create_publisher(String, 'gripper/holds', 10)
    client = node.create_client(Observe, 'observe')
    spinner.until(client.service_is_ready, 'the example serves')

    def publish() -> None:
        at = PoseWithCovarianceStamped()
        at.pose.pose.position.x, at.pose.pose.position.y = 1.0, 0.4
        pose.publish(at)
        seen = Detection3DArray()
        for name, x in (('cup 1', 1.3), ('book 2', 5.0), ('can 1', 1.0)):
            one = Detection3D(id=name)
            one.bbox.center.position.x, one.bbox.center.position.y = x, 0.4
            seen.detections.append(one)
        detections.publish(seen)
        holds.publish(String(data='can 1'))

    def observed(*, overview: bool = False) -> Observation:
        publish()
        asked = client.call_async(Observe.Request(overview=overview))
        spinner.until(asked.done, 'it answers')
        return observation_from_msg(asked.result().observation)

    text = 'You are at the table 1. You see cup 1, can 1. You hold can 1.'
    spinner.until(lambda: observed().text == text, 'everything has arrived')
    found = observed()
    assert (found.room, found.place) == ('kitchen 1', 'table 1')
    things = {one.name: one for one in found.objects if 'grabbable' in one.affordances}
    assert {name: (one.near, one.held, one.receptacle) for name, one in things.items()} == {
        'cup 1': (True, False, 'table 1'),
        'can 1': (True, True, ''),
    }
    assert 'book 2' in {one.name for one in observed(overview=True).objects}
