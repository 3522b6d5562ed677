"""Departures of kube-scheduler from the text of the specification: `Departure`, `Departures`.

The text follows the documentation, and where that is silent the newest version. A departure is a place where the code,
or an older version of it, does otherwise; a feature gate that is off is one too. `spec/kubernetes/versions.py` says
which departures each version has; `kubernetes-documented` has none.
"""

from enum import StrEnum


class Departure(StrEnum):
    """A place where the code differs from the text, named after what the code does."""

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

    LATER_BUDGETS_UNCHARGED = "later-budgets-uncharged"
    """A pod that violates a disruption budget is charged to none of those that come after it in the list."""

    UNTOLERATED_TAINT_NAMED = "untolerated-taint-named"
    """The refusal by TaintToleration names the taint; it says "untolerated taint(s)" from 1.34.2 on."""

    BALANCED_WITH_THE_POD_ALONE = "balanced-with-the-pod-alone"
    """NodeResourcesBalancedAllocation rates the node with the pod on it, not how the pod changes the balance."""

    IMAGE_VOLUMES_UNRATED = "image-volumes-unrated"
    """ImageLocality does not look at the images that a pod mounts as volumes."""

    IMAGE_VOLUMES_UNCOUNTED = "image-volumes-uncounted"
    """ImageLocality takes the number of containers for the number of images, although images are mounted too."""

    NOMINATION_UNMENTIONED = "nomination-unmentioned"
    """The event of a pod that preempts does not say on which node and how many victims."""

    IDLE_CLAIMS_MENTIONED = "idle-claims-mentioned"
    """The event of a pod that fits on no node says that it has no claims to deallocate."""

    CLAIMS_UNRATED = "claims-unrated"
    """DynamicResources does not score."""

    UNSCHEDULABLE_BEFORE_NODE_NAME = "unschedulable-before-node-name"
    """NodeUnschedulable runs before NodeName, so that it is the one that refuses where both would."""

    PRE_FILTERS_FEW = "pre-filters-few"
    """NodeName, NodeUnschedulable and TaintToleration are no plugins at preFilter."""

    DECLARED_FEATURES_IGNORED = "declared-features-ignored"
    """The features that nodes declare are not looked at (feature gate NodeDeclaredFeatures off)."""

    MISSING_DRIVERS_IGNORED = "missing-drivers-ignored"
    """A node may lack a driver whose CSIDriver prevents this (feature gate VolumeLimitScaling off)."""

    STORAGE_CAPACITY_UNRATED = "storage-capacity-unrated"
    """VolumeBinding scores only where its arguments have a shape (feature gate StorageCapacityScoring off)."""

    PORTWORX_BY_ANNOTATION = "portworx-by-annotation"
    """A Portworx volume is one of CSI only on nodes whose CSINode has the annotation that says so."""

    DEVICE_TAINTS_IGNORED = "device-taints-ignored"
    """The taints of devices are not looked at (feature gate DRADeviceTaints off)."""

    PARTITIONABLE_DEVICES_UNUSED = "partitionable-devices-unused"
    """Devices that consume shared counters are not allocated (feature gate DRAPartitionableDevices off)."""

    CONSUMABLE_CAPACITY_UNUSED = "consumable-capacity-unused"
    """A device serves one request as a whole (feature gate DRAConsumableCapacity off)."""

    BINDING_CONDITIONS_IGNORED = "binding-conditions-ignored"
    """Devices with binding conditions are not allocated (feature gate DRADeviceBindingConditions off)."""

    EXTENDED_RESOURCES_UNCLAIMED = "extended-resources-unclaimed"
    """No device class backs an extended resource (feature gate DRAExtendedResource off)."""

    INCOMPLETE_POOLS_SERVE = "incomplete-pools-serve"
    """Devices of incomplete pools are allocated, and a search that comes to an invalid pool ends in an error."""

    POOLS_IN_ANY_ORDER = "pools-in-any-order"
    """The pools of a node are searched in random order, as they are stored in a Go map."""

    DEVICES_UNMENTIONED = "devices-unmentioned"
    """An error of the allocation of devices names neither the request nor the device."""

    GREATEST_OF_EACH_CONTAINER = "greatest-of-each-container"
    """A resized pod uses the sum of the greatest amounts of each container, not the greatest sum over the pod."""

    POD_LEVEL_STATUS_IGNORED = "pod-level-status-ignored"
    """The status of a resized pod as a whole is not looked at (gate InPlacePodLevelResourcesVerticalScaling off)."""

    NEEDLESS_PREEMPTION_FAILS = "needless-preemption-fails"
    """Preemption fails on a node that only an extender refuses, so that no pod has to go, although extenders may name victims."""

    MEMBERS_QUEUED_ALONE = "members-queued-alone"
    """A pod of a PodGroup enters the queue by itself: a gated one keeps no other out, and the cycle tries those queued."""

    MEMBERS_UNALIKE = "members-unalike"
    """The pods of a PodGroup may differ in priority and preemptionPolicy, from each other and from the group."""

    MEMBERS_PREEMPT = "members-preempt"
    """A pod of a PodGroup preempts by itself within the cycle of its group, and any pod evicts pods of PodGroups alone."""

    ASSUMED_TERMS_UNSEEN = "assumed-terms-unseen"
    """InterPodAffinity overlooks terms of a pod assumed for its PodGroup on a node that held no pod with such terms before."""


Departures = frozenset[Departure]
ALL_DEPARTURES: Departures = frozenset(Departure)
NO_DEPARTURES: Departures = frozenset()
