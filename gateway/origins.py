"""Which pages may connect: a browser says in a WebSocket's handshake whose page asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import urlsplit

LOOPBACK: Final = "loopback"  # pages that this machine serves, on any port
ANY: Final = "*"
NULL: Final = "null"  # pages from files, and sandboxed ones
DEFAULT_ORIGINS: Final = (LOOPBACK, NULL)
LOOPBACK_HOSTS: Final = ("localhost", "127.0.0.1", "::1")


def read_origins(text: str) -> tuple[str, ...]:
    """Read the option: words and origins, between commas.

    Raises:
        ValueError: one of them is neither; says what is right.
    """
    origins = tuple(part.strip().lower().rstrip("/") for part in text.split(","))
    for origin in origins:
        if origin not in (LOOPBACK, ANY, NULL) and not _is_origin(origin):
            raise ValueError(
                f"{origin!r} is not an origin such as https://example.org:8080, "
                f"nor {LOOPBACK}, {NULL} or {ANY}"
            )
    return origins


def is_allowed(origin: str, allowed: Sequence[str]) -> bool:
    """Whether a page of this origin may connect.

    Args:
        origin: as the browser says it. A client that is no browser says none, and may.
        allowed: what `read_origins` returns.
    """
    origin = origin.lower()
    if ANY in allowed or origin in allowed:
        return True
    return LOOPBACK in allowed and _host(origin) in LOOPBACK_HOSTS


def _is_origin(text: str) -> bool:
    scheme, separator, rest = text.partition("://")
    return bool(scheme and separator and rest and _host(text) and "/" not in rest)


def _host(origin: str) -> str:
    """Return the host that an origin names, "" if it is none."""
    try:
        return urlsplit(origin).hostname or ""
    except ValueError:  # such as a bracket that nothing closes
        return ""
