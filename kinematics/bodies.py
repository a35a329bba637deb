"""The bodies of a description, read when somebody first asks for them.

What poses are computed from needs neither mass nor motors, so the strict reading leaves them
out, and a description that is only ever used for poses never pays for them.
"""

from __future__ import annotations

import orjson

from kinematics.model import Model, build_model
from kinematics.multibody import Multibody, build_multibody
from urdf import UrdfError, parse


class Bodies:
    """What the extended reading of a description gives, in every ordering asked for so far."""

    def __init__(self, value: bytes) -> None:
        """Keep a description, given as the parameter's JSON value."""
        self._value = value
        self._model: Model | UrdfError | None = None
        self._multibodies: dict[str, Multibody] = {}

    def multibody(self, ordering: str) -> Multibody:
        """Return the bodies in an ordering.

        Raises:
            UrdfError: the extended reading refuses what the strict one accepts.
            KinematicsError: `invalid_request`; as `build_multibody`.
        """
        found = self._multibodies.get(ordering)
        if found is None:
            found = self._multibodies[ordering] = build_multibody(self._read(), ordering)
        return found

    def _read(self) -> Model:
        if self._model is None:
            try:
                self._model = build_model(parse(orjson.loads(self._value), "extended"))
            except UrdfError as error:
                self._model = error
            self._value = b""
        if isinstance(self._model, UrdfError):
            raise self._model
        return self._model
