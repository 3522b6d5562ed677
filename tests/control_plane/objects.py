"""Objects as they are sent to an API server: `node`, `pod`, `replica_set`, `budget`, `priority_class`"""

from collections.abc import Mapping
from typing import Any

from tests.control_plane.plane import ALIVE

Json = dict[str, Any]


def node(name: str, resources: Mapping[str, str], labels: Mapping[str, str] | None = None, **spec: Any) -> Json:
    """Return a node whose kubelet is alive."""
    amounts = {"pods": "110", **resources}
    named = {"kubernetes.io/hostname": name, **ALIVE, **(labels or {})}
    return {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": named}, "spec": spec,
        "status": {"capacity": amounts, "allocatable": amounts},
    }  # fmt: skip


def pod_spec(requests: Mapping[str, str], **spec: Any) -> Json:
    """Return the spec of a pod with one container."""
    container = {"name": "main", "image": "none.example/none:1", "resources": {"requests": dict(requests)}}
    return {"containers": [container], "terminationGracePeriodSeconds": 5, **spec}


def pod(name: str, requests: Mapping[str, str], labels: Mapping[str, str] | None = None, runs_for: str = "", **spec: Any) -> Json:  # fmt: skip
    """Return a pod without an owner; it completes after `runs_for`, such as 20s, if that is given."""
    metadata: Json = {"name": name, "labels": dict(labels or {})}
    if runs_for:
        metadata["annotations"] = {"schedcheck.example/runs-for": runs_for}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod_spec(requests, **spec)}


def replica_set(name: str, replicas: int, spec: Json) -> Json:
    """Return a ReplicaSet, whose pods have its name as their label app."""
    app = {"app": name}
    return {
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": name, "labels": app},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": app},
            "template": {"metadata": {"labels": app}, "spec": spec},
        },
    }  # fmt: skip


def budget(name: str, **spec: Any) -> Json:
    """Return a budget for the pods with that label app, with `minAvailable` or `maxUnavailable`."""
    return {
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": name}}, **spec},
    }  # fmt: skip


def priority_class(name: str, value: int, **fields: Any) -> Json:
    """Return a priority class."""
    return {
        "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": name}, "value": value,
        **fields,
    }  # fmt: skip
