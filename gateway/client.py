"""A small client: blocking, for Python's standard library alone.

    with Client(port=9095) as client:
        client.load_robot("arm.urdf")
        poses = client.forward_kinematics({"elbow": 0.5}, links=["tool"])

The file needs nothing else of this project, and may be copied. A client is for one
thread at a time. What it waits for fails with ConnectionError as soon as the
connection is lost, with TimeoutError when it takes too long, and with CallError when
the gateway says no; after the first a new client is needed.
"""

from __future__ import annotations

import json
import selectors
import socket
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 9095
DEFAULT_TIMEOUT_SECONDS: Final = 15.0  # the gateway answers every call of its own within 12
MAX_LINE_BYTES: Final = 256 * 1024 * 1024  # the most that a gateway can be told to send
CHUNK_BYTES: Final = 256 * 1024  # of one receive or send
KEPT_MESSAGES: Final = 10_000  # of topics, between two looks at them; the oldest go first
UNANSWERED: Final = "topic"  # the id of what is answered only if it is refused; calls have numbers

Values = dict[str, Any]


class CallError(Exception):
    """The gateway said no.

    Attributes:
        code: the stable word for the reason, such as "unknown_link".
        values: what else came with it, such as the closest that a search has found.
    """

    def __init__(self, code: str, sentence: str, values: Values) -> None:
        super().__init__(sentence)
        self.code = code
        self.values = values


class Client:
    """A connection to a gateway."""

    def __init__(
        self,
        host: str = DEFAULT_HOST,
        port: int = DEFAULT_PORT,
        timeout_seconds: float = DEFAULT_TIMEOUT_SECONDS,
        token: str | None = None,
    ) -> None:
        """Connect.

        Args:
            host: the gateway's name or address.
            port: its TCP port.
            timeout_seconds: the longest that connecting, and each call, may take.
            token: shown first, for a gateway that asks for one.

        Raises:
            OSError: nobody listens there.
            CallError: the token is not the right one.
        """
        self._timeout_seconds = timeout_seconds
        self._socket = socket.create_connection((host, port), timeout_seconds)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.setblocking(False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._socket, selectors.EVENT_READ)
        self._tail = bytearray()  # of the line that has not ended yet
        self._lines: deque[bytes] = deque()
        self._messages: deque[tuple[str, Any]] = deque(maxlen=KEPT_MESSAGES)
        self._count = 0
        self._refused = ""  # why the gateway did not take an `advertise` or `publish`
        if token is not None:
            try:
                self._ask_for({"op": "auth", "token": token}, "unauthorized")
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """Close the connection; the gateway withdraws what this client subscribed to."""
        self._selector.close()
        self._socket.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- services

    def call(self, service: str, args: Mapping[str, object] | None = None) -> Values:
        """Call any service and return its `values`.

        Raises:
            CallError: the answer is `result:false`, or the line was refused.
            ConnectionError, TimeoutError: there is no answer.
            ValueError: `args` holds what JSON cannot, such as NaN.
        """
        answer = self._ask({"op": "call_service", "service": service, "args": dict(args or {})})
        values = answer.get("values")
        values = values if isinstance(values, dict) else {"values": values}
        if answer.get("result") is not True:
            raise CallError(str(values.get("code", "")), str(answer.get("status", "")), values)
        return values

    def set_param(self, name: str, value: object) -> int:
        """Store a JSON value; return its version."""
        return int(self.call("/param_server/set_param", {"name": name, "value": value})["version"])

    def get_param(self, name: str) -> Any:  # noqa: ANN401  any JSON value
        """Return the newest value of a parameter."""
        return self.call("/param_server/get_param", {"name": name})["value"]

    def list_params(self, prefix: str = "") -> list[Values]:
        """Return name, version and size in bytes of each parameter, sorted by name."""
        return list(self.call("/param_server/list_params", {"prefix": prefix})["params"])

    def delete_param(self, name: str) -> int:
        """Take a parameter out; return the version it had."""
        return int(self.call("/param_server/delete_param", {"name": name})["version"])

    def load_robot(self, path: str | Path) -> Values:
        """Make a URDF file the robot, if it is valid; return what `robot_info` says of it."""
        return self.load_description(Path(path).read_text("utf-8-sig"))

    def load_description(self, text: str) -> Values:
        """Make the text of a URDF file the robot; as `load_robot`."""
        verdict = self.validate(text)
        if not verdict["valid"]:
            raise CallError("invalid_robot_description", str(verdict["error"]), verdict)
        self.set_param("robot_description", text)
        return self.robot_info()

    def validate(self, robot_description: object) -> Values:
        """Judge a description without storing it: `valid`, and `error` if it is not."""
        return self.call("/ik/validate", {"robot_description": robot_description})

    def robot_info(self) -> Values:
        """Return the robot's links, joints and visuals."""
        return self.call("/ik/robot_info")

    def forward_kinematics(
        self,
        positions: Mapping[str, float] | None = None,
        links: Sequence[str] | None = None,
        **options: object,
    ) -> Values:
        """Return the poses of links.

        Args:
            positions: joint name -> position (rad or m); joints left out are at 0.
            links: which links; default all.
            options: any other field of the service, such as `base_link`.
        """
        args = options | _joint_state("joint_state", positions)
        if links is not None:
            args["links"] = list(links)
        return self.call("/ik/forward_kinematics", args)

    def jacobian(
        self, link: str, positions: Mapping[str, float] | None = None, **options: object
    ) -> Values:
        """Return the geometric Jacobian of a link; arguments as for `forward_kinematics`."""
        args = {"link": link} | options | _joint_state("joint_state", positions)
        return self.call("/ik/jacobian", args)

    def solve(
        self,
        link: str,
        target: Mapping[str, object],
        seed: Mapping[str, float] | None = None,
        **options: object,
    ) -> Values:
        """Return joint positions that put a link at a pose.

        Args:
            link: the link.
            target: `{"position":{x,y,z}, "orientation":{x,y,z,w}}`, or one of the two.
            seed: joint name -> position (rad or m), where the search starts.
            options: any other field of the service, such as `timeout`.

        Raises:
            CallError: also if there is no solution; its `values` hold the closest found.
        """
        args = {"link": link, "target": dict(target)} | options | _joint_state("seed", seed)
        return self.call("/ik/solve_robot", args)

    def solve_batch(
        self, link: str, targets: Sequence[Mapping[str, object]], **options: object
    ) -> Values:
        """Return an answer for each target; see `solve` and docs/protocol.md."""
        args = {"link": link, "targets": [dict(target) for target in targets]} | options
        return self.call("/ik/solve_batch", args)

    def forward_kinematics_batch(
        self, joint_names: Sequence[str], positions: Sequence[Sequence[float]], **options: object
    ) -> Values:
        """Return the poses of links for each row of positions (rad or m)."""
        args = {"joint_names": list(joint_names), "positions": [list(row) for row in positions]}
        return self.call("/ik/forward_kinematics_batch", args | options)

    # -- topics

    def advertise(self, topic: str, type_: str) -> None:
        """Announce that this client publishes on a topic; refusals are raised as by `publish`."""
        self._tell({"op": "advertise", "topic": topic, "type": type_})

    def publish(self, topic: str, message: object) -> None:
        """Publish on a topic that was advertised; raise CallError if one before was refused."""
        self._tell({"op": "publish", "topic": topic, "msg": message})

    def subscribe(self, topic: str) -> None:
        """Have a topic's messages delivered from now on; see `messages`."""
        self._ask_for({"op": "subscribe", "topic": topic}, "invalid_request")

    def messages(self, timeout_seconds: float | None = None) -> Iterator[tuple[str, Any]]:
        """Yield (topic, message) as they come.

        Args:
            timeout_seconds: how long to wait for each; None for the client's own.

        Raises:
            ConnectionError, TimeoutError: no more came.
        """
        while True:
            deadline = self._deadline(timeout_seconds)
            while not self._messages:
                self._sort(self._next_line(deadline))
            yield self._messages.popleft()

    # -- lines

    def _deadline(self, timeout_seconds: float | None = None) -> float:
        seconds = self._timeout_seconds if timeout_seconds is None else timeout_seconds
        return time.monotonic() + seconds

    def _tell(self, message: Values) -> None:
        sentence, self._refused = self._refused, ""
        if sentence:
            raise CallError("invalid_request", sentence, {})
        self._send(message | {"id": UNANSWERED}, self._deadline())

    def _ask(self, message: Values) -> Values:
        """Send a message and return the answer that has its id."""
        self._count += 1
        id_ = str(self._count)
        deadline = self._deadline()
        self._send(message | {"id": id_}, deadline)
        while True:
            answer = self._sort(self._next_line(deadline))
            if answer is None or answer.get("id", id_) != id_:  # late, for a call given up
                continue
            if answer.get("op") == "status" and "id" not in answer:  # the line was not understood
                raise CallError("invalid_request", str(answer.get("msg")), {})
            return answer

    def _ask_for(self, message: Values, code: str) -> None:
        """Send what is acknowledged by a status."""
        answer = self._ask(message)
        if answer.get("level") == "error":
            raise CallError(code, str(answer.get("msg")), {})

    def _sort(self, line: bytes) -> Values | None:
        """Put a topic's message with the others; return anything else."""
        message: Values = json.loads(line)
        if message.get("id") == UNANSWERED:
            self._refused = str(message.get("msg"))
        elif message.get("op") == "publish":
            self._messages.append((str(message.get("topic")), message.get("msg")))
        else:
            return message
        return None

    def _send(self, message: Values, deadline: float) -> None:
        """Send a line, and take in what comes meanwhile: else both ends might wait."""
        rest = memoryview(json.dumps(message, allow_nan=False).encode() + b"\n")
        while rest:
            readable, writable = self._wait(deadline, sending=True)
            if readable:
                self._receive()
            if writable:
                rest = rest[self._socket.send(rest[:CHUNK_BYTES]) :]

    def _next_line(self, deadline: float) -> bytes:
        while not self._lines:
            self._wait(deadline, sending=False)
            self._receive()
        return self._lines.popleft()

    def _wait(self, deadline: float, *, sending: bool) -> tuple[bool, bool]:
        """Wait until something can be received, or sent; say which."""
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if sending else 0)
        self._selector.modify(self._socket, events)
        ready = self._selector.select(max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError("the gateway did not answer in time")
        mask = ready[0][1]
        return bool(mask & selectors.EVENT_READ), bool(mask & selectors.EVENT_WRITE)

    def _receive(self) -> None:
        data = self._socket.recv(CHUNK_BYTES)
        if not data:
            raise ConnectionError("the gateway closed the connection")
        self._tail += data
        if b"\n" in data:
            *lines, tail = bytes(self._tail).split(b"\n")
            self._lines.extend(lines)
            self._tail = bytearray(tail)
        if len(self._tail) > MAX_LINE_BYTES:
            raise ConnectionError(f"the gateway sent a line of over {MAX_LINE_BYTES} bytes")


def _joint_state(field: str, positions: Mapping[str, float] | None) -> Values:
    if positions is None:
        return {}
    return {field: {"name": list(positions), "position": list(positions.values())}}
