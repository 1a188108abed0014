# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Goals: accepted, queued, run, judged, and recovered after a restart."""
