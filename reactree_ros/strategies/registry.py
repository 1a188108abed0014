# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Planning strategies: what a run's root is, what its model reads first, what it learns from.

=================  ================================================================================
reactree           an agent node that may expand (paper, Algorithms 1 and 2)
react              the same agent node without expansion (paper, section 5.1; Yao et al., 2023)
zsp                a whole plan, written at once and carried out (Huang et al., 2022)
tree_planner       sampled plans merged into a tree, decisions at its forks (Hu et al., 2024)
adapt              tried as it is; split into steps only where that fails (Prasad et al., 2024)
plan_and_execute   split once, then every step is tried (the same, section 4.2)
try_again          tried again from where it failed (the same)
reflexion          tried again with what the model wrote about the failure (Shinn et al., 2023)
hiagent            one node whose finished subgoals are summaries in its context (Hu et al., 2024)
step               subgoals from coarse to fine, each checked before it is carried out (STEP)
=================  ================================================================================

Whether an agent node may ask its working memory is a setting: ``memory.recall``. ``zsp`` and
``tree_planner`` know beforehand what is there (paper, Appendix C). All of them
are entry points of the group ``reactree_ros.strategies``, by which other packages add theirs
(docs/strategies.md).
"""

from __future__ import annotations

from reactree_ros import plugins
from reactree_ros.errors import ConfigurationError
from reactree_ros.strategies.strategy import Strategy

DEFAULT_STRATEGY = 'reactree'


def strategy(name: str) -> Strategy:
    """Return a strategy by its name.

    Raises:
        ConfigurationError: if there is no strategy of that name, or its package does not give it.
    """
    return plugins.load_as(plugins.STRATEGIES, name, Strategy)


def strategy_options() -> dict[str, type]:
    """Return the dataclasses of the strategies' options, by the strategies' names."""
    kinds: dict[str, type] = {}
    for name in strategy_names():
        try:
            kind = strategy(name).options
        except ConfigurationError:  # of another package; reported when the strategy is used
            continue
        if kind is not None:
            kinds[name] = kind
    return kinds


def strategy_names() -> tuple[str, ...]:
    """Return the names of all strategies: the package's own, then those of other packages."""
    return plugins.names(plugins.STRATEGIES)
