# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How a model is trained: all of it in one YAML file, such as ``config/training.yaml``."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

import yaml

from reactree_ros.errors import ConfigurationError

DTYPES = ('auto', 'bfloat16', 'float32')
"""Small gradients would vanish in float16."""
MACHINE = ('threads', 'device', 'checkpoint_minutes')
"""Keys that may change when a training is resumed."""
_ABOVE_ZERO = ('rank', 'alpha', 'learning_rate', 'clip', 'epochs', 'row_tokens', 'step_rows',
               'held_out_steps', 'checkpoint_minutes')  # fmt: skip
_BELOW_ONE = ('dropout', 'warm_up', 'held_out')


@dataclass(frozen=True)
class Recipe:
    """How a model is trained.

    Args:
        model: base model: name of a packaged one, folder with a transformers model, or hub id.
        data: file that ``reactree-lab dataset`` wrote.
        start: folder of an adapter to start from; empty for a new adapter.
        rank: of the adapter's matrices.
        alpha: the adapter's part is multiplied by ``alpha / rank``.
        dropout: share of the adapter's inputs that are left out by chance.
        modules: linear layers of the base that get an adapter.
        learning_rate: highest rate.
        warm_up: share of the steps in which the rate rises; it falls to 0 as a cosine after that.
        weight_decay: of AdamW.
        clip: greatest norm of a step's gradient.
        epochs: how often it goes through the data.
        max_steps: most steps; 0 for as many as the epochs have.
        row_tokens: most tokens that are computed at once; they take memory.
        step_rows: rows of a step.
        sampled_tokens: see ``token_loss``; 0 takes the whole vocabulary.
        held_out: share of the tasks that are kept for measuring.
        held_out_steps: steps from one measurement to the next.
        seed: of the order, the held-out tasks, the first weights and dropout.
        threads: of the CPU; 0 leaves it to torch.
        dtype: number format of the base, one of ``DTYPES``; ``auto`` is bfloat16 where the
            processor computes in it.
        device: torch device; empty takes a GPU if there is one.
        checkpoint_minutes: time from one checkpoint to the next.
    """

    model: str = 'gemma-3-270m'
    data: str = ''
    start: str = ''
    rank: int = 16
    alpha: float = 32.0
    dropout: float = 0.0
    modules: tuple[str, ...] = (
        'q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj',
    )  # fmt: skip
    learning_rate: float = 4e-4
    warm_up: float = 0.05
    weight_decay: float = 0.0
    clip: float = 1.0
    epochs: int = 1
    max_steps: int = 0
    row_tokens: int = 2048
    step_rows: int = 2
    sampled_tokens: int = 16_384
    held_out: float = 0.02
    held_out_steps: int = 50
    seed: int = 0
    threads: int = 0
    dtype: str = 'auto'
    device: str = ''
    checkpoint_minutes: float = 10.0

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {**asdict(self), 'modules': list(self.modules)}

    def differs(self, other: dict[str, Any]) -> str:
        """Say what another recipe has that would train something else; empty if nothing.

        Args:
            other: as ``to_json`` gave it.
        """
        mine = self.to_json()
        # The data set is compared by what is in it.
        skipped = {*MACHINE, 'data'}
        return ', '.join(
            f'{name} was {other.get(name)} and is {mine[name]}'
            for name in mine
            if name not in skipped and mine[name] != other.get(name)
        )

    def with_values(self, **values: Any) -> Recipe:
        """Return a recipe with other values, those that are None left as they are."""
        return replace(self, **{name: value for name, value in values.items() if value is not None})


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
    """Make a recipe of YAML values.

    Args:
        raw: a mapping.
        place: named in messages.

    Raises:
        ConfigurationError: if they are none; the message lists every fault.
    """
    kinds = {field.name: type(field.default) for field in fields(Recipe)}
    if not isinstance(raw, dict):
        raise ConfigurationError(f'{place}: expected a mapping with keys of a recipe, not {raw!r}')
    faults = [
        f'{name}: not a key of a recipe, which has {", ".join(kinds)}'
        for name in raw
        if name not in kinds
    ]
    values = {name: _loosened(value, kinds[name]) for name, value in raw.items() if name in kinds}
    for name, value in values.items():
        faults += [f'{name}: {fault}' for fault in _faults(name, value, kinds[name])]
    if faults:
        lines = '\n'.join(f'  - {fault}' for fault in faults)
        raise ConfigurationError(f'{place} is not a recipe for training:\n{lines}')
    return Recipe(**values)


def _loosened(value: Any, kind: type) -> Any:
    """Return a value as YAML means it: a list as a tuple, 1 or the text 4e-4 as a number."""
    if kind is tuple and isinstance(value, list):
        return tuple(value)
    if kind is float and not isinstance(value, bool):
        try:
            return float(value)  # YAML 1.1 reads 4e-4 as a text
        except (TypeError, ValueError):
            return value
    return value


def _faults(name: str, value: Any, kind: type[Any]) -> list[str]:
    words = {str: 'a text', int: 'a whole number', float: 'a number', tuple: 'a list of texts'}
    if not isinstance(value, kind) or isinstance(value, bool):
        return [f'{value!r} is not {words[kind]}']
    if isinstance(value, tuple):
        right = value and all(isinstance(item, str) and item for item in value)
        return [] if right else [f'{list(value)!r} is not a list of texts']
    if isinstance(value, str):
        wrong = name == 'dtype' and value not in DTYPES
        return [f'{value!r} is not one of {", ".join(DTYPES)}'] if wrong else []
    number = float(value)
    if name in _ABOVE_ZERO and not number > 0:
        return [f'{value} is not above 0']
    if name in _BELOW_ONE and not 0 <= number < 1:
        return [f'{value} is not from 0 up to, but not, 1']
    return [f'{value} is below 0'] if number < 0 else []
