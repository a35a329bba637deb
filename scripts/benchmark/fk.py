"""Forward kinematics, Jacobians and reading a description, in process, beside Pinocchio."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final
from xml.etree import ElementTree as ET

import numpy as np

from kinematics.forward import link_poses, update_frames
from kinematics.jacobian import jacobian
from kinematics.model import build_model
from scripts.benchmark.arms import Arm
from urdf import parse

ROUNDS: Final = 9  # the median of so many counts: others use the machine too
ROUND_SECONDS: Final = 0.02


def measure(arms: list[Arm]) -> list[dict[str, Any]]:
    """Return rows of what is measured, by whom, and microseconds of CPU a call."""
    rows = []
    for arm in arms:
        calls = our_calls(arm)
        try:
            calls |= pinocchio_calls(arm)
        except ImportError:
            calls |= {}
        for (task, who), call in calls.items():
            rows.append({"arm": arm.name, "task": task, "solver": who, "us": cpu_us(call)})
    return rows


def our_calls(arm: Arm) -> dict[tuple[str, str], Callable[[], object]]:
    """Return what is timed of this project, and what reading XML costs anybody in Python."""
    model = build_model(arm.robot)
    q = np.clip(np.full(len(model.joint_names), 0.3), model.lower, model.upper)
    tip, base = model.link_index(arm.tip), model.link_index(arm.base or model.root_link)
    links, point = list(range(len(model.link_names))), np.zeros(3)
    us = "this project"
    return {
        ("all links, poses handed out", us): lambda: link_poses(model, q, model.root, links),
        ("all links", us): lambda: update_frames(model, q),
        ("tip", us): lambda: link_poses(model, q, base, [tip]),
        ("Jacobian", us): lambda: jacobian(model, q, tip, base, point, "base"),
        ("reading the description", us): lambda: build_model(parse(arm.text)),
        ("reading the description", "ElementTree, bare"): lambda: ET.fromstring(arm.text),
    }


def pinocchio_calls(arm: Arm) -> dict[tuple[str, str], Callable[[], object]]:
    """Return the same of Pinocchio, with nothing but its own calls."""
    import pinocchio as pin  # noqa: PLC0415

    model = pin.buildModelFromXML(arm.text)
    data = model.createData()
    q, tip = pin.neutral(model), model.getFrameId(arm.tip)
    frames = range(model.nframes)

    def poses() -> object:
        pin.framesForwardKinematics(model, data, q)
        return [data.oMf[frame].homogeneous for frame in frames]

    def tip_pose() -> object:
        pin.forwardKinematics(model, data, q)
        return pin.updateFramePlacement(model, data, tip).homogeneous

    def read() -> object:
        return pin.buildModelFromXML(arm.text)

    them = "Pinocchio"
    return {
        ("all links, poses handed out", them): poses,
        ("all links", them): lambda: pin.framesForwardKinematics(model, data, q),
        ("tip", them): tip_pose,
        ("Jacobian", them): lambda: pin.computeFrameJacobian(model, data, q, tip, pin.LOCAL),
        ("reading the description", them): read,
    }


def cpu_us(call: Callable[[], object]) -> float:
    """Return microseconds of CPU that a call takes: the median of several rounds."""
    call()
    repeats, spent = 1, 0.0
    while spent < ROUND_SECONDS:
        started = time.thread_time()
        for _ in range(repeats):
            call()
        spent = time.thread_time() - started
        each, repeats = spent / repeats, max(repeats * 2, 1)
    repeats = max(1, round(ROUND_SECONDS / max(each, 1e-9)))
    rounds = []
    for _ in range(ROUNDS):
        started = time.thread_time()
        for _ in range(repeats):
            call()
        rounds.append((time.thread_time() - started) / repeats * 1e6)
    return float(np.median(rounds))
