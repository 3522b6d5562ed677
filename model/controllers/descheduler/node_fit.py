"""Whether the descheduler thinks that a pod fits on a node: `node_fits`, `fits_another`, `fits_any`.

It looks at less than the scheduler does: not at affinity to pods, spread constraints, ports or volumes, and of
anti-affinity only at the node's own pods.

descheduler 0.36: pkg/descheduler/node/node.go, NodeFit.
"""

from schedcheck.model.controllers.descheduler.view import View
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.filters.node_affinity import required_node_affinity
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.requests import allocatable, request, requested
from schedcheck.spec.selectors import selects
from schedcheck.spec.tolerations import untolerated


def node_fits(pod: Pod, node: Node, view: View) -> bool:
    """Whether `node` would take `pod`; the pod's own node need not have room for it once more."""
    return (
        not node.unschedulable
        and required_node_affinity(pod, node)
        and not untolerated(pod, node)
        and not repelled(pod, node, view)
        and (pod.node_name == node.name or has_room(pod, node, view))
    )


def repelled(pod: Pod, node: Node, view: View) -> bool:
    """Whether a required anti-affinity term of `pod` selects a pod on `node`, and the node has the topology key.

    The term's namespaceSelector is ignored, and so are pods of the same name.

    descheduler 0.36: pkg/descheduler/node/node.go, podMatchesInterPodAntiAffinity.
    """
    return any(
        term.topology_key in node.labels
        and other.namespace in (term.namespaces or (pod.namespace,))
        and other.name != pod.name
        and selects(term.label_selector, other.labels, NO_FAULTS)
        for term in pod.affinity.anti_required
        for other in view.pods_on(node)
    )


def has_room(pod: Pod, node: Node, view: View) -> bool:
    """Whether what `pod` requests is free on `node`, and the place of one more pod.

    descheduler 0.36: pkg/descheduler/node/node.go, fitsRequest and nodeAvailableResources.
    """
    there = view.pods_on(node)
    return len(there) < allocatable(node, "pods") and all(
        request(pod, resource, NO_FAULTS) + sum(request(each, resource, NO_FAULTS) for each in there)
        <= allocatable(node, resource)
        for resource in requested(pod) - {"pods"}
    )


def fits_another(pod: Pod, nodes: tuple[Node, ...], view: View) -> bool:
    """Whether `pod` fits on one of the nodes that is not its own."""
    return any(node.name != pod.node_name and node_fits(pod, node, view) for node in nodes)


def fits_any(pod: Pod, nodes: tuple[Node, ...], view: View) -> bool:
    """Whether `pod` fits on one of the nodes, its own included."""
    return any(node_fits(pod, node, view) for node in nodes)
