# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""package.xml and setup.py name what is imported, and nothing that a build farm cannot install."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import requires
from pathlib import Path
from xml.etree import ElementTree

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
if not (ROOT / 'setup.py').is_file():
    pytest.skip('there is no checkout around the tests', allow_module_level=True)

PACKAGE = ROOT / 'reactree_ros'
INTERFACES = ROOT / 'reactree_interfaces'
MANIFESTS = [ROOT / 'package.xml', INTERFACES / 'package.xml']

KEYS = {
    'PIL': 'python3-pil',
    'tf2_ros': 'tf2_ros_py',
    'yaml': 'python3-yaml',
    **{
        name: f'python3-{name}'
        for name in (
            *('aiohttp', 'hypothesis', 'jsonschema', 'numpy', 'packaging'),
            *('pyparsing', 'pytest', 'rich'),
        )
    },
}
"""The rosdep key of a module, where it is another than the module's name."""
WITHOUT_KEY = {'httpx2': 'httpx2', 'mcap': 'mcap', 'mcap_ros2': 'mcap-ros2-support'}
"""Modules for which there is no rosdep key, and what pip calls them: always needed."""
OF_EXTRAS = {
    *('accelerate', 'gguf', 'huggingface_hub', 'llguidance', 'mujoco', 'ompl', 'peft'),
    *('safetensors', 'sentence_transformers', 'tokenizers', 'torch', 'transformers'),
    *('unified_planning', 'virtualhome_eval', 'xllamacpp', 'mjviser', 'viser'),
    *('anyio', 'mcp', 'mcp_types', 'prometheus_client', 'pydantic', 'uvicorn', 'psycopg'),
}
"""Modules for which there is no rosdep key, of which an extra or a test has need."""
NOT_IMPORTED = {'ros2launch'}
"""Keys of commands, of files that are read, and of plugins."""


def imported(files: Iterable[Path]) -> set[str]:
    """Return the top-level modules that files import, but for Python's own and the package's."""
    return {name for file in files for name in _imports(file)} - {
        *sys.stdlib_module_names,
        *('reactree_ros', '__future__'),
    }


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding='utf-8'))):
        if isinstance(node, ast.Import):
            yield from (name.name.partition('.')[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield str(node.module).partition('.')[0]


def keys(manifest: Path, *kinds: str) -> set[str]:
    root = ElementTree.parse(manifest).getroot()
    return {str(one.text) for kind in kinds for one in root.iter(kind)}


def base_files() -> list[Path]:
    """Return the modules that a robot needs: all but the laboratory's."""
    lab = PACKAGE / 'lab'
    return [file for file in PACKAGE.rglob('*.py') if lab not in file.parents]


def test_package_xml_names_what_is_imported() -> None:
    modules = imported([*base_files(), *ROOT.glob('launch/*.py')])
    wanted = {KEYS.get(name, name) for name in modules - {*WITHOUT_KEY} - OF_EXTRAS}
    assert wanted == keys(MANIFESTS[0], 'depend', 'exec_depend') - NOT_IMPORTED


def test_package_xml_names_what_tests_import() -> None:
    modules = imported(ROOT.glob('test/**/*.py'))
    own = {file.stem for file in ROOT.glob('test/**/*.py')} | {'fuzz', 'steps', 'toolchain'}
    wanted = {KEYS.get(name, name) for name in modules - own - {*WITHOUT_KEY} - OF_EXTRAS}
    there = keys(MANIFESTS[0], 'depend', 'exec_depend', 'test_depend')
    # tests that need these are skipped without them
    optional = {'playwright', 'atheris', 'moveit_msgs', 'plansys2_msgs'}
    assert wanted - optional - {'setup'} <= there


def test_pip_installs_what_the_base_imports() -> None:
    """Beside what ROS has: that is in package.xml."""
    at_pip = {'jsonschema', 'numpy', 'py_trees', 'pyparsing', 'rich', *WITHOUT_KEY.values()}
    found = {
        one.name.replace('_', '-')
        for one in map(Requirement, requires('reactree_ros') or [])
        if one.marker is None
    }
    assert found == {name.replace('_', '-') for name in at_pip} | {'pyyaml'}
    modules = imported(base_files())
    assert {*WITHOUT_KEY, 'jsonschema', 'numpy', 'py_trees', 'pyparsing', 'rich'} <= modules


def test_the_interfaces_name_what_they_are_made_of() -> None:
    files = [
        *INTERFACES.glob('*/*.msg'),
        *INTERFACES.glob('*/*.srv'),
        *INTERFACES.glob('*/*.action'),
    ]
    text = '\n'.join(file.read_text(encoding='utf-8') for file in files)
    wanted = set(re.findall(r'^(\w+)/\w+', text, re.MULTILINE)) - {'reactree_interfaces'}
    assert wanted | {'action_msgs'} == keys(MANIFESTS[1], 'depend')
    cmake = (INTERFACES / 'CMakeLists.txt').read_text(encoding='utf-8')
    for name in keys(MANIFESTS[1], 'depend'):
        assert f'find_package({name} REQUIRED)' in cmake


@pytest.mark.parametrize('manifest', MANIFESTS, ids=lambda path: path.parent.name)
def test_a_package_can_be_released(manifest: Path) -> None:
    root = ElementTree.parse(manifest).getroot()
    assert not [one.text for one in root if str(one.text).endswith('-pip')], 'apt only'
    assert {one.get('type') for one in root.iter('url')} == {'website', 'repository', 'bugtracker'}
    people = [*root.iter('maintainer'), *root.iter('author')]
    assert len(people) == 2
    for one in people:
        assert re.fullmatch(r'[\w.-]+@[\w.-]+\.com', one.get('email', ''))
    assert root.findtext('version') == ElementTree.parse(MANIFESTS[0]).findtext('version')
    changes = (manifest.parent / 'CHANGELOG.rst').read_text(encoding='utf-8')
    assert re.search(rf'^{re.escape(str(root.findtext("version")))} \(\d{{4}}-\d\d-\d\d\)\n-+$',
                     changes, re.MULTILINE)  # fmt: skip
