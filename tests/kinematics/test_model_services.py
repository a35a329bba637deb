"""The `/model/*` services as a client sees them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import orjson
import pytest

import urdf
from kinematics import model_services
from kinematics.bodies import Bodies
from kinematics.descriptions import NOT_SET, Loaded
from kinematics.dynamics import center_of_mass, inverse_dynamics, mass_matrix
from kinematics.forward import link_transform
from kinematics.jacobian import jacobian
from kinematics.model_services import MODEL_SERVICES
from kinematics.multibody import build_multibody
from kinematics.orderings import ORDERINGS
from tests.support.calls import load, response
from tests.support.heavy_robots import heavy_text

TEXT = heavy_text(8, 9)
LOADED = load(TEXT, version=6)
OURS = build_multibody(urdf.parse(TEXT, "extended"))
NAMES = list(OURS.value_names)
Q = np.linspace(-1.0, 1.0, OURS.nv)
STATE = {"name": NAMES, "position": Q.tolist()}


def answer(service: str, args: object, loaded: Loaded = LOADED) -> dict[str, Any]:
    line = orjson.dumps({"op": "call_service", "service": service, "args": args})
    return response(line, loaded)


def call(service: str, **args: object) -> dict[str, Any]:
    found = answer(service, args)
    assert found["result"], found
    values: dict[str, Any] = found["values"]
    assert values.pop("version") == 6
    return values


def refused(service: str, args: object, loaded: Loaded = LOADED) -> tuple[str, str]:
    found = answer(service, args, loaded)
    return found["values"]["code"], found["status"]


def test_info() -> None:
    values = call("/model/info")
    assert values["joint_names"] == NAMES
    assert [body["joint"] for body in values["bodies"]] == NAMES
    assert [body["parent"] for body in values["bodies"]] == OURS.parent.tolist()
    weights = [values["base"]["mass"], *(body["mass"] for body in values["bodies"])]
    assert values["mass"] == pytest.approx(sum(weights))
    links = {"base": values["base"]["link"]} | {b["joint"]: b["link"] for b in values["bodies"]}
    links |= {frame["joint"]: frame["link"] for frame in values["merged"]}
    assert sorted(links.values()) == sorted(OURS.model.link_names)
    first = values["bodies"][0]
    assert (first["velocity"], first["effort"]) == (3.0, 12.0)
    assert (first["damping"], first["friction"]) == (0.5, 0.25)
    assert len(first["subspace"]) == 6
    for body, joint in zip(values["bodies"], OURS.joints, strict=True):
        assert (body["lower"] is None) == (joint.type == "continuous")


@pytest.mark.parametrize("wanted", ORDERINGS)
def test_the_ordering_is_the_one_that_is_asked_for(wanted: str) -> None:
    names = list(build_multibody(OURS.model, wanted).value_names)
    for service in MODEL_SERVICES:
        assert call(service, joint_ordering=wanted)["joint_names"] == names


def test_transforms() -> None:
    values = call("/model/transforms", joint_state=STATE)
    assert values["links"] == list(OURS.model.link_names)
    q = OURS.to_model(Q)
    for link, T in enumerate(values["transforms"]):
        assert np.allclose(T, link_transform(OURS.model, q, OURS.model.root, link))
    X = np.array(values["motion_transforms"])
    assert X.shape == (OURS.nv, 6, 6)
    assert np.allclose(np.linalg.det(X), 1.0)
    last = OURS.model.link_names[-1]
    one = call("/model/transforms", joint_state=STATE, links=[last])
    assert one["transforms"] == values["transforms"][-1:]


@pytest.mark.parametrize("reference", ["base", "link"])
def test_jacobians(reference: str) -> None:
    values = call("/model/jacobians", joint_state=STATE, reference=reference)
    model, q = OURS.model, OURS.to_model(Q)
    for name, found in zip(values["links"], values["jacobians"], strict=True):
        link = model.link_index(name)
        joints, matrix, _ = jacobian(model, q, link, model.root, np.zeros(3), reference)
        columns = [NAMES.index(model.joint_names[i]) for i in joints]
        assert np.allclose(np.array(found)[:, columns], matrix)
        assert not np.delete(np.array(found), columns, axis=1).any()


def test_center_of_mass_and_mass_matrix() -> None:
    values = call("/model/center_of_mass", joint_state=STATE)
    wanted = center_of_mass(OURS, Q)
    assert values["mass"] == pytest.approx(wanted.mass)
    assert list(values["position"].values()) == pytest.approx(wanted.position.tolist())
    assert np.allclose(values["jacobian"], wanted.jacobian)
    values = call("/model/mass_matrix", joint_state=STATE)
    assert np.allclose(values["mass_matrix"], mass_matrix(OURS, Q))


def test_inverse_dynamics() -> None:
    v, a = np.linspace(0.5, 1.5, OURS.nv), np.linspace(2, 1, OURS.nv)
    moving = STATE | {"velocity": v.tolist()}
    fixed = next(joint.name for joint in OURS.model.robot.joints if not joint.movable)
    moving = {name: [*values, 0.0] for name, values in moving.items()}
    moving["name"][-1] = fixed  # may be named, and changes nothing
    values = call(
        "/model/inverse_dynamics",
        joint_state=moving,
        accelerations=[*a.tolist(), 9.0],
        gravity={"x": 1, "y": 2, "z": 3},
    )
    wanted = inverse_dynamics(OURS, Q, v, a, (1.0, 2.0, 3.0))
    assert np.allclose(values["effort"], wanted)
    still = np.zeros(OURS.nv)
    holding = inverse_dynamics(OURS, Q, still, still, (1.0, 2.0, 3.0))
    assert np.allclose(values["gravity_effort"], holding)
    values = call("/model/inverse_dynamics", joint_state=STATE)
    assert np.allclose(values["effort"], inverse_dynamics(OURS, Q, still, still))
    assert values["effort"] == values["gravity_effort"]


@pytest.mark.parametrize(
    ("service", "args", "sentence"),
    [
        ("info", {"joint_ordering": 3}, '\'joint_ordering\' is 3; one of "pinocchio", "grid"'),
        ("info", {"joint_ordering": "bfs"}, "'joint_ordering' is the string 'bfs'; one of"),
        ("jacobians", {"reference": "tool"}, "'reference' is the string 'tool'"),
        ("transforms", {"links": 3}, "'links' is 3; an array of strings expected"),
        ("inverse_dynamics", {"accelerations": [1]}, "'accelerations' has 1 numbers; one for each"),
        (
            "inverse_dynamics",
            {"joint_state": {"name": NAMES[:1], "position": [0], "velocity": [1, 2]}},
            "'joint_state.velocity' has 2 numbers; one for each of the 1 names",
        ),
        ("inverse_dynamics", {"gravity": -9.81}, "'gravity' is -9.81; an object"),
        ("mass_matrix", {"joint_state": []}, "'joint_state' is an array of 0"),
        (
            "mass_matrix",
            {"joint_state": {"name": NAMES, "position": [1e300] * OURS.nv}},
            "would not be finite",
        ),
    ],
)
def test_what_is_refused(service: str, args: object, sentence: str) -> None:
    code, status = refused(f"/model/{service}", args)
    assert code == "invalid_request"
    assert sentence in status


def test_fields_that_mean_nothing_are_listed() -> None:
    assert call("/model/info", joint_state=STATE)["ignored"] == ["joint_state"]


def test_an_answer_that_no_line_holds_is_not_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_services, "MAX_NUMBERS", OURS.nv**2 - 1)
    for service in ("transforms", "jacobians", "mass_matrix"):
        code, status = refused(f"/model/{service}", {"joint_state": STATE})
        assert code == "limit_exceeded"
        assert f"at most {OURS.nv**2 - 1} expected" in status


def test_without_a_robot() -> None:
    assert refused("/model/info", {}, NOT_SET)[0] == "not_set"
    code, status = refused("/model/info", {}, load("<robot"))
    assert code == "invalid_robot_description"
    assert "line 1" in status


def test_bodies_that_only_the_extended_reading_refuses() -> None:
    text = TEXT.replace("<mass value=", "<mass vale=", 1)
    held = load(text)
    for _ in range(2):  # read once, refused every time
        code, status = refused("/model/mass_matrix", {}, held)
        assert code == "invalid_robot_description"
        assert "mass" in status
    assert answer("/ik/robot_info", {}, held)["result"]


def test_bodies_are_made_once_an_ordering() -> None:
    bodies = Bodies(orjson.dumps(TEXT))
    first = bodies.multibody("grid")
    assert bodies.multibody("grid") is first
    assert bodies.multibody("urdf").model is first.model


WEIGHED = ("info", "center_of_mass", "mass_matrix", "inverse_dynamics")


@pytest.mark.parametrize("service", WEIGHED)
def test_a_weight_beyond_all_measure(service: str) -> None:
    text = re.sub('<inertial><origin xyz="[^ ]+', '<inertial><origin xyz="1e200', TEXT)
    code, status = refused(f"/model/{service}", {}, load(text))
    assert code == "invalid_request"
    assert "would not be finite" in status


def test_lengths_beyond_all_measure() -> None:
    joint = '<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/>{3}</joint>'
    far = '<origin xyz="1e308 0 0"/>'
    text = (
        '<robot name="r"><link name="a"/><link name="b"/><link name="c"/>'
        f"{joint.format('j', 'a', 'b', far)}{joint.format('k', 'b', 'c', far)}</robot>"
    )
    for service in ("/model/transforms", "/model/jacobians", "/model/mass_matrix"):
        code, status = refused(service, {}, load(text))
        assert code == "invalid_request"
        assert "would not be finite" in status
