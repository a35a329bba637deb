"""The extended reading: what it adds, and that it takes nothing away."""

from __future__ import annotations

import dataclasses

import numpy
import pytest

import urdf
from tests.support.arm import joint, more
from tests.support.full import FULL
from urdf.inertial import principal_moments, rotation, turned
from urdf.mimic import flatten

ROBOT = urdf.parse(FULL, "extended")


def extended(text: str) -> urdf.Robot:
    return urdf.parse(text, profile="extended")


def two(kind: str, inside: str = "", link: str = "") -> str:
    return (
        f'<robot name="r"><link name="a"/><link name="b">{link}</link>'
        f'<joint name="j" type="{kind}"><parent link="a"/><child link="b"/>{inside}</joint></robot>'
    )


def body(mass: str = "1", inertia: str = "1 0 0 1 0 1", origin: str = "") -> str:
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    said = " ".join(f'{n}="{v}"' for n, v in zip(names, inertia.split(), strict=True))
    return f'<inertial>{origin}<mass value="{mass}"/><inertia {said}/></inertial>'


def test_a_whole_link() -> None:
    base = ROBOT.links[0]
    assert base.visual == base.visuals[0]
    assert base.visuals[0].material == urdf.Material("red")
    assert base.visuals[1].material == urdf.Material("wood", None, "wood.png")
    assert base.visuals[1].shape == urdf.Mesh("package://full/arm.dae", (1, 1, 2))
    hull, ball = base.collisions
    assert hull == urdf.Collision(urdf.Origin((0, 1, 0)), urdf.Cylinder(1, 2), "hull")
    assert ball == urdf.Collision(urdf.Origin(), urdf.Sphere(1))
    assert ROBOT.materials == (urdf.Material("red", (1, 0, 0, 0.5)),)


def test_whole_joints() -> None:
    shoulder, knuckle = ROBOT.joints
    assert shoulder.limit == urdf.Limit(-1, 2, 30, 4)
    assert shoulder.dynamics == urdf.Dynamics(0.5, 0.25)
    assert shoulder.safety == urdf.Safety(-0.9, 1.9, 15, 10)
    assert (shoulder.pitch, shoulder.mimic) == (0, None)
    assert knuckle.limit == urdf.Limit(-3, float("inf"), 1, 2)
    assert knuckle.pitch == 0.05
    assert knuckle.mimic == urdf.Mimic("shoulder", -1.5, 0.2)


def test_an_inertia_is_turned_into_the_axes_of_its_link() -> None:
    inertial = ROBOT.links[1].inertial
    assert inertial is not None
    assert inertial.mass == 2
    assert inertial.com == (0.1, 0.2, 0.3)
    flat = [value for row in inertial.inertia for value in row]
    assert flat == pytest.approx([2, 0, 0, 0, 1, 0, 0, 0, 2.5], abs=1e-15)


def test_turning_keeps_the_principal_moments_and_a_round_body() -> None:
    skew = ((2.0, 0.3, -0.1), (0.3, 3.0, 0.2), (-0.1, 0.2, 4.0))
    rpy = (0.3, -1.2, 2.5)
    there = turned(skew, rpy)
    assert principal_moments(there) == pytest.approx(principal_moments(skew), rel=1e-14)
    assert there[0][1] == there[1][0]
    round_body = ((5.0, 0.0, 0.0), (0.0, 5.0, 0.0), (0.0, 0.0, 5.0))
    for got, want in zip(turned(round_body, rpy), round_body, strict=True):
        assert got == pytest.approx(want, abs=1e-14)


def test_principal_moments_are_eigenvalues() -> None:
    for seed in range(50):
        square = numpy.random.default_rng(seed).normal(size=(3, 3))
        tensor = square + square.T
        (a, b, c), (_, d, e), (_, _, f) = tensor.tolist()
        rows = ((a, b, c), (b, d, e), (c, e, f))
        assert principal_moments(rows) == pytest.approx(
            list(numpy.linalg.eigvalsh(tensor)), abs=1e-13
        )


def test_rotation_is_yaw_after_pitch_after_roll() -> None:
    quarter = 1.5707963267948966
    for rpy, x_goes_to in (((0, 0, quarter), (0, 1, 0)), ((0, quarter, 0), (0, 0, -1))):
        assert [row[0] for row in rotation(rpy)] == pytest.approx(x_goes_to, abs=1e-15)
    assert [row[2] for row in rotation((quarter, 0, 0))] == pytest.approx((0, -1, 0), abs=1e-15)


@pytest.mark.parametrize(
    "kind",
    ["floating", "planar", "helical", "screw", "spherical", "translation", "cartesian"],
)
def test_further_types_are_read_here_and_nowhere_else(kind: str) -> None:
    with pytest.raises(urdf.UnsupportedJointTypeError, match=f"type '{kind}'"):
        urdf.parse(two(kind))
    (found,) = extended(two(kind, '<limit effort="3" velocity="2"/>')).joints
    assert (found.type, found.movable) == (kind, True)
    assert found.limit == urdf.Limit(float("-inf"), float("inf"), 3, 2)
    assert extended(two(kind)).joints[0].limit is None


def test_a_continuous_joint_has_a_motor_and_no_bounds() -> None:
    (found,) = extended(two("continuous", '<limit lower="1" upper="2" effort="9"/>')).joints
    assert found.limit == urdf.Limit(float("-inf"), float("inf"), 9, None)


def test_an_unknown_type_names_the_joint_and_what_there_is() -> None:
    with pytest.raises(urdf.UnsupportedJointTypeError) as caught:
        extended(two("ball"))
    assert "joint 'j'" in str(caught.value)
    assert "type 'ball'" in str(caught.value)
    assert "spherical, translation or cartesian expected" in str(caught.value)
    assert (caught.value.line, caught.value.rule) == (1, "joint-type")


@pytest.mark.parametrize(
    ("kind", "refused"), [("planar", True), ("screw", True), ("floating", False)]
)
def test_a_zero_axis_is_refused_where_there_is_an_axis(kind: str, refused: bool) -> None:
    text = two(kind, '<axis xyz="0 0 0"/>')
    if refused:
        with pytest.raises(urdf.UrdfError, match="xyz is zero"):
            extended(text)
    else:
        assert extended(text).joints[0].type == kind


@pytest.mark.parametrize(
    ("inside", "sentence"),
    [
        ('<limit effort="x"/>', "effort must be one number, but holds 'x'"),
        ('<limit velocity=""/>', "velocity must be one number, but is empty"),
        ('<dynamics damping="1 2"/>', "damping must be one number"),
        ('<dynamics damping="1"/><dynamics damping="2"/>', "2 <dynamics> elements that differ"),
        ('<axis xyz="0 0 1" pitch="nan"/>', "pitch must be one number"),
        ('<safety_controller k_velocity="-"/>', "k_velocity must be one number"),
    ],
)
def test_a_malformed_part_of_a_joint(inside: str, sentence: str) -> None:
    with pytest.raises(urdf.UrdfError, match=sentence):
        extended(two("helical", inside))


@pytest.mark.parametrize(
    ("inside", "sentence"),
    [
        ("<inertial/>", "no <mass>"),
        ("<inertial><mass/></inertial>", "<mass>: no value attribute; one number expected"),
        (body(mass="heavy"), "value must be one number, but holds 'heavy'"),
        (body().replace(' izz="1"', ""), "no izz attribute"),
        (body() + body(), "2 <inertial> elements; one expected"),
        (body(origin='<origin xyz="0 0"/>'), "xyz must be three numbers"),
        (body().replace("<mass", '<mass value="2"/><mass'), "2 <mass> elements that differ"),
    ],
)
def test_a_malformed_inertial(inside: str, sentence: str) -> None:
    text = two("fixed", link=inside)
    with pytest.raises(urdf.InertialError, match=sentence) as caught:
        extended(text)
    assert "link 'b' (line 1, column 33)" in str(caught.value)
    assert caught.value.column is not None
    urdf.parse(text)  # the strict reading does not look there


def test_a_cause_is_kept() -> None:
    with pytest.raises(urdf.InertialError) as caught:
        extended(two("fixed", link=body(mass="heavy")))
    assert isinstance(caught.value.__cause__, ValueError)
    assert "'heavy'" in str(caught.value.__cause__)


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        ("<collision/>", "<collision> 2: no <geometry>"),
        ("<visual/>", "<visual> 2: no <geometry>"),
        ("<collision><geometry><capsule/></geometry></collision>", "holds .*<capsule>"),
        ('<visual><geometry><sphere radius="1"/></geometry><material name="m">'
         '<color rgba="1 1 1"/></material></visual>', "rgba must be four numbers, but holds 3"),
    ],
)  # fmt: skip
def test_every_shape_counts(part: str, sentence: str) -> None:
    good = '<geometry><sphere radius="1"/></geometry>'
    text = two("fixed", link=f"<visual>{good}</visual><collision>{good}</collision>{part}")
    with pytest.raises(urdf.UrdfError, match=sentence):
        extended(text)
    assert urdf.parse(text).links[1].visuals == ()


def chain(*mimics: tuple[str, str], kind: str = "continuous") -> str:
    links = "".join(f'<link name="l{i}"/>' for i in range(len(mimics) + 1))
    joints = "".join(
        f'<joint name="{name}" type="{kind}"><parent link="l{i}"/><child link="l{i + 1}"/>{mimic}'
        "</joint>"
        for i, (name, mimic) in enumerate(mimics)
    )
    return f'<robot name="r">{links}{joints}</robot>'


def as_(target: str, multiplier: str = "1", offset: str = "0") -> str:
    return f'<mimic joint="{target}" multiplier="{multiplier}" offset="{offset}"/>'


def test_chains_are_tied_to_their_end() -> None:
    text = chain(("d", as_("c", "0.5", "1")), ("a", ""), ("b", as_("a", "2", "0.1")),
                 ("c", as_("b", "-1.5", "0.2")))  # fmt: skip
    flat = flatten(extended(text).joints)
    assert set(flat) == {"b", "c", "d"}
    assert {mimic.joint for mimic in flat.values()} == {"a"}
    assert (flat["c"].multiplier, flat["c"].offset) == pytest.approx((-3.0, 0.05))
    assert (flat["d"].multiplier, flat["d"].offset) == pytest.approx((-1.5, 1.025))


def test_a_long_chain_is_no_recursion() -> None:
    n = 5000
    names = [(f"j{i}", as_(f"j{i + 1}", "-1", "1") if i < n - 1 else "") for i in range(n)]
    flat = flatten(extended(chain(*names)).joints)
    assert flat["j0"] == urdf.Mimic(f"j{n - 1}", -1.0, 1.0)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (chain(("a", as_("a"))), "'a' imitate each other in a mimic cycle"),
        (chain(("a", as_("b")), ("b", as_("c")), ("c", as_("b"))), "'b', 'c' imitate"),
        (
            chain(("elbow", ""), ("b", as_("elbwo"))),
            "names 'elbwo', no joint; did you mean 'elbow'",
        ),
        (chain(("a", ""), ("b", "<mimic/>")), "no joint attribute"),
        (chain(("a", ""), ("b", as_("a", "x"))), "multiplier must be one number"),
        (two("planar", as_("j")), "a planar joint cannot imitate one value"),
    ],
)
def test_a_mimic_that_cannot_be(text: str, sentence: str) -> None:
    with pytest.raises(urdf.MimicError, match=sentence):
        extended(text)
    if "planar" not in text:
        urdf.parse(text)  # the strict reading does not look there


def test_a_target_without_one_value() -> None:
    text = chain(("a", ""), ("b", as_("a"))).replace("continuous", "spherical", 1)
    with pytest.raises(urdf.MimicError, match="a joint with one value expected"):
        extended(text)


def test_the_mimic_of_a_fixed_joint_means_nothing_and_one_of_a_fixed_joint_is_its_offset() -> None:
    assert extended(chain(("a", as_("a")), kind="fixed")).joints[0].mimic is None
    text = chain(("a", ""), ("b", as_("a", "2", "0.3"))).replace("continuous", "fixed", 1)
    assert flatten(extended(text).joints) == {"b": urdf.Mimic("a", 2, 0.3)}


@pytest.mark.parametrize(
    ("link", "rule", "sentence"),
    [
        ("", "inertial", "weighs nothing"),
        (body(mass="0", inertia="0 0 0 0 0 0"), "inertial", "weighs nothing"),
        (body(mass="-1"), "mass", "the mass is -1 kg"),
        ('<inertial><mass value="2"/></inertial>', "mass-without-inertia", "2 kg, but no inertia"),
        (body(inertia="1 0 0 1 0 -1"), "inertia", "all of them positive expected"),
        (body(inertia="1 2 0 1 0 1"), "inertia", "all of them positive expected"),
        (body(inertia="1 0 0 1 0 3"), "inertia", "none larger than the other two"),
    ],
)
def test_what_no_moving_body_can_be(link: str, rule: str, sentence: str) -> None:
    text = two("continuous", link=link)
    with pytest.raises(urdf.InertialError, match=f"link 'b' .*{sentence}"):
        urdf.parse(text, "extended", strict_inertial=True)
    other = text.replace('<link name="a"/>', f'<link name="a">{body()}</link>')
    found = urdf.findings(extended(other))
    assert [finding.rule for finding in found] == [rule]
    assert sentence in found[0].sentence


def test_a_link_that_is_fixed_to_a_heavy_one_need_not_weigh() -> None:
    text = chain(("a", ""), ("b", "")).replace(
        '<link name="l1"/>', f'<link name="l1">{body()}</link>'
    )
    fixed = text.replace('name="b" type="continuous"', 'name="b" type="fixed"')
    urdf.parse(fixed, "extended", strict_inertial=True)
    with pytest.raises(urdf.InertialError, match="link 'l2'"):
        urdf.parse(text, "extended", strict_inertial=True)


def test_a_root_is_not_moved() -> None:
    text = f'<robot name="r"><link name="a">{body(mass="-1")}</link></robot>'
    robot = urdf.parse(text, "extended", strict_inertial=True)
    assert [finding.rule for finding in urdf.findings(robot)] == ["mass"]


def test_a_wrong_question() -> None:
    with pytest.raises(ValueError, match="'loose'; one of strict, extended expected"):
        urdf.parse(FULL, "loose")
    with pytest.raises(ValueError, match="profile='extended' expected"):
        urdf.parse(FULL, strict_inertial=True)


def test_it_takes_nothing_away() -> None:
    text = more('<link name="c"/>' + joint("k", "b", "c", "continuous"))
    strict, full = urdf.parse(text), extended(text)
    assert strict.profile == "strict"
    assert [dataclasses.replace(j, limit=None) for j in full.joints] == [
        dataclasses.replace(j, limit=None) for j in strict.joints
    ]
    assert [link.visual for link in full.links] == [link.visual for link in strict.links]
    assert all(link.inertial is None and link.collisions == () for link in strict.links)
