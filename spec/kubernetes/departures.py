"""Departures of kube-scheduler 1.34 from its documentation: on in `kubernetes`, off in `kubernetes-documented`."""

from enum import StrEnum


class Departure(StrEnum):
    """A place where the code differs from the documentation, named after what the code does."""

    NAMESPACE_SELECTOR_ON_NO_LABELS = "namespace-selector-on-no-labels"
    """A namespaceSelector of the pod to be placed that matches an empty label set selects every namespace."""

    POD_LEVEL_UNRATED = "pod-level-unrated"
    """NodeResourcesFit scores the pod to be placed by its containers and ignores its pod-level requests."""

    FIRST_OF_GROUP_BY_PAIRS = "first-of-group-by-pairs"
    """A pod that the required affinity selects does not count if its node lacks the topology keys."""

    TERMINATING_UNCOUNTED_TWICE = "terminating-uncounted-twice"
    """Topology spread does not count terminating pods, and subtracts one more when a dry run removes one."""

    PORTS_ARE_A_SET = "ports-are-a-set"
    """Removing one of two pods that use the same host port frees the port."""

    SKIPPED_SEES_NO_NOMINATED = "skipped-sees-no-nominated"
    """A plugin that is skipped without the nominated pods is also skipped with them."""

    BUDGETS_CHARGED_FOR_ALL = "budgets-charged-for-all"
    """A disruption budget is charged for all potential victims, not only for the pods that are evicted."""

    EMPTY_BUDGET_PROTECTS_NO_POD = "empty-budget-protects-no-pod"
    """Preemption ignores a budget with an empty selector, which is documented to protect all pods of its namespace."""

    UNLABELLED_UNPROTECTED = "unlabelled-unprotected"
    """For preemption no budget protects a pod without labels, even if the selector requires that a label be absent."""

    CLAIMS_BY_NAME_ALONE = "claims-by-name-alone"
    """A pod added or removed for a trial changes the use count of ReadWriteOncePod claims of any namespace by name."""

    ATTACHED_COUNTS_TWICE = "attached-counts-twice"
    """A volume that is attached to the node, but used by no pod there, counts twice when a pod is to use it."""


Departures = frozenset[Departure]
ALL_DEPARTURES: Departures = frozenset(Departure)
NO_DEPARTURES: Departures = frozenset()
