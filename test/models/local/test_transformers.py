# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The transformers back end: caching, reading ahead and few scores change no decision."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from reactree_ros.core.decision import (
    Choices,
    ConditionLanguage,
    ControlFlow,
    parse_decision,
)
from reactree_ros.core.prompt import Prompt, Step
from reactree_ros.errors import ModelError
from reactree_ros.models.backend import Interrupted, Watch
from reactree_ros.models.local.embedded import DEFAULT_MODEL
from reactree_ros.models.options import ModelOptions

from ...thorough import thorough

torch = pytest.importorskip('torch')
llguidance = pytest.importorskip('llguidance')

from reactree_ros.models.local import constraint, decoder, transformers_model  # noqa: E402
from reactree_ros.models.local.transformers_model import (  # noqa: E402
    TransformersModel,
    choose_chat,
    choose_dtype,
)

WORDS = 'the robot goes to a fridge and opens it then sees apple pear plum on shelf'.split()
LIMIT = 60.0
WALK = 'start: /((go n |go s )){20}/'
TEMPLATE = (
    '{% for message in messages %}[{{ message.role }}] {{ message.content }}[end]\n{% endfor %}'
    '{% if add_generation_prompt %}[assistant] {% endif %}'
)


def load(folder: Path, **options: Any) -> TransformersModel:
    values = {'dtype': 'float32', 'threads': 1, **options}
    return TransformersModel(folder, ModelOptions('tiny', **values))


@pytest.fixture(scope='module')
def model(tiny_model: Path) -> TransformersModel:
    return load(tiny_model)


@pytest.mark.parametrize(('given', 'threads'), [(0, 3), (2, 2)])
def test_it_computes_with_the_threads_it_is_given_or_leaves_a_core_free(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch, given: int, threads: int
) -> None:
    monkeypatch.setattr(transformers_model, 'default_threads', lambda: 3)
    before = torch.get_num_threads()
    try:
        load(tiny_model, threads=given)
        assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)


def sentence(generator: random.Random, words: int) -> str:
    return ' '.join(generator.choices(WORDS, k=words))


def prompts(generator: random.Random, count: int) -> list[tuple[Prompt, Choices]]:
    """Return the requests of three nodes that decide in turn, all with the same system prompt."""
    nodes = [
        Prompt(
            'You steer a robot.',
            (sentence(generator, 30),),
            f'Goal: {n} {sentence(generator, 5)}\n',
        )
        for n in range(3)
    ]
    asked = []
    for _ in range(count):
        which = generator.randrange(len(nodes))
        node = nodes[which]
        skills = tuple({f'go to {sentence(generator, 2)}' for _ in range(generator.randint(0, 9))})
        choices = Choices(
            skills=skills,
            think=generator.random() < 0.5,
            control_flows=tuple(ControlFlow) if generator.random() < 0.5 else (),
            max_thought_chars=20,
            max_subgoals=2,
            max_subgoal_chars=12,
        )
        asked.append((node, choices))
        steps = (Step(f'Act: {sentence(generator, 3)}', True), Step(sentence(generator, 9), False))
        nodes[which] = replace(node, steps=(*node.steps, *steps))
    return asked


def written_plainly(model: TransformersModel, prompt: Prompt, choices: Choices) -> str:
    """Return the greedy answer, computed token by token from the whole text each time."""
    network: Any = model._decoder._body
    head: Any = model._decoder._head
    matcher = model._vocabulary.constrain(choices)._matcher
    text = list(model._layout(prompt).tokens)
    begin = len(text)
    while not matcher.is_stopped():
        with torch.inference_mode():
            state = network(input_ids=torch.tensor([text])).last_hidden_state[0, -1]
            scores = head(state)
        mask = matcher.compute_logit_bias()
        allowed = [token for token in range(len(scores)) if mask[token]]
        best = max(allowed, key=lambda token: float(scores[token]))
        assert matcher.consume_token(best)
        text.append(best)
    return model._vocabulary.text(text[begin:]).strip()


def test_a_margin_keeps_a_model_from_saying_that_no_conditions_fit(tiny_model: Path) -> None:
    language = ConditionLanguage('CONDITION_LINE: "none" | "lamp on"', '')
    asked = [prompt for prompt, _ in prompts(random.Random(1), 20)]

    def answers(margin: float) -> list[str]:
        model = load(tiny_model, none_margin=margin)
        choices = Choices(conditions=language)
        return [model.decide(prompt, choices, Watch(LIMIT)).text for prompt in asked]

    free, some, never = answers(0.0), answers(0.3), answers(100.0)
    assert 'Conditions: none' in free
    assert set(never) == {'Conditions: lamp on'}
    counts = [texts.count('Conditions: none') for texts in (free, some, never)]
    assert counts == sorted(counts, reverse=True)


@pytest.mark.parametrize('share', [True, False])
@pytest.mark.parametrize('budget', [0, 1024])
def test_decisions_are_those_of_plain_greedy_decoding(
    tiny_model: Path, budget: int, share: bool
) -> None:
    # A single experience is read in a row whether it is shared or not.
    model = load(tiny_model, cache_mib=budget, share_examples=share)
    generator = random.Random(budget)
    for prompt, choices in prompts(generator, thorough(40, 12)):
        answer = model.decide(prompt, choices, Watch(LIMIT))
        parse_decision(answer.text, choices)
        assert answer.text == written_plainly(model, prompt, choices)


@pytest.mark.parametrize(('known', 'most'), [(8, 16), (decoder.KNOWN, 3), (decoder.KNOWN, 16)])
def test_wrong_drafts_are_replaced(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch, known: int, most: int
) -> None:
    """However few tokens they are chosen from, and where a line ended with them, too."""
    monkeypatch.setattr(decoder, 'KNOWN', known)
    monkeypatch.setattr(decoder, 'DRAFTS', most)
    undone: list[int] = []
    at_end: list[bool] = []
    undo = constraint.Constraint.undo

    def noted(self: constraint.Constraint, count: int) -> None:
        undone.append(count)
        at_end.append(self.finished)
        undo(self, count)

    monkeypatch.setattr(constraint.Constraint, 'undo', noted)
    model = load(tiny_model)
    for prompt, choices in prompts(random.Random(7), 20):
        answer = model.decide(prompt, choices, Watch(LIMIT))
        assert answer.text == written_plainly(model, prompt, choices)
    assert max(undone) > 1
    assert any(at_end)


def test_each_experience_is_read_by_itself_behind_the_system_prompt(tiny_model: Path) -> None:
    model = load(tiny_model)
    examples = ('go to the fridge\nopen it', 'a pear', 'take the plum from the shelf')
    layout = model._layout(Prompt('Steer.', examples, 'Goal: sing\nYou see nothing.\n'))
    held, _ = model._decoder._begin(layout, Watch(LIMIT))
    assert held.tokens == layout.tokens[: layout.cuts[-1]]
    body: Any = model._decoder._body
    prefix = len(layout.prefix)
    for begin, experience in zip(layout.cuts, layout.experiences, strict=False):
        # Only distances count, so the system prompt is moved to stand right before it.
        tokens = torch.tensor([[*layout.prefix, *experience]])
        places = torch.arange(tokens.shape[1])[None] + begin - prefix
        with torch.inference_mode():
            alone = body(input_ids=tokens, position_ids=places).past_key_values
        for ours, theirs in zip(held.cache.layers, alone.layers, strict=True):
            end = begin + len(experience)
            for mine, its in ((ours.keys, theirs.keys), (ours.values, theirs.values)):
                torch.testing.assert_close(
                    mine[:, :, begin:end], its[:, :, prefix:], rtol=1e-3, atol=1e-3
                )


def test_a_new_node_reads_no_experience_that_was_read_before(tiny_model: Path) -> None:
    model = load(tiny_model)
    choices = Choices(('go to kitchen 1',), think=False, control_flows=())
    far, near, other = ('long ago ' * 20, 'lately ' * 20, 'elsewhere ' * 20)
    model.decide(Prompt('Steer.', (far, near), 'Goal: sing\n'), choices, Watch(LIMIT))
    for examples in ((near, far), (far,)):
        prompt = Prompt('Steer.', examples, 'Goal: dance\n')
        assert model.new_tokens(prompt) < 50
        answer = model.decide(prompt, choices, Watch(LIMIT))
        assert answer.tokens_in - answer.tokens_reused < 50
    assert model.new_tokens(Prompt('Steer.', (other, near), 'Goal: sing\n')) > len(other)
    assert model.new_tokens(Prompt('Drive.', (near,), 'Goal: sing\n')) > len(near)
    model.forget(experiences=True)
    assert model.new_tokens(Prompt('Steer.', (near,), 'Goal: dance\n')) > len(near)


def test_experiences_keep_to_their_budget(tiny_model: Path) -> None:
    model = load(tiny_model, cache_mib=1)
    choices = Choices(('go to kitchen 1',), think=False, control_flows=())
    for number in range(12):
        prompt = Prompt('Steer.', (f'{number} ' * 300,), 'Goal: sing\n')
        model.decide(prompt, choices, Watch(LIMIT))
    assert model.experiences is not None
    assert 0 < model.experiences.size <= 1 << 19
    assert model.prompts.size <= 1 << 19


def test_reading_ahead_saves_passes_and_changes_nothing(model: TransformersModel) -> None:
    layout = model._layout(Prompt('', (), 'Goal: walk\n' + 'go n ' * 20 + 'go s ' * 20))
    written = []
    for guess in (0, decoder.GUESS):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(constraint, 'decision_grammar', lambda choices: WALK)
            walk = model._vocabulary.constrain(Choices())
            patch.setattr(decoder, 'GUESS', guess)
            written.append(model._decoder.write(layout, walk, Watch(LIMIT)))
    alone, ahead = written
    assert ahead.tokens == alone.tokens
    assert ahead.passes < alone.passes


def test_a_nodes_next_decision_reads_only_what_is_new(model: TransformersModel) -> None:
    prompt = Prompt('Steer.', ('An example.',), 'Goal: sing\nYou see nothing.\n')
    choices = Choices(('go to kitchen 1', 'go to bedroom 1'), think=False, control_flows=())
    first = model.decide(prompt, choices, Watch(LIMIT))
    step = 'You are in the kitchen.'
    prompt = replace(prompt, steps=(Step(first.text, True), Step(step, False)))
    assert model.new_tokens(prompt) <= len(f'{first.text}\n{step}\n') + 1
    second = model.decide(prompt, choices, Watch(LIMIT))
    assert second.tokens_in - second.tokens_reused <= len(f'{first.text}\n{step}\n') + 1
    assert second.tokens_in == first.tokens_in + len(f'{first.text}\n{step}\n')


def test_nodes_that_decide_in_turn_keep_their_caches(tiny_model: Path) -> None:
    model = load(tiny_model)
    choices = Choices(('go to kitchen 1',), think=False, control_flows=())
    shared = ('An example that both of them have been given. ' * 4,)
    nodes = [Prompt('Steer.', shared, f'Goal: {"sing" * n}\n' + 'Song. ' * 40) for n in (1, 2)]
    first, second = (model.decide(node, choices, Watch(LIMIT)) for node in nodes)
    assert first.tokens_reused == 0
    assert second.tokens_reused > len(shared[0])
    for node in nodes:
        again = replace(node, steps=(Step('You sing.', False),))
        answer = model.decide(again, choices, Watch(LIMIT))
        assert answer.tokens_in - answer.tokens_reused <= len('You sing.\n') + 2


def test_an_interrupted_decision_is_taken_up_where_it_was(tiny_model: Path) -> None:
    model = load(tiny_model)
    prompt = Prompt('', (), 'Goal: sing\n' + 'la ' * 400)
    checks = 0

    def canceled() -> bool:
        nonlocal checks
        checks += 1
        return checks > 3

    with pytest.raises(Interrupted):
        model.decide(prompt, Choices(), Watch(LIMIT, canceled))
    answer = model.decide(prompt, Choices(think=False, control_flows=()), Watch(LIMIT))
    assert answer.tokens_reused >= 2 * decoder.PREFILL_CHUNK
    with pytest.raises(Interrupted):
        model.decide(prompt, Choices(), Watch(0.0))


def test_a_fault_forgets_the_cache_that_it_may_have_spoilt(
    tiny_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load(tiny_model)
    prompt = Prompt('', (), 'Goal: sing\n')
    monkeypatch.setattr(model._decoder, '_take_best', lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model.decide(prompt, Choices(), Watch(LIMIT))
    assert model.prompts.size == 0


def test_a_prompt_beyond_the_context_loses_experiences_then_steps_never_the_goal(
    tiny_model: Path,
) -> None:
    model = load(tiny_model, context_tokens=1200)
    choices = Choices(('go to kitchen 1',), think=False, control_flows=())
    prompt = Prompt('Steer.', ('x ' * 150, 'y ' * 150), 'Goal: sing\nYou see nothing.\n')
    assert model.decide(prompt, choices, Watch(LIMIT)).dropped == 0
    steps = tuple(Step(f'{n:03} la la la la la la', False) for n in range(12))
    answer = model.decide(replace(prompt, steps=steps), choices, Watch(LIMIT))
    assert answer.dropped == 1
    assert answer.tokens_in <= 1200
    answer = model.decide(replace(prompt, steps=steps * 4), choices, Watch(LIMIT))
    assert answer.dropped > 2
    with pytest.raises(ModelError, match='need .* tokens, the context holds'):
        model.decide(replace(prompt, task=f'Goal: sing\n{"la " * 600}\n'), choices, Watch(LIMIT))


@pytest.mark.parametrize(
    ('options', 'message'),
    [
        ({'chat_template': 'always'}, 'has no chat template'),
        ({'context_tokens': 100_000}, 'the model supports 8192'),
        ({'context_tokens': 10}, 'at least'),
        ({'device': 'nowhere'}, 'cannot load'),
    ],
)
def test_options_that_the_model_cannot_honour_are_refused(
    tiny_model: Path, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ModelError, match=message):
        load(tiny_model, **options)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match='nothing_here'):
        TransformersModel(tmp_path / 'nothing_here', ModelOptions('x'))


def test_weights_that_may_hold_code_are_not_read(tiny_model: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file

    shutil.copytree(tiny_model, tmp_path, dirs_exist_ok=True)
    weights = tmp_path / 'model.safetensors'
    torch.save(load_file(weights), tmp_path / 'pytorch_model.bin')
    weights.unlink()
    with pytest.raises(ModelError, match=r'cannot load .*safetensors'):
        load(tmp_path)


def test_code_that_comes_with_a_model_is_not_run(tiny_model: Path, tmp_path: Path) -> None:
    shutil.copytree(tiny_model, tmp_path / 'model')
    folder, trap = tmp_path / 'model', tmp_path / 'was run'
    (folder / 'code.py').write_text(f'open({str(trap)!r}, "w")\n')
    config = json.loads((folder / 'config.json').read_text())
    config |= {
        'model_type': 'foreign',
        'auto_map': {'AutoConfig': 'code.Config', 'AutoModelForCausalLM': 'code.Model'},
    }
    (folder / 'config.json').write_text(json.dumps(config))
    with pytest.raises(ModelError, match='cannot load'):
        load(folder)
    assert not trap.exists()


def test_the_chat_template_lays_out_turns(tiny_model: Path) -> None:
    chatting = load(tiny_model)
    chatting._tokenizer.chat_template = TEMPLATE
    chatting._chat = choose_chat('auto', chatting._tokenizer, 'tiny')
    prompt = Prompt('Steer.', (), 'Goal: sing\n', (Step('Act: sing', True), Step('La.', False)))
    assert chatting._tokenizer.decode(chatting._layout(prompt).tokens) == (
        '[system] Steer.[end]\n[user] Goal: sing\nAct: sing\nLa.[end]\n[assistant] '
    )
    choices = Choices(('go to kitchen 1',), think=False, control_flows=())
    parse_decision(chatting.decide(prompt, choices, Watch(LIMIT)).text, choices)


@pytest.mark.parametrize(
    ('wish', 'template', 'model', 'chats'),
    [
        ('auto', TEMPLATE, 'an/instruct-model', True),
        ('auto', None, 'a/base-model', False),
        ('auto', TEMPLATE, DEFAULT_MODEL, False),
        ('always', TEMPLATE, DEFAULT_MODEL, True),
        ('never', TEMPLATE, 'an/instruct-model', False),
    ],
)
def test_the_chat_template_is_for_models_that_follow_it(
    wish: str, template: str | None, model: str, chats: bool
) -> None:
    assert choose_chat(wish, SimpleNamespace(chat_template=template), model) is chats


@pytest.mark.parametrize('name', ['bfloat16', 'float32', 'float16'])
def test_a_number_format_that_is_given_is_taken(name: str) -> None:
    assert choose_dtype(name, 'cpu') is getattr(torch, name)


def test_the_number_format_is_chosen_by_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, 'get_capabilities', lambda: {'avx2': True})
    assert choose_dtype('auto', 'cpu') is torch.float32
    monkeypatch.setattr(torch.cpu, 'get_capabilities', lambda: {'avx512_bf16': True})
    assert choose_dtype('auto', 'cpu') is torch.bfloat16
