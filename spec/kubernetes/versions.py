"""The versions of kube-scheduler that are specified: `Version`, `VERSIONS`, `NEWEST`.

A version is a set of departures from one text of definitions. Each was compared with the module of its `patch` level.
Kubernetes: pkg/features/kube_features.go, pkg/scheduler and k8s.io/component-helpers of each patch level.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.spec.kubernetes.departures import Departure, Departures

FROM_THE_DOCUMENTATION: Departures = frozenset(
    {
        Departure.POD_LEVEL_UNRATED,
        Departure.FIRST_OF_GROUP_BY_PAIRS,
        Departure.TERMINATING_UNCOUNTED_TWICE,
        Departure.PORTS_ARE_A_SET,
        Departure.SKIPPED_SEES_NO_NOMINATED,
        Departure.BUDGETS_CHARGED_FOR_ALL,
        Departure.EMPTY_BUDGET_PROTECTS_NO_POD,
        Departure.UNLABELLED_UNPROTECTED,
        Departure.CLAIMS_BY_NAME_ALONE,
        Departure.ATTACHED_COUNTS_TWICE,
    }
)
"""The departures from the documentation that every version has."""


DOCUMENTED_OTHERWISE: Departures = FROM_THE_DOCUMENTATION | {
    Departure.NAMESPACE_SELECTOR_ON_NO_LABELS,
    Departure.LATER_BUDGETS_UNCHARGED,
}
"""All departures from the documentation; the others are those of an older version from the newest."""


@dataclass(frozen=True)
class Version:
    """A version of kube-scheduler with its default feature gates, and how it departs from the text."""

    name: str
    patch: str
    departures: Departures


IN_1_37 = FROM_THE_DOCUMENTATION | {Departure.LATER_BUDGETS_UNCHARGED, Departure.NEEDLESS_PREEMPTION_FAILS}
IN_1_36 = (IN_1_37 - {Departure.LATER_BUDGETS_UNCHARGED}) | {
    Departure.NAMESPACE_SELECTOR_ON_NO_LABELS,
    Departure.IMAGE_VOLUMES_UNCOUNTED,
    Departure.NOMINATION_UNMENTIONED,
    Departure.IDLE_CLAIMS_MENTIONED,
    Departure.PRE_FILTERS_FEW,
    Departure.UNSCHEDULABLE_BEFORE_NODE_NAME,
    Departure.MISSING_DRIVERS_IGNORED,
    Departure.STORAGE_CAPACITY_UNRATED,
    Departure.DEVICES_UNMENTIONED,
    Departure.GREATEST_OF_EACH_CONTAINER,
    Departure.MEMBERS_QUEUED_ALONE,
    Departure.MEMBERS_UNALIKE,
    Departure.MEMBERS_PREEMPT,
    Departure.ASSUMED_TERMS_UNSEEN,
}
IN_1_35 = IN_1_36 | {
    Departure.BALANCED_WITH_THE_POD_ALONE,
    Departure.IMAGE_VOLUMES_UNRATED,
    Departure.DECLARED_FEATURES_IGNORED,
    Departure.PORTWORX_BY_ANNOTATION,
    Departure.DEVICE_TAINTS_IGNORED,
    Departure.PARTITIONABLE_DEVICES_UNUSED,
    Departure.CONSUMABLE_CAPACITY_UNUSED,
    Departure.BINDING_CONDITIONS_IGNORED,
    Departure.EXTENDED_RESOURCES_UNCLAIMED,
    Departure.POOLS_IN_ANY_ORDER,
    Departure.POD_LEVEL_STATUS_IGNORED,
}
IN_1_34 = IN_1_35 | {Departure.CLAIMS_UNRATED, Departure.INCOMPLETE_POOLS_SERVE}
IN_1_34_1 = IN_1_34 | {Departure.UNTOLERATED_TAINT_NAMED}

VERSIONS: Mapping[str, Version] = frozendict(
    {
        each.name: each
        for each in (
            Version("1.37", "1.37.2", IN_1_37),
            Version("1.36", "1.36.4", IN_1_36),
            Version("1.35", "1.35.8", IN_1_35),
            Version("1.34", "1.34.9", IN_1_34),
            Version("1.34.1", "1.34.1", IN_1_34_1),
        )
    }
)
"""The versions by name, the newest first."""

NEWEST = VERSIONS["1.37"]


def as_the_code(departures: Departures) -> bool:
    """Whether some version has these departures, with whatever feature gates: those from the documentation are on."""
    return departures >= FROM_THE_DOCUMENTATION
