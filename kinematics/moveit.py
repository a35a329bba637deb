"""MoveIt's `/compute_fk` and `/compute_ik`: its messages in and out, our kinematics between.

Shapes and error codes are those of moveit_msgs (GetPositionFK, GetPositionIK,
MoveItErrorCodes). What MoveIt answers by a code is a code here, in an answer that is
`result:true`; what is no such message at all is refused like any other call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from kinematics import fields, requests
from kinematics.answers import Values, pose
from kinematics.arrays import FloatArray
from kinematics.errors import KinematicsError, quote
from kinematics.fields import MISSING, Object
from kinematics.forward import link_poses, link_transform
from kinematics.model import Model
from kinematics.problem import IkProblem, IkResult

SUCCESS: Final = 1
TIMED_OUT: Final = -6
INVALID_GROUP_NAME: Final = -15
INVALID_ROBOT_STATE: Final = -17
INVALID_LINK_NAME: Final = -18
FRAME_TRANSFORM_FAILURE: Final = -21
NO_IK_SOLUTION: Final = -31

ZERO_STAMP: Final[Object] = {"sec": 0, "nanosec": 0}
MULTI_DOF_ARRAYS: Final = ("joint_names", "transforms", "twist", "wrench")
FK_FIELDS: Final = frozenset({"header", "fk_link_names", "robot_state", "description_param"})
IK_FIELDS: Final = frozenset({"ik_request", "description_param"})
IK_REQUEST_FIELDS: Final = frozenset(
    {"group_name", "robot_state", "ik_link_name", "pose_stamped", "timeout"}
    | {"ik_link_names", "pose_stamped_vector"}
)


class RefusalError(Exception):
    """A request that MoveIt answers with an error code."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code

    @property
    def ik_values(self) -> Values:
        """The GetPositionIK response that says so."""
        return _solution("", [], [], self)


def compute_fk(args: Object, model: Model) -> Values:
    """Answer a GetPositionFK request.

    Links that the robot does not have are left out, with the code that says so; the poses
    of the others are given all the same.
    """
    names = fields.strings(args.get("fk_link_names", []), "fk_link_names")
    header = fields.object_of(args.get("header", {}), "header")
    try:
        q = _robot_state(args.get("robot_state", {}), "robot_state", model)
        frame = _frame(header, "header", model)
        known, refusal = _links(names, model)
    except RefusalError as error:
        return {"pose_stamped": [], "fk_link_names": [], "error_code": _error(error)}
    rows = link_poses(model, q, frame, [model.link_index(name) for name in known]).tolist()
    stamped = {"stamp": ZERO_STAMP, "frame_id": model.link_names[frame]}
    return {
        "pose_stamped": [{"header": stamped, "pose": pose(row)} for row in rows],
        "fk_link_names": known,
        "error_code": _error(refusal),
    }


def read_ik(args: Object, model: Model) -> requests.SolveRequest:
    """Read a GetPositionIK request.

    Raises:
        RefusalError: MoveIt has a code for what is wrong.
        KinematicsError: it has none.
    """
    request = fields.object_of(args.get("ik_request", MISSING), "ik_request")
    seed = _robot_state(request.get("robot_state", {}), "ik_request.robot_state", model)
    link, stamped, where = _target(request, model)
    where = f"ik_request.{where}"
    header = fields.object_of(stamped.get("header", {}), f"{where}.header")
    wanted = fields.object_of(stamped.get("pose", MISSING), f"{where}.pose")
    frame = _frame(header, f"{where}.header", model)
    position = fields.vector(wanted.get("position", MISSING), f"{where}.pose.position")
    quaternion = fields.quaternion(wanted.get("orientation", MISSING), f"{where}.pose.orientation")
    if frame != model.root:
        position, quaternion = _in_root(model, seed, frame, position, quaternion)
    problem = IkProblem(model, link, model.root, np.zeros(3), position, quaternion, seed)
    return requests.SolveRequest(problem, _timeout_seconds(request.get("timeout", {})))


def ik_values(model: Model, result: IkResult, *, timed_out: bool) -> Values:
    """Return the GetPositionIK response to what a search found."""
    if result.status == "solved":
        return _solution(model.root_link, model.joint_names, result.q.tolist(), None)
    code = TIMED_OUT if timed_out and result.status == "no_solution" else NO_IK_SOLUTION
    return RefusalError(code, result.reason).ik_values


def ignored(service: str, args: Object) -> list[str]:
    """Return the paths of the fields that nothing reads."""
    if service == "/compute_fk":
        return fields.unknown_fields(args, FK_FIELDS)
    surplus = fields.unknown_fields(args, IK_FIELDS)
    request = args.get("ik_request")
    if isinstance(request, dict):
        asked = {name: value for name, value in request.items() if value}
        surplus += fields.unknown_fields(asked, IK_REQUEST_FIELDS, "ik_request.")
    return surplus


def _target(request: Object, model: Model) -> tuple[int, Object, str]:
    """Return the link, its wanted pose, and the field that has it."""
    names = fields.strings(request.get("ik_link_names", []), "ik_request.ik_link_names")
    poses = request.get("pose_stamped_vector", [])
    if not isinstance(poses, list):
        raise fields.wrong("ik_request.pose_stamped_vector", poses, "an array of poses")
    if len(names) != len(poses):
        raise RefusalError(
            INVALID_LINK_NAME,
            f"{len(names)} ik_link_names and {len(poses)} poses; as many expected",
        )
    if len(names) > 1:
        raise RefusalError(INVALID_LINK_NAME, "several links at once; one is supported")
    name, stamped, where = request.get("ik_link_name", ""), request.get("pose_stamped", MISSING), ""
    if names:
        name, stamped, where = names[0], poses[0], "pose_stamped_vector"
    name = fields.string(name, "ik_request.ik_link_name")
    if not name:
        name = fields.string(request.get("group_name", ""), "ik_request.group_name")
        if name not in model.link_names:
            raise RefusalError(
                INVALID_GROUP_NAME,
                f"no ik_link_name, and the group {quote(name)} is no link: a group is a link "
                "here, with all joints from the root to it",
            )
    try:
        link = model.link_index(name)
    except KinematicsError as error:
        raise RefusalError(INVALID_LINK_NAME, str(error)) from None
    where = where or "pose_stamped"
    return link, fields.object_of(stamped, f"ik_request.{where}"), where


def _robot_state(value: object, where: str, model: Model) -> FloatArray:
    try:
        state = fields.object_of(value, where)
        joints = state.get("joint_state", MISSING)
        return requests.configuration(joints, f"{where}.joint_state", model)
    except KinematicsError as error:
        raise RefusalError(INVALID_ROBOT_STATE, str(error)) from None


def _frame(header: Object, where: str, model: Model) -> int:
    name = fields.string(header.get("frame_id", ""), f"{where}.frame_id")
    try:
        return model.link_index(name.removeprefix("/")) if name else model.root
    except KinematicsError as error:
        raise RefusalError(FRAME_TRANSFORM_FAILURE, str(error)) from None


def _links(names: list[str], model: Model) -> tuple[list[str], RefusalError | None]:
    """Return the names that are links, and what to say if those are not all, or none."""
    known = [name for name in names if name in model.link_names]
    if known and len(known) == len(names):
        return known, None
    unknown = next((name for name in names if name not in model.link_names), None)
    message = "no link is asked for" if unknown is None else f"no link is named {quote(unknown)}"
    return known, RefusalError(INVALID_LINK_NAME, message)


def _in_root(
    model: Model, q: FloatArray, frame: int, position: FloatArray, quaternion: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return a pose that is given in a link's frame, where the seed has it, in the root's."""
    T = link_transform(model, q, model.root, frame)
    _, _, _, bx, by, bz, bw = link_poses(model, q, model.root, [frame])[0]
    x, y, z, w = quaternion
    turned = [
        bw * x + bx * w + by * z - bz * y,
        bw * y - bx * z + by * w + bz * x,
        bw * z + bx * y - by * x + bz * w,
        bw * w - bx * x - by * y - bz * z,
    ]
    return T[:3, :3] @ position + T[:3, 3], np.array(turned)


def _timeout_seconds(value: object) -> float:
    """Return a duration of either ROS version in seconds; none asked for is our own default."""
    duration = fields.object_of(value, "ik_request.timeout", 'an object {"sec":…,"nanosec":…}')
    seconds = 0.0
    for names, unit in ((("sec", "secs"), 1.0), (("nanosec", "nsecs"), 1e-9)):
        for name in names:
            part = duration.get(name, 0)
            seconds += fields.number(part, f"ik_request.timeout.{name}") * unit
    if seconds <= 0.0:
        return requests.DEFAULT_TIMEOUT_SECONDS
    return min(seconds, requests.MAX_TIMEOUT_SECONDS)


def _solution(
    frame: str, names: Sequence[str], positions: list[float], error: RefusalError | None
) -> Values:
    header = {"stamp": ZERO_STAMP, "frame_id": frame}
    return {
        "solution": {
            "joint_state": {
                "header": header,
                "name": names,
                "position": positions,
                "velocity": [],
                "effort": [],
            },
            "multi_dof_joint_state": {"header": header} | {name: [] for name in MULTI_DOF_ARRAYS},
            "attached_collision_objects": [],
            "is_diff": False,
        },
        "error_code": _error(error),
    }


def _error(error: RefusalError | None) -> Values:
    """Return a MoveItErrorCodes message; `message` says more."""
    if error is None:
        return {"val": SUCCESS, "message": "", "source": ""}
    return {"val": error.code, "message": str(error), "source": "robot-gateway"}
