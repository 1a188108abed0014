# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""TextCraft: crafting trees as a text world (Prasad et al., *ADaPT*, section 4.1, Appendix E)."""
