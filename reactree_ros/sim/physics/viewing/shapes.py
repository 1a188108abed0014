# Copyright 2026 the reactree_ros authors
# SPDX-License-Identifier: Apache-2.0
"""A simulation as plain shapes on moving bodies, for who draws it without MuJoCo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import mujoco
import numpy as np

_DIGITS, _MESH_DIGITS = 4, 3
_SHOWN_GROUPS = 3
"""Geoms of higher groups are there for contacts only, as in MuJoCo's own viewer."""
_KINDS = {
    int(mujoco.mjtGeom.mjGEOM_SPHERE): 'sphere',
    int(mujoco.mjtGeom.mjGEOM_CAPSULE): 'capsule',
    int(mujoco.mjtGeom.mjGEOM_CYLINDER): 'cylinder',
    int(mujoco.mjtGeom.mjGEOM_BOX): 'box',
    int(mujoco.mjtGeom.mjGEOM_MESH): 'mesh',
}
_JOINTS = {
    int(mujoco.mjtJoint.mjJNT_FREE): 'free',
    int(mujoco.mjtJoint.mjJNT_SLIDE): 'slide',
    int(mujoco.mjtJoint.mjJNT_HINGE): 'hinge',
}


def scene_of(
    model: mujoco.MjModel, things: Iterable[str], furniture: Iterable[str], follow: str
) -> dict[str, Any]:
    """Return what is drawn, ready for JSON; ``positions`` of all joints move it.

    - ``bodies``: ``name``, number of the ``parent`` (the first is the world), ``at`` (x, y, z in m
      and the quaternion w, x, y, z, in the parent), ``joints`` (kind, place of its first position,
      axis, anchor), and of things and furniture the ``kind`` and ``top`` (height above its origin,
      m).
    - ``shapes``: number of the ``body``, ``kind``, half ``size`` as MuJoCo has it (m), ``at`` in
      the body, ``colour`` (red, green, blue, opacity, 0 to 1); of a mesh its number.
    - ``follow``: number of the body that is always in view.
    - ``meshes``: ``points`` (x, y, z, in a row, m) and ``faces`` (three numbers of points each).

    Args:
        model: the simulation.
        things: names of the bodies that are things.
        furniture: names of those that are furniture.
        follow: name of the body that is always in view.
    """
    kinds = {**dict.fromkeys(furniture, 'furniture'), **dict.fromkeys(things, 'thing')}
    meshes: dict[int, int] = {}
    shapes = list(_shapes(model, meshes))
    return {
        'bodies': [_body(model, number, kinds) for number in range(model.nbody)],
        'follow': model.body(follow).id,
        'shapes': shapes,
        'meshes': [_mesh(model, mesh) for mesh in meshes],
    }


def _body(model: mujoco.MjModel, number: int, kinds: dict[str, str]) -> dict[str, Any]:
    body = model.body(number)
    first, count = int(model.body_jntadr[number]), int(model.body_jntnum[number])
    joints = [
        [
            _JOINTS[int(model.jnt_type[joint])],
            int(model.jnt_qposadr[joint]),
            _rounded(model.jnt_axis[joint]),
            _rounded(model.jnt_pos[joint]),
        ]
        for joint in range(first, first + count)
    ]
    about = {'name': body.name, 'parent': int(body.parentid[0]), 'joints': joints}
    about['at'] = _rounded([*body.pos, *body.quat])
    if body.name in kinds:
        about['kind'] = kinds[body.name]
        geoms = range(int(body.geomadr[0]), int(body.geomadr[0] + body.geomnum[0]))
        tops = [model.geom_pos[geom][2] + model.geom_aabb[geom][5] for geom in geoms]
        about['top'] = round(float(max(tops, default=0.0)), _DIGITS)
    return about


def _shapes(model: mujoco.MjModel, meshes: dict[int, int]) -> Iterator[dict[str, Any]]:
    """Yield what is drawn, and number the meshes that it needs."""
    for geom in range(model.ngeom):
        kind = _KINDS.get(int(model.geom_type[geom]))
        if kind is None or model.geom_group[geom] >= _SHOWN_GROUPS:
            continue
        material = int(model.geom_matid[geom])
        colour = model.mat_rgba[material] if material >= 0 else model.geom_rgba[geom]
        shape = {
            'body': int(model.geom_bodyid[geom]),
            'kind': kind,
            'at': _rounded([*model.geom_pos[geom], *model.geom_quat[geom]]),
            'colour': _rounded(colour),
        }
        if kind == 'mesh':
            shape['mesh'] = meshes.setdefault(int(model.geom_dataid[geom]), len(meshes))
        else:
            shape['size'] = _rounded(model.geom_size[geom])
        yield shape


def _mesh(model: mujoco.MjModel, mesh: int) -> dict[str, Any]:
    """Return the convex hull of a mesh, or the mesh itself if nothing can touch it."""
    first = int(model.mesh_vertadr[mesh])
    points = model.mesh_vert[first : first + int(model.mesh_vertnum[mesh])]
    begin = int(model.mesh_graphadr[mesh])
    if begin >= 0:  # see mjModel.mesh_graph in MuJoCo's reference
        count, faces = (int(one) for one in model.mesh_graph[begin : begin + 2])
        begin += 2 + 2 * count + count + 3 * faces
        corners = model.mesh_graph[begin : begin + 3 * faces]
    else:
        begin, faces = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
        corners = model.mesh_face[begin : begin + faces].ravel()
    used, numbers = np.unique(corners, return_inverse=True)
    places = points[used].ravel().astype(float).round(_MESH_DIGITS)
    return {'points': places.tolist(), 'faces': numbers.ravel().tolist()}


def _rounded(values: Any) -> list[float]:
    return [round(float(value), _DIGITS) for value in values]
