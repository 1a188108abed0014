# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The engine that runs a model on this machine; needs the extra ``local``."""
