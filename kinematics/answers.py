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
    return _line(envelope, values, code, status)


def success_line(envelope: dict[str, object], values: orjson.Fragment) -> bytes:
    """Return the `service_response` with `result:true` to a request whose values are encoded."""
    return _line(envelope, values, "", "")


def _line(envelope: dict[str, object], values: object, code: str, status: str) -> bytes:
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


def configuration(
    names: object, q: FloatArray, position_error: float | None, orientation_error: float | None
) -> Values:
    """Return a configuration that a search found, and how far off it is.

    Args:
        names: of every movable joint, in the order of `q`; they may be encoded already.
        q: (n,) rad or m.
        position_error, orientation_error: m and rad; None for a part that was not asked for.
    """
    return {
        "joint_state": {"name": names, "position": q},
        "position_error": position_error,
        "orientation_error": orientation_error,
    }


def solution(model: Model, result: IkResult) -> Values:
    """Return what `/ik/solve_robot` says of a search, solved or not, without its times."""
    errors = result.position_error, result.orientation_error
    return {
        **configuration(model.joint_names, result.q, *errors),
        "iterations": result.iterations,
        "restarts": result.restarts,
    }


def solutions(model: Model, result: IkResult) -> list[Values]:
    """Return the distinct solutions, closest to the seed first."""
    return [configuration(model.joint_names, *found) for found in result.solutions]


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
