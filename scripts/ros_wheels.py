# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Builds interface packages against ROS 2 that was installed from wheels.

The wheels' CMake exports carry paths of the machine that built them; they are replaced with those
of the environment. The interfaces are installed into the environment's own prefix, where the
wheels' start-up hook (``ros-wheels-bootstrapper``) looks for libraries, so that a program needs
nothing sourced. Run with the environment's Python: ``python scripts/ros_wheels.py BASE [SOURCE]``,
with the folder for build files and that of the packages (default: the project's own).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy

PACKAGE = 'reactree_interfaces'
BUILDER_PREFIX = '/opt/python/cp311-cp311'


def relocate_exports(prefix: Path) -> int:
    """Replace the build machine's paths in the wheels' files below ``prefix``.

    Returns:
        number of files changed; 0 when all of them were right already.
    """
    old = re.escape(BUILDER_PREFIX)
    replacements = (
        (rf'{old}/lib/[^;"]*/numpy/(?:_core|core)/include', numpy.get_include()),
        (rf'{old}/include/python3\.\d+', sysconfig.get_path('include')),
        (old, str(prefix)),
    )
    changed = 0
    folders = (prefix / 'share', prefix / 'lib' / 'cmake')
    for path in sorted(file for folder in folders for file in folder.rglob('*')):
        if not path.is_file() or path.is_symlink():
            continue
        if path.suffix != '.cmake' and 'ament_index' not in path.parts:
            continue
        before = path.read_text(encoding='utf-8')
        after = before
        for pattern, replacement in replacements:
            after = re.sub(pattern, replacement, after)
        if after != before:
            path.write_text(after, encoding='utf-8')
            changed += 1
    return changed


def remove_installed(prefix: Path, package: str = PACKAGE) -> None:
    """Remove an earlier build of the interfaces, so that no message outlives its definition."""
    packages = Path(sysconfig.get_path('purelib'))
    for path in (
        prefix / 'share' / package,
        prefix / 'include' / package,
        packages / package,
        *packages.glob(f'{package}-*'),
    ):
        shutil.rmtree(path, ignore_errors=True)
    for library in (prefix / 'lib').glob(f'lib{package}__*'):
        library.unlink()
    for resource in (prefix / 'share' / 'ament_index').rglob(package):
        resource.unlink()


def build(source: Path, base: Path, prefix: Path, target: Path | None = None) -> int:
    """Build the packages in ``source`` with colcon.

    Args:
        source: folder of the interface package, or of several.
        base: folder for the build and log files.
        prefix: prefix of the environment.
        target: prefix to install it into; that of the environment if not given.

    Returns:
        colcon's exit status.
    """
    scripts = prefix / 'bin'
    env = {
        **os.environ,
        'PATH': f'{scripts}{os.pathsep}{os.environ.get("PATH", "")}',
        'AMENT_PREFIX_PATH': str(prefix),
        'CMAKE_PREFIX_PATH': str(prefix),
        'COLCON_LOG_PATH': str(base / 'log'),
    }
    command = [
        *(sys.executable, '-m', 'colcon', 'build', '--merge-install'),
        *('--base-paths', *map(str, packages_in(source)), '--build-base', str(base / 'build')),
        *('--install-base', str(target or prefix), '--event-handlers', 'console_direct+'),
        *('--cmake-args', '-DBUILD_TESTING=OFF', f'-DPython3_EXECUTABLE={sys.executable}'),
    ]
    return subprocess.run(command, env=env, check=False).returncode


def packages_in(folder: Path) -> list[Path]:
    """Return the folder if it is a package, and otherwise those in it."""
    if (folder / 'package.xml').is_file():
        return [folder]
    return sorted(path.parent for path in folder.glob('*/package.xml'))


def main(arguments: list[str]) -> int:
    """Relocate the exports, then build; return the exit status."""
    prefix = Path(sys.prefix)
    root = Path(__file__).resolve().parent.parent
    base = Path(arguments[0]).resolve()
    source = root / (arguments[1:] or [PACKAGE])[0]
    print(f'{relocate_exports(prefix)} exported files relocated', flush=True)
    for package in packages_in(source):
        remove_installed(prefix, package.name)
    shutil.rmtree(base / 'build', ignore_errors=True)
    return build(source, base, prefix)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
