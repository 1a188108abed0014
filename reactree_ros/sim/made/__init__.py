# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Robots made up at random, to learn and to test planning on robots that were never seen.

``made_robot`` draws one by a seed: its skill library, and what its skills need and change as facts.
From these come the simulated world (``MadeWorld``) and the planning task (``plan``), so that the
two cannot differ. ``goals_of`` draws goals, ``tasks`` makes them tasks of evaluations.

    >>> robot = made_robot('made_train', 17)
    >>> goal = goals_of(robot, 3)[0]
    >>> world = MadeWorld(robot, goal.start, goal.conditions)
    >>> plan_stages(robot, world.state, world.conditions)             # with full knowledge
    >>> plan_stages(robot, world.belief.assumed(), world.conditions)  # by what was seen
"""
