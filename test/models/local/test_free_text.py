# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Free text of the transformers back end: greedy and sampled, alone and together, where it ends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reactree_ros.core.decision import Choices
from reactree_ros.core.model import TextRequest
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ModelError
from reactree_ros.models.backend import Interrupted, Watch
from reactree_ros.models.options import ModelOptions

torch = pytest.importorskip('torch')
pytest.importorskip('llguidance')

from reactree_ros.models.local import attention, free_text  # noqa: E402
from reactree_ros.models.local.transformers_model import TransformersModel  # noqa: E402

LIMIT = 60.0
PROMPT = Prompt('You steer a robot.', ('go to the shelf\n' * 9,), 'Goal: sing\nYou see a piano.\n')
NEVER = ('\0\0',)
PLAN = TextRequest(PROMPT, NEVER, max_tokens=24)
SAMPLES = replace(PLAN, samples=5, temperature=0.8, top_p=0.95, seed=3)


@pytest.fixture(scope='module')
def model(tiny_model: Path) -> TransformersModel:
    return TransformersModel(tiny_model, ModelOptions('tiny', dtype='float32', threads=1))


def written(model: TransformersModel, request: TextRequest) -> list[str]:
    return [answer.text for answer in model.write(request, Watch(LIMIT))]


def tokens_of(model: TransformersModel, request: TextRequest) -> list[list[int]]:
    layout = model._layout(request.prompt)
    texts = free_text.write_text(model._decoder, model._vocabulary, layout, request, Watch(LIMIT))
    return [draft.tokens for draft in texts.drafts]


def scores_after(model: TransformersModel, tokens: list[int]) -> Any:
    """Return the scores of all next tokens, computed from the whole text."""
    with torch.inference_mode():
        states = model._decoder._body(input_ids=torch.tensor([tokens])).last_hidden_state
        return model._decoder.scores(states[0, -1])


def test_greedy_text_is_the_likeliest_token_each_time(model: TransformersModel) -> None:
    text = list(model._layout(PROMPT).tokens)
    begin = len(text)
    for _ in range(PLAN.max_tokens):
        text.append(int(scores_after(model, text).argmax()))
        if model._vocabulary.ends(text[-1]):
            break
    assert tokens_of(model, PLAN) == [text[begin:]]


def test_samples_are_drawn_from_the_scores_that_each_text_has_alone(
    model: TransformersModel,
) -> None:
    generator = torch.Generator().manual_seed(SAMPLES.seed)
    chances = torch.rand((SAMPLES.samples, SAMPLES.max_tokens), generator=generator)
    prompt = model._layout(PROMPT).tokens
    drafts = tokens_of(model, SAMPLES)
    assert len({tuple(draft) for draft in drafts}) == SAMPLES.samples
    for draft, row in zip(drafts, chances, strict=True):
        for place, token in enumerate(draft):
            scores = scores_after(model, [*prompt, *draft[:place]])[None]
            assert free_text.sample(scores, row[place : place + 1], 0.8, 0.95) == [token]


def test_copies_of_the_prompt_and_a_shared_one_give_the_same_samples(
    model: TransformersModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert model._decoder.shares_branches
    shared = tokens_of(model, SAMPLES)
    monkeypatch.setattr(model._decoder, 'shares_branches', False)
    assert tokens_of(model, SAMPLES) == shared


def test_samples_are_those_of_smaller_batches_and_of_the_same_seed(
    model: TransformersModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = written(model, SAMPLES)
    assert written(model, replace(SAMPLES, seed=4)) != together
    monkeypatch.setattr(free_text, 'AT_ONCE', 2)
    assert written(model, SAMPLES) == together
    assert written(model, replace(SAMPLES, samples=2)) == together[:2]


def test_samples_leave_the_cache_of_the_prompt_as_it_was(model: TransformersModel) -> None:
    first = written(model, PLAN)
    written(model, SAMPLES)
    assert written(model, PLAN) == first
    assert model.decide(PROMPT, Choices(), Watch(LIMIT)).tokens_reused > 0


def test_a_text_ends_before_the_first_stop(model: TransformersModel) -> None:
    (whole,) = written(model, PLAN)
    assert len(whole) > 8
    early, late = whole[3:5], whole[6:8]
    first = min(whole.find(early), whole.find(late))
    assert written(model, replace(PLAN, stop=(late, early))) == [whole[:first]]
    assert written(model, replace(PLAN, stop=(whole[0],))) == ['']
    for cut, sample in zip(
        written(model, replace(SAMPLES, stop=('a', 'e'))), written(model, SAMPLES), strict=True
    ):
        ends = [end for end in map(sample.find, 'ae') if end >= 0]
        assert cut == sample[: min(ends, default=None)]


def test_without_temperature_all_samples_are_the_same_and_counted_once(
    model: TransformersModel,
) -> None:
    answers = model.write(replace(PLAN, samples=3, seed=9), Watch(LIMIT))
    assert len({answer.text for answer in answers}) == 1
    assert [answer.tokens_in > 0 for answer in answers] == [True, False, False]
    assert [answer.decode_seconds > 0 for answer in answers] == [True, False, False]
    assert all(answer.tokens_out for answer in answers)


def test_samples_are_given_up_between_tokens(model: TransformersModel) -> None:
    looks = iter(range(100))
    with pytest.raises(Interrupted):
        model.write(SAMPLES, Watch(LIMIT, lambda: next(looks) > 6))
    assert len(written(model, SAMPLES)) == SAMPLES.samples


def test_a_text_has_room_in_the_context(tiny_model: Path) -> None:
    options = ModelOptions('tiny', dtype='float32', threads=1, context_tokens=1024)
    model = TransformersModel(tiny_model, options)
    long = replace(PROMPT, examples=tuple(f'{n} go to the shelf\n' * 9 for n in range(9)))
    (answer,) = model.write(replace(PLAN, prompt=long, max_tokens=300), Watch(LIMIT))
    assert answer.dropped > 0
    assert answer.tokens_in <= 724
    with pytest.raises(ModelError, match='the context holds -3976'):
        model.write(replace(PLAN, max_tokens=5000), Watch(LIMIT))


CASES = [
    # chance, top_p, token
    (0.0, 1.0, 2),
    (0.49, 1.0, 2),
    (0.51, 1.0, 0),
    (0.81, 1.0, 3),
    (0.999999, 1.0, 1),
    # Of two tokens with 0.8 together, the first has 0.625.
    (0.62, 0.7, 2),
    (0.63, 0.7, 0),
    (0.999999, 0.7, 0),
    (0.999999, 0.4, 2),
]


@pytest.mark.parametrize('likeliest', [1, 2, 4])
@pytest.mark.parametrize(('chance', 'top_p', 'token'), CASES)
def test_a_token_is_drawn_from_the_likeliest(
    chance: float, top_p: float, token: int, likeliest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(free_text, 'LIKELIEST', likeliest)
    scores = torch.tensor([[0.3, 0.05, 0.5, 0.15]]).log()
    assert free_text.sample(scores, torch.tensor([chance]), 1.0, top_p) == [token]


def test_a_higher_temperature_evens_the_chances_out() -> None:
    scores = torch.tensor([[2.0, 0.0]])
    sure = [free_text.sample(scores, torch.tensor([0.75]), t, 1.0) for t in (0.5, 1.0, 4.0)]
    assert sure == [[0], [0], [1]]


@pytest.mark.parametrize(('heads', 'groups', 'window'), [(1, 4, 0), (2, 2, 0), (2, 3, 6)])
def test_branches_attend_as_copies_do(heads: int, groups: int, window: int) -> None:
    torch.manual_seed(0)
    texts, trunk, own, width = 3, 11, 4, 8
    query = torch.randn(texts, heads * groups, 1, width)
    keys, values = (
        attention.Branched(
            torch.randn(1, heads, trunk, width), torch.randn(texts, heads, own, width)
        )
        for _ in range(2)
    )
    mask = None
    if window:
        mask = torch.arange(trunk + own)[None, None, None] >= trunk + own - window
    whole = [
        torch.cat((one.shared.expand(texts, -1, -1, -1), one.own), dim=2).repeat_interleave(
            groups, dim=1
        )
        for one in (keys, values)
    ]
    expected = torch.nn.functional.scaled_dot_product_attention(query, *whole, mask, scale=0.3)
    attended, _ = attention.attend(None, query, keys, values, mask, scaling=0.3)
    torch.testing.assert_close(attended, expected.transpose(1, 2))
