# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""README and docs: links lead somewhere, commands are understood, code and data can be read."""

from __future__ import annotations

import ast
import importlib
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ('README.md', 'CONTRIBUTING.md', 'BENCHMARKS.md', 'SECURITY.md')),
    *sorted((ROOT / 'docs').glob('*.md')),
    *sorted((ROOT / 'docs' / 'guides').glob('*.md')),
]
_FENCE = re.compile(r'^```(\w*)\n(.*?)^```', re.M | re.S)
_LINK = re.compile(r'\[[^\]]*\]\(([^)\s]+)\)')
_PATH = re.compile(
    r'`((?:reactree_ros|test|docs|launch|config|behaviors|resource|scripts|requirements|examples)'
    r'/[\w./-]+)`'
)
_ROOMS = (
    *('core', 'skills', 'behaviours', 'execution', 'strategies', 'memory', 'models', 'planner'),
    *('ros', 'sim', 'viewer', 'cli', 'lab'),
)
_BELOW_PACKAGE = re.compile(rf'`((?:{"|".join(_ROOMS)})/[\w./-]+)`')
_PROGRAM = re.compile(r'^(?:\S+=\S+ )*(?:\.venv/bin/|ros2 run reactree_ros )?(reactree(?:-lab)?) ')
_TRANSCRIPTS = {'ros_session.md'}
"""Pages that show what was printed; other tests compare them with what is printed now."""


def name_of(page: Path) -> str:
    return page.name


def blocks(page: Path, *kinds: str) -> Iterator[str]:
    """Yield the code blocks of a page that are of one of these kinds."""
    for kind, text in _FENCE.findall(page.read_text(encoding='utf-8')):
        if kind in kinds:
            yield text


def commands(page: Path) -> Iterator[str]:
    """Yield the lines of all shell blocks of a page, continued lines joined."""
    for text in blocks(page, '', 'sh', 'bash'):
        for line in re.sub(r'\\\n\s*', '', text).splitlines():
            yield line.strip().removeprefix('$ ')
    for text in blocks(page, 'console'):
        yield from re.findall(r'^\$ (.*)$', text, re.M)


@pytest.mark.parametrize('page', PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    text = _FENCE.sub('', page.read_text(encoding='utf-8'))
    for link in _LINK.findall(text):
        target, _, anchor = link.partition('#')
        if re.match(r'[a-z]+:', target):
            continue
        file = (page.parent / target).resolve() if target else page
        assert file.exists(), f'{page.name}: {link}'
        if anchor:
            titles = re.findall(r'^#+ (.*)$', file.read_text(encoding='utf-8'), re.M)
            slugs = {re.sub(r'[^\w\- ]', '', one.lower()).replace(' ', '-') for one in titles}
            assert anchor in slugs, f'{page.name}: {link}'


@pytest.mark.parametrize('page', PAGES, ids=name_of)
def test_paths_exist(page: Path) -> None:
    text = _FENCE.sub('', page.read_text(encoding='utf-8'))
    named = (path for path in _PATH.findall(text) if not re.search(r'\b[A-Z]{2,}\b', path))
    missing = [path for path in named if not (ROOT / path.partition('::')[0]).exists()]
    rooms = ROOT / 'reactree_ros'
    missing += [path for path in _BELOW_PACKAGE.findall(text) if not (rooms / path).exists()]
    assert not missing


@pytest.mark.parametrize(
    'page', [page for page in PAGES if page.name not in _TRANSCRIPTS], ids=name_of
)
def test_commands_are_understood(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip('rclpy')
    from reactree_ros.cli import main as cli
    from reactree_ros.lab.cli import main as lab

    parsers = {'reactree': cli.make_parser(), 'reactree-lab': lab.make_parser()}
    targets = re.findall(r'^([a-z][\w-]*):', (ROOT / 'Makefile').read_text(encoding='utf-8'), re.M)
    for line in commands(page):
        if (found := _PROGRAM.match(line)) is not None:
            words = shlex.split(line[found.end() :], comments=True)
            stops = [at for at, word in enumerate(words) if word in ('|', '&&', '>', '&', ';')]
            words = words[: min(stops, default=len(words))]
            if '…' in words or any(word.startswith('<') for word in words):
                continue
            try:
                parsers[found[1]].parse_args(words)
            except SystemExit as ended:
                said = capsys.readouterr().err
                assert ended.code == 0, f'{page.name}: {line}\n{said}'
        elif line.startswith('make '):
            words = [word for word in shlex.split(line, comments=True)[1:] if '=' not in word]
            assert set(words) <= set(targets), f'{page.name}: {line}'


@pytest.mark.parametrize('page', PAGES, ids=name_of)
def test_launch_arguments_exist(page: Path) -> None:
    pytest.importorskip('rclpy')
    from reactree_ros.cli.processes import ARGUMENTS

    known = {argument.name for argument in ARGUMENTS}
    for line in commands(page):
        if line.startswith('ros2 launch reactree_ros'):
            given = set(re.findall(r'\b(\w+):=', line))
            assert given <= known, f'{page.name}: {line}'


@pytest.mark.parametrize('page', PAGES, ids=name_of)
def test_data_can_be_read(page: Path) -> None:
    for text in blocks(page, 'yaml'):
        assert list(yaml.safe_load_all(text)), f'{page.name}:\n{text}'
    for text in blocks(page, 'json'):
        json.loads(text)
    for text in blocks(page, 'toml'):
        tomllib.loads(text)


@pytest.mark.parametrize('page', PAGES, ids=name_of)
def test_python_imports_what_there_is(page: Path) -> None:
    for text in blocks(page, 'python'):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or '').startswith('reactree_ros'):
                module = importlib.import_module(node.module or '')
                for name in node.names:
                    assert hasattr(module, name.name), f'{page.name}: {node.module}.{name.name}'
