"""Results in the contract's shapes, ready to be encoded: ROS messages as plain objects."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from kinematics.arrays import FloatArray
from kinematics.model import Model
from kinematics.problem import IkResult
from urdf import Box, Cylinder, Mesh, Origin, Robot, Shape, Sphere

Values = dict[str, object]


def response_line(
    envelope: dict[str, object], values: Values, code: str = "", status: str = ""
) -> bytes:
    """Return the `service_response` to a request, without its newline.

    Args:
        envelope: the request; `service` and `id` go back exactly as they came.
        values: what the service says; `code` is added to it when there is one.
        code: "" for `result:true`, else one of `frames.OUTCOMES`.
        status: the sentence that goes with `code`.
    """
    if code:
        values["code"] = code
    response: Values = {"op": "service_response", "service": envelope["service"]}
    if "id" in envelope:
        response["id"] = envelope["id"]
    response |= {"values": values, "result": not code, "status": status}
    return orjson.dumps(response, option=orjson.OPT_SERIALIZE_NUMPY)


def pose(xyz_xyzw: Sequence[float]) -> Values:
    """Return a `geometry_msgs/Pose` from x y z, qx qy qz qw."""
    x, y, z, qx, qy, qz, qw = xyz_xyzw
    return {
        "position": {"x": x, "y": y, "z": z},
        "orientation": {"x": qx, "y": qy, "z": qz, "w": qw},
    }


def poses(model: Model, links: Sequence[int], rows: FloatArray) -> Values:
    """Return link name -> pose for the rows (m, 7) of `link_poses`."""
    names = model.link_names
    return {names[link]: pose(row) for link, row in zip(links, rows.tolist(), strict=True)}


def joint_state(model: Model, q: FloatArray) -> Values:
    """Return a `sensor_msgs/JointState` of every movable joint."""
    return {"name": model.joint_names, "position": q}


def solution(model: Model, result: IkResult) -> Values:
    """Return what `/ik/solve_robot` says of a search, solved or not, without its times."""
    values: Values = {
        "joint_state": joint_state(model, result.q),
        "position_error": result.position_error,
        "orientation_error": result.orientation_error,
        "iterations": result.iterations,
        "restarts": result.restarts,
    }
    return values


def solutions(model: Model, result: IkResult) -> list[Values]:
    """Return the distinct solutions, closest to the seed first."""
    return [
        {
            "joint_state": joint_state(model, q),
            "position_error": position_error,
            "orientation_error": orientation_error,
        }
        for q, position_error, orientation_error in result.solutions
    ]


def robot_info(robot: Robot, joint_names: Sequence[str]) -> Values:
    """Return the structure of a robot as `/ik/robot_info` gives it."""
    return {
        "name": robot.name,
        "root_link": robot.root_link,
        "links": [link.name for link in robot.links],
        "joints": [
            {
                "name": joint.name,
                "type": joint.type,
                "parent": joint.parent,
                "child": joint.child,
                "origin": _origin(joint.origin),
                "axis": joint.axis,
                "limit": None
                if joint.limit is None
                else {"lower": joint.limit.lower, "upper": joint.limit.upper},
            }
            for joint in robot.joints
        ],
        "joint_names": joint_names,
        "visuals": {
            link.name: {"origin": _origin(link.visual.origin), "shape": _shape(link.visual.shape)}
            for link in robot.links
            if link.visual is not None
        },
    }


def _origin(origin: Origin) -> Values:
    return {"xyz": origin.xyz, "rpy": origin.rpy}


def _shape(shape: Shape) -> Values:
    match shape:
        case Box():
            return {"type": "box", "size": shape.size}
        case Cylinder():
            return {"type": "cylinder", "radius": shape.radius, "length": shape.length}
        case Sphere():
            return {"type": "sphere", "radius": shape.radius}
        case Mesh():
            return {"type": "mesh", "filename": shape.filename, "scale": shape.scale}
