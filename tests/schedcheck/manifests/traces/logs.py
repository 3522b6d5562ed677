"""Audit logs, events and results of kube-scheduler-simulator for tests, as their documentation describes them."""

import json
from pathlib import Path
from typing import Any

Object = dict[str, Any]
SIMULATOR = "kube-scheduler-simulator.sigs.k8s.io/"
SCHEDULER = {"username": "system:kube-scheduler", "groups": ["system:authenticated"]}


def node(name: str, cpu: int) -> Object:
    labels = {"kubernetes.io/hostname": name}
    allocatable = {"cpu": str(cpu), "memory": "1Gi", "pods": "10"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"allocatable": allocatable},
    }


def pod(name: str, cpu: int, on: str = "", priority: int = 0, phase: str = "", **metadata: Any) -> Object:
    container = {"name": "main", "image": "app", "resources": {"requests": {"cpu": str(cpu)}}}
    spec = {"schedulerName": "default-scheduler", "priority": priority, "containers": [container]} | (
        {"nodeName": on} if on else {}
    )
    about = {"name": name, "namespace": "shop", "uid": f"uid-{name}", **metadata}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": about,
        "spec": spec,
        "status": {"phase": phase or ("Running" if on else "Pending")},
    }


def stamp(seconds: float) -> str:
    return f"2026-01-01T00:00:{seconds:09.6f}Z"


def call(
    seconds: float, verb: str, name: str, resource: str = "pods", sub: str = "", level: str = "RequestResponse", code: int = 200,
    stage: str = "ResponseComplete", request: Any = None, response: Any = None, user: Object = SCHEDULER,
) -> Object:  # fmt: skip
    """An event of the audit log; the level says which bodies it has."""
    about = {"resource": resource, "namespace": "shop" if resource == "pods" else "", "name": name, "apiVersion": "v1"}
    made = {
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": level, "auditID": f"{seconds}", "stage": stage,
        "requestURI": f"/api/v1/{resource}/{name}", "verb": verb, "user": user, "sourceIPs": ["10.0.0.1"],
        "userAgent": "kube-scheduler/v1.34.1", "objectRef": about | ({"subresource": sub} if sub else {}),
        "responseStatus": {"metadata": {}, "code": code},
        "requestReceivedTimestamp": stamp(seconds), "stageTimestamp": stamp(seconds),
    }  # fmt: skip
    if level in ("Request", "RequestResponse") and request is not None:
        made["requestObject"] = request
    if level == "RequestResponse" and response is not None:
        made["responseObject"] = response
    return made


def binding(seconds: float, name: str, to: str, level: str = "RequestResponse", code: int = 201) -> Object:
    request = {
        "kind": "Binding",
        "apiVersion": "v1",
        "metadata": {"name": name, "namespace": "shop"},
        "target": {"kind": "Node", "name": to},
    }
    response = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": code}
    return call(seconds, "create", name, sub="binding", level=level, code=code, request=request, response=response)


def failure(
    seconds: float,
    given: Object,
    nominated: str | None = None,
    message: str = "0/1 nodes are available",
    level: str = "RequestResponse",
) -> Object:
    """The patch by which a scheduler says that a pod is unschedulable; `nominated` empty takes a nomination back."""
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    status: Object = {"conditions": [condition]} | (
        {} if nominated is None else {"nominatedNodeName": nominated or None}
    )
    after = given | {
        "status": given["status"]
        | {"conditions": [condition]}
        | ({"nominatedNodeName": nominated} if nominated else {})
    }
    return call(
        seconds,
        "patch",
        given["metadata"]["name"],
        sub="status",
        level=level,
        request={"status": status},
        response=after,
    )


def created(seconds: float, given: Object, resource: str = "pods", level: str = "RequestResponse") -> Object:
    user = {"username": "system:serviceaccount:kube-system:replicaset-controller"}
    return call(
        seconds,
        "create",
        given["metadata"]["name"],
        resource,
        level=level,
        code=201,
        request=given,
        response=given,
        user=user,
    )


def deleted(seconds: float, given: Object, grace: int, level: str = "RequestResponse") -> Object:
    """A deletion: with a grace the pod is terminating, without one it is gone."""
    ending = {"deletionTimestamp": stamp(seconds), "deletionGracePeriodSeconds": grace}
    after = given | {"metadata": given["metadata"] | (ending if grace else {})}
    options = {"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": grace}
    return call(seconds, "delete", given["metadata"]["name"], level=level, request=options, response=after)


def happened(reason: str, name: str, message: str, seconds: float, **fields: Any) -> Object:
    """A Kubernetes event about a pod."""
    about = {"kind": "Pod", "namespace": "shop", "name": name, "uid": f"uid-{name}", "apiVersion": "v1"}
    return {
        "apiVersion": "v1", "kind": "Event", "metadata": {"name": f"{name}.{seconds}", "namespace": "shop"}, "involvedObject": about,
        "reason": reason, "message": message, "type": "Normal", "eventTime": stamp(seconds), "firstTimestamp": None, "lastTimestamp": None,
        "reportingComponent": "default-scheduler", "source": {}, **fields,
    }  # fmt: skip


def assigned(name: str, to: str, seconds: float) -> Object:
    return happened("Scheduled", name, f"Successfully assigned shop/{name} to {to}", seconds)


def result(given: Object, seconds: float, **annotations: Any) -> Object:
    """A pod with annotations of kube-scheduler-simulator, and the time of its condition PodScheduled."""
    texts = {
        SIMULATOR + name.replace("_", "-"): said if isinstance(said, str) else json.dumps(said)
        for name, said in annotations.items()
    }
    condition = {
        "type": "PodScheduled",
        "status": "True" if given["spec"].get("nodeName") else "False",
        "lastTransitionTime": stamp(seconds),
    }
    return given | {
        "metadata": given["metadata"] | {"annotations": texts},
        "status": given["status"] | {"conditions": [condition]},
    }


def listed(*items: Object, kind: str = "List") -> Object:
    return {"apiVersion": "v1", "kind": kind, "items": list(items), "metadata": {"resourceVersion": ""}}


def written(folder: Path, *lines: Object, indent: int | None = None) -> Path:
    file = folder / "record.json"
    file.write_text("".join(f"{json.dumps(line, indent=indent)}\n" for line in lines))
    return file
