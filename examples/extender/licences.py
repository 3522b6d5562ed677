"""A scheduler extender that knows how many licences each node has left: `python examples/extender/licences.py`.

It rejects nodes without a licence left. The more licences a node has left, the higher is its score.
"""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ADDRESS = ("127.0.0.1", 18321)
LEFT = {"n1": 0, "n2": 7, "n3": 2, "small": 5}


def filtered(names: list[str]) -> dict[str, Any]:
    """Return the answer to the verb filter."""
    refused = {name: "no licence left" for name in names if LEFT.get(name, 0) == 0}
    return {"NodeNames": [name for name in names if name not in refused], "FailedNodes": refused}


def prioritized(names: list[str]) -> list[dict[str, Any]]:
    """Return the answer to the verb prioritize."""
    return [{"Host": name, "Score": min(LEFT.get(name, 0), 10)} for name in names]


class Handler(BaseHTTPRequestHandler):
    """The two verbs at /licences."""

    def do_POST(self) -> None:
        """Answer a call of kube-scheduler."""
        names = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["NodeNames"]
        answer = filtered(names) if self.path == "/licences/filter" else prioritized(names)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


if __name__ == "__main__":
    ThreadingHTTPServer(ADDRESS, Handler).serve_forever()
