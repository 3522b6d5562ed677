"""Nodes of a shape that is written in one line, such as `cpu=4,memory=16Gi,label=zone=a`: `Shape`, `shape`.

`like=NODE` starts from a node of the input: its allocatable, its labels but the hostname, and its taints but those that
Kubernetes sets itself for a condition. Any other name is a resource. 110 pods are admitted unless said otherwise. The
labels of operating system and architecture, which every kubelet sets, are those of the other nodes if these agree.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from frozendict import frozendict

from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError
from schedcheck.manifests.admission import Admission, admitted
from schedcheck.manifests.names import node_named
from schedcheck.manifests.pods import EFFECTS
from schedcheck.manifests.workloads import Workload, made
from schedcheck.spec.objects import Node, Pod, Taint
from schedcheck.spec.quantities import QuantityError, amount, billionths, quantity_text
from schedcheck.spec.values import Labels

PLACE = "shape"
HOSTNAME = "kubernetes.io/hostname"
OF_KUBELET = ("kubernetes.io/os", "kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/arch")
OF_CONDITIONS = "node.kubernetes.io/"
MOST_PODS = 110
"""The pods that a kubelet admits by default."""


@dataclass(frozen=True)
class Shape:
    """A node without a name."""

    node: Node

    def nodes(self, number: int, taken: Iterable[str]) -> tuple[Node, ...]:
        """Return this number of nodes, under names that are not taken."""
        known = set(taken)
        names = (name for name in (f"new-node-{i}" for i in range(1, number + len(known) + 1)) if name not in known)
        return tuple(self._named(next(names)) for _ in range(number))

    def _named(self, name: str) -> Node:
        return replace(self.node, name=name, labels=Labels({**self.node.labels, HOSTNAME: name}))

    def __str__(self) -> str:
        amounts = [
            f"{name}={quantity_text(name, size)}" for name, size in sorted(self.node.allocatable.items()) if size
        ]
        labels = [f"label={key}={value}" for key, value in sorted(self.node.labels.items())]
        return ",".join([*amounts, *labels, *(f"taint={taint}" for taint in self.node.taints)])


def shape(text: str, nodes: Sequence[Node]) -> Shape:
    """Return the shape that the text writes. Raises: InputError."""
    made_here = Node("", _agreed(nodes), frozendict(pods=MOST_PODS))
    parts: list[tuple[str, str]] = []
    for part in text.split(","):
        key, sign, value = part.strip().partition("=")
        if not key or not sign or not value:
            raise InputError("expected NAME=VALUE, such as cpu=4 or label=zone=a", path=parameter(PLACE), value=part)
        if key not in ("label", "taint") and key in dict(parts):
            raise InputError(f"{key} was given before", path=parameter(PLACE), value=part)
        parts.append((key, value))
    # What is named beside a node that the new ones are like replaces what that one has, in any order.
    for key, value in sorted(parts, key=lambda part: part[0] != "like"):
        made_here = _with(made_here, key, value, nodes)
    return Shape(made_here)


def _agreed(nodes: Sequence[Node]) -> Labels:
    """Return the labels of operating system and architecture that all nodes have alike."""
    values = {key: {node.labels.get(key) for node in nodes} for key in OF_KUBELET}
    return Labels({key: value for key, each in values.items() if len(each) == 1 for value in each if value is not None})


def _with(node: Node, key: str, value: str, nodes: Sequence[Node]) -> Node:
    match key:
        case "like":
            return _like(value, nodes)
        case "label":
            name, sign, worth = value.partition("=")
            if not sign or not name:
                raise InputError("expected label=KEY=VALUE", path=parameter(PLACE), value=f"label={value}")
            return replace(node, labels=Labels({**node.labels, name: worth}))
        case "taint":
            return replace(node, taints=(*node.taints, _taint(value)))
    try:
        size = amount(key, billionths(value))
    except QuantityError as error:
        raise InputError(str(error), path=parameter(PLACE), value=f"{key}={value}") from None
    if size < 0:
        raise InputError("expected a quantity that is not negative", path=parameter(PLACE), value=f"{key}={value}")
    return replace(node, allocatable=frozendict({**node.allocatable, key: size}))


def _taint(text: str) -> Taint:
    before, sign, effect = text.rpartition(":")
    key, _, value = before.partition("=")
    if not sign or not key or effect not in EFFECTS:
        wanted = f"expected taint=KEY=VALUE:EFFECT with one of {', '.join(EFFECTS)}"
        raise InputError(wanted, path=parameter(PLACE), value=f"taint={text}")
    return Taint(key, effect, value)


def _like(name: str, nodes: Sequence[Node]) -> Node:
    there = {node.name: node for node in nodes}
    node = there[node_named(name, there.keys(), parameter(PLACE), f"like={name}")]
    labels = {key: value for key, value in node.labels.items() if key != HOSTNAME}
    taints = tuple(each for each in node.taints if not each.key.startswith(OF_CONDITIONS))
    return Node("", Labels(labels), node.allocatable, taints)


def daemons(workloads: Iterable[Workload], nodes: Sequence[Node], by: Admission) -> tuple[Pod, ...]:
    """Return the pods that the DaemonSets among the workloads make for these nodes, bound to them."""
    sets = [each for each in workloads if each.kind == "DaemonSet"]
    entries, _ = made(sets, (), nodes)
    pods = (admitted(each, by).pod for each in entries)
    return tuple(replace(pod, node_name=_own_node(pod), phase="Running") for pod in pods)


def _own_node(pod: Pod) -> str:
    """Return the node that the affinity of a pod of a DaemonSet names."""
    (requirement,) = pod.affinity.node_required[0].match_fields
    return requirement.values[0]
