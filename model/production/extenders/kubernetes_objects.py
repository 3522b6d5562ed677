"""Pods and nodes as Kubernetes JSON objects: `pod_object`, `node_object`.

Fields that `spec.objects` lacks are left out. The UID of a pod is its namespace and name, which identify it here.
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from schedcheck.spec.objects import Container, Node, Pod, SpreadConstraint, Toleration
from schedcheck.spec.owners import version_and_kind
from schedcheck.spec.quantities import Quantity, quantity_text
from schedcheck.spec.terms import LabelSelector, NodeSelectorTerm, PodAffinityTerm, Requirement

Object = dict[str, Any]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TERMINATING_SINCE = "1970-01-01T00:00:00Z"
"""The deletion time of a terminating pod, which is not known."""


def uid(pod: Pod) -> str:
    """Return the UID of the pod."""
    return "/".join(pod.key)


def _given(**fields: Any) -> Object:
    """Return the fields that are not empty; a `_` at the end of a name is removed."""
    return {name.rstrip("_"): value for name, value in fields.items() if value not in (None, "", [], {}, False)}


def _exact(amounts: Mapping[str, int]) -> Object:
    """Return amounts in billionths of a unit as quantities."""
    return {name: Quantity(amount, -9, "DecimalSI").canonical() for name, amount in sorted(amounts.items())}


def pod_object(pod: Pod) -> Object:
    """Return the pod as a JSON object."""
    started = None
    if pod.start_time is not None:
        started = (EPOCH + timedelta(microseconds=pod.start_time)).strftime("%Y-%m-%dT%H:%M:%SZ")
    version, kind = version_and_kind(pod.owner[0])
    by = _given(apiVersion=version, kind=kind, name=pod.owner[1], uid=pod.owner_uid, controller=True)
    owner = [by] if kind else []
    preempted = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
    return {
        "metadata": _given(
            name=pod.name,
            namespace=pod.namespace,
            uid=uid(pod),
            labels=dict(sorted(pod.labels.items())),
            ownerReferences=owner,
            deletionTimestamp=TERMINATING_SINCE if pod.terminating else None,
        ),
        "spec": _given(
            containers=[_container(each) for each in pod.containers],
            initContainers=[_container(each) for each in pod.init_containers],
            nodeName=pod.node_name,
            nodeSelector=dict(sorted(pod.node_selector.items())),
            affinity=_affinity(pod),
            tolerations=[_toleration(each) for each in pod.tolerations],
            topologySpreadConstraints=[_constraint(each) for each in pod.spread],
            overhead=_exact(pod.overhead),
            resources=_given(requests=_exact(pod.pod_requests)),
            hostNetwork=pod.host_network,
            schedulerName=pod.scheduler_name,
            schedulingGates=[{"name": name} for name in pod.scheduling_gates],
            preemptionPolicy=pod.preemption_policy,
        )
        | {"priority": pod.priority},
        "status": _given(
            phase=pod.phase,
            nominatedNodeName=pod.nominated_node_name,
            startTime=started,
            conditions=[preempted] if pod.preempted else [],
        ),
    }


def _container(container: Container) -> Object:
    ports = [
        _given(hostPort=port.port, containerPort=port.port, protocol=port.protocol, hostIP=port.ip)
        for port in container.ports
    ]
    return _given(
        image=container.image,
        resources=_given(requests=_exact(container.requests)),
        ports=ports,
        restartPolicy="Always" if container.sidecar else "",
    )


def _toleration(toleration: Toleration) -> Object:
    said = _given(
        key=toleration.key, operator=toleration.operator, value=toleration.value, effect=toleration.effect
    )  # fmt: skip
    return said if toleration.seconds is None else said | {"tolerationSeconds": toleration.seconds}


def _constraint(constraint: SpreadConstraint) -> Object:
    return _given(
        maxSkew=constraint.max_skew,
        topologyKey=constraint.topology_key,
        whenUnsatisfiable="DoNotSchedule" if constraint.required else "ScheduleAnyway",
        minDomains=constraint.min_domains if constraint.required else None,
        nodeAffinityPolicy="Honor" if constraint.affinity_honored else "Ignore",
        nodeTaintsPolicy="Honor" if constraint.taints_honored else "Ignore",
    ) | _selecting("labelSelector", constraint.selector)


def _selecting(name: str, selector: LabelSelector | None) -> Object:
    """Return a selector under its name, nothing for None; an empty selector becomes an empty object."""
    if selector is None:
        return {}
    labels = dict(sorted(selector.match_labels.items()))
    return {name: _given(matchLabels=labels, matchExpressions=_requirements(selector.match_expressions))}


def _requirements(requirements: Iterable[Requirement]) -> list[Object]:
    return [_given(key=each.key, operator=each.operator, values=list(each.values)) for each in requirements]


def _affinity(pod: Pod) -> Object:
    affinity = pod.affinity
    nodes = _given(
        requiredDuringSchedulingIgnoredDuringExecution=_given(
            nodeSelectorTerms=[_node_term(term) for term in affinity.node_required]
        ),
        preferredDuringSchedulingIgnoredDuringExecution=[
            {"weight": each.weight, "preference": _node_term(each.term)} for each in affinity.node_preferred
        ],
    )
    near, far = (
        _given(
            requiredDuringSchedulingIgnoredDuringExecution=[_pod_term(term) for term in required],
            preferredDuringSchedulingIgnoredDuringExecution=[
                {"weight": each.weight, "podAffinityTerm": _pod_term(each.term)} for each in preferred
            ],
        )
        for required, preferred in (
            (affinity.pod_required, affinity.pod_preferred),
            (affinity.anti_required, affinity.anti_preferred),
        )
    )
    return _given(nodeAffinity=nodes, podAffinity=near, podAntiAffinity=far)


def _node_term(term: NodeSelectorTerm) -> Object:
    return _given(
        matchExpressions=_requirements(term.match_expressions), matchFields=_requirements(term.match_fields)
    )  # fmt: skip


def _pod_term(term: PodAffinityTerm) -> Object:
    said = _given(topologyKey=term.topology_key, namespaces=list(term.namespaces))
    selectors = _selecting("labelSelector", term.label_selector)
    return said | selectors | _selecting("namespaceSelector", term.namespace_selector)


def node_object(node: Node) -> Object:
    """Return the node as a JSON object."""
    taints = [_given(key=taint.key, value=taint.value, effect=taint.effect) for taint in node.taints]
    return {
        "metadata": _given(name=node.name, labels=dict(sorted(node.labels.items()))),
        "spec": _given(unschedulable=node.unschedulable, taints=taints),
        "status": _given(
            allocatable={name: quantity_text(name, amount) for name, amount in sorted(node.allocatable.items())},
            images=[{"names": list(image.names), "sizeBytes": image.size} for image in node.images],
        ),
    }
