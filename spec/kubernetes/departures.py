"""Where kube-scheduler 1.34 departs from its documentation, each a switch: on in `kubernetes`, off in `kubernetes-documented`."""

from enum import StrEnum


class Departure(StrEnum):
    """A place where the code does not do what the documentation says, named after what it does."""

    NAMESPACE_SELECTOR_ON_NO_LABELS = "namespace-selector-on-no-labels"
    """A namespace selector of the pod to be placed that matches no labels at all matches every namespace."""

    POD_LEVEL_UNRATED = "pod-level-unrated"
    """NodeResourcesFit rates the pod to be placed by its containers, whatever the pod as a whole requests."""

    FIRST_OF_GROUP_BY_PAIRS = "first-of-group-by-pairs"
    """A pod that the required affinity speaks of is no company as long as its node lacks the topology keys."""

    TERMINATING_UNCOUNTED_TWICE = "terminating-uncounted-twice"
    """Topology spread counts no pod that is terminating, and one less still when it is taken away for a trial."""

    PORTS_ARE_A_SET = "ports-are-a-set"
    """To take away one of two pods that hold the same port of a node frees the port."""

    SKIPPED_SEES_NO_NOMINATED = "skipped-sees-no-nominated"
    """A plugin that has nothing to do without the nominated pods is not asked with them either."""

    BUDGETS_CHARGED_FOR_ALL = "budgets-charged-for-all"
    """Whether an eviction violates a budget is counted as if all who could be evicted were."""

    EMPTY_BUDGET_PROTECTS_NOBODY = "empty-budget-protects-nobody"
    """Preemption heeds no budget with an empty selector, which is to protect all pods of its namespace."""

    UNLABELLED_UNPROTECTED = "unlabelled-unprotected"
    """Preemption finds no pod without labels protected, even where a selector asks that a label be absent."""

    CLAIMS_BY_NAME_ALONE = "claims-by-name-alone"
    """To try a pod on a node, or take it away, changes who uses a claim of one pod alone in whatever namespace it is."""

    ATTACHED_COUNTS_TWICE = "attached-counts-twice"
    """A volume that is attached to the node for no pod there is added to itself when a pod is to use it."""


Departures = frozenset[Departure]
ALL_DEPARTURES: Departures = frozenset(Departure)
NO_DEPARTURES: Departures = frozenset()
