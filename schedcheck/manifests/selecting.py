"""Services and controllers to what they select: `service`, `selecting`."""

from typing import Final

from schedcheck.manifests.affinity import label_selector
from schedcheck.manifests.fields import Field
from schedcheck.spec.objects import Controller, Service
from schedcheck.spec.terms import LabelSelector

SELECTING: Final = ("ReplicationController", "ReplicaSet", "StatefulSet")
"""The kinds of owner whose selector spreads their pods by default."""


def service(field: Field) -> Service:
    """The service of a manifest."""
    metadata = field["metadata"]
    return Service(
        metadata["name"].text(), metadata["namespace"].text() or "default", field["spec"]["selector"].labels()
    )


def selecting(kind: str, field: Field) -> Controller:
    """The controller of a manifest of this kind, one of `SELECTING`."""
    metadata, selector = field["metadata"], field["spec"]["selector"]
    return Controller(
        kind,
        metadata["name"].text(),
        metadata["namespace"].text() or "default",
        LabelSelector(selector.labels()) if kind == "ReplicationController" else label_selector(selector),
    )
