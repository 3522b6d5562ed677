"""The pods and nodes of the input as they were read, for extenders: `as_read`.

A pod that is not stored yet gets what the API server would add: its name and namespace, and the fields of admission.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any

from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.manifests.pods import Entry, pod
from schedcheck.model.production.extenders.as_read import AsRead, Original, changed
from schedcheck.model.production.extenders.kubernetes_objects import pod_object
from schedcheck.spec.objects import Node, Pod

Object = dict[str, Any]
MADE = ("name", "namespace", "labels", "uid")
"""The metadata that a pod has of its own, also if it is made of a template."""


def as_read(entries: Iterable[Entry], nodes: Iterable[tuple[Node, Field]]) -> AsRead:
    """Return the whole objects of these pods and nodes."""
    return AsRead(
        {entry.pod.key: Original(entry.pod, _whole_of(entry)) for entry in entries},
        {node.name: Original(node, partial(_stored, _value(field))) for node, field in nodes},
    )


def _whole_of(entry: Entry) -> "partial[Object]":
    """Return the function that returns the whole pod; it keeps no other part of the document."""
    of = entry.spec.parent
    whole = {} if of is None else _value(of)
    return partial(_stored, whole) if entry.live else partial(_admitted, entry.pod, whole)


def _value(field: Field) -> Object:
    return field.value if isinstance(field.value, dict) else {}


def _stored(whole: Object) -> Object:
    return whole


def _admitted(made: Pod, given: Object) -> Object:
    """Return the whole object of a pod that is not stored yet: what its manifest or template gives, as it was admitted."""
    field = Field(Document("", 1, None), given)
    after = pod_object(made)
    before = pod_object(pod(field["metadata"], field["spec"], field["status"]))
    whole = {name: value for name, value in given.items() if name not in ("metadata", "spec", "status")}
    own = {name: value for name, value in after["metadata"].items() if name in MADE}
    owners = {name: value for name, value in after["metadata"].items() if name == "ownerReferences"}
    parts = {name: changed(given.get(name) or {}, before[name], after[name]) for name in ("spec", "status")}
    return {**whole, "metadata": {**owners, **(given.get("metadata") or {}), **own}, **parts}
