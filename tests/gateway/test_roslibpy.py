"""The rosbridge client roslibpy works with the gateway as it is.

In a process of its own: it keeps threads and an event loop that nothing stops.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.live import ROOT, gateway

SCRIPT = """
import json, sys, threading, time
import roslibpy

arm = open("docs/examples/arm.urdf", encoding="utf-8").read()
ros = roslibpy.Ros("127.0.0.1", int(sys.argv[1]))
ros.run(timeout=10)
heard = {}
def hear(name):
    event = threading.Event()
    def callback(message):
        heard.setdefault(name, []).append(message)
        event.set()
    return callback, event
def check(condition, what):
    if not condition:
        sys.exit(f"wrong: {what}")

# parameters
param = roslibpy.Param(ros, "robot_description")
check(param.get(timeout=10) is None, "a parameter that is not set")
param.set(arm, timeout=10)
check(param.get(timeout=10) == arm, "the parameter that was set")
other = roslibpy.Param(ros, "gains")
other.set({"p": [1.5, 2]}, timeout=10)
check(other.get(timeout=10) == {"p": [1.5, 2]}, "an object as parameter")
check({"gains", "robot_description"} <= set(ros.get_params()), "names of parameters")
other.delete(timeout=10)
check(other.get(timeout=10) is None, "a parameter that was deleted")

# services
def call(name, type_, args, timeout=10):
    service = roslibpy.Service(ros, name, type_)
    return service.call(roslibpy.ServiceRequest(args), timeout=timeout)
check(call("/ik/robot_info", "ik/RobotInfo", {})["name"] == "desk_arm", "robot_info")
target = {"position": {"x": 0.3, "y": 0.2, "z": 0.3}}
solved = call("/ik/solve_robot", "ik/SolveRobot", {"link": "tool", "target": target})
check(solved["position_error"] <= 1e-6, "a solution")
try:
    call("/ik/jacobian", "ik/Jacobian", {"link": "tol"})
    check(False, "a refusal that is none")
except roslibpy.core.ServiceException as error:
    check("unknown_link" in str(error), f"the refusal {error}")

# topics
callback, event = hear("chat")
chat = roslibpy.Topic(ros, "/chat", "std_msgs/String", throttle_rate=0, queue_length=1)
chat.subscribe(callback)
chat.advertise()
for _ in range(50):
    chat.publish(roslibpy.Message({"data": "hello"}))
    if event.wait(0.1):
        break
check(heard["chat"][0] == {"data": "hello"}, "a message")
callback, event = hear("tf")
tf = roslibpy.Topic(ros, "/tf", "tf2_msgs/TFMessage")
tf.subscribe(callback)
check(event.wait(10) and len(heard["tf"][0]["transforms"]) == 7, "transforms")
tf.unsubscribe()

# a service of its own
provided = roslibpy.Service(ros, "/double", "demo/Double")
def double(request, response):
    response["value"] = 2 * request["value"]
    return True
provided.advertise(double)
for _ in range(50):
    if "/double" in ros.get_services():
        break
    time.sleep(0.05)
results = []
done = threading.Event()
roslibpy.Service(ros, "/double", "demo/Double").call(
    roslibpy.ServiceRequest({"value": 21}),
    callback=lambda result: (results.append(result), done.set()),
    errback=lambda error: (results.append(error), done.set()),
)
check(done.wait(10) and dict(results[0]) == {"value": 42}, f"its own service: {results}")
provided.unadvertise()

# the graph
check("/chat" in ros.get_topics(), "topics")
check(ros.get_topic_type("/chat") == "std_msgs/String", "the type of a topic")
check(ros.get_topics_for_type("tf2_msgs/TFMessage") == ["/tf", "/tf_static"], "topics of a type")
check("/ik/solve_robot" in ros.get_services(), "services")
check(ros.get_service_type("/ik/solve_robot") == "ik/SolveRobot", "the type of a service")
check(ros.get_services_for_type("ik/Validate") == ["/ik/validate"], "services of a type")
check("/robot_state_publisher" in ros.get_nodes(), "nodes")
details = ros.get_node_details("/robot_state_publisher")
check(details["publishing"] == ["/tf", "/tf_static"], f"details of a node: {details}")
check(abs(ros.get_time()["secs"] - time.time()) < 60, "the time")
ros.set_status_level("error", "some-id")
check(call("/ik/robot_info", "ik/RobotInfo", {})["name"] == "desk_arm", "still connected")
check(ros.is_connected, "connected all along")
ros.terminate()
print("all of it works")
"""


@pytest.mark.slow
def test_roslibpy_works_as_it_is() -> None:
    with gateway("--websocket-port", "0") as live:
        result = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(live.websocket_port)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert result.stdout.strip() == "all of it works", result.stderr
