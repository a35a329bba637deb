"""The same robot through roslibpy; the gateway runs with --websocket-port 9090."""

import os
import threading
from pathlib import Path

import roslibpy

ros = roslibpy.Ros("127.0.0.1", int(os.environ.get("GATEWAY_WEBSOCKET_PORT", "9090")))
ros.run()
robot = Path("docs/examples/arm.urdf").read_text("utf-8")
roslibpy.Param(ros, "robot_description").set(robot)

solve = roslibpy.Service(ros, "/ik/solve_robot", "ik/SolveRobot")
answer = solve.call({"link": "tool", "target": {"position": {"x": 0.3, "y": 0.2, "z": 0.3}}})
joints = answer["joint_state"]

heard = threading.Event()
transforms = roslibpy.Topic(ros, "/tf", "tf2_msgs/TFMessage")
seen = []
transforms.subscribe(lambda message: (seen.append(message), heard.set()))
states = roslibpy.Topic(ros, "/joint_states", "sensor_msgs/JointState")
states.advertise()
states.publish(roslibpy.Message({"header": {"stamp": {"sec": 1, "nanosec": 0}}, **joints}))
heard.wait(10)
print("joints:", [round(position, 3) for position in joints["position"]])
print("transforms:", [one["child_frame_id"] for one in seen[-1]["transforms"]])
ros.terminate()
