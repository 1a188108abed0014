# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How fast, how large and how exact a store of experiences is, beside other ways to keep them.

Each contender is filled by one process and searched by another, whose memory is its alone. Run
as ``python -m reactree_ros.evaluation.memory_speed`` this module is such a process.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from reactree_ros.evaluation.memory_contender import Batch, Contender
from reactree_ros.evaluation.memory_contenders import CONTENDERS, OurStore
from reactree_ros.evaluation.memory_costs import (
    CHECKED,
    NEAREST,
    RUN,
    Case,
    Encoded,
    Filled,
    Searched,
    Speed,
)
from reactree_ros.evaluation.memory_workload import Workload
from reactree_ros.evaluation.progress import duration
from reactree_ros.exceptions import ReactreeError, StoreError
from reactree_ros.models.interface import Vectors
from reactree_ros.world import shipped_tasks

_WARM_UP = 3
_TOLERANCE = 2e-5
# Of cosines: float32 sums differ in the last digits, and the store rounds to five.

Say = Callable[[str], None]


def measure(case: Case, folder: Path, say: Say) -> Speed:
    """Measure one case in processes of its own.

    Args:
        case: what is measured.
        folder: where the files go; emptied before and removed after.
        say: called with a line of progress.

    Raises:
        StoreError: if a process failed; the message has the end of what it printed.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        filled = _process('fill', case, folder, say)
        searched = _process('search', case, folder, say)
        encoded = _process('encode', case, folder, say) if case.encode else None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    parts = {'filled': filled, 'searched': searched, 'encoded': encoded}
    return Speed.from_dict({'case': asdict(case), **parts})


def _process(step: str, case: Case, folder: Path, say: Say) -> dict[str, Any]:
    command = [sys.executable, '-m', 'reactree_ros.evaluation.memory_speed']
    command += [step, json.dumps(asdict(case)), str(folder)]
    name = f'{case.contender}, {case.size:,}'
    result: dict[str, Any] | None = None
    errors = folder.with_name(folder.name + '.log')
    with errors.open('w+', encoding='utf-8') as log:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                message = json.loads(line)
                if 'progress' in message:
                    say(f'{name}: {message["progress"]}')
                else:
                    result = message['result']
        log.seek(0)
        printed = log.read()
    errors.unlink()
    if process.returncode or result is None:
        raise StoreError(f'{name}: {step} failed: {printed[-1000:].strip()}')
    return result


def fill(case: Case, contender: Contender, say: Say) -> Filled:
    """Store all experiences: most of them as an import does, the last tenth run by run.

    Args:
        case: what is measured.
        contender: the contender, not created yet.
        say: called with a line of progress.
    """
    single = min(case.size // 10, 50 * RUN) if contender.durable else 0
    bulk = case.size - single
    contender.create()
    begin = time.monotonic()
    seconds, said = 0.0, begin
    runs = []
    for batch in _batches(case.workload, bulk, contender.batch):
        start = time.perf_counter()
        contender.add(batch)
        taken = time.perf_counter() - start
        if batch.begin < bulk:
            seconds += taken
        else:
            runs.append(taken)
        now = time.monotonic()
        done = batch.begin + len(batch.experiences)
        if now > said + 10:
            left = (now - begin) / done * (case.size - done)
            say(f'{done:,} stored, {duration(left)} left')
            said = now
    start = time.perf_counter()
    contender.finish()
    seconds += time.perf_counter() - start
    size = sum(path.stat().st_size for path in contender.folder.rglob('*') if path.is_file())
    return Filled(bulk / seconds, statistics.median(runs) if runs else 0.0, size)


def _batches(workload: Workload, bulk: int, size: int) -> Iterator[Batch]:
    """Yield batches of a size up to ``bulk``, then runs, up to the end of the workload."""
    start = 0
    for vectors in workload.vectors():
        end = start + len(vectors)
        begin = start
        while begin < end:
            stop = min(begin + size, bulk, end) if begin < bulk else min(begin + RUN, end)
            part = vectors[begin - start : stop - start]
            yield Batch(begin, workload.experiences(begin, stop, part), part)
            begin = stop
        start = end


def search(case: Case, contender: Contender, say: Say) -> Searched:
    """Open a filled contender, search, and compare what it finds with the exact answer.

    Args:
        case: what is measured.
        contender: the contender, filled but not opened.
        say: called with a line of progress.
    """
    queries = case.workload.queries(_WARM_UP + case.searches)
    _drop_from_page_cache(contender.folder)
    before = _resident_bytes()
    start = time.perf_counter()
    contender.open()
    contender.search(queries[0], NEAREST)
    open_seconds = time.perf_counter() - start
    say(f'searching, the first after {open_seconds:.2f} s')
    seconds = _time(lambda number: contender.search(queries[number], NEAREST), len(queries))
    ours = contender if isinstance(contender, OurStore) else None
    weighed = (
        _time(lambda number: ours.search_weighed(queries[number], number), len(queries))
        if ours
        else ()
    )
    memory = _resident_bytes() - before
    checked = queries[:CHECKED]
    found = [contender.search(vector, NEAREST) for vector in checked]
    contender.close()
    say('comparing with the exact answers')
    return Searched(open_seconds, memory, seconds, weighed, inexact(case.workload, checked, found))


def encode(case: Case, contender: OurStore) -> Encoded:
    """Search for goals in words: those of the shipped tasks, embedded one at a time."""
    from reactree_ros.models.server import load_encoder

    encoder = load_encoder('')
    contender.open()
    goals = [task.instruction for task in shipped_tasks()]

    def embed(number: int) -> Vectors:
        vector: Vectors = encoder.encode(
            goals[number % len(goals)], normalize_embeddings=True, show_progress_bar=False
        )
        return vector

    seconds, encoder_seconds = [], []
    for number in range(_WARM_UP + case.searches):
        start = time.perf_counter()
        vector = embed(number)
        between = time.perf_counter()
        contender.search_weighed(vector, number)
        seconds.append(time.perf_counter() - start)
        encoder_seconds.append(between - start)
    contender.close()
    return Encoded(tuple(seconds[_WARM_UP:]), tuple(encoder_seconds[_WARM_UP:]))


def inexact(workload: Workload, queries: Vectors, found: Sequence[Sequence[int]]) -> int:
    """Return how many answers are not the nearest experiences, the nearest first.

    Experiences whose cosines differ by no more than float32 sums do may change places.

    Args:
        workload: what was searched.
        queries: what was looked for, (n, dimension).
        found: n answers of indices.
    """
    rows = [np.asarray(answer, dtype=np.int64) for answer in found]
    scores = [np.full(len(answer), -np.inf) for answer in found]
    best = np.full((min(NEAREST, workload.size), len(queries)), -np.inf)
    begin = 0
    for vectors in workload.vectors():
        cosines = vectors @ queries.T
        best = np.sort(np.concatenate([best, cosines]), axis=0)[-len(best) :]
        for number, answer in enumerate(rows):
            here = (answer >= begin) & (answer < begin + len(vectors))
            scores[number][here] = cosines[answer[here] - begin, number]
        begin += len(vectors)
    wrong = 0
    for number, answer in enumerate(rows):
        complete = len(set(answer.tolist())) == len(answer) == len(best)
        wrong += not (
            complete and np.allclose(scores[number], best[::-1, number], rtol=0, atol=_TOLERANCE)
        )
    return wrong


def _time(call: Callable[[int], object], count: int) -> tuple[float, ...]:
    """Time a call with each number below ``count``; the first few are not counted."""
    taken = []
    for number in range(count):
        start = time.perf_counter()
        call(number)
        taken.append(time.perf_counter() - start)
    return tuple(taken[_WARM_UP:])


def _drop_from_page_cache(folder: Path) -> None:
    for path in folder.rglob('*'):
        if path.is_file():
            with path.open('rb') as file:
                os.fsync(file.fileno())
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _resident_bytes() -> int:
    pages = int(Path('/proc/self/statm').read_text(encoding='ascii').split()[1])
    return pages * os.sysconf('SC_PAGE_SIZE')


def _main(step: str, case_json: str, folder: str) -> int:
    # Standard output is for messages; whatever a library prints goes to the log.
    messages = os.fdopen(os.dup(sys.stdout.fileno()), 'w', encoding='utf-8')
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())

    def send(**message: object) -> None:
        print(json.dumps(message), file=messages, flush=True)

    case = Case(**json.loads(case_json))
    contender = CONTENDERS[case.contender](Path(folder), case.workload)
    result: Filled | Searched | Encoded
    try:
        if step == 'fill':
            result = fill(case, contender, lambda line: send(progress=line))
        elif step == 'search':
            result = search(case, contender, lambda line: send(progress=line))
        elif isinstance(contender, OurStore):
            result = encode(case, contender)
        else:
            raise StoreError(f'{case.contender} is not measured with the encoder')
    except ReactreeError as error:
        print(error, file=sys.stderr)
        return 1
    send(result=asdict(result))
    return 0


if __name__ == '__main__':
    sys.exit(_main(*sys.argv[1:]))
