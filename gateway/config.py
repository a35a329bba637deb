"""Command line and environment -> Config. Each option is one row of OPTIONS."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from gateway import __version__
from gateway.cpus import usable_cpus
from gateway.errors import ConfigError, closest, quote
from gateway.origins import DEFAULT_ORIGINS, read_origins

KIB: Final = 1024
MIB: Final = 1024 * KIB
DEFAULT_WORKERS_CAP: Final = 16  # each takes about 150 MB; more are there for the asking
MIN_LINE_BYTES: Final = 4 * KIB  # every refusal of the gateway's own fits
LOG_LEVELS: Final = ("debug", "info", "warning", "error")
LOG_FORMATS: Final = ("text", "json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Every setting; the defaults are those of the command line."""

    host: str = "127.0.0.1"
    port: int = 9095
    workers: int = 1
    max_line_bytes: int = 4 * MIB
    max_pending: int = 10_000
    service_timeout_seconds: float = 30.0
    max_params_bytes: int = 256 * MIB
    max_connections: int = 4096
    tf_rate_hz: float = 20.0
    state: str = ""
    auth_token_file: str = ""
    tls_cert: str = ""
    tls_key: str = ""
    websocket_port: int | None = None
    websocket_origins: tuple[str, ...] = DEFAULT_ORIGINS
    metrics_port: int | None = None
    metrics_host: str = "127.0.0.1"
    log_level: str = "info"
    log_format: str = "text"


@dataclass(frozen=True, slots=True)
class Option:
    """One option: `--a-b`, and the variable `GATEWAY_A_B`."""

    name: str
    field: str  # of Config
    read: Callable[[str], object]  # raises ValueError with what is wrong and what is right
    shown: str  # of its argument, in the help
    help: str

    @property
    def variable(self) -> str:
        """The environment variable that stands in for it."""
        return "GATEWAY_" + self.name.removeprefix("--").replace("-", "_").upper()


def integer(low: int, high: int) -> Callable[[str], int]:
    """Return a reader of whole numbers in a closed range."""

    def read(text: str) -> int:
        if not (text.isascii() and text.removeprefix("-").isdigit() and len(text) < 20):
            raise ValueError(f"{quote(text)} is not a whole number")
        if not low <= int(text) <= high:
            raise ValueError(f"{text} is not in {low}..{high}")
        return int(text)

    return read


def number(low: float, high: float, unit: str) -> Callable[[str], float]:
    """Return a reader of numbers of some unit in a closed range."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise ValueError(f"{quote(text)} is not a number of {unit}") from None
        if not low <= value <= high:
            raise ValueError(f"{text} is not in {low:g}..{high:g} {unit}")
        return value

    return read


def one_of(words: Sequence[str]) -> Callable[[str], str]:
    """Return a reader of one of a few words."""

    def read(text: str) -> str:
        if text not in words:
            raise ValueError(f"{quote(text)} is not one of {', '.join(words)}")
        return text

    return read


def host(text: str) -> str:
    """Read a host name or address."""
    if not text or not text.isprintable() or " " in text:
        raise ValueError(f"{quote(text)} is not a host name or address")
    return text


def file(text: str) -> str:
    """Read the path of a file."""
    if not text or "\0" in text:
        raise ValueError(f"{quote(text)} is not a path")
    return text


OPTIONS: Final = (
    Option("--host", "host", host, "HOST", "name or address to listen on (127.0.0.1)"),
    Option("--port", "port", integer(0, 65535), "PORT", "TCP port; 0 for any free one (9095)"),
    Option(
        *("--workers", "workers", integer(1, 256), "N"),
        f"worker processes (the usable CPUs, at most {DEFAULT_WORKERS_CAP})",
    ),
    Option(
        *("--max-line-bytes", "max_line_bytes", integer(MIN_LINE_BYTES, 256 * MIB), "BYTES"),
        "longest line, either way (4 MiB)",
    ),
    Option(
        *("--max-pending", "max_pending", integer(1, 1_000_000), "N"),
        "calls waiting or under way before one is refused as overloaded (10000)",
    ),
    Option(
        *(
            "--service-timeout",
            "service_timeout_seconds",
            number(0.001, 86_400, "seconds"),
            "SECONDS",
        ),
        "how long a service of another client may take (30)",
    ),
    Option(
        *("--max-params-bytes", "max_params_bytes", integer(1, 1 << 40), "BYTES"),
        "size of the parameter store (256 MiB)",
    ),
    Option(
        *("--tf-rate", "tf_rate_hz", number(10, 100, "hertz"), "HERTZ"),
        "how often at least transforms are published to a subscriber (20)",
    ),
    Option(
        *("--max-connections", "max_connections", integer(1, 1_000_000), "N"),
        "connections at once, as far as descriptors reach (4096)",
    ),
    Option("--state", "state", file, "FILE", "keep parameters in this file (off)"),
    Option(
        *("--auth-token-file", "auth_token_file", file, "FILE"),
        "file with the token that clients have to show (off)",
    ),
    Option("--tls-cert", "tls_cert", file, "FILE", "certificate chain, PEM: listen with TLS (off)"),
    Option("--tls-key", "tls_key", file, "FILE", "its private key, PEM (in the same file)"),
    Option(
        *("--websocket-port", "websocket_port", integer(0, 65535), "PORT"),
        "port for rosbridge clients; 0 for any free one (off)",
    ),
    Option(
        *("--websocket-origins", "websocket_origins", read_origins, "ORIGINS"),
        "pages that may connect, between commas (loopback,null)",
    ),
    Option(
        *("--metrics-port", "metrics_port", integer(0, 65535), "PORT"),
        "port for /metrics, /healthz and /readyz; 0 for any free one (off)",
    ),
    Option(*("--metrics-host", "metrics_host", host, "HOST"), "address of that port (127.0.0.1)"),
    Option("--log-level", "log_level", one_of(LOG_LEVELS), "LEVEL", " | ".join(LOG_LEVELS)),
    Option("--log-format", "log_format", one_of(LOG_FORMATS), "FORMAT", " | ".join(LOG_FORMATS)),
)


class _Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are ConfigErrors."""

    def error(self, message: str) -> NoReturn:
        """Complain, offering the closest option."""
        unknown = message.partition("unrecognized arguments: ")[2].split()
        hint = closest(unknown[0], [option.name for option in OPTIONS]) if unknown else ""
        raise ConfigError(message + hint)


def read_config(arguments: Sequence[str], environ: Mapping[str, str]) -> Config:
    """Read every option: the command line wins over the environment, that over the default.

    An empty environment variable is one that is not set.

    Raises:
        ConfigError: an option is unknown, malformed or out of range; names it.
        SystemExit: `--help` or `--version` has been answered.
    """
    given = vars(_parser().parse_args(arguments))
    settings: dict[str, object] = {"workers": min(usable_cpus(), DEFAULT_WORKERS_CAP)}
    for option in OPTIONS:
        source, text = option.name, given[option.field]
        if text is None:
            source, text = option.variable, environ.get(option.variable) or None
        if text is not None:
            try:
                settings[option.field] = option.read(text)
            except ValueError as error:
                raise ConfigError(f"{source}: {error}") from None
    return Config(**settings)  # type: ignore[arg-type]  # each reader returns its field's type


def _parser() -> _Parser:
    parser = _Parser(
        prog="robot-gateway",
        description="Serve robot kinematics to any number of clients, as JSON lines over TCP.",
        epilog="Every option can also be given as an environment variable: GATEWAY_PORT=9095.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"robot-gateway {__version__}")
    for option in OPTIONS:
        parser.add_argument(option.name, dest=option.field, metavar=option.shown, help=option.help)
    return parser
