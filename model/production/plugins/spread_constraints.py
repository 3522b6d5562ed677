"""The topology spread constraints of a pod, its own or the defaults: `constraints`; and the pods they count: `counted`.

Kubernetes 1.34: pkg/scheduler/framework/plugins/podtopologyspread/common.go, DefaultSelector in
plugins/helper/spread.go.
"""

from dataclasses import replace

import numpy as np

from schedcheck.model.production.framework.listers import Listers
from schedcheck.model.production.snapshot.labels import Mask, Numbers, requirements, selects
from schedcheck.model.production.snapshot.node_affinity import required
from schedcheck.model.production.snapshot.node_table import NodeTable
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.model.production.snapshot.taints import first_untolerated
from schedcheck.spec.objects import Pod, SpreadConstraint
from schedcheck.spec.terms import LabelSelector
from schedcheck.spec.values import NO_LABELS, Labels

HOSTNAME = "kubernetes.io/hostname"
SYSTEM = (
    SpreadConstraint(3, HOSTNAME, required=False),
    SpreadConstraint(5, "topology.kubernetes.io/zone", required=False),
)
"""The system default constraints, for a pod without any if the arguments choose the system defaults."""


def constraints(
    pod: Pod, defaults: tuple[SpreadConstraint, ...] | None, listers: Listers, *, hard: bool
) -> tuple[SpreadConstraint, ...]:
    """Return the DoNotSchedule (`hard`) or the ScheduleAnyway constraints; `defaults` are for a pod without any."""
    if pod.spread:
        return tuple(each for each in pod.spread if each.required is hard)
    chosen = [each for each in (SYSTEM if defaults is None else defaults) if each.required is hard]
    selector = default_selector(pod, listers) if chosen else LabelSelector()
    return () if selector == LabelSelector() else tuple(replace(each, selector=selector) for each in chosen)


def default_selector(pod: Pod, listers: Listers) -> LabelSelector:
    """Return the combined selector of the pod's Services and of its controller."""
    labels: Labels = NO_LABELS
    for service in listers.services_in(pod.namespace):
        if service.selector and all(pod.labels.get(key) == value for key, value in service.selector.items()):
            labels |= service.selector
    for controller in listers.owners_of(pod):
        if controller.selector is None:
            continue
        if controller.kind == "ReplicationController":
            return LabelSelector(labels | controller.selector.match_labels)
        return LabelSelector(labels, requirements(controller.selector))
    return LabelSelector(labels)


def has_all_keys(chosen: tuple[SpreadConstraint, ...], nodes: Nodes) -> Mask:
    """Return for each node whether it has the topology keys of all the constraints."""
    found = np.ones(len(nodes), bool)
    for constraint in chosen:
        found &= nodes.table.labels.column(constraint.topology_key).numbers[nodes.rows] != 0
    return found


def included(constraint: SpreadConstraint, pod: Pod, nodes: Nodes) -> Mask:
    """Return for each node whether the constraint counts its pods, by nodeAffinityPolicy and nodeTaintsPolicy."""
    found = required(pod, nodes) if constraint.affinity_honored else np.ones(len(nodes), bool)
    first = first_untolerated(pod, nodes) if constraint.taints_honored else None
    return found if first is None else found & (first < 0)


def among(constraint: SpreadConstraint, pod: Pod, other: Pod) -> bool:
    """Whether the constraint of `pod` selects `other`, in the same namespace."""
    return other.namespace == pod.namespace and selects(constraint.selector, other.labels)


def counted(constraint: SpreadConstraint, pod: Pod, table: NodeTable) -> Numbers:
    """Return the number of counted pods on each row; an empty selector counts none, terminating pods never count."""
    if constraint.selector == LabelSelector():
        return np.zeros(table.size, np.int64)
    kinds = table.pods.kinds
    alike = kinds.selected(constraint.selector) & kinds.within([pod.namespace]) & ~kinds.terminating()
    return table.pods.per_node(alike, table.size)


def by_domain(constraint: SpreadConstraint, counts: Numbers, scope: Mask, snapshot: Snapshot) -> tuple[Numbers, Mask]:
    """Return for each domain the sum of the counts over the nodes in scope, and whether it has such a node.

    `counts` has a number for each row of the table, `scope` a truth value for each node of the snapshot.
    """
    column = snapshot.table.labels.column(constraint.topology_key)
    rows = snapshot.rows[scope]
    domains = column.numbers[rows]
    sums = np.bincount(domains, weights=counts[rows], minlength=len(column.values)).astype(np.int64)
    there = np.zeros(len(column.values), bool)
    there[domains] = True
    return sums, there
