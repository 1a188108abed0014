# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Installs the package, its data below share/reactree_ros and its programs."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from setuptools import find_packages, setup

NAME = 'reactree_ros'
ROOT = Path(__file__).resolve().parent
SHARE = Path('share') / NAME


def version() -> str:
    """Return the version, whose only place is package.xml."""
    text = ElementTree.parse(ROOT / 'package.xml').findtext('version')
    if not text:
        raise ValueError('package.xml: no <version>')
    return text.strip()


def data_files() -> list[tuple[str, list[str]]]:
    """Return (target folder, files) for every folder of data, and for what ament asks for."""
    entries = [
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (str(SHARE), ['package.xml']),
    ]
    for top in ('behaviors', 'config', 'launch', 'resource'):
        for folder in [ROOT / top, *sorted((ROOT / top).rglob('*'))]:
            if not folder.is_dir() or folder.name == '__pycache__':
                continue
            files = [
                str(file.relative_to(ROOT))
                for file in sorted(folder.iterdir())
                if file.is_file() and file != ROOT / 'resource' / NAME
            ]
            if files:
                entries.append((str(SHARE / folder.relative_to(ROOT)), files))
    return entries


setup(
    name=NAME,
    version=version(),
    description='Language-model agent trees on py_trees for ROS 2.',
    author='the reactree_ros authors',
    maintainer='the reactree_ros authors',
    maintainer_email='maintainers@reactree-ros.invalid',
    license='Apache-2.0',
    python_requires='>=3.10',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_data={NAME: ['py.typed', 'viewer/page/*']},
    data_files=data_files(),
    # What each room needs is pinned in requirements/ and named by rosdep key in package.xml.
    install_requires=['setuptools'],
    zip_safe=False,
    entry_points={
        'console_scripts': [
            'reactree = reactree_ros.commands.main:main',
            'planner = reactree_ros.ros.start:planner',
            'household_bridge = reactree_ros.ros.start:household_bridge',
            'pddl_bridge = reactree_ros.ros.start:pddl_bridge',
            'viewer = reactree_ros.ros.start:viewer',
            'evaluate = reactree_ros.commands.evaluate:main',
        ],
    },
)
