# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Clients of the arm's skills and of what it publishes."""

from __future__ import annotations

from typing import Any

from action_msgs.msg import GoalStatus, GoalStatusArray
from rclpy.action import ActionClient
from rclpy.qos import qos_profile_action_status_default
from sensor_msgs.msg import JointState

from reactree_interfaces.action import ExecuteSkill
from reactree_interfaces.srv import CheckGoal, Observe
from reactree_ros.cli.processes import NodeProcess
from reactree_ros.ros.skills.asking import Handshake

BRIDGE = NodeProcess(
    'kitchen_bridge', 'reactree_kitchen_bridge', 'reactree_ros.ros.nodes.kitchen_bridge'
)
ARM_SKILLS = NodeProcess('arm_skills', 'reactree_arm_skills', 'reactree_ros.ros.nodes.arm_skills')
ACTIONS = (
    'kitchen/execute_skill',
    'panda_arm_controller/follow_joint_trajectory',
    'omni_base_controller/follow_joint_trajectory',
    'panda_hand_controller/gripper_cmd',
    'panda_hand_parallel_controller/gripper_cmd',
    'navigate_to_pose',
)
ACTIVE = (
    GoalStatus.STATUS_ACCEPTED,
    GoalStatus.STATUS_EXECUTING,
    GoalStatus.STATUS_CANCELING,
)


class Skills:
    """A client of the skills and of the simulator, which judges."""

    def __init__(self, spinner: Any, log: list[str]) -> None:
        self.spinner, self.log = spinner, log
        node = spinner.node
        self._skills = ActionClient(node, ExecuteSkill, 'kitchen/execute_skill')
        self._observe = node.create_client(Observe, 'kitchen/observe')
        self._check = node.create_client(CheckGoal, 'kitchen/check_goal')

    def ready(self) -> None:
        handshake = Handshake(self.spinner.node, 'kitchen/execute_skill')
        for there in (
            handshake.done,
            self._skills.server_is_ready,
            self._observe.service_is_ready,
            self._check.service_is_ready,
        ):
            self.spinner.until(there, 'the skills are there', 60.0, seen=self.log)
        handshake.destroy()

    def start(self, skill: str, *arguments: str) -> Any:
        goal = ExecuteSkill.Goal(skill=skill, arguments=list(arguments))
        sent = self._skills.send_goal_async(goal)
        self.spinner.until(sent.done, 'the goal is answered')
        assert sent.result().accepted, self.log
        return sent.result()

    def end(self, handle: Any) -> tuple[int, str]:
        """Wait for a skill's end; return its status and what is said."""
        ended = handle.get_result_async()
        self.spinner.until(ended.done, 'the skill has ended', 120.0, seen=self.log)
        return ended.result().status, ended.result().result.observation.text

    def do(self, skill: str, *arguments: str) -> str:
        status, text = self.end(self.start(skill, *arguments))
        assert status == GoalStatus.STATUS_SUCCEEDED, (text, self.log)
        return text

    def ask(self, client: Any, request: Any) -> Any:
        future = client.call_async(request)
        self.spinner.until(future.done, 'the service has answered')
        return future.result()

    def holds(self, *conditions: str) -> bool:
        return bool(self.ask(self._check, CheckGoal.Request(conditions=conditions)).holds)

    def look(self) -> Any:
        return self.ask(self._observe, Observe.Request()).observation

    def observe(self) -> str:
        return str(self.look().text)


class Watch:
    """What the arm publishes of itself.

    Attributes:
        speeds: stamp (s) and largest speed of arm and base (rad/s or m/s), and of a finger (m/s).
    """

    def __init__(self, spinner: Any) -> None:
        self.speeds: list[tuple[float, float, float]] = []
        self._goals: dict[str, list[Any]] = {}
        node = spinner.node
        # A short queue: on a busy machine the latest stamp has to stay the latest.
        node.create_subscription(JointState, 'joint_states', self._on_joints, 5)
        for name in ACTIONS:
            node.create_subscription(
                GoalStatusArray,
                f'{name}/_action/status',
                lambda message, name=name: self._goals.__setitem__(name, message.status_list),
                qos_profile_action_status_default,
            )

    def _on_joints(self, message: JointState) -> None:
        stamp = message.header.stamp
        speed = dict(zip(message.name, map(abs, message.velocity), strict=True))
        finger = max(value for name, value in speed.items() if 'finger' in name)
        others = max(value for name, value in speed.items() if 'finger' not in name)
        self.speeds.append((stamp.sec + 1e-9 * stamp.nanosec, others, finger))

    @property
    def time(self) -> float:
        """The latest stamp (s)."""
        return self.speeds[-1][0] if self.speeds else 0.0

    def active(self) -> list[str]:
        """Return the actions of which a goal has not ended."""
        return [
            name
            for name, goals in self._goals.items()
            if any(goal.status in ACTIVE for goal in goals)
        ]

    def moved_last(self, since: float, joints: float, fingers: float) -> float:
        """Return the last stamp (s) from ``since`` on at which something was faster than this."""
        fast = (t for t, other, finger in self.speeds if other > joints or finger > fingers)
        return max((t for t in fast if t >= since), default=since)
