"""The explorer in a browser: `serve_explorer`."""

import secrets
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from schedcheck.api.explore import Explorer
from schedcheck.api.serve import ADDRESS, SERVICE, Address, Service, bounded, in_main_thread, needed, open_to_all
from schedcheck.api.values import SILENT, Limits, Observer, ignore
from schedcheck.errors import SchedcheckError

if TYPE_CHECKING:
    from schedcheck.serving.explorer import Explored

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve_explorer(
    explorer: Callable[[], Explorer],
    *,
    service: Service = SERVICE,
    address: Address = ADDRESS,
    started: Callable[[str], None] = ignore,
    observer: Observer = SILENT,
) -> None:
    """Serve pages that walk through the states of a cluster until SIGINT or SIGTERM, in the main thread.

    explorer
        Returns what is explored, such as `lambda: explore("cluster.yaml")`; it is asked again at SIGHUP.
    service
        Its limits alone count.
    address
        At any but a loopback address a token is needed, which the URL has, unless clients have certificates.
    started
        Takes the URL, once the server listens.

    Raises: InputError, Unanswerable; GaveUp at the limit of memory.
    """
    needed()
    from schedcheck.report.html.page import needed as needed_for_pages
    from schedcheck.serving.collecting import rarely
    from schedcheck.serving.desk import Desk
    from schedcheck.serving.explorer import Explored, exploring
    from schedcheck.serving.gate import Gate
    from schedcheck.serving.running import run

    needed_for_pages()
    in_main_thread("`explore` is the explorer without pages")
    explored, desk = Explored(explorer()), Desk(service.seconds)
    gate = Gate(service.requests, int(service.megabytes * 2**20), service.seconds)
    token = secrets.token_urlsafe(24) if open_to_all(address) else None
    names = LOOPBACK if address.host in LOOPBACK else ()

    def limits(seconds: float) -> Limits:
        return Limits(seconds=seconds, memory=service.memory)

    def reread() -> None:
        threading.Thread(target=_reread, args=(explored, explorer, observer), name="reader", daemon=True).start()

    def told(url: str) -> None:
        started(url if token is None else f"{url}/?token={token}")

    try:
        with rarely() as collect:
            desk.after = bounded(collect, service.memory)
            run(exploring(explored, desk, gate, limits, token, names), desk, gate, address, told, reread)
    finally:
        explored.close()


def _reread(explored: "Explored", read: Callable[[], Explorer], observer: Observer) -> None:
    """Explore what the files hold now; keep what is there if they cannot be read."""
    try:
        explored.put(read())
    except SchedcheckError as error:
        observer.note(f"the cluster was not read again: {error}")
