"""Ask the inverse kinematics, and believe nothing that it answers."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kinematics.inverse import IkSearch
from kinematics.model import Model
from kinematics.problem import IkProblem, IkResult
from tests.support import numpy_kinematics as witness
from tests.support.random_robots import named

Array = npt.NDArray[np.float64]

PATIENCE_SECONDS = 20.0  # of a search that should end by itself; far more than it takes
SLICE_SECONDS = 0.0005
ORIGIN = np.zeros(3)
AGREEMENT = 3e-8  # rad: the witness' own angle, of a chord, is no better for small ones


def goal_at(model: Model, q: Array | Sequence[float], link: str, base: str = "") -> Array:
    """Return T_base_link (4, 4) at a configuration, by the witness."""
    positions = named(model, np.array(q, dtype=float))
    return witness.relative(model.robot, positions, base or model.root_link, link)


def problem(
    model: Model,
    link: str,
    goal: Array,
    *,
    parts: str = "both",
    base: str = "",
    seed: Array | Sequence[float] | None = None,
    free: Iterable[str] | None = None,
    point: Array = ORIGIN,
    **options: Any,
) -> IkProblem:
    """Return the problem of bringing a point of a link to a goal (4, 4)."""
    quaternion = quaternion_of(goal[:3, :3])
    position = goal[:3, :3] @ point + goal[:3, 3]
    start = np.zeros(len(model.joint_names)) if seed is None else np.array(seed, dtype=float)
    return IkProblem(
        model=model,
        link=model.link_index(link),
        base=model.link_index(base or model.root_link),
        point=point,
        position=None if parts == "orientation" else position,
        quaternion=None if parts == "position" else quaternion,
        seed=start,
        free=None if free is None else [model.joint_names.index(name) for name in free],
        **options,
    )


def quaternion_of(R: Array) -> Array:
    """Return x y z w of a rotation: the eigenvector of the largest eigenvalue (Bar-Itzhack 2000)."""
    K = np.array(
        [
            [R[0, 0] - R[1, 1] - R[2, 2], 0, 0, 0],
            [R[1, 0] + R[0, 1], R[1, 1] - R[0, 0] - R[2, 2], 0, 0],
            [R[2, 0] + R[0, 2], R[2, 1] + R[1, 2], R[2, 2] - R[0, 0] - R[1, 1], 0],
            [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1], R.trace()],
        ]
    )
    return np.asarray(np.linalg.eigh(K)[1][:, 3])


def solve(
    asked: IkProblem, seconds: float = PATIENCE_SECONDS, slice_seconds: float = SLICE_SECONDS
) -> IkResult:
    """Run a search until it is done or its time is up, and judge what it claims."""
    search = IkSearch(asked)
    end = time.perf_counter() + seconds
    while not search.run(slice_seconds) and time.perf_counter() < end:
        pass
    result = search.finish()
    check(asked, result)
    return result


def check(asked: IkProblem, result: IkResult) -> None:
    """Hold a result to what it says of itself, by other arithmetic than the product's."""
    assert np.isfinite(result.q).all()
    _check_limits(asked, result.q)
    _check_errors(asked, result.q, result.position_error, result.orientation_error)
    if result.status != "solved":
        assert result.reason
        assert not result.solutions
        return
    assert not result.reason
    assert 1 <= len(result.solutions) <= asked.solutions
    first = result.solutions[0]
    assert (first[0] == result.q).all()
    assert first[1:] == (result.position_error, result.orientation_error)
    for q, position_error, orientation_error in result.solutions:
        _check_limits(asked, q)
        _check_errors(asked, q, position_error, orientation_error)
        assert position_error is None or position_error <= asked.position_tolerance
        assert orientation_error is None or orientation_error <= asked.orientation_tolerance


def _check_limits(asked: IkProblem, q: Array) -> None:
    """Every joint is within its limits to the last bit, and what may not move has not moved."""
    model = asked.model
    possible = model.lower <= model.upper
    assert (model.lower <= q)[possible].all()
    assert (q <= model.upper)[possible].all()
    start = np.where(possible, np.clip(asked.seed, model.lower, model.upper), asked.seed)
    path = witness.path(model.robot, model.link_names[asked.base], model.link_names[asked.link])
    moving = {model.joint_names.index(joint.name) for joint in path}
    if asked.free is not None:
        moving &= set(asked.free)
    held = [i for i in range(len(q)) if i not in moving]
    assert (q[held] == start[held]).all()


def _check_errors(
    asked: IkProblem, q: Array, position_error: float | None, orientation_error: float | None
) -> None:
    model = asked.model
    names = model.link_names
    T = goal_at(model, q, names[asked.link], names[asked.base])
    assert (position_error is None) == (asked.position is None)
    assert (orientation_error is None) == (asked.quaternion is None)
    if position_error is not None and asked.position is not None:
        at = T[:3, :3] @ asked.point + T[:3, 3]
        size = float(np.abs(at).max() + np.abs(asked.position).max())
        size += sum(float(np.abs(j.origin.xyz).max()) for j in model.robot.joints)
        off = float(np.linalg.norm(at - asked.position))
        assert abs(position_error - off) <= 1e-13 * size
    if orientation_error is not None and asked.quaternion is not None:
        goal = witness.matrix_of([0.0, 0.0, 0.0, *asked.quaternion])
        off = witness.errors_between(T, np.block([[goal[:3, :3], T[:3, 3:]], [np.eye(4)[3:]]]))[1]
        near_half = 1e-7 if off > 3.0 else 0.0  # there the chord says little of the angle
        assert abs(orientation_error - off) <= AGREEMENT + near_half
