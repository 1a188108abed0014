# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the documentation and the pages of the interface (``make docs``); warnings are errors."""

from __future__ import annotations

import pkgutil
import re
from importlib.metadata import metadata
from pathlib import Path

from sphinx.application import Sphinx

import reactree_ros

project = 'reactree_ros'
copyright = '2026, the reactree_ros authors'
author = 'the reactree_ros authors'
version = release = metadata('reactree_ros')['Version']
SOURCE = f'{metadata("reactree_ros")["Home-page"]}/blob/main'

extensions = ['myst_parser', 'sphinx.ext.autodoc', 'sphinx.ext.napoleon']
exclude_patterns = ['_build', 'workshop']
myst_heading_anchors = 4
napoleon_google_docstring = True
napoleon_numpy_docstring = False
autodoc_member_order = 'bysource'
autodoc_typehints = 'none'
add_module_names = False
html_theme = 'furo'
html_title = 'reactree_ros'

API = Path(__file__).parent / 'api'
ROOMS = {
    'core': 'Decisions, prompts, limits, outcomes, events; the protocols of models and operators.',
    'skills': 'The skill library, and the protocols of robots and simulated worlds.',
    'behaviours': 'Agent nodes, control flow and leaves as py_trees behaviours.',
    'execution': 'What stands between a skill leaf and the robot.',
    'strategies': 'ReAcTree and further planning strategies.',
    'memory': 'Working memory, and the store of experiences.',
    'models': 'Language models: kinds, back ends, and the process that they run in.',
    'planner': 'Options, assembly, runs, replay, and the ``Planner`` facade.',
    'sim': 'Simulated worlds.',
    'ros': 'Nodes, clients, skills as actions, recording. The only subpackage that imports rclpy.',
    'viewer': 'The web page that shows runs.',
    'cli': 'The command ``reactree``.',
}
"""One page each; the laboratory is internal and has none."""


def _page(title: str, intro: str, entries: list[str]) -> str:
    return '\n'.join([title, '=' * len(title), '', intro, '', *entries, ''])


def _room(room: str) -> str:
    package = f'reactree_ros.{room}'
    folder = Path(reactree_ros.__file__).parent / room
    found = pkgutil.walk_packages([str(folder)], f'{package}.')
    entries = []
    for name, is_package in sorted((one.name, one.ispkg) for one in found):
        short = name.removeprefix('reactree_ros.')
        # What a package passes on is documented where it is defined.
        members = '   :no-members:' if is_package else '   :members:'
        entries += [short, '-' * len(short), '', f'.. automodule:: {name}', members, '']
    return _page(f'reactree_ros.{room}', ROOMS[room], entries)


def _public() -> str:
    entries = ['.. automodule:: reactree_ros', '   :no-members:', '']
    for name in reactree_ros.__all__:
        directive = 'autoexception' if name.endswith('Error') else 'autoclass'
        entries += [name, '-' * len(name), '', f'.. {directive}:: reactree_ros.{name}']
        entries += ['   :members:', '']
    return _page(
        'Public names', 'From the package itself: ``from reactree_ros import Planner``.', entries
    )


def write_pages(app: Sphinx) -> None:
    """Write the pages of the interface, which list modules and names as they are now."""
    API.mkdir(exist_ok=True)
    pages = {'public': _public(), **{room: _room(room) for room in ROOMS}}
    for name, text in pages.items():
        file = API / f'{name}.rst'
        if not file.is_file() or file.read_text(encoding='utf-8') != text:
            file.write_text(text, encoding='utf-8')


def link_to_repository(app: Sphinx, page: str, source: list[str]) -> None:
    """Point links to files outside the pages at the repository, except to what is a page here."""
    text = source[0].replace('](workshop', f']({SOURCE}/docs/workshop')
    up = '../' * (page.count('/') + 1)
    text = text.replace(f']({up}BENCHMARKS.md', f']({up.removesuffix("../")}benchmarks.md')
    source[0] = re.sub(rf'\]\({re.escape(up)}', f']({SOURCE}/', text)


def make_glossary(app: Sphinx, page: str, source: list[str]) -> None:
    """Make terms of the tables of terms, so that the search and the index find them."""
    if page == 'terminology':
        source[0] = re.sub(
            r'^\| term \| meaning \|.*\n\| ---.*\n((?:\|.*\n)+)', _glossary, source[0], flags=re.M
        )


def _glossary(table: re.Match[str]) -> str:
    lines = ['```{glossary}']
    for row in table[1].splitlines():
        term, meaning, *code = (cell.strip() for cell in row.strip('|').split(' | '))
        lines += [term, f'  {meaning}{f" ({code[0]})" if code and code[0] else ""}', '']
    return '\n'.join([*lines, '```', ''])


def setup(app: Sphinx) -> None:
    """Connect to Sphinx."""
    app.connect('builder-inited', write_pages)
    app.connect('source-read', link_to_repository)
    app.connect('source-read', make_glossary)
