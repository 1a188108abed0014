# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""``reactree-lab bench-soak``: many goals in a row, some disturbed, and what they leak."""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import time
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from reactree_ros.cli.argument_types import number, whole_number
from reactree_ros.cli.domain import private_domain
from reactree_ros.cli.interrupts import CANCELED, Interrupts
from reactree_ros.cli.process_group import ProcessGroup
from reactree_ros.cli.processes import processes_of
from reactree_ros.cli.send import NOT_REACHABLE, SUCCEEDED
from reactree_ros.cli.up import READY_SEC
from reactree_ros.errors import ConfigurationError, GoalError
from reactree_ros.lab.bench import soak
from reactree_ros.lab.console import machine
from reactree_ros.models.local.embedded import DEFAULT_MODEL
from reactree_ros.ros.conversions import goal_to_msg
from reactree_ros.ros.goals.client import PlannerClient
from reactree_ros.sim.household import shipped_tasks

LEAKS = 1
CACHE_MIB = 256
"""Size of the prompt cache, so that it is full before the warm-up ends."""
_LEAST = soak.WARM_UP + soak.SPAN + 1
_CANCEL_SEC = 60.0
_GOAL_SEC = 60.0
_SETTLE_SEC = 0.5
_MODEL_AGAIN_SEC = 240.0
"""A model is started again three times within ten minutes, so it is killed less often."""
_SHARES = {'cancel': 0.30, 'freeze': 0.08, 'kill bridge': 0.03, 'kill model': 0.03}


def add_parser(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        'bench-soak',
        help='measure what many goals in a row leak',
        description='Starts planner, model and household as processes, sends one goal after '
        'another, disturbs some of them (cancels; a bridge that freezes or is killed; a model '
        'that is killed), and measures memory, threads, files, processes and DDS entities.',
        epilog='Exit code: 0 no leak, 1 a leak, or the planner has died, 2 the planner is not '
        'reachable, 130 interrupted.',
    )
    parser.add_argument('--goals', type=number(int, 1_000_000, _LEAST), default=300,
                        help=f'how many, at least {_LEAST} (default: 300)')  # fmt: skip
    parser.add_argument('--decisions', type=whole_number, default=0, metavar='N',
                        help='most decisions of a goal (default: the planner\'s)')  # fmt: skip
    parser.add_argument('--seed', type=int, default=0, help='of the disturbances (default: 0)')
    parser.add_argument('--model', default='', help=f'language model (default: {DEFAULT_MODEL})')
    parser.add_argument('--out', type=Path, default=Path('results/soak'), metavar='FOLDER',
                        help='for soak.jsonl (default: %(default)s)')  # fmt: skip
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Measure, print the result, and return the exit code."""
    try:
        options.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f'--out {options.out}: {error.strerror}') from error
    with private_domain(), Interrupts() as interrupts:
        try:
            with _Soak(options, interrupts) as one:
                samples = one.run()
                died = one.died
        except ConnectionError as error:
            print(f'reactree-lab bench-soak: {error}', file=sys.stderr)
            return NOT_REACHABLE
    if interrupts:
        return CANCELED
    if died:
        print(f'reactree-lab bench-soak: after {len(samples)} goals {died}', file=sys.stderr)
        return LEAKS
    return _report(options, samples)


class _Soak:
    """The processes, and what is done to them."""

    def __init__(self, options: argparse.Namespace, interrupts: Interrupts) -> None:
        self._options = options
        self._interrupts = interrupts
        self._draw = random.Random(options.seed)
        self.died = ''
        params = options.out / 'params.yaml'
        values = f'{{ros__parameters: {{model.cache_mib: {CACHE_MIB}}}}}'
        params.write_text(f'/**/reactree_planner: {values}\n', encoding='utf-8')
        self._given = {
            'model': options.model,
            'scene': 'apartment_1',
            'memory': 'none',
            'runs': 'none',
            'params_file': str(params),
        }
        self._bridge = self._group('household_bridge')
        self._planner = self._group('reactree_planner')
        self._client = PlannerClient()
        self._model_killed_at = time.monotonic()

    def _group(self, name: str) -> ProcessGroup:
        processes = tuple(one for one in processes_of() if one.name == name)
        return ProcessGroup(self._given, lambda name, line: None, processes)

    def __enter__(self) -> _Soak:
        self._bridge.__enter__()
        self._planner.__enter__()
        self._client.__enter__()
        if not self._wait():
            why = self._planner.died() or 'interrupted, or the planner is not ready'
            self.__exit__()
            raise ConnectionError(why)
        return self

    def __exit__(self, *_: object) -> None:
        self._client.__exit__()
        self._planner.stop()
        self._bridge.stop()

    def _wait(self) -> bool:
        return self._client.wait_for_planner(
            READY_SEC, lambda: not self._interrupts and not self._planner.died(), bridge=True
        )

    def run(self) -> list[soak.Sample]:
        """Send all goals and return the resources in use after each."""
        texts = [task.instruction for task in shipped_tasks()]
        samples: list[soak.Sample] = []
        with (self._options.out / 'soak.jsonl').open('w', encoding='utf-8') as file:
            for number in range(1, self._options.goals + 1):
                if self._interrupts:
                    break
                sample = self._goal(number, texts[number % len(texts)])
                if sample is None:
                    break
                samples.append(sample)
                print(json.dumps(asdict(sample)), file=file, flush=True)
                print(
                    f'{number:4d} {sample.seconds:6.1f} s {sample.status:10} {sample.fault:12} '
                    f'{sample.usage.planner_mib:6.0f} MiB {sample.usage.model_mib:6.0f} MiB '
                    f'{sample.usage.threads:3d} threads {sample.usage.files:3d} files',
                    flush=True,
                )
        return samples

    def _goal(self, number: int, text: str) -> soak.Sample | None:
        """Send a goal and return what is in use after it; None if the planner has died."""
        fault, start = self._fault(), time.monotonic()
        at = start + self._draw.uniform(0.2, 5.0)
        done: list[str] = []

        def disturbed() -> bool:
            if fault and not done and time.monotonic() >= at:
                done.append(fault)
                self._disturb(fault)
            return bool(self._interrupts) or 'cancel' in done

        try:
            goal = goal_to_msg(
                text, max_decisions=self._options.decisions, max_duration_sec=_GOAL_SEC
            )
            result = self._client.run_goal(goal, lambda event, tree: None, disturbed, _CANCEL_SEC)
            status = result.status
        except GoalError as error:
            status = f'lost: {error}'
        seconds = time.monotonic() - start
        if 'kill bridge' in done:
            self._bridge.stop()
            self._bridge = self._group('household_bridge')
            self._bridge.__enter__()
            self._client.wait_for_bridge_end(5.0)
            self._wait()
        time.sleep(_SETTLE_SEC)
        self.died = self._planner.died()
        if self.died:
            return None
        (pid,) = self._planner.pids
        usage = soak.usage_of(pid, self._client.node, 'reactree_planner')
        return soak.Sample(number, text, ''.join(done), status, seconds, usage)

    def _fault(self) -> str:
        """Draw what is done to a goal; empty for nothing."""
        rest = 1.0 - sum(_SHARES.values())
        (fault,) = self._draw.choices([*_SHARES, ''], [*_SHARES.values(), rest])
        if fault == 'kill model':
            now = time.monotonic()
            if now - self._model_killed_at < _MODEL_AGAIN_SEC:
                return ''
            self._model_killed_at = now
        return fault

    def _disturb(self, fault: str) -> None:
        pids = self._bridge.pids
        if fault == 'freeze':
            _signal(pids, signal.SIGSTOP)
            time.sleep(self._draw.uniform(0.5, 3.0))
            _signal(pids, signal.SIGCONT)
        elif fault == 'kill bridge':
            _signal(pids, signal.SIGKILL)
        elif fault == 'kill model':
            _signal([child for pid in self._planner.pids for child in soak.children_of(pid)],
                    signal.SIGKILL)  # fmt: skip


def _signal(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        os.kill(pid, number)


def _report(options: argparse.Namespace, samples: list[soak.Sample]) -> int:
    ends = Counter(sample.status.partition(':')[0] for sample in samples)
    faults = Counter(sample.fault for sample in samples if sample.fault)
    print(f'{machine()}; {options.model or DEFAULT_MODEL}, {len(samples)} goals')
    print('ended: ' + ', '.join(f'{count} {name}' for name, count in ends.most_common()))
    print('disturbed: ' + ', '.join(f'{count} {name}' for name, count in faults.most_common()))
    for name, first, last in soak.compare(samples):
        print(f'{name:12} {first:8.1f} after goal {soak.WARM_UP}, {last:8.1f} at the end')
    leaks = soak.leaks_of(samples) + ['goals were lost'] * bool(ends['lost'])
    for leak in leaks:
        print(f'leak: {leak}')
    return LEAKS if leaks else SUCCEEDED
