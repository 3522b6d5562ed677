"""The content of a snapshot as far as records keep it, in a form without the order of sets"""

from dataclasses import fields, is_dataclass
from typing import Any

from schedcheck.spec.kubernetes.scores.image_locality import with_tag
from schedcheck.spec.objects import Snapshot

SETS = frozenset(
    {
        "tolerations", "taints", "node_required", "pod_required", "anti_required", "match_expressions", "match_fields",
        "values", "namespaces", "scheduling_gates", "ports", "names",
    }
)  # fmt: skip
"""The fields whose order and repetitions do not count."""

UNORDERED = frozenset({"budgets", "services", "controllers"})

KUBERNETES_ALONE = {
    "Pod": {"scheduler_name", "empty_node_selector", "scheduling_gates", "spread", "nominated_node_name",
            "resize_infeasible", "start_time", "preempted", "required_features"},
    "Node": {"images", "declared_features"},
    "Container": {"image", "ports", "running"},
    "Snapshot": {"budgets", "services", "controllers"},
}  # fmt: skip
LEFT_OUT = {
    "Pod": {"host_network", "owner_uid", "uid", "annotated_affinity"},
    "Node": {"avoids", "capacity", "conditions"},
}


def shape(thing: Any, *, kubernetes: bool, resources: frozenset[str]) -> Any:
    """The object as nested tuples and sets, without what records omit; of a node only its amounts of `resources`."""
    if isinstance(thing, dict):
        return frozenset(thing.items())
    if isinstance(thing, tuple):
        return tuple(shape(each, kubernetes=kubernetes, resources=resources) for each in thing)
    if not is_dataclass(thing):
        return thing
    kind = type(thing).__name__
    left_out = LEFT_OUT.get(kind, set()) | (set() if kubernetes else KUBERNETES_ALONE.get(kind, set()))
    found = {}
    for field in fields(thing):
        value = getattr(thing, field.name)
        if field.name in left_out:
            continue
        if field.name == "allocatable":
            value = {name: number for name, number in value.items() if name in resources | {"pods"}}
        if field.name in ("requests", "overhead") and not kubernetes:
            value = {name: number for name, number in value.items() if number}
        if field.name == "seconds":
            value = value is None
        if field.name in ("image", "reference"):
            value = with_tag(value)
        held = shape(value, kubernetes=kubernetes, resources=resources)
        a_set = (field.name in SETS and not isinstance(thing, Snapshot)) or field.name in UNORDERED
        found[field.name] = frozenset(held) if a_set else held
    return kind, frozenset(found.items())
