"""The web application: the verbs at their paths, verdicts, the cluster, health and metrics: `application`."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from schedcheck.errors import InputError, SchedcheckError, printable
from schedcheck.manifests import reading
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.serving.desk import Desk, Late
from schedcheck.serving.extender import Answer, Verbs
from schedcheck.serving.gate import Gate, Refused, retry_after
from schedcheck.serving.held import Held, Version
from schedcheck.serving.metrics import Metrics
from schedcheck.serving.openapi import openapi
from schedcheck.serving.wire import parsed, written

Handler = Callable[[Request], Awaitable[Response]]
Verdict = Callable[[bytes, Version], tuple[bytes, int]]
"""A function of a question with a decision, as JSON, and the cluster; it returns the verdict and the status code."""

LONGEST_HEADER = 2000


@dataclass(frozen=True)
class Paths:
    """The paths of the verbs; empty for a verb that is not offered."""

    filter: str = "/filter"
    prioritize: str = "/prioritize"
    preempt: str = "/preempt"
    bind: str = "/bind"


@dataclass(frozen=True)
class Parts:
    """What the application is made of."""

    verbs: Verbs
    held: Held
    desk: Desk
    gate: Gate
    metrics: Metrics
    verdict: Verdict
    paths: Paths = Paths()


def application(parts: Parts) -> Starlette:
    """Return the application."""
    server = _Server(parts)
    verbs: Mapping[str, Callable[[bytes], Answer]] = {
        parts.paths.filter: parts.verbs.filter,
        parts.paths.prioritize: parts.verbs.prioritize,
        parts.paths.preempt: parts.verbs.preempt,
        parts.paths.bind: parts.verbs.bind,
    }
    offered = {path: verb for path, verb in verbs.items() if path}
    routes = [Route(path, server.verb(verb), methods=["POST"]) for path, verb in offered.items()]
    routes += [
        Route("/v1/verdict", server.verdict, methods=["POST"]),
        Route("/v1/cluster", server.replace, methods=["POST"]),
        Route("/v1/cluster", server.cluster, methods=["GET"]),
        Route("/healthz", server.healthy, methods=["GET"]),
        Route("/readyz", server.ready, methods=["GET"]),
        Route("/metrics", server.metrics, methods=["GET"]),
        Route("/openapi.json", server.openapi, methods=["GET"]),
    ]
    return Starlette(routes=routes, exception_handlers={HTTPException: server.refused, 404: server.refused})


class _Server:
    """The handlers of the paths."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    def verb(self, answer: Callable[[bytes], Answer]) -> Handler:
        """Return the handler of a verb."""

        def task(body: bytes) -> Response:
            with reading():
                made = answer(body)
            headers = {"Schedcheck-Open": _header(made.open)} if made.open else {}
            return _json(made.body, headers=headers)

        return self._posted(task)

    @property
    def verdict(self) -> Handler:
        """The handler of questions with a decision."""

        def task(body: bytes) -> Response:
            made, code = self.parts.verdict(body, self.parts.held.version)
            return Response(made, code, media_type="application/json")

        return self._posted(task)

    @property
    def replace(self) -> Handler:
        """The handler that replaces the cluster."""

        def task(body: bytes) -> Response:
            version = self.parts.held.read(parsed(body, Field(Document("request", 0, None), None)))
            self.parts.metrics.cluster.set(version.number)
            return _json(_described(version))

        return self._posted(task, beside=True)

    async def cluster(self, request: Request) -> Response:
        """Describe the cluster."""
        return _json(_described(self.parts.held.version))

    async def healthy(self, request: Request) -> Response:
        """Answer that the process answers."""
        return Response("ok", media_type="text/plain")

    async def ready(self, request: Request) -> Response:
        """Answer whether requests are answered now."""
        gate, desk = self.parts.gate, self.parts.desk
        if desk.stopping or gate.inside >= gate.most_requests:
            return _error(503, "the server stops" if desk.stopping else "too many requests")
        return Response("ok", media_type="text/plain")

    async def metrics(self, request: Request) -> Response:
        """Answer with the metrics."""
        self.parts.metrics.cluster.set(self.parts.held.version.number)
        text, kind = self.parts.metrics.text()
        return Response(text, headers={"Content-Type": kind})

    async def openapi(self, request: Request) -> Response:
        """Describe the paths."""
        return _json(openapi(self.parts.paths))

    async def refused(self, request: Request, error: Exception) -> Response:
        """Answer a request for a path or method that there is not."""
        code = error.status_code if isinstance(error, HTTPException) else 404
        headers = dict(error.headers or {}) if isinstance(error, HTTPException) else {}
        return _error(code, "no such path" if code == 404 else "no such method at this path", headers=headers)

    def _posted(self, task: Callable[[bytes], Response], *, beside: bool = False) -> Handler:
        """Return the handler that lets the request in, runs the task, and counts.

        The task runs at the desk; or, with `beside`, in a thread beside it, without a limit of time.
        """

        async def handle(request: Request) -> Response:
            metrics, path, begun = self.parts.metrics, request.scope["path"], time.monotonic()
            metrics.in_flight.inc()
            try:
                made = await self._answered(request, task, beside)
            finally:
                metrics.in_flight.dec()
            metrics.requests.labels(path, made.status_code).inc()
            metrics.seconds.labels(path).observe(time.monotonic() - begun)
            return made

        return handle

    async def _answered(self, request: Request, task: Callable[[bytes], Response], beside: bool) -> Response:
        try:
            async with self.parts.gate.body(request) as body:
                if beside:
                    return await asyncio.to_thread(task, body)
                return await asyncio.wrap_future(self.parts.desk.submit(lambda: task(body)))
        except Refused as error:
            headers = {"Retry-After": retry_after()} if error.code == 503 else {}
            # The rest of a body that was not read makes the connection useless.
            return _error(error.code, str(error), headers={**headers, "Connection": "close"})
        except Late:
            return _error(503, "no answer in time", headers={"Retry-After": retry_after()})
        except InputError as error:
            return _error(400, str(error), place=error.path)
        except SchedcheckError as error:
            return _error(422, str(error))


def _json(value: Any, code: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(written(value), code, headers=dict(headers or {}), media_type="application/json")


def _error(code: int, reason: str, *, place: str = "", headers: Mapping[str, str] | None = None) -> Response:
    return _json({"error": reason, "place": place}, code, headers)


def _header(left_open: tuple[tuple[str, str], ...]) -> str:
    """Return what is open as the value of a header."""
    text = "; ".join(f"{name}: {why}" for name, why in left_open)
    return printable(text).encode("ascii", "backslashreplace").decode()[:LONGEST_HEADER]


def _described(version: Version) -> dict[str, int]:
    snapshot = version.known.snapshot
    nodes, pods = (0, 0) if snapshot is None else (len(snapshot.nodes), len(snapshot.pods))
    return {"version": version.number, "nodes": nodes, "pods": pods}
