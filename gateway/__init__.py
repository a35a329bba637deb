"""The gateway: bytes in, answers out. Its process imports neither numpy nor numba."""

__version__ = "0.1.0"
