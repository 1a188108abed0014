# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Metrics of a model, as Prometheus reads them."""

from __future__ import annotations

import urllib.request
from collections.abc import Iterator

import pytest

from reactree_ros.core.decision import Choices
from reactree_ros.core.futures import Promise
from reactree_ros.core.model import Answer, DecisionRequest, TextRequest
from reactree_ros.core.prompt import Prompt
from reactree_ros.errors import ConfigurationError
from reactree_ros.models.metered import MeteredModel
from reactree_ros.models.openai.http import Unavailable
from reactree_ros.models.scripted import ScriptedModel

pytest.importorskip('prometheus_client', reason='requirements/metrics.txt is not installed')

PROMPT = Prompt('You steer a robot.', (), 'Goal: find the apple\n')


class Slow(ScriptedModel):
    """Answers when the test wants it."""

    notice = ''

    def __init__(self) -> None:
        super().__init__({})
        self.decision: Promise[Answer] = Promise()
        self.texts: Promise[tuple[Answer, ...]] = Promise()

    def decide(self, request: DecisionRequest) -> Promise[Answer]:
        self.decision = Promise()
        return self.decision

    def write(self, request: TextRequest) -> Promise[tuple[Answer, ...]]:
        return self.texts


@pytest.fixture
def model() -> Slow:
    return Slow()


@pytest.fixture
def metered(model: Slow) -> Iterator[MeteredModel]:
    metered = MeteredModel(model, 0, '127.0.0.1')
    yield metered
    metered.close()


def read(metered: MeteredModel) -> dict[str, float]:
    with urllib.request.urlopen(f'http://127.0.0.1:{metered.port}/metrics') as page:
        lines = page.read().decode().splitlines()
    pairs = (line.rsplit(' ', 1) for line in lines if not line.startswith('#'))
    return {name.removeprefix('reactree_model_'): float(value) for name, value in pairs}


def test_decisions_tokens_and_seconds_are_counted(model: Slow, metered: MeteredModel) -> None:
    asked = metered.decide(DecisionRequest(PROMPT, Choices()))
    assert asked.poll() is None
    assert read(metered)['requests'] == 1.0
    model.decision.complete(
        Answer('Act: done', tokens_in=90, tokens_reused=60, tokens_out=4, queued_seconds=0.3,
               model='big')
    )  # fmt: skip
    assert [asked.poll(), asked.poll()] == [model.decision.poll()] * 2
    found = read(metered)
    assert found['decisions_total{model="big"}'] == 1.0
    tokens = {name: found[f'tokens_{name}_total{{model="big"}}'] for name in ('read', 'cached')}
    assert tokens == {'read': 90.0, 'cached': 60.0}
    assert found['tokens_written_total{model="big"}'] == 4.0
    assert found['requests'] == 0.0
    assert found['seconds_count'] == 1.0
    assert found['queued_seconds_bucket{le="0.2"}'] == 0.0
    assert found['queued_seconds_bucket{le="0.5"}'] == 1.0


def test_texts_are_counted_once_for_all_samples(model: Slow, metered: MeteredModel) -> None:
    asked = metered.write(TextRequest(PROMPT, samples=2))
    model.texts.complete((Answer('a', tokens_out=7, model='big'), Answer('b', model='big')))
    asked.poll()
    found = read(metered)
    assert found['texts_total{model="big"}'] == 2.0
    assert found['tokens_written_total{model="big"}'] == 7.0


def test_failures_are_counted_by_kind_and_cancels_are_none(
    model: Slow, metered: MeteredModel
) -> None:
    asked = metered.decide(DecisionRequest(PROMPT, Choices()))
    model.decision.fail(Unavailable('gone'))
    for _ in range(2):
        with pytest.raises(Unavailable):
            asked.poll()
    metered.decide(DecisionRequest(PROMPT, Choices())).cancel()
    found = read(metered)
    assert found['failures_total{kind="unavailable"}'] == 1.0
    assert found['requests'] == 0.0
    assert found['seconds_count'] == 0.0


def test_what_hinders_is_told(model: Slow, metered: MeteredModel) -> None:
    assert read(metered)['hindered'] == 0.0
    model.notice = 'http://a: busy'
    assert (read(metered)['hindered'], metered.notice) == (1.0, 'http://a: busy')


def test_a_port_that_is_taken_is_told(metered: MeteredModel) -> None:
    with pytest.raises(ConfigurationError, match=rf'127.0.0.1:{metered.port}.*metrics.port'):
        MeteredModel(ScriptedModel({}), metered.port, '127.0.0.1')
