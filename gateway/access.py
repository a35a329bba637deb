"""Who may use the gateway: those who know the token, if there is one."""

from __future__ import annotations

import hmac
import ipaddress
import ssl
from typing import Final

from gateway.errors import ConfigError

WRONG_TOKENS: Final = 3  # from one connection, before it is closed
TOKEN_BYTES: Final = 4096  # at most; longer ones are the wrong file


def read_token(path: str) -> bytes:
    """Read the token, without the white space around it, from a file.

    Raises:
        ConfigError: there is none.
    """
    try:
        with open(path, "rb") as file:
            token = file.read(TOKEN_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"--auth-token-file {path}: {error.strerror}") from None
    if len(token) > TOKEN_BYTES:
        raise ConfigError(f"--auth-token-file {path}: over {TOKEN_BYTES} bytes; a token expected")
    token = token.strip()
    if not token:
        raise ConfigError(f"--auth-token-file {path}: the file is empty; a token expected")
    try:
        token.decode()
    except UnicodeDecodeError:
        raise ConfigError(
            f"--auth-token-file {path}: not UTF-8; a token of text expected"
        ) from None
    return token


def tls_context(cert: str, key: str) -> ssl.SSLContext | None:
    """Return how to speak TLS with a certificate and its key; None without a certificate.

    Raises:
        ConfigError: the files are no such pair.
    """
    if not cert:
        if key:
            raise ConfigError("--tls-key without --tls-cert: the certificate is needed too")
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(cert, key or None, password=_no_password)
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError
        what = f"--tls-cert {cert}" + (f" --tls-key {key}" if key else "")
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        raise ConfigError(f"{what}: {reason}; a PEM certificate and its key expected") from None
    return context


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address or name."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _no_password() -> str:
    raise ValueError("the key is encrypted")


class Access:
    """Whether one connection may use the gateway."""

    def __init__(self, token: bytes) -> None:
        """Begin; b"" stands for no token."""
        self._token = token
        self._wrong = 0
        self.given = not token  # nothing more is asked for

    @property
    def over(self) -> bool:
        """Whether there were too many wrong tokens."""
        return self._wrong >= WRONG_TOKENS

    def offer(self, token: str) -> bool:
        """Judge a token, in a time that says nothing of the right one."""
        if not self._token:
            return True
        right = hmac.compare_digest(token.encode(), self._token) and not self.over
        if right:
            self.given = True
        else:
            self._wrong += 1
        return right
