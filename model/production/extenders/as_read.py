"""Pods and nodes as they were read: `AsRead`, the objects that extenders get, with later changes on top.

A definition reads few fields of an object. The others (annotations, volumes, limits, environment, conditions, uid) are
kept here, outside the values by which states are told apart.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Generic, TypeVar

from frozendict import frozendict

from schedcheck.model.production.extenders.kubernetes_objects import Object, node_object, pod_object, uid
from schedcheck.spec.objects import Node, Pod

Key = tuple[str, str]
Value = TypeVar("Value", Pod, Node)
BY_PLACE = frozenset({"containers", "initContainers", "topologySpreadConstraints", "ports"})
"""The lists whose items keep their places, so that the items of one place are compared with each other."""


@dataclass(frozen=True)
class Original(Generic[Value]):
    """The value of an object as the input describes it, and the function that returns the whole object."""

    value: Value
    whole: Callable[[], Object]


@dataclass(frozen=True)
class AsRead:
    """The pods by namespace and name, and the nodes by name, that were read; objects made otherwise are in neither."""

    pods: Mapping[Key, Original[Pod]] = field(default_factory=frozendict)
    nodes: Mapping[str, Original[Node]] = field(default_factory=frozendict)

    def pod_object(self, pod: Pod) -> Object:
        """Return the pod as it was read, with the changes since; one that was not read has the fields of its value."""
        original = self._original(pod)
        if original is None:
            return pod_object(pod)
        if original.value == pod:
            return original.whole()
        return changed(original.whole(), _form(original.value), _form(pod))

    def node_object(self, node: Node) -> Object:
        """Return the node as it was read, with the changes since; one that was not read has the fields of its value."""
        original = self.nodes.get(node.name)
        if original is None:
            return node_object(node)
        if original.value == node:
            return original.whole()
        return changed(original.whole(), node_object(original.value), node_object(node))

    def uid(self, pod: Pod) -> str:
        """Return the UID of the pod; its namespace and name if no UID was read."""
        original = self._original(pod)
        return uid(pod) if original is None else str(original.whole()["metadata"]["uid"])

    def key(self, uid: str) -> Key:
        """Return namespace and name of the pod with this UID; of a UID that was not read, those that it is made of."""
        if uid in self._keys:
            return self._keys[uid]
        namespace, _, name = uid.partition("/")
        return namespace, name

    @cached_property
    def _keys(self) -> Mapping[str, Key]:
        return {str(each.whole()["metadata"]["uid"]): key for key, each in self.pods.items()}

    def _original(self, pod: Pod) -> Original[Pod] | None:
        """Return what was read of the pod. A pod that left its node is another one, made later under the same name."""
        original = self.pods.get(pod.key)
        if original is None or pod.uid != original.value.uid:
            return None
        return None if original.value.node_name not in ("", pod.node_name) else original


NOT_READ = AsRead()
"""What is known of a cluster that was not read: no whole object."""


def _form(pod: Pod) -> Object:
    """Return the pod's object without its UID, which no change concerns."""
    form = pod_object(pod)
    return form | {"metadata": {name: value for name, value in form["metadata"].items() if name != "uid"}}


def changed(whole: Object, before: Mapping[str, Any], after: Mapping[str, Any]) -> Object:
    """Return the object with each field set or removed in which `after` differs from `before`; the others stay."""
    made = dict(whole)
    for name in sorted({*before, *after}):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if new is None:
            # The form leaves out empty values: what has become empty has emptied the parts that it had.
            new = _emptied(old)
        value = _changed(name, whole.get(name), old, new)
        if value is None:
            made.pop(name, None)
        else:
            made[name] = value
    return made


def _emptied(old: Any) -> Any:
    return {} if isinstance(old, dict) else [] if isinstance(old, list) else None


def _changed(name: str, whole: Any, old: Any, new: Any) -> Any:
    """Return the value of a field after the change from `old` to `new`."""
    if isinstance(new, dict):
        return changed(whole or {}, old or {}, new)
    if name == "conditions":
        gone = [each["type"] for each in (*(old or ()), *new)]
        return [each for each in whole or () if each.get("type") not in gone] + new
    if name in BY_PLACE and isinstance(whole, list) and len(whole) == len(old or ()) == len(new):
        return [changed(*each) for each in zip(whole, old, new, strict=True)]
    return new
