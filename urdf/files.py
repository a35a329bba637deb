"""Descriptions as files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from urdf.errors import UrdfError, XmlError

STDIN: Final = "-"
MAX_BYTES: Final = 64 << 20  # of a description; the largest of real robots has 1 MB


def read_text(name: str) -> str:
    """Return the text of a file, or of standard input for "-".

    Raises:
        OSError: the file cannot be read.
        UrdfError: it is too large, or not UTF-8.
    """
    if name == STDIN:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
    else:
        with Path(name).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UrdfError(f"larger than {MAX_BYTES} bytes; a robot description expected")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise XmlError(
            f"byte {data[error.start]:#04x} (line {line}, column {column}) is not UTF-8; "
            "a text in UTF-8 expected",
            line,
            column,
        ) from error
