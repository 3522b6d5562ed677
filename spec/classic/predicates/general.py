"""The predicate GeneralPredicates: those that every component enforces, the kubelet included, combined into one.

Kubernetes 1.6: GeneralPredicates in plugin/pkg/scheduler/algorithm/predicates/predicates.go.
"""

from schedcheck.spec.classic.failures import Failure
from schedcheck.spec.classic.predicates import (
    host_name,
    match_node_selector,
    pod_fits_host_ports,
    pod_fits_resources,
)
from schedcheck.spec.footprints import declares, footprint
from schedcheck.spec.objects import Node, Pod, Snapshot


def general_predicates(
    pod: Pod, node: Node, snapshot: Snapshot, by_allocatable: bool, ignored: frozenset[str] = frozenset()
) -> bool:
    """Whether PodFitsResources, HostName, PodFitsHostPorts and MatchNodeSelector all pass."""
    return (
        pod_fits_resources.pod_fits_resources(pod, node, snapshot, by_allocatable, ignored)
        and host_name.host_name(pod, node)
        and pod_fits_host_ports.pod_fits_host_ports(pod, node, snapshot)
        and match_node_selector.match_node_selector(pod, node, snapshot)
    )


@declares(
    footprint(
        pod_fits_resources.failures, host_name.failures, pod_fits_host_ports.failures, match_node_selector.failures
    )
)
def failures(
    pod: Pod, node: Node, snapshot: Snapshot, by_allocatable: bool, ignored: frozenset[str] = frozenset()
) -> tuple[Failure, ...]:
    """Return the failures of all four predicates, in this order."""
    return (
        *pod_fits_resources.failures(pod, node, snapshot, by_allocatable, ignored),
        *host_name.failures(pod, node, snapshot),
        *pod_fits_host_ports.failures(pod, node, snapshot),
        *match_node_selector.failures(pod, node, snapshot),
    )
