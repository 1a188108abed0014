# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The errors of the project: raised where a fault is found, reported once."""

from __future__ import annotations

UNAVAILABLE = 'unavailable'
"""Kind of a ``ModelError``: a server did not answer, and may do so later."""


class ReactreeError(Exception):
    """Base of every error that the project raises on purpose."""


class ConfigurationError(ReactreeError):
    """A parameter, skill library, scene or task file is wrong; the message names the place."""


class GoalError(ReactreeError):
    """A goal cannot be taken: it is empty, too long, or the planner is busy."""


class DecisionError(ReactreeError):
    """A model's answer is not a decision that was offered."""


class ModelError(ReactreeError):
    """A language model could not be loaded or could not answer."""

    kind = 'fault'
    """Of the failure, for metrics: ``timeout``, ``unavailable``, ``refused`` or ``fault``."""


class WorldError(ReactreeError):
    """A world was asked for something that it does not have."""


class SkillError(ReactreeError):
    """A skill cannot be sent to the robot as its library says, e.g. a pose is not known."""


class StoreError(ReactreeError):
    """A store of experiences could not be read or written: locked, damaged, or the disk is full."""


def not_installed(missing: ImportError) -> str:
    """Return the message for a module that could not be imported."""
    name = missing.name or str(missing)
    of_ros = name.startswith(('rclpy', 'rosidl', 'rosbag2')) or name.partition('.')[0].endswith(
        ('_msgs', '_srvs', '_interfaces')
    )
    return f'{name} is not installed' + (' (source a ROS 2 installation)' if of_ros else '')
