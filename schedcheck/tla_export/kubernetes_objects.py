"""Pods, nodes, services and controllers as the records that tla/KubeSnapshots.tla describes."""

from collections.abc import Mapping, Sequence

from schedcheck.spec.kubernetes.scores.image_locality import with_tag
from schedcheck.spec.objects import (
    Container,
    Controller,
    HostPort,
    Node,
    Pod,
    PodDisruptionBudget,
    Service,
    SpreadConstraint,
)
from schedcheck.spec.storage import ImageSource
from schedcheck.spec.values import Amounts
from schedcheck.spec.workload_objects import GangWorkload, PodGroup, WorkloadReference
from schedcheck.tla_export.amounts import Scale
from schedcheck.tla_export.devices import pod_claims
from schedcheck.tla_export.objects import labels_function, node_record, pod_record, selector_record
from schedcheck.tla_export.text import Function, NotExportable, Record, Set, Value


def kubernetes_pod_record(
    pod: Pod,
    scale: Scale,
    starts: Sequence[int] = (),
    *,
    gangs: bool = False,
    groups: bool = False,
    claims: bool = False,
    restarts: bool = False,
    uids: bool = False,
) -> Record:
    """Return a pod's record. Its start time becomes its index in `starts`, the sorted start times of all pods.

    With `gangs` it has the fields of KubeGangs, with `groups` that of KubePodGroups, with `claims` those of KubeClaims, with
    `restarts` that of DeschedulerAges, with `uids` that of RolloutPods.

    Raises: NotExportable for volumes that are no images, resource claims without `claims`, and a required pod affinity
    term that is given twice.
    """
    mounted = tuple(each.source.reference for each in pod.volumes if isinstance(each.source, ImageSource))
    if len(mounted) < len(pod.volumes):
        raise NotExportable(f"pod {pod} has volumes, which no module of tla/ knows")
    if pod.resource_claims and not claims:
        raise NotExportable(
            f"pod {pod} has resource claims, which tla/ knows only in modules of kube-scheduler with the devices"
        )
    if len(set(pod.affinity.pod_required)) < len(pod.affinity.pod_required):
        raise NotExportable(f"pod {pod} has two required pod-affinity terms that are equal")
    record = pod_record(pod, scale)
    spec: dict[str, Value] = {
        "InitContainers": tuple(_container(each, scale) for each in pod.init_containers),
        "Containers": tuple(_container(each, scale) for each in pod.containers),
        "Overhead": _amounts(pod.overhead, scale),
        "Requests": _amounts(pod.pod_requests, scale),
        "EmptyNodeSelector": pod.empty_node_selector,
        "SchedulingGates": Set(pod.scheduling_gates),
        "TopologySpread": tuple(spread_record(each) for each in pod.spread),
        "SchedulerName": pod.scheduler_name,
        "RequiredFeatures": Set(tuple(pod.required_features)),
        "ImageVolumes": tuple(map(with_tag, mounted)),
    }
    status: dict[str, Value] = {
        "NominatedNodeName": pod.nominated_node_name,
        "ResizeInfeasible": pod.resize_infeasible,
        "Allocated": _amounts(pod.pod_allocated, scale),
        "Actual": None if pod.pod_actual is None else _amounts(pod.pod_actual, scale),
        "StartTime": len(starts) if pod.start_time is None else starts.index(pod.start_time),
        "Preempted": pod.preempted,
    }
    if claims:
        spec["ResourceClaims"] = pod_claims(pod)
    if gangs:
        spec["Workload"] = None if pod.workload is None else _reference(pod.workload)
        status["WaitsOn"] = pod.waits_on
    if restarts:
        status["Restarts"] = pod.restarts
    if groups:
        spec["SchedulingGroup"] = pod.scheduling_group
    within: dict[str, Value] = {
        "Spec": _extended(record.fields["Spec"], spec),
        "Status": _extended(record.fields["Status"], status),
        **({"Uid": pod.uid} if uids else {}),
    }
    return _extended(record, within)


def _reference(workload: WorkloadReference) -> Record:
    return Record({"Workload": workload.workload, "Group": workload.group, "Replica": workload.replica})


def workload_record(workload: GangWorkload) -> Record:
    """Return the record of a workload; a MinCount of 0 is the policy basic."""
    groups = tuple(Record({"Name": each.name, "MinCount": each.min_count or 0}) for each in workload.groups)
    return Record({"Namespace": workload.namespace, "Name": workload.name, "Groups": Set(groups)})


def pod_group_record(group: PodGroup, scale: Scale) -> Record:
    """Return the record of a PodGroup; a MinCount of 0 is the policy basic."""
    return Record(
        {
            "Namespace": group.namespace,
            "Name": group.name,
            "MinCount": group.min_count or 0,
            "Priority": group.priority // scale.priority,
            "Together": group.disrupted_together,
        }
    )


def kubernetes_node_record(
    node: Node, scale: Scale, image_unit: int, limited: Mapping[str, int] | None = None
) -> Record:
    """Return a node's record; the sizes of its images are divided by `image_unit` bytes.

    With `limited`, the divisors of resources that pools of Karpenter limit, it has the capacities of these.
    """
    record = node_record(node, scale)
    images = tuple(
        Record({"Names": Set(image.names), "Size": _divided(image.size, image_unit)}) for image in node.images
    )
    status: dict[str, Value] = {"Images": images, "DeclaredFeatures": Set(tuple(node.declared_features))}
    if limited is not None:
        there = node.capacity or node.allocatable
        status["Capacity"] = Function({name: there[name] // by for name, by in limited.items() if name in there})
    return _extended(record, {"Status": _extended(record.fields["Status"], status)})


def budget_record(budget: PodDisruptionBudget) -> Record:
    """Return the record of a disruption budget."""
    return Record(
        {
            "Kind": "PodDisruptionBudget",
            "Namespace": budget.namespace,
            "Name": budget.name,
            "Selector": selector_record(budget.selector),
            "MinAvailable": _count(budget.min_available),
            "MaxUnavailable": _count(budget.max_unavailable),
            "Expected": budget.expected,
            "DisruptionsAllowed": budget.disruptions_allowed,
            "Disrupted": Set(tuple(budget.disrupted)),
        }
    )


def _count(amount: int | str | None) -> Record | None:
    """Return the record of a count or a percentage."""
    if amount is None:
        return None
    percent = isinstance(amount, str)
    return Record({"Number": int(amount.removesuffix("%")) if isinstance(amount, str) else amount, "Percent": percent})


def service_record(service: Service) -> Record:
    """Return a service's record."""
    selector = labels_function(service.selector)
    return Record({"Kind": "Service", "Namespace": service.namespace, "Name": service.name, "Selector": selector})


def controller_record(controller: Controller) -> Record:
    """Return a controller's record."""
    names: dict[str, Value] = {
        "Kind": controller.kind,
        "Namespace": controller.namespace,
        "Name": controller.name,
    }
    return Record({**names, "Selector": selector_record(controller.selector)})


def _extended(record: Value, fields: dict[str, Value]) -> Record:
    if not isinstance(record, Record):
        raise TypeError(f"no record: {record}")
    return Record({**record.fields, **fields})


def _amounts(amounts: Amounts, scale: Scale) -> Function:
    """Return the amounts of the resources that are named."""
    return Function({resource: scale.request(resource, amounts) for resource in amounts})


def _container(container: Container, scale: Scale) -> Record:
    return Record(
        {
            "Requests": _amounts(container.requests, scale),
            "Sidecar": container.sidecar,
            "Image": with_tag(container.image),
            "Ports": Set(tuple(port_record(port) for port in container.ports)),
            "Allocated": _amounts(container.allocated, scale),
            "Actual": None if container.actual is None else _amounts(container.actual, scale),
        }
    )


def port_record(port: HostPort) -> Record:
    """Return the record of a host port that a container takes."""
    return Record({"Port": port.port, "Protocol": port.protocol, "Address": port.ip})


def spread_record(constraint: SpreadConstraint) -> Record:
    """Return the record of a topology spread constraint."""
    return Record(
        {
            "MaxSkew": constraint.max_skew,
            "TopologyKey": constraint.topology_key,
            "Required": constraint.required,
            "Selector": selector_record(constraint.selector),
            "MinDomains": constraint.min_domains,
            "AffinityHonored": constraint.affinity_honored,
            "TaintsHonored": constraint.taints_honored,
        }
    )


def _divided(size: int, unit: int) -> int:
    if size % unit:
        raise NotExportable(f"an image of {size} bytes is no whole number of {unit} bytes")
    return size // unit
