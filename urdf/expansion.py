"""Xacro to URDF, in a process of its own that has little time and little memory."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from urdf.errors import UrdfError, XacroError
from urdf.files import STDIN, read_text

TIMEOUT_SECONDS: Final = 30.0  # the largest of real robots takes 3 s
MEMORY_BYTES: Final = 1 << 30  # of address space; a large robot takes 200 MB
SHOWN_CHARS: Final = 600  # of what xacro says: its reason comes first, then the macros it was in
_EXPRESSION: Final = re.compile(r"when evaluating expression '(.+?)'", re.DOTALL)
_COLOUR: Final = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class Xacro:
    """How to expand a file.

    Attributes:
        arguments: values of its <xacro:arg>, as NAME:=VALUE gives them.
        packages: where the packages are that it names with $(find NAME).
        package_paths: directories to look for packages in.
    """

    arguments: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, Path] = field(default_factory=dict)
    package_paths: Sequence[Path] = ()
    timeout_seconds: float = TIMEOUT_SECONDS
    memory_bytes: int = MEMORY_BYTES


def expand(name: str, xacro: Xacro) -> str:
    """Return the URDF text that a xacro file makes; "-" is standard input.

    Raises:
        OSError: the file cannot be read.
        XacroError: it cannot be expanded, or not within its bounds.
        UrdfError: it is no text.
    """
    text = read_text(name)
    here = Path.cwd() if name == STDIN else Path(name).resolve().parent
    request = {
        "text": text,
        "path": str(here / "stdin" if name == STDIN else Path(name).resolve()),
        "arguments": dict(xacro.arguments),
        "packages": {package: str(path.resolve()) for package, path in xacro.packages.items()},
        "package_paths": [str(path.resolve()) for path in xacro.package_paths],
        "memory_bytes": xacro.memory_bytes,
        "cpu_seconds": int(xacro.timeout_seconds) + 1,
    }
    answer = _asked(request, here, xacro.timeout_seconds)
    if "missing" in answer:
        raise XacroError(
            f"xacro files need the xacrodoc library ({answer['missing']}); "
            "pip install 'robot-gateway[xacro]' expected"
        )
    if "error" in answer:
        raise _refusal(answer["error"], text)
    return answer["text"]


def _asked(request: Mapping[str, object], here: Path, timeout_seconds: float) -> dict[str, str]:
    """Return what the child answers.

    It runs where the file is, so that its includes are found, and imports nothing from there (-P).
    """
    script = Path(__file__).with_name("expander.py")
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-X", "utf8", str(script)],
            input=json.dumps(request),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=timeout_seconds,
            cwd=here,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise XacroError(
            f"xacro does not end within {timeout_seconds:g} s; a file that expands expected"
        ) from error
    said = _COLOUR.sub("", done.stderr).strip()
    if done.returncode or not done.stdout:
        last = said.splitlines()[-1:] or [f"status {done.returncode}"]
        raise XacroError(f"xacro ended without an answer: {last[0][:SHOWN_CHARS]}")
    answer: dict[str, str] = json.loads(done.stdout)
    if said and "text" in answer:
        sys.stderr.write(f"xacro: {said[:SHOWN_CHARS]}\n")
    return answer


def _refusal(problem: str, text: str) -> UrdfError:
    """Return the error, with the line of the expression that it is about where that is here."""
    sentence = "xacro cannot expand it: " + " ".join(problem.split())[:SHOWN_CHARS]
    if named := _EXPRESSION.search(problem):
        at = text.find("${" + named[1] + "}")
        if at >= 0:
            line = text.count("\n", 0, at) + 1
            column = at - text.rfind("\n", 0, at)
            return XacroError(f"{sentence} (line {line}, column {column})", line, column)
    return XacroError(sentence)
