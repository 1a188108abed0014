# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Training on a cluster: Ray on this machine, one of whose workers is killed."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from reactree_ros.lab.cluster import Cluster
from reactree_ros.lab.training.recipe import Recipe

from ..test_cluster import worker
from .test_train import View, log_of, weights_of

pytest.importorskip('torch')
pytest.importorskip('peft')

from reactree_ros.lab.training.train import train  # noqa: E402

pytestmark = pytest.mark.thorough


class Killing(View):
    """Kills a worker between two rows or in one, once."""

    killed = 0

    def stop(self) -> bool:
        if self.reports and not self.killed:
            self.killed = worker(b'ray::_Worker')
            os.kill(self.killed, signal.SIGKILL)
        return super().stop()


def test_the_adapter_is_the_same(cluster: Cluster, recipe: Recipe, tmp_path: Path) -> None:
    recipe = replace(recipe, step_rows=3, held_out_steps=2)
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
