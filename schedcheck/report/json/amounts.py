"""What a pod requests and what a node has, in the smallest unit of each resource: `amounts_json`."""

from schedcheck.report.json.pieces import Json
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.requests import request, requested


def amounts_json(thing: Pod | Node | PodDisruptionBudget | None) -> dict[str, int]:
    """Return the requests of a pod or the allocatable amounts of a node; empty for a budget, and for what is gone."""
    match thing:
        case Pod():
            return {resource: request(thing, resource, NO_FAULTS) for resource in sorted(requested(thing))}
        case Node():
            return dict(sorted(thing.allocatable.items()))
        case _:
            return {}


def all_amounts_json(snapshot: Snapshot) -> Json:
    """Return the amounts of each node by its name, and of each pod by its namespace and name."""
    return {
        "nodes": {node.name: amounts_json(node) for node in snapshot.nodes},
        "pods": {f"{pod.namespace}/{pod.name}": amounts_json(pod) for pod in snapshot.pods},
    }
