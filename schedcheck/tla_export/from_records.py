"""Records of tla/ to objects: the inverse of `records`.

The elements of a set come back in the order of their texts. Fields that a record does not hold get their defaults. In a
pod of the published model, a request of 0 reads back as no request.
"""

from collections.abc import Iterable
from typing import Any

from frozendict import frozendict

from schedcheck.checker.language.values.values import TRUE, FiniteSet, Value
from schedcheck.spec.objects import (
    Container,
    Controller,
    HostPort,
    Namespace,
    Node,
    NodeImage,
    Pod,
    PodDisruptionBudget,
    Service,
    Snapshot,
    SpreadConstraint,
    Taint,
    Toleration,
)
from schedcheck.spec.storage import ImageSource, Volume
from schedcheck.spec.terms import (
    Affinity,
    LabelSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredNodeTerm,
    PreferredPodTerm,
    Requirement,
)
from schedcheck.spec.values import NO_AMOUNTS, Amounts, Labels
from schedcheck.tla_export.records import Records
from schedcheck.tla_export.values import NULL

BILLIONTHS = {"cpu": 10**6}
"""The smallest unit of a resource, in billionths of its unit; 10^9 for resources that are not listed."""


def snapshot_of(value: FiniteSet, records: Records) -> Snapshot:
    """Return the snapshot with this value."""
    by_kind: dict[str, list[Any]] = {}
    for record in value:
        by_kind.setdefault(record["Kind"], []).append(record)
    known = {"Pod", "Node", "Namespace", "PodDisruptionBudget", "Service"}
    controllers = (record for kind, found in by_kind.items() if kind not in known for record in found)
    return Snapshot(
        _sorted(pod_of(record, records) for record in by_kind.get("Pod", ())),
        tuple(sorted((node_of(record, records) for record in by_kind.get("Node", ())), key=lambda node: node.name)),
        tuple(sorted(map(_namespace, by_kind.get("Namespace", ())), key=lambda each: each.name)),
        _sorted(map(_budget, by_kind.get("PodDisruptionBudget", ()))),
        _sorted(map(_service, by_kind.get("Service", ()))),
        _sorted(map(_controller, controllers)),
    )


def pod_of(record: Value, records: Records) -> Pod:
    """Return the pod of a record."""
    spec, status = record["Spec"], record["Status"]
    more = _more(record, records) if records.kubernetes else {}
    return Pod(
        name=record["Name"],
        namespace=record["Namespace"],
        labels=_labels(record["Labels"]),
        owner=record["Owner"],
        terminating=record["Terminating"] is TRUE,
        node_name=spec["NodeName"],
        template_node_name=spec["TemplateNodeName"],
        phase=status["Phase"],
        priority=spec["Priority"] * records.scale.priority,
        preemption_policy=spec["PreemptionPolicy"],
        node_selector=_labels(spec["NodeSelector"]),
        affinity=_affinity(spec["Affinity"]),
        tolerations=_each(spec["Tolerations"], _toleration),
        init_containers=tuple(_container(each, records) for each in spec["InitContainers"]),
        containers=tuple(_container(each, records) for each in spec["Containers"]),
        overhead=_amounts(spec["Overhead"], records, zeros=records.kubernetes),
        pod_requests=_amounts(spec["Requests"], records, zeros=True),
        **more,
    )


def _more(record: Value, records: Records) -> dict[str, Any]:
    """Return the fields that a pod's record has beyond those of the published model."""
    spec, status = record["Spec"], record["Status"]
    start = status["StartTime"]
    return {
        "scheduler_name": spec["SchedulerName"],
        "empty_node_selector": spec["EmptyNodeSelector"] is TRUE,
        "scheduling_gates": tuple(sorted(spec["SchedulingGates"])),
        "spread": tuple(map(_spread, spec["TopologySpread"])),
        "required_features": frozenset(spec["RequiredFeatures"]),
        "volumes": tuple(
            Volume(f"image-{number}", ImageSource(name)) for number, name in enumerate(spec["ImageVolumes"], 1)
        ),
        "nominated_node_name": status["NominatedNodeName"],
        "resize_infeasible": status["ResizeInfeasible"] is TRUE,
        "pod_allocated": _amounts(status["Allocated"], records, zeros=True),
        "pod_actual": _amounts_if_any(status["Actual"], records),
        "start_time": None if start == len(records.starts) else records.starts[start],
        "preempted": status["Preempted"] is TRUE,
    }


def _toleration(record: Value) -> Toleration:
    """Return a toleration.

    A record says only whether tolerationSeconds are limited; a limit reads back as 0.
    """
    seconds = None if record["Forever"] is TRUE else 0
    return Toleration(record["Key"], record["Operator"], record["Value"], record["Effect"], seconds)


def node_of(record: Value, records: Records) -> Node:
    """Return the node of a record."""
    spec, status = record["Spec"], record["Status"]
    allocatable = {name: number * records.scale.divisors.get(name, 1) for name, number in _items(status["Allocatable"])}
    images, declared = (status["Images"], status["DeclaredFeatures"]) if records.kubernetes else ((), ())
    return Node(
        record["Name"],
        labels=_labels(record["Labels"]),
        allocatable=frozendict(allocatable),
        taints=_each(spec["Taints"], lambda each: Taint(each["Key"], each["Effect"], each["Value"])),
        unschedulable=spec["Unschedulable"] is TRUE,
        phase=status["Phase"],
        ready=status["Ready"],
        images=tuple(NodeImage(tuple(sorted(each["Names"])), each["Size"] * records.image_unit) for each in images),
        declared_features=frozenset(declared),
    )


def _namespace(record: Value) -> Namespace:
    return Namespace(record["Name"], _labels(record["Labels"]))


def _budget(record: Value) -> PodDisruptionBudget:
    return PodDisruptionBudget(
        record["Name"],
        record["Namespace"],
        selector=_selector(record["Selector"]),
        min_available=_count(record["MinAvailable"]),
        max_unavailable=_count(record["MaxUnavailable"]),
        expected=record["Expected"],
        disruptions_allowed=record["DisruptionsAllowed"],
        disrupted=frozenset(record["Disrupted"]),
    )


def _count(record: Value) -> int | str | None:
    if record is NULL:
        return None
    return f"{record['Number']}%" if record["Percent"] is TRUE else int(record["Number"])


def _service(record: Value) -> Service:
    return Service(record["Name"], record["Namespace"], _labels(record["Selector"]))


def _controller(record: Value) -> Controller:
    return Controller(record["Kind"], record["Name"], record["Namespace"], _selector(record["Selector"]))


def _container(record: Value, records: Records) -> Container:
    if not records.kubernetes:
        return Container(_amounts(record["Requests"], records, zeros=False), record["Sidecar"] is TRUE)
    return Container(
        _amounts(record["Requests"], records, zeros=True),
        record["Sidecar"] is TRUE,
        record["Image"],
        _each(record["Ports"], lambda each: HostPort(each["Port"], each["Protocol"], each["Address"])),
        _amounts(record["Allocated"], records, zeros=True),
        _amounts_if_any(record["Actual"], records),
    )


def _amounts_if_any(record: Value, records: Records) -> Amounts | None:
    return None if record is NULL else _amounts(record, records, zeros=True)


def _spread(record: Value) -> SpreadConstraint:
    return SpreadConstraint(
        record["MaxSkew"],
        record["TopologyKey"],
        record["Required"] is TRUE,
        _selector(record["Selector"]),
        record["MinDomains"],
        record["AffinityHonored"] is TRUE,
        record["TaintsHonored"] is TRUE,
    )


def _affinity(record: Value) -> Affinity:
    nodes, pods, apart = record["NodeAffinity"], record["PodAffinity"], record["PodAntiAffinity"]
    return Affinity(
        _each(nodes["Required"], _node_term),
        tuple(PreferredNodeTerm(each["Weight"], _node_term(each["Term"])) for each in nodes["Preferred"]),
        _each(pods["Required"], _pod_term),
        tuple(PreferredPodTerm(each["Weight"], _pod_term(each["Term"])) for each in pods["Preferred"]),
        _each(apart["Required"], _pod_term),
        tuple(PreferredPodTerm(each["Weight"], _pod_term(each["Term"])) for each in apart["Preferred"]),
    )


def _node_term(record: Value) -> NodeSelectorTerm:
    return NodeSelectorTerm(_each(record["MatchExpressions"], _requirement), _each(record["MatchFields"], _requirement))


def _pod_term(record: Value) -> PodAffinityTerm:
    return PodAffinityTerm(
        record["TopologyKey"],
        _selector(record["LabelSelector"]),
        tuple(sorted(record["Namespaces"])),
        _selector(record["NamespaceSelector"]),
    )


def _selector(record: Value) -> LabelSelector | None:
    if record is NULL:
        return None
    return LabelSelector(_labels(record["MatchLabels"]), _each(record["MatchExpressions"], _requirement))


def _requirement(record: Value) -> Requirement:
    return Requirement(record["Key"], record["Operator"], tuple(sorted(record["Values"])))


def _labels(value: Value) -> Labels:
    return frozendict(_items(value))


def _amounts(value: Value, records: Records, *, zeros: bool) -> Amounts:
    """Return the amounts in billionths; amounts of 0 only with `zeros`."""
    found = {
        name: number * records.scale.divisors[name] * BILLIONTHS.get(name, 10**9)
        for name, number in _items(value)
        if number or zeros
    }
    return frozendict(found) if found else NO_AMOUNTS


def _items(value: Value) -> list[tuple[str, Any]]:
    """Return the pairs of a function on strings, in order; the empty function equals the empty sequence."""
    return sorted(value.items()) if isinstance(value, dict) else []


def _each(values: Iterable[Value], made: Any) -> tuple[Any, ...]:
    return tuple(sorted(map(made, values), key=repr))


def _sorted(objects: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(sorted(objects, key=lambda each: (each.namespace, each.name, repr(each))))
