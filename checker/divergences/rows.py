"""All divergences: `ROWS`, those that a function of the cluster decides; `UNDECIDABLE`, the others.

DESIGN.md says what a row is for. `docs/divergences.md` is generated from these.
"""

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
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, NO_DEPARTURES, Departure, Departures
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS

PLUGINS = "pkg/scheduler/framework/plugins"
DISRUPTION = f"{PLUGINS}/defaultpreemption/default_preemption.go, filterPodsWithPDBViolation"


def decided(case: Case, departures: Departures) -> frozenset[Decision]:
    """Return kube-scheduler's possible decisions on the pod of the case with these departures."""
    return decision(case.pod, case.snapshot, DEFAULT_PLUGINS.departing(departures))


def answers(case: Case) -> Answers:
    """Return the possible decisions of the two profiles as texts."""
    code, documented = (
        frozenset(map(str, decided(case, departures))) for departures in (ALL_DEPARTURES, NO_DEPARTURES)
    )
    return code, documented


def departure(which: Departure, title: str, code: str, documentation: str, source: str) -> Row:
    """Return the row of a departure."""
    return Row(
        name=which.value,
        title=title,
        code=code,
        documentation=documentation,
        source=source,
        witnesses=("kubernetes", "kubernetes-documented"),
        answers=answers,
        covers=COVERS[which],
        domain=DOMAINS[which],
        quick=which is not Departure.BUDGETS_CHARGED_FOR_ALL,
    )


DEPARTING = (
    departure(
        Departure.NAMESPACE_SELECTOR_ON_NO_LABELS,
        "A namespace selector that no labels at all meet selects every namespace.",
        "The namespaces that the selector of the pod to be placed selects are listed, but the selector is not dropped then,"
        " and is tried once more on the empty set of labels. NotIn and DoesNotExist are met by it.",
        "A term speaks of the pods of the namespaces that are listed or selected (API reference, PodAffinityTerm).",
        f"{PLUGINS}/interpodaffinity/plugin.go, mergeAffinityTermNamespacesIfNotEmpty; kubernetes#141526",
    ),
    departure(
        Departure.POD_LEVEL_UNRATED,
        "A node is rated as if the pod requested nothing as a whole.",
        "The score NodeResourcesFit is made without the feature of pod-level resources: it adds up what the containers of"
        " the pod to be placed request, with a default for those that request nothing.",
        "Where a pod requests something as a whole, that is what it is scheduled by (Resource Management for Pods and"
        " Containers, pod-level resources).",
        f"{PLUGINS}/noderesources/fit.go, NewFit; resource_allocation.go, calculatePodResourceRequest",
    ),
    departure(
        Departure.FIRST_OF_GROUP_BY_PAIRS,
        "A pod counts as the first of its group though another of the group runs, on a node without the topology key.",
        "Counted are the domains in which pods of the group run. A node without the key has none, so that nobody is counted"
        " there.",
        "The first pod of a group that requires affinity to itself is placed if no other pod in the cluster has its"
        " namespace and matches its selector (Assigning Pods to Nodes).",
        f"{PLUGINS}/interpodaffinity/filtering.go, satisfyPodAffinity; cf. kubernetes#129319",
    ),
    departure(
        Departure.TERMINATING_UNCOUNTED_TWICE,
        "A terminating pod is taken from a count of topology spread in which it was not.",
        "Pods that are terminating are left out when the domains are counted, but to take one away in the dry run of"
        " preemption lowers the count all the same; so it does for an empty selector, which counts nobody.",
        "The skew is the difference of numbers of matching pods (Pod Topology Spread Constraints): to take away who is not"
        " among them changes nothing.",
        f"{PLUGINS}/podtopologyspread/filtering.go, updateWithPod; common.go, countPodsMatchSelector",
    ),
    departure(
        Departure.PORTS_ARE_A_SET,
        "To evict one of two pods that hold the same port of a node frees the port.",
        "The ports of a node are kept as a set, from which the port is struck with the first pod that held it. Two pods come"
        " to hold one port where one was put on the node by name, past the scheduler.",
        "Each combination of address, port and protocol must be unique on a node (Configuration Best Practices; API"
        " reference, hostPort): as long as one pod holds it, it is taken.",
        "k8s.io/kube-scheduler/framework/types.go, HostPortInfo.Remove",
    ),
    departure(
        Departure.SKIPPED_SEES_NO_NOMINATED,
        "A plugin that has nothing to do without the nominated pods is not asked with them.",
        "A plugin that asks to be skipped is skipped for the whole cycle, also where a pod that is nominated to the node is"
        " added. InterPodAffinity does, as long as no pod that runs shuns the one to be placed.",
        "The filters must pass twice where pods of no lower priority are nominated to a node: with these and without (the"
        " comment on RunFilterPluginsWithNominatedPods, and Pod Priority and Preemption).",
        "pkg/scheduler/framework/runtime/framework.go, RunFilterPluginsWithNominatedPods, RunPreFilterExtensionAddPod",
    ),
    departure(
        Departure.BUDGETS_CHARGED_FOR_ALL,
        "A budget is taken to be used up by pods that are not evicted.",
        "Each pod that could be evicted takes one from its budget, whether it is spared later or not; and who finds nothing"
        " left violates the budget if it is evicted, though it be the only one.",
        "Preemption evicts pods whose budgets would be violated only if it finds no other victims (Pod Priority and"
        " Preemption).",
        f"{DISRUPTION}; cf. kubernetes#129136",
    ),
    departure(
        Departure.EMPTY_BUDGET_PROTECTS_NO_POD,
        "Preemption heeds no budget with an empty selector.",
        "A budget whose selector is empty is passed over.",
        "In policy/v1 an empty selector matches all pods of the namespace (API reference, PodDisruptionBudgetSpec).",
        DISRUPTION,
    ),
    departure(
        Departure.UNLABELLED_UNPROTECTED,
        "Preemption finds no pod without labels protected by a budget.",
        "Budgets are looked at only for pods that have labels.",
        "A selector that asks that a label be absent matches pods without labels (Labels and Selectors).",
        DISRUPTION,
    ),
    departure(
        Departure.CLAIMS_BY_NAME_ALONE,
        "To evict the user of a claim frees the claim of the same name in another namespace.",
        "When a pod is added or taken away for a trial, its claims are compared with those that the pod to be placed wants for"
        " itself alone, by their names and not by their namespaces.",
        "A claim is an object of a namespace, and with the mode ReadWriteOncePod one pod uses it (Persistent Volumes).",
        f"{PLUGINS}/volumerestrictions/volume_restrictions.go, updateWithPod",
    ),
    departure(
        Departure.ATTACHED_COUNTS_TWICE,
        "A volume that is attached to a node for no pod there is added to itself when a pod is to use it.",
        "The volumes of VolumeAttachments are added to those that the pods of the node use; but only the latter are taken"
        " from what the pod to be placed still needs.",
        "The limit of a driver is on how many volumes are attached to a node (Node-specific Volume Limits), each of which is"
        " attached once.",
        f"{PLUGINS}/nodevolumelimits/csi.go, Filter",
    ),
)
"""The rows of the departures, one each."""

ROWS: tuple[Row, ...] = (*DEPARTING, *CHOOSING, *SEARCHING, *MOVING, *SLEEPING)

UNDECIDABLE = (
    Undecidable(
        name="overhead-grows",
        title="The overhead of a pod is added to what it requests as a whole each time that this is read.",
        code="The quantity of a request such as 1.5Gi, a fraction of a binary unit, is shared between the pod and what is"
        " read of it; to add the overhead to the one changes the other, so that the next reading begins with it.",
        documentation="Overhead is added once to what a pod requests (Pod Overhead).",
        source="k8s.io/component-helpers/resource/helpers.go, PodRequests; kubernetes#141241",
        why="What kube-scheduler decides depends on how often the pod was read before, by itself and by whoever shares the"
        " object: no function of the cluster gives it, so that there is no predicate which would excuse this and nothing"
        " else. Recorded answers in which it shows are tagged as no ground truth, and counted apart.",
    ),
)
