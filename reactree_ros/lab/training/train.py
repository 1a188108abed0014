# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""One training from its recipe to the adapter and its card, interrupted or not."""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import torch
from transformers import AutoTokenizer

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.cluster import Cluster
from reactree_ros.lab.dataset.dataset import Dataset, check_dataset, read_dataset
from reactree_ros.lab.training.card import make_card
from reactree_ros.lab.training.lora import LoraNetwork
from reactree_ros.lab.training.material import Material, make_material
from reactree_ros.lab.training.progress import TrainingView
from reactree_ros.lab.training.recipe import Recipe
from reactree_ros.lab.training.rows import ClusterRows, OwnRows, Rows, network_of
from reactree_ros.lab.training.run_folder import RunFolder
from reactree_ros.lab.training.trainer import Stopped, Trainer
from reactree_ros.models.local.conversion import sha256
from reactree_ros.models.local.source import local_folder, weights_of


def train(recipe: Recipe, out: Path, view: TrainingView, cluster: Cluster | None = None) -> bool:
    """Train an adapter, or resume an interrupted training.

    Whatever the interruption was, the adapter becomes the same as without one.

    Args:
        recipe: how, and on what.
        out: folder of the result, see ``run_folder``.
        view: watches.
        cluster: computes the rows of a step side by side; None computes them here.

    Returns:
        Whether it is complete; else ``view`` has stopped it.

    Raises:
        ConfigurationError: if the recipe, the data set or the folder cannot be used, or the
            folder holds another training.
        ModelError: if the base model cannot be used, or the losses are not numbers any more.
    """
    recipe.check()
    if not recipe.data:
        raise ConfigurationError(
            'the recipe\'s data is empty: name a file that "reactree-lab dataset" wrote'
        )
    view.note(f'reading {recipe.data}')
    dataset = read_dataset(Path(recipe.data))
    check_dataset(dataset.examples)
    start = recipe.start_adapter
    made_of = {
        'recipe': recipe.to_json(),
        'data': sha256(Path(recipe.data)),
        'base': weights_of(recipe.model),
        'start': '' if start is None else start.sha256,
    }
    folder = RunFolder(out)
    folder.lock()
    try:
        card = {} if start is None else start.card
        return _train(recipe, dataset, made_of, card, folder, view, cluster)
    finally:
        folder.unlock()


def _train(
    recipe: Recipe,
    dataset: Dataset,
    made_of: dict[str, Any],
    start: dict[str, Any],
    folder: RunFolder,
    view: TrainingView,
    cluster: Cluster | None,
) -> bool:
    card = folder.card()
    if card is not None:
        made = {**card['base'], 'recipe': card['recipe'], 'data': card['data']['sha256'],
                'base': card['base']['sha256']}  # fmt: skip
        _check_same(folder, recipe, made_of, made)
        view.note(f'{folder.folder} is complete')
        return True
    checkpoint = folder.checkpoint()
    if checkpoint is not None:
        _check_same(folder, recipe, made_of, checkpoint['made_of'])
    if recipe.threads:
        torch.set_num_threads(recipe.threads)
    base = local_folder(recipe.model, view.note)
    view.note(f'turning {len(dataset.examples)} examples into tokens')
    material = make_material(dataset.examples, AutoTokenizer.from_pretrained(base), recipe)
    view.note(f'loading {recipe.model}')
    network = network_of(recipe)
    with ExitStack() as stack:
        rows: Rows = OwnRows(network, recipe.rows_at_once)
        if cluster is not None:
            rows = stack.enter_context(closing(ClusterRows(cluster, recipe, network)))
        trainer = Trainer(network, rows, material, recipe, folder, made_of, view)
        try:
            trainer.train(checkpoint)
            run = _run(trainer, material, network)
            if recipe.keep_start:
                run['held_out_trained'] = run['held_out_after']
                run['held_out_after'] = trainer.average_with_start()
        except Stopped:
            return False
    data = {'sha256': made_of['data'], **material.counts}
    folder.complete(network.save, make_card(recipe, made_of, dataset, data, run, start))
    return True


def _check_same(
    folder: RunFolder, recipe: Recipe, asked: dict[str, Any], known: dict[str, Any]
) -> None:
    """Raise ConfigurationError if the result would be another one."""
    if 'start' in known:
        same_start = asked['start'] == known['start']
    else:  # an older training
        same_start = recipe.start == known['recipe'].get('start', '')
    faults = [
        'the data set is another one' if asked['data'] != known['data'] else '',
        "the base model's file is another one" if asked['base'] != known['base'] else '',
        '' if same_start else 'the adapter to start from is another one',
        recipe.differs(known['recipe']),
    ]
    if faults := [fault for fault in faults if fault]:
        raise ConfigurationError(
            f'{folder.folder} holds another training: {"; ".join(faults)}. Take another folder, or '
            'ask for the same again'
        )


def _run(trainer: Trainer, material: Material, network: LoraNetwork) -> dict[str, Any]:
    """Return steps, time and losses for the card."""
    lines = trainer.lines
    losses = [line.loss for line in lines if line.loss is not None]
    measured = [line.held_out for line in lines if line.held_out is not None]
    threads = torch.get_num_threads()
    on_gpu = network.device.type == 'cuda'
    return {
        'steps': len(material.steps),
        'tokens': sum(step.tokens for step in material.steps),
        'targets': sum(step.targets for step in material.steps),
        'parameters': sum(one.numel() for one in network.parameters()),
        'seconds': round(sum(line.seconds for line in lines), 1),
        'device': torch.cuda.get_device_name() if on_gpu else f'a CPU, {threads} threads',
        'loss_first': losses[0],
        'loss_last': losses[-1],
        'held_out_before': measured[0] if measured else None,
        'held_out_after': measured[-1] if measured else None,
    }
