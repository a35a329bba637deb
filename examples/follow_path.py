"""Lead the tool along a circle, each point solved from the one before it."""

import math

from gateway.client import Client

POINTS = 60

with Client() as client:
    client.load_robot("docs/examples/arm.urdf")
    joints: dict[str, float] = {}
    longest_step = 0.0
    for n in range(POINTS + 1):
        angle = 2 * math.pi * n / POINTS
        point = {"x": 0.35, "y": 0.08 * math.cos(angle), "z": 0.3 + 0.08 * math.sin(angle)}
        state = client.solve("tool", {"position": point}, seed=joints)["joint_state"]
        following = dict(zip(state["name"], state["position"], strict=True))
        if joints:
            step = max(abs(following[name] - joints[name]) for name in joints)
            longest_step = max(longest_step, step)
        joints = following
    print(f"{POINTS} steps around the circle; no joint moved by more than {longest_step:.3f} rad")
