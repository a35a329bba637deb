#!/usr/bin/env bash
# Ask from the shell: one line a request. Some netcats spell -N as -q 1.
set -eu
port="${GATEWAY_PORT:-9095}"

python3 -c 'import json, sys
print(json.dumps({"op": "call_service", "service": "/param_server/set_param", "id": "load",
                  "args": {"name": "robot_description", "value": sys.stdin.read()}}))' \
    < docs/examples/arm.urdf | nc -N 127.0.0.1 "$port"

printf '%s\n' \
    '{"op":"call_service","service":"/ik/robot_info","id":"info"}' \
    '{"op":"call_service","service":"/ik/forward_kinematics","args":{"links":["tool"]},"id":"fk"}' \
    | nc -N 127.0.0.1 "$port"
