# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The store of experiences in a PostgreSQL server with pgvector."""
