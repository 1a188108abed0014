# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A kitchen in the physics simulator MuJoCo, with a Panda on a driving base."""
