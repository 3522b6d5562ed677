"""Feasibility: whether a node may run a pod, the conjunction of the filters 1.1 to 1.5.

A filter is a predicate with a function that gives the reason for a rejection; the two always agree. The filters of
kube-scheduler are in spec/kubernetes/filters, one file for each plugin; `cycle` combines them.
"""

from collections.abc import Callable
from dataclasses import dataclass

from schedcheck.spec.faults import Faults
from schedcheck.spec.node_selector import node_selector, why_not_selected
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.published.affinity import (
    existing_anti_affinity,
    node_affinity,
    pod_affinity,
    pod_anti_affinity,
    why_existing_anti_affinity,
    why_no_node_affinity,
    why_no_pod_affinity,
    why_no_pod_anti_affinity,
)
from schedcheck.spec.published.resources import resources, why_not_fitting
from schedcheck.spec.published.schedulability import schedulability, why_not_schedulable
from schedcheck.spec.published.taints import taints, why_not_tolerated


@dataclass(frozen=True)
class Filter:
    """A filter of the printed model: section, name, predicate, and the reason for a rejection (None: it admits).

    `antitone`: removing pods from the snapshot never makes it reject.
    """

    section: str
    name: str
    admits: Callable[[Pod, Node, Snapshot, Faults], bool]
    reason: Callable[[Pod, Node, Snapshot, Faults], str | None]
    antitone: bool = True


FILTERS = (
    Filter("1.1", "Schedulability", schedulability, why_not_schedulable),
    Filter("1.2", "Resources", resources, why_not_fitting),
    Filter("1.3", "NodeSelector", node_selector, why_not_selected),
    Filter("1.4", "Taints", taints, why_not_tolerated),
    Filter("1.5", "NodeAffinity", node_affinity, why_no_node_affinity),
    Filter("1.5", "PodAffinity", pod_affinity, why_no_pod_affinity, antitone=False),
    Filter("1.5", "PodAntiAffinity", pod_anti_affinity, why_no_pod_anti_affinity),
    Filter("1.5", "ExistingAntiAffinity", existing_anti_affinity, why_existing_anti_affinity),
)


def feasibility(pod: Pod, node: Node, snapshot: Snapshot, faults: Faults) -> bool:
    r"""Whether every filter admits `pod` on `node`.

    TLA+: Feasibility(Pod, Node, Snapshot) ==
            /\ Schedulability(Pod, Node, Snapshot)
            /\ Resources(Pod, Node, Snapshot)
            /\ NodeSelector(Pod, Node, Snapshot)
            /\ Taints(Pod, Node, Snapshot)
            /\ NodeAffinity(Pod, Node, Snapshot)
            /\ PodAffinity(Pod, Node, Snapshot)
            /\ PodAntiAffinity(Pod, Node, Snapshot)
            /\ ExistingAntiAffinity(Pod, Node, Snapshot)
    """
    return all(filter_.admits(pod, node, snapshot, faults) for filter_ in FILTERS)
