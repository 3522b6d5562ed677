"""The explorer in a browser: pages of places, steps, changed objects and counterexamples: `exploring`.

Everything is computed at the desk, and the pages are made from JSON alone. A path in an address is the numbers of its
steps, so an address can be shared with whoever reaches the same server.
"""

import asyncio
import json
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self
from urllib.parse import parse_qs

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from schedcheck.checker import check as checking
from schedcheck.checker.result import Stage
from schedcheck.errors import InputError, SchedcheckError
from schedcheck.manifests import yaml_text
from schedcheck.manifests.documents import Document
from schedcheck.manifests.editing import named
from schedcheck.manifests.identities import Identity
from schedcheck.report.html import explorer as pages
from schedcheck.serving.desk import Desk, Late
from schedcheck.serving.gate import Gate, Refused, retry_after
from schedcheck.serving.guarding import Guarding

MOST_EDITED = 50
"""How many changed clusters are held."""

MOST_RENDERED = 300
"""How many pages of places are kept; another one is made again."""

OF_A_CHECK = 0.8
"""The part of the seconds of an answer that a check may take; the page takes some of the rest."""

FORM = "application/x-www-form-urlencoded"
TEXT = "text/plain; charset=utf-8"


class Answering(Protocol):
    """An answer, of which its JSON is shown."""

    def to_json(self) -> dict[str, Any]: ...  # noqa: D102


class Place(Protocol):
    """A place as `schedcheck.explore` gives it."""

    @property
    def path(self) -> tuple[int, ...]: ...  # noqa: D102
    def explain(self, pod: str) -> Answering: ...  # noqa: D102
    def test(self, file: str = "scenario.yaml") -> str: ...  # noqa: D102
    def text(self) -> str: ...  # noqa: D102
    def to_json(self) -> dict[str, Any]: ...  # noqa: D102


class Checked(Protocol):
    """The result of a check."""

    @property
    def checked(self) -> checking.Checked: ...  # noqa: D102
    def to_json(self) -> dict[str, Any]: ...  # noqa: D102


class Explorer(Protocol):
    """An explorer as `schedcheck.explore` gives it."""

    @property
    def digest(self) -> str: ...  # noqa: D102
    @property
    def notes(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def objects(self) -> tuple[Document, ...]: ...  # noqa: D102
    def place(self, path: Sequence[int]) -> Place: ...  # noqa: D102
    def check(self, limits: Any = None) -> Checked: ...  # noqa: D102
    def retraced(self, trace: Sequence[Stage]) -> Place | None: ...  # noqa: D102
    def edited(self, text: str = "", removed: Collection[Identity] = ()) -> Self: ...  # noqa: D102
    def scenario(self) -> str: ...  # noqa: D102
    def close(self) -> None: ...  # noqa: D102


class Gone(Exception):
    """An address of a cluster that is not held any more."""


@dataclass
class Explored:
    """The cluster of the files, and those that were changed by hand, by their digests."""

    first: Explorer
    others: OrderedDict[str, Explorer] = field(default_factory=OrderedDict)

    def of(self, digest: str) -> Explorer:
        """Return the cluster with this digest. Raises: Gone."""
        found = self.first if digest == self.first.digest else self.others.get(digest)
        if found is None:
            raise Gone
        return found

    def keep(self, made: Explorer) -> None:
        """Hold another cluster; the oldest one goes if there are too many."""
        if made.digest == self.first.digest:
            made.close()
            return
        former = self.others.pop(made.digest, None)
        self.others[made.digest] = made
        if former is not None:
            former.close()
        if len(self.others) > MOST_EDITED:
            self.others.popitem(last=False)[1].close()

    def put(self, made: Explorer) -> None:
        """Take another cluster as that of the files."""
        former, self.first = self.first, made
        former.close()

    def close(self) -> None:
        """End the programs of all."""
        for each in (self.first, *self.others.values()):
            each.close()


Limited = Callable[[float], Any]
"""Seconds as the limits of a check."""


def exploring(
    explored: Explored, desk: Desk, gate: Gate, limits: Limited, token: str | None, hosts: tuple[str, ...]
) -> Starlette:
    """Return the application. With a `token` whoever lacks it is refused; `hosts` are the names under which it is asked."""
    server = _Server(explored, desk, gate, limits)
    routes = [
        Route("/", server.start),
        Route("/healthz", server.healthy),
        Route("/{digest}/edit", server.edit, methods=["GET"]),
        Route("/{digest}/edit", server.change, methods=["POST"]),
        Route("/{digest}/check", server.check, methods=["POST"]),
        Route("/{digest}/scenario.yaml", server.scenario),
        Route("/{digest}/{path}", server.place),
        Route("/{digest}/{path}/explain", server.explain),
        Route("/{digest}/{path}/place.json", server.place_json),
        Route("/{digest}/{path}/test.py", server.test),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guarding, token=token, hosts=hosts)],
        exception_handlers={404: server.missing, 405: server.missing},
    )


class _Server:
    """The handlers of the paths."""

    def __init__(self, explored: Explored, desk: Desk, gate: Gate, limits: Limited) -> None:
        self.explored, self.desk, self.gate, self.limits = explored, desk, gate, limits
        self.rendered: OrderedDict[tuple[str, tuple[int, ...], str], str] = OrderedDict()

    async def start(self, request: Request) -> Response:
        """Go to the start of the cluster of the files."""
        return RedirectResponse(f"/{self.explored.first.digest}/start", 303)

    async def healthy(self, request: Request) -> Response:
        """Answer that the process answers."""
        return Response("ok", media_type="text/plain")

    async def missing(self, request: Request, error: Exception) -> Response:
        """Answer a request for a path that there is not."""
        return HTMLResponse(pages.error_page("No such page", "There is nothing at this address."), 404)

    async def place(self, request: Request) -> Response:
        """Show a place."""
        find = request.query_params.get("find", "")

        def task(explorer: Explorer, place: Place) -> Response:
            return HTMLResponse(self._rendered(explorer, place, find))

        return await self._at(request, task)

    def _rendered(self, explorer: Explorer, place: Place, find: str) -> str:
        """Return the page of a place; it depends on the cluster, the path and `find` alone, so it is kept for a while."""
        key = explorer.digest, place.path, find
        text = self.rendered.pop(key, None)
        if text is None:
            text = pages.place_page(_json(place), explorer.digest, find, explorer.notes)
        self.rendered[key] = text
        if len(self.rendered) > MOST_RENDERED:
            self.rendered.popitem(last=False)
        return text

    async def place_json(self, request: Request) -> Response:
        """Answer with a place as JSON."""
        return await self._at(request, lambda _, place: _file(place.text(), "application/json", ""))

    async def test(self, request: Request) -> Response:
        """Answer with a test that walks the same way."""
        return await self._at(request, lambda _, place: _file(place.test(), TEXT, "test_behaviour.py"))

    async def explain(self, request: Request) -> Response:
        """Explain what may be done with a pod."""
        pod = request.query_params.get("pod", "")

        def task(explorer: Explorer, place: Place) -> Response:
            return HTMLResponse(
                pages.explained_page(place.explain(pod).to_json(), explorer.digest, pages.spelled(place.path))
            )

        return await self._at(request, task)

    async def scenario(self, request: Request) -> Response:
        """Answer with the cluster and its scenario."""
        return await self._on(request, lambda explorer: _file(explorer.scenario(), TEXT, "scenario.yaml"))

    async def check(self, request: Request) -> Response:
        """Check the scenario, and show the counterexamples as ways to walk."""
        form = await self._form(request)

        def task(explorer: Explorer) -> Response:
            found = explorer.check(self.limits(self.desk.seconds * OF_A_CHECK))
            ways = [explorer.retraced(each.trace) for each in found.checked.result.violations]
            paths = [None if place is None else place.path for place in ways]
            return HTMLResponse(
                pages.checked_page(found.to_json(), paths, explorer.digest, _spelled(form.get("back", "")))
            )

        return await self._on(request, task)

    async def edit(self, request: Request) -> Response:
        """Show the objects, and one of them to change."""
        asked, back = request.query_params.get("asked", ""), _spelled(request.query_params.get("back", ""))

        def task(explorer: Explorer) -> Response:
            documents = {each: document for document in explorer.objects if (each := named(document)) is not None}
            document = documents.get(_identity(asked))
            text = "" if document is None or not isinstance(document.value, dict) else yaml_text([document.value])
            return HTMLResponse(
                pages.edit_page(explorer.digest, back, list(documents), text, asked if document is not None else "")
            )

        return await self._on(request, task)

    async def change(self, request: Request) -> Response:
        """Explore a changed cluster."""
        form = await self._form(request)

        def task(explorer: Explorer) -> Response:
            asked, text = form.get("asked", ""), form.get("text", "")
            remove = form.get("do") == "remove"
            try:
                made = explorer.edited("" if remove else text, (_identity(asked),) if remove else ())
            except SchedcheckError as why:
                names = [each for document in explorer.objects if (each := named(document)) is not None]
                back = _spelled(form.get("back", ""))
                return HTMLResponse(pages.edit_page(explorer.digest, back, names, text, asked, str(why)), 400)
            self.explored.keep(made)
            return RedirectResponse(f"/{made.digest}/start", 303)

        return await self._on(request, task)

    async def _at(self, request: Request, task: Callable[[Explorer, Place], Response]) -> Response:
        """Run a task on the place that the address names."""
        numbers = _numbers(request.path_params["path"])
        if numbers is None:
            return await self.missing(request, Gone())
        return await self._on(request, lambda explorer: task(explorer, explorer.place(numbers)))

    async def _on(self, request: Request, task: Callable[[Explorer], Response]) -> Response:
        """Run a task on the cluster that the address names, at the desk."""
        digest = request.path_params["digest"]
        if self.gate.inside >= self.gate.most_requests:
            return _too_much(f"more than {self.gate.most_requests} requests at once")
        self.gate.inside += 1
        try:
            return await asyncio.wrap_future(self.desk.submit(lambda: task(self.explored.of(digest))))
        except Gone:
            reason = "The cluster of this address is not held here: the files have changed, or it was changed by hand some time ago."
            return HTMLResponse(pages.error_page("Another cluster", reason), 404)
        except Late:
            return _too_much(f"no answer in {self.desk.seconds:g} s; --time gives more")
        except InputError as error:
            return HTMLResponse(pages.error_page("Not possible", str(error)), 400)
        except SchedcheckError as error:
            return HTMLResponse(pages.error_page("Not answered", str(error)), 422)
        finally:
            self.gate.inside -= 1

    async def _form(self, request: Request) -> Mapping[str, str]:
        """Return the fields of a form. Raises: HTTPException."""
        from starlette.exceptions import HTTPException

        try:
            async with self.gate.body(request, FORM) as body:
                fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=20)
        except (Refused, ValueError) as error:
            raise HTTPException(error.code if isinstance(error, Refused) else 400, str(error)) from None
        return {name: values[0] for name, values in fields.items()}


def _json(place: Place) -> Any:
    # Without indentation the encoder is compiled.
    return json.loads(json.dumps(place.to_json()))


def _too_much(reason: str) -> Response:
    return HTMLResponse(pages.error_page("No answer", reason), 503, headers={"Retry-After": retry_after()})


def _file(text: str, kind: str, name: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'} if name else {}
    return Response(text, media_type=kind, headers=headers)


def _numbers(path: str) -> tuple[int, ...] | None:
    """Return the path that a part of an address spells; None if it spells none."""
    if path == "start":
        return ()
    parts = path.split(".")
    if not all(part.isascii() and part.isdecimal() and len(part) < 10 for part in parts):
        return None
    return tuple(map(int, parts))


def _spelled(back: str) -> str:
    """Return the part of an address that a form gave, or the start if it is none."""
    numbers = _numbers(back)
    return pages.spelled(numbers or ())


def _identity(asked: str) -> tuple[str, str, str]:
    kind, _, rest = asked.partition("/")
    namespace, _, name = rest.partition("/")
    return kind, namespace, name
