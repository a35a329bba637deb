"""A pool under test: callers that remember what they heard, and a robot to ask about."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson

from gateway.calls import Call, Cost, Description
from gateway.pool import Pool

PLANAR_ARM = """<robot name="planar">
<link name="base"/><link name="upper"/><link name="fore"/><link name="tool"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
  <axis xyz="0 0 1"/><limit lower="-3" upper="3"/></joint>
<joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/>
  <origin xyz="1 0 0"/><axis xyz="0 0 1"/><limit lower="-3" upper="3"/></joint>
<joint name="flange" type="fixed"><parent link="fore"/><child link="tool"/>
  <origin xyz="1 0 0"/></joint>
</robot>"""

# Within reach, but tilted out of the arm's plane: a search uses all the time it is given.
TILTED = {
    "position": {"x": 1.0, "y": 0.5, "z": 0.0},
    "orientation": {"x": 0.7071067811865476, "y": 0.0, "z": 0.0, "w": 0.7071067811865476},
}


def description(version: int = 1, text: str = PLANAR_ARM) -> Description:
    """Return a version of the robot description."""
    return Description("robot_description", version, orjson.dumps(text), version)


class Client:
    """A client of the pool; each call's answers end up in `heard`, by its id."""

    def __init__(self, pool: Pool, robot: Description | None) -> None:
        self.pool = pool
        self.robot = robot
        self.heard: dict[object, list[dict[str, Any]]] = {}
        self._futures: dict[object, asyncio.Future[dict[str, Any]]] = {}

    def answered(self, call: Call, line: bytes) -> None:
        """Take an answer."""
        answer = orjson.loads(line)
        self.heard.setdefault(call.id, []).append(answer)
        future = self._futures[call.id]
        if not future.done():
            future.set_result(answer)

    def ask(
        self, service: str, args: dict[str, Any], cost: Cost = "quick", seconds: float = 10.0
    ) -> asyncio.Future[dict[str, Any]]:
        """Submit a call; return its answer to come."""
        loop = asyncio.get_running_loop()
        number = len(self._futures)
        request = {"op": "call_service", "service": service, "args": args, "id": number}
        future = self._futures[number] = loop.create_future()
        deadline = loop.time() + seconds
        line = orjson.dumps(request)
        self.pool.submit(Call(self, service, number, line, cost, deadline, self.robot))
        return future

    def forward(self, **args: object) -> asyncio.Future[dict[str, Any]]:
        """Ask where the tool is."""
        return self.ask("/ik/forward_kinematics", {"links": ["tool"], **args})

    def search(
        self, timeout: float, seconds: float | None = None
    ) -> asyncio.Future[dict[str, Any]]:
        """Ask for what cannot be solved, for so long."""
        args = {"link": "tool", "target": TILTED, "timeout": timeout}
        return self.ask("/ik/solve_robot", args, "solve", seconds or timeout + 2.0)
