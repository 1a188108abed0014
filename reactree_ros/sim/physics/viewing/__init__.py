# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The simulation for people: in the browser, as pictures, as a recorded motion."""
