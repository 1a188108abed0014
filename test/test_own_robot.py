# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The README's own robot, as a reader does it: the files and commands are taken from the page.

Real are the language model behind the server, the planner's processes and the action server. As
``nav2_msgs`` has no wheel, an interface package with the same fields is built if there is none.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip('rclpy')

from .models.conftest import llama_server  # noqa: E402, F401

pytestmark = [pytest.mark.ros, pytest.mark.model]

ROOT = Path(__file__).parents[1]
README = (ROOT / 'README.md').read_text(encoding='utf-8')
SECTION = README.partition('\n## Your own robot\n')[2].partition('\n## ')[0]
PATIENCE_SEC = 240.0
PACKAGE = {
    'package.xml': """<?xml version="1.0"?>
<package format="3">
  <name>nav2_msgs</name><version>0.0.0</version><description>For a test.</description>
  <maintainer email="nobody@example.org">nobody</maintainer><license>Apache-2.0</license>
  <buildtool_depend>ament_cmake</buildtool_depend>
  <buildtool_depend>rosidl_default_generators</buildtool_depend>
  <depend>action_msgs</depend><depend>builtin_interfaces</depend><depend>geometry_msgs</depend>
  <exec_depend>rosidl_default_runtime</exec_depend>
  <member_of_group>rosidl_interface_packages</member_of_group>
  <export><build_type>ament_cmake</build_type></export>
</package>
""",
    'CMakeLists.txt': """cmake_minimum_required(VERSION 3.20)
project(nav2_msgs)
find_package(ament_cmake REQUIRED)
find_package(rosidl_default_generators REQUIRED)
find_package(action_msgs REQUIRED)
find_package(builtin_interfaces REQUIRED)
find_package(geometry_msgs REQUIRED)
rosidl_generate_interfaces(${PROJECT_NAME} "action/NavigateToPose.action"
  DEPENDENCIES action_msgs builtin_interfaces geometry_msgs)
ament_package()
""",
    'action/NavigateToPose.action': """geometry_msgs/PoseStamped pose
string behavior_tree
---
uint16 NONE=0
uint16 error_code
string error_msg
---
geometry_msgs/PoseStamped current_pose
builtin_interfaces/Duration navigation_time
builtin_interfaces/Duration estimated_time_remaining
int16 number_of_recoveries
float32 distance_remaining
""",
}
BASE = """
import json
import rclpy
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionServer

def drive(goal):
    at = goal.request.pose
    where, turn = at.pose.position, at.pose.orientation
    print(json.dumps([at.header.frame_id, where.x, where.y, turn.z, turn.w]), flush=True)
    goal.succeed()
    return NavigateToPose.Result()

rclpy.init()
node = rclpy.create_node('bt_navigator')
server = ActionServer(node, NavigateToPose, 'navigate_to_pose', drive)
rclpy.spin(node)
"""


def ros_wheels() -> Any:
    """Return the script that builds interfaces on the wheels of ROS 2."""
    spec = importlib.util.spec_from_file_location('ros_wheels', ROOT / 'scripts' / 'ros_wheels.py')
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Environment of the processes: nav2_msgs can be imported, nothing reaches the user's files."""
    env = {**os.environ, 'XDG_DATA_HOME': str(tmp_path / 'data'), 'COLUMNS': '200'}
    if importlib.util.find_spec('nav2_msgs') is not None:
        return env
    if not (Path(sys.prefix) / 'share' / 'rosidl_default_generators').is_dir():
        pytest.skip('nav2_msgs is not installed, and interfaces are built here on the wheels only')
    source, installed = tmp_path / 'src', tmp_path / 'install'
    for name, text in PACKAGE.items():
        file = source / 'nav2_msgs' / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding='utf-8')
    assert ros_wheels().build(source, tmp_path, Path(sys.prefix), installed) == 0
    (packages,) = installed.glob('lib/python3*/site-packages')
    for name, path in (
        ('PYTHONPATH', packages),
        ('AMENT_PREFIX_PATH', installed),
        ('LD_LIBRARY_PATH', installed / 'lib'),
    ):
        env[name] = os.pathsep.join(filter(None, (str(path), env.get(name, ''))))
    return env


def block(kind: str) -> str:
    """Return the only code block of this kind in the README's section."""
    blocks = re.findall(r'^```(\w*)\n(.*?)^```', SECTION, re.M | re.S)
    (text,) = (text for found, text in blocks if found == kind)
    return text


@contextmanager
def process(command: list[str], folder: Path, env: dict[str, str]) -> Iterator[Path]:
    """Run a process in the background, and yield the file that its output goes to."""
    output = folder / f'{len(list(folder.glob("*.out")))}.out'
    with (
        output.open('wb') as file,
        subprocess.Popen(
            command, cwd=folder, env=env, stdout=file, stderr=subprocess.STDOUT
        ) as running,
    ):
        try:
            yield output
        finally:
            running.terminate()
            running.wait(timeout=60.0)


def test_the_readmes_robot_reaches_its_goal(
    tmp_path: Path,
    environment: dict[str, str],
    llama_server: str,  # noqa: F811
) -> None:
    folder = tmp_path / 'robot'
    folder.mkdir()
    (folder / 'my_base.yaml').write_text(block('yaml'), encoding='utf-8')
    (folder / 'my_base.txt').write_text(block('text'), encoding='utf-8')
    program = [sys.executable, '-m', 'reactree_ros.cli.main']
    lines = (shlex.split(line, comments=True) for line in block('').splitlines())
    check, up, send = ([*program, *words[1:]] for words in lines)
    up = [llama_server if word == 'http://gpu-box:8000/v1' else word for word in up]
    assert llama_server in up

    checked = subprocess.run(
        check, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr

    with (
        process([sys.executable, '-c', BASE], folder, environment) as poses,
        process(up, folder, environment) as log,
    ):
        deadline = time.monotonic() + PATIENCE_SEC
        while 'ready; send a goal' not in log.read_text():
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.2)
        sent = subprocess.run(
            send,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SEC,
            check=False,
        )
        assert sent.returncode == 0, sent.stdout + sent.stderr + log.read_text()
        driven = [json.loads(line) for line in poses.read_text().splitlines()]
    assert driven[-1] == pytest.approx(['map', 2.4, 1.1, 0.5**0.5, 0.5**0.5])
