"""A robot's state as topics carry it: finished `publish` lines for the gateway to deliver.

The gateway asks for them as it asks for any answer, under names that no client can call.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
import orjson

from kinematics import kernels
from kinematics.arrays import FloatArray, floats, ints
from kinematics.fields import Object
from kinematics.forward import refuse_overflow, update_frames
from kinematics.model import FIXED, IDENTITY, Model
from kinematics.rotations import matrix_from_quaternion

WORLD_FRAME: Final = "global_frame"


class JointFrames:
    """What the transforms of single joints are computed with.

    A tree in which every joint hangs from one link that never moves: the kernel that
    places a robot's links then gives each joint's own transform, free of the rounding
    that a difference of two places would have.
    """

    def __init__(self, model: Model) -> None:
        joints = model.robot.joints
        row = {name: i for i, name in enumerate(model.joint_order)}
        rows = [row[joint.name] for joint in joints]  # document order
        count = len(joints)
        slots = np.arange(count)
        columns = (np.full(count, count), slots, model.joint_kind[rows], model.joint_q[rows])
        self.tree = ints(np.column_stack(columns).ravel())
        constants = model.joint_origin.reshape(-1, 12), model.joint_axis.reshape(-1, 3)
        self.joints = floats(np.hstack(constants)[rows].ravel())
        self.frames = floats([0.0] * (12 * count) + list(IDENTITY))
        self.base = count
        self.ends = [(joint.parent, joint.child) for joint in joints]
        self.fixed = [i for i in range(count) if model.joint_kind[rows[i]] == FIXED]
        self.q_index = {name: i for i, name in enumerate(model.joint_names)}


_FRAMES: Final[weakref.WeakKeyDictionary[Model, JointFrames]] = weakref.WeakKeyDictionary()


def root_link(_args: Object, model: Model) -> bytes:
    """Return the name of a valid robot's root, as JSON."""
    return orjson.dumps(model.root_link)


def tf(args: Object, model: Model) -> bytes:
    """Return the line for `/tf`: each joint's transform from its parent link to its child.

    Args:
        args: `name` and `position` of a joint state, with names that need not be the
            robot's, and `stamp`, any JSON.
        model: the robot.

    Raises:
        KinematicsError: `invalid_request`; a number would not be finite.
    """
    return _transforms("/tf", args, model, None)


def tf_static(args: Object, model: Model) -> bytes:
    """Return the line for `/tf_static`: the same of the fixed joints alone."""
    return _transforms("/tf_static", args, model, _joint_frames(model).fixed)


def xform_world(args: Object, model: Model) -> bytes:
    """Return the line for `/xform_world`: T_global_link of every link, column-major.

    Args:
        args: as for `tf`, and `pose`: x y z, then the unit quaternion x y z w, of the
            root in the global frame.
        model: the robot.

    Raises:
        KinematicsError: `invalid_request`; a number would not be finite.
    """
    R_global_root = floats(np.empty(9))
    pose = args["pose"]
    assert isinstance(pose, list)
    matrix_from_quaternion(floats(pose), 3, R_global_root, 0)
    R = np.asarray(R_global_root).reshape(3, 3)
    frames = np.asarray(update_frames(model, _configuration(args, model))).reshape(-1, 12)
    T = np.zeros((len(frames), 4, 4))  # transposed: columns come one after another
    T[:, :3, :3] = (R @ frames[:, :9].reshape(-1, 3, 3)).transpose(0, 2, 1)
    T[:, 3, :3] = frames[:, 9:] @ R.T + np.array(pose[:3])
    T[:, 3, 3] = 1.0
    refuse_overflow(T, "a link's place")
    header = {"stamp": args["stamp"], "frame_id": WORLD_FRAME}
    rows = T.reshape(-1, 16).tolist()
    transforms = [
        {"header": header, "child_frame_id": link, "matrix": row}
        for link, row in zip(model.link_names, rows, strict=True)
    ]
    return _line("/xform_world", transforms)


def _transforms(topic: str, args: Object, model: Model, which: Sequence[int] | None) -> bytes:
    state = _joint_frames(model)
    q = floats(_configuration(args, model))
    kernels.link_frames(state.tree, state.joints, q, 0, state.frames, model.work)
    chosen = range(state.base) if which is None else which
    out = floats(np.empty(7 * len(chosen)))
    kernels.link_poses(state.frames, state.base, ints(list(chosen)), out, 0, model.work)
    poses = np.asarray(out).reshape(-1, 7)
    refuse_overflow(poses, "a joint's transform")
    stamp = args["stamp"]
    return _line(
        topic,
        [
            _transform(stamp, *state.ends[joint], row)
            for joint, row in zip(chosen, poses.tolist(), strict=True)
        ],
    )


def _transform(stamp: object, parent: str, child: str, xyz_xyzw: list[float]) -> Object:
    """Return a `geometry_msgs/TransformStamped`."""
    x, y, z, qx, qy, qz, qw = xyz_xyzw
    return {
        "header": {"stamp": stamp, "frame_id": parent},
        "child_frame_id": child,
        "transform": {
            "translation": {"x": x, "y": y, "z": z},
            "rotation": {"x": qx, "y": qy, "z": qz, "w": qw},
        },
    }


def _line(topic: str, transforms: Sequence[Object]) -> bytes:
    message = {"op": "publish", "topic": topic, "msg": {"transforms": transforms}}
    return orjson.dumps(message)


def _configuration(args: Object, model: Model) -> FloatArray:
    """Return q (n,): joints that are not named are at 0, names that are not joints ignored."""
    q = np.zeros(len(model.joint_names))
    index = _joint_frames(model).q_index
    names, positions = args["name"], args["position"]
    assert isinstance(names, list)
    assert isinstance(positions, list)
    for name, position in zip(names, positions, strict=True):
        if name in index:
            q[index[name]] = position
    return q


def _joint_frames(model: Model) -> JointFrames:
    frames = _FRAMES.get(model)
    if frames is None:
        frames = _FRAMES[model] = JointFrames(model)
    return frames


LINES: Final[Mapping[str, Callable[[Object, Model], bytes]]] = {
    "/robot_state/root_link": root_link,
    "/robot_state/tf": tf,
    "/robot_state/tf_static": tf_static,
    "/robot_state/xform_world": xform_world,
}
