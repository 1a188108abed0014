# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Back ends of the language model, and the process that it runs in."""
