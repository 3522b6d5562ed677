"""The explorer in a browser: `serve_explorer`."""

import secrets
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from schedcheck.api.explore import Explorer, explore
from schedcheck.api.serve import ADDRESS, SERVICE, Address, Service, bounded, in_main_thread, needed, open_to_all
from schedcheck.api.values import SILENT, Limits, Observer, Profile, ignore
from schedcheck.checker.foreign.program import ANSWER_TIME
from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError, SchedcheckError

if TYPE_CHECKING:
    from schedcheck.serving.explorer import Explored

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def serve_explorer(
    *files: str | Path,
    profile: Profile | str | None = None,
    controllers: Sequence[str] = (),
    scheduler: str | Sequence[str] | None = None,
    answer_time: float = ANSWER_TIME,
    service: Service = SERVICE,
    address: Address = ADDRESS,
    started: Callable[[str], None] = ignore,
    observer: Observer = SILENT,
) -> None:
    """Serve pages that walk through the states of a cluster until SIGINT or SIGTERM, in the main thread.

    files, profile, controllers, scheduler, answer_time
        As `explore` has them. SIGHUP reads the files again.
    service
        Its limits alone count.
    address
        At any but a loopback address a token is needed, which the URL has.
    started
        Takes the URL, once the server listens.

    Raises: InputError, Unanswerable; GaveUp at the limit of memory.
    """
    needed()
    from schedcheck.report.html.page import needed as pages_needed
    from schedcheck.serving.collecting import rarely
    from schedcheck.serving.desk import Desk
    from schedcheck.serving.explorer import Explored, exploring
    from schedcheck.serving.gate import Gate
    from schedcheck.serving.running import run

    pages_needed()
    in_main_thread("`explore` is the explorer without pages")
    if not files:
        raise InputError("expected the files of a cluster", path=parameter("files"))

    def read() -> Explorer:
        return explore(
            *files, profile=profile, controllers=controllers, scheduler=scheduler, answer_time=answer_time, observer=observer
        )  # fmt: skip

    explored, desk = Explored(read()), Desk(service.seconds)
    gate = Gate(service.requests, int(service.megabytes * 2**20), service.seconds)
    own = address.host in LOOPBACK
    token = secrets.token_urlsafe(24) if open_to_all(address) else None
    served = exploring(
        explored, desk, gate, lambda seconds: Limits(seconds=seconds, memory=service.memory), token, LOOPBACK if own else ()
    )  # fmt: skip

    def reread() -> None:
        threading.Thread(target=_reread, args=(explored, read, observer), name="reader", daemon=True).start()

    def told(url: str) -> None:
        started(url if token is None else f"{url}/?token={token}")

    try:
        with rarely() as collect:
            desk.after = bounded(collect, service.memory)
            run(served, desk, gate, address, told, reread)
    finally:
        explored.close()


def _reread(explored: "Explored", read: Callable[[], Explorer], observer: Observer) -> None:
    """Explore what the files hold now; keep what is there if they cannot be read."""
    try:
        explored.put(read())
    except SchedcheckError as error:
        observer.note(f"the cluster was not read again: {error}")
