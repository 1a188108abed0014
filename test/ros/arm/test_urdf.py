# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The URDF has the kinematics, limits and meshes of the model that it is written from."""

from __future__ import annotations

from urllib.parse import urlparse
from urllib.request import url2pathname
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
import pytest

mujoco = pytest.importorskip('mujoco')

from reactree_ros.ros.arm.links import frame_of  # noqa: E402
from reactree_ros.ros.arm.urdf import urdf_of  # noqa: E402
from reactree_ros.sim.physics.description import shipped_description  # noqa: E402
from reactree_ros.sim.physics.geometry import Pose, standing  # noqa: E402
from reactree_ros.sim.physics.scene import ARM_JOINTS, FINGER_JOINTS, build  # noqa: E402


@pytest.fixture
def model() -> mujoco.MjModel:
    return build(shipped_description('kitchen'))


@pytest.fixture
def robot(model: mujoco.MjModel) -> Element:
    return ElementTree.fromstring(urdf_of(model))


def numbers(text: str) -> np.ndarray:
    return np.array([float(word) for word in text.split()])


def turned(axis: np.ndarray, angle: float) -> np.ndarray:
    quaternion, rotation = np.empty(4), np.empty(9)
    mujoco.mju_axisAngle2Quat(quaternion, axis, angle)
    mujoco.mju_quat2Mat(rotation, quaternion)
    return rotation.reshape(3, 3)


def origin(element: Element) -> Pose:
    found = element.find('origin')
    roll, pitch, yaw = numbers(found.get('rpy'))
    x, y, z = np.eye(3)
    rotation = turned(z, yaw) @ turned(y, pitch) @ turned(x, roll)
    return Pose(rotation, numbers(found.get('xyz')))


def forward(robot: Element, positions: dict[str, float]) -> dict[str, Pose]:
    """Return the links in the frame of the root, by URDF's rules."""
    frames = {'base_link': standing((0, 0, 0))}
    for joint in robot.iter('joint'):
        frame = origin(joint)
        if joint.get('type') != 'fixed':
            axis, value = numbers(joint.find('axis').get('xyz')), positions[joint.get('name')]
            if joint.get('type') == 'revolute':
                frame = frame @ Pose(turned(axis, value), np.zeros(3))
            else:
                frame = frame @ Pose(np.eye(3), axis * value)
        frames[joint.find('child').get('link')] = frames[joint.find('parent').get('link')] @ frame
    return frames


def test_its_forward_kinematics_are_those_of_the_model(
    model: mujoco.MjModel, robot: Element
) -> None:
    data, random = mujoco.MjData(model), np.random.default_rng(0)
    for _ in range(20):
        positions = {}
        for name in (*ARM_JOINTS, *FINGER_JOINTS):
            value = random.uniform(*model.joint(name).range)
            data.joint(name).qpos[0] = positions[name.rpartition('/')[2]] = value
        data.joint('base_x').qpos[0], data.joint('base_yaw').qpos[0] = random.uniform(-1, 1, 2)
        mujoco.mj_kinematics(model, data)
        base = frame_of(data, model.body('base').id).inverse()
        frames = forward(robot, positions)
        bodies = [name for name in frames if name.startswith('panda_link')]
        assert len(bodies) == 9
        for name, body in (
            *((name, f'arm/{name}') for name in bodies),
            *((f'panda_{one}', f'arm/hand/panda_{one}') for one in ('hand', 'leftfinger')),
            ('panda_rightfinger', 'arm/hand/panda_rightfinger'),
        ):
            wanted = base @ frame_of(data, model.body(body).id)
            np.testing.assert_allclose(frames[name].position, wanted.position, atol=1e-6)
            np.testing.assert_allclose(frames[name].rotation, wanted.rotation, atol=1e-6)
        tip = data.site('arm/hand/TCP').xpos
        wanted = base.position + base.rotation @ tip
        np.testing.assert_allclose(frames['panda_hand_tcp'].position, wanted, atol=1e-6)


def test_its_joints_have_the_limits_of_the_model(model: mujoco.MjModel, robot: Element) -> None:
    joints = {one.get('name'): one for one in robot.iter('joint') if one.get('type') != 'fixed'}
    assert list(joints) == [name.rpartition('/')[2] for name in (*ARM_JOINTS, *FINGER_JOINTS)]
    for name in (*ARM_JOINTS, *FINGER_JOINTS):
        limit = joints[name.rpartition('/')[2]].find('limit')
        low, high = float(limit.get('lower')), float(limit.get('upper'))
        assert (low, high) == pytest.approx(tuple(model.joint(name).range), abs=1e-4)
        assert float(limit.get('velocity')) > 0
        assert float(limit.get('effort')) > 0


def test_its_meshes_are_files_that_lie_where_the_links_are(robot: Element) -> None:
    meshes = [one for one in robot.iter('visual') if one.find('geometry/mesh') is not None]
    assert len(meshes) == 11
    for one in meshes:
        uri = urlparse(one.find('geometry/mesh').get('filename'))
        assert uri.scheme == 'file'
        with open(url2pathname(uri.path), encoding='utf-8') as file:
            assert any(line.startswith('v ') for line in file)
        # The arm's own description has all its meshes at the origins of links.
        frame = origin(one)
        np.testing.assert_allclose(frame.position, 0, atol=1e-6)
        np.testing.assert_allclose(frame.rotation, np.eye(3), atol=1e-5)


def test_every_link_but_frames_can_be_seen_and_touched(robot: Element) -> None:
    bare = {'panda_link8', 'panda_hand_tcp', 'head_camera_link', 'head_camera_optical_frame'}
    for link in robot.iter('link'):
        if link.get('name') not in {*bare, 'base_laser_link'}:
            assert link.find('visual/geometry') is not None, link.get('name')
            assert link.find('collision/geometry') is not None, link.get('name')
