# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark of stores: what it stores, what it calls exact, and what it keeps."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from reactree_ros.commands.main import run
from reactree_ros.evaluation.memory_contenders import CONTENDERS, OurStore
from reactree_ros.evaluation.memory_costs import (
    NEAREST,
    RUN,
    Case,
    Encoded,
    Filled,
    Searched,
    Speed,
)
from reactree_ros.evaluation.memory_report import MemoryResults, to_markdown, too_slow
from reactree_ros.evaluation.memory_speed import encode, fill, inexact, search
from reactree_ros.evaluation.memory_workload import CHUNK, Workload

SIZE = 300


def speed_of(case: Case, seconds: float = 0.001, wrong: int = 0) -> Speed:
    return Speed(
        case,
        Filled(1_000.0, 0.002, 4 << 20),
        Searched(0.5, 3 << 20, (seconds,) * 20, (2 * seconds,) * 20, wrong),
        Encoded((0.02,) * 20, (0.01,) * 20),
    )


def test_experiences_are_drawn_with_the_seed_and_lie_in_clusters() -> None:
    work = Workload(CHUNK + 5)
    vectors = np.concatenate(list(work.vectors()))

    assert vectors.shape == (CHUNK + 5, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.array_equal(vectors, np.concatenate(list(Workload(CHUNK + 5).vectors())))
    assert np.array_equal(work.vector(CHUNK + 4), vectors[-1])
    assert not np.array_equal(Workload(1, seed=1).vector(0), work.vector(0))
    nearest = (vectors @ work.queries(10).T).max(axis=0)
    assert nearest.min() > 0.6
    assert 0.25 < float((vectors[:500] @ vectors[-500:].T).mean()) < 0.45
    variances = np.linalg.eigvalsh(np.cov(vectors.T))[::-1]
    assert 0.7 < variances[:32].sum() / variances.sum() < 0.85
    made = work.experiences(0, SIZE, vectors[:SIZE])
    assert [work.index(one.experience.goal) for one in made] == list(range(SIZE))
    assert 1_000 < np.mean([len(one.experience.text) for one in made]) < 1_600


@pytest.mark.parametrize('name', CONTENDERS)
def test_every_contender_finds_the_exact_answer(name: str, tmp_path: Path) -> None:
    """Most experiences are stored many at a time and the last tenth run by run."""
    kind = CONTENDERS[name]
    if kind.missing():
        pytest.skip(f'{", ".join(kind.missing())} is not installed')
    case = Case(name, SIZE, searches=20)
    said: list[str] = []

    filled = fill(case, kind(tmp_path, case.workload), said.append)
    searched = search(case, kind(tmp_path, case.workload), said.append)

    assert searched.inexact == 0
    assert len(searched.seconds) == 20
    assert len(searched.weighed_seconds) == (20 if name == 'ours' else 0)
    assert filled.file_bytes >= SIZE * 384 * 4
    assert (filled.run_seconds > 0) == kind.durable


@pytest.mark.model
def test_goals_in_words_are_embedded_and_looked_for(tmp_path: Path) -> None:
    case = Case('ours', SIZE, searches=20, encode=True)
    fill(case, OurStore(tmp_path, case.workload), lambda line: None)

    encoded = encode(case, OurStore(tmp_path, case.workload))

    assert len(encoded.seconds) == len(encoded.encoder_seconds) == 20
    pairs = zip(encoded.seconds, encoded.encoder_seconds, strict=True)
    assert all(both > alone > 0 for both, alone in pairs)


def test_an_answer_that_is_not_exact_is_counted() -> None:
    work = Workload(SIZE)
    queries = work.queries(5)
    cosines = np.concatenate(list(work.vectors())) @ queries.T
    exact = [order[:NEAREST].tolist() for order in np.argsort(-cosines, axis=0).T]
    assert inexact(work, queries, exact) == 0

    missed = np.argsort(-cosines[:, 0])[1 : NEAREST + 1].tolist()
    turned, short = exact[1][::-1], exact[2][:-1]
    twice = [*exact[3][:-1], exact[3][0]]
    assert inexact(work, queries, [missed, turned, short, twice, exact[4]]) == 4


def test_results_are_kept_for_the_machine_and_the_case(tmp_path: Path) -> None:
    case = Case('ours', 100_000, encode=True)
    results = MemoryResults(tmp_path, 'a machine')
    assert results.get(case) is None

    results.put(speed_of(case))

    assert results.get(case) == speed_of(case)
    assert results.get(replace(case, seed=1)) is None
    assert MemoryResults(tmp_path, 'another machine').get(case) is None


@pytest.mark.parametrize(
    ('contender', 'size', 'seconds', 'wrong', 'bad'),
    [
        ('ours', 100_000, 0.0049, 0, False),
        ('ours', 100_000, 0.0051, 0, True),
        ('ours', 1_000_000, 0.0399, 0, False),
        ('ours', 1_000_000, 0.0401, 0, True),
        ('ours', 1_000, 1.0, 0, False),
        ('ours', 1_000, 0.001, 1, True),
        ('numpy', 1_000_000, 1.0, 1, False),
    ],
)
def test_our_store_is_to_be_fast_and_exact(
    contender: str, size: int, seconds: float, wrong: int, bad: bool
) -> None:
    assert too_slow(speed_of(Case(contender, size), seconds, wrong)) is bad


def test_the_tables_have_a_row_for_each_case() -> None:
    speeds = [speed_of(Case('ours', 100_000)), speed_of(Case('numpy', 1_000), wrong=2)]
    lines = to_markdown(speeds).splitlines()

    assert f'run of {RUN} stored (ms)' in lines[0]
    assert lines[2].startswith('| 1,000 | numpy product, without texts | 1.00 | 1.00 | no: 2 of 20')
    assert lines[3].startswith('| 100,000 | reactree_ros')
    assert '| yes | 0.50 | 3 | 4 | 1,000 | 2.0 |' in lines[3]
    assert '| 100,000 | 1.00 | 5 | 2.00 | 20.00 | 10.00 |' in lines


def test_the_command_measures_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In processes of their own; a second start only shows what was measured."""
    command = ['bench-memory', '--sizes', '200', '--contenders', 'numpy,ours', '--searches', '20']
    command += ['--no-encoder', '--out', str(tmp_path)]

    assert run(command) == 0
    first = capsys.readouterr()
    assert '[1/2] ours, 200: done in' in first.err and '[2/2] numpy, 200: done in' in first.err
    assert {path.name for path in tmp_path.iterdir()} == {'lock', 'numpy-200.json', 'ours-200.json'}

    assert run(command) == 0
    second = capsys.readouterr()
    assert second.out == first.out
    assert second.err.count('measured before') == 2


def test_what_cannot_be_measured_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / 'numpy-200.json').write_text(json.dumps({'speed': {}}), encoding='utf-8')
    command = ['bench-memory', '--contenders', 'numpy', '--sizes', '200', '--out', str(tmp_path)]
    assert run(command) == 2
    assert 'numpy-200.json is no result of this benchmark' in capsys.readouterr().err
    assert run(['bench-memory', '--searches', '5', '--out', str(tmp_path)]) == 2
    assert '--searches: 5 is less than 20' in capsys.readouterr().err
    for wrong in (['--sizes', '1,x'], ['--sizes', '99'], ['--contenders', 'oracle']):
        with pytest.raises(SystemExit) as ended:
            run(['bench-memory', *wrong])
        assert ended.value.code == 2
