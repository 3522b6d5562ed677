"""What recreates, recounts and ends: owners, the disruption controller, node lifecycle, kubelet; and the eviction API.

Pod garbage collection is in `model.pod_garbage_collection`.

Each is a function from a state's parts to (action, what becomes of one part); `model.reference` puts them together.
A controller's step may come at any time after what calls for it, so every delay and every order is explored.

Not modelled: the time that a toleration bears a taint (any delay is possible), rate limits of evictions, disruptedPods,
the readiness of a pod apart from its being started, the admission of a pod by the kubelet; a pod beside the one that it
replaces: a ReplicaSet waits until the old one has ended, unless no kubelet will end it (`Replace`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from schedcheck.model.environment import Evict, NodeEvent, PodEvent, deleted, in_order, newly_arrived
from schedcheck.model.pod_garbage_collection import Collect
from schedcheck.model.scenario import Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.budgets import protects, spare
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot, Taint
from schedcheck.spec.owners import FORMER
from schedcheck.spec.published.taints import match

WORKLOADS = frozenset({"ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "Job"})
RECREATING = WORKLOADS | {former for former, kind in FORMER.items() if kind in WORKLOADS}
"""The kinds of owner that make a pod again: those of Kubernetes, also by the groups and versions of earlier releases."""

REPLACING = RECREATING - {each for each in RECREATING if each.endswith(("StatefulSet", "DaemonSet"))}
"""The kinds of owner that do not wait until a deleted pod is gone before they make the next one."""

NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
EFFECTS = ("NoSchedule", "NoExecute")


class Create(PodEvent):
    """An owner makes a pod that is not there, for the first time or anew."""


class Replace(PodEvent):
    """An owner makes a pod in the place of one that is deleted on an unreachable node, whose object is forgotten."""


class Start(PodEvent):
    """The kubelet of a ready node starts a pod that is bound to it."""


class End(PodEvent):
    """The kubelet of a node has ended a pod that was deleted."""


class TaintEvict(PodEvent):
    """A pod is deleted because it does not bear a NoExecute taint of its node, or no longer."""


class TaintByCondition(NodeEvent):
    """The taints of a node are made to say what its condition says."""


@dataclass(frozen=True)
class Recount:
    """The status of a budget is brought up to date."""

    budget: str

    def __str__(self) -> str:
        return f"Recount({self.budget})"


Act = PodEvent | NodeEvent | Recount

ACTIONS: dict[str, tuple[type[Act], ...]] = {
    "owners": (Create, Replace),
    "disruption": (Recount,),
    "lifecycle": (TaintByCondition, TaintEvict),
    "kubelet": (Start, End),
    "podgc": (Collect,),
}
"""What each controller may do."""


def created(origin: Pod, pod: Pod | None) -> Iterator[tuple[Create, Pod]]:
    """Owners: a pod that is not there, and has an owner that makes it."""
    if pod is None and origin.owner[0] in RECREATING:
        yield Create(str(origin)), newly_arrived(origin)


def replaced(pod: Pod, node: Node) -> Iterator[tuple[Replace, Pod]]:
    """Owners that do not wait: a pod that is deleted on a node of which nothing is heard."""
    if pod.owner[0] in REPLACING and pod.terminating and not completed(pod) and node.ready == "Unknown":
        yield Replace(str(pod)), newly_arrived(pod)


def run(pod: Pod, node: Node | None) -> Iterator[tuple[Start | End, Pod | None]]:
    """The kubelet of `node`, None where the pod's node is not there.

    It starts pods while the node is ready, and ends what is deleted also while it says that the node is not. Of a node
    of which nothing is heard, nothing is heard.
    """
    if node is None or node.ready == "Unknown" or completed(pod):
        return
    if pod.terminating:
        yield End(str(pod)), None
    elif pod.phase == "Pending" and node.ready == "True":
        yield Start(str(pod)), replace(pod, phase="Running")


def conditioned(node: Node) -> Node:
    """`node` with exactly the taints that its condition Ready calls for, beside those that others put on it."""
    key = {"False": NOT_READY, "Unknown": UNREACHABLE}.get(node.ready)
    others = [taint for taint in node.taints if taint.key not in (NOT_READY, UNREACHABLE)]
    return in_order(replace(node, taints=(*others, *(Taint(key, effect) for effect in EFFECTS if key))))


def tainted_by_condition(node: Node) -> Iterator[tuple[TaintByCondition, Node]]:
    """Node lifecycle: NotReady and unreachable become taints, and readiness takes them away."""
    if (after := conditioned(node)) != in_order(node):
        yield TaintByCondition(node.name), after


def bears(pod: Pod, node: Node) -> bool:
    """Whether `pod` tolerates, without an end, every NoExecute taint of `node`."""
    return all(
        any(toleration.seconds is None and match(toleration, taint, NO_FAULTS) for toleration in pod.tolerations)
        for taint in node.taints
        if taint.effect == "NoExecute"
    )


def evicted_by_taints(pod: Pod, node: Node, scenario: Scenario) -> Iterator[tuple[TaintEvict, Pod | None]]:
    """Node lifecycle: NoExecute evicts, at once or after the time that a toleration bears it."""
    if not pod.terminating and not completed(pod) and not bears(pod, node):
        yield TaintEvict(str(pod)), deleted(pod, scenario)


def allows(budgets: tuple[PodDisruptionBudget, ...], pod: Pod) -> bool:
    """Whether the eviction API lets `pod` go: one budget at most, by its status with a disruption to spare."""
    protecting = [budget for budget in budgets if protects(budget, pod)]
    return not protecting or (len(protecting) == 1 and protecting[0].disruptions_allowed > 0)


def evicted(pod: Pod, budgets: tuple[PodDisruptionBudget, ...], scenario: Scenario) -> (
    Iterator[tuple[Evict, Pod | None, tuple[PodDisruptionBudget, ...]]]
):  # fmt: skip
    """The eviction API: the pod is deleted, and its budget has one disruption less to spare. A pending pod has none."""
    if pod.terminating or completed(pod):
        return
    if not pod.node_name:
        yield Evict(str(pod)), None, budgets
    elif allows(budgets, pod):
        yield Evict(str(pod)), deleted(pod, scenario), tuple(_used(budget, pod) for budget in budgets)


def _used(budget: PodDisruptionBudget, pod: Pod) -> PodDisruptionBudget:
    """The budget after an eviction of `pod`."""
    if not protects(budget, pod):
        return budget
    return replace(budget, disruptions_allowed=budget.disruptions_allowed - 1)


def recounts(snapshot: Snapshot, kubelet: bool) -> Iterator[tuple[Recount, int, int]]:
    """The disruption controller: each budget whose status is out of date, its place, and what it will allow."""
    for place, budget in enumerate(snapshot.budgets):
        allowed = spare(budget, snapshot, kubelet)
        if allowed != budget.disruptions_allowed:
            yield Recount(str(budget)), place, allowed
