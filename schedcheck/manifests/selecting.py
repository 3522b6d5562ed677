"""Services and controllers with their selectors: `service`, `selecting`."""

from typing import Final

from schedcheck.manifests.affinity import label_selector
from schedcheck.manifests.fields import Field
from schedcheck.spec.objects import Controller, Service
from schedcheck.spec.terms import LabelSelector

SELECTING: Final = ("ReplicationController", "ReplicaSet", "StatefulSet")
"""The kinds of owner whose selector is used for the default topology spreading of their pods."""


def service(field: Field) -> Service:
    """Return the service of a manifest."""
    metadata = field["metadata"]
    return Service(
        metadata["name"].text(), metadata["namespace"].text() or "default", field["spec"]["selector"].labels()
    )


def selecting(kind: str, field: Field) -> Controller:
    """Return the controller of a manifest of this kind, one of `SELECTING`."""
    metadata, selector = field["metadata"], field["spec"]["selector"]
    return Controller(
        kind,
        metadata["name"].text(),
        metadata["namespace"].text() or "default",
        LabelSelector(selector.labels()) if kind == "ReplicationController" else label_selector(selector),
    )
