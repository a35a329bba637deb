"""How the gateway does, in a few numbers: what `/gateway/health` and `/readyz` answer."""

from __future__ import annotations

from typing import Final

import orjson

from gateway import __version__
from gateway.envelope import Values
from gateway.hub import Hub
from kinematics.frames import DESCRIPTION_PARAM

STATUS_PARAM: Final = "/robot_state_publisher/description_status"


def health(hub: Hub) -> Values:
    """Return what an operator asks first.

    Ready means that a worker serves: it has started, and is killed once it gives no sign
    of life. Alive means no more than that there is an answer.
    """
    figures = hub.pool.figures()
    return {
        "alive": True,
        "ready": figures.alive > 0,
        "gateway_version": __version__,
        "workers": {
            "wanted": figures.workers,
            "alive": figures.alive,
            "restarted": figures.restarted,
        },
        "calls": {"waiting": figures.waiting, "pending": figures.pending},
        "clients": hub.tally.clients,
        "robot": {
            "version": robot_version(hub),
            "loaded_version": loaded_version(hub),
            "refused": figures.refused_descriptions,
        },
    }


def robot_version(hub: Hub) -> int:
    """Return the newest `robot_description`'s version, 0 if there is none."""
    description = hub.params.find(DESCRIPTION_PARAM)
    return 0 if description is None else description.version


def loaded_version(hub: Hub) -> int:
    """Return the version of the description that the topics show, 0 if there is none.

    Clients may write this parameter too; what is no number there counts as none.
    """
    parameter = hub.params.find(STATUS_PARAM)
    status = None if parameter is None else orjson.loads(parameter.value)
    version = status.get("loaded_version") if isinstance(status, dict) else None
    return version if type(version) is int else 0
