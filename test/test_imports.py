# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The subpackages of the package and the arrows between them: what may import what."""

from __future__ import annotations

import ast
import pkgutil
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import reactree_ros

PACKAGE = Path(reactree_ros.__file__).parent
ALWAYS = {'errors', 'paths', 'plugins'}
"""Modules of the package itself, which every subpackage may import."""

AGENT = {'core', 'skills', 'behaviours'}
PLANNER = AGENT | {'execution', 'strategies', 'memory', 'models', 'planner'}
SIM = {'sim'}
ROS = PLANNER | {'ros'}
ARROWS: dict[str, set[str]] = {
    # subpackage: which other subpackages it may import
    'core': set(),
    'skills': {'core'},
    'memory': {'core'},
    'models': {'core'},
    'execution': {'core', 'skills'},
    'behaviours': {'core', 'skills'},
    'strategies': AGENT,
    'planner': PLANNER - {'planner'},
    'sim': {'core', 'skills'},
    'viewer': AGENT,
    'ros': PLANNER,
    'ros.arm': PLANNER | SIM,
    'ros.nodes': PLANNER | SIM,
    'ros.viewer': PLANNER | {'viewer'},
    'cli': ROS | SIM | {'viewer'},
    'lab': ROS | SIM | {'viewer', 'cli'},
}
"""The table. A folder of a subpackage that may import more has a line of its own."""

ROS_PACKAGES = (
    *('rclpy', 'reactree_interfaces', 'py_trees_ros', 'launch', 'tf2_ros'),
    *('action_msgs', 'std_msgs', 'std_srvs', 'diagnostic_msgs', 'rosidl_parser'),
)
EXTRAS = (
    *('torch', 'transformers', 'sentence_transformers', 'llguidance', 'gguf', 'accelerate'),
    *('matplotlib', 'aiohttp', 'unified_planning', 'mujoco', 'ompl', 'peft'),
    *('mjviser', 'viser', 'PIL', 'mcp', 'mcp_types', 'uvicorn', 'psycopg'),
)
"""What only the extras install."""
LAB = [
    folder.name
    for folder in sorted(PACKAGE.joinpath('lab').iterdir())
    if folder.is_dir() and folder.name not in ('cli', '__pycache__')
]
WITHOUT: list[tuple[str, tuple[str, ...]]] = [
    # subpackage, what its modules import without
    ('core', (*ROS_PACKAGES, *EXTRAS, 'py_trees', 'yaml')),
    ('skills', (*ROS_PACKAGES, *EXTRAS, 'py_trees')),
    ('execution', (*ROS_PACKAGES, *EXTRAS, 'py_trees')),
    ('behaviours', (*ROS_PACKAGES, *EXTRAS)),
    ('strategies', (*ROS_PACKAGES, *EXTRAS)),
    ('memory', (*ROS_PACKAGES, *EXTRAS)),
    ('models', (*ROS_PACKAGES, *EXTRAS)),
    ('planner', (*ROS_PACKAGES, *EXTRAS)),
    ('sim', (*ROS_PACKAGES, *EXTRAS, 'py_trees')),
    ('cli', EXTRAS),
    ('ros', EXTRAS),
    *((f'lab.{name}', ROS_PACKAGES) for name in LAB),
]
NEEDS_EXTRA = (
    'cli.mcp.server',
    'memory.postgres',
    'models.local',
    'ros.arm',
    'ros.viewer',
    'sim.physics',
)
"""Modules, or folders of them, that are the extra's own."""
MOST_MODULES = 20

BLOCKER = """
import sys

class Blocker:
    def find_spec(self, name, path=None, target=None):
        if name.partition('.')[0] in {blocked!r}:
            raise ImportError(f'{{name}} must not be imported here')
        return None

sys.meta_path.insert(0, Blocker())
"""


def modules() -> dict[str, Path]:
    """Return the files of all modules by their names below the package."""
    found = {}
    for file in sorted(PACKAGE.rglob('*.py')):
        parts = file.relative_to(PACKAGE).with_suffix('').parts
        found['.'.join(parts[:-1] if parts[-1] == '__init__' else parts)] = file
    return found


MODULES = modules()


def imports(file: Path, *, at_start: bool = False) -> Iterator[str]:
    """Yield the modules of the package that a file imports, by their names below it.

    Args:
        file: a module.
        at_start: only what is imported when the module is.
    """
    tree = ast.parse(file.read_text(encoding='utf-8'))
    nodes = _at_start(tree) if at_start else ast.walk(tree)
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and (node.module or '').startswith('reactree_ros'):
            base = (node.module or '')[len('reactree_ros.') :]
            for name in node.names:
                full = f'{base}.{name.name}'.lstrip('.')
                yield full if full in MODULES else base
        elif isinstance(node, ast.Import):
            for name in node.names:
                if name.name.startswith('reactree_ros.'):
                    yield name.name[len('reactree_ros.') :]


def _at_start(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        yield child
        typing_only = isinstance(child, ast.If) and 'TYPE_CHECKING' in ast.unparse(child.test)
        if not typing_only and not isinstance(
            child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
        ):
            yield from _at_start(child)


def subpackage_of(module: str) -> str:
    return module.partition('.')[0]


def allowed(module: str) -> set[str]:
    """Return the subpackages that a module may import: those of the longest line that fits it."""
    fits = [
        subpackage
        for subpackage in ARROWS
        if module == subpackage or module.startswith(f'{subpackage}.')
    ]
    return ARROWS[max(fits, key=len)]


@pytest.mark.parametrize(
    'subpackage', sorted({subpackage_of(one) for one in MODULES} - ALWAYS - {''})
)
def test_the_arrows(subpackage: str) -> None:
    wrong = [
        f'{module} imports {other}'
        for module, file in MODULES.items()
        if subpackage_of(module) == subpackage
        for other in imports(file)
        if subpackage_of(other) not in {subpackage, '', *ALWAYS} | allowed(module)
    ]
    assert not wrong, '\n'.join(wrong)


def test_no_circles() -> None:
    graph = {
        one: {other for other in imports(file, at_start=True) if other != one}
        for one, file in MODULES.items()
        if file.name != '__init__.py'
    }
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(f'a circle of imports: {" -> ".join(error.args[1])}')


def test_no_folder_is_a_crowd() -> None:
    for folder in {file.parent for file in MODULES.values()}:
        names = sorted(file.name for file in folder.glob('*.py') if file.name != '__init__.py')
        assert len(names) <= MOST_MODULES, f'{folder.name}: {len(names)} modules'


def modules_of(subpackage: str) -> list[str]:
    path = PACKAGE.joinpath(*subpackage.split('.'))
    return [
        module.name
        for module in pkgutil.walk_packages([str(path)], f'reactree_ros.{subpackage}.')
        if not module.name.startswith(tuple(f'reactree_ros.{one}' for one in NEEDS_EXTRA))
    ]


@pytest.mark.parametrize(('subpackage', 'blocked'), WITHOUT)
def test_a_subpackage_does_without(subpackage: str, blocked: tuple[str, ...]) -> None:
    if subpackage in ('cli', 'ros'):
        pytest.importorskip('rclpy')
    names = modules_of(subpackage)
    assert names
    source = BLOCKER.format(blocked=blocked) + ''.join(f'import {name}\n' for name in names)
    done = subprocess.run(
        [sys.executable, '-c', source], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_blocker_blocks() -> None:
    source = BLOCKER.format(blocked=('py_trees',)) + 'import reactree_ros.planner.run\n'
    done = subprocess.run(
        [sys.executable, '-c', source], capture_output=True, text=True, timeout=300, check=False
    )
    assert 'py_trees must not be imported here' in done.stderr
