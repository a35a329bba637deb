"""The tree of bodies: its orders, what is merged, what is whose ancestor."""

from __future__ import annotations

import math
from pathlib import Path

import jvrc_description  # type: ignore[import-untyped]
import numpy as np
import pytest
import upkie_description  # type: ignore[import-untyped]

import urdf
from kinematics import multibody as multibody_file
from kinematics.errors import KinematicsError
from kinematics.multibody import Multibody, build_multibody
from kinematics.orderings import ORDERINGS
from kinematics.spatial import inertia_parameters
from tests.support.heavy_robots import heavy_text

PACKAGED = [jvrc_description.urdf_path, upkie_description.URDF_PATH]


def tree(*joints: str, kinds: dict[str, str] | None = None) -> str:
    """Return a robot whose joints are told as "name:parent>child"."""
    parts = [joint.replace(">", ":").split(":") for joint in joints]
    links = dict.fromkeys(name for _, parent, child in parts for name in (parent, child))
    lines = [f'<link name="{name}"/>' for name in links]
    for name, parent, child in parts:
        kind = (kinds or {}).get(name, "continuous")
        lines.append(
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            "</joint>"
        )
    return f'<robot name="r">{"".join(lines)}</robot>'


def bodies(text: str, ordering: str = "pinocchio", *, merge_fixed: bool = True) -> Multibody:
    return build_multibody(urdf.parse(text, "extended"), ordering, merge_fixed=merge_fixed)


SIBLINGS = tree("j2:b>c_c", "j3:b>c_a", "j1:b>c_b")
FOLDED = tree("z_fix:b>f", "a_rev:f>a", "m_rev:b>m", kinds={"z_fix": "fixed"})
BRANCHED = tree("d:b>l4", "a:b>l1", "b:l1>l3", "c:l1>l2", "e:l4>l5")


@pytest.mark.parametrize(
    ("text", "ordering", "names"),
    [
        (SIBLINGS, "pinocchio", ["j1", "j2", "j3"]),
        (SIBLINGS, "grid", ["j3", "j1", "j2"]),
        (SIBLINGS, "urdf", ["j2", "j3", "j1"]),
        (SIBLINGS, "alphabetical", ["j1", "j2", "j3"]),
        (tree("j10:b>w", "j2:b>x", "J9:b>y", "_k:b>z"), "pinocchio", ["J9", "_k", "j10", "j2"]),
        (FOLDED, "pinocchio", ["m_rev", "a_rev"]),
        (FOLDED, "grid", ["a_rev", "m_rev"]),
        (FOLDED, "alphabetical", ["a_rev", "m_rev"]),
        (FOLDED, "urdf", ["a_rev", "m_rev"]),
        (BRANCHED, "pinocchio", ["a", "b", "c", "d", "e"]),
        (BRANCHED, "grid", ["a", "c", "b", "d", "e"]),
        (BRANCHED, "urdf", ["d", "e", "a", "b", "c"]),
    ],
)
def test_orders(text: str, ordering: str, names: list[str]) -> None:
    assert list(bodies(text, ordering).joint_names) == names


def test_levels_are_in_document_order_in_every_ordering() -> None:
    for ordering in ORDERINGS:
        found = bodies(BRANCHED, ordering)
        first = sorted(found.joint_names, key=lambda name: found.bfs_ids[found.joint_id(name)])
        assert first == ["d", "a", "e", "b", "c"]
        assert [found.joint_names[i] for i in found.at_level(1)] == ["e", "b", "c"]
        assert found.levels[found.joint_id("d")] == 0
        assert found.at_level(2) == []


def test_relations() -> None:
    found = bodies(BRANCHED)  # a b c d e
    assert found.parent.tolist() == [-1, 0, 0, -1, 3]
    assert found.children(-1) == [0, 3]
    assert found.children(0) == [1, 2]
    assert found.ancestors(2) == [0]
    assert found.ancestors(-1) == []
    assert found.subtree(0) == [0, 1, 2]
    assert found.subtree(-1) == [-1, 0, 1, 2, 3, 4]
    for body in range(5):
        carriers = np.flatnonzero(found.ancestor_matrix[:, body]).tolist()
        assert sorted([body, *found.ancestors(body)]) == carriers


def test_serial_chains() -> None:
    assert bodies(tree("a:l0>l1", "b:l1>l2")).is_serial_chain
    assert not bodies(BRANCHED).is_serial_chain
    assert bodies('<robot name="r"><link name="a"/></robot>').is_serial_chain


def test_fixed_joints_are_kept_where_asked_for() -> None:
    kept = bodies(FOLDED, "grid", merge_fixed=False)
    assert kept.joint_names == ("z_fix", "a_rev", "m_rev")
    assert kept.v_index.tolist() == [-1, 0, 1]
    assert kept.q_index.tolist() == [-1, 0, 1]
    assert kept.value_names == ("a_rev", "m_rev")
    assert kept.subspaces[0].shape == (6, 0)
    assert kept.merged == ()


@pytest.mark.parametrize("seed", range(6))
def test_merging_keeps_the_mass_and_the_frames(seed: int) -> None:
    text = heavy_text(seed, 12)
    merged, kept = (bodies(text, merge_fixed=merge) for merge in (True, False))
    total = merged.base_inertia[0, 0] + merged.inertias[:, 0, 0].sum()
    links = merged.model.robot.links
    assert total == pytest.approx(sum(link.inertial.mass for link in links if link.inertial))
    for body, inertia in zip(kept.body_names, kept.inertias, strict=True):
        inertial = links[kept.model.link_index(body)].inertial
        assert inertial is not None
        mass, com, about = inertia_parameters(inertia)
        assert mass == pytest.approx(inertial.mass)
        assert np.allclose(com, inertial.com)
        assert np.allclose(about, inertial.inertia)
    for frame in merged.merged:
        assert merged.body_of(frame.link) == frame.body
        assert frame.joint not in merged.joint_names
    assert len(merged.merged) + len(merged.joints) == len(merged.model.robot.joints)


def test_bounds_and_resistance() -> None:
    text = tree("a:l0>l1", "b:l1>l2").replace(
        '<child link="l1"/>',
        '<child link="l1"/><limit effort="7" velocity="2"/><dynamics damping="0.5" friction="3"/>',
    )
    found = bodies(text)
    assert found.velocity.tolist() == [2.0, math.inf]
    assert found.effort.tolist() == [7.0, math.inf]
    assert found.damping.tolist() == [0.5, 0.0]
    assert found.friction.tolist() == [3.0, 0.0]
    assert (found.lower.tolist(), found.upper.tolist()) == ([-math.inf] * 2, [math.inf] * 2)


def test_values_go_from_the_models_order_and_back() -> None:
    found = bodies(BRANCHED, "grid")
    q = np.arange(5.0)
    values = found.from_model(q)
    for name, value in zip(found.value_names, values, strict=True):
        assert value == q[found.model.joint_names.index(name)]
    assert np.array_equal(found.to_model(values), q)


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KinematicsError, match="'joint_ordering' is 'bfs'; one of 'pinocchio'"):
        bodies(BRANCHED, "bfs")
    with pytest.raises(KinematicsError, match=r"joint 'a' \(line 1\) is spherical; .* expected"):
        bodies(tree("a:l0>l1", kinds={"a": "spherical"}))
    with pytest.raises(KinematicsError, match="no joint is named 'z_fix'"):
        bodies(FOLDED).joint_id("z_fix")
    monkeypatch.setattr(multibody_file, "MAX_BODIES", 4)
    with pytest.raises(KinematicsError, match="has 5 bodies; at most 4"):
        bodies(BRANCHED)


@pytest.mark.oracle
@pytest.mark.parametrize(
    "text",
    [
        *(pytest.param(heavy_text(seed, 14), id=f"random {seed}") for seed in range(10)),
        *(pytest.param(Path(path).read_text("utf-8"), id=Path(path).stem) for path in PACKAGED),
        *(pytest.param(text, id=f"written {i}") for i, text in enumerate([SIBLINGS, FOLDED])),
    ],
)
def test_pinocchio_numbers_and_weighs_them_the_same(text: str) -> None:
    pinocchio = pytest.importorskip("pinocchio", reason="needs the extra `oracle`")
    theirs = pinocchio.buildModelFromXML(text)
    ours = bodies(text)
    assert list(ours.joint_names) == list(theirs.names)[1:]
    assert ours.parent.tolist() == [parent - 1 for parent in list(theirs.parents)[1:]]
    for inertia, wanted in zip(ours.inertias, list(theirs.inertias)[1:], strict=True):
        assert np.allclose(inertia, wanted.matrix(), rtol=0, atol=1e-10)
    assert np.allclose(ours.base_inertia, theirs.inertias[0].matrix(), rtol=0, atol=1e-10)
