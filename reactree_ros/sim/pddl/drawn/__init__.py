# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""PDDL domains drawn at random, to learn from.

Example:
    >>> from reactree_ros.sim.pddl.drawn.domain import drawn_domain
    >>> domain = drawn_domain('pddl_train', 17)
    >>> domain.problem.instruction  # doctest: +SKIP
    'Reach that crate 2 is on shelf 1'
"""
