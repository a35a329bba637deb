"""What every test shares: where compiled kernels are kept, and how Hypothesis searches.

The tests and the gateways that some of them start use the same folder of compiled kernels,
so nothing is compiled twice. It has to be known before anything of `kinematics` is imported.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from gateway import kernel_cache

CACHE = kernel_cache.find(os.environ)
os.environ["NUMBA_CACHE_DIR"] = str(CACHE.folder)

settings.register_profile(
    "ordinary",
    max_examples=40,
    deadline=None,  # a first call may have to compile
    derandomize=True,  # a failure is a change of ours, never one of luck
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ordinary"))
