# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures that several rooms use: a scripted run, a robot that is held back, a browser."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from py_trees.common import Status

from reactree_ros.behaviours.agent_node import AgentNode
from reactree_ros.behaviours.services import RunServices
from reactree_ros.core.budget import Limits
from reactree_ros.core.events import Event
from reactree_ros.core.futures import Future, ready
from reactree_ros.core.observation import Observation, SkillResult, SkillStatus
from reactree_ros.core.situation import Situation
from reactree_ros.errors import WorldError
from reactree_ros.models.scripted import ScriptedModel
from reactree_ros.paths import cache, share
from reactree_ros.planner.options import PlannerOptions
from reactree_ros.planner.run import GoalRun
from reactree_ros.sim.household import World
from reactree_ros.sim.household.shipped import shipped_scene
from reactree_ros.skills.executor import SENT
from reactree_ros.skills.library import GroundedSkill, SkillLibrary
from reactree_ros.skills.reader import parse_library, read_library
from reactree_ros.skills.simulated import WorldExecutor

from .options import paper_options
from .postgres import server_or_skip
from .thorough import THOROUGH

MOST_TICKS = 500
PROMPTS = {
    'split': 'You decide otherwise.',
    'reflect': 'You decide otherwise.',
    'choose': 'You decide otherwise.',
    'summarize': 'You sum up.',
    'chunks': ' Parts are hidden.',
    'leaf_check': 'You check.',
}
LONGEST = {
    'test_api_pages',
    'test_teach',
    'test_own_robot',
    'test_runs',
    'test_evaluate',
    'test_contract',
    'test_planner_model',
    'test_end_to_end',
    'test_guides',
}
"""Files begun last would keep one worker busy while the others have nothing left."""
PAGE_PATIENCE_SEC = 30.0
BROWSERS = ('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable')
BROWSER_OPTIONS = (
    '--no-sandbox',  # tests may run as root
    '--disable-gpu',
    '--enable-unsafe-swiftshader',  # WebGL
    '--disable-quic',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
)
_LETTERS = {Status.SUCCESS: 'S', Status.FAILURE: 'F', Status.RUNNING: 'R', Status.INVALID: '-'}


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Give every worker the same test names: compressed bytes hold the second they were made in.

    Returns:
        What names a value of bytes, None for pytest's own name of any other.
    """
    return argname if isinstance(val, bytes) else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what takes long, unless all is asked for; begin with the longest files."""
    items.sort(key=lambda item: item.path.stem not in LONGEST)
    for item in items:
        if item.get_closest_marker('thorough') and not THOROUGH:
            item.add_marker(pytest.mark.skip(reason='make thorough'))


class Played:
    """A run of a scripted goal and all that was seen of it."""

    def __init__(self, run: GoalRun, model: ScriptedModel, robot: Any, events: list[Event]) -> None:
        self.run = run
        self.model = model
        self.robot = robot
        self.events = events

    def end(self) -> Any:
        """Tick until the run is finished and return its report."""
        for _ in range(MOST_TICKS):
            if self.run.finished:
                return self.run.report()
            self.run.tick()
        raise AssertionError(f'not finished after {MOST_TICKS} ticks:\n{self.run.tree_text()}')

    def tick_until(self, condition: Callable[[], bool]) -> None:
        """Tick until something is the case."""
        for _ in range(MOST_TICKS):
            if condition():
                return
            self.run.tick()
        raise AssertionError(f'it did not happen in {MOST_TICKS} ticks:\n{self.run.tree_text()}')

    def agents(self) -> dict[str, AgentNode]:
        """Return the agent nodes by goal."""
        return {node.goal: node for node in self._all() if isinstance(node, AgentNode)}

    def statuses(self) -> dict[str, str]:
        """Return one letter for each agent node: S, F, R, or - for not begun or interrupted."""
        return {goal: _LETTERS[node.status] for goal, node in self.agents().items()}

    def names(self) -> list[str]:
        """Return the names of all behaviours, parents first."""
        return [node.name for node in self._all()]

    def kinds(self, *kinds: str) -> list[tuple[str, str]]:
        """Return (kind, goal of the active node) of all events of these kinds."""
        return [(event.kind, event.path[-1]) for event in self.events if event.kind in kinds]

    def asked(self) -> list[str]:
        """Return for which goal each request to the model was, in order."""
        prompts = [request.prompt.text() for request in self.model.requests]
        return [text.rpartition('\nGoal: ')[2].partition('\n')[0] for text in prompts]

    def _all(self) -> list[Any]:
        found: list[Any] = []

        def visit(node: Any) -> None:
            found.append(node)
            for child in node.children:
                visit(child)

        visit(self.run.root)
        return found


class HeldBackRobot(WorldExecutor):
    """A robot in a real world that takes its time: it answers when the test says so."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.running: list[HeldBackRun] = []
        self.failure = ''

    def start(self, skill: GroundedSkill, situation: Situation) -> Any:
        run = HeldBackRun(super().start(skill, situation).poll())
        self.running.append(run)
        return run

    def observe(self) -> Any:
        return Lost(self.failure) if self.failure else super().observe()


class HeldBackRun:
    """A skill that ends with ``finish`` or, after a cancel, with ``come_to_rest``."""

    doing = 'moving'
    goal_id = ''
    started = True
    costs = SENT

    def __init__(self, result: SkillResult) -> None:
        self._result = result
        self._over = False
        self.cancels = 0
        self.confirmed = True

    @property
    def settled(self) -> bool:
        return self._over and self.confirmed

    def finish(self) -> None:
        self._over = True

    def come_to_rest(self) -> None:
        assert self.cancels, 'a robot that was not cancelled goes on'
        text = 'You stopped.' if self.confirmed else 'It did not confirm that it stopped.'
        self._result = SkillResult(SkillStatus.CANCELED, Observation(text), self.confirmed)
        self._over = True

    def poll(self) -> SkillResult | None:
        return self._result if self._over else None

    def cancel(self) -> None:
        self.cancels += 1


class Lost:
    """An observation that does not come: the robot is gone."""

    def __init__(self, why: str) -> None:
        self._why = why

    def poll(self) -> None:
        raise WorldError(self._why)

    def cancel(self) -> None:
        pass


class WordEncoder:
    """Embeddings that count words: goals with the same words are alike. Tokens are words."""

    def __init__(self, words: str) -> None:
        self._words = words.split()
        self.encoder_name = f'count of {words}'
        self.embedded: list[str] = []

    def embed(self, texts: tuple[str, ...]) -> Future[Any]:
        self.embedded += texts
        vectors = np.zeros((len(texts), len(self._words) + 1), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = [text.split().count(word) for word in self._words] + [0.01]
        return ready(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))

    def count(self, texts: tuple[str, ...]) -> Future[tuple[int, ...]]:
        return ready(tuple(len(text.split()) for text in texts))


@pytest.fixture(scope='session', autouse=True)
def _folders_of_nobody(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests, and the processes that they start, away from what the user's planner learned.

    Converted models take long to make: their folder stays the user's.
    """
    home = tmp_path_factory.mktemp('home')
    models = cache('models')
    models.mkdir(parents=True, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('XDG_DATA_HOME', str(home / 'data'))
        patch.setenv('XDG_CACHE_HOME', str(home / 'cache'))
        cache().mkdir(parents=True)
        cache('models').symlink_to(models)
        yield


@pytest.fixture(scope='session')
def household() -> SkillLibrary:
    """The shipped skill library."""
    return read_library(share('behaviors', 'household.yaml'))


@pytest.fixture
def world() -> World:
    """The first shipped apartment, the robot in the middle of its kitchen."""
    return World(shipped_scene('apartment_1'), 'kitchen 1')


@pytest.fixture
def robot(world: World) -> HeldBackRobot:
    """A robot in that world that can be held back."""
    return HeldBackRobot(world)


@pytest.fixture
def word_encoder() -> type[WordEncoder]:
    """The class of an encoder that needs no model."""
    return WordEncoder


@pytest.fixture
def dancing(household: SkillLibrary) -> SkillLibrary:
    """The household's skills, and "dance", which it does not know and refuses."""
    odd = parse_library('{name: odd, action: act, skills: {dance: {phrase: dance}}}', 'test')
    return replace(household, skills=(*odd.skills, *household.skills))


@pytest.fixture
def plain() -> Callable[..., PlannerOptions]:
    """Options that follow the paper to the letter, with changes by keyword."""
    return paper_options


@pytest.fixture
def play(
    household: SkillLibrary, world: World, plain: Callable[..., PlannerOptions]
) -> Iterator[Callable[..., Played]]:
    """Begin a run: ``play(script)``; the first goal of the script is the root's."""
    runs: list[GoalRun] = []

    def begin(
        script: dict[str, list[str]],
        robot: Any = None,
        limits: Limits | None = None,
        library: SkillLibrary = household,
        experiences: Any = None,
        system_prompt: str = 'You steer a robot.',
        clock: Callable[[], float] = lambda: 0.0,
        namespace: str = 'test',
        strategy: str = 'reactree',
        operator: Any = None,
        model_type: type[ScriptedModel] = ScriptedModel,
        audit: Any = lambda record: None,
        conditions: tuple[str, ...] = (),
        **settings: Any,
    ) -> Played:
        model, events = model_type(script), list[Event]()
        options = plain(strategy, **settings)
        services = RunServices(
            model=model,
            executor=robot or WorldExecutor(world),
            library=library,
            experiences=experiences,
            system_prompt=system_prompt,
            settings=options,
            strategy_options=options.options_of(strategy),
            operator=operator,
            strategy=strategy,
            prompts=PROMPTS,
        )
        goal = next(iter(script))
        run = GoalRun(
            goal,
            services,
            limits or Limits(),
            events.append,
            namespace,
            clock,
            audit=audit,
            conditions=conditions,
        )
        runs.append(run)
        return Played(run, model, services.executor, events)

    yield begin
    for run in runs:
        run.close()


@pytest.fixture(scope='module')
def browser() -> Iterator[Any]:
    """A headless browser; without one the test is skipped.

    Its event loop runs on this thread, so it must have ended before a test begins one of its own.
    """
    api = pytest.importorskip('playwright.sync_api')
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip(f'no browser: none of {", ".join(BROWSERS)}')
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=[*BROWSER_OPTIONS])
        yield browser
        browser.close()


class Page:
    """A page that is open, and the faults that its console told.

    Args:
        page: Playwright's.
    """

    def __init__(self, page: Any) -> None:
        self.page = page
        self.faults: list[str] = []
        page.on('pageerror', lambda error: self.faults.append(str(error)))
        page.on('console', self._told)

    def _told(self, message: Any) -> None:
        if message.type == 'error':
            self.faults.append(message.text)

    def text(self, selector: str) -> str:
        return str(self.page.inner_text(selector))

    def until(self, expression: str) -> None:
        """Wait until a JavaScript expression is true."""
        # not by wait_for_function, whose eval the page's security policy forbids
        end = time.monotonic() + PAGE_PATIENCE_SEC
        while not self.page.evaluate(expression):
            assert time.monotonic() < end, f'never true: {expression}; {self.state()}'
            self.page.wait_for_timeout(20)

    def state(self) -> str:
        """Return what the page was last told of the planner, and which run it shows."""
        script = """() => {
          const page = window.reactree
          if (!page?.run) return null
          const { name, goal, ended, frames } = page.run
          const { state, at, following, live, drawing } = page
          return { name, goal, ended, frames: frames.length, at, following, live, drawing, state }
        }"""
        return json.dumps(self.page.evaluate(script))

    def names(self) -> list[str]:
        """Return the names of the behaviours that are drawn, in the order of their numbers."""
        script = """[...document.querySelectorAll('#tree [role=treeitem]')].map(({dataset}) => {
          const {number, name} = reactree.tree.moment.tree.get(Number(dataset.number))
          return [number, name]
        })"""
        return [name for _, name in sorted(self.page.evaluate(script))]

    def go(self, frames: int) -> None:
        """Show the run after so many frames."""
        self.page.evaluate('(at) => reactree.go(at)', frames)
        self.until(f'reactree.at === {frames} && !reactree.drawing')


@pytest.fixture
def open_page(browser: Any) -> Iterator[Any]:
    """Open an address in a page of its own."""
    pages = []

    def open_at(address: str) -> Page:
        page = Page(browser.new_page(viewport={'width': 1400, 'height': 850}))
        pages.append(page)
        page.page.goto(address)
        return page

    yield open_at
    for page in pages:
        page.page.close()


@pytest.fixture(scope='session')
def postgres() -> Iterator[Any]:
    """Run a PostgreSQL server with pgvector; without one the test is skipped."""
    with closing(server_or_skip()) as server:
        yield server


@pytest.fixture
def database(postgres: Any) -> str:
    """Empty the database that tests use one after the other, and return its address."""
    import psycopg

    address: str = postgres.address()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute('DROP SCHEMA IF EXISTS reactree CASCADE')
    return address
