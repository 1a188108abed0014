# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""The robot as a URDF file, written from the MuJoCo model.

Its root is ``base_link``: the pose of the base is in TF. Links have the names of their frames,
joints those of the joint states.
"""

from __future__ import annotations

import math
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

import mujoco
import numpy as np

from reactree_ros.ros.arm.links import BASE_LINK, Link, links_of, pose_from
from reactree_ros.sim.physics.geometry import Pose, Vector
from reactree_ros.sim.physics.scene import ARM_JOINTS, GRIPPER
from reactree_ros.sim.physics.trajectory import MAX_SPEED

_FINGER_SPEED = 0.2
_HIDDEN_GROUP = 3
"""MuJoCo does not draw geoms of this group and above."""


def urdf_of(model: mujoco.MjModel) -> str:
    """Return the robot's URDF: lengths in metres, meshes by the paths of their files."""
    robot = Element('robot', name='panda_mobile')
    _link(robot, model, BASE_LINK, model.body('base').id)
    for link in links_of(model):
        _link(robot, model, link.name, link.body)
        _joint(robot, model, link)
    ElementTree.indent(robot)
    return ElementTree.tostring(robot, encoding='unicode')


def _link(robot: Element, model: mujoco.MjModel, name: str, body: int) -> None:
    link = SubElement(robot, 'link', name=name)
    geoms = np.flatnonzero(model.geom_bodyid == body)
    drawn = [one for one in geoms if model.geom_group[one] < _HIDDEN_GROUP]
    touching = [one for one in geoms if model.geom_contype[one]]
    for kind, chosen in (('visual', drawn), ('collision', touching)):
        for geom in map(int, chosen):
            element = SubElement(link, kind)
            _origin(element, _shape(SubElement(element, 'geometry'), model, geom))
            if kind == 'visual':
                material = int(model.geom_matid[geom])
                rgba = model.mat_rgba[material] if material >= 0 else model.geom_rgba[geom]
                colour = SubElement(element, 'material', name=f'{name} {geom}')
                SubElement(colour, 'color', rgba=_numbers(rgba))


def _shape(parent: Element, model: mujoco.MjModel, geom: int) -> Pose:
    """Add the shape of a geom; return where it is in its link."""
    frame = pose_from(model.geom_pos[geom], model.geom_quat[geom])
    size, kinds = model.geom_size[geom], mujoco.mjtGeom
    match model.geom_type[geom]:
        case kinds.mjGEOM_BOX:
            SubElement(parent, 'box', size=_numbers(2 * size))
        case kinds.mjGEOM_SPHERE:
            SubElement(parent, 'sphere', radius=_numbers(size[:1]))
        case kinds.mjGEOM_CYLINDER | kinds.mjGEOM_CAPSULE:
            lengths = {'radius': _numbers(size[:1]), 'length': _numbers(2 * size[1:2])}
            SubElement(parent, 'cylinder', lengths)
        case kinds.mjGEOM_MESH:
            mesh = int(model.geom_dataid[geom])
            SubElement(parent, 'mesh', filename=_mesh_file(model, mesh).as_uri())
            # MuJoCo moves a mesh to its centre and axes of inertia.
            return frame @ pose_from(model.mesh_pos[mesh], model.mesh_quat[mesh]).inverse()
    return frame


def _mesh_file(model: mujoco.MjModel, mesh: int) -> Path:
    begin = int(model.mesh_pathadr[mesh])
    return Path(model.paths[begin : model.paths.index(b'\0', begin)].decode())


def _joint(robot: Element, model: mujoco.MjModel, link: Link) -> None:
    number = link.joint
    name = model.joint(number).name if number >= 0 else ''
    slides = number >= 0 and model.jnt_type[number] == mujoco.mjtJoint.mjJNT_SLIDE
    joint = SubElement(
        robot,
        'joint',
        name=name.rpartition('/')[2] or f'{link.name}_joint',
        type='prismatic' if slides else 'revolute' if name else 'fixed',
    )
    SubElement(joint, 'parent', link=link.parent)
    SubElement(joint, 'child', link=link.name)
    _origin(joint, link.frame)
    if not name:
        return
    SubElement(joint, 'axis', xyz=_numbers(model.jnt_axis[number]))
    low, high = model.jnt_range[number]
    speed, effort = _FINGER_SPEED, model.actuator(GRIPPER).forcerange[1] / 2
    if name in ARM_JOINTS:
        speed = MAX_SPEED[ARM_JOINTS.index(name)]
        effort = model.actuator(name).forcerange[1]
    limits = {'lower': low, 'upper': high, 'velocity': speed, 'effort': effort}
    SubElement(joint, 'limit', {key: f'{value:.6g}' for key, value in limits.items()})


def _origin(parent: Element, frame: Pose) -> None:
    turn = frame.rotation
    pitch = math.atan2(-turn[2, 0], math.hypot(turn[0, 0], turn[1, 0]))
    if abs(turn[2, 0]) < 1 - 1e-9:
        roll, yaw = math.atan2(turn[2, 1], turn[2, 2]), math.atan2(turn[1, 0], turn[0, 0])
    else:  # roll and yaw turn about the same axis
        roll, yaw = 0.0, math.atan2(-turn[0, 1], turn[1, 1])
    SubElement(parent, 'origin', xyz=_numbers(frame.position), rpy=_numbers([roll, pitch, yaw]))


def _numbers(values: Vector | list[float]) -> str:
    # Adding 0 makes 0 of -0.
    return ' '.join(f'{round(float(value), 9) + 0.0:.9g}' for value in values)
