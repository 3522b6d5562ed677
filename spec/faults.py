"""The faults of the printed model, each a switch: on in the profile `article`, off in `corrected`.

TLA+: CONSTANT Faults, a set of these names. docs/errata.md says for each what is printed, why it is wrong, how it is
repaired, and which command shows it.
"""

from enum import StrEnum


class Fault(StrEnum):
    """A place where the printed model says what no scheduler should do, named after what it says."""

    OVERLAPPING_CASE = "overlapping-case"
    """Preemption is enabled although a node is feasible, since the empty set of victims enables it."""

    VICTIMS_UNCHECKED = "victims-unchecked"
    """Preemption takes a least set of pods whether or not the preemptor then fits."""

    PREEMPTION_POLICY_IGNORED = "preemption-policy-ignored"
    """A pod whose preemptionPolicy is Never preempts."""

    UNKNOWN_NODE_UNBOUND = "unknown-node-unbound"
    """A pod whose nodeName names no node object counts as unbound and is scheduled again."""

    COMPLETED_PODS_COUNT = "completed-pods-count"
    """Succeeded and Failed pods keep their room, and wait for a node if they have none."""

    PHASE_DEMANDED = "phase-demanded"
    """A node must have the phase Running, which no real node has."""

    CORDON_UNTOLERATED = "cordon-untolerated"
    """A cordoned node admits nobody, not even a pod that tolerates node.kubernetes.io/unschedulable."""

    SUM_OVER_SET = "sum-over-set"
    """Requests are summed as a set: equal ones count once."""

    MAX_OF_NONE = "max-of-none"
    """The greatest request of no init containers is undefined, so a pod without any fits nowhere."""

    BOUND_PODS_IGNORED = "bound-pods-ignored"
    """What is already bound to a node takes no room there."""

    EXACT_TOLERATION = "exact-toleration"
    """An empty operator, key or effect of a toleration stands for itself and matches nothing else."""

    SOFT_TAINT_FILTERS = "soft-taint-filters"
    """A PreferNoSchedule taint refuses pods."""

    NO_TERMS_NO_NODE = "no-terms-no-node"
    """A pod without required node-affinity terms fits nowhere, since no term of none matches."""

    REQUIREMENT_FOR_TERM = "requirement-for-term"
    """A node-selector term matches as soon as one of its requirements does."""

    EXITS_MISSPELT = "exits-misspelt"
    """The operator Exists is printed Exits, so that Exists falls through every case and matches nothing."""

    TEXT_IS_NO_NUMBER = "text-is-no-number"
    """Gt and Lt ask whether a label's value is an integer; it is text, so neither ever matches."""

    NO_FIRST_OF_GROUP = "no-first-of-group"
    """A pod with affinity to its own group can never be the first of it."""

    TERMS_ONE_BY_ONE = "terms-one-by-one"
    """Each required pod-affinity term is met by a pod of its own, where one pod must match all of them."""

    EXISTING_ANTI_AFFINITY_IGNORED = "existing-anti-affinity-ignored"
    """The required anti-affinity of pods that are already bound refuses nobody."""

    ANTI_AFFINITY_ADDED = "anti-affinity-added"
    """A matching preferred anti-affinity term raises the rating."""

    RESOURCES_UNRATED = "resources-unrated"
    """No rating looks at resources: an empty node is rated like a nearly full one."""


Faults = frozenset[Fault]
ALL_FAULTS: Faults = frozenset(Fault)
NO_FAULTS: Faults = frozenset()
