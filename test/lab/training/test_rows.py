# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Training on a cluster: Ray on this machine, one of whose workers is killed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reactree_ros.lab.cluster import Cluster
from reactree_ros.lab.dataset.dataset import Dataset, Header, write_dataset
from reactree_ros.lab.training.recipe import Recipe

from ..test_cluster import worker
from .test_train import View, log_of, weights_of

pytest.importorskip('torch')
pytest.importorskip('peft')

from reactree_ros.lab.training.train import train  # noqa: E402

pytestmark = pytest.mark.thorough


@pytest.fixture(scope='module')
def cluster() -> Iterator[Cluster]:
    pytest.importorskip('ray', reason='requirements/ray.txt is not installed')
    with Cluster('local', 2) as found:
        yield found


class Killing(View):
    """Kills a worker between two rows or in one, once."""

    killed = 0

    def stop(self) -> bool:
        if self.reports and not self.killed:
            self.killed = worker(b'ray::_Worker')
            os.kill(self.killed, signal.SIGKILL)
        return super().stop()


def test_the_adapter_is_the_same(
    cluster: Cluster,
    tiny_models: dict[str, Path],
    make_examples: Callable[..., list],  # type: ignore[type-arg]
    tmp_path: Path,
) -> None:
    data = tmp_path / 'data.jsonl.gz'
    write_dataset(data, Dataset(Header(), tuple(make_examples(40))))
    recipe = Recipe(
        model=str(tiny_models['gemma3']),
        data=str(data),
        rank=4,
        dropout=0.1,
        learning_rate=0.01,
        row_tokens=900,
        step_rows=3,
        held_out=0.1,
        held_out_steps=2,
        dtype='float32',
        device='cpu',
        threads=1,
    )
    serial, spread, stopped = (tmp_path / name for name in ('serial', 'spread', 'stopped'))
    assert train(recipe, serial, View())
    view = Killing()
    assert train(recipe, spread, view, cluster)
    assert view.killed
    assert not train(recipe, stopped, View(stop_at=5), cluster)
    assert train(recipe, stopped, View())  # what was begun on a cluster ends here
    for out in (spread, stopped):
        assert weights_of(out) == weights_of(serial)
        assert log_of(out) == log_of(serial)
