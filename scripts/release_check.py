# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Builds wheel and sdist, installs each into an empty environment and uses it.

Builds from a copy of the files that git knows, so that nothing else can get in. Needs pip and an
index, and Python 3.11 or later.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = 'pddl,viewer'
ABSENT = ('torch', 'matplotlib', 'aiohttp', 'unified_planning', 'rclpy')
PROGRAMS = {
    *('reactree', 'reactree-lab', 'reactree_planner', 'reactree_viewer'),
    *('reactree_arm_skills', 'reactree_household_bridge'),
    *('reactree_kitchen_bridge', 'reactree_pddl_bridge', 'reactree_robot_bridge'),
}
IN_PROCESS = f"""
import importlib.util
import reactree_ros
from reactree_ros.planner.run import GoalRun
from reactree_ros.paths import share
from reactree_ros.sim.household.shipped import shipped_scene
assert share('resource', 'prompts').is_dir() and share('config', 'reactree.yaml').is_file()
assert shipped_scene('apartment_1')
there = [name for name in {ABSENT!r} if importlib.util.find_spec(name)]
assert not there, there
print('imported from', reactree_ros.__file__)
"""


def run(*command: str | Path, cwd: Path, expected: int = 0) -> str:
    """Run a command and return what it printed.

    Raises:
        SystemExit: its exit status is not the expected one.
    """
    env = {name: value for name, value in os.environ.items() if name != 'PYTHONPATH'}
    done = subprocess.run(
        [str(one) for one in command], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    if done.returncode != expected:
        shown = ' '.join(map(str, command))
        sys.exit(f'{shown}: exit status {done.returncode}\n{done.stdout}{done.stderr}')
    return done.stdout


def build(folder: Path) -> list[Path]:
    """Return the sdist and the wheel, built below a folder."""
    source, tools = folder / 'source', folder / 'tools'
    for name in run('git', 'ls-files', cwd=ROOT).splitlines():
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, source / name)
    run(sys.executable, '-m', 'venv', tools, cwd=folder)
    run(tools / 'bin' / 'python', '-m', 'pip', 'install', '-q', 'build', cwd=folder)
    run(tools / 'bin' / 'python', '-m', 'build', '-o', folder / 'dist', source, cwd=folder)
    (wheel,) = (folder / 'dist').glob('*.whl')
    (sdist,) = (folder / 'dist').glob('*.tar.gz')
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition('/')[0].partition('-')[0] for name in names}
    leftovers = [name for name in names if '__pycache__' in name or name.endswith('.pyc')]
    if tops != {'reactree_ros'} or leftovers:
        sys.exit(f'{wheel.name} has more than the package: {sorted(tops)} {leftovers}')
    return [sdist, wheel]


def use(artifact: Path, folder: Path) -> None:
    """Install an artifact into an empty environment and use it."""
    venv = folder / f'venv{artifact.suffix}'
    run(sys.executable, '-m', 'venv', venv, cwd=folder)
    bin_folder = venv / 'bin'
    run(bin_folder / 'python', '-m', 'pip', 'install', '-q', artifact, cwd=folder)
    missing = PROGRAMS - {file.name for file in bin_folder.iterdir()}
    if missing:
        sys.exit(f'{artifact.name}: no program {", ".join(sorted(missing))}')
    for short in ('planner', 'viewer', 'household_bridge', 'kitchen_bridge', 'pddl_bridge'):
        if (bin_folder / short).exists():
            sys.exit(f'{artifact.name}: puts {short} on the PATH')
    print(run(bin_folder / 'python', '-c', IN_PROCESS, cwd=folder).strip())
    run(bin_folder / 'reactree', '--help', cwd=folder)
    run(bin_folder / 'reactree-lab', '--help', cwd=folder)
    # without ROS the types of the actions cannot be checked, which is exit status 1
    checked = run(bin_folder / 'reactree', 'skills', 'check', 'household', cwd=folder, expected=1)
    if 'skills can be read' not in checked:
        sys.exit(f'{artifact.name}: reactree skills check said {checked}')
    wanted = f'reactree_ros[{EXTRAS}] @ {artifact.as_uri()}'
    run(bin_folder / 'python', '-m', 'pip', 'install', '-q', wanted, cwd=folder)
    run(bin_folder / 'python', '-m', 'pip', 'check', cwd=folder)
    print(f'{artifact.name}: installed and used')


def main() -> None:
    """Build and use both."""
    with tempfile.TemporaryDirectory(prefix='reactree-release-') as name:
        folder = Path(name)
        for artifact in build(folder):
            use(artifact, folder)


if __name__ == '__main__':
    main()
