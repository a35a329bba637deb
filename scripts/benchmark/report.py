"""What was measured, as JSON, as Markdown and as a plot."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Final

from scripts.benchmark.ours import Ours
from scripts.benchmark.targets import MODES

Rows = list[dict[str, Any]]
TITLES: Final = {
    "uniform": "Targets from uniform random configurations, random seeds",
    "limits": "Targets with four joints in ten on a limit, random seeds",
    "near": "Seeds within 0.1 rad of an answer",
    "unreachable": "Targets out of reach",
}
KERNELS: Final = "kernels"


def write(folder: Path, measured: dict[str, Any]) -> str:
    """Write `results.json`, `results.md` and the plot; return the Markdown."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(measured, indent=1) + "\n", "utf-8")
    text = markdown(measured)
    (folder / "results.md").write_text(text, "utf-8")
    if measured.get("ik"):
        plot(measured["ik"], folder / "performance")
    return text


def markdown(measured: dict[str, Any]) -> str:
    """Return all tables."""
    parts = [f"`{measured['command']}`, {measured['date']}, {measured['machine']}."]
    if measured.get("ik"):
        parts += ["## Inverse kinematics", *ik_tables(measured["ik"])]
        parts += ["### Ratios", ratios(measured["ik"])]
    if measured.get("fk"):
        parts += ["## Forward kinematics, Jacobian, reading", fk_table(measured["fk"])]
    if measured.get("wire"):
        parts += ["## Over the wire", wire_table(measured["wire"])]
    if measured.get("starts"):
        parts += ["## Start and memory", starts_table(measured["starts"])]
    return "\n\n".join(parts) + "\n"


def ik_tables(rows: Rows) -> list[str]:
    """Return a table for each kind of target."""
    head = [
        "arm",
        "solver",
        "solves",
        "solved %",
        "CPU mean",
        "CPU median",
        "CPU p99",
        "wall median",
        "wall p99",
        "distance",
    ]
    parts = []
    for mode in MODES:
        lines = []
        for row in rows:
            if row["mode"] != mode or row["solver"] == KERNELS or "absent" in row:
                continue
            names = ("cpu_mean_us", "cpu_median_us", "cpu_p99_us", "wall_median_us", "wall_p99_us")
            figures = [us(row[name]) for name in names]
            lines.append(
                [
                    row["arm"],
                    row["solver"],
                    row["count"],
                    solved(row),
                    *figures,
                    decimal(row["distance_mean"]),
                ]
            )
        parts += [f"### {TITLES[mode]}", table(head, lines)]
    return parts


def solved(row: dict[str, Any]) -> str:
    """Return the share solved; beside it the share that oversteps a limit by a hair, if it differs."""
    share = f"{row['solved_percent']:.1f}"
    nearly = f"{row['nearly_percent']:.1f}"
    return share if nearly == share else f"{share} ({nearly})"


def ratios(rows: Rows) -> str:
    """Return our mean CPU time over each peer's, on uniform targets: a whole call, and the search."""
    found = {
        (row["arm"], row["solver"]): row
        for row in rows
        if row["mode"] == "uniform" and "absent" not in row
    }
    near = {row["arm"]: row for row in rows if row["mode"] == "near" and row["solver"] == KERNELS}
    peers = list(
        dict.fromkeys(row["solver"] for row in rows if row["solver"] not in (Ours.name, KERNELS))
    )
    lines = []
    for arm in dict.fromkeys(row["arm"] for row in rows):
        call = found[arm, Ours.name]["cpu_mean_us"]
        search = found[arm, KERNELS]["cpu_mean_us"]
        over = [
            f"{ratio(call, found[arm, peer]['cpu_mean_us'])} / {ratio(search, found[arm, peer]['cpu_mean_us'])}"
            if (arm, peer) in found
            else "-"
            for peer in peers
        ]
        lines.append([arm, us(call), us(search), us(near[arm]["cpu_median_us"]), *over])
    return table(["arm", "call, mean", "search, mean", "search near seed, median", *peers], lines)


def fk_table(rows: Rows) -> str:
    """Return a row for each arm and task, a column for each library."""
    solvers = list(dict.fromkeys(row["solver"] for row in rows))
    found = {(row["arm"], row["task"], row["solver"]): row["us"] for row in rows}
    keys = list(dict.fromkeys((row["arm"], row["task"]) for row in rows))
    lines = [
        [
            *key,
            *(us(found[(*key, solver)]) if (*key, solver) in found else "-" for solver in solvers),
        ]
        for key in keys
    ]
    return table(["robot", "task", *solvers], lines)


def wire_table(rows: Rows) -> str:
    """Return a row for each work and load."""
    head = [
        "work",
        "workers",
        "connections x depth",
        "p50",
        "p99",
        "calls/s",
        "gateway CPU",
        "worker CPU",
    ]
    lines = []
    for row in rows:
        rate = f"{row['per_second']:,.0f}" if "per_second" in row else "-"
        own, workers = (
            us(row[name]) if name in row else "-" for name in ("gateway_cpu_us", "worker_cpu_us")
        )
        load = f"{row['connections']} x {row['depth']}"
        lines.append(
            [
                row["work"],
                row["workers"] or "-",
                load,
                us(row["p50_us"]),
                us(row["p99_us"]),
                rate,
                own,
                workers,
            ]
        )
    return table(head, lines)


def starts_table(rows: Rows) -> str:
    """Return a row for a cold start and one for a warm one."""
    head = ["start", "listening, s", "compiled worker, s", "gateway, MB", "worker, MB"]
    names = ("listening_s", "compiled_s", "gateway_mb", "worker_mb")
    return table(head, [[row["start"], *(f"{row[name]:.2f}" for name in names)] for row in rows])


def table(head: list[str], lines: list[list[Any]]) -> str:
    """Return a Markdown table."""
    rows = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


def us(value: float) -> str:
    """Return microseconds, or milliseconds from 1000 on, to three digits."""
    if math.isnan(value):
        return "-"
    return f"{value / 1000:.3g} ms" if value >= 1000 else f"{value:.3g} µs"


def decimal(value: float) -> str:
    """Return a number to two decimals, or a dash for none."""
    return "-" if math.isnan(value) else f"{value:.2f}"


def ratio(ours: float, theirs: float) -> str:
    """Return how much of a peer's time we take."""
    return f"{ours / theirs:.2g}"


def plot(rows: Rows, stem: Path) -> None:
    """Draw solve rate over mean CPU time, a panel for each kind of target, as SVG and PNG."""
    import matplotlib as mpl  # noqa: PLC0415

    mpl.use("Agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    drawn = [row for row in rows if "absent" not in row and row["solver"] != KERNELS]
    solvers = list(dict.fromkeys(row["solver"] for row in drawn))
    figure, axes = plt.subplots(1, 3, figsize=(12, 4), sharey=True, layout="constrained")
    for axis, mode in zip(axes, MODES, strict=False):
        for number, solver in enumerate(solvers):
            points = [
                (row["cpu_mean_us"], row["solved_percent"])
                for row in drawn
                if row["mode"] == mode and row["solver"] == solver
            ]
            axis.scatter(*zip(*points, strict=True), label=solver, color=f"C{number}", s=28)
        axis.set(
            xscale="log", xlabel="mean CPU time of a solve, µs", title=TITLES[mode].split(",")[0]
        )
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("solved within all limits, %")
    axes[0].legend(loc="lower left", fontsize="small")
    for ending in ("svg", "png"):
        figure.savefig(
            stem.with_suffix(f".{ending}"),
            dpi=120,
            metadata={"Date": None} if ending == "svg" else None,
        )
    plt.close(figure)
