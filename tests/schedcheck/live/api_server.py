"""A server that answers the lists of an API server from recorded objects, and keeps what it was asked: `serving`"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

from schedcheck.live.resources import RESOURCES

Json = dict[str, Any]


@dataclass
class Recorded:
    """The objects by kind; the resources that answer with an error code; how often a continuation is forgotten.

    `asked` has method, path, query and headers of each request.
    """

    objects: dict[str, list[Json]]
    refused: dict[str, int] = field(default_factory=dict)
    token: str = ""
    forgets: int = 0
    asked: list[tuple[str, str, dict[str, list[str]], dict[str, list[str]]]] = field(default_factory=list)


def recorded(file: Path) -> Recorded:
    """The objects of a dump."""
    objects: dict[str, list[Json]] = {}
    for item in json.loads(file.read_text())["items"]:
        objects.setdefault(item["kind"], []).append(item)
    return Recorded(objects)


@contextmanager
def serving(given: Recorded, folder: Path, namespace: str = "") -> Iterator[Path]:
    """Serve the objects, and yield a kubeconfig with the contexts `here` and `elsewhere`, at which nothing listens."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            split = urlsplit(self.path)
            query = parse_qs(split.query)
            headers = {name.lower(): self.headers.get_all(name) or [] for name in self.headers}
            given.asked.append(("GET", split.path, query, headers))
            code, body = answer(split.path, query, headers)
            text = json.dumps(body).encode()
            self.send_response(code)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: Any) -> None:
            """Write nothing."""

    def answer(path: str, query: dict[str, list[str]], headers: dict[str, list[str]]) -> tuple[int, Any]:
        resource = next((each for each in RESOURCES if each.path == path), None)
        if given.token and headers.get("authorization") != [f"Bearer {given.token}"]:
            return status(401, "Unauthorized")
        if resource is None:
            return status(404, "the server could not find the requested resource")
        if resource.name in given.refused:
            return status(given.refused[resource.name], f"{resource.name} is refused")
        items = [
            without_kind(each)
            for each in given.objects.get(resource.kind, [])
            if each.get("apiVersion", resource.version) == resource.version
        ]
        begin, most = int(query.get("continue", ["0"])[0]), int(query.get("limit", ["1000000"])[0])
        if begin and given.forgets:
            given.forgets -= 1
            return status(410, "the provided continue parameter is too old")
        more = {"continue": str(begin + most)} if begin + most < len(items) else {}
        found = {"kind": f"{resource.kind}List", "apiVersion": resource.version, "metadata": more}
        return 200, {**found, "items": items[begin : begin + most]}

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    user = {"token": given.token} if given.token else {}
    addresses = {"here": f"http://127.0.0.1:{server.server_port}", "elsewhere": "http://127.0.0.1:1"}
    more = {"namespace": namespace} if namespace else {}
    file = folder / "kubeconfig"
    file.write_text(
        yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "here",
                "users": [{"name": "me", "user": user}],
                "clusters": [{"name": name, "cluster": {"server": each}} for name, each in addresses.items()],
                "contexts": [{"name": name, "context": {"cluster": name, "user": "me", **more}} for name in addresses],
            }
        )
    )
    try:
        yield file
    finally:
        server.shutdown()
        server.server_close()


def without_kind(item: Json) -> Json:
    """An object as it is in a list of an API server: without kind and version, and with the record of its fields."""
    bare = {name: value for name, value in item.items() if name not in ("kind", "apiVersion")}
    return {**bare, "metadata": {**item["metadata"], "managedFields": [{"manager": "kubectl"}]}}


def status(code: int, message: str) -> tuple[int, Json]:
    """An error of an API server."""
    return code, {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code}
