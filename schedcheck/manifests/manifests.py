"""Pods, nodes and budgets to manifests: `manifest`, which reads back as the same object, and `yaml_text`."""

import json
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

import yaml

from schedcheck.manifests.affinity import AFFINITY_ANNOTATION, PREFERRED, REQUIRED
from schedcheck.manifests.nodes import AVOIDS
from schedcheck.manifests.priorities import LOWER_PRIORITY
from schedcheck.manifests.scalars import plain
from schedcheck.manifests.times import EPOCH
from schedcheck.manifests.volumes import volume_manifest
from schedcheck.spec.device_objects import PodClaim
from schedcheck.spec.objects import (
    Container,
    HostPort,
    Node,
    Pod,
    PodDisruptionBudget,
    SpreadConstraint,
    Taint,
    Toleration,
)
from schedcheck.spec.owners import version_and_kind
from schedcheck.spec.quantities import Quantity, amount, quantity_text
from schedcheck.spec.terms import (
    NO_AFFINITY,
    Affinity,
    LabelSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredPodTerm,
    Requirement,
)
from schedcheck.spec.values import Amounts
from schedcheck.spec.workload_objects import WorkloadReference

Manifest = dict[str, Any]

DELETED = "1970-01-01T00:00:00Z"
"""The deletion time written for a terminating pod; the real time is not kept."""


PAUSE = "pause"
"""The image of a container without one, so that kubectl accepts the manifest."""


def manifest(value: Pod | Node | PodDisruptionBudget, uid: str = "", *, image: str = PAUSE) -> Manifest:
    """Return the Kubernetes manifest of an object, without empty fields and defaults.

    A pod with a `uid` reads back unchanged, except that its containers without an image have `image`; a pod without a
    uid reads back as the API server would store it.
    """
    match value:
        case Pod():
            return _pod(value, uid, image)
        case Node():
            return _node(value)
        case PodDisruptionBudget():
            return _budget(value)


def yaml_text(manifests: Iterable[Mapping[str, Any]]) -> str:
    """Return the manifests as YAML in which kubectl reads the same values; ambiguous text is quoted."""
    return str(yaml.dump_all(manifests, Dumper=_Dumper, sort_keys=False, allow_unicode=True, explicit_start=True))


class _Dumper(yaml.SafeDumper):
    """A YAML writer that quotes text wherever it would have another meaning without quotes."""

    def ignore_aliases(self, data: object) -> bool:
        """Return True: no value is written as an alias."""
        return True


def _text_node(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = '"' if not text.isprintable() else "'" if text == "<<" or plain(text) != text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text_node)


def _pod(pod: Pod, uid: str, image: str) -> Manifest:
    spec = {
        "nodeName": pod.node_name,
        "preemptionPolicy": pod.preemption_policy if pod.preemption_policy != LOWER_PRIORITY else "",
        "schedulerName": pod.scheduler_name if pod.scheduler_name != "default-scheduler" else "",
        "nodeSelector": dict(pod.node_selector),
        "affinity": _affinity(pod.affinity),
        "tolerations": [_toleration(toleration) for toleration in pod.tolerations],
        "initContainers": _containers(pod.init_containers, "init", image),
        "containers": [{**each, **_requiring(pod)} for each in _containers(pod.containers, "main", image)],
        "overhead": _requests(pod.overhead),
        "resources": given({"requests": _requests(pod.pod_requests)}),
        "topologySpreadConstraints": [_spread(each) for each in pod.spread],
        "hostNetwork": pod.host_network,
        "schedulingGates": [{"name": name} for name in pod.scheduling_gates],
        "volumes": [volume_manifest(volume) for volume in pod.volumes],
        "resourceClaims": [_resource_claim(each) for each in pod.resource_claims],
        "workloadRef": {} if pod.workload is None else _reference(pod.workload),
        "schedulingGroup": {"podGroupName": pod.scheduling_group} if pod.scheduling_group else {},
    }
    return given(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": given(
                {
                    "name": pod.name,
                    "namespace": pod.namespace,
                    "uid": uid,
                    "labels": dict(pod.labels),
                    "annotations": _annotations(pod),
                    "ownerReferences": _owner(pod) if pod.owner[0] else [],
                    "deletionTimestamp": DELETED if pod.terminating else "",
                }
            ),
            "spec": {
                "priority": pod.priority,
                **({"nodeSelector": {}} if pod.empty_node_selector else {}),
                **({"hostUsers": False} if "UserNamespacesHostNetworkSupport" in pod.required_features else {}),
                **given(spec),
            },
            "status": {
                "phase": pod.phase,
                **given(_pod_status(pod)),
                **_resources(pod.pod_allocated, pod.pod_actual),
            },
        }
    )


def _resource_claim(claim: PodClaim) -> Manifest:
    if claim.template:
        return {"name": claim.name, "resourceClaimTemplateName": claim.template}
    return given({"name": claim.name, "resourceClaimName": claim.claim})


def _reference(workload: WorkloadReference) -> Manifest:
    return given({"name": workload.workload, "podGroup": workload.group, "podGroupReplicaKey": workload.replica})


def _requiring(pod: Pod) -> Manifest:
    """Return the fields of containers that require a feature of the kubelet."""
    fields: Manifest = {}
    if "RestartAllContainersOnContainerExits" in pod.required_features:
        rule = {"action": "RestartAllContainers", "exitCodes": {"operator": "In", "values": [1]}}
        fields |= {"restartPolicy": "Never", "restartPolicyRules": [rule]}
    if "VolumeBindMountOptions" in pod.required_features:
        name = next((volume.name for volume in pod.volumes), "")
        fields |= {"volumeMounts": [{"name": name, "mountPath": "/volume", "bindMountOptions": ["noexec"]}]}
    return fields


def _annotations(pod: Pod) -> dict[str, str]:
    if pod.annotated_affinity == NO_AFFINITY:
        return {}
    return {AFFINITY_ANNOTATION: json.dumps(_affinity(pod.annotated_affinity))}


def _pod_status(pod: Pod) -> Manifest:
    resized = {"type": "PodResizePending", "status": "True", "reason": "Infeasible"}
    preempted = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    return {
        "nominatedNodeName": pod.nominated_node_name,
        "startTime": "" if pod.start_time is None else _time_text(pod.start_time),
        "conditions": [*([resized] if pod.resize_infeasible else []), *([preempted] if pod.preempted else [])],
        "resourceClaimStatuses": [
            given({"name": each.name, "resourceClaimName": each.claim})
            for each in pod.resource_claims
            if each.template and each.generated
        ],
        "initContainerStatuses": _statuses(pod.init_containers, "init"),
        "containerStatuses": _statuses(pod.containers, "main"),
    }


def _time_text(microseconds: int) -> str:
    time = EPOCH + timedelta(microseconds=microseconds)
    return time.isoformat().replace("+00:00", "Z")


def _statuses(containers: Iterable[Container], prefix: str) -> list[Manifest]:
    """Return the container statuses that record the resources in use, for the containers that have them."""
    return [
        {"name": f"{prefix}-{number}", **_resources(each.allocated, each.actual)}
        for number, each in enumerate(containers, start=1)
        if each.allocated or each.actual is not None
    ]


def _resources(allocated: Amounts, actual: Amounts | None) -> Manifest:
    """Return the fields of a status that tell what was allocated, and what is in use."""
    in_use = {} if actual is None else {"resources": given({"requests": _requests(actual)})}
    return {**given({"allocatedResources": _requests(allocated)}), **in_use}


def _spread(constraint: SpreadConstraint) -> Manifest:
    selector = constraint.selector
    return {
        "maxSkew": constraint.max_skew,
        "topologyKey": constraint.topology_key,
        "whenUnsatisfiable": "DoNotSchedule" if constraint.required else "ScheduleAnyway",
        **({} if selector is None else {"labelSelector": selector_manifest(selector)}),
        **given(
            {
                "minDomains": constraint.min_domains if constraint.min_domains != 1 else 0,
                "nodeAffinityPolicy": "" if constraint.affinity_honored else "Ignore",
                "nodeTaintsPolicy": "Honor" if constraint.taints_honored else "",
            }
        ),
    }


def _node(node: Node) -> Manifest:
    taints = [_taint(taint) for taint in node.taints]
    allocatable = {name: quantity_text(name, size) for name, size in sorted(node.allocatable.items())}
    statuses = {**({"Ready": node.ready} if node.ready != "True" else {}), **node.conditions}
    conditions = [{"type": kind, "status": status} for kind, status in statuses.items()]
    capacity = {name: quantity_text(name, size) for name, size in sorted(node.capacity.items())}
    images = [{"names": [*each.names], "sizeBytes": each.size} for each in node.images]
    status = {
        "capacity": capacity, "phase": node.phase, "conditions": conditions, "images": images,
        "declaredFeatures": sorted(node.declared_features),
    }  # fmt: skip
    return given(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": given({"name": node.name, "labels": dict(node.labels), "annotations": _avoided(node)}),
            "spec": given({"taints": taints, "unschedulable": node.unschedulable}),
            "status": {
                "allocatable": allocatable,
                **given(status),
            },
        }
    )


def _avoided(node: Node) -> dict[str, str]:
    signatures = [{"podSignature": {"podController": {"kind": kind, "uid": uid}}} for kind, uid in node.avoids]
    return {AVOIDS: json.dumps({"preferAvoidPods": signatures})} if signatures else {}


def _budget(budget: PodDisruptionBudget) -> Manifest:
    amounts = {"minAvailable": budget.min_available, "maxUnavailable": budget.max_unavailable}
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": budget.name, "namespace": budget.namespace},
        "spec": {
            **{key: amount for key, amount in amounts.items() if amount is not None},
            **({"selector": selector_manifest(budget.selector)} if budget.selector is not None else {}),
        },
        "status": {
            "expectedPods": budget.expected,
            "disruptionsAllowed": budget.disruptions_allowed,
            **given({"disruptedPods": dict.fromkeys(sorted(budget.disrupted), DELETED)}),
        },
    }


def _owner(pod: Pod) -> list[Manifest]:
    version, kind = version_and_kind(pod.owner[0])
    uid = {"uid": pod.owner_uid} if pod.owner_uid else {}
    return [{"apiVersion": version, "kind": kind, "name": pod.owner[1], **uid, "controller": True}]


def given(fields: Mapping[str, Any]) -> Manifest:
    """Return the fields that are not empty."""
    return {key: value for key, value in fields.items() if value}


def _containers(containers: Iterable[Container], prefix: str, image: str) -> list[Manifest]:
    return [_container(each, f"{prefix}-{number}", image) for number, each in enumerate(containers, start=1)]


def _container(container: Container, name: str, image: str) -> Manifest:
    """Return a container; one without an image gets this image, or none if it is empty."""
    return {
        "name": name,
        **given({"image": container.image or image}),
        **given(
            {
                "restartPolicy": "Always" if container.sidecar else "",
                "resources": given({"requests": _requests(container.requests)}),
                "ports": [_port(each) for each in container.ports],
            }
        ),
    }


def _port(port: HostPort) -> Manifest:
    numbers = {"containerPort": port.port, "hostPort": port.port}
    return numbers | given({"protocol": port.protocol if port.protocol != "TCP" else "", "hostIP": port.ip})


def _requests(requests: Amounts) -> dict[str, str]:
    return {resource: exact_text(resource, exact) for resource, exact in sorted(requests.items())}


def exact_text(resource: str, exact: int) -> str:
    """Return the text of a quantity given in billionths."""
    smallest = amount(resource, exact)
    whole = smallest * (10**6 if resource == "cpu" else 10**9) == exact
    return quantity_text(resource, smallest) if whole else Quantity(exact, -9, "DecimalSI").canonical()


def _taint(taint: Taint) -> Manifest:
    return given({"key": taint.key, "value": taint.value, "effect": taint.effect})


def _toleration(toleration: Toleration) -> Manifest:
    fields = {
        "key": toleration.key,
        "operator": toleration.operator,
        "value": toleration.value,
        "effect": toleration.effect,
    }
    return {**given(fields), **({} if toleration.seconds is None else {"tolerationSeconds": toleration.seconds})}


def _affinity(affinity: Affinity) -> Manifest:
    node_terms = [node_term_manifest(term) for term in affinity.node_required]
    node_preferred = [
        {"weight": each.weight, "preference": node_term_manifest(each.term)} for each in affinity.node_preferred
    ]
    return given(
        {
            "nodeAffinity": given({REQUIRED: given({"nodeSelectorTerms": node_terms}), PREFERRED: node_preferred}),
            "podAffinity": _pod_terms(affinity.pod_required, affinity.pod_preferred),
            "podAntiAffinity": _pod_terms(affinity.anti_required, affinity.anti_preferred),
        }
    )


def _pod_terms(required: Iterable[PodAffinityTerm], preferred: Iterable[PreferredPodTerm]) -> Manifest:
    weighted = [{"weight": each.weight, "podAffinityTerm": _pod_term(each.term)} for each in preferred]
    return given({REQUIRED: [_pod_term(term) for term in required], PREFERRED: weighted})


def _requirements(requirements: Iterable[Requirement]) -> list[Manifest]:
    return [{"key": each.key, "operator": each.operator, **given({"values": [*each.values]})} for each in requirements]


def node_term_manifest(term: NodeSelectorTerm) -> Manifest:
    """Return a term of a node selector."""
    return given(
        {"matchExpressions": _requirements(term.match_expressions), "matchFields": _requirements(term.match_fields)}
    )


def selector_manifest(selector: LabelSelector) -> Manifest:
    """Return a label selector; the empty one is an empty map."""
    return given(
        {"matchLabels": dict(selector.match_labels), "matchExpressions": _requirements(selector.match_expressions)}
    )


def _pod_term(term: PodAffinityTerm) -> Manifest:
    selectors = {"labelSelector": term.label_selector, "namespaceSelector": term.namespace_selector}
    return {
        "topologyKey": term.topology_key,
        **given({"namespaces": list(term.namespaces)}),
        **{key: selector_manifest(selector) for key, selector in selectors.items() if selector is not None},
    }
