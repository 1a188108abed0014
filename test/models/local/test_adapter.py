# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Adapters: merged once into the cache, with the base they belong to, and known as trained."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.core.decision import Choices
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ModelError
from reactree_ros.models.backend import Watch
from reactree_ros.models.kind import check_options
from reactree_ros.models.local import embedded
from reactree_ros.models.local.adapter import CARD, CONFIG, WEIGHTS, weights_sha256
from reactree_ros.models.local.conversion import remove_unfinished
from reactree_ros.models.local.embedded import (
    PackagedModel,
    TrainedModel,
    none_margin,
    prepare,
    trained_from,
    trained_options,
    trained_skills,
    wants_examples,
)
from reactree_ros.models.local.source import local_folder, needs_hub
from reactree_ros.models.options import ModelOptions
from reactree_ros.models.server import make_backend
from reactree_ros.paths import cache

torch = pytest.importorskip('torch')
peft = pytest.importorskip('peft')

from transformers import AutoModelForCausalLM  # noqa: E402

TOKENS = torch.arange(1, 60)[None]
CLOSE = 0.05
"""Of the largest logit: bfloat16 has three digits."""


def silent(line: str) -> None:
    pass


def make_adapter(base: Path, folder: Path, named: str = '') -> Path:
    """Write an adapter with random matrices for a model, and a card that says which."""
    torch.manual_seed(1)
    network = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32)
    config = peft.LoraConfig(r=4, lora_alpha=8, target_modules=['q_proj', 'v_proj', 'down_proj'])
    adapted = peft.get_peft_model(network, config)
    for name, parameter in adapted.named_parameters():
        if 'lora_B' in name:  # it begins as zero
            torch.nn.init.normal_(parameter, std=0.3)
    adapted.save_pretrained(folder)
    said = json.loads((folder / CONFIG).read_text(encoding='utf-8'))
    said['base_model_name_or_path'] = named or str(base)
    (folder / CONFIG).write_text(json.dumps(said), encoding='utf-8')
    card = {'base': {'model': named or str(base), 'sha256': weights_sha256(base)}}
    (folder / CARD).write_text(json.dumps(card), encoding='utf-8')
    return folder


@pytest.fixture(scope='module')
def made(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_adapter(tiny_model, tmp_path_factory.mktemp('adapters') / 'tidy')


@pytest.fixture
def adapter(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the adapter that may be changed, and an empty cache."""
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path / 'cache'))
    yield Path(shutil.copytree(made, tmp_path / 'tidy'))
    remove_unfinished()


def change(path: Path, **values: Any) -> None:
    raw = json.loads(path.read_text(encoding='utf-8'))
    path.write_text(json.dumps({**raw, **values}), encoding='utf-8')


def in_cache() -> list[str]:
    return sorted(path.name for path in cache('models').glob('*'))


def test_the_merged_model_answers_as_the_base_with_its_adapter(
    adapter: Path, tiny_model: Path
) -> None:
    merged = local_folder(str(adapter), silent)
    base = AutoModelForCausalLM.from_pretrained(tiny_model, dtype=torch.float32)
    with torch.no_grad():
        plain = base(TOKENS).logits
        wanted = peft.PeftModel.from_pretrained(base, adapter)(TOKENS).logits
        network = AutoModelForCausalLM.from_pretrained(merged, dtype=torch.float32)
        found = network(TOKENS).logits
    scale = wanted.abs().max()
    assert (found - wanted).abs().max() < CLOSE * scale
    assert (plain - wanted).abs().max() > CLOSE * scale


def test_it_is_merged_once_and_loaded_as_any_model(adapter: Path) -> None:
    said: list[str] = []
    options = ModelOptions(str(adapter), dtype='float32', threads=1)
    check_options(options)
    backend = make_backend(options, said.append)
    steps = [line.rpartition(': ')[2].split()[0] for line in said]
    assert steps == [
        'merging',
        'merged',
        'loading',
    ]
    assert len(in_cache()) == 1 and in_cache()[0].startswith('tidy-')
    choices = Choices(
        skills=('go to bed',), max_thought_chars=8, max_subgoals=2, max_subgoal_chars=8
    )
    prompt = Prompt('You steer a robot.', (), 'Goal: rest\nYou see nothing.\n')
    assert backend.decide(prompt, choices, Watch(60.0)).text
    said.clear()
    local_folder(str(adapter), said.append)
    assert said == []


def test_a_moved_adapter_is_found_and_a_changed_one_is_merged_anew(
    adapter: Path, tmp_path: Path
) -> None:
    first = local_folder(str(adapter), silent)
    moved = adapter.rename(tmp_path / 'moved')
    assert local_folder(str(moved), silent) == first
    change(moved / CONFIG, lora_alpha=16)
    assert local_folder(str(moved), silent) != first
    assert len(in_cache()) == 2


def test_it_is_known_as_trained_before_and_after_it_is_merged(
    adapter: Path, tiny_model: Path
) -> None:
    origin = trained_from(str(adapter))
    assert origin.startswith(f'{tiny_model} + adapter ')
    assert trained_from(str(local_folder(str(adapter), silent))) == origin
    for other in (str(tiny_model), 'gemma-3-270m', 'http://host:8000/v1', 'scripted:a.yaml'):
        assert trained_from(other) == ''


def test_it_is_known_on_whose_skills_it_was_trained(adapter: Path, tiny_model: Path) -> None:
    assert trained_skills(str(adapter)) == ''
    change(adapter / CARD, data={'library': 'workshop'})
    assert trained_skills(str(adapter)) == 'workshop'
    assert trained_skills(str(local_folder(str(adapter), silent))) == 'workshop'
    for other in (str(tiny_model), 'gemma-3-270m', 'http://host:8000/v1'):
        assert trained_skills(other) == ''


def test_its_card_says_with_which_options_it_was_trained(adapter: Path) -> None:
    assert trained_options(str(adapter)) == {}
    change(adapter / CARD, options={'prompt.facts': ['held']})
    assert trained_options(str(adapter)) == {'prompt.facts': ['held']}
    assert trained_options('gemma-3-270m') == {}


def test_its_card_says_which_margin_it_asks_for_none(adapter: Path) -> None:
    assert none_margin(str(adapter)) == 0
    change(adapter / CARD, none_margin=0.5)
    assert none_margin(str(adapter)) == 0.5
    assert none_margin(str(local_folder(str(adapter), silent))) == 0.5
    assert none_margin('gemma-3-270m') == 0


@pytest.mark.parametrize(('had', 'wants'), [(0, False), (4, False), (5, True), (10, True)])
def test_a_model_wants_experiences_if_half_of_its_examples_had_them(
    adapter: Path, had: int, wants: bool
) -> None:
    assert wants_examples(str(adapter)), 'nothing says how it was trained'
    change(adapter / CARD, data={'counts': {'examples': 10, 'with experiences': had}})
    assert wants_examples(str(adapter)) is wants
    assert wants_examples('gemma-3-270m')
    assert wants_examples('http://host:8000/v1')


def test_a_shipped_adapter_is_chosen_by_name(
    adapter: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = PackagedModel('tiny', (), (), weights_sha256(tiny_model), '', 'Apache-2.0')
    trained = TrainedModel('tidy', base)
    monkeypatch.setattr(embedded, 'share', lambda *parts: adapter.parent / parts[-1])
    monkeypatch.setattr(embedded, 'make_folder', lambda *given: tiny_model)  # instead of a GGUF
    monkeypatch.setitem(embedded.MODELS, 'tidy', trained)
    assert not trained.ready
    folder = prepare(trained, silent)
    assert trained.ready and folder == trained.folder
    assert trained_from('tidy') == trained.adapter.origin
    assert trained.licence == 'Apache-2.0'


@pytest.mark.parametrize(
    ('file', 'values', 'message'),
    [
        (
            CONFIG,
            {'base_model_name_or_path': 'nobody'},
            "belongs to the model 'nobody'",
        ),
        (CONFIG, {'base_model_name_or_path': None}, 'does not say which model'),
        (CONFIG, {'peft_type': 'IA3'}, 'only LORA can be used'),
        (CARD, {'base': {'sha256': '0' * 64}}, f'have the SHA-256 {"0" * 64}, those here have'),
    ],
)
def test_an_adapter_that_cannot_be_used_is_refused(
    adapter: Path, file: str, values: dict[str, Any], message: str
) -> None:
    change(adapter / file, **values)
    with pytest.raises(ModelError) as caught:
        local_folder(str(adapter), silent)
    assert message in str(caught.value)
    assert in_cache() == []


def test_a_base_on_a_hub_is_downloaded(
    adapter: Path, tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    change(adapter / CONFIG, base_model_name_or_path='owner/tiny')
    asked: list[str] = []
    monkeypatch.setattr(  # no hub can be reached from here
        'huggingface_hub.snapshot_download', lambda name, **_: asked.append(name) or tiny_model
    )
    check_options(ModelOptions(str(adapter)))
    assert needs_hub(str(adapter)) and asked == []
    assert local_folder(str(adapter), silent).name in in_cache()
    assert set(asked) == {'owner/tiny'}


def test_missing_matrices_are_named_before_anything_is_loaded(adapter: Path) -> None:
    (adapter / WEIGHTS).unlink()
    with pytest.raises(ModelError, match=f'cannot read .*{WEIGHTS}'):
        check_options(ModelOptions(str(adapter)))


def test_an_adapter_of_another_network_leaves_nothing_behind(adapter: Path) -> None:
    torch_file = pytest.importorskip('safetensors.torch')
    wrong = {
        name: torch.zeros(tensor.shape[0] + 1, tensor.shape[1] + 1)
        for name, tensor in torch_file.load_file(adapter / WEIGHTS).items()
    }
    torch_file.save_file(wrong, adapter / WEIGHTS)
    with pytest.raises(ModelError, match='cannot be merged with'):
        local_folder(str(adapter), silent)
    assert in_cache() == []
