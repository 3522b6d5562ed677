"""The predicates of a policy in the order in which they are evaluated: `Fitting`.

Kubernetes 1.17: podFitsOnNode and addNominatedPods in pkg/scheduler/core/generic_scheduler.go; 1.12: predicatesOrdering
in pkg/scheduler/algorithm/predicates/predicates.go, the last with the predicates about conditions. Differs:
PodFitsPorts and NoVolumeNodeConflict, which the list lacks, stand beside their successors; the list of 1.17 does not
run what it lacks.
"""

from collections.abc import Mapping
from typing import Final

from schedcheck.model.classic.metadata import Metadata
from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.nodes.nominated import Nominated
from schedcheck.model.classic.predicates.arguments import Arguments, Predicate
from schedcheck.model.classic.predicates.conditions import (
    check_node_condition,
    check_node_disk_pressure,
    check_node_label_presence,
    check_node_memory_pressure,
    check_node_pid_pressure,
    check_node_unschedulable,
    pod_tolerates_node_no_execute_taints,
    pod_tolerates_node_taints,
)
from schedcheck.model.classic.predicates.disks import (
    azure_disk,
    cinder_volume,
    ebs_volume,
    gce_disk,
    max_volume_count,
    no_disk_conflict,
)
from schedcheck.model.classic.predicates.general import (
    general_predicates,
    match_node_selector,
    pod_fits_host,
    pod_fits_host_ports,
    pod_fits_resources,
)
from schedcheck.model.classic.predicates.inter_pod_affinity import match_inter_pod_affinity
from schedcheck.model.classic.predicates.service_affinity import check_service_affinity
from schedcheck.model.classic.predicates.volume_binding import check_volume_binding
from schedcheck.model.classic.predicates.volumes import no_volume_node_conflict, no_volume_zone_conflict
from schedcheck.model.classic.reasons import PredicateError, Reason, Reasons
from schedcheck.spec.classic.policy import Classic

LABELS: Final = "CheckNodeLabelPresence"
SERVICES: Final = "CheckServiceAffinity"

ORDERING: Final = (
    "CheckNodeCondition", "CheckNodeUnschedulable", "GeneralPredicates", "HostName", "PodFitsHostPorts", "PodFitsPorts",
    "MatchNodeSelector", "PodFitsResources", "NoDiskConflict", "PodToleratesNodeTaints",
    "PodToleratesNodeNoExecuteTaints", LABELS, SERVICES, "MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxAzureDiskVolumeCount",
    "MaxCinderVolumeCount", "CheckVolumeBinding", "NoVolumeZoneConflict", "NoVolumeNodeConflict",
    "CheckNodeMemoryPressure", "CheckNodePIDPressure", "CheckNodeDiskPressure", "MatchInterPodAffinity",
)  # fmt: skip

PREDICATES: Final[dict[str, Predicate]] = {
    "CheckNodeCondition": check_node_condition,
    "CheckNodeUnschedulable": check_node_unschedulable,
    "GeneralPredicates": general_predicates,
    "HostName": pod_fits_host,
    "PodFitsHostPorts": pod_fits_host_ports,
    "PodFitsPorts": pod_fits_host_ports,
    "MatchNodeSelector": match_node_selector,
    "PodFitsResources": pod_fits_resources,
    "NoDiskConflict": no_disk_conflict,
    "PodToleratesNodeTaints": pod_tolerates_node_taints,
    "PodToleratesNodeNoExecuteTaints": pod_tolerates_node_no_execute_taints,
    "MaxEBSVolumeCount": max_volume_count(ebs_volume, 39),
    "MaxGCEPDVolumeCount": max_volume_count(gce_disk, 16),
    "MaxAzureDiskVolumeCount": max_volume_count(azure_disk, 16),
    "MaxCinderVolumeCount": max_volume_count(cinder_volume, 256),
    "CheckVolumeBinding": check_volume_binding,
    "NoVolumeZoneConflict": no_volume_zone_conflict,
    "NoVolumeNodeConflict": no_volume_node_conflict,
    "CheckNodeMemoryPressure": check_node_memory_pressure,
    "CheckNodePIDPressure": check_node_pid_pressure,
    "CheckNodeDiskPressure": check_node_disk_pressure,
    "MatchInterPodAffinity": match_inter_pod_affinity,
}


def enabled(classic: Classic) -> list[tuple[str, Predicate]]:
    """Return the predicates of the policy in order, with the names that the policy gives them."""
    found: list[tuple[str, Predicate]] = []
    for name in ORDERING:
        if name == LABELS:
            found += (
                (each.name, check_node_label_presence(each.labels, each.presence)) for each in classic.label_presence
            )
        elif name == SERVICES:
            found += ((each.name, check_service_affinity(each.labels)) for each in classic.service_affinity)
        elif name in classic.predicates:
            found.append((name, PREDICATES[name]))
    return found


def unknown(classic: Classic) -> tuple[str, ...]:
    """Return the predicates of the policy that this scheduler does not have."""
    return tuple(name for name in classic.predicates if name not in PREDICATES)


class Fitting:
    """The predicates of a policy. With `check_all` the evaluation goes on after one has failed."""

    def __init__(self, classic: Classic, arguments: Arguments, nominated: Nominated, check_all: bool) -> None:
        self.predicates = enabled(classic)
        self.arguments = arguments
        self.nominated = nominated
        self.check_all = check_all

    def fits(self, meta: Metadata, node: NodeInfo) -> Mapping[str, Reasons]:
        """Return the reasons why the pod does not fit, by predicate; none if it fits.

        The predicates are evaluated first with the nominated pods of no lower priority on the node. If all pass, they
        are evaluated without.

        Raises: PredicateError.
        """
        crowded = self._with_nominated(meta, node)
        if crowded is not None:
            failed = self._evaluated(*crowded)
            if failed:
                return failed
        return self._evaluated(meta, node)

    def _with_nominated(self, meta: Metadata, node: NodeInfo) -> tuple[Metadata, NodeInfo] | None:
        """Return copies with the pods that are nominated to the node and count; None if there are none."""
        own = meta.info.pod
        coming = [
            other for other in self.nominated.on(node.there.name)
            if other.pod.priority >= own.priority and other.key != own.key
        ]  # fmt: skip
        if not coming:
            return None
        meta, node = meta.clone(), node.clone()
        for other in coming:
            node.add_pod(other)
            meta.add_pod(other, node.there)
        return meta, node

    def _evaluated(self, meta: Metadata, node: NodeInfo) -> dict[str, tuple[Reason, ...]]:
        failed: dict[str, tuple[Reason, ...]] = {}
        for name, predicate in self.predicates:
            try:
                reasons = predicate(self.arguments, meta, node)
            except PredicateError as error:
                error.predicate = name
                raise
            if reasons:
                failed[name] = reasons
                if not self.check_all:
                    break
        return failed
