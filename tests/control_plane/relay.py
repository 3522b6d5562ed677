"""An extender that asks `schedcheck serve`, and makes the bindings that it allows: `relaying`

schedcheck has no connection to the cluster. Before each call the relay gives it the cluster, and after a binding that it
allows the relay makes the binding.
"""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

import httpx2

from tests.control_plane.api import Api
from tests.control_plane.programs import HOST

Json = dict[str, Any]
VERBS: Final = ("filter", "prioritize", "preempt", "bind")
Seen = Callable[[Json], Json]


@dataclass(frozen=True)
class Call:
    """A call of kube-scheduler, and the answer of schedcheck."""

    verb: str
    asked: Json
    answered: Any

    @property
    def pod(self) -> str:
        """The name of the pod."""
        return str(self.asked["PodName"] if self.verb == "bind" else self.asked["Pod"]["metadata"]["name"])

    @property
    def best(self) -> set[str]:
        """The nodes with the highest score, after a call of prioritize."""
        highest = max(each["Score"] for each in self.answered)
        return {each["Host"] for each in self.answered if each["Score"] == highest}


@dataclass
class Relay:
    """The calls so far; `shown` changes the cluster before schedcheck is given it."""

    api: Api
    served: httpx2.Client
    shown: Seen = lambda cluster: cluster
    calls: list[Call] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    def answer(self, verb: str, asked: Json) -> Any:
        """Return the answer to a call."""
        if verb != "bind":
            self._tell("/v1/cluster", self.shown(self.api.dump()))
        answered = self._tell(f"/{verb}", asked)
        if verb == "bind" and not answered["Error"]:
            self.api.bind(asked["PodNamespace"], asked["PodName"], asked["Node"])
        self.calls.append(Call(verb, asked, answered))
        return answered

    def _tell(self, where: str, content: Json) -> Any:
        answer = self.served.post(where, json=content)
        if not answer.is_success:
            raise AssertionError(f"{where}: {answer.status_code}: {answer.text}")
        return answer.json()

    def of(self, verb: str, pod: str) -> list[Call]:
        """Return the calls of a verb about a pod."""
        return [each for each in self.calls if (each.verb, each.pod) == (verb, pod)]


@contextmanager
def relaying(api: Api, served: str, port: int) -> Iterator[Relay]:
    """Answer calls at this port as long as the context."""
    with httpx2.Client(base_url=served, timeout=30) as client:
        relay = Relay(api, client)

        class Handler(BaseHTTPRequestHandler):
            """Takes one call."""

            def do_POST(self) -> None:
                """Answer it; a failure is kept for the test."""
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                try:
                    answer, code = relay.answer(self.path.strip("/"), asked), 200
                except Exception as error:
                    relay.failures.append(f"{self.path}: {error}")
                    answer, code = {"Error": str(error)}, 500
                content = json.dumps(answer).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        with ThreadingHTTPServer((HOST, port), Handler) as server:
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
            try:
                yield relay
            finally:
                server.shutdown()
                thread.join()
