"""The robot's state on topics: joint states and a pose in, transforms out.

Where the robot's links are is computed by a worker, for those topics that somebody
subscribes to and one state at a time: of what arrives meanwhile only the newest counts.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from gateway.asking import TRANSIENT, ask
from gateway.errors import ServiceError
from gateway.hub import Hub
from gateway.params import Parameter
from gateway.robot_loading import RETRY_SECONDS, Robot, RobotLoader
from gateway.robot_messages import (
    IDENTITY_POSE,
    NO_JOINT_STATE,
    JointState,
    MessageError,
    Pose,
    read_joint_state,
    read_pose,
)
from gateway.topics import Subscriber
from kinematics.frames import DESCRIPTION_PARAM

JOINT_STATES: Final = "/joint_states"
GLOBAL_POSE: Final = "/global_pose"
TF: Final = "/tf"
TF_STATIC: Final = "/tf_static"
XFORM_WORLD: Final = "/xform_world"
OUTPUTS: Final = {
    TF: "tf2_msgs/TFMessage",
    TF_STATIC: "tf2_msgs/TFMessage",
    XFORM_WORLD: "robot_world_state/LinkMatrices",
}
REPEATED: Final = (TF, XFORM_WORLD)  # in the order in which they go out
HASTE: Final = 0.9  # of a period: timers are late, and the rate is a promise

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class State:
    """Where the robot is."""

    joints: JointState = NO_JOINT_STATE
    pose: Pose = IDENTITY_POSE  # of the root in the global frame

    def fields(self) -> dict[str, object]:
        """Return what a worker is told of it."""
        return {**self.joints.fields(), "pose": self.pose}


class RobotState:
    """The nodes `robot_state_publisher` and `robot_world_state_publisher`."""

    def __init__(self, hub: Hub, rate_hz: float) -> None:
        """Listen to topics and parameters; `start` begins to publish.

        Args:
            hub: the gateway's.
            rate_hz: how often at least a subscriber hears while nothing changes.
        """
        self.ignored: Counter[str] = Counter()  # malformed messages, by topic
        self._hub = hub
        self._period_seconds = HASTE / rate_hz
        self._robot: Robot | None = None  # the one that the topics show
        self._state = State()
        self._good = State()  # the last one that could be shown
        self._joints_since_set = NO_JOINT_STATE  # the next robot's, if it is accepted
        self._lines: dict[str, bytes] = {}  # what the topics show, for as long as it is so
        self._static_due: dict[Subscriber, None] = {}  # who has not had /tf_static yet
        self._changed = asyncio.Event()
        self._repeat_timer: asyncio.TimerHandle | None = None
        self._loader = RobotLoader(hub, self._switch)
        self._tasks: list[asyncio.Task[None]] = []
        for topic, type_ in OUTPUTS.items():
            hub.topics.advertise(self, topic, type_)
        hub.topics.listen(JOINT_STATES, "sensor_msgs/JointState", self._on_joint_state)
        hub.topics.listen(GLOBAL_POSE, "geometry_msgs/Pose", self._on_global_pose)
        hub.topics.watch(self._on_subscription)
        hub.params.listen(self._on_parameter)

    def start(self) -> None:
        """Begin."""
        self._tasks = [
            asyncio.create_task(self._loader.run()),
            asyncio.create_task(self._refresh_forever()),
        ]

    async def stop(self) -> None:
        """Publish no more."""
        if self._repeat_timer is not None:
            self._repeat_timer.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # -- what is heard

    def _on_parameter(self, name: str, parameter: Parameter | None) -> None:
        """Note a new description; one that is deleted leaves the robot where it is."""
        if name == DESCRIPTION_PARAM and parameter is not None:
            self._joints_since_set = NO_JOINT_STATE
            self._loader.describe(parameter)

    def _on_joint_state(self, message: object) -> None:
        try:
            joints = read_joint_state(message)
        except MessageError as error:
            self._ignore(JOINT_STATES, str(error))
            return
        self._joints_since_set = joints
        self._state = replace(self._state, joints=joints)
        self._changed.set()

    def _on_global_pose(self, message: object) -> None:
        try:
            pose = read_pose(message)
        except MessageError as error:
            self._ignore(GLOBAL_POSE, str(error))
            return
        self._state = replace(self._state, pose=pose)
        self._changed.set()

    def _on_subscription(self, topic: str, subscriber: Subscriber) -> None:
        if topic == TF_STATIC and self._robot is not None:  # without one, it is due at a load
            self._static_due[subscriber] = None
            self._changed.set()
        elif topic in REPEATED and topic not in self._lines:
            self._changed.set()

    def _ignore(self, topic: str, why: str) -> None:
        """Count a message that is not used; log the 1st, 2nd, 4th, 8th ... of a topic."""
        self.ignored[topic] += 1
        count = self.ignored[topic]
        if count & (count - 1) == 0:
            log.warning("message ignored", extra={"topic": topic, "error": why, "ignored": count})

    # -- what is computed

    async def _refresh_forever(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            try:
                await self._refresh()
            except Exception:  # a fault of ours must not end what follows it
                log.exception("robot state not refreshed")

    async def _refresh(self) -> None:
        """Compute what is subscribed to, and publish it."""
        robot, state = self._robot, self._state
        topics = self._wanted() + [TF_STATIC] * bool(self._static_due)
        if robot is None or not topics:
            self._lines.clear()  # they would be old when somebody subscribes
            return
        lines, refusal = await self._compute(robot, state, topics)
        if self._robot is not robot:  # replaced meanwhile: another robot's lines are there
            self._changed.set()
        elif refusal is None or (state == self._good and refusal.code not in TRANSIENT):
            self._good = state
            self._publish(topics, lines)
        elif refusal.code in TRANSIENT:
            asyncio.get_running_loop().call_later(RETRY_SECONDS, self._changed.set)
        else:
            moved = state.joints != self._good.joints
            self._ignore(JOINT_STATES if moved else GLOBAL_POSE, str(refusal))
            if self._state is state:
                self._state = self._good
            self._changed.set()

    async def _switch(self, robot: Robot) -> None:
        """Make a robot the one that the topics show."""
        while True:
            state = State(self._joints_since_set, self._state.pose)
            topics = self._wanted()
            if self._hub.topics.subscriber_count(TF_STATIC):
                topics.append(TF_STATIC)
            lines, refusal = await self._compute(robot, state, topics)
            if refusal is None or refusal.code not in TRANSIENT:
                break
            await asyncio.sleep(RETRY_SECONDS)
        if refusal is not None:
            log.warning("robot not shown in full", extra={"error": str(refusal)})
        self._robot = robot
        self._state = State(self._joints_since_set, self._state.pose)
        self._good = State(NO_JOINT_STATE, self._good.pose) if refusal else state
        self._static_due = dict.fromkeys(self._hub.topics.subscribers(TF_STATIC))
        self._publish(topics, lines)
        if self._state != state or self._static_due or not lines.keys() >= {*self._wanted()}:
            self._changed.set()  # meanwhile

    async def _compute(
        self, robot: Robot, state: State, topics: Sequence[str]
    ) -> tuple[dict[str, bytes], ServiceError | None]:
        """Return the finished lines of some topics, and why one of them is missing."""
        fields = state.fields()
        answers = await asyncio.gather(
            *(
                ask(self._hub, f"/robot_state{topic}", fields, robot.description)
                for topic in topics
            ),
            return_exceptions=True,
        )
        lines: dict[str, bytes] = {}
        refusal: ServiceError | None = None
        for topic, answer in zip(topics, answers, strict=True):
            if isinstance(answer, bytes):
                lines[topic] = answer
            elif isinstance(answer, ServiceError):
                refusal = answer
            else:
                raise answer
        return lines, refusal

    def _wanted(self) -> list[str]:
        """Return the repeated topics that there is somebody to publish for."""
        return [topic for topic in REPEATED if self._hub.topics.subscriber_count(topic)]

    # -- what is said

    def _publish(self, topics: Sequence[str], lines: Mapping[str, bytes]) -> None:
        """Publish what was computed for some topics, and keep what is to be repeated."""
        if TF_STATIC in topics:
            for subscriber in self._hub.topics.subscribers(TF_STATIC):
                if subscriber in self._static_due and TF_STATIC in lines:
                    subscriber.deliver(TF_STATIC, lines[TF_STATIC])
            self._static_due.clear()
        self._lines = {topic: lines[topic] for topic in REPEATED if topic in lines}
        self._repeat(asyncio.get_running_loop().time())

    def _repeat(self, due: float) -> None:
        """Say what is so, and again after a period for as long as anybody listens.

        Args:
            due: when it was to be said; the next time is counted from then, so that a late
                timer makes up for it.
        """
        if self._repeat_timer is not None:
            self._repeat_timer.cancel()
            self._repeat_timer = None
        if not self._wanted():
            self._lines.clear()
            return
        for topic, line in self._lines.items():
            self._hub.topics.deliver(topic, line)
        loop = asyncio.get_running_loop()
        following = max(due + self._period_seconds, loop.time())
        self._repeat_timer = loop.call_at(following, self._repeat, following)
