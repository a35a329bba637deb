"""The `/ik/*` and `/model/*` services: a request line and a robot in, a response line out.

A quick service answers at once; so do those of `kinematics.robot_state`, for the gateway
itself. A search or a batch is returned as a `Job`, which its caller runs in slices, so that
a long one holds nobody up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import orjson

from kinematics import answers, fields, moveit, requests, robot_state
from kinematics.answers import Values
from kinematics.batches import BATCHES, Share
from kinematics.descriptions import Loaded
from kinematics.errors import KinematicsError, quote
from kinematics.fields import MISSING
from kinematics.forward import link_poses
from kinematics.frames import DESCRIPTION_PARAM, OUTCOMES, join_parts, pack_part
from kinematics.inverse import IkSearch
from kinematics.jacobian import jacobian
from kinematics.model import Model
from kinematics.model_services import MODEL_SERVICES, ordering
from kinematics.multibody import Multibody
from kinematics.problem import IkProblem, IkResult
from urdf import UrdfError, parse

MOVEIT: Final = ("/compute_fk", "/compute_ik")
WHOLE: Final = Share()

Envelope = dict[str, object]
Answer = tuple[int, bytes]  # an index into OUTCOMES, the response line


class RefusalError(Exception):
    """A call that is answered with `result:false`, for a reason that is no error of a field."""

    def __init__(self, code: str, status: str) -> None:
        super().__init__(status)
        self.code = code


@dataclass(slots=True)
class Call:
    """One request on its way to an answer."""

    envelope: Envelope
    loaded: Loaded
    ignored: list[str]
    share: Share = WHOLE

    def head(self, values: Values) -> Values:
        """Return `version` first, then `values`, then `ignored`."""
        full = values
        if self.envelope["service"] != "/ik/validate":
            full = {"version": self.loaded.version} | values
        if self.ignored:
            full["ignored"] = self.ignored
        return full

    def answer(self, values: Values, code: str = "", status: str = "") -> Answer:
        """Return the finished answer."""
        line = answers.response_line(self.envelope, self.head(values), code, status)
        return OUTCOMES.index(code), line


# How what a search found is told: values, code and status, from the problem, what came of
# it, the seconds it took, and whether those were all it had.
Presented = tuple[Values, str, str]
Present = Callable[[IkProblem, IkResult, float, bool], Presented]


class Solve:
    """One call under way that takes a search."""

    def __init__(self, call: Call, request: requests.SolveRequest, present: Present) -> None:
        self._call = call
        self._present = present
        self.loaded = call.loaded
        self._search = IkSearch(request.problem)
        self._problem = request.problem
        self._timeout_seconds = request.timeout_seconds
        self.seconds = 0.0  # of solving so far

    def run(self, slice_seconds: float, clock: Callable[[], float]) -> bool:
        """Search on for about a slice; return True when there is nothing more to do."""
        started = clock()
        left = self._timeout_seconds - self.seconds
        done = left <= 0 or self._search.run(min(slice_seconds, left))
        self.seconds += clock() - started
        return done or self.seconds >= self._timeout_seconds

    def finish(self) -> Answer:
        """Return the answer: what was found, or the closest."""
        timed_out = self.seconds >= self._timeout_seconds
        values, code, status = self._present(
            self._problem, self._search.finish(), self.seconds, timed_out
        )
        return self._call.answer(values, code, status)


class Batch:
    """One call under way that has many items, or a part of one."""

    def __init__(self, call: Call, service: str, args: fields.Object, model: Model) -> None:
        self._call = call
        self._service = service
        self._items = BATCHES[service](args, model, call.share)
        self.loaded = call.loaded
        self.seconds = 0.0  # of work so far

    def run(self, slice_seconds: float, clock: Callable[[], float]) -> bool:
        """Work on for about a slice; return True when there is nothing more to do."""
        started = clock()
        done = self._items.run(slice_seconds, clock)
        self.seconds += clock() - started
        return done

    def finish(self) -> Answer:
        """Return the answer, or the part of it that was asked for."""
        try:
            arrays = self._items.finish()
        except KinematicsError as error:
            return self._call.answer({}, error.code, str(error))
        head = orjson.dumps(self._call.head(self._items.head()))
        part = pack_part(head, self._items.solved, arrays)
        if self._call.share.parts > 1:
            return 0, part
        values = orjson.Fragment(join_parts(self._service, [part]))
        return 0, answers.success_line(self._call.envelope, values)


Job = Solve | Batch


def begin(line: bytes, loaded: Loaded, share: Share = WHOLE) -> Answer | Job:
    """Begin a call: answer it, or return the job that will.

    Args:
        line: the request as the client sent it; the gateway has checked its envelope.
        loaded: the description that the call is about.
        share: which part of a batch is wanted.
    """
    envelope: Envelope = orjson.loads(line)
    call = Call(envelope, loaded, [], share)
    try:
        return _begin(call, str(envelope["service"]), envelope.get("args", {}))
    except KinematicsError as error:
        return call.answer({}, error.code, str(error))
    except RefusalError as refusal:
        return call.answer({}, refusal.code, str(refusal))
    except moveit.RefusalError as refusal:
        return call.answer(refusal.ik_values)


def _begin(call: Call, service: str, args: object) -> Answer | Job:
    if not isinstance(args, dict):
        raise fields.wrong("args", args, "an object")
    if service in robot_state.LINES:
        return 0, robot_state.LINES[service](args, _model(call.loaded, args))
    ignored = moveit.ignored if service in MOVEIT else requests.ignored
    call.ignored = ignored(service, args)
    if service == "/ik/validate":
        return call.answer(validate(args))
    model = _model(call.loaded, args)
    if service in SOLVES:
        read, present = SOLVES[service]
        return Solve(call, read(args, model), present)
    if service in BATCHES:
        return Batch(call, service, args, model)
    if service in MODEL_SERVICES:
        return call.answer(MODEL_SERVICES[service](args, _bodies(call.loaded, args)))
    return call.answer(QUICK[service](args, model))


def limit_exceeded(line: bytes, loaded: Loaded, size: int, limit: int) -> Answer:
    """Return the answer in place of one that no line may hold."""
    call = Call(orjson.loads(line), loaded, [])
    status = f"the answer has {size} bytes; at most {limit} fit a line (--max-line-bytes)"
    return call.answer({}, "limit_exceeded", status)


def failed(line: bytes, loaded: Loaded, error: Exception) -> Answer:
    """Return the answer to a call on which our own code failed."""
    call = Call(orjson.loads(line), loaded, [])
    status = f"the worker failed on this request ({type(error).__name__}); the log has more"
    return call.answer({}, "worker_failed", status)


def _model(loaded: Loaded, args: fields.Object) -> Model:
    param = args.get("description_param", DESCRIPTION_PARAM)
    name = fields.string(param, "description_param")
    if loaded.model is not None:
        return loaded.model
    if loaded.version:
        raise RefusalError("invalid_robot_description", loaded.refusal)
    raise RefusalError(
        "not_set",
        f"the parameter {quote(name)} was never set, or was deleted; "
        "store a robot's URDF in it with /param_server/set_param",
    )


def _bodies(loaded: Loaded, args: fields.Object) -> Multibody:
    wanted = ordering(args)
    try:
        return loaded.bodies.multibody(wanted)
    except UrdfError as error:  # masses and motors count here, which poses do without
        raise RefusalError("invalid_robot_description", str(error)) from error


def validate(args: fields.Object) -> Values:
    """Judge a description without storing it."""
    value = args.get("robot_description", MISSING)
    if value is MISSING:
        raise fields.wrong("robot_description", value, "a URDF text")
    try:
        robot = parse(value)
    except UrdfError as error:
        return {"valid": False, "error": str(error), "root_link": "", "links": 0, "joints": 0}
    return {
        "valid": True,
        "error": "",
        "root_link": robot.root_link,
        "links": len(robot.links),
        "joints": len(robot.joints),
    }


def _robot_info(_args: fields.Object, model: Model) -> Values:
    return answers.robot_info(model.robot, model.joint_names)


def _forward_kinematics(args: fields.Object, model: Model) -> Values:
    request = requests.forward(args, model)
    rows = link_poses(model, request.q, request.base, request.links)
    return {
        "base_link": model.link_names[request.base],
        "poses": answers.poses(model, request.links, rows),
    }


def _jacobian(args: fields.Object, model: Model) -> Values:
    request = requests.jacobian(args, model)
    joints, matrix, pose = jacobian(
        model, request.q, request.link, request.base, request.point, request.reference
    )
    return {
        "joint_names": [model.joint_names[i] for i in joints],
        "jacobian": matrix.tolist(),
        "pose": answers.pose(pose.tolist()),
    }


def _solution(problem: IkProblem, result: IkResult, seconds: float, _timed_out: bool) -> Presented:
    values = answers.solution(problem.model, result) | {"seconds": seconds}
    if problem.solutions > 1:
        values["solutions"] = answers.solutions(problem.model, result)
    return values, "" if result.status == "solved" else result.status, result.reason


def _moveit_solution(
    problem: IkProblem, result: IkResult, _seconds: float, timed_out: bool
) -> Presented:
    return moveit.ik_values(problem.model, result, timed_out=timed_out), "", ""


QUICK: Final[Mapping[str, Callable[[fields.Object, Model], Values]]] = {
    "/ik/robot_info": _robot_info,
    "/ik/forward_kinematics": _forward_kinematics,
    "/ik/jacobian": _jacobian,
    "/compute_fk": moveit.compute_fk,
}
SOLVES: Final[
    Mapping[str, tuple[Callable[[fields.Object, Model], requests.SolveRequest], Present]]
] = {
    "/ik/solve_robot": (requests.solve, _solution),
    "/compute_ik": (moveit.read_ik, _moveit_solution),
}
