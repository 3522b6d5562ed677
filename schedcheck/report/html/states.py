"""The clusters along a trace, from its JSON: `clusters`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Json = Mapping[str, Any]
Key = tuple[str, str, str]
"""The kind, namespace and name of an object."""

ENDED = ("Succeeded", "Failed")
"""The phases of pods that occupy no node any more."""


@dataclass(frozen=True)
class Thing:
    """An object at one step: its manifest, and its requests or allocatable amounts in smallest units."""

    manifest: Json
    amounts: Mapping[str, int]

    @property
    def name(self) -> str:
        """The name alone."""
        return str(self.manifest["metadata"]["name"])

    @property
    def shown(self) -> str:
        """The name, with the namespace unless it is the default one."""
        namespace = self.manifest["metadata"].get("namespace", "default")
        return self.name if namespace == "default" else f"{namespace}/{self.name}"

    @property
    def node(self) -> str:
        """The node that a pod is bound to; empty if there is none."""
        return str(self.manifest.get("spec", {}).get("nodeName", ""))

    @property
    def phase(self) -> str:
        """The phase of a pod."""
        return str(self.manifest.get("status", {}).get("phase", ""))

    @property
    def nominated(self) -> str:
        """The node that a pod is nominated to; empty if there is none."""
        return str(self.manifest.get("status", {}).get("nominatedNodeName", ""))

    @property
    def terminating(self) -> bool:
        """Whether a pod is deleted and still there."""
        return "deletionTimestamp" in self.manifest["metadata"]

    @property
    def workload(self) -> str:
        """The owner of a pod as kind and name; else the pod itself."""
        owners = self.manifest["metadata"].get("ownerReferences", [])
        owner = next((each for each in owners if each.get("controller")), owners[0] if owners else None)
        return self.shown if owner is None else f"{owner.get('kind', '')} {owner.get('name', '')}".strip()


@dataclass(frozen=True)
class Cluster:
    """All objects after a step, in the order of their kinds and names."""

    things: Mapping[Key, Thing] = field(default_factory=dict)

    @cached_property
    def by_kind(self) -> Mapping[str, list[Thing]]:
        """The objects of each kind, in order."""
        found: dict[str, list[Thing]] = {}
        for (kind, _, _), thing in sorted(self.things.items(), key=lambda each: each[0]):
            found.setdefault(kind, []).append(thing)
        return found

    @cached_property
    def by_node(self) -> Mapping[str, list[Thing]]:
        """The pods that occupy each node: bound to it, and not ended."""
        found: dict[str, list[Thing]] = {}
        for pod in self.of("Pod"):
            if pod.node and pod.phase not in ENDED:
                found.setdefault(pod.node, []).append(pod)
        return found

    def of(self, kind: str) -> list[Thing]:
        """Return the objects of a kind, in order."""
        return self.by_kind.get(kind, [])

    def occupants(self, node: str) -> list[Thing]:
        """Return the pods that occupy a node."""
        return self.by_node.get(node, [])

    def used(self, node: str, resource: str) -> int:
        """Return what the occupants of a node request of a resource; each counts one of "pods"."""
        pods = self.occupants(node)
        return len(pods) if resource == "pods" else sum(pod.amounts.get(resource, 0) for pod in pods)


def clusters(shown: Json) -> Iterator[Cluster]:
    """Yield the cluster after each step of a behaviour; `shown` has `start`, `amounts` and `trace`."""
    amounts: Json = shown.get("amounts", {})
    things = {_key(each): Thing(each, _first(each, amounts)) for each in shown["start"]}
    for step in shown["trace"]:
        things = dict(things)
        for change in step["changes"]:
            key = changed(change)
            if change["after"] is None:
                things.pop(key, None)
            else:
                things[key] = Thing(change["after"], change.get("amounts", {}))
        yield Cluster(things)


def changed(change: Json) -> Key:
    """Return the key of a changed object."""
    return change["kind"], change.get("namespace", ""), change["name"]


def _key(manifest: Json) -> Key:
    at = manifest["metadata"]
    return (
        manifest["kind"],
        at.get("namespace", "" if manifest["kind"] in ("Node", "Namespace") else "default"),
        at["name"],
    )


def _first(manifest: Json, amounts: Json) -> Mapping[str, int]:
    """Return the amounts of an object at the start."""
    kind, namespace, name = _key(manifest)
    found: Mapping[str, int] = (
        amounts.get("nodes", {}).get(name, {})
        if kind == "Node"
        else amounts.get("pods", {}).get(f"{namespace}/{name}", {})
    )
    return found
