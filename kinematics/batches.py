"""Many targets, or many configurations, in one call: the whole of it, or one part in order.

The gateway divides a long batch among its workers. Each reads the same request and works
on its own share of the items; what they answer is put together in order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np
import orjson

from kinematics import answers, fields, requests
from kinematics.arrays import FloatArray
from kinematics.chain import chain_between
from kinematics.compiling import COMPILED
from kinematics.errors import KinematicsError
from kinematics.fields import MISSING, Object
from kinematics.forward import many_link_poses
from kinematics.inverse import IkSearch
from kinematics.model import Model
from kinematics.problem import IkProblem, IkResult

MAX_ITEMS: Final = 100_000  # of a batch; a line of answers to more is too long anyway
MODES: Final = ("independent", "path")
CHUNK_POSES: Final = 500 if COMPILED else 20  # computed at a time, in about half a slice
NUMPY: Final = orjson.OPT_SERIALIZE_NUMPY

Head = dict[str, object]


@dataclass(frozen=True, slots=True)
class Share:
    """Which of a batch's items: part `part` of `parts`."""

    part: int = 0
    parts: int = 1

    def of(self, count: int) -> range:
        """Return the indices of this share among so many items."""
        return range(count * self.part // self.parts, count * (self.part + 1) // self.parts)


class Items(Protocol):
    """The items of a batch, worked on in slices."""

    solved: int

    def run(self, slice_seconds: float, clock: Callable[[], float]) -> bool:
        """Work on for about a slice; return True when all is done."""

    def finish(self) -> list[bytes]:
        """Return the items of each of the answer's arrays, as JSON without brackets."""

    def head(self) -> Head:
        """Return the answer's values before the arrays."""


class SolveBatch:
    """`/ik/solve_batch` under way: one search after the other, each with a time of its own."""

    def __init__(self, args: Object, model: Model, share: Share) -> None:
        """Read the arguments.

        Raises:
            KinematicsError: a field is wrong; all targets are read before any is tried.
        """
        targets = _items(args, "targets", "an array of targets")
        self._path = _mode(args) == "path"
        step = args.get("max_step", MISSING)
        self._max_step = None if step is MISSING else fields.positive_number(step, "max_step")
        self._timeout_seconds = requests.timeout_seconds(args)
        anything: dict[str, object] = {"position": {"x": 0, "y": 0, "z": 0}}
        self._problem = requests.problem(args, model, anything)
        chain_between(model, self._problem.base, self._problem.link)  # or the base is refused
        goals = [requests.goal(target, f"targets[{i}]") for i, target in enumerate(targets)]
        self._goals = [goals[i] for i in share.of(len(goals))]
        self._names = orjson.Fragment(orjson.dumps(model.joint_names))
        self._seed = self._problem.seed
        self._search: IkSearch | None = None
        self._search_seconds = 0.0
        self._items: list[bytes] = []
        self._next = 0
        self.solved = 0

    def run(self, slice_seconds: float, clock: Callable[[], float]) -> bool:
        """Search on for about a slice; return True when every item has been tried."""
        end = clock() + slice_seconds
        while self._next < len(self._goals):
            now = clock()
            if now >= end:
                return False
            if self._search is None:
                self._search = IkSearch(self._problem_now())
                self._search_seconds = 0.0
            left = self._timeout_seconds - self._search_seconds
            done = left <= 0 or self._search.run(min(end - now, left))
            self._search_seconds += clock() - now
            if done or self._search_seconds >= self._timeout_seconds:
                self._finish_item(self._search)
        return True

    def finish(self) -> list[bytes]:
        """Return the items; those that no time is left for are judged at their seed."""
        while self._next < len(self._goals):
            self._finish_item(self._search or IkSearch(self._problem_now()))
        return [b",".join(self._items)]

    def head(self) -> Head:
        """Return the answer's values before the arrays."""
        return {}

    def _problem_now(self) -> IkProblem:
        position, quaternion = self._goals[self._next]
        return replace(self._problem, position=position, quaternion=quaternion, seed=self._seed)

    def _finish_item(self, search: IkSearch) -> None:
        result = search.finish()
        code = "" if result.status == "solved" else result.status
        status = result.reason
        if not code and self._path and self._max_step is not None:
            moved = float(np.abs(result.q - self._start()).max(initial=0.0))
            if moved > self._max_step:
                code = "no_solution"
                status = f"a joint would move by {moved:.6g}; at most {self._max_step:g} is allowed"
        if not code:
            self.solved += 1
            if self._path:
                self._seed = result.q
        self._items.append(self._item(result, code, status))
        self._search = None
        self._next += 1

    def _start(self) -> FloatArray:
        """Return where the item's search began: its seed within the limits."""
        model = self._problem.model
        moved = np.minimum(np.maximum(self._seed, model.lower), model.upper)
        return np.where(model.lower <= model.upper, moved, self._seed)

    def _item(self, result: IkResult, code: str, status: str) -> bytes:
        item: dict[str, object] = {"result": not code, "status": status}
        if code:
            item["code"] = code
        errors = result.position_error, result.orientation_error
        item |= answers.configuration(self._names, result.q, *errors)
        return orjson.dumps(item, option=NUMPY)


class ForwardBatch:
    """`/ik/forward_kinematics_batch` under way: some configurations at a time."""

    def __init__(self, args: Object, model: Model, share: Share) -> None:
        """Read the arguments.

        Raises:
            KinematicsError: a field is wrong.
        """
        self.solved = 0  # nothing to solve here
        self._model = model
        self._links = requests.links(args, model)
        self._base = requests.base_link(args, model)
        self._q = _configurations(args, model, share)
        self._next = 0
        self._poses: list[FloatArray] = []

    def run(self, slice_seconds: float, clock: Callable[[], float]) -> bool:
        """Compute on for about a slice; return True when all is done."""
        end = clock() + slice_seconds
        rows = max(1, CHUNK_POSES // len(self._model.link_names))
        while self._next < len(self._q):
            chunk = self._q[self._next : self._next + rows]
            self._poses.append(many_link_poses(self._model, chunk, self._base, self._links))
            self._next += rows
            if clock() >= end:
                break
        return self._next >= len(self._q)

    def finish(self) -> list[bytes]:
        """Return positions and orientations.

        Raises:
            KinematicsError: `timeout`; not all could be computed.
        """
        if self._next < len(self._q):
            raise KinematicsError(
                "timeout", "the answer did not come in time; send fewer positions"
            )
        empty = np.zeros((0, len(self._links), 7))
        poses = np.concatenate([empty, *self._poses])
        parts = (np.ascontiguousarray(poses[:, :, :3]), np.ascontiguousarray(poses[:, :, 3:]))
        return [orjson.dumps(part, option=NUMPY)[1:-1] for part in parts]

    def head(self) -> Head:
        """Return the answer's values before the arrays."""
        names = self._model.link_names
        return {"base_link": names[self._base], "links": [names[link] for link in self._links]}


def _items(args: Object, name: str, right: str) -> list[object]:
    items = args.get(name, MISSING)
    if not isinstance(items, list):
        raise fields.wrong(name, items, right)
    if len(items) > MAX_ITEMS:
        raise KinematicsError(
            "invalid_request", f"'{name}' has {len(items)} items; at most {MAX_ITEMS} expected"
        )
    return items


def _mode(args: Object) -> str:
    mode = args.get("mode", "independent")
    if mode not in MODES:
        raise fields.wrong("mode", mode, '"independent" or "path"')
    return str(mode)


def _configurations(args: Object, model: Model, share: Share) -> FloatArray:
    """Return this share's rows of q (m, n); joints that are not named are at 0."""
    names = fields.strings(args.get("joint_names", MISSING), "joint_names")
    fields.each_once(names, "joint_names")
    columns = [model.q_index(name) for name in names]
    rows = _items(args, "positions", "an array of arrays of numbers")
    for i, row in enumerate(rows):
        length = len(fields.numbers(row, f"positions[{i}]"))
        if length != len(names):
            raise KinematicsError(
                "invalid_request",
                f"'positions[{i}]' has {length} numbers; "
                f"one for each of the {len(names)} names in 'joint_names' expected",
            )
    wanted = share.of(len(rows))
    given = np.array(rows[wanted.start : wanted.stop], dtype=np.float64)
    q = np.zeros((len(wanted), len(model.joint_names)))
    for i, column in enumerate(columns):
        if column is not None:  # a fixed joint may be named and changes nothing
            q[:, column] = given[:, i]
    return q


Begin = Callable[[Object, Model, Share], Items]
BATCHES: Final[Mapping[str, Begin]] = {
    "/ik/solve_batch": SolveBatch,
    "/ik/forward_kinematics_batch": ForwardBatch,
}
