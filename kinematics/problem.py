"""What is asked of inverse kinematics, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from kinematics.arrays import FloatArray
from kinematics.model import Model


@dataclass(frozen=True, slots=True, eq=False)
class IkProblem:
    """What is asked: a pose of a point of a link.

    Attributes:
        model: the robot.
        link, base: the link that has the point, and itself or one of its ancestors.
        point: (3,) in the link's frame, m.
        position: (3,) wanted of the point in the base's frame, m; None: any.
        quaternion: (4,) x y z w, unit, wanted of the link's axes; None: any.
        seed: (n,) rad or m; where the search starts, and what other joints are held at.
        free: indices in q of the joints on the path that may move; None: all of them.
        position_tolerance, orientation_tolerance: m and rad, above 0.
        random_seed: of the restarts; the same problem has the same answer.
        solutions: how many distinct ones are wanted.
    """

    model: Model
    link: int
    base: int
    point: FloatArray
    position: FloatArray | None
    quaternion: FloatArray | None
    seed: FloatArray
    free: list[int] | None = None
    position_tolerance: float = 1e-6
    orientation_tolerance: float = 1e-6
    random_seed: int = 0
    solutions: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class IkResult:
    """What came of it.

    Attributes:
        status: "solved", "no_solution", "unreachable"; or "invalid_request" where numbers as
            huge as those of the target leave an error that is none.
        q: (n,) the solution, or the closest configuration found, within the limits.
        position_error, orientation_error: m and rad, by forward kinematics of `q`; None for a
            part that was not asked for, and for both where the request is invalid.
        iterations, restarts: what the search took.
        reason: a sentence, unless it is solved.
        solutions: (q, position_error, orientation_error) of each distinct solution, closest to
            the seed first.
    """

    status: str
    q: FloatArray
    position_error: float | None
    orientation_error: float | None
    iterations: int
    restarts: int
    reason: str = ""
    solutions: list[tuple[FloatArray, float | None, float | None]] = field(default_factory=list)
