"""The robot descriptions a worker holds: serial -> model, or the reason there is none."""

from __future__ import annotations

import hashlib
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

import orjson

from kinematics.bodies import Bodies
from kinematics.model import Model, build_model
from urdf import UrdfError, parse

KEPT_MODELS: Final = 16  # by content; a robot set again, or one of a few in turn, costs nothing


@dataclass(frozen=True, slots=True)
class Loaded:
    """One version of a description: its model, or the sentence that refuses it."""

    version: int
    model: Model | None
    refusal: str
    milliseconds: float  # what reading it took; 0 where the same text was read before
    bodies: Bodies = field(default_factory=lambda: Bodies(b"null"))


NOT_SET: Final = Loaded(0, None, "", 0.0)


class Descriptions:
    """Every description that the gateway has sent and not withdrawn."""

    def __init__(self) -> None:
        self._by_serial: dict[int, Loaded] = {}
        self._by_content: OrderedDict[bytes, tuple[Model | None, str, Bodies]] = OrderedDict()

    def load(self, serial: int, version: int, value: bytes) -> Loaded:
        """Read a description, given as the parameter's JSON value."""
        started = time.perf_counter()
        content = hashlib.blake2b(value, digest_size=32).digest()
        known = self._by_content.get(content)
        if known is None:
            known = self._by_content[content] = _read(value)
            if len(self._by_content) > KEPT_MODELS:
                self._by_content.popitem(last=False)
        else:
            self._by_content.move_to_end(content)
        milliseconds = (time.perf_counter() - started) * 1e3
        model, refusal, bodies = known
        loaded = Loaded(version, model, refusal, milliseconds, bodies)
        self._by_serial[serial] = loaded
        return loaded

    def get(self, serial: int) -> Loaded:
        """Return a description that was loaded before; serial 0 is none at all."""
        return self._by_serial[serial] if serial else NOT_SET

    def forget(self, serial: int) -> None:
        """Drop a description that no later call names."""
        self._by_serial.pop(serial, None)


def _read(value: bytes) -> tuple[Model | None, str, Bodies]:
    try:
        return build_model(parse(orjson.loads(value))), "", Bodies(value)
    except UrdfError as error:
        return None, str(error), Bodies(b"null")


def describe(loaded: Loaded) -> bytes:
    """Return what the operator's log should say of it, as JSON."""
    fields: dict[str, object] = {"version": loaded.version, "milliseconds": loaded.milliseconds}
    if loaded.model is None:
        fields["refusal"] = loaded.refusal
    else:
        robot = loaded.model.robot
        fields |= {
            "robot": robot.name,
            "root_link": robot.root_link,
            "links": len(robot.links),
            "joints": len(robot.joints),
        }
    return orjson.dumps(fields)
