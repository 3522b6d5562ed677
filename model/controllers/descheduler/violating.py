"""The plugins RemovePodsViolatingNodeAffinity, …NodeTaints and …InterPodAntiAffinity.

descheduler 0.36: pkg/framework/plugins/removepodsviolatingnodeaffinity/node_affinity.go,
removepodsviolatingnodetaints/node_taint.go and removepodsviolatinginterpodantiaffinity/pod_antiaffinity.go.

Differs: a node of the list that a cycle begins with is seen as it is when its pods are listed. The evictor judges the
pods for anti-affinity when the run begins, not before each eviction.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from schedcheck.model.controllers.descheduler.listing import Slot, by_importance, considered
from schedcheck.model.controllers.descheduler.node_fit import fits_any
from schedcheck.model.controllers.descheduler.plan import (
    WHOLE,
    Done,
    Listed,
    Plan,
    Stage,
    Work,
    next_of,
    pods_of,
    pruned,
)
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import InterPodAntiAffinity, NodeAffinity, NodeTaints
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.filters.node_affinity import required_node_affinity
from schedcheck.spec.objects import Node, Pod, Taint
from schedcheck.spec.selectors import match_term, selects
from schedcheck.spec.tolerations import tolerated

Evictable = Callable[[Pod], bool]
Pairs = tuple[tuple[int, int], ...]


def node_affinity(
    arguments: NodeAffinity, view: View, evictable: Evictable, slot: Slot, done: Done
) -> Iterator[tuple[Stage, Work]]:
    """Yield the next node, any that is not done, with its pods that do not match it, or match another one better."""
    for number, kind in enumerate(arguments.kinds):
        misplaced = {"required": _unmatched, "preferred": _better_elsewhere}[kind]
        if any(begun > number for begun, _ in done):
            continue
        for node in view.nodes:
            slots = tuple(
                sorted(
                    slot(pod)
                    for pod in view.pods_on(node)
                    if considered(pod, arguments.namespaces, arguments.selector)
                    and evictable(pod)
                    and misplaced(pod, node, view)
                    and fits_any(pod, view.nodes, view)
                )
            )
            if slots and (number, node.name) not in done:
                yield (number, node.name), Listed((slots,))


def _unmatched(pod: Pod, node: Node, view: View) -> bool:
    """Whether the pod has a required node affinity, and the node does not match that and its nodeSelector."""
    return pod.affinity.node_required != () and not required_node_affinity(pod, node)


def _better_elsewhere(pod: Pod, node: Node, view: View) -> bool:
    """Whether the pod prefers some node to its own; a weight below 0 does not occur."""
    return any(_weight(pod, each) > _weight(pod, node) for each in view.nodes)


def _weight(pod: Pod, node: Node) -> int:
    """Return the weight that the pod's preferred node affinity gives to a node."""
    return sum(each.weight for each in pod.affinity.node_preferred if match_term(each.term, node, NO_FAULTS))


def node_taints(
    arguments: NodeTaints, view: View, evictable: Evictable, slot: Slot, done: Done
) -> Iterator[tuple[Stage, Work]]:
    """Yield the next node, any that is not done, with its pods that do not tolerate its taints."""
    for node in view.nodes:
        taints = [taint for taint in node.taints if _counts(taint, arguments)]
        slots = tuple(
            sorted(
                slot(pod)
                for pod in view.pods_on(node)
                if considered(pod, arguments.namespaces, arguments.selector)
                and any(not tolerated(taint, pod, NO_FAULTS) for taint in taints)
                and evictable(pod)
            )
        )
        if slots and (0, node.name) not in done:
            yield (0, node.name), Listed((slots,))


def _counts(taint: Taint, arguments: NodeTaints) -> bool:
    """Whether a taint is one that pods must tolerate: NoSchedule, but not NoExecute; by its key, or key and value."""
    effects = {"NoSchedule", *(["PreferNoSchedule"] if arguments.prefer_no_schedule else [])}
    names = {taint.key, *([f"{taint.key}={taint.value}"] if taint.value else [])}
    included = arguments.included is None or bool(names & arguments.included)
    return taint.effect in effects and included and not names & arguments.excluded


@dataclass(frozen=True)
class Visiting:
    """The visit of the pods, node after node, that repel another listed pod; an evicted one repels and is repelled no more.

    `repels`: each pod with a pod that it repels, by slots. `order` holds only pods that still repel one.
    """

    repels: Pairs
    order: Plan

    def __bool__(self) -> bool:
        return self.order != ()

    def pods(self) -> Iterator[int]:
        """Yield the slots of the pods that may be evicted."""
        yield from pods_of(self.order)

    def next(self) -> Iterator[tuple[int, Work, Work]]:
        """Yield each pod that may be visited next. If its eviction is refused, it stays on the list."""
        for slot, rest in next_of(self.order):
            left = tuple(pair for pair in self.repels if slot not in pair)
            yield slot, visiting(left, rest), visiting(self.repels, rest)

    def kept(self, kept: Callable[[int], bool]) -> Work:
        """Return the visit as if the evictions of the others had been refused."""
        return visiting(self.repels, pruned(self.order, kept))


def visiting(repels: Pairs, order: Plan) -> Visiting:
    """Return the visit of those pods in `order` that repel another one."""
    repelling = {slot for slot, _ in repels}
    left = pruned(order, lambda slot: slot in repelling)
    still = {*pods_of(left)}
    return Visiting(tuple(pair for pair in repels if pair[0] in still), left)


def anti_affinity(
    arguments: InterPodAntiAffinity, view: View, evictable: Evictable, slot: Slot, done: Done
) -> Iterator[tuple[Stage, Work]]:
    """Yield the one visit of all pods that repel another, those of a node from the least important on."""
    listed = {
        node: [pod for pod in view.pods_on(node) if considered(pod, arguments.namespaces, arguments.selector)]
        for node in view.nodes
    }
    everywhere = [(other, there) for there, pods in listed.items() for other in pods]
    pairs = {
        (slot(pod), slot(other))
        for node, pods in listed.items()
        for pod in pods
        for other, there in everywhere
        if pod.affinity.anti_required and repel(pod, node, other, there) and evictable(pod)
    }
    nodes = tuple(order for pods in listed.values() if (order := by_importance(pods, view, slot)))
    if pairs and not done:
        yield WHOLE, visiting(tuple(sorted(pairs)), (nodes,))


def repel(pod: Pod, node: Node, other: Pod, there: Node) -> bool:
    """Whether a required anti-affinity term of `pod` selects `other`, and both nodes are in one domain.

    Two pods of one name are never compared, and the namespaceSelector is ignored. On one node the topology key need
    not exist.

    descheduler 0.36: pkg/utils/predicates.go, CheckPodsWithAntiAffinityExist and hasSameLabelValue.
    """
    return other.name != pod.name and any(
        other.namespace in (term.namespaces or (pod.namespace,))
        and selects(term.label_selector, other.labels, NO_FAULTS)
        and (
            node.name == there.name
            or (
                term.topology_key in node.labels
                and node.labels[term.topology_key] == there.labels.get(term.topology_key)
            )
        )
        for term in pod.affinity.anti_required
    )
