"""Load a robot, ask where its tool is, and which joints put it somewhere else."""

import sys

from gateway.client import Client

robot = sys.argv[1] if len(sys.argv) > 1 else "docs/examples/arm.urdf"

with Client() as client:
    info = client.load_robot(robot)
    tip = info["links"][-1]
    start = client.forward_kinematics(links=[tip])["poses"][tip]
    print(f"{info['name']}: with all joints at 0, {tip} is at {start['position']}")
    target = start | {"position": {"x": 0.35, "y": 0.15, "z": 0.3}}
    answer = client.solve(tip, target)
    for name, position in zip(*answer["joint_state"].values(), strict=True):
        print(f"  {name:15} {position:+.4f}")
    print(f"off by {answer['position_error']:.1e} m, {answer['orientation_error']:.1e} rad")
