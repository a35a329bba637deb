"""Which description is the robot's: each newest one is judged, and a parameter says how."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

import orjson

from gateway.asking import TRANSIENT, ask
from gateway.errors import ServiceError
from gateway.hub import Hub
from gateway.params import Parameter
from gateway.vitals import STATUS_PARAM

KEPT: Final = 8  # of a burst: where the newest is refused, the one before it may be the robot
RETRY_SECONDS: Final = 0.1  # after the pool was too busy to judge

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Robot:
    """An accepted description."""

    description: Parameter
    root_link: str


class RobotLoader:
    """Judges descriptions, the newest first, and has the robot of an accepted one shown."""

    def __init__(self, hub: Hub, show: Callable[[Robot], Awaitable[None]]) -> None:
        """Begin without a robot.

        Args:
            hub: where the parameters and the pool are.
            show: makes a robot the one that the topics show; returns once they do.
        """
        self._hub = hub
        self._show = show
        self._robot: Robot | None = None
        self._waiting: list[Parameter] = []  # oldest first
        self._described = asyncio.Event()

    def describe(self, description: Parameter) -> None:
        """Take note of a description that was just set."""
        self._waiting = [*self._waiting[1 - KEPT :], description]
        self._described.set()

    async def run(self) -> None:
        """Judge what is set, for good."""
        while True:
            await self._described.wait()
            self._described.clear()
            waiting, self._waiting = self._waiting, []
            try:
                await self._load(waiting)
            except Exception:  # a fault of ours must not end what follows it
                log.exception("robot description not judged")

    async def _load(self, descriptions: list[Parameter]) -> None:
        newest = descriptions[-1]
        error = ""
        for description in reversed(descriptions):
            try:
                robot = Robot(description, await self._root_link(description))
            except ServiceError as refusal:
                if description is newest:
                    error = str(refusal)
                continue
            await self._show(robot)
            self._robot = robot
            break
        self._write(newest, error)

    async def _root_link(self, description: Parameter) -> str:
        """Return the root of a description's robot.

        Raises:
            ServiceError: there is no such robot.
        """
        while True:
            try:
                answer = await ask(self._hub, "/robot_state/root_link", {}, description)
            except ServiceError as error:
                if error.code not in TRANSIENT:
                    raise
                await asyncio.sleep(RETRY_SECONDS)
            else:
                return str(orjson.loads(answer))

    def _write(self, newest: Parameter, error: str) -> None:
        robot = self._robot
        status = {
            "version": newest.version,
            "accepted": not error,
            "error": error,
            "loaded_version": robot.description.version if robot else 0,
            "root_link": robot.root_link if robot else "",
        }
        try:
            self._hub.params.set(STATUS_PARAM, status)
        except ServiceError as full:
            log.error("description status not stored", extra={"error": str(full)})  # noqa: TRY400
