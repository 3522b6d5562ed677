"""The messages of the extender protocol, as Go's types write and read them.

Field names are the Go names, in any letter case; unknown fields are ignored. Answers have all fields.

Kubernetes 1.34: k8s.io/kube-scheduler/extender/v1/types.go.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schedcheck.errors import InputError
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.manifests.nodes import node as read_node
from schedcheck.manifests.pods import pod as read_pod
from schedcheck.manifests.validity import validated
from schedcheck.spec.objects import Node, Pod

Json = dict[str, Any]
REQUEST = "request"
INT64 = 2**63
KEPT = 20_000
"""How many nodes are kept as they were read."""


@dataclass(frozen=True)
class Args:
    """The arguments of filter and prioritize: the pod; the nodes, whole with their objects, or only their names."""

    pod: Pod
    uid: str
    nodes: tuple[Node, ...]
    objects: tuple[Json, ...] | None
    names: tuple[str, ...]

    @property
    def names_only(self) -> bool:
        """Whether the nodes were sent by name (nodeCacheCapable)."""
        return self.objects is None


@dataclass(frozen=True)
class Victims:
    """The victims on a node: their pods if they were sent whole, their UIDs, and how many violate a budget."""

    pods: tuple[Pod, ...] | None
    uids: tuple[str, ...]
    violations: int


@dataclass(frozen=True)
class Binding:
    """The pod to bind and the node."""

    name: str
    namespace: str
    uid: str
    node: str


class Reader:
    """The reader of messages; nodes that are sent again unchanged are read once."""

    def __init__(self) -> None:
        self._nodes: dict[str, tuple[tuple[Any, ...], Node]] = {}

    def args(self, message: object) -> Args:
        """Return the arguments of filter or prioritize. Raises: InputError."""
        top = _top(message)
        pod, uid = _pod(_named(top, "Pod"))
        nodes, names = _named(top, "Nodes"), _named(top, "NodeNames")
        if names:
            return Args(pod, uid, (), None, tuple(names.texts()))
        if not nodes:
            raise nodes.error("expected Nodes or NodeNames")
        items = _named(nodes, "items").items()
        read = tuple(self._node(each) for each in items)
        return Args(pod, uid, read, tuple(each.value for each in items), tuple(each.name for each in read))  # type: ignore[misc]

    def _node(self, field: Field) -> Node:
        """Return the node, read again only if a part of it has changed that the reader looks at."""
        value = field.value
        if isinstance(value, dict) and isinstance(value.get("metadata"), dict):
            metadata, spec, status = value["metadata"], value.get("spec"), value.get("status")
            parts = metadata.get("labels"), metadata.get("annotations"), spec, status
            name = metadata.get("name")
            known = self._nodes.get(name) if isinstance(name, str) else None
            if known is not None and known[0] == parts:
                return known[1]
        validated("Node", field)
        made = read_node(field)
        if not made.name:
            raise field["metadata"]["name"].error("expected a name")
        if len(self._nodes) >= KEPT:
            self._nodes.clear()
        self._nodes[made.name] = parts, made
        return made


def preemption_args(message: object) -> tuple[Pod, str, dict[str, Victims]]:
    """Return the pod, its UID, and the victims by node. Raises: InputError."""
    top = _top(message)
    pod, uid = _pod(_named(top, "Pod"))
    whole, meta = _named(top, "NodeNameToVictims"), _named(top, "NodeNameToMetaVictims")
    if not whole and not meta:
        raise whole.error("expected NodeNameToVictims or NodeNameToMetaVictims")
    return pod, uid, {name: _victims(each, whole=bool(whole)) for name, each in (whole or meta).entries()}


def _victims(field: Field, *, whole: bool) -> Victims:
    number = _named(field, "NumPDBViolations")
    violations = number.integer(-INT64, INT64 - 1) if number else 0
    items = _named(field, "Pods").items()
    if not whole:
        return Victims(None, tuple(_named(each, "UID").text() for each in items), violations)
    read = [_pod(each) for each in items]
    return Victims(tuple(pod for pod, _ in read), tuple(uid for _, uid in read), violations)


def binding_args(message: object) -> Binding:
    """Return the binding. Raises: InputError."""
    top = _top(message)
    return Binding(
        _named(top, "PodName").required("the name of a pod"),
        _named(top, "PodNamespace").required("the namespace of a pod"),
        _named(top, "PodUID").text(),
        _named(top, "Node").required("the name of a node"),
    )


def _top(message: object) -> Field:
    top = Field(Document(REQUEST, 0, message), message)
    if not isinstance(message, dict):
        raise InputError("expected an object", file=REQUEST)
    return top


def _named(field: Field, name: str) -> Field:
    """Return the field of this name, in whatever letter case it is written."""
    found = field[name]
    if found or not isinstance(field.value, dict):
        return found
    other = next((key for key in field.value if key.lower() == name.lower() and field.value[key] is not None), name)
    return field[other]


def _pod(field: Field) -> tuple[Pod, str]:
    """Return the pod and its UID."""
    if not field:
        raise field.error("expected a pod")
    validated("Pod", field)
    made = read_pod(field["metadata"], field["spec"], field["status"])
    if not made.name:
        raise field["metadata"]["name"].error("expected a name")
    return made, field["metadata"]["uid"].text()


def filter_result(
    args: Args, kept: Collection[str], failed: Mapping[str, str], hopeless: Mapping[str, str], error: str = ""
) -> Json:
    """Return an ExtenderFilterResult: the nodes that are kept, in the form in which they were sent."""
    nodes = None
    if args.objects is not None:
        items = [each for each, name in zip(args.objects, args.names, strict=True) if name in kept]
        nodes = {"metadata": {}, "items": items}
    return {
        "Nodes": nodes,
        "NodeNames": [name for name in args.names if name in kept] if args.names_only else None,
        "FailedNodes": dict(sorted(failed.items())),
        "FailedAndUnresolvableNodes": dict(sorted(hopeless.items())),
        "Error": error,
    }


def host_priorities(names: Iterable[str], best: Collection[str], highest: int) -> list[Json]:
    """Return a HostPriorityList: the highest score for the best nodes, 0 for the others."""
    return [{"Host": name, "Score": highest if name in best else 0} for name in names]


def preemption_result(offered: Mapping[str, Victims], left_out: Collection[str]) -> Json:
    """Return an ExtenderPreemptionResult: the candidates as they were offered, without some."""
    return {
        "NodeNameToMetaVictims": {
            name: {"Pods": [{"UID": uid} for uid in each.uids], "NumPDBViolations": each.violations}
            for name, each in offered.items()
            if name not in left_out
        }
    }


def binding_result(error: str = "") -> Json:
    """Return an ExtenderBindingResult."""
    return {"Error": error}


__all__: Sequence[str] = (
    "Args", "Binding", "Reader", "Victims", "binding_args", "binding_result", "filter_result", "host_priorities",
    "preemption_args", "preemption_result",
)  # fmt: skip
