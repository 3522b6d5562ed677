"""What source 000 says of the classic scheduler as a whole, compared with its code; the errata name only existing tests"""

from schedcheck.spec.binding import unbound
from schedcheck.spec.classic import ranking
from schedcheck.spec.classic.policy import DEFAULT_PREDICATES, DEFAULT_PRIORITIES, MANDATORY
from schedcheck.spec.classic.predicates import general
from schedcheck.spec.faults import NO_FAULTS
from tests.support.building import node, pod, snapshot

PREDICATES = [
    "NoDiskConflict",
    "NoVolumeZoneConflict",
    "PodFitsResources",
    "PodFitsHostPorts",
    "HostName",
    "MatchNodeSelector",
    "MaxEBSVolumeCount",
    "MaxGCEPDVolumeCount",
    "CheckNodeMemoryPressure",
    "CheckNodeDiskPressure",
]
PRIORITIES = [
    "LeastRequestedPriority",
    "BalancedResourceAllocation",
    "SelectorSpreadPriority",
    "CalculateAntiAffinityPriority",
    "ImageLocalityPriority",
    "NodeAffinityPriority",
]
GENERAL = {"PodFitsResources", "HostName", "PodFitsHostPorts", "MatchNodeSelector"}


def test_every_predicate_of_the_source_is_enabled_by_default() -> None:
    assert {*PREDICATES} - {*DEFAULT_PREDICATES} == GENERAL
    assert "GeneralPredicates" in DEFAULT_PREDICATES
    where = node("n", cpu=1)
    general_failures = general.failures(pod(cpu=2, on="m", node_selector={"a": "b"}), where, snapshot(where), False)
    assert {each.name for each in general_failures} == {"Insufficient cpu", "HostName", "MatchNodeSelector"}


def test_some_default_predicates_are_missing_in_the_source() -> None:
    beside = {*DEFAULT_PREDICATES} - {*PREDICATES} - {"GeneralPredicates"}
    assert beside == {"MatchInterPodAffinity", "PodToleratesNodeTaints", "CheckNodeCondition", "CheckNodePIDPressure"}
    assert MANDATORY == ("CheckNodeCondition",)


def test_one_priority_of_the_source_is_disabled_and_one_needs_an_argument() -> None:
    on = {each.name for each in DEFAULT_PRIORITIES}
    assert {*PRIORITIES} - on == {"ImageLocalityPriority", "CalculateAntiAffinityPriority"}
    assert "ImageLocalityPriority" in ranking.NAMES
    assert "CalculateAntiAffinityPriority" not in ranking.NAMES


def test_a_pod_that_names_its_node_is_never_scheduled() -> None:
    there = snapshot(node("n"), pod("waits"), pod("named", on="n"), pod("gone", on="elsewhere"))
    assert {each.name for each in unbound(there, NO_FAULTS)} == {"waits"}
