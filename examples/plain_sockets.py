"""Ask without any client: a socket, a line of JSON out, a line of JSON back."""

import json
import os
import socket
from pathlib import Path

port = int(os.environ.get("GATEWAY_PORT", "9095"))
robot = Path("docs/examples/arm.urdf").read_text("utf-8")
requests = [
    ("/param_server/set_param", {"name": "robot_description", "value": robot}),
    ("/ik/forward_kinematics", {"links": ["tool"]}),
    ("/ik/jacobian", {"link": "tool"}),
]

with socket.create_connection(("127.0.0.1", port)) as sock, sock.makefile("rwb") as stream:
    for number, (service, args) in enumerate(requests):
        request = {"op": "call_service", "service": service, "args": args, "id": number}
        stream.write(json.dumps(request).encode() + b"\n")
    stream.flush()
    for _ in requests:
        answer = json.loads(stream.readline())
        print(answer["id"], answer["service"], "ok" if answer["result"] else answer["status"])
