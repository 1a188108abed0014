# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Reads English goals to help small models; a skill library asks for it by name.

Goals are in class words: the library's aliases are replaced. Of the arguments that recur,
``classes`` are all classes that are known, ``movable`` those of movable objects, ``kinds`` the
classes that a wider word of a goal may mean, and ``tools`` those that a subgoal may name although
the goal does not.
"""
