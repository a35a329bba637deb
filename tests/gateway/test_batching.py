"""A batch is divided, answered in order, and refused once."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from gateway.batching import SMALLEST_PART, Whole, parts_of
from gateway.calls import Call
from kinematics.batches import Share
from kinematics.frames import pack_part, unpack_part
from tests.support.live import ROOT, Live, gateway


class Caller:
    """Remembers what it hears."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []

    def answered(self, call: Call, line: bytes) -> None:
        """Take an answer."""
        assert call.id == 7
        self.heard.append(orjson.loads(line))


def whole(caller: Caller, parts: int, limit: int = 1000) -> Whole:
    call = Call(caller, "/ik/solve_batch", 7, b"{}", "solve", 1.0, None)
    return Whole(call, parts, limit)


def part(items: bytes, solved: int) -> bytes:
    return pack_part(b'{"version":3}', solved, [items])


def test_parts_are_put_together_in_order_whichever_comes_first() -> None:
    caller = Caller()
    batch = whole(caller, 3)
    batch.calls[2].done(part(b"5,6", 2))
    batch.calls[0].done(part(b"1,2", 1))
    assert caller.heard == []
    batch.calls[1].done(part(b"", 0))
    (answer,) = caller.heard
    assert answer["values"] == {"version": 3, "results": [1, 2, 5, 6], "solved": 3}
    assert answer["result"] is True


def test_a_refusal_is_heard_once() -> None:
    caller = Caller()
    batch = whole(caller, 3)
    refusal = orjson.dumps({"result": False, "status": "'targets[0]' is wrong"})
    batch.calls[1].done(refusal)
    batch.calls[0].done(refusal)
    batch.calls[2].fail("timeout", "too late")
    batch.calls[0].done(part(b"1", 1))
    assert caller.heard == [orjson.loads(refusal)]


def test_a_part_that_is_late_costs_the_whole() -> None:
    caller = Caller()
    batch = whole(caller, 2)
    batch.calls[0].done(part(b"1", 1))
    batch.calls[1].fail("timeout", "too late")
    (answer,) = caller.heard
    assert answer["values"] == {"code": "timeout", "version": 0}


def test_an_answer_that_fits_no_line_is_refused() -> None:
    caller = Caller()
    batch = whole(caller, 2, limit=100)
    batch.calls[0].done(part(b"1," * 20 + b"1", 1))
    batch.calls[1].done(part(b"1," * 40 + b"1", 1))
    assert caller.heard[0]["values"]["code"] == "limit_exceeded"


@pytest.mark.parametrize(("items", "workers", "parts"), [
    (0, 4, 1), (SMALLEST_PART, 4, 1), (2 * SMALLEST_PART, 4, 2), (1000, 4, 4), (1000, 0, 1),
])  # fmt: skip
def test_short_batches_are_not_divided(items: int, workers: int, parts: int) -> None:
    call = whole(Caller(), 1).call
    call.items = items
    assert parts_of(call, workers) == parts


def test_a_part_survives_its_frame() -> None:
    assert unpack_part(pack_part(b"{}", 9, [b"1,2", b""])) == (b"{}", 9, [b"1,2", b""])


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_shares_cover_every_item_once(parts: int) -> None:
    for count in (0, 1, 5, 100):
        shares = [Share(part, parts).of(count) for part in range(parts)]
        assert [i for share in shares for i in share] == list(range(count))


@pytest.fixture(scope="module")
def live() -> Any:
    with gateway("--workers", "2") as running:
        running.load((ROOT / "docs/examples/arm.urdf").read_text("utf-8"))
        yield running


NAMES = ["waist", "shoulder_lift", "elbow", "wrist_roll", "wrist_pitch", "flange_roll"]
POSITIONS = [[0.01 * i, 0.3, -0.5 + 0.02 * i, 0.1, 0.4, -0.2] for i in range(40)]


def targets(live: Live) -> list[dict[str, Any]]:
    asked = {"joint_names": NAMES, "positions": POSITIONS, "links": ["tool"]}
    values = live.call("/ik/forward_kinematics_batch", asked)["values"]
    assert values["links"] == ["tool"]
    assert values["base_link"] == "base"
    return [
        {
            "position": dict(zip("xyz", position[0], strict=True)),
            "orientation": dict(zip("xyzw", orientation[0], strict=True)),
        }
        for position, orientation in zip(values["position"], values["orientation"], strict=True)
    ]


def test_poses_of_a_batch_are_those_of_single_calls(live: Live) -> None:
    for position, target in list(zip(POSITIONS, targets(live), strict=True))[::13]:
        state = {"name": NAMES, "position": position}
        asked = {"joint_state": state, "links": ["tool"]}
        assert live.call("/ik/forward_kinematics", asked)["values"]["poses"]["tool"] == target


def test_solutions_of_a_batch_are_those_of_single_calls(live: Live) -> None:
    goals = targets(live)
    batch = live.call("/ik/solve_batch", {"link": "tool", "targets": goals, "timeout": 5})
    assert batch["result"] is True
    assert batch["values"]["solved"] == len(goals)
    for goal, item in list(zip(goals, batch["values"]["results"], strict=True))[::13]:
        single = live.call("/ik/solve_robot", {"link": "tool", "target": goal, "timeout": 5})
        assert item["joint_state"] == single["values"]["joint_state"]
        assert item["result"] is True


def test_a_path_goes_on_from_each_answer(live: Live) -> None:
    seed = {"name": NAMES, "position": POSITIONS[0]}
    asked = {"link": "tool", "targets": targets(live), "mode": "path", "seed": seed}
    values = live.call("/ik/solve_batch", {**asked, "max_step": 0.2, "timeout": 5})["values"]
    assert values["solved"] == len(POSITIONS)
    before = POSITIONS[0]
    for item in values["results"]:
        q = item["joint_state"]["position"]
        assert max(abs(a - b) for a, b in zip(q, before, strict=True)) <= 0.2
        before = q
    strict = live.call("/ik/solve_batch", {**asked, "max_step": 1e-4, "timeout": 5})["values"]
    assert strict["solved"] == 1  # the first, which is the seed itself
    assert strict["results"][1]["code"] == "no_solution"
    assert "at most 0.0001 is allowed" in strict["results"][1]["status"]


@pytest.mark.parametrize(("service", "args", "sentence"), [
    ("/ik/solve_batch", {"link": "tool"}, "'targets' is missing; an array of targets expected"),
    ("/ik/solve_batch", {"link": "tool", "targets": [{}]},
     "'targets[0]' has neither 'position' nor 'orientation'; one expected"),
    ("/ik/solve_batch", {"link": "tool", "targets": [], "mode": "fast"},
     "'mode' is the string 'fast'; \"independent\" or \"path\" expected"),
    ("/ik/solve_batch", {"link": "tool", "targets": [], "max_step": 0},
     "'max_step' is 0; a number above 0 expected"),
    ("/ik/solve_batch", {"link": "base", "base_link": "tool", "targets": []},
     "'base_link' is 'tool', which is not above 'base'; "
     "the link itself or one of its ancestors expected"),
    ("/ik/forward_kinematics_batch", {"joint_names": ["elbow"], "positions": [[1, 2]]},
     "'positions[0]' has 2 numbers; one for each of the 1 names in 'joint_names' expected"),
    ("/ik/forward_kinematics_batch", {"joint_names": ["elbow"], "positions": [[True]]},
     "'positions[0][0]' is true; a number expected"),
    ("/ik/forward_kinematics_batch", {"positions": []},
     "'joint_names' is missing; an array of strings expected"),
])  # fmt: skip
def test_a_wrong_batch_is_refused_as_a_whole(
    service: str, args: dict[str, Any], sentence: str, live: Live
) -> None:
    answer = live.call(service, args)
    assert answer["result"] is False
    assert answer["status"] == sentence
    assert answer["values"]["code"] == "invalid_request"
    assert answer["values"]["version"] == 1


def test_empty_batches_are_answered(live: Live) -> None:
    values = live.call("/ik/solve_batch", {"link": "tool", "targets": []})["values"]
    assert values == {"version": 1, "results": [], "solved": 0}
    asked = {"joint_names": [], "positions": [], "links": ["tool"], "lniks": 1}
    values = live.call("/ik/forward_kinematics_batch", asked)["values"]
    assert values["position"] == values["orientation"] == []
    assert values["ignored"] == ["lniks"]
