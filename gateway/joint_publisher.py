"""Publish a robot's joints as a client of the gateway: the node `joint_state_publisher`."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import aclosing
from typing import Final

from gateway.async_client import AsyncClient
from gateway.client import CallError, Values
from gateway.joint_servo import JointServo, TrajectoryError

JOINT_STATES: Final = "/joint_states"
JOINT_TRAJECTORY: Final = "/joint_trajectory"
RESET: Final = "/joint_state_publisher/reset"
STATUS_PARAM: Final = "/robot_state_publisher/description_status"
LOOK_SECONDS: Final = 0.5  # between two looks for another robot

log = logging.getLogger(__name__)


class JointPublisher:
    """Publishes where the joints of the newest robot are, moving as trajectories say."""

    def __init__(self, client: AsyncClient, rate_hz: float) -> None:
        self._client = client
        self._period_seconds = 1.0 / rate_hz
        self._servo = JointServo([])
        self._version = 0

    async def run(self) -> None:
        """Publish until it is cancelled."""
        await self._client.advertise(JOINT_STATES, "sensor_msgs/JointState")
        await self._client.provide(RESET, "std_srvs/Empty", self._reset)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._follow_robot())
            tasks.create_task(self._follow_trajectories())
            tasks.create_task(self._publish())

    def _reset(self, _args: Values) -> Values:
        self._servo.reset()
        return {}

    async def _follow_robot(self) -> None:
        """Take up another robot soon after it was accepted."""
        while True:
            try:
                status = await self._client.get_param(STATUS_PARAM)
                if status["loaded_version"] != self._version:
                    info = await self._client.call("/ik/robot_info")
                    self._servo = JointServo(info["joints"])
                    self._version = status["loaded_version"]
                    log.info("robot taken up: %s", info["name"])
            except (CallError, OSError) as error:  # none yet, or the gateway is away
                log.debug("no robot: %s", error)
            await asyncio.sleep(LOOK_SECONDS)

    async def _follow_trajectories(self) -> None:
        async with aclosing(self._client.messages(JOINT_TRAJECTORY)) as trajectories:
            async for trajectory in trajectories:
                try:
                    self._servo.aim(trajectory)
                except TrajectoryError as error:
                    log.warning("trajectory ignored: %s", error)

    async def _publish(self) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due = max(due + self._period_seconds, loop.time())
            await asyncio.sleep(due - loop.time())
            self._servo.move(self._period_seconds)
            if self._version and self._client.connected.is_set():
                await self._client.publish(JOINT_STATES, _message(self._servo))


def _message(servo: JointServo) -> Values:
    """Return a `sensor_msgs/JointState` of now."""
    seconds, nanoseconds = divmod(time.time_ns(), 10**9)
    return {
        "header": {"stamp": {"sec": seconds, "nanosec": nanoseconds}, "frame_id": ""},
        "name": list(servo.positions),
        "position": list(servo.positions.values()),
        "velocity": [],
        "effort": [],
    }
