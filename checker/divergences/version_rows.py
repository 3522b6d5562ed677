"""What changed between versions of kube-scheduler: `CHANGES`, those with a smallest cluster; `UNSEEN`, the others.

A row is a departure that tells two versions apart, one after the other: the older one has it, or the newer one has.
`docs/versions.md` is generated from these.
"""

from collections.abc import Callable, Mapping

from frozendict import frozendict

from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.row import Answers, Row, Undecidable
from schedcheck.checker.divergences.rows import PLUGINS, decided
from schedcheck.checker.divergences.version_covering import OF_CHANGES as COVERS
from schedcheck.checker.divergences.version_domains import OF_CHANGES as DOMAINS
from schedcheck.spec.decisions import Nominate, Wait
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.preemption.post_filter import messages
from schedcheck.spec.kubernetes.versions import VERSIONS

OF_DEVICES: Mapping[Departure, str] = frozendict(
    {
        Departure.DEVICE_TAINTS_IGNORED: "DRADeviceTaints is off: the taints of devices are ignored",
        Departure.PARTITIONABLE_DEVICES_UNUSED: "DRAPartitionableDevices is off: devices with counters are not allocated",
        Departure.CONSUMABLE_CAPACITY_UNUSED: "DRAConsumableCapacity is off: a device serves one request as a whole",
        Departure.BINDING_CONDITIONS_IGNORED: "DRADeviceBindingConditions is off: devices with them are not allocated",
        Departure.EXTENDED_RESOURCES_UNCLAIMED: "DRAExtendedResource is off: no device class backs an extended resource",
        Departure.INCOMPLETE_POOLS_SERVE: "incomplete pools serve, and an invalid pool ends the search in an error",
        Departure.POOLS_IN_ANY_ORDER: "pools are searched in random order",
        Departure.DEVICES_UNMENTIONED: "errors name neither the request nor the device",
    }
)
"""How the allocation of devices differs between versions. The clusters of the domains have no devices."""
OF_GROUPS: Mapping[Departure, str] = frozendict(
    {
        Departure.MEMBERS_QUEUED_ALONE: "a pod of a group enters the queue by itself: a gated one keeps no other out",
        Departure.MEMBERS_UNALIKE: "the pods of a group may differ in priority and preemptionPolicy",
        Departure.MEMBERS_PREEMPT: "a pod of a group preempts by itself, not the group",
        Departure.ASSUMED_TERMS_UNSEEN: "pod affinity overlooks terms of pods that are assumed within the cycle of their group",
    }
)
"""How the cycle of a PodGroup differs between versions that have it, behind feature gates. The domains have no PodGroups."""
NO_DOMAIN = "no cluster of a domain"

HEADS = ("Before", "Since")


Told = type[Wait] | type[Nominate]


def told(case: Case, departures: Departures, kind: Told) -> frozenset[str]:
    """Return the possible decisions on the pod of the case; if it waits, or is nominated, instead the texts of its event.

    `kind` is which of the two.
    """
    made = decided(case, departures)
    if not any(isinstance(each, kind) for each in made):
        return frozenset(map(str, made))
    return messages(DryRun(taken_up(case.pod, case.snapshot, DEFAULT_PLUGINS.departing(departures))))


def between(older: str, newer: str, by_event: Told | None) -> Callable[[Case], Answers]:
    """Return a function from a case to the answers of two versions: decisions, or the events of one kind of them."""

    def answers(case: Case) -> Answers:
        versions = VERSIONS[older].departures, VERSIONS[newer].departures
        if by_event is not None:
            return told(case, versions[0], by_event), told(case, versions[1], by_event)
        before, since = (frozenset(map(str, decided(case, departures))) for departures in versions)
        return before, since

    return answers


def change(
    which: Departure,
    versions: tuple[str, str],
    title: str,
    before: str,
    since: str,
    source: str,
    *,
    by_event: Told | None = None,
) -> Row:
    """Return the row of a departure that tells the two versions apart; `by_event` if only the events of such pods do."""
    older, newer = versions
    return Row(
        name=which.value,
        title=title,
        code=before,
        documentation=since,
        source=source,
        witnesses=(f"kubernetes-{older}", f"kubernetes-{newer}"),
        answers=between(older, newer, by_event),
        covers=COVERS[which],
        domain=DOMAINS[which],
        quick=which is not Departure.LATER_BUDGETS_UNCHARGED,
        compared=by_event is None,
        folder="versions",
        heads=HEADS,
    )


CHANGES: tuple[Row, ...] = (
    change(
        Departure.UNTOLERATED_TAINT_NAMED,
        ("1.34.1", "1.34"),
        "The event of a pod no longer names the taint that it does not tolerate.",
        "The event names the first taint of each node that the pod does not tolerate: untolerated taint {key: value}.",
        "The event says: untolerated taint(s). Nodes with different taints are counted together. The decision is the"
        " same.",
        f"{PLUGINS}/tainttoleration/taint_toleration.go, Filter",
        by_event=Wait,
    ),
    change(
        Departure.BALANCED_WITH_THE_POD_ALONE,
        ("1.35", "1.36"),
        "NodeResourcesBalancedAllocation scores how the pod changes the balance of a node.",
        "The score is how close to each other the utilizations of the resources are with the pod on the node, 50 to"
        " 100 for two resources.",
        "The score is 75 if the pod does not change this closeness. It is more if the pod brings the utilizations"
        " closer to each other, up to 100, and less if it drives them apart, down to 50.",
        f"{PLUGINS}/noderesources/balanced_allocation.go, balancedResourceScorer",
    ),
    change(
        Departure.IMAGE_VOLUMES_UNRATED,
        ("1.35", "1.36"),
        "ImageLocality counts the images that a pod mounts as volumes.",
        "Only the images of containers and init containers count.",
        "A node that has an image which the pod mounts as a volume scores higher, as for images of containers.",
        f"{PLUGINS}/imagelocality/image_locality.go, sumImageScores",
    ),
    change(
        Departure.DECLARED_FEATURES_IGNORED,
        ("1.35", "1.36"),
        "A node must declare the features that the fields of a pod require of its kubelet.",
        "The feature gate NodeDeclaredFeatures is off by default, and 1.34 does not have it.",
        "The gate is on by default, and in 1.37 it is locked. The filter NodeDeclaredFeatures refuses a node whose"
        " status lacks a required feature; evictions cannot help.",
        f"{PLUGINS}/nodedeclaredfeatures/nodedeclaredfeatures.go, Filter",
    ),
    change(
        Departure.POD_LEVEL_STATUS_IGNORED,
        ("1.35", "1.36"),
        "A pod that is resized as a whole takes what its status says, if that is more than it requests.",
        "The requests of the pod as a whole count. What its node has set aside for it, or what it runs with, does not (feature"
        " gate InPlacePodLevelResourcesVerticalScaling, off by default in 1.35).",
        "The gate is on by default. Of a resource that the pod as a whole requests the greatest amount counts: what it"
        " requests, status.allocatedResources and status.resources of the pod.",
        "component-helpers/resource/helpers.go, PodRequests",
    ),
    change(
        Departure.PORTWORX_BY_ANNOTATION,
        ("1.35", "1.36"),
        "A Portworx volume counts as a volume of its CSI driver on every node with a CSINode.",
        "It counts only where the CSINode has the annotation that the in-tree plugin is migrated.",
        "The annotation is not looked at for the limits of volumes, as the feature gate CSIMigrationPortworx is gone.",
        f"{PLUGINS}/nodevolumelimits/utils.go, isCSIMigrationOn",
    ),
    change(
        Departure.GREATEST_OF_EACH_CONTAINER,
        ("1.36", "1.37"),
        "Of a pod that is resized the greatest sum over its containers counts.",
        "Of each container the greatest amount counts: what it requests, what its node has set aside for it, and what it"
        " runs with. These are summed. A status without resources does not count, nor that of an init container that is no"
        " sidecar.",
        "The pod takes the greatest of three sums. A container whose status lacks one of the amounts counts with the one"
        " before it. Two sums in the status of the pod take the place of those over its containers.",
        "component-helpers/resource/helpers.go, AggregateContainerRequests",
    ),
    change(
        Departure.NAMESPACE_SELECTOR_ON_NO_LABELS,
        ("1.36", "1.37"),
        "A namespace selector that matches an empty label set no longer selects every namespace.",
        "The selected namespaces are added to the namespaces of the term, and the selector stays. Later it is matched"
        " against an empty label set.",
        "The selector is replaced by one that selects nothing once its namespaces have been added.",
        f"{PLUGINS}/interpodaffinity/plugin.go, mergeAffinityTermNamespacesIfNotEmpty; kubernetes#141526",
    ),
    change(
        Departure.IMAGE_VOLUMES_UNCOUNTED,
        ("1.36", "1.37"),
        "The images that a pod mounts count in the number of images by which ImageLocality scales its score.",
        "The score is full from 1000 MiB on for each container, although the images of volumes add to the sum.",
        "The score is full from 1000 MiB on for each container and each image that is mounted.",
        f"{PLUGINS}/imagelocality/image_locality.go, sumImageScores, calculatePriority",
    ),
    change(
        Departure.NOMINATION_UNMENTIONED,
        ("1.36", "1.37"),
        "The event of a pod that preempts says on which node, and how many victims.",
        "The event only says why no node is feasible.",
        "The event also says: found a potential placement for pod on node N, preempting M victims. The decision is the"
        " same.",
        "pkg/scheduler/framework/preemption/preemption.go, Preempt",
        by_event=Nominate,
    ),
    change(
        Departure.IDLE_CLAIMS_MENTIONED,
        ("1.36", "1.37"),
        "The event of a pod that fits on no node no longer says that it has no claims to deallocate.",
        "DynamicResources adds to the event of each pod: no new claims to deallocate, or still not schedulable.",
        "DynamicResources adds nothing unless it has deallocated a claim. The decision is the same.",
        f"{PLUGINS}/dynamicresources/dynamicresources.go, PostFilter",
        by_event=Wait,
    ),
    change(
        Departure.MISSING_DRIVERS_IGNORED,
        ("1.36", "1.37"),
        "A pod is not placed on a node without a CSI driver that it needs, if the CSIDriver says so.",
        "A node without the driver has no limit for its volumes, so NodeVolumeLimits lets the pod pass (feature gate"
        " VolumeLimitScaling, off by default in 1.35 and 1.36).",
        "The gate is on by default. A CSIDriver with preventPodSchedulingIfMissing makes NodeVolumeLimits refuse a"
        " node whose CSINode does not list the driver.",
        f"{PLUGINS}/nodevolumelimits/csi.go, Filter, checkCSIDriverOnNode",
    ),
    change(
        Departure.STORAGE_CAPACITY_UNRATED,
        ("1.36", "1.37"),
        "VolumeBinding scores how full the storage of a node would be.",
        "VolumeBinding gives no score (feature gate StorageCapacityScoring, off by default from 1.33 to 1.36).",
        "The gate is on by default. With the default shape a node scores the higher, the smaller the share of its"
        " capacity that the claims to be provisioned there ask for. If claims take volumes that exist, their share of"
        " these volumes counts instead.",
        f"{PLUGINS}/volumebinding/volume_binding.go, Score; scorer.go",
    ),
    change(
        Departure.LATER_BUDGETS_UNCHARGED,
        ("1.36", "1.37"),
        "A pod whose eviction violates a disruption budget uses up no later budget that protects it too.",
        "A potential victim takes one disruption from each budget that protects it.",
        "The first budget that is violated ends the search, so the later ones are not charged. kube-scheduler lists the"
        " budgets in any order, and all results are allowed.",
        "pkg/scheduler/framework/preemption/util.go, FilterVictimsWithPDBViolation; before, defaultpreemption/"
        "default_preemption.go, filterPodsWithPDBViolation",
    ),
)
"""The changes that tell versions apart, one row for each departure, oldest first."""

UNSEEN: Mapping[str, tuple[Undecidable, ...]] = frozendict(
    {
        "1.35": (
            Undecidable(
                name=Departure.CLAIMS_UNRATED.value,
                title="DynamicResources scores nodes on which earlier alternatives of a claim are allocated.",
                code="DynamicResources gives no score.",
                documentation="Of a request with alternatives (firstAvailable), the first one gives 8 points, the next 7,"
                " and so on. The sums are normalised, and count twice.",
                source=f"{PLUGINS}/dynamicresources/dynamicresources.go, Score, computeScore, NormalizeScore",
                why="The clusters of the domains have no devices. Requests without alternatives get no points.",
                heads=HEADS,
                instead=NO_DOMAIN,
            ),
            Undecidable(
                name="opportunistic-batching",
                title="From 1.35 on, a node that an earlier pod left over may be taken without a look at the others.",
                code="Each pod is filtered and scored by itself (1.34).",
                documentation="If the next pod has the same signature within half a second, the last node no longer takes it,"
                " and the best node left over from the earlier pod passes the filters, then it goes there (feature gate"
                " OpportunisticBatching, on by default). Other nodes are neither filtered nor scored again.",
                source="pkg/scheduler/framework/runtime/batch.go, GetNodeHint, StoreScheduleResults; pkg/scheduler/"
                "schedule_one.go, findNodesThatFitPod; SignPod of the plugins",
                why="The decision depends on the cycle before and on the clock, which is no function of the cluster. With the"
                " default configuration it never happens: PodTopologySpread has default constraints, and then signs no pod."
                " With `defaultingType: List` and no default constraints, it signs pods without constraints of their own; other"
                " plugins sign none with pod affinity or claims for devices. The specification filters and scores all nodes for"
                " each pod.",
                heads=HEADS,
            ),
            Undecidable(
                name="ties-in-order",
                title="From 1.35 on, ties among the best nodes are broken at random only where an extender scores.",
                code="One of the nodes with the greatest score is drawn at random (1.34).",
                documentation="The nodes are put into a heap by score and a random number. Only nodes that an extender has"
                " scored get this number; for all others it is 0, and the first of the heap is taken.",
                source="pkg/scheduler/schedule_one.go, prioritizeNodes, newSortedNodeScores; in 1.37 also"
                " pkg/scheduler/framework/sorted_nodes.go",
                why="Which node is the first depends on where the search for feasible nodes began, and on the order in which"
                " parallel workers found them. This is no function of the cluster. The specification allows each node with the"
                " greatest score, in every version.",
                heads=HEADS,
            ),
        ),
        "1.37": (
            Undecidable(
                name=Departure.UNSCHEDULABLE_BEFORE_NODE_NAME.value,
                title="From 1.37 on, NodeName is asked before NodeUnschedulable.",
                code="NodeUnschedulable is the first filter, and NodeName the second.",
                documentation="NodeName is the first filter.",
                source="pkg/scheduler/apis/config/v1/default_plugins.go, getDefaultPlugins",
                why="No decision about a pending pod shows it, and no event: a pod with a node name is bound already, so"
                " NodeName refuses no node for a pod to be scheduled.",
                heads=HEADS,
                instead=NO_DOMAIN,
            ),
            Undecidable(
                name=Departure.PRE_FILTERS_FEW.value,
                title="From 1.37 on, NodeName, NodeUnschedulable and TaintToleration run at PreFilter.",
                code="None of the three is a plugin at PreFilter.",
                documentation="At PreFilter, NodeName names the only node of a pod with a node name. The other two are"
                " skipped for a pod whose resize is deferred, which needs a feature gate that is off by default"
                " (InPlacePodVerticalScalingSchedulerPreemption).",
                source=f"{PLUGINS}/nodename/node_name.go, nodeunschedulable/node_unschedulable.go,"
                " tainttoleration/taint_toleration.go, PreFilter",
                why="For a pod without a node name, and with the gate off, the three do nothing there.",
                heads=HEADS,
                instead=NO_DOMAIN,
            ),
        ),
    }
)
"""Changes without a smallest cluster, by the first version with them."""
