"""The failures that no eviction resolves, compared with the table in the description of preemption in Kubernetes 1.17"""

from schedcheck.spec.classic import failures
from schedcheck.spec.classic.failures import Failure, error, insufficient

TABLE = """
ErrNodeSelectorNotMatch ErrPodAffinityRulesNotMatch ErrPodNotMatchHostName ErrTaintsTolerationsNotMatch
ErrNodeLabelPresenceViolated ErrNodeNotReady ErrNodeNetworkUnavailable ErrNodeUnderDiskPressure ErrNodeUnderPIDPressure
ErrNodeUnderMemoryPressure ErrNodeUnschedulable ErrNodeUnknownCondition ErrVolumeZoneConflict ErrVolumeNodeConflict
ErrVolumeBindConflict
"""
CALLED = {
    "ErrNodeSelectorNotMatch": failures.NODE_SELECTOR_NOT_MATCHED,
    "ErrPodAffinityRulesNotMatch": failures.AFFINITY_RULES_NOT_MATCHED,
    "ErrPodNotMatchHostName": failures.HOST_NAME_NOT_MATCHED,
    "ErrTaintsTolerationsNotMatch": failures.TAINTS_NOT_TOLERATED,
    "ErrNodeLabelPresenceViolated": failures.LABEL_PRESENCE_VIOLATED,
    "ErrNodeNotReady": failures.NOT_READY,
    "ErrNodeNetworkUnavailable": failures.NETWORK_UNAVAILABLE,
    "ErrNodeUnderDiskPressure": failures.UNDER_DISK_PRESSURE,
    "ErrNodeUnderPIDPressure": failures.UNDER_PID_PRESSURE,
    "ErrNodeUnderMemoryPressure": failures.UNDER_MEMORY_PRESSURE,
    "ErrNodeUnschedulable": failures.UNSCHEDULABLE,
    "ErrNodeUnknownCondition": failures.UNKNOWN_CONDITION,
    "ErrVolumeZoneConflict": failures.VOLUME_ZONE_CONFLICT,
    "ErrVolumeNodeConflict": failures.VOLUME_NODE_CONFLICT,
    "ErrVolumeBindConflict": failures.VOLUME_BIND_CONFLICT,
    "ErrNodeOutOfDisk": failures.OUT_OF_DISK,
    "ErrDiskConflict": failures.DISK_CONFLICT,
    "ErrServiceAffinityViolated": failures.SERVICE_AFFINITY_VIOLATED,
    "ErrTopologySpreadConstraintsNotMatch": failures.TOPOLOGY_SPREAD_NOT_MATCHED,
    "ErrPodNotFitsHostPorts": failures.HOST_PORTS_TAKEN,
    "ErrMaxVolumeCountExceeded": failures.MAX_VOLUME_COUNT_EXCEEDED,
    "ErrPodAffinityNotMatch": failures.POD_AFFINITY_NOT_MATCHED,
    "ErrPodAntiAffinityRulesNotMatch": failures.ANTI_AFFINITY_RULES_NOT_MATCHED,
    "ErrExistingPodsAntiAffinityRulesNotMatch": failures.EXISTING_ANTI_AFFINITY_NOT_MATCHED,
}


def test_the_unresolvable_failures_are_those_of_the_upstream_table() -> None:
    unresolvable = {name for name, failure in CALLED.items() if not failure.resolvable}
    assert unresolvable == {*TABLE.split(), "ErrNodeOutOfDisk"}


def test_every_failure_has_a_name_of_its_own() -> None:
    known = {each for each in vars(failures).values() if isinstance(each, Failure)}
    assert set(CALLED.values()) == known
    assert len({each.name for each in known}) == len({each.words for each in known}) == len(known)


def test_insufficient_resources_can_be_resolved_by_eviction() -> None:
    assert insufficient("example.com/gpu") == Failure("Insufficient example.com/gpu", "Insufficient example.com/gpu")
    assert insufficient("cpu").resolvable


def test_an_error_is_not_resolved_by_eviction() -> None:
    assert not error("PersistentVolumeClaim is not bound").resolvable
