# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A planner's options, with and without ROS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from reactree_ros.core.budget import Limits
from reactree_ros.core.option import group, groups, make, option, parameters_of
from reactree_ros.core.settings import (
    AUTO,
    AUTO_TOKENS,
    FEW_SHOT_TOKENS,
    NONE,
    UNEXPLORED,
    USER,
    Settings,
)
from reactree_ros.errors import ConfigurationError, ModelError
from reactree_ros.models.kind import kind_of
from reactree_ros.models.local.embedded import default_model, trained_options, wants_examples
from reactree_ros.models.options import ModelOptions
from reactree_ros.paths import data
from reactree_ros.planner.presets import DEFAULT, PAPER, PAPER_VALUES, PRESETS
from reactree_ros.skills.library import SkillLibrary
from reactree_ros.skills.reader import library_at
from reactree_ros.strategies.registry import DEFAULT_STRATEGY, strategy_names, strategy_options
from reactree_ros.strategies.strategy import Strategy

__all__ = ['PlannerOptions', 'planner_options']

_AUTO_FACTS = ((AUTO,), [AUTO])


@dataclass(frozen=True)
class StandbyModelOptions:
    """A model that answers while the other is unavailable."""

    name: str = option(
        '',
        'The standby model, given like model.name and started when it is needed. Empty: none.',
    )
    served_name: str = option('', 'Name of the standby model on its server. Empty: its first.')


@dataclass(frozen=True)
class PlannerOptions(Settings):
    """All options of a planner; make them by ``planner_options``."""

    skills: str = option(
        '',
        "The robot's skill library: name of a shipped one, or path of a YAML file. Required for a "
        'robot of your own; a simulated world sets its own.',
    )
    preset: str = option(
        DEFAULT,
        'Values of parameters that are not set: the defaults, or what the paper did '
        '(docs/differences.md).',
        choices=PRESETS,
        kept_on_resume=True,
    )
    strategy: str = option(
        DEFAULT_STRATEGY,
        'Planning strategy of goals that name none.',
        choices=strategy_names(),
        live=True,
        kept_on_resume=True,
    )
    model: ModelOptions = group(ModelOptions)
    standby_model: StandbyModelOptions = group(StandbyModelOptions)
    limits: Limits = group(Limits)
    strategies: tuple[tuple[str, Any], ...] = groups(strategy_options)

    @staticmethod
    def completed(given: Mapping[str, object]) -> dict[str, object]:
        """Return given values, and for others those of the preset and of the model's training.

        Where no model is given, it is the packaged one for the robot's skills.
        """
        chosen = {name: value for name, value in given.items() if value not in _AUTO_FACTS}
        model = str(given.get('model.name', '')) or default_model(
            _library_name(str(given.get('skills', '')))
        )
        try:
            trained = {**kind_of(model).options, **trained_options(model)}
        except (ConfigurationError, ModelError):  # reported when the model is started
            trained = {}
        known = {row.name for row in parameters_of(PlannerOptions)}
        if new := [name for name in trained if name not in known]:
            raise ConfigurationError(
                f'the card of the model {model} sets {", ".join(new)}, which this version of the '
                'planner does not have'
            )
        preset = PAPER_VALUES if given.get('preset') == PAPER else {}
        return {**trained, **preset, **chosen, 'model.name': model}

    def options_of(self, strategy: str) -> Any:
        """Return the options that a strategy declares; None if it has none."""
        return dict(self.strategies).get(strategy)

    def for_library(self, library: SkillLibrary) -> PlannerOptions:
        """Return the same without what a skill library rules out.

        Without predicates there are no conditions to read: a goal of a closed world says them
        itself, and the world is asked for them. Nothing has to be recalled or looked for there.
        """
        options = self
        if not library.predicates:
            agent = options.agent
            asks = agent.check_done or (agent.read_conditions and library.closed_world)
            agent = replace(agent, read_conditions=False, check_done=asks)
            options = replace(options, agent=agent)
        if library.closed_world:
            facts = tuple(one for one in options.prompt.facts if one != UNEXPLORED) or (NONE,)
            options = replace(
                options,
                memory=replace(options.memory, recall=False),
                prompt=replace(options.prompt, facts=facts),
            )
        return options

    def for_strategy(self, strategy: Strategy) -> PlannerOptions:
        """Return the same without what a strategy does not do."""
        if strategy.reads_conditions:
            return self
        return replace(self, agent=replace(self.agent, read_conditions=False))

    @property
    def resolved(self) -> PlannerOptions:
        """The same with the token budget of examples that suits the model."""
        budget = self.memory.example_tokens
        if budget == AUTO_TOKENS:
            wanted = bool(self.memory.experiences) or wants_examples(self.model.name)
            budget = FEW_SHOT_TOKENS if wanted else 0
        return replace(self, memory=replace(self.memory, example_tokens=budget))

    @property
    def memory_address(self) -> str:
        """Where the experience store is, or will be made: a file or a server; empty for none."""
        store = self.memory.store
        return str(data('memory.sqlite')) if store == USER else store

    @property
    def standby_options(self) -> ModelOptions | None:
        """The standby model, which runs like the first one; None if there is none."""
        other = self.standby_model
        if not other.name:
            return None
        return replace(self.model, name=other.name, served_name=other.served_name)


def _library_name(skills: str) -> str:
    """Return the name that a skill library gives itself; empty if it cannot be read."""
    try:
        return library_at(skills).name if skills else ''
    except ConfigurationError:  # reported when the robot is made
        return ''


def planner_options(given: Mapping[str, object]) -> PlannerOptions:
    """Return options: the given values by their full names, and the defaults of all others.

    Raises:
        ConfigurationError: if a name is unknown or a value not allowed; the message has all.
    """
    return make(PlannerOptions, given)
