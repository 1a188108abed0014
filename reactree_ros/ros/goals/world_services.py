# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Names of the services of the simulated worlds; importing them needs no ROS."""

from __future__ import annotations

from reactree_ros import plugins

CHECK_SERVICE = 'household/check_goal'


def check_services() -> tuple[str, ...]:
    """Return the names of the services by which simulated worlds check goals.

    Raises:
        ConfigurationError: if the package of a world is broken.
    """
    worlds = (plugins.load(plugins.WORLDS, name) for name in plugins.names(plugins.WORLDS))
    return tuple(world.check_service for world in worlds if world.check_service)
