# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the MuJoCo model of a described world: furniture, things and a Panda on a driving base.

The Panda comes from the package dm-robotics-panda (meshes of franka_ros, Apache-2.0); all else is
made of boxes, cylinders and spheres. Frames: a piece of furniture has its origin on the floor
below its middle, +x out of its front. Lengths are metres, angles radians.
"""

from __future__ import annotations

import importlib.metadata
import math
from collections.abc import Sequence
from pathlib import Path

import mujoco
import numpy as np

from reactree_ros.errors import ConfigurationError
from reactree_ros.sim.physics.description import (
    CUPBOARD_HEIGHT,
    DRAWER_DEPTH,
    Description,
    Furniture,
    Thing,
)
from reactree_ros.sim.physics.rooms import WALL_HEIGHT, Wall

ARM_JOINTS = tuple(f'arm/panda_joint{number}' for number in range(1, 8))
FINGER_JOINTS = ('arm/hand/panda_finger_joint1', 'arm/hand/panda_finger_joint2')
BASE_JOINTS = ('base_x', 'base_y', 'base_yaw')
GRIPPER = 'gripper'
TCP = 'arm/hand/TCP'
"""Site between the fingertips: z out of the hand, the fingers move along y."""
CAMERA = 'head'
LASER_HEIGHT = 0.2
"""Height of the lidar in the middle of the base (m)."""
TIMESTEP = 0.002
"""Seconds."""
ARM_HEIGHT = 0.44
"""Height of the arm's first link above the floor."""
DECK = (-0.33, 0.19)
"""Middle of the free place on the robot's deck, in the frame of the base."""
DRAWER_TRAVEL = 0.3
"""How far a drawer comes out (m)."""
DOOR_RANGE = 1.9
"""How far a door turns (rad)."""
_OPENED = 0.85
"""What is open at the start is open by this share of it, about as far as the robot opens it."""

# Position servos of the arm: stiffness, damping and largest torque of each joint.
_ARM_GAINS = (
    *((4500.0, 450.0, 87.0),) * 2,
    *((3500.0, 350.0, 87.0),) * 2,
    *((1500.0, 60.0, 12.0),) * 3,
)
_MAX_FINGER_FORCE = 70.0
"""Of each finger (N)."""
_WALL = 0.018
_WOOD = (0.72, 0.53, 0.36, 1.0)
_WOOD_DENSITY = 600.0
"""kg/m³"""
_WHITE = (0.88, 0.87, 0.84, 1.0)
_PLASTER = (0.9, 0.88, 0.85, 0.4)
"""Translucent in pictures, opaque for the rays of camera and lidar."""
_STEEL = (0.55, 0.57, 0.6, 1.0)
_LIFT = 0.001
"""Walls of vessels and trays stand this much above their bottom, which alone touches the table."""
_HULL_VERTICES = 48
"""Of the convex hulls of the arm's meshes, which are what touches."""


def build(description: Description) -> mujoco.MjModel:
    """Build the model of a world.

    Raises:
        ConfigurationError: the robot's model is not installed, or a thing has no place.
    """
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    spec.option.timestep = TIMESTEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.option.impratio = 10
    _surroundings(spec)
    for name, wall in description.walls.items():
        _wall(spec, name, wall)
    for piece in description.furniture.values():
        _BUILDERS[piece.kind](spec, piece)
    for thing in description.things.values():
        _thing(spec, thing)
    _robot(spec)
    return spec.compile()


def _surroundings(spec: mujoco.MjSpec) -> None:
    world = spec.worldbody
    world.add_light(pos=[0, 0, 3.5], dir=[0.2, 0.1, -1], castshadow=False)
    world.add_light(pos=[0, -3, 3], dir=[0, 0.6, -0.8], castshadow=False)
    world.add_geom(
        name='floor',
        type=mujoco.mjtGeom.mjGEOM_PLANE,
        size=[0, 0, 0.05],
        rgba=[0.8, 0.78, 0.74, 1],
    )


def _box(
    body: mujoco.MjsBody,
    low: Sequence[float],
    high: Sequence[float],
    rgba: Sequence[float],
    name: str = '',
    *,
    density: float = 1000.0,
    mass: float | None = None,
) -> None:
    """Add a box between two corners; its mass follows from its density (kg/m³) or is given."""
    weight = {'density': density} if mass is None else {'mass': mass}
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=[(a + b) / 2 for a, b in zip(low, high, strict=True)],
        size=[(b - a) / 2 for a, b in zip(low, high, strict=True)],
        rgba=list(rgba),
        **weight,
    )


def _wall(spec: mujoco.MjSpec, name: str, wall: Wall) -> None:
    body = spec.worldbody.add_body(name=name)
    for low, high in wall.parts():
        _box(body, (*low, 0.0), (*high, WALL_HEIGHT), _PLASTER)


def _body(spec: mujoco.MjSpec, piece: Furniture) -> mujoco.MjsBody:
    return spec.worldbody.add_body(
        name=piece.name,
        pos=[*piece.at, 0.0],
        quat=[math.cos(piece.yaw / 2), 0, 0, math.sin(piece.yaw / 2)],
    )


def _handle(body: mujoco.MjsBody, name: str, front: float, y: float, z: float, along: str) -> None:
    """Add a bar to pull at, 5.5 cm before a front."""
    half = 0.06
    step = (0.0, half, 0.0) if along == 'y' else (0.0, 0.0, half)
    middle = (front + 0.055, y, z)
    ends = [tuple(m + s * d for m, d in zip(middle, step, strict=True)) for s in (-1, 1)]
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_CAPSULE,
        fromto=[*ends[0], *ends[1]],
        size=[0.008, 0, 0],
        rgba=list(_STEEL),
        friction=[1.2, 0.01, 0.001],
        condim=4,
    )
    for end in ends:
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_CAPSULE,
            fromto=[front, *end[1:], *end],
            size=[0.006, 0, 0],
            rgba=list(_STEEL),
        )
    body.add_site(name=f'{name} site', pos=list(middle))


def _top(body: mujoco.MjsBody, piece: Furniture, thick: float) -> None:
    """Add the board on top of a piece of furniture."""
    depth, width, height = piece.size
    low, high = (-depth / 2, -width / 2, height - thick), (depth / 2, width / 2, height)
    _box(body, low, high, _WOOD, f'{piece.name} top')


def _table(spec: mujoco.MjSpec, piece: Furniture) -> None:
    body = _body(spec, piece)
    depth, width, height = piece.size
    _top(body, piece, 0.04)
    for x in (-1, 1):
        for y in (-1, 1):
            corner = (x * (depth / 2 - 0.04), y * (width / 2 - 0.04))
            body.add_geom(
                type=mujoco.mjtGeom.mjGEOM_CYLINDER,
                pos=[*corner, (height - 0.04) / 2],
                size=[0.025, (height - 0.04) / 2, 0],
                rgba=list(_WOOD),
            )


def _counter(spec: mujoco.MjSpec, piece: Furniture) -> None:
    """A cabinet with a drawer below its top, in the middle of its front."""
    body = _body(spec, piece)
    depth, width, height = piece.size
    front, half, top = depth / 2, width / 2, 0.03
    _top(body, piece, top)
    if not piece.drawer:
        _box(body, (-front, -half, 0), (front, half, height - top), _WHITE)
        return
    gap, bottom, rim = 0.006, 0.012, 0.12
    inner, low = 0.21, height - DRAWER_DEPTH - gap - bottom
    _box(body, (-front, -half, 0), (front, half, low), _WHITE)
    _box(body, (-front, -half, low), (front, -inner, height - top), _WHITE)
    _box(body, (-front, inner, low), (front, half, height - top), _WHITE)
    _box(body, (-front, -inner, low), (-front + _WALL, inner, height - top), _WHITE)
    drawer = body.add_body(name=piece.drawer, pos=[0, 0, low])
    drawer.add_joint(
        name=piece.drawer,
        type=mujoco.mjtJoint.mjJNT_SLIDE,
        axis=[1, 0, 0],
        range=[0, DRAWER_TRAVEL],
        limited=True,
        damping=8,
        frictionloss=2,
    )
    side, back = inner - gap, -front + 2 * _WALL
    floor = gap + bottom
    _box(
        drawer,
        (back, -side, gap),
        (front, side, floor),
        _WOOD,
        f'{piece.drawer} bottom',
        density=_WOOD_DENSITY,
    )
    _box(drawer, (back, -side, floor), (back + 0.01, side, rim), _WOOD, density=_WOOD_DENSITY)
    for y in (-side, side - 0.01):
        _box(drawer, (back, y, floor), (front, y + 0.01, rim), _WOOD, density=_WOOD_DENSITY)
    panel = (front, -side, gap), (front + _WALL, side, 0.165)
    _box(drawer, *panel, _WHITE, f'{piece.drawer} front', density=_WOOD_DENSITY)
    _handle(drawer, f'{piece.drawer} handle', front + _WALL, 0, 0.105, 'y')


def _cupboard(spec: mujoco.MjSpec, piece: Furniture) -> None:
    """A cabinet on a stand, with two doors whose hinges are at its sides."""
    body = _body(spec, piece)
    depth, width, height = piece.size
    front, half, low = depth / 2, width / 2, height - CUPBOARD_HEIGHT
    _box(body, (-front, -half, 0), (front - 0.05, half, low - _WALL), _WHITE)
    _box(body, (-front, -half, low - _WALL), (front, half, low), _WOOD, f'{piece.name} bottom')
    _box(body, (-front, -half, height - _WALL), (front, half, height), _WOOD, f'{piece.name} top')
    _box(body, (-front, -half, low), (-front + 0.01, half, height - _WALL), _WOOD)
    for y in (-half, half - _WALL):
        _box(body, (-front, y, low), (front, y + _WALL, height - _WALL), _WOOD)
    for side, word in ((-1, 'right'), (1, 'left')):
        door = body.add_body(
            name=f'{piece.name} {word} door', pos=[front + 0.002, side * half, low]
        )
        door.add_joint(
            name=f'{piece.name} {word} door',
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=[0, 0, side],
            range=[0, DOOR_RANGE],
            limited=True,
            damping=0.8,
            frictionloss=0.15,
        )
        wide = half - 0.003
        _box(
            door,
            (0, min(0, -side * wide), 0.003),
            (_WALL, max(0, -side * wide), 0.417),
            _WHITE,
            density=_WOOD_DENSITY,
        )
        _handle(door, f'{piece.name} {word} handle', _WALL, -side * (wide - 0.05), 0.15, 'z')


def _shelf(spec: mujoco.MjSpec, piece: Furniture) -> None:
    """A board on two sides."""
    body = _body(spec, piece)
    depth, width, height = piece.size
    _top(body, piece, 0.025)
    for y in (-width / 2, width / 2 - 0.025):
        _box(body, (-depth / 2, y, 0), (depth / 2, y + 0.025, height - 0.025), _WOOD)


_BUILDERS = {'table': _table, 'counter': _counter, 'cupboard': _cupboard, 'shelf': _shelf}


def _thing(spec: mujoco.MjSpec, thing: Thing) -> None:
    """Add a thing; its origin is the middle of its bottom, of a sphere its middle."""
    body = spec.worldbody.add_body(name=thing.name, pos=[0, 0, -1])
    body.add_freejoint(name=thing.name)
    parts: list[dict[str, object]] = []
    size = thing.size
    if thing.shape == 'box':
        half = [edge / 2 for edge in size]
        parts.append({'type': mujoco.mjtGeom.mjGEOM_BOX, 'size': half, 'pos': [0, 0, half[2]]})
    elif thing.shape == 'cylinder':
        half_height = size[1] / 2
        parts.append(
            {
                'type': mujoco.mjtGeom.mjGEOM_CYLINDER,
                'size': [size[0], half_height, 0],
                'pos': [0, 0, half_height],
            }
        )
    elif thing.shape == 'sphere':
        parts.append({'type': mujoco.mjtGeom.mjGEOM_SPHERE, 'size': [size[0], 0, 0]})
    elif thing.shape == 'vessel':
        parts += _vessel(size[0], size[1])
    else:
        parts += _tray(size[0], size[1], size[2])
    rolling = thing.shape == 'sphere'
    for number, part in enumerate(parts):
        body.add_geom(
            name=f'{thing.name} {number}',
            rgba=[*thing.colour, 1],
            mass=thing.mass / len(parts),
            friction=[thing.friction, 0.01, 0.004 if rolling else 0.0005],
            condim=6 if rolling else 4,
            **part,
        )


def _vessel(radius: float, height: float) -> list[dict[str, object]]:
    """Return the geoms of a round vessel: a bottom, and a wall of boxes."""
    thick, sides = 0.004, 12
    middle = radius - thick / 2
    edge = middle * math.tan(math.pi / sides)
    wall: list[dict[str, object]] = [
        {
            'type': mujoco.mjtGeom.mjGEOM_BOX,
            'size': [thick / 2, edge, height / 2 - _LIFT],
            'pos': [middle * math.cos(turn), middle * math.sin(turn), height / 2 + _LIFT],
            'quat': [math.cos(turn / 2), 0, 0, math.sin(turn / 2)],
        }
        for turn in (2 * math.pi * number / sides for number in range(sides))
    ]
    bottom: dict[str, object] = {
        'type': mujoco.mjtGeom.mjGEOM_CYLINDER,
        'size': [middle, thick / 2, 0],
        'pos': [0, 0, thick / 2],
    }
    return [bottom, *wall]


def _tray(depth: float, width: float, rim: float) -> list[dict[str, object]]:
    """Return the geoms of a tray: a board with a rim."""
    thick = 0.006
    box = mujoco.mjtGeom.mjGEOM_BOX
    x, y = depth / 2, width / 2
    return [
        {'type': box, 'size': [x, y, thick / 2], 'pos': [0, 0, thick / 2]},
        *(
            {'type': box, 'size': [thick / 2, y, rim / 2], 'pos': [side * x, 0, rim / 2 + _LIFT]}
            for side in (-1, 1)
        ),
        *(
            {'type': box, 'size': [x, thick / 2, rim / 2], 'pos': [0, side * y, rim / 2 + _LIFT]}
            for side in (-1, 1)
        ),
    ]


def _robot(spec: mujoco.MjSpec) -> None:
    base = spec.worldbody.add_body(name='base')
    for name, kind, axis in zip(
        BASE_JOINTS,
        (mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE),
        ([1, 0, 0], [0, 1, 0], [0, 0, 1]),
        strict=True,
    ):
        base.add_joint(name=name, type=kind, axis=axis, damping=20)
    _box(base, (-0.52, -0.25, 0.06), (0.22, 0.25, ARM_HEIGHT - 0.005), _STEEL, 'chassis', mass=80)
    for x in (-0.4, 0.1):
        for y in (-0.2, 0.2):
            base.add_geom(
                type=mujoco.mjtGeom.mjGEOM_CYLINDER,
                pos=[x, y, 0.05],
                size=[0.05, 0.02, 0],
                quat=[math.sqrt(0.5), math.sqrt(0.5), 0, 0],
                rgba=[0.1, 0.1, 0.1, 1],
                contype=0,
                conaffinity=0,
                mass=1,
            )
    # The free place on the deck has a rim, so that nothing rolls off.
    for low, high in (
        ((-0.45, 0.09), (-0.21, 0.1)),
        ((-0.45, 0.24), (-0.21, 0.25)),
        ((-0.46, 0.09), (-0.45, 0.25)),
        ((-0.21, 0.09), (-0.2, 0.25)),
    ):
        _box(base, (*low, ARM_HEIGHT - 0.005), (*high, ARM_HEIGHT + 0.01), _STEEL, mass=0.1)
    foot, top, tip = [-0.48, 0, ARM_HEIGHT], [-0.48, 0, 1.73], [-0.14, 0, 1.73]
    for first, second in ((foot, top), (top, tip)):
        base.add_geom(
            type=mujoco.mjtGeom.mjGEOM_CAPSULE,
            fromto=[*first, *second],
            size=[0.02, 0, 0],
            rgba=list(_STEEL),
            mass=1,
        )
    down = math.radians(40)
    base.add_camera(
        name=CAMERA,
        pos=[-0.08, 0, 1.7],
        # The camera looks along its own -z, with +x to the right of its picture.
        xyaxes=[0, -1, 0, math.sin(down), 0, math.cos(down)],
        fovy=75,
    )
    arm = _panda()
    frame = base.add_frame(pos=[0, 0, ARM_HEIGHT])
    spec.attach(arm, frame=frame, prefix='arm/')
    for name, (stiffness, damping, torque) in zip(ARM_JOINTS, _ARM_GAINS, strict=True):
        _servo(spec, name, stiffness, damping, torque)
    _servo(spec, 'base_x', 4e4, 8e3, 800)
    _servo(spec, 'base_y', 4e4, 8e3, 800)
    _servo(spec, 'base_yaw', 2e4, 3e3, 500)
    gripper = _servo(spec, 'arm/hand/split', 10000, 200, 2 * _MAX_FINGER_FORCE, name=GRIPPER)
    gripper.trntype = mujoco.mjtTrn.mjTRN_TENDON


def _servo(
    spec: mujoco.MjSpec, target: str, stiffness: float, damping: float, force: float, name: str = ''
) -> mujoco.MjsActuator:
    """Add a position servo with a largest force."""
    servo = spec.add_actuator(name=name or target, target=target)
    servo.trntype = mujoco.mjtTrn.mjTRN_JOINT
    servo.gaintype = mujoco.mjtGain.mjGAIN_FIXED
    servo.biastype = mujoco.mjtBias.mjBIAS_AFFINE
    servo.gainprm[0] = stiffness
    servo.biasprm[:3] = [0, -stiffness, -damping]
    servo.forcelimited = True
    servo.forcerange = [-force, force]
    return servo


def _panda() -> mujoco.MjSpec:
    """Return the arm with its hand, without their own actuators."""
    folder = _assets()
    arm = mujoco.MjSpec.from_file(str(folder / 'panda.xml'))
    hand = mujoco.MjSpec.from_file(str(folder / 'panda_hand.xml'))
    for actuator in list(hand.actuators):
        hand.delete(actuator)
    for sensor in list(arm.sensors):
        arm.delete(sensor)
    for spec in (arm, hand):
        for mesh in spec.meshes:
            mesh.maxhullvert = _HULL_VERTICES
    flange = next(body for body in arm.bodies if body.name == 'panda_link8')
    frame = flange.add_frame(quat=[math.cos(-math.pi / 8), 0, 0, math.sin(-math.pi / 8)])
    arm.attach(hand, frame=frame, prefix='hand/')
    for joint in arm.joints:
        if f'arm/{joint.name}' in ARM_JOINTS:
            joint.armature, joint.frictionloss = 0.3, 0.0
            joint.damping[:] = 0
            joint.damping[0] = 1.0
    for geom in arm.geoms:
        if 'finger_collision' in geom.name:
            geom.friction, geom.condim, geom.priority = [1.5, 0.02, 0.001], 4, 1
            geom.solref[:] = [0.006, 1]
    # Neighbours that always touch.
    arm.add_exclude(bodyname1='panda_link7', bodyname2='hand/panda_hand')
    arm.add_exclude(bodyname1='hand/panda_leftfinger', bodyname2='hand/panda_rightfinger')
    return arm


def _assets() -> Path:
    """Return the folder of the Panda's model; its package is never imported."""
    try:
        found = importlib.metadata.distribution('dm-robotics-panda')
    except importlib.metadata.PackageNotFoundError:
        raise ConfigurationError(
            'the model of the arm is missing: pip install --no-deps dm-robotics-panda==0.4.8'
        ) from None
    return Path(str(found.locate_file('dm_robotics/panda/assets/panda')))


def openings_of(description: Description) -> dict[str, tuple[str, float]]:
    """Return the joints of drawers and doors: the place that each opens, and its range."""
    found = {}
    for piece in description.furniture.values():
        if piece.drawer:
            found[piece.drawer] = (piece.drawer, DRAWER_TRAVEL)
        if piece.kind == 'cupboard':
            for word in ('right', 'left'):
                found[f'{piece.name} {word} door'] = (piece.name, DOOR_RANGE)
    return found


def handle_of(joint: str) -> str:
    """Return the name of the site in the middle of a handle."""
    return f'{joint.removesuffix(" door")} handle site'


def set_start(model: mujoco.MjModel, data: mujoco.MjData, description: Description) -> None:
    """Put the robot and all things where the description has them.

    Raises:
        ConfigurationError: a thing has no place.
    """
    mujoco.mj_resetData(model, data)
    for name, value in zip(BASE_JOINTS, description.robot, strict=True):
        data.joint(name).qpos[0] = value
    for joint, (place, far) in openings_of(description).items():
        data.joint(joint).qpos[0] = _OPENED * far if place in description.opened else 0.0
    mujoco.mj_kinematics(model, data)
    for name, thing in description.things.items():
        if name not in description.on:
            raise ConfigurationError(f'{name} stands nowhere: give it a place under "on"')
        place, x, y = description.on[name]
        piece, height = description.stands_on(place)
        ahead = np.array([math.cos(piece.yaw), math.sin(piece.yaw)])
        left = np.array([-ahead[1], ahead[0]])
        if place == piece.drawer and place in description.opened:
            x += _OPENED * DRAWER_TRAVEL
        spot = np.array(piece.at) + x * ahead + y * left
        up = thing.size[0] if thing.shape == 'sphere' else 0.0
        data.joint(name).qpos[:] = [*spot, height + up + 0.001, 1, 0, 0, 0]
    mujoco.mj_forward(model, data)
