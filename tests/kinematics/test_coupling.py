"""Values that follow from others: chains, constants, and what Pinocchio makes of them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import urdf
from kinematics.coupling import Coupling, couple
from kinematics.dynamics import inverse_dynamics, mass_matrix
from kinematics.multibody import Multibody, build_multibody
from tests.support.heavy_robots import heavy_text

CHAIN = """<robot name="r"><link name="l0"/><link name="l1"/><link name="l2"/><link name="l3"/>
<link name="l4"/><link name="l5"/>
<joint name="c" type="continuous"><parent link="l0"/><child link="l1"/>
  <mimic joint="b" multiplier="-1.5" offset="0.2"/></joint>
<joint name="b" type="continuous"><parent link="l1"/><child link="l2"/>
  <mimic joint="a" multiplier="2" offset="0.1"/></joint>
<joint name="a" type="continuous"><parent link="l2"/><child link="l3"/></joint>
<joint name="d" type="continuous"><parent link="l3"/><child link="l4"/>
  <mimic joint="weld" multiplier="7" offset="1.3"/></joint>
<joint name="weld" type="fixed"><parent link="l4"/><child link="l5"/></joint></robot>"""


def bodies(text: str) -> tuple[Multibody, Coupling]:
    found = build_multibody(urdf.parse(text, "extended"))
    return found, couple(found)


def test_chains_are_followed_to_their_end() -> None:
    found, coupling = bodies(CHAIN)
    assert coupling.free_names == ("a",)
    q = dict(zip(found.value_names, coupling.values(np.array([0.5])), strict=True))
    assert q == pytest.approx({"a": 0.5, "b": 1.1, "c": -1.5 * 1.1 + 0.2, "d": 1.3})


def test_without_mimics_nothing_changes() -> None:
    found, coupling = bodies(heavy_text(2, 8))
    assert coupling.free_names == found.value_names
    assert np.array_equal(coupling.matrix, np.eye(found.nv))


@pytest.mark.oracle
@pytest.mark.parametrize("seed", range(6))
def test_pinocchio_couples_them_the_same(seed: int) -> None:
    pinocchio: Any = pytest.importorskip("pinocchio", reason="needs the extra `oracle`")
    text = heavy_text(seed, 8, kinds=("revolute", "prismatic"))
    first = build_multibody(urdf.parse(text, "extended")).value_names
    # The last joint imitates the first: Pinocchio wants what is imitated numbered before.
    text = re.sub(
        rf'(<joint name="{first[-1]}" type="\w+">)',
        rf'\1<mimic joint="{first[0]}" multiplier="-1.5" offset="0.25"/>',
        text,
    )
    found, coupling = bodies(text)
    assert coupling.free_names == first[:-1]
    model = pinocchio.buildModelFromXML(text, mimic=True)
    data = model.createData()
    assert model.nv == len(coupling.free_names)
    rng = np.random.default_rng(seed)
    u, du, ddu = rng.uniform(-1, 1, (3, model.nv))
    G = coupling.matrix
    q = coupling.values(u)
    tau = G.T @ inverse_dynamics(found, q, G @ du, G @ ddu)
    scale = max(1.0, abs(tau).max())
    assert np.allclose(tau, pinocchio.rnea(model, data, u, du, ddu), rtol=0, atol=1e-10 * scale)
    M = G.T @ mass_matrix(found, q) @ G
    wanted = np.triu(pinocchio.crba(model, data, u))
    assert np.allclose(np.triu(M), wanted, rtol=0, atol=1e-10 * max(1.0, abs(M).max()))
