"""Draw what the tool can reach, as a picture: pip install matplotlib."""

import random
import sys

from matplotlib.figure import Figure

from gateway.client import Client

SAMPLES = 2000
picture = sys.argv[1] if len(sys.argv) > 1 else "workspace.png"

with Client() as client:
    info = client.load_robot("docs/examples/arm.urdf")
    ranges = {
        joint["name"]: (joint["limit"] or {"lower": -3.14, "upper": 3.14}).values()
        for joint in info["joints"]
        if joint["type"] != "fixed"
    }
    points = []
    for _ in range(SAMPLES):
        joints = {name: random.uniform(*limits) for name, limits in ranges.items()}
        tool = client.forward_kinematics(joints, ["tool"])["poses"]["tool"]["position"]
        points.append((tool["x"], tool["z"]))

figure = Figure(figsize=(5, 5))
axes = figure.add_subplot(aspect="equal", xlabel="x (m)", ylabel="z (m)")
axes.scatter(*zip(*points, strict=True), s=2)
axes.set_title(f"{info['name']}: where the tool can be")
figure.savefig(picture)
print(f"{SAMPLES} configurations drawn in {picture}")
