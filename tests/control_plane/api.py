"""Calls of an API server: `Api`"""

import ssl
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import httpx2

Json = dict[str, Any]
PATHS: Final = {
    "Namespace": "api/v1/namespaces",
    "Node": "api/v1/nodes",
    "Pod": "api/v1/namespaces/{namespace}/pods",
    "Service": "api/v1/namespaces/{namespace}/services",
    "Lease": "apis/coordination.k8s.io/v1/namespaces/{namespace}/leases",
    "ReplicaSet": "apis/apps/v1/namespaces/{namespace}/replicasets",
    "Deployment": "apis/apps/v1/namespaces/{namespace}/deployments",
    "StatefulSet": "apis/apps/v1/namespaces/{namespace}/statefulsets",
    "PodDisruptionBudget": "apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets",
    "PriorityClass": "apis/scheduling.k8s.io/v1/priorityclasses",
    "Event": "api/v1/namespaces/{namespace}/events",
}
ALL: Final = (
    "Namespace", "Node", "Pod", "Service", "ReplicaSet", "Deployment", "StatefulSet", "PodDisruptionBudget",
    "PriorityClass",
)  # fmt: skip
"""The kinds of a dump."""

MERGE: Final = {"Content-Type": "application/merge-patch+json"}
TOGETHER: Final = 8
"""The calls that are made at the same time."""


class Refused(Exception):
    """The API server refuses a call; `code` is the HTTP status."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code


class Missing(Refused):
    """There is no such object."""


def path(kind: str, namespace: str = "default", name: str = "", sub: str = "") -> str:
    """Return the path of objects of a kind, of one of them, or of a subresource of it."""
    return "/".join(filter(None, ("", PATHS[kind].format(namespace=namespace), name, sub)))


class Api:
    """An API server, asked as the user of a token."""

    def __init__(self, address: str, certificate: Path, token: str) -> None:
        context = ssl.create_default_context(cafile=str(certificate))
        self._client = httpx2.Client(
            base_url=address, verify=context, headers={"Authorization": f"Bearer {token}"}, timeout=30
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def ready(self) -> bool:
        """Whether the API server is ready."""
        try:
            return self._client.get("/readyz").status_code == 200
        except httpx2.HTTPError:
            return False

    def call(self, verb: str, where: str, content: Json | None = None, **given: Any) -> Json:
        """Return the answer to a call. Raises: Refused."""
        answer = self._client.request(verb, where, json=content, **given)
        if not answer.is_success:
            raise (Missing if answer.status_code == 404 else Refused)(answer.status_code, answer.text)
        found: Json = answer.json()
        return found

    def create(self, made: Json) -> Json:
        """Create an object."""
        return self.call("POST", path(made["kind"], made["metadata"].get("namespace", "default")), made)

    def create_all(self, made: Iterable[Json]) -> None:
        """Create objects, several at once."""
        with ThreadPoolExecutor(TOGETHER) as pool:
            for _ in pool.map(self.create, made):
                pass

    def get(self, kind: str, name: str, namespace: str = "default") -> Json:
        """Return an object."""
        return self.call("GET", path(kind, namespace, name))

    def list(self, kind: str, namespace: str = "") -> list[Json]:
        """Return the objects of a kind, with kind and version, of one namespace or of all."""
        where = path(kind, namespace) if namespace else path(kind).replace("/namespaces/default", "")
        found = self.call("GET", where)
        return [{"apiVersion": found["apiVersion"], "kind": kind, **each} for each in found["items"]]

    def patch(self, kind: str, name: str, change: Json, namespace: str = "default", sub: str = "") -> Json:
        """Change an object by a merge patch."""
        return self.call("PATCH", path(kind, namespace, name, sub), change, headers=MERGE)

    def delete(self, kind: str, name: str, namespace: str = "default") -> None:
        """Delete an object."""
        self.call("DELETE", path(kind, namespace, name))

    def bind(self, namespace: str, name: str, node: str) -> None:
        """Bind a pod to a node."""
        target = {"apiVersion": "v1", "kind": "Node", "name": node}
        made = {"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": target}
        self.call("POST", path("Pod", namespace, name, "binding"), made)

    def evict(self, namespace: str, name: str) -> bool:
        """Ask for the eviction of a pod, as kubectl drain does, and return whether a budget allowed it."""
        made = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name, "namespace": namespace}}
        try:
            self.call("POST", path("Pod", namespace, name, "eviction"), made)
        except Refused as refused:
            if refused.code == 429:
                return False
            if refused.code != 404:
                raise
        return True

    def dump(self) -> Json:
        """Return what `kubectl get -o json` prints of the objects that a scheduler reads."""
        return {"apiVersion": "v1", "kind": "List", "items": [each for kind in ALL for each in self.list(kind)]}
