"""Wave: publish joint states for two seconds, and watch the transforms that come of it."""

import math
import time

from gateway.client import Client

with Client() as client:
    client.load_robot("docs/examples/arm.urdf")
    client.subscribe("/tf")
    client.advertise("/joint_states", "sensor_msgs/JointState")
    began = time.time()
    while (now := time.time()) < began + 2.0:
        stamp = {"sec": int(now), "nanosec": int(now % 1 * 1e9)}
        state = {"name": ["elbow"], "position": [math.sin(3 * (now - began))]}
        client.publish("/joint_states", {"header": {"stamp": stamp}, **state})
        for _topic, message in client.messages():
            if message["transforms"][0]["header"]["stamp"] == stamp:
                break
    delay = time.time() - now
    print(f"the last transforms came {1000 * delay:.1f} ms after their joint state")
