# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Perception for the planner: a node that serves Observe from a tracker, a map pose and a gripper.

python observe_server.py

It puts together what a robot with Nav2 and a camera publishes anyway, and says it in words and as
structure. With it, the skill library of the robot declares no world and no effects.
"""

from __future__ import annotations

import math

import rclpy
from geometry_msgs.msg import PoseWithCovarianceStamped
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from std_msgs.msg import String
from vision_msgs.msg import Detection3DArray

from reactree_interfaces.msg import Observation, ObservedObject
from reactree_interfaces.srv import Observe

ROOM = 'kitchen 1'
PLACES = {'table': (1.2, 0.4), 'shelf': (-0.8, 2.0)}
"""Where the robot can go: x and y (m) in the map."""
NEAR_M = 0.8
"""What is not further from the robot than this can be grasped."""


class Perception(Node):
    """Keeps the latest of each topic, and answers with all of it."""

    def __init__(self) -> None:
        super().__init__('perception')
        self._at = (0.0, 0.0)
        self._held = ''
        self._seen: dict[str, tuple[float, float]] = {}
        self.create_subscription(PoseWithCovarianceStamped, 'amcl_pose', self._on_pose, 10)
        self.create_subscription(Detection3DArray, 'detections', self._on_detections, 10)
        self.create_subscription(String, 'gripper/holds', self._on_holds, 10)
        self.create_service(Observe, 'observe', self._observe)

    def _on_pose(self, message: PoseWithCovarianceStamped) -> None:
        at = message.pose.pose.position
        self._at = at.x, at.y

    def _on_detections(self, message: Detection3DArray) -> None:
        # A tracker names things the same each time: "cup 1" stays that cup.
        for one in message.detections:
            at = one.bbox.center.position
            self._seen[one.id] = at.x, at.y

    def _on_holds(self, message: String) -> None:
        self._held = message.data

    def _distance(self, at: tuple[float, float]) -> float:
        return math.dist(self._at, at)

    def _observe(self, request: Observe.Request, response: Observe.Response) -> Observe.Response:
        place = min(PLACES, key=lambda name: self._distance(PLACES[name]))
        if self._distance(PLACES[place]) > NEAR_M:
            place = ''
        objects = [
            ObservedObject(class_name=name, instance=1, room=ROOM, near=name == place,
                           affordances=['furniture', 'surfaces'])
            for name in PLACES
        ]  # fmt: skip
        for name, at in self._seen.items():
            held, near = name == self._held, self._distance(at) <= NEAR_M
            if not (held or near or request.overview):
                continue  # only what is within reach, or what is held, can be skills' arguments
            class_name, _, number = name.rpartition(' ')
            one = ObservedObject(class_name=class_name, instance=int(number), room=ROOM,
                                 affordances=['grabbable'], near=near, held=held)  # fmt: skip
            if near and not held and place:
                one.receptacle, one.relation = f'{place} 1', 'on'
            objects.append(one)
        things = [f'{one.class_name} {one.instance}' for one in objects[len(PLACES) :] if one.near]
        said = [f'You are at the {place} 1.' if place else 'You are at no place.']
        said += [f'You see {", ".join(things)}.'] if things else []
        said += [f'You hold {self._held}.'] if self._held else []
        response.observation = Observation(
            text=' '.join(said),
            room=ROOM,
            place=f'{place} 1' if place else '',
            rooms=[ROOM],
            objects=objects,
        )
        return response


def main() -> None:
    """Serve until Ctrl-C."""
    rclpy.init()
    try:
        rclpy.spin(Perception())
    except (KeyboardInterrupt, ExternalShutdownException):
        pass
    finally:
        rclpy.try_shutdown()


if __name__ == '__main__':
    main()
