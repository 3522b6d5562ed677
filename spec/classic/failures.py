"""Reasons why a predicate fails a node, in the words of the early scheduler, and whether evictions may resolve them.

Kubernetes 1.6: plugin/pkg/scheduler/algorithm/predicates/error.go, whose reasons are the names; 1.17:
pkg/scheduler/algorithm/predicates/error.go, whose reasons are the words, and the table of unresolvable failures.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Failure:
    """The reason why a predicate fails a node: `name` up to Kubernetes 1.9, `words` since.

    `error`: the predicate could not be evaluated. The pod is then bound to no node, and no pod is evicted for it.
    """

    name: str
    words: str
    error: bool = False

    @property
    def resolvable(self) -> bool:
        """Whether evictions may resolve the failure."""
        return not self.error and self not in UNRESOLVABLE


def error(text: str) -> Failure:
    """Return the failure of a predicate that could not be evaluated, with the reason."""
    return Failure(text, text, error=True)


def insufficient(resource: str) -> Failure:
    """Return the failure of a node with too little of a resource."""
    return Failure(f"Insufficient {resource}", f"Insufficient {resource}")


DISK_CONFLICT = Failure("NoDiskConflict", "node(s) had no available disk")
VOLUME_ZONE_CONFLICT = Failure("NoVolumeZoneConflict", "node(s) had no available volume zone")
TOPOLOGY_SPREAD_NOT_MATCHED = Failure("EvenPodsSpreadNotMatch", "node(s) didn't match pod topology spread constraints")
MAX_VOLUME_COUNT_EXCEEDED = Failure("MaxVolumeCount", "node(s) exceed max volume count")
NODE_SELECTOR_NOT_MATCHED = Failure("MatchNodeSelector", "node(s) didn't match node selector")
HOST_NAME_NOT_MATCHED = Failure("HostName", "node(s) didn't match the requested hostname")
HOST_PORTS_TAKEN = Failure("PodFitsHostPorts", "node(s) didn't have free ports for the requested pod ports")
LABEL_PRESENCE_VIOLATED = Failure("CheckNodeLabelPresence", "node(s) didn't have the requested labels")
SERVICE_AFFINITY_VIOLATED = Failure("CheckServiceAffinity", "node(s) didn't match service affinity")
TAINTS_NOT_TOLERATED = Failure("PodToleratesNodeTaints", "node(s) had taints that the pod didn't tolerate")
POD_AFFINITY_NOT_MATCHED = Failure("MatchInterPodAffinity", "node(s) didn't match pod affinity/anti-affinity")
AFFINITY_RULES_NOT_MATCHED = Failure("PodAffinityRulesNotMatch", "node(s) didn't match pod affinity rules")
ANTI_AFFINITY_RULES_NOT_MATCHED = Failure(
    "PodAntiAffinityRulesNotMatch", "node(s) didn't match pod anti-affinity rules"
)
EXISTING_ANTI_AFFINITY_NOT_MATCHED = Failure(
    "ExistingPodsAntiAffinityRulesNotMatch", "node(s) didn't satisfy existing pods anti-affinity rules"
)
UNDER_MEMORY_PRESSURE = Failure("NodeUnderMemoryPressure", "node(s) had memory pressure")
UNDER_DISK_PRESSURE = Failure("NodeUnderDiskPressure", "node(s) had disk pressure")
UNDER_PID_PRESSURE = Failure("NodeUnderPIDPressure", "node(s) had pid pressure")
NOT_READY = Failure("NodeNotReady", "node(s) were not ready")
OUT_OF_DISK = Failure("NodeOutOfDisk", "node(s) were out of disk space")
NETWORK_UNAVAILABLE = Failure("NodeNetworkUnavailable", "node(s) had unavailable network")
UNSCHEDULABLE = Failure("NodeUnschedulable", "node(s) were unschedulable")

# No predicate here fails with this one; the table of 1.17 has it.
UNKNOWN_CONDITION = Failure("NodeUnknownCondition", "node(s) had unknown conditions")
VOLUME_NODE_CONFLICT = Failure("VolumeNodeAffinityConflict", "node(s) had volume node affinity conflict")
VOLUME_BIND_CONFLICT = Failure("VolumeBindingNoMatch", "node(s) didn't find available persistent volumes to bind")

UNRESOLVABLE = frozenset(
    {
        NODE_SELECTOR_NOT_MATCHED,
        AFFINITY_RULES_NOT_MATCHED,
        HOST_NAME_NOT_MATCHED,
        TAINTS_NOT_TOLERATED,
        LABEL_PRESENCE_VIOLATED,
        NOT_READY,
        NETWORK_UNAVAILABLE,
        UNDER_DISK_PRESSURE,
        UNDER_PID_PRESSURE,
        UNDER_MEMORY_PRESSURE,
        UNSCHEDULABLE,
        UNKNOWN_CONDITION,
        VOLUME_ZONE_CONFLICT,
        VOLUME_NODE_CONFLICT,
        VOLUME_BIND_CONFLICT,
        OUT_OF_DISK,
    }
)
"""The failures that no eviction resolves.

Kubernetes 1.17: unresolvablePredicateFailureErrors in pkg/scheduler/algorithm/predicates/error.go. OUT_OF_DISK is from
the same table of 1.12; 1.17 no longer has that condition.
"""
