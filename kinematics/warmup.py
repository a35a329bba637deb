"""Have every kernel compiled, or taken from the cache: in a process that the gateway starts."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Final

import numpy as np

from kinematics import compiling, parent
from kinematics.forward import link_poses, many_link_poses
from kinematics.inverse import IkSearch
from kinematics.jacobian import jacobian
from kinematics.model import build_model
from kinematics.problem import IkProblem
from urdf import Joint, Limit, Link, Robot

NICENESS: Final = 10  # of the process that compiles: those who answer come first
SECONDS: Final = 1.0  # for the search; it ends far sooner

ROBOT: Final = Robot(
    name="warm-up",
    links=tuple(Link(name) for name in "abcd"),
    joints=(
        Joint("turn", "revolute", "a", "b", axis=(0.0, 0.0, 1.0), limit=Limit(-1.0, 1.0)),
        Joint("slide", "prismatic", "b", "c", limit=Limit(0.0, 1.0)),
        Joint("end", "fixed", "c", "d"),
    ),
    root_link="a",
)


def call_every_kernel() -> None:
    """Call every kernel once, with the kinds of arguments that requests lead to."""
    model = build_model(ROBOT)
    q, point = np.array([0.3, 0.4]), np.zeros(3)
    link = model.link_index("d")
    link_poses(model, q, model.root, [link])
    many_link_poses(model, q[np.newaxis], model.root, [link])
    _, _, pose = jacobian(model, q, link, model.root, point, "base")
    out_of_reach = np.array([9.0, 0.0, 0.0])
    for position in (pose[:3], out_of_reach):
        problem = IkProblem(
            model, link, model.root, point, position, pose[3:], np.zeros(2), solutions=2
        )
        search = IkSearch(problem)
        search.run(SECONDS)
        search.finish()


def main() -> int:
    """Fill the cache that NUMBA_CACHE_DIR names; return the exit status."""
    parser = argparse.ArgumentParser(description="Compile the kernels; started by the gateway.")
    parser.add_argument("--parent-pid", type=int, required=True)
    if not parent.die_with(parser.parse_args().parent_pid):
        return 1
    os.nice(NICENESS)
    if not compiling.COMPILED:
        sys.stderr.write("the kernels are not to be compiled here, or numba is missing\n")
        return 1
    call_every_kernel()
    return 0


if __name__ == "__main__":
    sys.exit(main())
