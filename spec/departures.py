"""Where kube-scheduler 1.34 departs from its documentation, each a switch: on in `kubernetes`, off in `kubernetes-documented`."""

from enum import StrEnum


class Departure(StrEnum):
    """A place where the code does not do what the documentation says, named after what it does."""

    NAMESPACE_SELECTOR_ON_NO_LABELS = "namespace-selector-on-no-labels"
    """A namespace selector of the pod to be placed that matches no labels at all matches every namespace."""

    POD_LEVEL_UNRATED = "pod-level-unrated"
    """NodeResourcesFit rates the pod to be placed by its containers, whatever the pod as a whole requests."""


Departures = frozenset[Departure]
ALL_DEPARTURES: Departures = frozenset(Departure)
NO_DEPARTURES: Departures = frozenset()
