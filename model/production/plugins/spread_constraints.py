"""The constraints by which a pod is spread, its own or those of the profile: `constraints`; whom they count: `Counted`.

Kubernetes 1.34: pkg/scheduler/framework/plugins/podtopologyspread/common.go, DefaultSelector in plugins/helper/spread.go.
"""

from dataclasses import replace

import numpy as np

from schedcheck.model.production.framework.handle import Listers
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
"""The constraints of a pod without any, where the arguments leave them to the system."""


def constraints(
    pod: Pod, defaults: tuple[SpreadConstraint, ...] | None, listers: Listers, *, hard: bool
) -> tuple[SpreadConstraint, ...]:
    """The constraints that filter (`hard`), or else those that rate; `defaults` stand in for a pod without any."""
    if pod.spread:
        return tuple(each for each in pod.spread if each.required is hard)
    chosen = [each for each in (SYSTEM if defaults is None else defaults) if each.required is hard]
    selector = default_selector(pod, listers) if chosen else LabelSelector()
    return () if selector == LabelSelector() else tuple(replace(each, selector=selector) for each in chosen)


def default_selector(pod: Pod, listers: Listers) -> LabelSelector:
    """What the services that send to the pod, and what controls it, select together."""
    labels: Labels = NO_LABELS
    for service in listers.services:
        alike = service.selector and service.namespace == pod.namespace
        if alike and all(pod.labels.get(key) == value for key, value in service.selector.items()):
            labels |= service.selector
    for controller in listers.controllers:
        owns = (controller.kind, controller.name) == pod.owner and controller.namespace == pod.namespace
        if not owns or controller.selector is None:
            continue
        if controller.kind == "ReplicationController":
            return LabelSelector(labels | controller.selector.match_labels)
        return LabelSelector(labels, requirements(controller.selector))
    return LabelSelector(labels)


def has_all_keys(chosen: tuple[SpreadConstraint, ...], nodes: Nodes) -> Mask:
    """For each node whether it has the topology keys of all the constraints."""
    found = np.ones(len(nodes), bool)
    for constraint in chosen:
        found &= nodes.table.labels.column(constraint.topology_key).numbers[nodes.rows] != 0
    return found


def included(constraint: SpreadConstraint, pod: Pod, nodes: Nodes) -> Mask:
    """For each node whether the constraint counts the pods there, by its policies on affinity and on taints."""
    found = required(pod, nodes) if constraint.affinity_honored else np.ones(len(nodes), bool)
    return found & (first_untolerated(pod, nodes) < 0) if constraint.taints_honored else found


def among(constraint: SpreadConstraint, pod: Pod, other: Pod) -> bool:
    """Whether `other` is one of those among whom the constraint spreads `pod`."""
    return other.namespace == pod.namespace and selects(constraint.selector, other.labels)


def counted(constraint: SpreadConstraint, pod: Pod, table: NodeTable) -> Numbers:
    """How many pods on each row of the table count; nobody does for an empty selector, nor who is being deleted."""
    if constraint.selector == LabelSelector():
        return np.zeros(table.size, np.int64)
    kinds = table.pods.kinds
    alike = kinds.selected(constraint.selector) & kinds.within([pod.namespace]) & ~kinds.terminating()
    return table.pods.per_node(alike, table.size)


def by_domain(constraint: SpreadConstraint, counts: Numbers, scope: Mask, snapshot: Snapshot) -> tuple[Numbers, Mask]:
    """The sum of the counts of each domain over the nodes in scope, and which domains have such a node.

    `counts` has a number for each row of the table, `scope` a truth for each node of the snapshot.
    """
    column = snapshot.table.labels.column(constraint.topology_key)
    rows = snapshot.rows[scope]
    domains = column.numbers[rows]
    sums = np.bincount(domains, weights=counts[rows], minlength=len(column.values)).astype(np.int64)
    there = np.zeros(len(column.values), bool)
    there[domains] = True
    return sums, there
