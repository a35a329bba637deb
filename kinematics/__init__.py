"""Robot to numbers: models, forward kinematics, Jacobians and inverse kinematics.

Importing this package loads nothing else, so that a process which only needs
`kinematics.frames` stays free of numpy and numba.
"""
