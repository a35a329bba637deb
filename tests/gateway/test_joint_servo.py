"""Joints go where they are told, within their limits, and no farther."""

from __future__ import annotations

import asyncio
import math
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.async_client import AsyncClient
from gateway.joint_servo import TOP_SPEED, JointServo, TrajectoryError
from tests.support.live import ROOT, gateway

JOINTS: list[dict[str, Any]] = [
    {"name": "turn", "type": "revolute", "limit": {"lower": -1.0, "upper": 2.0}},
    {"name": "spin", "type": "continuous", "limit": None},
    {"name": "bolt", "type": "fixed", "limit": None},
    {"name": "rail", "type": "prismatic", "limit": {"lower": 0.5, "upper": 0.8}},
]


def aim(**positions: object) -> dict[str, Any]:
    names = list(positions)
    early = {"positions": [9.0] * len(names)}
    return {"joint_names": names, "points": [early, {"positions": list(positions.values())}]}


def test_it_begins_at_zero_or_the_limit_nearest_to_it() -> None:
    assert JointServo(JOINTS).positions == {"turn": 0.0, "spin": 0.0, "rail": 0.5}


@given(
    targets=st.lists(st.tuples(*[st.floats(-20, 20)] * 3), min_size=1, max_size=4),
    period=st.floats(0.001, 0.2),
)
def test_it_gets_there_without_passing_a_limit_or_the_target(
    targets: list[tuple[float, float, float]], period: float
) -> None:
    servo = JointServo(JOINTS)
    for turn, spin, rail in targets:
        servo.aim(aim(turn=turn, spin=spin, rail=rail))
        expected = {"turn": max(-1.0, min(turn, 2.0)), "spin": spin}
        expected["rail"] = max(0.5, min(rail, 0.8))
        for _ in range(int(60 / period)):
            before = dict(servo.positions)
            servo.move(period)
            for name, position in servo.positions.items():
                assert abs(position - before[name]) <= TOP_SPEED * period + 1e-6
                assert abs(expected[name] - position) <= abs(expected[name] - before[name])
            if servo.positions == expected:
                break
        assert servo.positions == expected


def test_joints_that_are_not_named_go_on_and_a_reset_stops_all() -> None:
    servo = JointServo(JOINTS)
    servo.aim(aim(turn=1.0))
    servo.aim(aim(spin=-1.0))
    servo.move(0.1)
    assert servo.positions["turn"] > 0.0 > servo.positions["spin"]
    servo.reset()
    servo.move(0.1)
    assert servo.positions == {"turn": 0.0, "spin": 0.0, "rail": 0.5}


@pytest.mark.parametrize(
    ("trajectory", "sentence"),
    [
        (None, "at least one of 'points'"),
        ({"joint_names": ["turn"], "points": []}, "at least one of 'points'"),
        ({"joint_names": ["turn"], "points": [3]}, "1 numbers expected"),
        ({"joint_names": ["turn"], "points": [{"positions": []}]}, "1 numbers expected"),
        (aim(bolt=1.0), "no movable joint is named 'bolt'"),
        (aim(turn=math.nan), "'turn' is nan"),
        (aim(turn=True), "'turn' is True"),
        (aim(turn=0.5, spin="1"), "'spin' is '1'"),
    ],
)
def test_what_is_no_trajectory_changes_nothing(trajectory: object, sentence: str) -> None:
    servo = JointServo(JOINTS)
    with pytest.raises(TrajectoryError, match=sentence):
        servo.aim(trajectory)
    servo.move(1.0)
    assert servo.positions == JointServo(JOINTS).positions


@contextmanager
def publisher(port: int) -> Iterator[list[str]]:
    """Run the script; what it says is in the list afterwards."""
    said: list[str] = []
    script = ROOT / "scripts/joint_states"
    process = subprocess.Popen(
        [sys.executable, str(script), "--port", str(port), "--rate", "50"],
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield said
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=10)
        said += errors.splitlines()
        assert process.returncode == 0, errors


@pytest.mark.slow
async def test_the_script_moves_the_robot_of_a_running_gateway() -> None:
    arm = (ROOT / "docs/examples/arm.urdf").read_text("utf-8")
    with gateway() as live, publisher(live.port) as said:
        async with (
            asyncio.timeout(30),
            AsyncClient(port=live.port) as client,
            aclosing(client.messages("/joint_states")) as states,
        ):
            await client.set_param("robot_description", arm)
            first = await anext(states)
            assert set(first["position"]) == {0.0}
            await client.advertise("/joint_trajectory", "trajectory_msgs/JointTrajectory")
            await client.publish("/joint_trajectory", {"nonsense": True})
            await client.publish("/joint_trajectory", aim(waist=0.5, elbow=99.0))
            async for state in states:
                at = dict(zip(state["name"], state["position"], strict=True))
                if at["waist"] == 0.5 and at["elbow"] > 1.0:
                    break
            await client.call("/joint_state_publisher/reset")
            async for state in states:
                if set(state["position"]) == {0.0}:
                    break
    assert "robot taken up: desk_arm" in said
    assert any("trajectory ignored" in line for line in said)


def test_nobody_there_is_told() -> None:
    result = subprocess.run(
        [sys.executable, str(ROOT / "scripts/joint_states"), "--port", "1"],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert result.returncode == 1
    assert result.stderr.startswith("scripts/joint_states: 127.0.0.1:1: ")
