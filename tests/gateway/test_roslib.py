"""The browser's rosbridge client, npm's roslib, works with the gateway as it is, under node.

Skipped without node, or without roslib: `npm install roslib` in the folder that
ROSLIB_FOLDER names, or in the checkout.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.live import ROOT, gateway

FOLDER = Path(os.environ.get("ROSLIB_FOLDER") or ROOT)
NODE = shutil.which("node")

SCRIPT = """
import { Ros, Param, Service, Topic } from "roslib";
import { readFileSync } from "node:fs";

const [, , port, path] = process.argv;
const arm = readFileSync(path, "utf-8");
const ros = new Ros({ url: `ws://127.0.0.1:${port}` });
const once = (work) => new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error(`no answer: ${work}`)), 10000).unref();
  work(resolve, reject);
});
const check = (condition, what) => { if (!condition) { throw new Error(`wrong: ${what}`); } };

await once((resolve, reject) => { ros.on("connection", resolve); ros.on("error", reject); });

const param = new Param({ ros, name: "robot_description" });
check(await once((ok, no) => param.get(ok, no)) === null, "a parameter that is not set");
await once((ok, no) => param.set(arm, ok, no));
check(await once((ok, no) => param.get(ok, no)) === arm, "the parameter that was set");
check((await once((ok, no) => ros.getParams(ok, no))).includes("robot_description"), "names");

const call = (name, args) => once((ok, no) =>
  new Service({ ros, name, serviceType: "x/Y" }).callService(args, ok, no));
check((await call("/ik/robot_info", {})).name === "desk_arm", "robot_info");
const target = { position: { x: 0.3, y: 0.2, z: 0.3 } };
check((await call("/ik/solve_robot", { link: "tool", target })).position_error <= 1e-6, "solve");
const refused = await call("/ik/jacobian", { link: "tol" }).then(() => "", (error) => error);
check(refused.code === "unknown_link", `a refusal: ${JSON.stringify(refused)}`);

const tf = new Topic({ ros, name: "/tf", messageType: "tf2_msgs/TFMessage", throttle_rate: 10 });
const transforms = await once((ok) => tf.subscribe(ok));
check(transforms.transforms.length === 7, "transforms");
tf.unsubscribe();
const chat = new Topic({ ros, name: "/chat", messageType: "std_msgs/String" });
const heard = once((ok) => chat.subscribe(ok));
chat.advertise();
chat.publish({ data: "hello" });
check((await heard).data === "hello", "a message");

const provided = new Service({ ros, name: "/double", serviceType: "demo/Double" });
await provided.advertise((request, response) => {
  response.value = 2 * request.value;
  return request.value > 0;
});
check((await call("/double", { value: 21 })).value === 42, "a service of its own");
const failed = await call("/double", { value: -1 }).then(() => "", () => "failed");
check(failed === "failed", "a failure of its own service");

const topics = await once((ok, no) => ros.getTopics(ok, no));
check(topics.types[topics.topics.indexOf("/tf")] === "tf2_msgs/TFMessage", "topics");
check((await once((ok, no) => ros.getServices(ok, no))).includes("/ik/solve_robot"), "services");
check(await once((ok, no) => ros.getTopicType("/chat", ok, no)) === "std_msgs/String", "a type");
check((await once((ok, no) => ros.getNodes(ok, no))).includes("/robot_state_publisher"), "nodes");
await once((ok, no) => param.delete(ok, no));
check(await once((ok, no) => param.get(ok, no)) === null, "a parameter that was deleted");
ros.setStatusLevel("none");
check(ros.isConnected, "connected all along");
ros.close();
console.log("all of it works");
process.exit(0);
"""


@pytest.mark.slow
@pytest.mark.skipif(
    NODE is None or not (FOLDER / "node_modules/roslib").is_dir(),
    reason="node with roslib is not there; see ROSLIB_FOLDER",
)
def test_roslib_works_as_it_is() -> None:
    with gateway("--websocket-port", "0") as live:
        arm = ROOT / "docs/examples/arm.urdf"
        result = subprocess.run(
            [str(NODE), "--input-type=module", "-", str(live.websocket_port), str(arm)],
            cwd=FOLDER,
            input=SCRIPT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert result.stdout.strip() == "all of it works", result.stderr
