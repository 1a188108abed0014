# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The card of an adapter: data, base model and its licence, recipe, losses."""

from __future__ import annotations

import json
import platform
import shlex
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import Any

from reactree_ros.lab.console import duration
from reactree_ros.lab.dataset.dataset import Dataset
from reactree_ros.lab.evaluation.provenance import made_with
from reactree_ros.lab.training.recipe import Recipe
from reactree_ros.models.local.adapter import CARD
from reactree_ros.models.local.embedded import MODELS, PackagedModel, trained_options

FORMAT = 'reactree adapter 1'
README = 'README.md'
_NOTICES = {
    'Gemma Terms of Use': 'Gemma is provided under and subject to the Gemma Terms of Use found at '
    'ai.google.dev/gemma/terms. This adapter is a modification of Gemma: the same terms, with '
    'their use restrictions, hold for it.',
    'Apache-2.0': 'The base model is licensed under the Apache License, Version 2.0; so is this '
    'adapter, which changes it.',
}
_UNKNOWN = 'The licence of the base model holds; see where you have it from.'


def make_card(
    recipe: Recipe,
    made_of: dict[str, Any],
    dataset: Dataset,
    data: dict[str, Any],
    run: dict[str, Any],
    start: dict[str, Any],
) -> dict[str, Any]:
    """Return what an adapter was trained with.

    ``made_of`` has the SHA-256 of the base and of the adapter it began from, ``data`` is the data
    set's ``sha256`` and what was made of it, ``run`` steps, time and losses, ``start`` the card
    of the adapter that it began from, if there is one.
    """
    packaged = MODELS.get(recipe.model)
    licence = packaged.licence if isinstance(packaged, PackagedModel) else ''
    examples = dataset.examples
    return {
        'format': FORMAT,
        'base': {
            'model': recipe.model,
            'sha256': made_of['base'],
            'start': made_of['start'],
            'licence': licence,
            'notice': _NOTICES.get(licence, _UNKNOWN),
        },
        'prompt': 'plain text',
        'options': dataset.header.options
        or (trained_options(recipe.start) if recipe.start else {}),
        'data': {
            **data,
            'command': _without_folders(dataset.header.command),
            'library': dataset.header.library,
            'counts': dataset.header.counts,
            'examples': len(examples),
            'tasks': len({example.origin.task for example in examples}),
            'planners': dict(Counter(example.origin.planner for example in examples)),
            'sources': dict(Counter(example.origin.source for example in examples)),
        },
        'recipe': {
            **recipe.to_json(),
            'data': Path(recipe.data).name,
            'start': Path(recipe.start).name,
        },
        'training': {
            **run,
            'made_with': made_with(),
            'python': platform.python_version(),
            **{name: version(name) for name in ('torch', 'transformers', 'peft')},
        },
        'start_card': start,
    }


def write_card(folder: Path, card: dict[str, Any]) -> None:
    """Write a card, for programs and for people."""
    (folder / README).write_text(readme_of(card), encoding='utf-8')
    text = json.dumps(card, indent=1, ensure_ascii=False) + '\n'
    (folder / CARD).write_text(text, encoding='utf-8')


def _without_folders(command: str) -> str:
    """Return a command line that says nothing of the machine it was typed on."""
    try:
        words = shlex.split(command)
    except ValueError:
        return ''
    return shlex.join(Path(word).name if Path(word).is_absolute() else word for word in words)


def readme_of(card: dict[str, Any]) -> str:
    """Return a card as Markdown."""
    base, data, run = card['base'], card['data'], card['training']
    return f"""---
base_model: {base['model']}
library_name: peft
license: {'gemma' if base['licence'].startswith('Gemma') else base['licence'].lower() or 'other'}
---

# An adapter for {base['model']} that plans

A low-rank adapter (LoRA) that makes decisions of a ReAcTree planner: think, act, expand. It reads
plain text, without a chat template, and was trained on runs of this kind of task.

## Base model

{base['model']}, SHA-256 of the weights `{base['sha256'] or 'not known'}`, licence:
{base['licence'] or 'not known'}. {base['notice']}

## Data

{data['examples']} trajectories of agent nodes from {data['tasks']} tasks: planners
{_counts(data['planners'])}; decided by {_counts(data['sources'])}. {data['held_out']} of them, from
{data['held_out_tasks']} tasks, were held out. {data['cut']} were cut at a row's length,
{data['left_out']} left out. SHA-256 of the file: `{data['sha256']}`. Made by
`{data.get('command') or 'hand'}`.

## Training

{run['steps']} steps, {run['tokens']} tokens read, {run['targets']} tokens learned (the lines that
decide; all else is context), {duration(run['seconds'])} on {run['device']}. Mean loss of a token
on held-out tasks, in nats: {_loss(run['held_out_before'])} before,
{_loss(run.get('held_out_trained', run['held_out_after']))} after{_of_average(run)}.
{_of_start(card)}
```json
{json.dumps(card['recipe'], indent=1)}
```
"""


def _of_start(card: dict[str, Any]) -> str:
    """Say what a training began from, and what of that is in the result."""
    recipe, sha256 = card['recipe'], card['base'].get('start')
    if not sha256:
        return ''
    kept = recipe.get('keep_start')
    average = f'; the result is an average, {kept:g} of that and {1 - kept:g} of what was trained'
    before = card.get('start_card', {})
    command = before.get('data', {}).get('command')
    return f"""
It began from the adapter `{recipe['start']}`, SHA-256 `{sha256}`{average if kept else ''}.
{f'That one was trained on data made by `{command}`; its card is in this one.' if command else ''}
"""


def _counts(counts: dict[str, int]) -> str:
    return ', '.join(f'{name} ({count})' for name, count in counts.items())


def _of_average(run: dict[str, Any]) -> str:
    return f', {_loss(run["held_out_after"])} averaged' if 'held_out_trained' in run else ''


def _loss(loss: float | None) -> str:
    return 'not measured' if loss is None else f'{loss:.3f}'
