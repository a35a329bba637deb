"""Masses and inertias: read, turned into the link's axes, and held against physics."""

from __future__ import annotations

import math
from typing import Final

from urdf.document import Element
from urdf.errors import InertialError
from urdf.model import Inertial, Matrix
from urdf.place import Place
from urdf.scalars import Vector, number
from urdf.shapes import ZERO, read_origin

LABEL: Final = "<inertial>: "
NO_INERTIA: Final[Matrix] = (ZERO, ZERO, ZERO)
# Descriptions round their numbers: a moment may lack this part of the largest one.
ROUNDING: Final = 1e-3
ROUND_OFF: Final = 1e-14  # of the largest moment: what turning a tensor leaves of a zero
SWEEPS: Final = 12  # of Jacobi's method; a symmetric 3x3 needs 4 to 6


class InertialPlace(Place):
    """A link, to complain about its mass and inertia."""

    __slots__ = ()
    error = InertialError


def read_inertial(element: Element) -> Inertial | None:
    """Return the `<inertial>` of a `<link>`, None where there is none.

    An `<inertia>` that is left out is zero; one that is there has all its six numbers.

    Raises:
        InertialError: a part is missing, doubled or malformed.
    """
    place = InertialPlace(element)
    found = element.all("inertial")
    if not found:
        return None
    if len(found) > 1:
        place.refuse(f"{len(found)} <inertial> elements; one expected", found[1])
    (inertial,) = found
    mass = _only(place, inertial, "mass")
    if mass is None:
        place.refuse(f"{LABEL}no <mass>; <mass value='…'/> expected", inertial)
    origin = _only(place, inertial, "origin")
    pose = None if origin is None else read_origin(place, origin, LABEL)
    tensor = _only(place, inertial, "inertia")
    rows = NO_INERTIA if tensor is None else _tensor(place, tensor)
    return Inertial(
        mass=place.needed(mass, "value", number, LABEL),
        com=ZERO if pose is None else pose.xyz,
        inertia=rows if pose is None else turned(rows, pose.rpy),
        rpy=ZERO if pose is None else pose.rpy,
        line=inertial.line,
        column=inertial.column,
    )


def _only(place: InertialPlace, inside: Element, tag: str) -> Element | None:
    found = inside.all(tag)
    if len(found) > 1 and any(other.attributes != found[0].attributes for other in found):
        place.refuse(f"{LABEL}{len(found)} <{tag}> elements that differ; one expected", found[1])
    return found[0] if found else None


def _tensor(place: InertialPlace, element: Element) -> Matrix:
    xx, xy, xz, yy, yz, zz = (
        place.needed(element, name, number, LABEL)
        for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def rotation(rpy: Vector) -> Matrix:
    """Return the rows of Rz(yaw) Ry(pitch) Rx(roll)."""
    (sr, sp, sy), (cr, cp, cy) = map(math.sin, rpy), map(math.cos, rpy)
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )


def turned(inertia: Matrix, rpy: Vector) -> Matrix:
    """Return R I R^T: a tensor given in turned axes, in the axes that they are turned from."""
    if not any(rpy):
        return inertia
    rows = rotation(rpy)
    half = [[sum(row[k] * inertia[k][j] for k in range(3)) for j in range(3)] for row in rows]
    full = [[sum(half[i][k] * rows[j][k] for k in range(3)) for j in range(3)] for i in range(3)]
    # One half decides for both: sums in another order would differ in their last bit.
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = full
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def principal_moments(inertia: Matrix) -> Vector:
    """Return the three eigenvalues of a symmetric tensor, ascending, by Jacobi's rotations."""
    a = [list(row) for row in inertia]
    for _ in range(SWEEPS):
        if a[0][1] == a[0][2] == a[1][2] == 0.0:
            break
        for p, q in ((0, 1), (0, 2), (1, 2)):
            _annihilate(a, p, q)
    low, middle, high = sorted((a[0][0], a[1][1], a[2][2]))
    return (0.0 if abs(low) <= ROUND_OFF * high else low), middle, high


def _annihilate(a: list[list[float]], p: int, q: int) -> None:
    """Turn the axes p and q so that their product is zero (Golub and Van Loan, 8.5.2)."""
    if a[p][q] == 0.0:
        return
    theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q])
    t = math.copysign(1.0, theta) / (abs(theta) + math.hypot(theta, 1.0))
    c = 1.0 / math.hypot(t, 1.0)
    s = t * c
    r = 3 - p - q
    pq = a[p][q]
    a[p][p] -= t * pq
    a[q][q] += t * pq
    a[p][q] = a[q][p] = 0.0
    rp, rq = a[r][p], a[r][q]
    a[r][p] = a[p][r] = c * rp - s * rq
    a[r][q] = a[q][r] = s * rp + c * rq


def flaw(inertial: Inertial) -> tuple[str, str] | None:
    """Return what no body can have: the name of the rule, and what is wrong; None if all is well.

    A body's mass and its principal moments are positive, and no moment is larger than the other
    two together: each is an integral of two of the three squares x², y² and z².
    """
    if inertial.mass <= 0.0:
        return "mass", f"the mass is {inertial.mass:g} kg; a positive one expected"
    if not any(map(any, inertial.inertia)):
        return (
            "mass-without-inertia",
            f"a mass of {inertial.mass:g} kg, but no inertia; three positive moments expected",
        )
    low, middle, high = principal_moments(inertial.inertia)
    moments = f"the principal moments are {low:g}, {middle:g} and {high:g} kg m²"
    if not low > 0.0:  # this way round, as moments of huge numbers are no numbers
        return "inertia", f"{moments}; all of them positive expected"
    if not low + middle >= high * (1.0 - ROUNDING):
        return "inertia", f"{moments}; none larger than the other two together expected"
    return None
