"""Node and Namespace manifests to nodes and namespaces: `node`, `namespace`."""

import json

from frozendict import frozendict

from schedcheck.manifests.fields import Field
from schedcheck.manifests.pods import EFFECTS, INT64, condition
from schedcheck.spec.objects import Namespace, Node, NodeImage, Taint
from schedcheck.spec.quantities import amount
from schedcheck.spec.values import NO_AMOUNTS, Amounts, Labels

CONDITIONS = ("MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable", "OutOfDisk")
"""The conditions of a node, besides Ready, that some modelled scheduler reads."""


AVOIDS = "scheduler.alpha.kubernetes.io/preferAvoidPods"
"""The annotation by which a node asks to avoid the pods of some controllers."""


def node(field: Field) -> Node:
    """Return the node of a manifest. Without allocatable it offers its capacity; without either, nothing."""
    metadata, spec, status = field["metadata"], field["spec"], field["status"]
    allocatable, capacity = _amounts(status["allocatable"] or status["capacity"]), _amounts(status["capacity"])
    return Node(
        name=metadata["name"].text(),
        labels=metadata["labels"].labels(),
        allocatable=allocatable,
        taints=tuple(taint(item) for item in spec["taints"].items()),
        unschedulable=spec["unschedulable"].boolean(),
        phase=status["phase"].text(),
        ready=condition(status, "Ready", "True"),
        images=tuple(_image(item) for item in status["images"].items()),
        capacity=NO_AMOUNTS if capacity == allocatable else capacity,
        conditions=_conditions(status),
        declared_features=frozenset(status["declaredFeatures"].texts()),
        avoids=_avoided(metadata["annotations"]),
    )


def offers_nothing(field: Field) -> bool:
    """Whether the manifest of a node has neither allocatable nor capacity."""
    return not field["status"]["allocatable"] and not field["status"]["capacity"]


def taint(field: Field) -> Taint:
    """Return a taint, which must have a key and an effect."""
    effect = field["effect"].one_of(EFFECTS)
    if not effect:
        raise field["effect"].error(f"expected one of {', '.join(EFFECTS)}")
    return Taint(field["key"].required("a key"), effect, field["value"].text())


def namespace(field: Field) -> Namespace:
    """Return the namespace of a manifest, with the label of its own name that the API server gives it."""
    name = field["metadata"]["name"].text()
    labels = field["metadata"]["labels"].labels()
    return Namespace(name, frozendict({**labels, "kubernetes.io/metadata.name": name}))


def _avoided(annotations: Field) -> tuple[tuple[str, str], ...]:
    """Return kind and uid of each controller whose pods the node asks to avoid.

    Kubernetes 1.17: GetAvoidPodsFromNodeAnnotations in pkg/apis/core/v1/helper, ValidateAvoidPodsInNodeAnnotations in
    pkg/apis/core/validation, which requires a podController.
    """
    text = annotations[AVOIDS]
    if not text.text():
        return ()
    try:
        value = json.loads(text.text())
    except ValueError as error:
        raise text.error(f"expected the pods to avoid in JSON: {error}") from None
    entries = Field(text.document, value, annotations, AVOIDS)["preferAvoidPods"].items()
    controllers = [each["podSignature"]["podController"] for each in entries]
    missing = next((each for each in controllers if not each), None)
    if missing is not None:
        raise missing.error("expected a controller")
    return tuple((each["kind"].text(), each["uid"].text()) for each in controllers)


def _conditions(status: Field) -> Labels:
    """Return the statuses of these conditions that are not False; an absent condition is False."""
    statuses = {kind: condition(status, kind, "False") for kind in CONDITIONS}
    return frozendict({kind: each for kind, each in statuses.items() if each != "False"})


def _image(field: Field) -> NodeImage:
    size = field["sizeBytes"]
    return NodeImage(field["names"].texts(), size.integer(-INT64, INT64 - 1) if size else 0)


def _amounts(field: Field) -> Amounts:
    return frozendict({resource: amount(resource, exact) for resource, exact in field.quantities().items()})
