"""A local web server that acts as an extender, for tests: `server`."""

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Asked = list[tuple[str, str, Any]]
"""The requested paths, each with its content type and its message."""


class Quiet(ThreadingHTTPServer):
    """A server that ignores clients that disconnect."""

    def handle_error(self, *_: Any) -> None:
        pass


@contextmanager
def server(
    status: int,
    text: str | Callable[[], str],
    asked: Asked,
    context: ssl.SSLContext | None = None,
    before: Callable[[str], object] = lambda path: None,
) -> Iterator[str]:
    """Run a server with this answer and yield its address; with `context` over TLS. It calls `before` ahead of each
    answer.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked.append((self.path, self.headers["Content-Type"], json.loads(body)))
            before(self.path)
            self.send_response(status)
            self.end_headers()
            self.wfile.write((text if isinstance(text, str) else text()).encode())

        def log_message(self, *_: Any) -> None:
            pass

    running = Quiet(("127.0.0.1", 0), Handler)
    if context is not None:
        running.socket = context.wrap_socket(running.socket, server_side=True)
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"{'http' if context is None else 'https'}://127.0.0.1:{running.server_port}"
    finally:
        running.shutdown()
        thread.join()
        running.server_close()
