"""The extender of examples/extender as a local server while a page's commands run: `answering`."""

import contextlib
import importlib.util
import threading
import time
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

SCRIPT = Path(__file__).parent.parent / "examples" / "extender" / "licences.py"
ATTEMPTS, PAUSE = 100, 0.1


@contextlib.contextmanager
def answering(port: int | None = None) -> Iterator[str]:
    """Run the extender and yield its address; the default port can be used by one process at a time."""
    server = _server(port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/licences"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _server(port: int | None) -> ThreadingHTTPServer:
    spec = importlib.util.spec_from_file_location("licences", SCRIPT)
    assert spec is not None and spec.loader is not None
    licences = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(licences)
    host, own = licences.ADDRESS
    for _ in range(ATTEMPTS):
        with contextlib.suppress(OSError):
            return ThreadingHTTPServer((host, own if port is None else port), licences.Handler)
        time.sleep(PAUSE)
    raise OSError(f"port {own} is in use")
