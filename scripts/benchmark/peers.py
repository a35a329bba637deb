"""Other people's solvers, each built from the same constants and at its best fair setting.

All have 1e-6 m and rad to reach, and 5 ms (or restarts for about as long). What a peer lacks,
such as a search that starts again, it is given here. Each is imported where it is built, so
that one that does not install is left out by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol

import numpy as np

from scripts.benchmark.arms import Arm, Array, Chain
from scripts.benchmark.ours import SOLVE_SECONDS, quaternion
from scripts.benchmark.targets import TOLERANCE, judge, targets

HALF_SQUARED: Final = 0.4 * TOLERANCE**2  # roboticstoolbox holds e.e / 2 to its tolerance
SEARCHES: Final = 100  # of roboticstoolbox, which cannot be told a time
DAMPING_SHARE: Final = 0.1  # Chan's: lambda is so much of the error
FIXED_VALUES: Final = 200  # values that EAIK tries for the one joint that it cannot solve for
TRIALS: Final = 100  # targets that tell which joint it had best not solve for
EACH_COMPONENT: Final = TOLERANCE / 2  # TRAC-IK holds every component to it, not the norm
MOST_STEPS: Final = 30  # of one attempt of the loop on Pinocchio


class Solver(Protocol):
    """What every solver is called by."""

    name: str

    def solve(self, T: Array, seed: Array) -> Array | None:
        """Solve for T_base_tip (4, 4) from a seed (n,)."""


class RoboticsToolbox:
    """The compiled Levenberg-Marquardt solver, with Chan's damping and its own restarts."""

    name = "roboticstoolbox"

    def __init__(self, arm: Arm) -> None:
        from roboticstoolbox import ET, ETS  # noqa: PLC0415

        elements = []
        for step in arm.chain.steps:
            elements.append(ET.SE3(step.T_origin))
            move = ET.Rz if step.revolute else ET.tz
            elements.append(move(qlim=[step.lower, step.upper]))
        self._ets = ETS([*elements, ET.SE3(arm.chain.T_tail)])

    def solve(self, T: Array, seed: Array) -> Array | None:
        """Solve for T_base_tip."""
        answer: Any = self._ets.ik_LM(
            T,
            q0=seed,
            slimit=SEARCHES,
            tol=HALF_SQUARED,
            joint_limits=True,
            k=DAMPING_SHARE,
            method="chan",
        )
        return np.ravel(answer.q) if answer.success else None


class TracIk:
    """TRAC-IK: Newton with restarts, and SQP beside it, each in a thread."""

    name = "TRAC-IK"

    def __init__(self, arm: Arm, goal: str = "Speed") -> None:
        import pytracik  # noqa: PLC0415

        kind = getattr(pytracik.SolveType, goal)
        base = arm.base or arm.robot.root_link
        seconds, self._ik = SOLVE_SECONDS, pytracik.ik
        self._solver = pytracik.TRAC_IK(base, arm.tip, arm.text, seconds, EACH_COMPONENT, kind)
        if pytracik.get_num_joints(self._solver) != len(arm.chain.steps):
            raise ValueError(f"TRAC-IK sees other joints in {arm.name}")
        # It takes a safety controller without soft limits for limits of 0: tell it the true ones.
        theirs = (pytracik.get_joint_lower_bounds, pytracik.get_joint_upper_bounds)
        bounds = [
            [
                getattr(step, end) if step.bounded else own
                for step, own in zip(arm.chain.steps, get(self._solver), strict=True)
            ]
            for end, get in zip(("lower", "upper"), theirs, strict=True)
        ]
        pytracik.set_joint_limits(self._solver, *bounds)

    def solve(self, T: Array, seed: Array) -> Array | None:
        """Solve for T_base_tip."""
        answer = self._ik(self._solver, seed, *T[:3, 3], *quaternion(T))
        # The number of solutions comes first; none below 0.
        return np.asarray(answer[1:]) if answer[0] >= 0 else None


class Eaik:
    """The analytic solver: the closest to the seed of all solutions within the limits.

    Arms of seven joints are solved with one joint held, at one of several values after the other.
    """

    name = "EAIK"

    def __init__(self, arm: Arm) -> None:
        from eaik.IK_HP import HPRobot  # noqa: PLC0415

        chain = self._chain = arm.chain
        H, P, self._R_back = screws(chain)
        count = len(chain.steps)
        if count == 6:
            self._robots = [HPRobot(H, P)]
            return
        if count != 7:
            raise ValueError(f"EAIK solves for six joints; {arm.name} has {count}")
        known = [i for i in range(count) if HPRobot(H, P, [(i, 0.1)]).hasKnownDecomposition()]
        if not known:
            raise ValueError(f"EAIK knows no decomposition of {arm.name}")
        self._robots = max((self._holding(HPRobot, H, P, i) for i in known), key=self._worth)

    def _holding(self, make: Any, H: Array, P: Array, held: int) -> list[Any]:
        """Return a robot for each of several values of one joint, in random order."""
        lower, upper = self._chain.lower[held], self._chain.upper[held]
        values = np.linspace(lower, upper, FIXED_VALUES + 2)[1:-1]
        np.random.RandomState(2).shuffle(values)
        return [make(H, P, [(held, float(value))]) for value in values]

    def _worth(self, robots: list[Any]) -> tuple[int, float]:
        """Return how many of a few targets are solved with these robots, and how quickly."""
        self._robots = robots
        tried = targets(self._chain, "uniform", TRIALS)
        started = time.process_time()
        answers = [self.solve(target.T, target.seed) for target in tried]
        spent = time.process_time() - started
        pairs = zip(tried, answers, strict=True)
        return sum(judge(self._chain, one.T, q).solved for one, q in pairs), -spent

    def solve(self, T: Array, seed: Array) -> Array | None:
        """Solve for T_base_tip."""
        wanted = T.copy()
        wanted[:3, :3] = T[:3, :3] @ self._R_back
        end = time.thread_time() + SOLVE_SECONDS
        for robot in self._robots:
            if time.thread_time() > end:
                break
            answers = robot.IK(wanted)
            if not answers.num_solutions():
                continue
            q = nearest_within(self._chain, np.asarray(answers.Q)[~np.asarray(answers.is_LS)], seed)
            if q is not None:
                return q
        return None


class PinocchioLoop:
    """A Levenberg-Marquardt loop in Python on Pinocchio's kinematics, with restarts."""

    name = "Pinocchio, LM loop"

    def __init__(self, arm: Arm) -> None:
        import pinocchio  # noqa: PLC0415

        self._pin, self._chain = pinocchio, arm.chain
        self._model, self._frame = pinocchio_chain(arm.chain)
        self._data = self._model.createData()
        self._rng = np.random.RandomState(3)

    def solve(self, T: Array, seed: Array) -> Array | None:
        """Solve for T_base_tip."""
        end = time.thread_time() + SOLVE_SECONDS  # others may hold the processor
        T_tip_base = self._pin.SE3(T)
        q = seed
        while True:
            found = self._descend(T_tip_base, q, end)
            if found is not None or time.thread_time() > end:
                return found
            q = self._rng.uniform(self._chain.lower, self._chain.upper)

    def _descend(self, goal: Any, q: Array, end: float) -> Array | None:
        pin, model, data = self._pin, self._model, self._data
        for _ in range(MOST_STEPS):
            pin.framesForwardKinematics(model, data, q)
            error = pin.log6(data.oMf[self._frame].actInv(goal)).vector
            squared = float(error @ error)
            if squared < TOLERANCE**2:
                return nearest_within(self._chain, q, self._chain.lower / 2 + self._chain.upper / 2)
            if time.thread_time() > end:
                return None
            J = pin.computeFrameJacobian(model, data, q, self._frame, pin.LOCAL)
            damped = J.T @ J
            damped[np.diag_indices_from(damped)] += DAMPING_SHARE * squared / 2 + 1e-9
            q = q + np.linalg.solve(damped, J.T @ error)  # limits are looked at in the end: better
        return None


class Ikpy:
    """ikpy: an optimiser of scipy on its own kinematics."""

    name = "ikpy"

    def __init__(self, arm: Arm) -> None:
        from ikpy.chain import Chain as IkpyChain  # noqa: PLC0415
        from ikpy.link import OriginLink, URDFLink  # noqa: PLC0415

        links: list[Any] = [OriginLink()]
        for step in arm.chain.steps:
            kind = {"rotation": [0, 0, 1]} if step.revolute else {"translation": [0, 0, 1]}
            links.append(
                URDFLink(
                    step.name,
                    step.T_origin[:3, 3],
                    roll_pitch_yaw(step.T_origin[:3, :3]),
                    bounds=(step.lower, step.upper),
                    joint_type="revolute" if step.revolute else "prismatic",
                    **kind,
                )
            )
        T = arm.chain.T_tail
        tail = URDFLink("tip", T[:3, 3], roll_pitch_yaw(T[:3, :3]), joint_type="fixed")
        mask = [False, *[True] * len(arm.chain.steps), False]
        self._solver = IkpyChain([*links, tail], active_links_mask=mask)

    def solve(self, T: Array, seed: Array) -> Array | None:
        """Solve for T_base_tip."""
        start = np.concatenate([[0.0], seed, [0.0]])
        answer = self._solver.inverse_kinematics_frame(T, start, orientation_mode="all")
        return np.asarray(answer[1:-1])


PEERS: Final[tuple[Callable[[Arm], Solver], ...]] = (
    RoboticsToolbox,
    TracIk,
    Eaik,
    PinocchioLoop,
    Ikpy,
)


def built(arm: Arm) -> Iterator[tuple[str, Solver | str]]:
    """Yield every peer's name and its solver for an arm, or why there is none."""
    for peer in PEERS:
        try:
            yield peer.name, peer(arm)  # type: ignore[attr-defined]
        except (ImportError, ValueError) as error:
            yield peer.name, str(error)  # type: ignore[attr-defined]


def screws(chain: Chain) -> tuple[Array, Array, Array]:
    """Return axes (n, 3), offsets between them (n + 1, 3), and the tip's rotation at 0, inverse."""
    T = np.eye(4)
    axes, origins = [], [np.zeros(3)]
    for step in chain.steps:
        T = T @ step.T_origin
        axes.append(T[:3, 2])
        origins.append(T[:3, 3])
    T = T @ chain.T_tail
    origins.append(T[:3, 3])
    return np.array(axes), np.diff(np.array(origins), axis=0), T[:3, :3].T


def nearest_within(chain: Chain, solutions: Array, seed: Array) -> Array | None:
    """Return the solution within the limits that is closest to the seed; turns are taken off."""
    best, least = None, np.inf
    for q in np.atleast_2d(solutions):
        if len(q) != len(seed):
            continue
        turned = q - 2 * np.pi * np.round((q - seed) / (2 * np.pi)) * chain.revolute
        for candidate in (turned, q):
            distance = float(((candidate - seed) ** 2).sum())
            inside = (candidate >= chain.lower).all() and (candidate <= chain.upper).all()
            if inside and distance < least:
                best, least = candidate, distance
    return best


def pinocchio_chain(chain: Chain) -> tuple[Any, int]:
    """Return a model of the chain alone, and its tip's frame."""
    import pinocchio as pin  # noqa: PLC0415

    model, parent = pin.Model(), 0
    for step in chain.steps:
        joint = pin.JointModelRZ() if step.revolute else pin.JointModelPZ()
        parent = model.addJoint(parent, joint, pin.SE3(step.T_origin), step.name)
    frame = pin.Frame("tip", parent, pin.SE3(chain.T_tail), pin.FrameType.OP_FRAME)
    return model, model.addFrame(frame)


def roll_pitch_yaw(R: Array) -> Array:
    """Return angles of Rz(yaw) Ry(pitch) Rx(roll) = R."""
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    if np.hypot(R[0, 0], R[1, 0]) < 1e-12:
        return np.array([np.arctan2(-R[1, 2], R[1, 1]), pitch, 0.0])
    return np.array([np.arctan2(R[2, 1], R[2, 2]), pitch, np.arctan2(R[1, 0], R[0, 0])])
