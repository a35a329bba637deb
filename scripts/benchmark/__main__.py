"""Measure this project beside its peers, in one run: `scripts/bench --help`."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any, Final

from scripts.benchmark import arms, fk, ik, report, starts, wire

PARTS: Final = ("ik", "fk", "wire", "starts")
ROBOTS: Final = "cmeel.prefix/share/example-robot-data/robots"


def main() -> int:
    """Measure, write the results and print them."""
    options = read_options(sys.argv[1:])
    loaded = arms.load(robots_folder(options.robots), options.fetch)
    by_name = {arm.name: arm for arm in loaded}
    if not {"Panda", "PR2"} <= by_name.keys():
        sys.stderr.write(
            "example-robot-data is needed for Panda and PR2; --robots says where it is\n"
        )
        return 1
    if "Fetch" not in by_name:
        sys.stderr.write(
            "Fetch is left out: example-robot-data does not have it; --fetch FILE adds it\n"
        )
    count, seconds = (100, 0.3) if options.quick else (options.targets, options.seconds)
    measured: dict[str, Any] = {
        "command": " ".join(
            ["scripts/bench", *(["--quick"] if options.quick else [f"--targets {count}"])]
        ),
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{cpu_name()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "load": {"before": os.getloadavg()},
    }
    tasks = {
        "starts": lambda: starts.measure(by_name["PR2"]),
        "fk": lambda: fk.measure(loaded),
        "wire": lambda: wire.measure(loaded, seconds),
        "ik": lambda: ik.measure(loaded, count),
    }
    for name, task in tasks.items():
        if name in options.parts:
            sys.stderr.write(f"measuring: {name}\n")
            measured[name] = task()
    measured["load"]["after"] = os.getloadavg()
    print(report.write(options.out, measured))
    return 0


def read_options(arguments: list[str]) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument(
        "--targets", type=int, default=1000, help="of each kind, for each arm (1000)"
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="of each load on the wire (2)")
    parser.add_argument("--quick", action="store_true", help="100 targets and 0.3 seconds")
    parser.add_argument(
        "--parts", nargs="+", choices=PARTS, default=PARTS, help="what to measure (all)"
    )
    parser.add_argument(
        "--robots", type=Path, help="robots of example-robot-data (those installed)"
    )
    parser.add_argument("--fetch", type=Path, help="a URDF file of the Fetch robot")
    parser.add_argument(
        "--out", type=Path, default=Path("build/benchmark"), help="folder of the results"
    )
    return parser.parse_args(arguments)


def robots_folder(given: Path | None) -> Path:
    """Return where the robots are: as told, or among the installed packages."""
    candidates = [given] if given else [Path(entry) / ROBOTS for entry in sys.path]
    return next((folder for folder in candidates if folder.is_dir()), Path(ROBOTS))


def cpu_name() -> str:
    """Return the processor's name, as Linux has it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


if __name__ == "__main__":
    sys.exit(main())
