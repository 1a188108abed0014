# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How a model is trained: the keys of a recipe file, such as ``config/training.yaml``."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import yaml

from reactree_ros.core.option import make, option, parameters_of
from reactree_ros.errors import ConfigurationError
from reactree_ros.models.local.adapter import Adapter, read_adapter
from reactree_ros.models.local.embedded import MODELS, PackagedModel, TrainedModel

_ON_RESUME = ('data', 'start', 'threads', 'device', 'rows_at_once', 'checkpoint_minutes')
"""Keys that may change when a training is resumed; data and start are compared by their content."""
_LITTLE, _BELOW_ONE, _MANY = 1e-9, 1 - 1e-9, 1_000_000_000
_MODULES = ('q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj')


def _share(default: float, description: str) -> Any:
    return option(default, description, minimum=0.0, maximum=_BELOW_ONE)


def _count(default: int, description: str, minimum: int = 1) -> Any:
    return option(default, description, minimum=minimum, maximum=_MANY)


def _positive(default: float, description: str) -> Any:
    return option(default, description, minimum=_LITTLE, maximum=_MANY)


@dataclass(frozen=True)
class Recipe:
    """How a model is trained; every field is a key of the file."""

    model: str = option(
        'gemma-3-270m',
        'Base model: a packaged one, a folder with a transformers model, or a hub id.',
    )
    data: str = option('', 'File that "reactree-lab dataset" wrote.')
    dataset: str = option(
        '', 'Arguments of "reactree-lab dataset" that make the data where no file is given.'
    )
    start: str = option(
        '', 'Adapter to start from: a packaged one, or a folder; empty for a new adapter.'
    )
    keep_start: float = _share(
        0.0,
        'Share of the start in the result, an average of its matrices and the trained ones; 0 for '
        'the trained ones alone.',
    )
    rank: int = _count(16, "Rank of the adapter's matrices.")
    alpha: float = _positive(32.0, "The adapter's part is multiplied by alpha / rank.")
    dropout: float = _share(0.0, "Share of the adapter's inputs that are left out by chance.")
    modules: tuple[str, ...] = option(_MODULES, 'Linear layers of the base that get an adapter.')
    learning_rate: float = _positive(4e-4, 'Highest learning rate.')
    warm_up: float = _share(
        0.05, 'Share of the steps in which the rate rises; it falls to 0 as a cosine after that.'
    )
    weight_decay: float = option(0.0, 'Of AdamW.', minimum=0.0, maximum=1.0)
    clip: float = _positive(1.0, "Greatest norm of a step's gradient.")
    epochs: int = _count(1, 'How often it goes through the data.')
    max_steps: int = _count(0, 'Most steps; 0 for as many as the epochs have.', 0)
    row_tokens: int = _count(2048, 'Most tokens of a row; they take memory.')
    step_rows: int = _count(2, 'Rows of a step.')
    rows_at_once: int = _count(0, 'Of a step; 0 computes 8 at once on a GPU, 1 on a CPU.', 0)
    held_out: float = _share(0.02, 'Share of the tasks that are kept for measuring.')
    held_out_steps: int = _count(50, 'Steps from one measurement to the next.')
    seed: int = _count(0, 'Of the order, the held-out tasks, the first weights and dropout.', 0)
    threads: int = _count(0, 'Of the CPU; 0 leaves it to torch.', 0)
    # Small gradients would vanish in float16.
    dtype: str = option(
        'auto',
        'Number format of the base; auto is bfloat16 where the processor computes in it.',
        choices=('auto', 'bfloat16', 'float32'),
    )
    device: str = option('', 'Torch device; empty takes a GPU if there is one.')
    compiled: bool = option(
        False, 'Compile the layers first, which needs a C++ compiler for a CPU: then it is faster.'
    )
    checkpoint_minutes: float = _positive(10.0, 'Time from one checkpoint to the next.')

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {**asdict(self), 'modules': list(self.modules)}

    def differs(self, other: dict[str, Any]) -> str:
        """Say what another recipe's JSON has that would train something else; empty if nothing."""
        known = {**Recipe().to_json(), **other}  # an older one has fewer keys
        return ', '.join(
            f'{name} was {known[name]} and is {mine}'
            for name, mine in self.to_json().items()
            if name not in _ON_RESUME and mine != known[name]
        )

    def with_values(self, **values: Any) -> Recipe:
        """Return a recipe with other values, those that are None left as they are."""
        return replace(self, **{name: value for name, value in values.items() if value is not None})

    @property
    def start_folder(self) -> Path | None:
        """Where the adapter to start from lies; None for a new one."""
        if not self.start:
            return None
        packaged = MODELS.get(self.start)
        return packaged.source if isinstance(packaged, TrainedModel) else Path(self.start)

    @property
    def start_adapter(self) -> Adapter | None:
        """The adapter to start from; None for a new one.

        Raises:
            ModelError: if it cannot be read.
        """
        return None if self.start_folder is None else read_adapter(self.start_folder)

    def check(self) -> None:
        """Look whether its values fit each other.

        Raises:
            ConfigurationError: if the model is a base with an adapter, or the start does not fit.
            ModelError: if the start cannot be read.
        """
        if self.keep_start and not self.start:
            raise ConfigurationError('the recipe has keep_start, and no start')
        start = self.start_adapter
        if start is not None:
            for name, mine, other in (
                ('rank', self.rank, start.rank),
                ('alpha', self.alpha, start.alpha),
            ):
                if mine != other:
                    raise ConfigurationError(
                        f"the recipe's {name} is {mine:g}, and its start {self.start!r} has {other}"
                    )
        packaged = MODELS.get(self.model)
        if packaged is not None and not isinstance(packaged, PackagedModel):
            raise ConfigurationError(
                f"the recipe's model is {self.model!r}, which is trained itself: name its base "
                "model, and the adapter as the recipe's start"
            )


def read_recipe(path: Path) -> Recipe:
    """Read a recipe; what the file leaves out has its default.

    Raises:
        ConfigurationError: if the file cannot be read or is not a recipe; the message lists every
            fault.
    """
    try:
        raw = yaml.safe_load(path.read_text(encoding='utf-8'))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigurationError(f'cannot read the recipe {path}: {error}') from error
    return recipe_of({} if raw is None else raw, str(path))


def recipe_of(raw: Any, place: str) -> Recipe:
    """Make a recipe of YAML values; messages name ``place``.

    Raises:
        ConfigurationError: if they are not valid; the message lists every fault.
    """
    if not isinstance(raw, dict):
        raise ConfigurationError(f'{place}: expected a mapping with keys of a recipe, not {raw!r}')
    numbers = {one.name for one in parameters_of(Recipe) if isinstance(one.default, float)}
    values = {str(name): _number(raw[name]) if name in numbers else raw[name] for name in raw}
    try:
        return make(Recipe, values)
    except ConfigurationError as error:
        raise ConfigurationError(f'{place} is not a recipe for training: {error}') from error


def _number(value: Any) -> Any:
    """Return a number that YAML 1.1 reads as a text, such as 4e-4."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value
