# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Robots that act and decide in turn, with model servers and one memory: a closed queueing network.

What is simplified: a server reads one prompt after the other at full speed, and that does not slow
down the answers that it writes meanwhile; the speed of an answer is set by how many are worked on
when it begins; networks take no time. A robot asks the first server of its own list that
answers, as ``models.openai.failover`` does.
"""

from __future__ import annotations

import math
import random
from collections import OrderedDict
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from reactree_ros.errors import ConfigurationError
from reactree_ros.lab.fleet.workload import Step, Workload

if TYPE_CHECKING:
    import simpy

_Z99 = 2.326


@dataclass(frozen=True)
class ServerRates:
    """How fast a model server is.

    Args:
        slots: answers that it works on at the same time.
        prefill: tokens of prompts that it reads a second, of all requests together.
        decode: tokens a second of one answer alone.
        decode_all: tokens a second of all answers, with all slots busy.
        kept: robots whose prompts stay in its cache; the others' are read from the end of what
            all prompts share.
    """

    slots: int
    prefill: float
    decode: float
    decode_all: float
    kept: int

    def __post_init__(self) -> None:
        """Check the rates."""
        if min(self.slots, self.prefill, self.decode, self.decode_all) <= 0 or self.kept < 0:
            raise ConfigurationError('slots and rates of a server are above 0, kept at least 0')


@dataclass(frozen=True)
class Memory:
    """The memory that all share, searched once for each agent node.

    Args:
        slots: searches at the same time.
        p50_sec: seconds of a search, the median; they have a log-normal distribution.
        p99_sec: the 99th percentile.
    """

    slots: int = 2
    p50_sec: float = 0.043
    p99_sec: float = 0.056

    def seconds(self, draw: random.Random) -> float:
        """Return how long a search takes."""
        spread = math.log(self.p99_sec / self.p50_sec) / _Z99
        return self.p50_sec * math.exp(spread * draw.gauss(0.0, 1.0))


@dataclass(frozen=True)
class Fleet:
    """Who asks whom.

    Args:
        robots: how many.
        servers: how many.
        down: servers that do not answer, one after the other in the lists.
        shuffled: each robot has the servers in an order of its own; otherwise the lists are the
            same, but each begins one server later than that of the robot before.
    """

    robots: int
    servers: int
    down: int = 0
    shuffled: bool = True

    def __post_init__(self) -> None:
        """Check that there is a server that answers."""
        if self.robots < 1 or not 0 <= self.down < self.servers:
            raise ConfigurationError('a fleet has a robot, and a server that is not down')

    def server_of(self, robot: int) -> int:
        """Return the server that a robot asks: the first of its list that is not down."""
        order = [(robot + k) % self.servers for k in range(self.servers)]
        if self.shuffled:
            # the first ones are dealt out evenly; only who takes over is drawn
            rest = order[1:]
            random.Random(robot).shuffle(rest)
            order[1:] = rest
        return next(one for one in order if one >= self.down)


@dataclass(frozen=True)
class Point:
    """What was found for one fleet, once it runs steadily.

    Args:
        per_sec: decisions a second, of all robots.
        p50: seconds of a decision from its request to its answer, the median.
        p99: the 99th percentile.
        reading: share of time in which the busiest server reads prompts.
        slots: share of its slots that are in use, the mean.
        memory: share of the memory's slots that are in use.
        goals_per_hour: goals that a robot ends in an hour.
    """

    fleet: Fleet
    per_sec: float
    p50: float
    p99: float
    reading: float
    slots: float
    memory: float
    goals_per_hour: float


@dataclass
class _Server:
    rates: ServerRates
    slots: simpy.Resource
    reader: simpy.Resource
    cached: OrderedDict[int, None] = field(default_factory=OrderedDict)
    reading_sec: float = 0.0
    slot_sec: float = 0.0

    def to_read(self, robot: int, step: Step, shared: int) -> int:
        """Return the tokens of a prompt that have to be read, and keep it in the cache."""
        known = robot in self.cached
        self.cached[robot] = None
        self.cached.move_to_end(robot)
        while len(self.cached) > self.rates.kept:
            self.cached.popitem(last=False)
        return step.prefilled if known else max(step.prefilled, step.prompt - shared)


class _Simulation:
    def __init__(
        self, workload: Workload, rates: ServerRates, fleet: Fleet, memory: Memory, seed: int
    ) -> None:
        simpy = _simpy()
        self.world: Any = simpy.Environment()
        self.draw = random.Random(seed)
        self.workload, self.fleet, self.memory = workload, fleet, memory
        self.lengths = [len(run) for run in workload.runs]
        self.servers = [
            _Server(
                rates,
                simpy.Resource(self.world, rates.slots),
                simpy.Resource(self.world, 1),
            )
            for _ in range(fleet.servers)
        ]
        self.store: Any = simpy.Resource(self.world, memory.slots)
        self.store_sec = 0.0
        self.seconds: list[float] = []

    def robot(self, number: int) -> Generator[simpy.Event, Any, None]:
        """Do run after run; the first begins somewhere in its middle."""
        server = self.servers[self.fleet.server_of(number)]
        yield self.world.timeout(self.draw.choice(self.workload.skill_sec) * self.draw.random())
        # at a moment drawn at random, most robots are in one of the long runs
        steps: Sequence[Step] = self.draw.choices(self.workload.runs, self.lengths)[0]
        steps = steps[self.draw.randrange(len(steps)) :]
        while True:
            for step in steps:
                if step.begins:
                    with self.store.request() as turn:
                        yield turn
                        seconds = self.memory.seconds(self.draw)
                        self.store_sec += seconds
                        yield self.world.timeout(seconds)
                asked = self.world.now
                yield from self._decide(server, number, step)
                self.seconds.append(self.world.now - asked)
                if step.acts:
                    yield self.world.timeout(self.draw.choice(self.workload.skill_sec))
            steps = self.draw.choice(self.workload.runs)

    def _decide(self, server: _Server, robot: int, step: Step) -> Generator[simpy.Event, Any, None]:
        rates = server.rates
        with server.slots.request() as slot:
            yield slot
            began = self.world.now
            tokens = server.to_read(robot, step, self.workload.shared_tokens)
            with server.reader.request() as turn:
                yield turn
                server.reading_sec += tokens / rates.prefill
                yield self.world.timeout(tokens / rates.prefill)
            speed = min(rates.decode, rates.decode_all / server.slots.count)
            yield self.world.timeout(step.written / speed)
            server.slot_sec += self.world.now - began

    def run(self, decisions: int) -> Point:
        """Let the robots decide so often; the first half is not counted."""
        for number in range(self.fleet.robots):
            self.world.process(self.robot(number))
        self._until(decisions // 2)
        began, before = self.world.now, len(self.seconds)
        self.store_sec = 0.0
        for one in self.servers:
            one.reading_sec = one.slot_sec = 0.0
        self._until(decisions)
        took, counted = self.world.now - began, sorted(self.seconds[before:])
        per_sec = len(counted) / took
        return Point(
            self.fleet,
            per_sec,
            counted[len(counted) // 2],
            counted[min(int(0.99 * len(counted)), len(counted) - 1)],
            min(1.0, max(one.reading_sec for one in self.servers) / took),
            min(1.0, max(one.slot_sec / one.rates.slots for one in self.servers) / took),
            min(1.0, self.store_sec / self.memory.slots / took),
            3600 * per_sec / self.workload.decisions / self.fleet.robots,
        )

    def _until(self, decisions: int) -> None:
        while len(self.seconds) < decisions:
            self.world.step()


def simulate(
    workload: Workload,
    rates: ServerRates,
    fleet: Fleet,
    memory: Memory | None = None,
    decisions: int = 4000,
    seed: int = 0,
) -> Point:
    """Simulate one fleet.

    Args:
        workload: what the robots do.
        rates: of each server.
        fleet: how many of what.
        memory: how fast it is.
        decisions: how many are simulated, but at least four for each robot.
        seed: of everything that is drawn.

    Raises:
        ConfigurationError: if simpy is not installed.
    """
    simulation = _Simulation(workload, rates, fleet, memory or Memory(), seed)
    return simulation.run(max(decisions, 4 * fleet.robots))


def most_per_sec(workload: Workload, rates: ServerRates, *, cached: bool) -> float:
    """Return the decisions a second that one server cannot exceed.

    Args:
        workload: what is asked of it.
        rates: of the server.
        cached: whether all prompts stay in its cache; none does otherwise.
    """
    read, written = _tokens(workload, cached)
    fastest = min(rates.decode * rates.slots, rates.decode_all)
    return 1.0 / max(read / rates.prefill, written / fastest)


def saturates_at(workload: Workload, rates: ServerRates, servers: int, *, cached: bool) -> float:
    """Return the robots above which some wait whatever is done: where the bounds meet.

    Without waiting a robot decides and acts in turn; the servers do no more than ``most_per_sec``.
    """
    read, written = _tokens(workload, cached)
    acts = fmean(step.acts for run in workload.runs for step in run)
    cycle = acts * fmean(workload.skill_sec) + read / rates.prefill + written / rates.decode
    return servers * most_per_sec(workload, rates, cached=cached) * cycle


def _tokens(workload: Workload, cached: bool) -> tuple[float, float]:
    """Return the tokens that a decision has to read and to write, the means."""
    steps = [step for run in workload.runs for step in run]
    shared = workload.shared_tokens
    read = fmean(
        one.prefilled if cached else max(one.prefilled, one.prompt - shared) for one in steps
    )
    return read, fmean(one.written for one in steps)


def _simpy() -> Any:
    try:
        import simpy
    except ImportError as error:
        raise ConfigurationError(
            f'the simulation needs simpy: pip install -r requirements/fleet.txt ({error})'
        ) from error
    return simpy
