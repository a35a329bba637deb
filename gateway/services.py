"""The gateway's own services, one row each: answered here, or passed on to the pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

import orjson

from gateway import rosapi, vitals
from gateway.calls import NOT_VERSIONED, Cost
from gateway.envelope import Values
from gateway.errors import ABSENT, ServiceError, quote, show
from gateway.hub import Hub
from gateway.params import Params, Write
from kinematics.frames import DESCRIPTION_PARAM

Args = Mapping[str, object]
Reads = Literal["nothing", "one", "all"]  # one: that of the argument `name`

IGNORED_NAMES: Final = 100  # of surplus fields listed: a misspelling is one, a flood is not
MAX_SOLVING_SECONDS: Final = 10.0  # the contract's; the worker refuses more
SOLVING_GRACE_SECONDS: Final = 2.0  # the contract's, on top of the time asked for
DEFAULT_SOLVING_SECONDS: Final = 0.1  # the contract's, of one item of a batch
MAX_BATCH_SECONDS: Final = 600.0  # for a batch; what it has not tried by then is answered untried
DEADLINE_SECONDS: Final = 10.0  # the contract's, where no time is asked for


@dataclass(frozen=True, slots=True)
class LocalService:
    """A service that is answered at once."""

    name: str
    type: str
    fields: frozenset[str]  # of `args` that mean something
    run: Callable[[Hub, Args], Values]  # raises ServiceError
    reads: Reads = "nothing"  # of the parameters

    def awaits(self, params: Params, args: Args) -> Write | None:
        """Return the write that has to be in force before the answer, None if there is none."""
        if self.reads == "nothing":
            return None
        name = args.get("name") if self.reads == "one" else None
        return params.unsaved(name if isinstance(name, str) else None)

    def answer(self, hub: Hub, args: Args) -> Values:
        """Return the answer's `values`, with the fields of `args` that nothing read.

        Raises:
            ServiceError: the answer is `result:false`.
        """
        ignored = [name for name in args if name not in self.fields][:IGNORED_NAMES]
        try:
            values = self.run(hub, args)
        except ServiceError as error:
            if ignored:
                error.values["ignored"] = ignored
            raise
        return {**values, "ignored": ignored} if ignored else values


@dataclass(frozen=True, slots=True)
class PoolService:
    """A service that a worker process answers."""

    name: str
    type: str
    cost: Cost
    batch: str = ""  # the array in `args` whose items may be divided among the workers

    def items(self, args: Args) -> int:
        """Return how many items a batch has that need not be worked on in turn; else 0."""
        items = args.get(self.batch) if self.batch and args.get("mode") != "path" else None
        return len(items) if isinstance(items, list) else 0

    def awaits(self, params: Params, args: Args) -> Write | None:
        """Return the write that has to be in force before the answer, None if there is none."""
        name = self.description_param(args)
        return None if name is None else params.unsaved(name)

    def deadline_seconds(self, args: Args) -> float:
        """Return how long the answer may take, from when the line is taken."""
        timeout = args.get("timeout")
        if not (isinstance(timeout, int | float) and 0 <= timeout <= MAX_SOLVING_SECONDS):
            timeout = None  # none was asked for, or the worker refuses it
        if self.batch:
            items = args.get(self.batch)
            each = DEFAULT_SOLVING_SECONDS if timeout is None else timeout
            seconds = each * len(items) if isinstance(items, list) else 0.0
            seconds = max(seconds + SOLVING_GRACE_SECONDS, DEADLINE_SECONDS)
            return min(seconds, MAX_BATCH_SECONDS)
        if self.cost == "solve" and timeout is not None:
            return timeout + SOLVING_GRACE_SECONDS
        return DEADLINE_SECONDS

    def description_param(self, args: Args) -> str | None:
        """Return the parameter that holds the description it reads, if it reads one."""
        if self.name == NOT_VERSIONED:
            return None
        name = args.get("description_param", DESCRIPTION_PARAM)
        return name if isinstance(name, str) else DESCRIPTION_PARAM  # the worker says what is wrong


def _name(args: Args) -> str:
    name = args.get("name", ABSENT)
    if not isinstance(name, str):
        what = "is missing" if name is ABSENT else f"is {show(name)}"
        raise ServiceError("invalid_request", f"'name' {what}; a string expected")
    if not name:
        raise ServiceError("invalid_request", "'name' is empty; a parameter's name expected")
    return name


def _set_param(hub: Hub, args: Args) -> Values:
    name = _name(args)
    if "value" not in args:
        raise ServiceError("invalid_request", "'value' is missing; any JSON value expected")
    return {"version": hub.params.set(name, args["value"]).version}


def _get_param(hub: Hub, args: Args) -> Values:
    name = _name(args)
    parameter = hub.params.find(name)
    if parameter is None:
        raise ServiceError("not_set", _not_set(name), {"value": None, "version": 0})
    return {"value": orjson.Fragment(parameter.value), "version": parameter.version}


def _list_params(hub: Hub, args: Args) -> Values:
    prefix = args.get("prefix", "")
    if not isinstance(prefix, str):
        raise ServiceError("invalid_request", f"'prefix' is {show(prefix)}; a string expected")
    return {
        "params": [
            {"name": found.name, "version": found.version, "bytes": len(found.value)}
            for found in map(hub.params.find, hub.params.names(prefix))
            if found is not None
        ]
    }


def _delete_param(hub: Hub, args: Args) -> Values:
    name = _name(args)
    version = hub.params.delete(name)
    if version is None:
        raise ServiceError("not_set", _not_set(name), {"version": 0})
    return {"version": version}


def _health(hub: Hub, _args: Args) -> Values:
    return vitals.health(hub)


def _not_set(name: str) -> str:
    return (
        f"the parameter {quote(name)} was never set, or was deleted; "
        "/param_server/list_params lists those that are set"
    )


LOCAL: Final = (
    LocalService(
        name="/param_server/set_param",
        type="param_server/SetParam",
        fields=frozenset({"name", "value"}),
        run=_set_param,
    ),
    LocalService(
        name="/param_server/get_param",
        type="param_server/GetParam",
        fields=frozenset({"name"}),
        run=_get_param,
        reads="one",
    ),
    LocalService(
        name="/param_server/list_params",
        type="param_server/ListParams",
        fields=frozenset({"prefix"}),
        run=_list_params,
        reads="all",
    ),
    LocalService(
        name="/param_server/delete_param",
        type="param_server/DeleteParam",
        fields=frozenset({"name"}),
        run=_delete_param,
    ),
    LocalService("/gateway/health", "gateway/Health", frozenset(), _health),
)
POOLED: Final = (
    PoolService("/ik/robot_info", "ik/RobotInfo", "quick"),
    PoolService("/ik/validate", "ik/Validate", "quick"),
    PoolService("/ik/forward_kinematics", "ik/ForwardKinematics", "quick"),
    PoolService("/ik/jacobian", "ik/Jacobian", "quick"),
    PoolService("/ik/solve_robot", "ik/SolveRobot", "solve"),
    PoolService("/ik/solve_batch", "ik/SolveBatch", "solve", "targets"),
    PoolService(
        *("/ik/forward_kinematics_batch", "ik/ForwardKinematicsBatch", "solve", "positions"),
    ),
    PoolService("/model/info", "model/Info", "quick"),
    PoolService("/model/transforms", "model/Transforms", "quick"),
    PoolService("/model/jacobians", "model/Jacobians", "quick"),
    PoolService("/model/center_of_mass", "model/CenterOfMass", "quick"),
    PoolService("/model/inverse_dynamics", "model/InverseDynamics", "quick"),
    PoolService("/model/mass_matrix", "model/MassMatrix", "quick"),
    PoolService("/compute_fk", "moveit_msgs/GetPositionFK", "quick"),
    PoolService("/compute_ik", "moveit_msgs/GetPositionIK", "solve"),
)
ROSAPI: Final[tuple[LocalService, ...]] = tuple(
    LocalService(row.name, row.type, row.fields, row.run, row.reads) for row in rosapi.ROWS
)
OWN: Final[tuple[LocalService | PoolService, ...]] = (*LOCAL, *POOLED, *ROSAPI)
# By every name that a client may call it: of rosbridge clients some leave the first slash out.
SERVICES: Final[Mapping[str, LocalService | PoolService]] = {
    **{service.name: service for service in OWN},
    **{service.name.removeprefix("/"): service for service in ROSAPI},
}
