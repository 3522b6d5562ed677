"""The guards of an event as a scenario writes them: named predicates with arguments, or formulas of TLA+.

A formula gets its meaning in `schedcheck.tla_export.guards`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from schedcheck.errors import InputError
from schedcheck.manifests.fields import Field, nearest
from schedcheck.manifests.selections import pod_key
from schedcheck.model.guards import Condition, Guard
from schedcheck.spec import guards
from schedcheck.spec.objects import Node, Pod, Snapshot

THIS = "this"
"""The object that the event happens to; where a node is asked for in an event of a pod, the pod's node."""

POD, NODE, NUMBER, RESOURCE, PERCENT = "POD", "NODE", "NUMBER", "RESOURCE", "PERCENT%"

WORDS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "pod_absent": ((POD,), "pod_absent(web-1)"),
    "pod_bound": ((POD,), "pod_bound(web-1)"),
    "pod_completed": ((POD,), "pod_completed(web-1)"),
    "node_absent": ((NODE,), "node_absent(node-1)"),
    "node_cordoned": ((NODE,), "node_cordoned(node-1)"),
    "at_most_out": ((NUMBER,), "at_most_out(0)"),
    "at_least_out": ((NUMBER,), "at_least_out(1)"),
    "free_below": ((NODE, RESOURCE, PERCENT), "free_below(this, memory, 2%)"),
    "at_most_present": ((NUMBER,), "at_most_present(2)"),
    "at_most_unbound": ((NUMBER,), "at_most_unbound(2)"),
    "at_most_bound": ((NUMBER,), "at_most_bound(2)"),
}
"""The arguments of each predicate, and an example."""

OF_PODS: Mapping[str, Callable[[guards.Key, Snapshot], bool]] = {
    "pod_absent": guards.pod_absent,
    "pod_bound": guards.pod_bound,
    "pod_completed": guards.pod_completed,
}
OF_NODES: Mapping[str, Callable[[str, Snapshot], bool]] = {
    "node_absent": guards.node_absent,
    "node_cordoned": guards.node_cordoned,
}
OF_OTHERS: Mapping[str, Callable[[int, frozenset[str], Pod | Node, Snapshot], bool]] = {
    "at_most_out": guards.at_most_out,
    "at_least_out": guards.at_least_out,
}
OF_NUMBERS: Mapping[str, Callable[[int, Snapshot], bool]] = {
    "at_most_present": guards.pods_at_most,
    "at_most_unbound": guards.unbound_at_most,
    "at_most_bound": guards.bound_at_most,
}

CALL = re.compile(r"\s*(!?)\s*([a-z_]\w*)\s*(?:\(([^()]*)\))?\s*")
"""A named predicate, negated by `!`; operators of tla/ begin with a capital."""


def guards_of(field: Field, pods: Sequence[Pod], nodes: Sequence[Node], of_pods: bool, kept: bool) -> tuple[Guard, ...]:
    """Return the guards of an event of pods, or of nodes; `kept` says whether completed pods stay.

    Raises: InputError for an unknown name, and for arguments that no object or event has.
    """
    items = field.items() if isinstance(field.value, list) else [field] if field else []
    return tuple(_Reading(item, pods, nodes, of_pods, kept).guard() for item in items)


class _Reading:
    """One guard, with what its arguments may name."""

    def __init__(self, field: Field, pods: Sequence[Pod], nodes: Sequence[Node], of_pods: bool, kept: bool) -> None:
        self.field, self.of_pods, self.kept = field, of_pods, kept
        self.pods = {pod.key: pod for pod in pods}
        self.nodes = frozenset(node.name for node in nodes)
        self.resources = frozenset(resource for node in nodes for resource in node.allocatable)
        self.mentions: set[str] = set()

    def guard(self) -> Guard:
        """Return the guard. Raises: InputError."""
        text = self.field.required("a guard, such as at_most_out(0), or a formula of TLA+")
        matched = CALL.fullmatch(text)
        if matched is None:
            return Guard(text, mentions=None)
        negated, name, given = matched[1] != "", matched[2], matched[3] or ""
        if name not in WORDS:
            raise self.field.error(f"no guard has this name{nearest(name, WORDS)}")
        arguments = tuple(each.strip() for each in given.split(",")) if given.strip() else ()
        kinds, example = WORDS[name]
        if len(arguments) != len(kinds):
            raise self.field.error(f"takes {', '.join(kinds)}, as {example}")
        read = [self._argument(kind, each) for kind, each in zip(kinds, arguments, strict=True)]
        if name == "pod_completed":
            self._may_stay(read[0])
        meaning = self._meaning(name, read)
        holds = (lambda this, snapshot: not meaning(this, snapshot)) if negated else meaning
        return Guard(text, name, arguments, negated, frozenset(self.mentions), holds)

    def _argument(self, kind: str, text: str) -> Any:
        """Return the value of an argument: a key, a name or a number; None for `this`."""
        if kind in (POD, NODE):
            return self._object(kind, text)
        if kind == RESOURCE:
            if text not in self.resources:
                raise self.field.error(f"{text!r}: no node has this resource{nearest(text, self.resources)}")
            return text
        number = re.fullmatch(r"(0|[1-9][0-9]{0,8})(%?)", text, re.ASCII)
        if number is None or (number[2] == "%") != (kind == PERCENT):
            raise self.field.error(f"{text!r} is no {'percentage' if kind == PERCENT else 'number'}")
        if kind == PERCENT and int(number[1]) > 100:
            raise self.field.error(f"{text!r} is more than 100%")
        return int(number[1])

    def _object(self, kind: str, text: str) -> guards.Key | str | None:
        if text == THIS:
            if kind == POD and not self.of_pods:
                raise self.field.error("'this' is a node in this event; expected the name of a pod")
            return None
        if kind == NODE:
            if text not in self.nodes:
                raise self.field.error(f"{text!r}: no node has this name{nearest(text, self.nodes)}")
            self.mentions.add(text)
            return text
        key = self._pod(text)
        self.mentions.add(key[1])
        return key

    def _pod(self, text: str) -> guards.Key:
        """Return the key of a pod, named as in the selections of events."""
        try:
            return pod_key(Field(self.field.document, text, self.field.parent, self.field.key), self.pods)
        except InputError as error:
            raise self.field.error(error.told) from None

    def _may_stay(self, key: guards.Key | None) -> None:
        """Raises: InputError for a pod that is gone once it has completed."""
        named = self.pods.values() if key is None else (self.pods[key],)
        if not self.kept and all(pod.owner[0] != "Job" and pod.phase not in ("Succeeded", "Failed") for pod in named):
            raise self.field.error(
                "is never true, as completed pods are gone; expected completed: kept in the scenario"
            )

    def _meaning(self, name: str, read: list[Any]) -> Condition:
        """Return the predicate of the object of an event and of a state."""
        first = read[0]
        if name in OF_PODS:
            return lambda this, snapshot: OF_PODS[name](_key(this) if first is None else first, snapshot)
        if name in OF_NODES:
            return lambda this, snapshot: OF_NODES[name](_node(this) if first is None else first, snapshot)
        if name in OF_OTHERS:
            return lambda this, snapshot: OF_OTHERS[name](first, self.nodes, this, snapshot)
        if name in OF_NUMBERS:
            return lambda this, snapshot: OF_NUMBERS[name](first, snapshot)
        _, resource, percent = read
        return lambda this, snapshot: guards.free_below(
            _node(this) if first is None else first, resource, percent, snapshot
        )


def _key(this: Pod | Node) -> guards.Key:
    """Return the key of the pod that an event happens to."""
    return this.key if isinstance(this, Pod) else ("", "")


def _node(this: Pod | Node) -> str:
    """Return the name of the node that an event happens to, or of the pod's node."""
    return this.node_name if isinstance(this, Pod) else this.name
