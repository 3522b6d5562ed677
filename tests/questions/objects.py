"""Objects as an API server stores them, with what servers and controllers add: `node`, `deployment`, `daemons`, `listed` …

A pod is named after its owner with the random-looking letters that a controller appends; all of them follow from names.
Requests are texts such as "300m 256Mi": cpu and memory. `on` lists nodes, one for each pod; `-` is a pod without a node.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

import yaml

Object = dict[str, Any]

LETTERS = "bcdfghjklmnpqrstvwxz2456789"
BORNE = [
    {"effect": "NoExecute", "key": f"node.kubernetes.io/{key}", "operator": "Exists", "tolerationSeconds": 300}
    for key in ("not-ready", "unreachable")
]
BY_DAEMONS = [
    {"effect": effect, "key": f"node.kubernetes.io/{key}", "operator": "Exists"}
    for key, effect in (
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    )
]
ANYTHING = {"operator": "Exists"}
CRITICAL = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}


def letters(text: str, number: int) -> str:
    """Return letters as generateName appends them."""
    digest = sha256(text.encode()).digest()
    return "".join(LETTERS[byte % len(LETTERS)] for byte in digest[:number])


def hexadecimal(text: str, number: int) -> str:
    return sha256(text.encode()).hexdigest()[:number]


def metadata(
    kind: str,
    namespace: str,
    name: str,
    labels: Mapping[str, str] | None = None,
    owner: tuple[str, str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
) -> Object:
    """Return the metadata of a stored object; `owner` is apiVersion, kind and name of its controller."""
    seed = f"{kind}/{namespace}/{name}"
    raw = hexadecimal(seed, 32)
    number = int(raw[:6], 16)
    found: Object = {
        "name": name,
        "uid": f"{raw[:8]}-{raw[8:12]}-4{raw[13:16]}-a{raw[17:20]}-{raw[20:32]}",
        "resourceVersion": str(1_000_000 + number),
        "creationTimestamp": f"2026-0{1 + number % 9}-{1 + number % 28:02}T{number % 24:02}:{number % 60:02}:{number % 59:02}Z",
    }
    if namespace:
        found["namespace"] = namespace
    if labels:
        found["labels"] = dict(labels)
    if annotations:
        found["annotations"] = dict(annotations)
    if owner:
        version, owning, called = owner
        of = metadata(owning, namespace, called)["uid"]
        found["ownerReferences"] = [
            {
                "apiVersion": version,
                "blockOwnerDeletion": True,
                "controller": True,
                "kind": owning,
                "name": called,
                "uid": of,
            }
        ]
    return found


def thing(
    version: str, kind: str, namespace: str, name: str, labels: Mapping[str, str] | None = None, **fields: Any
) -> Object:
    """Return an object of any kind."""
    return {"apiVersion": version, "kind": kind, "metadata": metadata(kind, namespace, name, labels), **fields}


def node(
    name: str,
    labels: Mapping[str, str],
    allocatable: Mapping[str, str],
    taints: Sequence[Object] = (),
    *,
    cordoned: bool = False,
    annotations: Mapping[str, str] | None = None,
    version: str = "v1.31.4",
) -> Object:
    """Return a node that is ready, with a little more capacity than is allocatable."""
    common = {
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        "kubernetes.io/os": "linux",
    }
    healthy = [
        {"lastHeartbeatTime": "2026-11-20T08:00:00Z", "reason": "KubeletHas", "status": "False", "type": kind}
        for kind in ("MemoryPressure", "DiskPressure", "PIDPressure")
    ]
    cordon = [{"effect": "NoSchedule", "key": "node.kubernetes.io/unschedulable", "timeAdded": "2026-11-19T21:10:00Z"}]
    spec: Object = {"providerID": f"cloud:///{name}"}
    if taints or cordoned:
        spec["taints"] = [*taints, *(cordon if cordoned else [])]
    if cordoned:
        spec["unschedulable"] = True
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": metadata("Node", "", name, {**common, **labels}, annotations=annotations),
        "spec": spec,
        "status": {
            "addresses": [{"address": name, "type": "Hostname"}],
            "allocatable": {
                "ephemeral-storage": "95491281146",
                "hugepages-1Gi": "0",
                "hugepages-2Mi": "0",
                **allocatable,
            },
            "capacity": {"ephemeral-storage": "104845292Ki", **allocatable},
            "conditions": [*healthy, {"reason": "KubeletReady", "status": "True", "type": "Ready"}],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "images": [{"names": ["registry.k8s.io/pause:3.10"], "sizeBytes": 320368}],
            "nodeInfo": {"architecture": "amd64", "kubeletVersion": version, "operatingSystem": "linux"},
        },
    }


def containers(requests: Mapping[str, str], more: Mapping[str, Any]) -> list[Object]:
    return [_container(name, asked, more) for name, asked in requests.items()]


def _container(name: str, asked: str, more: Mapping[str, Any]) -> Object:
    """Return a container; `asked` is cpu, memory and further resources as key=value, empty for a container without requests."""
    words = asked.split()
    amounts = dict(zip(("cpu", "memory"), (each for each in words if "=" not in each), strict=False))
    amounts |= dict(each.split("=") for each in words if "=" in each)
    limits = {key: size for key, size in amounts.items() if "/" in key}
    ports = [{"containerPort": port, "hostPort": port, "protocol": "TCP"} for port in more.get("ports", ())]
    return {
        "image": f"registry.example.com/{name}:{letters(name, 6)}",
        "imagePullPolicy": "IfNotPresent",
        "name": name,
        "resources": {**({"requests": amounts} if amounts else {}), **({"limits": limits} if limits else {})},
        "terminationMessagePath": "/dev/termination-log",
        **({"ports": ports} if ports else {}),
    }


def template(labels: Mapping[str, str], requests: Mapping[str, str], more: Mapping[str, Any]) -> Object:
    """Return a pod template; `more` are fields of its spec, and `ports`, the host ports of its containers."""
    spec = {
        "containers": containers(requests, more),
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
        **{key: value for key, value in more.items() if key not in ("ports", "claims", "value")},
    }
    return {"metadata": {"creationTimestamp": None, "labels": dict(labels)}, "spec": spec}


def pod(
    namespace: str,
    name: str,
    on: str,
    form: Object,
    owner: tuple[str, str, str] | None = None,
    *,
    labels: Mapping[str, str] | None = None,
    value: int = 0,
    tolerations: Sequence[Object] = BORNE,
    phase: str = "",
    annotations: Mapping[str, str] | None = None,
) -> Object:
    """Return a stored pod of a template; `on` is its node, or `-`."""
    spec = dict(form["spec"])
    critical = CRITICAL.get(spec.get("priorityClassName", ""))
    spec |= {
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
        "priority": value if critical is None else critical,
        "tolerations": [*spec.get("tolerations", ()), *tolerations],
        "serviceAccountName": "default",
    }
    made = metadata(
        "Pod", namespace, name, {**form["metadata"].get("labels", {}), **(labels or {})}, owner, annotations
    )
    started = made["creationTimestamp"]
    if on == "-":
        status: Object = {
            "conditions": [{"reason": "Unschedulable", "status": "False", "type": "PodScheduled"}],
            "phase": "Pending",
        }
    else:
        spec["nodeName"] = on
        phase = phase or "Running"
        ready = "True" if phase == "Running" else "False"
        kinds = (("PodScheduled", "True"), ("Initialized", "True"), ("ContainersReady", ready), ("Ready", ready))
        status = {
            "conditions": [{"lastTransitionTime": started, "status": now, "type": kind} for kind, now in kinds],
            "hostIP": "10.0.0.1",
            "phase": phase,
            "podIP": "10.1.0.1",
            "startTime": started,
        }
    status["qosClass"] = "Burstable"
    return {"apiVersion": "v1", "kind": "Pod", "metadata": made, "spec": spec, "status": status}


def deployment(
    namespace: str,
    name: str,
    on: str,
    requests: Mapping[str, str] | str,
    *,
    labels: Mapping[str, str] | None = None,
    value: int = 0,
    strategy: Object | None = None,
    **more: Any,
) -> Iterator[Object]:
    """Yield a Deployment, its ReplicaSet and its pods, one for each word of `on`; `more` are fields of the pods' spec."""
    asked = {name: requests} if isinstance(requests, str) else requests
    chosen = dict(labels or {"app.kubernetes.io/name": name})
    form = template(chosen, asked, more)
    places = on.split()
    number = len(places)
    generation = hexadecimal(f"{namespace}/{name}", 10).translate(str.maketrans("01ae3", "56789"))
    rolling = {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}, "type": "RollingUpdate"}
    running = sum(place != "-" for place in places)
    yield {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata(
            "Deployment", namespace, name, chosen, annotations={"deployment.kubernetes.io/revision": "4"}
        ),
        "spec": {
            "progressDeadlineSeconds": 600,
            "replicas": number,
            "revisionHistoryLimit": 10,
            "selector": {"matchLabels": chosen},
            "strategy": strategy or rolling,
            "template": form,
        },
        "status": {"availableReplicas": running, "observedGeneration": 4, "readyReplicas": running, "replicas": number},
    }
    hashed = {"pod-template-hash": generation}
    inner = {**form, "metadata": {**form["metadata"], "labels": {**chosen, **hashed}}}
    replica_set = f"{name}-{generation}"
    yield {
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": metadata(
            "ReplicaSet", namespace, replica_set, {**chosen, **hashed}, ("apps/v1", "Deployment", name)
        ),
        "spec": {"replicas": number, "selector": {"matchLabels": {**chosen, **hashed}}, "template": inner},
        "status": {"observedGeneration": 1, "replicas": number},
    }
    for place_number, place in enumerate(places):
        called = f"{replica_set}-{letters(f'{namespace}/{replica_set}/{place_number}', 5)}"
        yield pod(namespace, called, place, inner, ("apps/v1", "ReplicaSet", replica_set), value=value)


def stateful(
    namespace: str, name: str, on: str, requests: str, *, claims: Sequence[Object] = (), value: int = 0, **more: Any
) -> Iterator[Object]:
    """Yield a StatefulSet and its pods name-0, name-1 …; each has a claim of each template in `claims`."""
    chosen = {"app.kubernetes.io/name": name}
    form = template(chosen, {name: requests}, more)
    places = on.split()
    yield {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": metadata("StatefulSet", namespace, name, chosen),
        "spec": {
            "podManagementPolicy": "OrderedReady",
            "replicas": len(places),
            "selector": {"matchLabels": chosen},
            "serviceName": name,
            "template": form,
            "updateStrategy": {"rollingUpdate": {"partition": 0}, "type": "RollingUpdate"},
            **({"volumeClaimTemplates": list(claims)} if claims else {}),
        },
        "status": {"availableReplicas": len(places), "collisionCount": 0, "replicas": len(places)},
    }
    for number, place in enumerate(places):
        called = f"{name}-{number}"
        volumes = [
            {
                "name": claim["metadata"]["name"],
                "persistentVolumeClaim": {"claimName": f"{claim['metadata']['name']}-{called}"},
            }
            for claim in claims
        ]
        inner = {**form, "spec": {**form["spec"], **({"volumes": volumes} if volumes else {})}}
        own = {
            "apps.kubernetes.io/pod-index": str(number),
            "controller-revision-hash": f"{name}-{letters(name, 9)}",
            "statefulset.kubernetes.io/pod-name": called,
        }
        yield pod(namespace, called, place, inner, ("apps/v1", "StatefulSet", name), labels=own, value=value)


def daemons(
    namespace: str,
    name: str,
    nodes: Iterable[str],
    requests: Mapping[str, str] | str,
    *,
    labels: Mapping[str, str] | None = None,
    waiting: Sequence[str] = (),
    **more: Any,
) -> Iterator[Object]:
    """Yield a DaemonSet and its pods on these nodes; those for the nodes `waiting` are pending."""
    asked = {name: requests} if isinstance(requests, str) else requests
    chosen = dict(labels or {"k8s-app": name})
    form = template(chosen, asked, more)
    there = list(nodes)
    counts = dict.fromkeys(("currentNumberScheduled", "desiredNumberScheduled", "numberReady"), len(there))
    yield {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": metadata("DaemonSet", namespace, name, chosen),
        "spec": {
            "selector": {"matchLabels": chosen},
            "template": form,
            "updateStrategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}, "type": "RollingUpdate"},
        },
        "status": counts,
    }
    for place in there:
        called = f"{name}-{letters(f'{namespace}/{name}/{place}', 5)}"
        only = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [place]}]}]
        required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": only}}
        inner = {**form, "spec": {**form["spec"], "affinity": {"nodeAffinity": required}}}
        own = {"controller-revision-hash": letters(name, 9), "pod-template-generation": "1"}
        where = "-" if place in waiting else place
        yield pod(namespace, called, where, inner, ("apps/v1", "DaemonSet", name), labels=own, tolerations=BY_DAEMONS)


def job(
    namespace: str, name: str, on: str, requests: str, *, done: bool = False, value: int = 0, **more: Any
) -> Iterator[Object]:
    """Yield a Job and its pods; those of a Job that is `done` have succeeded. `on` may be empty, with `parallelism`."""
    number = more.pop("parallelism", len(on.split()))
    suspended = bool(more.pop("suspend", False))
    labels = {"batch.kubernetes.io/job-name": name, "job-name": name}
    form = template(labels, {name: requests}, {"restartPolicy": "Never", **more})
    succeeded = {"conditions": [{"status": "True", "type": "Complete"}], "succeeded": number}
    yield {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata("Job", namespace, name, labels),
        "spec": {
            "backoffLimit": 6,
            "completionMode": "NonIndexed",
            "completions": number,
            "parallelism": number,
            "selector": {"matchLabels": {"batch.kubernetes.io/job-name": name}},
            "suspend": suspended,
            "template": form,
        },
        "status": succeeded if done else {"active": number},
    }
    for place_number, place in enumerate(on.split()):
        called = f"{name}-{letters(f'{namespace}/{name}/{place_number}', 5)}"
        phase = "Succeeded" if done else ""
        yield pod(namespace, called, place, form, ("batch/v1", "Job", name), value=value, phase=phase)


def static(namespace: str, name: str, on: str, requests: str, labels: Mapping[str, str] | None = None) -> Object:
    """Return the mirror of a static pod."""
    form = template(
        labels or {"component": name},
        {name: requests},
        {"hostNetwork": True, "priorityClassName": "system-node-critical"},
    )
    mark = hexadecimal(name, 32)
    annotations = {"kubernetes.io/config.mirror": mark, "kubernetes.io/config.source": "file"}
    tolerations = [{"effect": "NoExecute", "operator": "Exists"}]
    return pod(
        namespace, f"{name}-{on}", on, form, ("v1", "Node", on), tolerations=tolerations, annotations=annotations
    )


def budget(namespace: str, name: str, labels: Mapping[str, str], healthy: int, desired: int, **amounts: Any) -> Object:
    """Return a budget whose status counts `healthy` pods, of which `desired` must stay."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata("PodDisruptionBudget", namespace, name),
        "spec": {**amounts, "selector": {"matchLabels": dict(labels)}},
        "status": {
            "conditions": [{"status": str(healthy > desired), "type": "DisruptionAllowed"}],
            "currentHealthy": healthy,
            "desiredHealthy": desired,
            "disruptionsAllowed": max(0, healthy - desired),
            "expectedPods": healthy,
            "observedGeneration": 1,
        },
    }


def claim_template(name: str, storage_class: str, size: str) -> Object:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": size}},
        "storageClassName": storage_class,
    }
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}


def bound_volume(
    namespace: str, claim: str, storage_class: str, size: str, where: tuple[str, str], source: Object
) -> Iterator[Object]:
    """Yield a claim and its volume, which is only where a label has this value."""
    volume = f"pvc-{metadata('PersistentVolumeClaim', namespace, claim)['uid']}"
    common = {"accessModes": ["ReadWriteOnce"], "storageClassName": storage_class, "volumeMode": "Filesystem"}
    bound = {"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}
    yield {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata("PersistentVolumeClaim", namespace, claim, annotations=bound),
        "spec": {**common, "resources": {"requests": {"storage": size}}, "volumeName": volume},
        "status": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": size}, "phase": "Bound"},
    }
    key, value = where
    terms = [{"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}]
    yield thing(
        "v1", "PersistentVolume", "", volume,
        spec={
            **common,
            **source,
            "capacity": {"storage": size},
            "claimRef": {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "name": claim, "namespace": namespace},
            "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
            "persistentVolumeReclaimPolicy": "Delete",
        },
        status={"phase": "Bound"},
    )  # fmt: skip


def with_managed_fields(of: Object, manager: str) -> Object:
    """Return the object as kubectl --show-managed-fields prints it."""
    fields = {"f:metadata": {"f:labels": {".": {}}}, "f:spec": {}, "f:status": {"f:conditions": {}}}
    entry = {
        "apiVersion": of["apiVersion"],
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
        "manager": manager,
        "operation": "Update",
    }
    return {**of, "metadata": {**of["metadata"], "managedFields": [entry]}}


def listed(objects: Iterable[Object]) -> Object:
    """Return the List that kubectl get prints."""
    return {"apiVersion": "v1", "items": list(objects), "kind": "List", "metadata": {"resourceVersion": ""}}


def as_json(objects: Iterable[Object]) -> str:
    return json.dumps(listed(objects), indent=1, sort_keys=True) + "\n"


def as_yaml(objects: Iterable[Object]) -> str:
    return str(yaml.dump(listed(objects), Dumper=_Plain, default_flow_style=False, width=120))


class _Plain(yaml.SafeDumper):
    """A writer without anchors, as kubectl writes."""

    def ignore_aliases(self, data: object) -> bool:
        return True
