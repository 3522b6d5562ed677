"""Where Kubernetes 1.34 does something else than its documentation says, each a switch: `Departure`.

All are on in what follows the code, and none in what follows the documentation.
"""

from enum import StrEnum


class Departure(StrEnum):
    """A departure of the code from the documentation, named after what the code does."""

    NAMESPACE_SELECTOR_ON_NO_LABELS = "namespace-selector-on-no-labels"
    """A namespaceSelector of the incoming pod that selects what has no labels selects every namespace (#141526)."""

    FIRST_OF_GROUP_BY_PAIRS = "first-of-group-by-pairs"
    """A pod that the affinity asks for does not count as company if its node lacks the topology key (#129319)."""

    TERMINATING_UNCOUNTED_TWICE = "terminating-uncounted-twice"
    """Topology spread counts no pod that is terminating, and one less when it is taken away for a trial."""

    PORTS_ARE_A_SET = "ports-are-a-set"
    """To take away one of two pods that hold the same port of a node frees the port."""

    SKIPPED_SEES_NO_NOMINATED = "skipped-sees-no-nominated"
    """A plugin that had nothing to do without the nominated pods is not asked with them either."""

    POD_LEVEL_UNRATED = "pod-level-unrated"
    """NodeResourcesFit rates the pod to be placed by its containers, whatever the pod as a whole requests."""


Departures = frozenset[Departure]
KUBERNETES: Departures = frozenset(Departure)
DOCUMENTED: Departures = frozenset()
