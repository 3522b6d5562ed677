"""The faults of the printed model, each a switch: on in the profile `article`, off in `corrected`.

TLA+: CONSTANT Faults, a set of these names. docs/errata.md says for each what is printed, why it is wrong, how it is
repaired, and which command shows it.
"""

from enum import StrEnum


class Fault(StrEnum):
    """A place where the printed model specifies what no scheduler should do, named after what is printed."""

    OVERLAPPING_CASE = "overlapping-case"
    """Preemption is enabled although a node is feasible, because the empty victim set enables it."""

    VICTIMS_UNCHECKED = "victims-unchecked"
    """Preemption takes a smallest set of pods without checking that the preemptor then fits."""

    PREEMPTION_POLICY_IGNORED = "preemption-policy-ignored"
    """A pod whose preemptionPolicy is Never preempts."""

    UNKNOWN_NODE_UNBOUND = "unknown-node-unbound"
    """A pod whose nodeName names no node object counts as unbound and is scheduled again."""

    COMPLETED_PODS_COUNT = "completed-pods-count"
    """Succeeded and Failed pods still use resources, and are scheduled if they have no node."""

    PHASE_DEMANDED = "phase-demanded"
    """A node must have the phase Running, which no node of a real cluster has."""

    CORDON_UNTOLERATED = "cordon-untolerated"
    """A cordoned node admits no pod, not even one that tolerates node.kubernetes.io/unschedulable."""

    SUM_OVER_SET = "sum-over-set"
    """Requests are summed as a set, so that equal requests count once."""

    MAX_OF_NONE = "max-of-none"
    """The maximum over no init containers is undefined, so a pod without init containers fits nowhere."""

    BOUND_PODS_IGNORED = "bound-pods-ignored"
    """Pods that are already bound to a node use no resources there."""

    EXACT_TOLERATION = "exact-toleration"
    """An empty operator, key or effect of a toleration matches only an equal, empty one."""

    SOFT_TAINT_FILTERS = "soft-taint-filters"
    """A PreferNoSchedule taint rejects pods."""

    NO_TERMS_NO_NODE = "no-terms-no-node"
    """A pod without required node-affinity terms fits nowhere, because no term of an empty list matches."""

    REQUIREMENT_FOR_TERM = "requirement-for-term"
    """A node-selector term matches if any one of its requirements does."""

    EXITS_MISSPELT = "exits-misspelt"
    """The operator Exists is printed as Exits, so a requirement with Exists matches no case and never holds."""

    TEXT_IS_NO_NUMBER = "text-is-no-number"
    """Gt and Lt test whether a label's value is an integer; it is a string, so neither ever matches."""

    NO_FIRST_OF_GROUP = "no-first-of-group"
    """A pod with required affinity to its own group can never be the first pod of that group."""

    TERMS_ONE_BY_ONE = "terms-one-by-one"
    """Different pods may each match one of the required pod-affinity terms, where one pod must match all of them."""

    EXISTING_ANTI_AFFINITY_IGNORED = "existing-anti-affinity-ignored"
    """The required anti-affinity of pods that are already bound rejects no pod."""

    ANTI_AFFINITY_ADDED = "anti-affinity-added"
    """A matching preferred anti-affinity term raises the node's rating instead of lowering it."""

    RESOURCES_UNRATED = "resources-unrated"
    """No rating considers resources: an empty node is rated like a nearly full one."""


Faults = frozenset[Fault]
ALL_FAULTS: Faults = frozenset(Fault)
NO_FAULTS: Faults = frozenset()
