"""A server in the process of the test, and the objects that tests ask it about: `Server`, `server`."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.testclient import TestClient

import schedcheck
from schedcheck.manifests.documents import Document
from schedcheck.manifests.objects import cluster

Json = dict[str, Any]


def a_node(name: str, cpu: str = "4", **more: Any) -> Json:
    allocatable = {"cpu": cpu, "memory": "8Gi", "pods": "110"}
    return {
        "kind": "Node",
        "metadata": {"name": name, "uid": f"u-{name}", "annotations": {"a": "b"}, "labels": {"zone": name}},
        "spec": more,
        "status": {"allocatable": allocatable, "capacity": {"cpu": "8"}, "nodeInfo": {"kubeletVersion": "v1.34.1"}},
    }


def a_pod(name: str, cpu: str = "1", on: str = "", **spec: Any) -> Json:
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "uid": f"u-{name}", "labels": {"app": name}},
        "spec": {
            "containers": [{"name": "c", "image": "web", "resources": {"requests": {"cpu": cpu}}}],
            **({"nodeName": on} if on else {}),
            **spec,
        },
        "status": {"phase": "Running" if on else "Pending"},
    }


def whole(pod: Json, *nodes: Json) -> Json:
    """The arguments of filter with whole nodes, as kube-scheduler sends them."""
    return {"Pod": pod, "Nodes": {"metadata": {}, "items": list(nodes)}, "NodeNames": None}


def named(pod: Json, *names: str) -> Json:
    """The arguments of filter with the names of nodes."""
    return {"Pod": pod, "Nodes": None, "NodeNames": list(names)}


def read(*objects: Json) -> schedcheck.Cluster:
    return cluster(Document("input", number, each) for number, each in enumerate(objects, 1))


@dataclass
class Server:
    """A server that is asked over a client; `reported` are the differences so far."""

    client: TestClient
    reported: list[Json] = field(default_factory=list)

    def post(self, path: str, message: Any, code: int = 200) -> Any:
        answer = self.client.post(path, json=message)
        assert answer.status_code == code, answer.text
        return answer.json()

    def differences(self, number: int) -> list[Json]:
        """Wait for this many differences, and return all that there are."""
        wait(lambda: len(self.reported) >= number)
        return self.reported


def wait(until: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


def server(*objects: Json, profile: schedcheck.Profile | str = "kubernetes", **options: Any) -> Server:
    """A server that knows a cluster of these objects; without any it knows none."""
    reported: list[Json] = []
    service = schedcheck.Service(**options)
    app = schedcheck.asgi(read(*objects) if objects else None, profile=profile, service=service, report=reported.append)
    return Server(TestClient(app, raise_server_exceptions=True), reported)
