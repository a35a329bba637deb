"""Two robots at once, each in a parameter of its own, named by `description_param`."""

from pathlib import Path

from gateway.client import Client

ARM = Path("docs/examples/arm.urdf").read_text("utf-8")
LIFT = """<robot name="lift"><link name="floor"/><link name="platform"/>
<joint name="rise" type="prismatic"><parent link="floor"/><child link="platform"/>
<axis xyz="0 0 1"/><limit lower="0" upper="1.5"/></joint></robot>"""

with Client() as client:
    client.set_param("/left/robot_description", ARM)
    client.set_param("/right/robot_description", LIFT)
    for side in ("/left", "/right"):
        param = {"description_param": f"{side}/robot_description"}
        info = client.call("/ik/robot_info", param)
        tip = info["links"][-1]
        poses = client.forward_kinematics({}, [tip], **param)["poses"]
        print(f"{side}: {info['name']}, {tip} at height {poses[tip]['position']['z']:.2f} m")
    target = {"position": {"x": 0, "y": 0, "z": 1.2}}
    answer = client.solve("platform", target, description_param="/right/robot_description")
    print("rise:", round(answer["joint_state"]["position"][0], 6))
