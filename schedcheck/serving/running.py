"""The running server: the web server in a thread, the desk in the main thread, signals and TLS: `run`."""

import asyncio
import signal
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Protocol

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError
from schedcheck.serving.desk import Desk
from schedcheck.serving.gate import Gate

GRACE_SECONDS = 10
"""The seconds that requests have to end once the server stops."""

KEEP_ALIVE_SECONDS = 75
"""The seconds after which an idle connection is closed; kube-scheduler's client keeps them for 90."""

LONGEST_HEADERS = 2**16


class Address(Protocol):
    """Where the server listens, and its TLS files: its certificate and key, and the authority of its clients."""

    @property
    def host(self) -> str: ...  # noqa: D102

    @property
    def port(self) -> int: ...  # noqa: D102

    @property
    def certificate(self) -> str | None: ...  # noqa: D102

    @property
    def key(self) -> str | None: ...  # noqa: D102

    @property
    def client_ca(self) -> str | None: ...  # noqa: D102


def run(
    served: ASGIApp, desk: Desk, gate: Gate, address: Address, started: Callable[[str], None], reread: Callable[[], None]
) -> None:  # fmt: skip
    """Serve an application until SIGINT or SIGTERM; on SIGHUP call `reread`. `started` gets the URL.

    Its answers are computed at the desk, which runs here.

    Raises: InputError if the address or a TLS file cannot be used.
    """
    context = _context(address)
    listening = _socket(address)
    protocol: Any = _watched(gate.seconds)
    config = uvicorn.Config(
        served, http=protocol, loop="asyncio", ws="none", lifespan="off", log_config=None,
        log_level="critical", access_log=False, server_header=False, proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS, timeout_graceful_shutdown=GRACE_SECONDS,
        limit_concurrency=4 * gate.most_requests + 64, h11_max_incomplete_event_size=LONGEST_HEADERS,
    )  # fmt: skip
    config.load()
    config.ssl = context
    server = uvicorn.Server(config)
    thread = threading.Thread(target=_serve, args=(server, listening, desk), name="web")

    def stop() -> None:
        server.should_exit = True

    with _signals(stop, reread):
        thread.start()
        host, port = listening.getsockname()[:2]
        started(f"{'http' if context is None else 'https'}://{f'[{host}]' if ':' in host else host}:{port}")
        try:
            desk.run()
        finally:
            stop()
            thread.join()


def _serve(server: uvicorn.Server, listening: socket.socket, desk: Desk) -> None:
    """Run the web server; the desk stops after the last request was answered."""
    try:
        asyncio.run(server.serve([listening]))
    finally:
        desk.stop()


@contextmanager
def _signals(stop: Callable[[], None], reread: Callable[[], None]) -> Iterator[None]:
    """Stop on SIGINT and SIGTERM, read again on SIGHUP."""

    def told(number: int, _: FrameType | None) -> None:
        if number == signal.SIGHUP:
            reread()
        else:
            stop()

    before = {each: signal.signal(each, told) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _socket(address: Address) -> socket.socket:
    """Return the listening socket. Raises: InputError."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        return socket.create_server((address.host, address.port), family=family)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"cannot listen there: {why}", path=parameter("address.port"), value=f"{address.host}:{address.port}"
        ) from None


def _context(address: Address) -> ssl.SSLContext | None:
    """Return the TLS context, None without a certificate. Raises: InputError."""
    if address.certificate is None:
        for name, given in (("key", address.key), ("client_ca", address.client_ca)):
            if given is not None:
                raise InputError(f"belongs to {parameter('address.certificate')}", path=parameter(f"address.{name}"))
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        # Without a password, an encrypted key would prompt at the terminal.
        context.load_cert_chain(address.certificate, address.key, password="")
    except (OSError, ValueError) as error:
        raise InputError(f"no certificate with its key: {error}", path=parameter("address.certificate")) from None
    if address.client_ca is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        try:
            context.load_verify_locations(address.client_ca)
        except (OSError, ValueError) as error:
            raise InputError(f"no certificate authority: {error}", path=parameter("address.client_ca")) from None
    return context


def _watched(seconds: float) -> Callable[..., Any]:
    """Return the protocol of connections, which closes those that send no whole head of a request in time."""

    def made(**given: Any) -> H11Protocol:
        protocol = H11Protocol(**given)
        protocol.loop.call_later(seconds, look, protocol, None)
        return protocol

    def look(protocol: H11Protocol, before: object) -> None:
        """Close a connection that has sent a part of a head and is at the same request as before, or at none."""
        transport = protocol.transport
        if transport is None or transport.is_closing():
            return
        if protocol.conn.their_state is h11.IDLE:
            began = bool(protocol.conn.trailing_data[0])
            if protocol.cycle is None or (began and before is protocol.cycle):
                transport.close()
                return
        protocol.loop.call_later(seconds, look, protocol, protocol.cycle)

    return made
