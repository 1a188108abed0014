# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""How the command line is called, and what is started with what."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from configparser import ConfigParser
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from reactree_ros.cli import main
from reactree_ros.cli.domain import private_domain
from reactree_ros.cli.processes import ARGUMENTS, chosen, processes_of
from reactree_ros.models.local.embedded import DEFAULT_MODEL, GENERALIST, MODELS
from reactree_ros.paths import share
from reactree_ros.ros.nodes import start as starter
from reactree_ros.sim.household import shipped_tasks

ROOT = Path(__file__).parents[2]


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main.run(['--help'])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    for name in ('demo', 'up', 'send', 'reactree send "put the apple in the fridge"'):
        assert name in shown


def test_the_readme_says_how_to_call_it_after_colcon_build() -> None:
    page = (ROOT / 'README.md').read_text(encoding='utf-8')
    block = page.partition('\npython -m colcon build ')[2].partition('```')[0]
    alias = "alias reactree='ros2 run reactree_ros reactree'"
    lines = block.splitlines()
    (defined,) = (number for number, line in enumerate(lines) if line.startswith(alias))
    called = [number for number, line in enumerate(lines) if line.startswith('reactree ')]
    assert called and defined < min(called)
    # ros2 run looks in lib/reactree_ros, where setup.cfg has setup.py put the program
    config = ConfigParser()
    config.read(ROOT / 'setup.cfg')
    assert config['install']['install_scripts'] == '$base/lib/reactree_ros'
    assert "'reactree = reactree_ros.cli.main:main'" in (ROOT / 'setup.py').read_text()


def test_a_command_that_cannot_be_imported_leaves_the_others_usable(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, 'reactree_ros.cli.send', None)
    monkeypatch.setitem(sys.modules, 'reactree_ros.cli.demo', None)
    assert main.run(['skills', 'schema']) == 0
    with pytest.raises(SystemExit) as ended:
        main.run(['send', '--namespace', 'robot1', '--help'])
    assert ended.value.code == 2
    shown = capsys.readouterr().err
    assert "reactree send: error: the command 'send' (reactree_ros.cli.send): reac" in shown


@pytest.mark.parametrize(
    'arguments', ['send hi', 'demo', 'skills try household', 'replay --audit', 'mcp']
)
def test_without_ros_it_is_said_what_is_missing(arguments: str, tmp_path: Path) -> None:
    missing = 'raise ModuleNotFoundError("No module named \'rclpy\'", name="rclpy")\n'
    (tmp_path / 'rclpy.py').write_text(missing)
    (tmp_path / 'runs').mkdir()
    file = [str(tmp_path / 'x.mcap')] if arguments.startswith('replay') else []
    done = subprocess.run(
        [sys.executable, '-m', 'reactree_ros.cli.main', *arguments.split(), *file],
        env={**os.environ, 'PYTHONPATH': f'{tmp_path}:{os.environ.get("PYTHONPATH", "")}'},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last.endswith('rclpy is not installed (source a ROS 2 installation)')
    assert 'Traceback' not in done.stderr


@pytest.mark.parametrize('domain', ['abc', '233', '-1'])
def test_a_domain_that_ros_does_not_have_is_named(
    domain: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv('ROS_DOMAIN_ID', domain)
    assert main.run(['send', 'x']) == 2
    assert f'ROS_DOMAIN_ID is {domain!r}, not a number from 0 to 232' in capsys.readouterr().err


def test_a_parameter_file_for_other_nodes_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / 'mine.yaml'
    file.write_text('robot1:\n  planer:\n    ros__parameters: {autostart: true}\n')
    assert main.run(['up', '--params-file', str(file)]) == 2
    assert 'it is for planer, but the nodes are called household_bridge, reactree_planner' in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize('section', ['/**', 'reactree_planner', '/robot1/reactree_planner'])
def test_a_parameter_file_for_one_of_the_nodes_is_taken(section: str, tmp_path: Path) -> None:
    file = tmp_path / 'mine.yaml'
    file.write_text(f'{section}:\n  ros__parameters: {{autostart: true}}\n')
    assert chosen({'params_file': str(file)})


def test_a_reader_may_go_before_the_end() -> None:
    command = [sys.executable, '-m', 'reactree_ros.lab.cli.main', 'tasks', 'list', 'long_train']
    # more than a pipe holds
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as lister:
        assert lister.stdout is not None
        assert lister.stderr is not None
        lister.stdout.readline()
        lister.stdout.close()
        assert lister.stderr.read() == b''
        assert lister.wait() == 141


def test_a_goal_without_quotes_is_understood(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main.run('send put the apple away'.split())
    (error,) = (line for line in capsys.readouterr().err.splitlines() if 'error: ' in line)
    assert error == (
        'reactree send: error: unrecognized arguments: the apple away; put the goal in quotes'
    )


@pytest.mark.parametrize(
    'arguments',
    [
        [],
        ['fly'],
        ['send'],
        ['up', '--sim', 'perhaps'],
        ['up', '--log-level', 'loud'],
        ['demo', '--task', 'one'],
        ['demo', '--max-decisions', '4294967297'],
        ['demo', '--max-duration', 'nan'],
        ['send', 'x', '--max-depth', '-1'],
        ['send', 'x', '--wait', 'nan'],
        ['send', 'x', '--priority', '3000000000'],
        ['bench', '--tasks', '77'],
        ['bench', '--tasks', '1,x'],
        ['demo', '--task', '1', '--goal', 'x'],
        ['send', 'x', '--namespace', 'robot 1'],
        ['up', '--check-service', '2nd/check'],
        ['view', '--camera', 'a//b'],
        ['skills', 'try', 'household', '--namespace', 'robot 1'],
        ['memory', 'import', 'x.txt', '--strategy', 'reactre'],
    ],
)
def test_a_wrong_call_ends_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main.run(arguments)
    assert ended.value.code == 2
    assert 'usage: reactree' in capsys.readouterr().err


@pytest.mark.parametrize(
    ('arguments', 'named'),
    [
        (['demo', '--task', '999'], 'there is no task 999'),
        (['demo', '--goal', ' '], '--goal is empty'),
        (['demo', '--report', '/no/such/folder/report.json'], '--report cannot be written'),
        (['demo', '--task', '1', '--scene', 'apartment_1'], '--scene goes with --goal'),
    ],
)
def test_a_wrong_choice_ends_with_2(
    arguments: list[str], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main.run(arguments) == 2
    assert named in capsys.readouterr().err


def test_the_tasks_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(['demo', '--list']) == 0
    listed = capsys.readouterr().out
    assert len(listed.splitlines()) > len(shipped_tasks()) >= 10
    assert shipped_tasks()[0].instruction in listed


HOUSEHOLD = ['--params-file', str(share('config', 'household.yaml'))]


def test_a_node_gets_what_was_given_and_what_its_world_needs() -> None:
    bridge, planner, viewer = processes_of()
    given = {'scene': 'a "b" c', 'task': '3', 'model': '1', 'params_file': '/p.yaml'}
    assert bridge.arguments(given) == [
        '--ros-args', '--params-file', '/p.yaml', '-p', 'scene:="a \\"b\\" c"', '-p', 'task:=3',
    ]  # fmt: skip
    assert planner.arguments({'model': '1', 'log_level': 'warn'}) == [
        '--ros-args', *HOUSEHOLD, '-p', 'model.name:="1"', '--log-level', 'warn',
    ]  # fmt: skip
    assert planner.arguments({'namespace': 'robot1', 'autostart': 'false'}) == [
        '--ros-args', '-r', '__ns:=/robot1', *HOUSEHOLD, '-p', 'autostart:=false',
    ]  # fmt: skip
    assert viewer.arguments({'runs': 'none', 'model': '1'}) == ['--ros-args', '-p', 'runs_dir:=""']


def test_without_simulation_there_is_no_household() -> None:
    assert [process.name for process in chosen({'sim': 'none'})] == ['reactree_planner']
    assert len(chosen({})) == 2
    names = [process.name for process in chosen({'sim': 'pddl'})]
    assert names == ['pddl_bridge', 'reactree_planner']


def test_all_robots_are_in_one_household() -> None:
    given = {'robots': 'anna, bert', 'namespace': 'hall', 'viewer': 'true'}
    house, planner, viewer = chosen(given)
    assert house.arguments(given) == [
        '--ros-args', '-r', '__ns:=/hall', '-p', 'robots:=["anna", "bert"]',
    ]  # fmt: skip
    assert planner.arguments(given) == [
        '--ros-args', '-r', '__ns:=/hall', *HOUSEHOLD, '-p', 'robots:=["anna", "bert"]',
    ]  # fmt: skip
    assert viewer.vital is False
    assert planner.vital


def test_every_process_argument_can_be_given() -> None:
    names = {argument.name for argument in ARGUMENTS}
    pddl, *_ = processes_of('pddl')
    processes = (*processes_of(), pddl)
    for process in processes:
        assert {*process.parameters} <= names
        assert importlib.util.find_spec(process.module)
        (program,) = entry_points(group='console_scripts', name=process.executable)
        start = program.load()
        assert (start.func, start.args) == (starter.start, (process.module,))


def test_the_viewer_has_an_address_of_its_own_among_the_arguments() -> None:
    given = {'viewer': 'true', 'viewer_host': 'fe80::1', 'viewer_port': '0', 'runs': 'none'}
    *_, viewer = chosen(given)
    assert viewer.arguments(given) == [
        '--ros-args', '-p', 'runs_dir:=""', '-p', 'host:="fe80::1"', '-p', 'port:=0',
    ]  # fmt: skip


def test_private_domains_differ() -> None:
    with private_domain() as first, private_domain() as second:
        assert first != second


def test_the_launch_file_starts_the_same_processes() -> None:
    launch = pytest.importorskip('launch')
    pytest.importorskip('launch_ros')
    path = ROOT / 'launch' / 'planner.launch.py'
    spec = importlib.util.spec_from_file_location('planner_launch', path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    description = module.generate_launch_description()
    declared = {argument.name for argument in description.get_launch_arguments()}
    assert declared == {argument.name for argument in ARGUMENTS}
    context = launch.LaunchContext()
    context.launch_configurations.update({a.name: a.default for a in ARGUMENTS})
    assert len(module.start_nodes(context)) == 2
    context.launch_configurations['viewer'] = 'true'
    assert len(module.start_nodes(context)) == 3
    context.launch_configurations['sim'] = 'pddl'
    assert len(module.start_nodes(context)) == 3, 'another bridge'
    context.launch_configurations['viewer'] = 'false'
    context.launch_configurations['sim'] = 'none'
    assert len(module.start_nodes(context)) == 1


def test_the_packaged_models_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(['models', 'list']) == 0
    listed = capsys.readouterr().out.splitlines()
    assert [line.partition(':')[0] for line in listed] == list(MODELS)
    assert [line.partition(':')[0] for line in listed if 'the default' in line] == [
        DEFAULT_MODEL,
        GENERALIST,
    ]


def test_a_model_that_is_not_known_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(['models', 'prepare', 'nobody']) == 2
    assert "there is no model 'nobody'" in capsys.readouterr().err
