"""Joints that imitate others, each tied straight to the one that moves by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NoReturn

from urdf.errors import MimicError, quote
from urdf.model import SCALAR_TYPES, Joint, Mimic
from urdf.names import closest, listed


def flatten(joints: Sequence[Joint]) -> dict[str, Mimic]:
    """Return, for every joint that imitates another, the one at the end of its chain.

    With q_b = m_b q_a + o_b and q_c = m_c q_b + o_c: q_c = (m_c m_b) q_a + (m_c o_b + o_c). Where
    the chain ends in a fixed joint, its value is 0 and so what remains is the offset.

    Args:
        joints: all joints of a robot.

    Raises:
        MimicError: a joint imitates one that there is not, itself, or one without one value.
    """
    by_name = {joint.name: joint for joint in joints}
    flat: dict[str, Mimic] = {}
    for joint in joints:
        if joint.mimic is not None and joint.name not in flat:
            _follow(joint, by_name, flat)
    return flat


def _follow(joint: Joint, by_name: Mapping[str, Joint], flat: dict[str, Mimic]) -> None:
    """Settle a joint and all on its way that are not settled yet."""
    way: dict[str, Mimic] = {}
    while joint.mimic is not None and joint.name not in flat:
        if joint.name in way:
            names = list(way)
            circle = names[names.index(joint.name) :]
            _refuse(
                joint,
                f"{listed(circle)} imitate each other in a mimic cycle; a joint that moves by itself at its end expected",
            )
        way[joint.name] = joint.mimic
        joint = _target(joint, joint.mimic.joint, by_name)
    end = flat.get(joint.name, Mimic(joint.name))
    for name, mimic in reversed(way.items()):
        end = Mimic(
            end.joint,
            mimic.multiplier * end.multiplier,
            mimic.multiplier * end.offset + mimic.offset,
        )
        flat[name] = end


def _target(joint: Joint, name: str, by_name: Mapping[str, Joint]) -> Joint:
    target = by_name.get(name)
    if target is None:
        hint = closest(name, by_name.keys()) or "the name of a <joint> expected"
        _refuse(joint, f"<mimic> names {quote(name)}, no joint; {hint}")
    if target.type not in (*SCALAR_TYPES, "fixed"):
        _refuse(
            joint, f"<mimic> names {quote(name)}, {target.type}; a joint with one value expected"
        )
    return target


def _refuse(joint: Joint, problem: str) -> NoReturn:
    raise MimicError(
        f"joint {quote(joint.name)} (line {joint.line}): {problem}", joint.line, joint.column
    )
