"""Put the gateway together, run it, and take it down again."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from functools import partial
from typing import Final

from gateway import __version__, access
from gateway.calls import CallPool
from gateway.config import Config
from gateway.connection import Connection
from gateway.errors import ListenError
from gateway.hub import Hub
from gateway.listening import address_text, bind, connection_limit
from gateway.metrics_http import MetricsServer, pages
from gateway.params import Parameter, Params
from gateway.providers import Providers
from gateway.robot_state import RobotState
from gateway.saving import Saving
from gateway.server import Maker, Server
from gateway.services import SERVICES
from gateway.state_file import StateFile
from gateway.tally import Tally
from gateway.topics import Topics
from kinematics.frames import DESCRIPTION_PARAM

STOP_SECONDS: Final = 5.0  # the contract's, for what is in flight
LAST_ANSWERS_SECONDS: Final = 0.5  # of those, to say `timeout` to who still waits
EXPIRY_SECONDS: Final = 0.1  # between two looks for providers that have not answered
STDOUT: Final = 1

log = logging.getLogger(__name__)


async def serve(config: Config, pool: CallPool) -> None:
    """Serve until a signal says to stop.

    Raises:
        ConfigError: a file that an option names cannot be used.
        StateError: nor can the state file.
        ListenError: no address could be listened on; nothing was started.
    """
    stop = _stop_signal()
    tls = access.tls_context(config.tls_cert, config.tls_key)
    hub = make_hub(config, pool)
    state = RobotState(hub, config.tf_rate_hz)
    saving = Saving(StateFile(config.state), hub.params) if config.state else None
    server = Server(hub, connection_limit(config.max_connections, config.workers))
    expiry = asyncio.create_task(_expire(hub.providers))
    metrics: MetricsServer | None = None
    try:
        metrics, watched_at = _metrics_server(config, hub)
        listeners = _listeners(config)
        pool.start()
        state.start()
        for kind, make, sock in listeners:
            server.listen(sock, make, tls)
            _announce(f"listening {kind} {address_text(sock)}")
        if metrics is not None:
            await metrics.start()
        for address in watched_at:
            _announce(f"listening http {address}")
        log.info("gateway started", extra={"version": __version__, "workers": config.workers})
        await stop.wait()
        log.info("gateway stopping")
    finally:
        loop = asyncio.get_running_loop()
        end = loop.time() + STOP_SECONDS
        loop.call_later(STOP_SECONDS - LAST_ANSWERS_SECONDS, pool.give_up)
        await state.stop()
        await server.stop(STOP_SECONDS)
        expiry.cancel()
        await pool.stop(max(0.0, end - loop.time()))
        if metrics is not None:
            metrics.stop()
        if saving is not None:
            await saving.stop()
    log.info("gateway stopped")


def _listeners(config: Config) -> list[tuple[str, Maker, socket.socket]]:
    """Bind every address; return what is spoken there, how, and the socket.

    Raises:
        ListenError: one of the ports cannot be had, or what it takes is not installed.
    """
    kinds: list[tuple[str, Maker, int, str]] = [("tcp", Connection, config.port, "--port")]
    if config.websocket_port is not None:
        make = _websocket_maker(config)
        kinds.append(("websocket", make, config.websocket_port, "--websocket-port"))
    found: list[tuple[str, Maker, socket.socket]] = []
    try:
        for kind, make, port, option in kinds:
            found += [(kind, make, sock) for sock in bind(config.host, port, option)]
    except ListenError:
        for _, _, sock in found:
            sock.close()
        raise
    return found


def _metrics_server(config: Config, hub: Hub) -> tuple[MetricsServer | None, list[str]]:
    """Bind the listener for who watches, if there is to be one; return it and its addresses.

    Raises:
        ListenError: the port cannot be had, or what it takes is not installed.
    """
    if config.metrics_port is None:
        return None, []
    try:
        from gateway.metrics import CONTENT_TYPE, Metrics  # noqa: PLC0415  only where asked for
    except ImportError as error:
        raise ListenError(
            f"--metrics-port takes the library 'prometheus-client' ({error}); "
            "pip install 'robot-gateway[metrics]'"
        ) from None
    sockets = bind(config.metrics_host, config.metrics_port, "--metrics-port", "--metrics-host")
    found = pages(hub, Metrics(hub).text, CONTENT_TYPE)
    return MetricsServer(sockets, found), list(map(address_text, sockets))


def _websocket_maker(config: Config) -> Maker:
    try:
        from gateway.websocket import WebSocket  # noqa: PLC0415  only where it is asked for
    except ImportError as error:
        raise ListenError(
            f"--websocket-port takes the library 'websockets' ({error}); "
            "pip install 'robot-gateway[rosbridge]'"
        ) from None
    return partial(WebSocket, origins=config.websocket_origins)


def make_hub(config: Config, pool: CallPool) -> Hub:
    """Make what all sessions share; the pool hears of every new `robot_description`."""
    clock = asyncio.get_running_loop().time
    params = Params(config.max_params_bytes, config.max_line_bytes)
    topics = Topics(config.max_line_bytes)
    providers = Providers(SERVICES, config.service_timeout_seconds, config.max_line_bytes, clock)

    def on_change(name: str, parameter: Parameter | None) -> None:
        if name == DESCRIPTION_PARAM:
            pool.describe(parameter)

    params.listen(on_change)
    token = access.read_token(config.auth_token_file) if config.auth_token_file else b""
    if not token and not access.is_loopback(config.host):
        log.warning(
            "anyone who reaches this address may do anything: no --auth-token-file",
            extra={"host": config.host},
        )
    tally = Tally(on=config.metrics_port is not None)
    return Hub(params, topics, providers, pool, config.max_line_bytes, clock, token, tally)


def _stop_signal() -> asyncio.Event:
    """Return an event for the first SIGTERM or SIGINT; the stop is bounded, so more add nothing.

    As process 1 of a container a signal without a handler would be ignored.
    """
    stop = asyncio.Event()

    def on_signal(number: int) -> None:
        if not stop.is_set():
            log.info("signal", extra={"number": number})
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, on_signal, number)
    return stop


async def _expire(providers: Providers) -> None:
    while True:
        await asyncio.sleep(EXPIRY_SECONDS)
        providers.expire()


def _announce(line: str) -> None:
    """Write a line to stdout, past all buffers; nobody needs to be there to read it."""
    if sys.stdout is None:  # closed at the start: its descriptor is something else's by now
        return
    try:
        os.write(STDOUT, f"{line}\n".encode())
    except OSError as error:
        log.warning("nobody reads stdout", extra={"line": line, "error": str(error)})
