"""The messages of the extender protocol, as Go's types write and read them.

Field names are the Go names, in any letter case; unknown fields are ignored. Answers have all fields.

Kubernetes 1.34: k8s.io/kube-scheduler/extender/v1/types.go.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

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
MOST_KEPT = 64 * 2**20
"""The bytes of nodes that are kept twice, as they were sent and as they were read, before the older half is dropped."""

NULL = b"null"
MAP: Any = msgspec.json.Decoder(dict[str, msgspec.Raw])
LIST: Any = msgspec.json.Decoder(list[msgspec.Raw])


@dataclass(frozen=True)
class Args:
    """The arguments of filter and prioritize: the pod; the nodes, whole with their texts, or only their names."""

    pod: Pod
    uid: str
    nodes: tuple[Node, ...]
    objects: tuple[bytes, ...] | None
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
    """The reader of messages; a node that is sent again, byte by byte the same, is read once.

    `same` returns, of equal nodes, always the same one, by which they are compared faster.
    """

    def __init__(self, same: Callable[[Node], Node] = lambda node: node) -> None:
        self._same = same
        self._new: dict[bytes, Node] = {}
        self._old: dict[bytes, Node] = {}
        self._bytes = 0

    def forget(self) -> None:
        """Read every node again."""
        self._new, self._old, self._bytes = {}, {}, 0

    def args(self, body: bytes) -> Args:
        """Return the arguments of filter or prioritize. Raises: InputError."""
        top = Field(Document(REQUEST, 0, None), None)
        parts = _parts(body, top)
        given = {name: parsed(parts[name], top[name]) for name in ("Pod", "NodeNames") if name in parts}
        own = Field(Document(REQUEST, 0, given), given)
        pod, uid = _pod(own["Pod"])
        if own["NodeNames"]:
            return Args(pod, uid, (), None, tuple(own["NodeNames"].texts()))
        nodes = top["Nodes"]
        if parts.get("Nodes", NULL) == NULL:
            raise nodes.error("expected Nodes or NodeNames")
        items = _items(_parts(parts["Nodes"], nodes, {"items"}).get("items", NULL), nodes["items"])
        read = tuple(
            self._node(each, Field(nodes.document, None, nodes["items"], place)) for place, each in enumerate(items)
        )
        return Args(pod, uid, read, tuple(items), tuple(each.name for each in read))

    def _node(self, text: bytes, place: Field) -> Node:
        """Return the node of this text."""
        known = self._new.get(text)
        if known is not None:
            return known
        made = self._old.get(text)
        if made is None:
            field = Field(place.document, parsed(text, place), place.parent, place.key)
            validated("Node", field)
            made = self._same(read_node(field))
            if not made.name:
                raise field["metadata"]["name"].error("expected a name")
        if self._bytes > MOST_KEPT:
            self._old, self._new, self._bytes = self._new, {}, 0
        self._new[text] = made
        self._bytes += len(text)
        return made


def parsed(text: bytes, place: Field) -> Any:
    """Return the JSON value. Raises: InputError."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise place.error(f"not JSON: {error}") from None
    except RecursionError:
        raise place.error("nested too deeply") from None


def written(value: Any) -> bytes:
    """Return the value as JSON; nodes are written as they were sent."""
    made: bytes = msgspec.json.encode(value)
    return made


def _parts(text: bytes, place: Field, names: Collection[str] = ("Pod", "Nodes", "NodeNames")) -> dict[str, bytes]:
    """Return the fields of these names of an object as texts, whatever letter case they are written in."""
    wanted = {name.lower(): name for name in names}
    found = _decoded(MAP, text, place, "an object")
    return {wanted[name.lower()]: bytes(each) for name, each in found.items() if name.lower() in wanted}


def _items(text: bytes, place: Field) -> list[bytes]:
    """Return the items of a list as texts."""
    return [] if text == NULL else [bytes(each) for each in _decoded(LIST, text, place, "a list")]


def _decoded(decoder: Any, text: bytes, place: Field, what: str) -> Any:
    try:
        return decoder.decode(text)
    except msgspec.ValidationError:
        raise place.error(f"expected {what}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise place.error(f"not JSON: {error}") from None
    except RecursionError:
        raise place.error("nested too deeply") from None


def preemption_args(body: bytes) -> tuple[Pod, str, dict[str, Victims]]:
    """Return the pod, its UID, and the victims by node. Raises: InputError."""
    top = _top(body)
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


def binding_args(body: bytes) -> Binding:
    """Return the binding. Raises: InputError."""
    top = _top(body)
    return Binding(
        _named(top, "PodName").required("the name of a pod"),
        _named(top, "PodNamespace").required("the namespace of a pod"),
        _named(top, "PodUID").text(),
        _named(top, "Node").required("the name of a node"),
    )


def _top(body: bytes) -> Field:
    value = parsed(body, Field(Document(REQUEST, 0, None), None))
    if not isinstance(value, dict):
        raise InputError("expected an object", file=REQUEST)
    return Field(Document(REQUEST, 0, value), value)


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
        items = [msgspec.Raw(each) for each, name in zip(args.objects, args.names, strict=True) if name in kept]
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
