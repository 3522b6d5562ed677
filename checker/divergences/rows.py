"""All divergences: `ROWS`, those that a function of the cluster decides; `UNDECIDABLE`, the others.

DESIGN.md says what a row is for. `docs/divergences.md` is generated from these.
"""

from collections.abc import Callable

from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.covering import COVERS
from schedcheck.checker.divergences.domains import DOMAINS
from schedcheck.checker.divergences.nodes import SEARCHING
from schedcheck.checker.divergences.nominations import MOVING
from schedcheck.checker.divergences.row import Answers, Row, Undecidable
from schedcheck.checker.divergences.victims import CHOOSING
from schedcheck.checker.divergences.waking import SLEEPING
from schedcheck.spec.decisions import Decision
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES, Departure, Departures
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.versions import NEWEST, VERSIONS, Version

PLUGINS = "pkg/scheduler/framework/plugins"
DISRUPTION = "pkg/scheduler/framework/preemption/util.go, FilterVictimsWithPDBViolation"


def decided(case: Case, departures: Departures) -> frozenset[Decision]:
    """Return kube-scheduler's possible decisions on the pod of the case with these departures."""
    return decision(case.pod, case.snapshot, DEFAULT_PLUGINS.departing(departures))


def departing(which: Departure) -> Version:
    """Return the newest version with the departure."""
    return next(version for version in VERSIONS.values() if which in version.departures)


def against_the_documentation(version: Version) -> Callable[[Case], Answers]:
    """Return a function from a case to the possible decisions, as texts, of the version and of the documentation."""

    def answers(case: Case) -> Answers:
        code, documented = (
            frozenset(map(str, decided(case, departures))) for departures in (version.departures, NO_DEPARTURES)
        )
        return code, documented

    return answers


def departure(which: Departure, title: str, code: str, documentation: str, source: str) -> Row:
    """Return the row of a departure from the documentation; the code is the newest version with it."""
    version = departing(which)
    return Row(
        name=which.value,
        title=title,
        code=code,
        documentation=documentation,
        source=source,
        witnesses=("kubernetes" if version is NEWEST else f"kubernetes-{version.name}", "kubernetes-documented"),
        answers=against_the_documentation(version),
        covers=COVERS[which],
        domain=DOMAINS[which],
        quick=which not in (Departure.BUDGETS_CHARGED_FOR_ALL, Departure.LATER_BUDGETS_UNCHARGED),
    )


DEPARTING = (
    departure(
        Departure.NAMESPACE_SELECTOR_ON_NO_LABELS,
        "A namespace selector that matches an empty label set selects every namespace.",
        "Up to 1.36 the selected namespaces are added to the list of namespaces of the term, but the selector stays. It"
        " is later matched against an empty label set, which satisfies NotIn and DoesNotExist.",
        "A term applies to the pods of the namespaces that it lists or selects (API reference, PodAffinityTerm).",
        f"{PLUGINS}/interpodaffinity/plugin.go, mergeAffinityTermNamespacesIfNotEmpty; kubernetes#141526",
    ),
    departure(
        Departure.POD_LEVEL_UNRATED,
        "The score of a node ignores the pod-level requests of the pod.",
        "The scorer of NodeResourcesFit is created without the feature PodLevelResources. It adds up the requests of"
        " the containers, with a default for containers without requests.",
        "If a pod has pod-level requests, it is scheduled by these (Resource Management for Pods and Containers,"
        " pod-level resources).",
        f"{PLUGINS}/noderesources/fit.go, NewFit; resource_allocation.go, calculatePodResourceRequest",
    ),
    departure(
        Departure.FIRST_OF_GROUP_BY_PAIRS,
        "A pod counts as the first of its group although another pod of the group runs on a node without the topology"
        " key.",
        "The code counts the pods of the group per topology domain. A node without the topology key has no domain, so"
        " its pods are not counted.",
        "The first pod of a group that requires affinity to itself is placed if no other pod in the cluster has its"
        " namespace and matches its selector (Assigning Pods to Nodes).",
        f"{PLUGINS}/interpodaffinity/filtering.go, satisfyPodAffinity; cf. kubernetes#129319",
    ),
    departure(
        Departure.TERMINATING_UNCOUNTED_TWICE,
        "A terminating pod is subtracted from a topology spread count that did not include it.",
        "The counts of the domains leave out terminating pods. Removing a terminating pod in the dry run of preemption"
        " lowers the count nevertheless. The same happens for an empty selector, which counts no pods.",
        "The skew is the difference of numbers of matching pods (Pod Topology Spread Constraints). Removing a pod that"
        " is not counted does not change it.",
        f"{PLUGINS}/podtopologyspread/filtering.go, updateWithPod; common.go, countPodsMatchSelector",
    ),
    departure(
        Departure.PORTS_ARE_A_SET,
        "Evicting one of two pods that use the same host port of a node frees the port.",
        "The host ports of a node are a set, and removing either pod removes the port from it. Two pods can use the"
        " same port if one was assigned to the node by name, without the scheduler.",
        "Each combination of address, port and protocol must be unique on a node (Configuration Best Practices; API"
        " reference, hostPort). It is taken as long as one pod uses it.",
        "k8s.io/kube-scheduler/framework/types.go, HostPortInfo.Remove",
    ),
    departure(
        Departure.SKIPPED_SEES_NO_NOMINATED,
        "A filter plugin that is skipped without the nominated pods is also skipped with them.",
        "A plugin that returns Skip from PreFilter is skipped for the whole cycle, also when a pod nominated to the"
        " node is added. InterPodAffinity returns Skip if no bound pod has anti-affinity to the pod.",
        "If pods of equal or higher priority are nominated to a node, the filters must pass with and without them (the"
        " comment on RunFilterPluginsWithNominatedPods, and Pod Priority and Preemption).",
        "pkg/scheduler/framework/runtime/framework.go, RunFilterPluginsWithNominatedPods, RunPreFilterExtensionAddPod",
    ),
    departure(
        Departure.BUDGETS_CHARGED_FOR_ALL,
        "Pods that are not evicted use up a disruption budget.",
        "Each potential victim takes one disruption from its budget, even if it is reprieved later. A potential victim"
        " that finds no disruption left counts as a violation if it is evicted, even as the only victim.",
        "Preemption evicts pods whose budgets would be violated only if it finds no other victims (Pod Priority and"
        " Preemption).",
        f"{DISRUPTION}; cf. kubernetes#129136",
    ),
    departure(
        Departure.EMPTY_BUDGET_PROTECTS_NO_POD,
        "Preemption ignores a budget with an empty selector.",
        "A budget whose selector is empty is skipped.",
        "In policy/v1 an empty selector matches all pods of the namespace (API reference, PodDisruptionBudgetSpec).",
        DISRUPTION,
    ),
    departure(
        Departure.UNLABELLED_UNPROTECTED,
        "For preemption no budget protects a pod without labels.",
        "Budgets are evaluated only for pods that have labels.",
        "A selector that requires the absence of a label matches pods without labels (Labels and Selectors).",
        DISRUPTION,
    ),
    departure(
        Departure.CLAIMS_BY_NAME_ALONE,
        "Evicting a pod that uses a claim frees the claim of the same name in another namespace.",
        "When the dry run adds or removes a pod, its claims are compared with the ReadWriteOncePod claims of the pod"
        " to be placed. The comparison uses names without namespaces.",
        "A claim belongs to a namespace, and with the mode ReadWriteOncePod only one pod may use it (Persistent"
        " Volumes).",
        f"{PLUGINS}/volumerestrictions/volume_restrictions.go, updateWithPod",
    ),
    departure(
        Departure.ATTACHED_COUNTS_TWICE,
        "A volume that is attached to a node, but used by no pod there, counts twice when a pod is to use it.",
        "The volumes of VolumeAttachments are added to the volumes that the pods of the node use. Only the latter are"
        " subtracted from the volumes that the pod still needs.",
        "The limit of a driver is the number of volumes attached to a node (Node-specific Volume Limits), and each"
        " volume is attached once.",
        f"{PLUGINS}/nodevolumelimits/csi.go, Filter",
    ),
    departure(
        Departure.LATER_BUDGETS_UNCHARGED,
        "A pod whose eviction violates a disruption budget uses up no later budget that protects it too.",
        "From 1.37 on the budgets are asked one after the other, and the first that is violated ends the search. The"
        " later ones allow one disruption more than without this pod. kube-scheduler lists the budgets in any order, so"
        " several numbers of violations are possible.",
        "Preemption evicts pods whose budgets would be violated only if it finds no other victims (Pod Priority and"
        " Preemption). An evicted pod is unavailable to every budget that protects it.",
        "pkg/scheduler/framework/preemption/util.go, FilterVictimsWithPDBViolation",
    ),
)
"""The rows of the departures, one each."""

ROWS: tuple[Row, ...] = (*DEPARTING, *CHOOSING, *SEARCHING, *MOVING, *SLEEPING)

UNDECIDABLE = (
    Undecidable(
        name="overhead-grows",
        title="The overhead of a pod is added to its pod-level requests again each time that they are read.",
        code="The quantity of a request that is a fraction of a binary unit, such as 1.5Gi, is shared between the pod"
        " and the computed sum. Adding the overhead to the sum changes the pod, so the next computation starts from"
        " the higher value.",
        documentation="Overhead is added once to the requests of a pod (Pod Overhead).",
        source="k8s.io/component-helpers/resource/helpers.go, PodRequests; kubernetes#141241",
        why="The decision of kube-scheduler depends on how often the shared pod object was read before. This is no"
        " function of the cluster, so no predicate excuses exactly this difference. Affected recorded answers are"
        " tagged as no ground truth and counted separately.",
    ),
)
