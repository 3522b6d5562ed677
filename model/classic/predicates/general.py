"""The predicates of GeneralPredicates: resources, host name, host ports, node selector.

Kubernetes 1.17: PodFitsResources, PodFitsHost, PodFitsHostPorts, PodMatchNodeSelector and GeneralPredicates in
pkg/scheduler/algorithm/predicates/predicates.go. Host ports are compared by number alone, as in 1.6.
"""

from schedcheck.model.classic.matching import matches
from schedcheck.model.classic.metadata import Metadata
from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.nodes.pod_info import BASE
from schedcheck.model.classic.predicates.arguments import Arguments
from schedcheck.model.classic.reasons import (
    HOST_MISMATCH,
    PASSED,
    PORTS_IN_USE,
    SELECTOR_MISMATCH,
    Reason,
    Reasons,
    insufficient,
)


def pod_fits_resources(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Reject a node with too many pods, or too little of a resource unless the pod requests nothing at all."""
    room, request = node.room(arguments.by_allocatable), meta.info.request
    reasons: list[Reason] = []
    if len(node.pods) + 1 > room.get("pods", 0):
        reasons.append(insufficient("pods"))
    scalars = sorted(name for name in request if name not in BASE)
    if not scalars and all(request.get(name, 0) == 0 for name in BASE):
        return tuple(reasons)
    for name in (*BASE, *scalars):
        if room.get(name, 0) < request.get(name, 0) + node.requested[name]:
            reasons.append(insufficient(name))
    return tuple(reasons)


def pod_fits_host(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Reject a node that is not the one that the pod names."""
    wanted = meta.info.pod.node_name
    return (HOST_MISMATCH,) if wanted and wanted != node.there.name else PASSED


def pod_fits_host_ports(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Reject a node on which one of the pod's host ports is in use."""
    return (PORTS_IN_USE,) if any(node.ports[port] for port in meta.info.ports) else PASSED


def match_node_selector(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Reject a node without the labels of the nodeSelector, or that matches none of the required terms."""
    labels, required = node.there.labels, meta.info.affinity.node_required
    selected = all(labels.get(key) == value for key, value in meta.info.pod.node_selector.items())
    return PASSED if selected and (not required or matches(required, node.there)) else (SELECTOR_MISMATCH,)


def general_predicates(arguments: Arguments, meta: Metadata, node: NodeInfo) -> Reasons:
    """Return the reasons of all four predicates."""
    four = (pod_fits_resources, pod_fits_host, pod_fits_host_ports, match_node_selector)
    return tuple(reason for each in four for reason in each(arguments, meta, node))
