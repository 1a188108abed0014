# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""What a reader of docs/guides has running, as a process: ``python guide_stack.py KIND LOG``.

Servers of the real types under the names that Nav2, MoveIt and PlanSys2 give them; planners and
motors are left out. What the robot has done becomes a line of the log; SIGTERM ends it.
"""

from __future__ import annotations

import json
import math
import signal
import sys
from pathlib import Path
from typing import Any

import rclpy
from rclpy.action import ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions


class Stack:
    """The servers of one kind, and the log of what they have done.

    Args:
        kind: ``nav2``, ``moveit2`` or ``plansys2``.
        log: a file.
    """

    def __init__(self, kind: str, log: Path) -> None:
        self.node = Node(kind)
        self._log = log.open('a', encoding='utf-8')
        self._group = ReentrantCallbackGroup()
        self._servers: list[ActionServer] = []
        getattr(self, f'_{kind}')()

    def _serve(self, action: Any, name: str, do: Any) -> None:
        def execute(handle: Any) -> Any:
            result, succeeds = action.Result(), do(handle.request, handle)
            for field, value in succeeds[1].items():
                setattr(result, field, value)
            handle.succeed() if succeeds[0] else handle.abort()
            return result

        self._servers.append(
            ActionServer(
                self.node,
                action,
                name,
                execute,
                callback_group=self._group,
                cancel_callback=lambda _: CancelResponse.ACCEPT,
            )
        )

    def _did(self, *what: Any) -> None:
        print(json.dumps(what), file=self._log, flush=True)

    def _nav2(self) -> None:
        from nav2_msgs import action

        def drive(goal: Any, handle: Any) -> Any:
            pose = goal.pose.pose
            x, y = pose.position.x, pose.position.y
            if goal.pose.header.frame_id != 'map' or math.hypot(x, y) > 10.0:
                return False, {'error_code': 204, 'error_msg': 'the goal is outside of the map'}
            handle.publish_feedback(
                action.NavigateToPose.Feedback(distance_remaining=math.hypot(x, y))
            )
            yaw = 2.0 * math.degrees(math.atan2(pose.orientation.z, pose.orientation.w))
            self._did('at', round(x, 3), round(y, 3), round(yaw))
            return True, {}

        self._serve(action.NavigateToPose, 'navigate_to_pose', drive)
        for kind, name in (
            *((action.Spin, 'spin'), (action.BackUp, 'backup'), (action.Wait, 'wait')),
            (action.DriveOnHeading, 'drive_on_heading'),
        ):
            self._serve(kind, name, lambda goal, _, name=name: self._did(name) or (True, {}))

    def _moveit2(self) -> None:
        from control_msgs.action import ParallelGripperCommand
        from moveit_msgs.action import MoveGroup
        from moveit_msgs.msg import MoveItErrorCodes as Code

        self._at = ''

        def move(goal: Any, handle: Any) -> Any:
            request = goal.request
            if request.group_name != 'manipulator':
                return False, {'error_code': Code(val=Code.INVALID_GROUP_NAME)}
            handle.publish_feedback(MoveGroup.Feedback(state='PLANNING'))
            (wanted,) = request.goal_constraints
            if wanted.joint_constraints:
                names = ' '.join(one.joint_name for one in wanted.joint_constraints)
                self._at = f'posture of {names}'
            else:
                self._at = wanted.position_constraints[0].header.frame_id
            self._did('moved to', self._at)
            return True, {'error_code': Code(val=Code.SUCCESS)}

        def grip(goal: Any, _: Any) -> Any:
            closes = goal.command.position[0] < 0.02
            stalled = closes and self._at == 'red_block_1'
            self._did('closed' if closes else 'opened', stalled)
            return True, {'stalled': stalled, 'reached_goal': not stalled}

        self._serve(MoveGroup, 'move_action', move)
        self._serve(ParallelGripperCommand, 'gripper_controller/gripper_cmd', grip)

    def _plansys2(self) -> None:
        from plansys2_msgs.action import ExecutePlan
        from plansys2_msgs.msg import ActionExecutionInfo as Info

        def execute(goal: Any, handle: Any) -> Any:
            told = []
            for item in goal.plan.items:
                action, *arguments = item.action.strip('()').split()
                known = action in ('move', 'inspect')
                status, why = (Info.SUCCEEDED, '') if known else (Info.FAILED, 'no performer')
                told.append(
                    Info(status=status, action=action, arguments=arguments, message_status=why)
                )
                self._did(action, *arguments)
            handle.publish_feedback(ExecutePlan.Feedback(action_execution_status=told))
            success = all(one.status == Info.SUCCEEDED for one in told)
            # PlanSys2's executor ends every plan as succeeded; the field says how it went
            return True, {'success': success, 'action_execution_status': told}

        self._serve(ExecutePlan, 'execute_plan', execute)


def main(kind: str, log: str) -> None:
    """Serve until it is ended."""
    rclpy.init(args=[], signal_handler_options=SignalHandlerOptions.NO)
    stack = Stack(kind, Path(log))
    executor = MultiThreadedExecutor(4)
    executor.add_node(stack.node)
    signals: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: signals.append(number))
    print('ready', flush=True)
    while not signals:
        executor.spin_once(timeout_sec=0.05)
    executor.shutdown(timeout_sec=1.0)
    stack.node.destroy_node()
    rclpy.try_shutdown()


if __name__ == '__main__':
    main(*sys.argv[1:])
