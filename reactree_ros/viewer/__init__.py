# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The web viewer: runs as frames, the server that hands them out, and the page that shows them."""
