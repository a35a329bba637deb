"""A robot with every part that the extended reading knows, as text."""

from __future__ import annotations

FULL = """<robot name="full">
  <material name="red"><color rgba="1 0 0 0.5"/></material>
  <link name="base">
    <visual>
      <geometry><box size="1 2 3"/></geometry>
      <material name="red"/>
    </visual>
    <visual>
      <origin xyz="0 0 1"/>
      <geometry><mesh filename="package://full/arm.dae" scale="1 1 2"/></geometry>
      <material name="wood"><texture filename="wood.png"/></material>
    </visual>
    <collision name="hull">
      <origin xyz="0 1 0"/>
      <geometry><cylinder radius="1" length="2"/></geometry>
    </collision>
    <collision><geometry><sphere radius="1"/></geometry></collision>
  </link>
  <link name="arm">
    <inertial>
      <origin xyz="0.1 0.2 0.3" rpy="0 0 1.5707963267948966"/>
      <mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/>
    </inertial>
  </link>
  <link name="finger">
    <inertial>
      <mass value="1"/>
      <inertia ixx="1" ixy="0.1" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="arm"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="2" effort="30" velocity="4"/>
    <dynamics damping="0.5" friction="0.25"/>
    <safety_controller soft_lower_limit="-0.9" soft_upper_limit="1.9" k_position="15"
        k_velocity="10"/>
  </joint>
  <joint name="knuckle" type="screw">
    <parent link="arm"/><child link="finger"/>
    <axis xyz="0 0 1" pitch="0.05"/>
    <limit lower="-3" effort="1" velocity="2"/>
    <mimic joint="shoulder" multiplier="-1.5" offset="0.2"/>
  </joint>
</robot>"""
