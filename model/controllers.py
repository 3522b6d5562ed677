"""Kubernetes' controllers, the kubelet and the eviction API: owners, disruption, node lifecycle, kubelet.

Pod garbage collection is in `model.pod_garbage_collection`.

Each function maps parts of a state to pairs (action, changed part); `model.reference` assembles them into steps.
A controller may act at any time after the state calls for it, so every delay and every order is explored.

Not modelled: the duration of tolerationSeconds (any delay is possible), rate limits of evictions, disruptedPods,
readiness of a pod apart from its being started, pod admission by the kubelet, and a pod that exists at the same time as
its replacement. A ReplicaSet waits until the old pod has ended, unless no kubelet will end it (`Replace`).
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
from schedcheck.spec.tolerations import match

WORKLOADS = frozenset({"ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "Job"})
RECREATING = WORKLOADS | {former for former, kind in FORMER.items() if kind in WORKLOADS}
"""The kinds of owners that recreate a pod: those of Kubernetes, also by the groups and versions of earlier releases."""

REPLACING = RECREATING - {each for each in RECREATING if each.endswith(("StatefulSet", "DaemonSet"))}
"""The kinds of owners that create the next pod without waiting until the deleted one is gone."""

NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
EFFECTS = ("NoSchedule", "NoExecute")


class Create(PodEvent):
    """The creation of an absent pod by its owner, for the first time or again."""


class Replace(PodEvent):
    """The replacement by its owner of a pod that is deleted on an unreachable node. The old object is forgotten."""


class Start(PodEvent):
    """The start of a bound pod by the kubelet of its ready node."""


class End(PodEvent):
    """The end of a deleted pod, by the kubelet of its node."""


class TaintEvict(PodEvent):
    """The deletion of a pod that does not tolerate a NoExecute taint of its node, or no longer does."""


class TaintByCondition(NodeEvent):
    """The update of a node's taints to match its condition Ready."""


@dataclass(frozen=True)
class Recount:
    """The update of a PodDisruptionBudget's status."""

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
"""The actions of each controller."""


def created(origin: Pod, pod: Pod | None) -> Iterator[tuple[Create, Pod]]:
    """Yield the creation of an absent pod by its owner, if the owner is of a kind that recreates pods."""
    if pod is None and origin.owner[0] in RECREATING:
        yield Create(str(origin)), newly_arrived(origin)


def replaced(pod: Pod, node: Node) -> Iterator[tuple[Replace, Pod]]:
    """Yield the replacement of a pod that is deleted on an unreachable node, if its owner does not wait for its end."""
    if pod.owner[0] in REPLACING and pod.terminating and not completed(pod) and node.ready == "Unknown":
        yield Replace(str(pod)), newly_arrived(pod)


def run(pod: Pod, node: Node | None) -> Iterator[tuple[Start | End, Pod | None]]:
    """Yield what the kubelet of `node` does to `pod`; `node` is None if the pod's node does not exist.

    The kubelet starts pods while the node is ready, and ends deleted pods even while it is not. The kubelet of an
    unreachable node does nothing.
    """
    if node is None or node.ready == "Unknown" or completed(pod):
        return
    if pod.terminating:
        yield End(str(pod)), None
    elif pod.phase == "Pending" and node.ready == "True":
        yield Start(str(pod)), replace(pod, phase="Running")


def conditioned(node: Node) -> Node:
    """Return `node` with exactly the taints that its condition Ready calls for; its other taints stay."""
    key = {"False": NOT_READY, "Unknown": UNREACHABLE}.get(node.ready)
    others = [taint for taint in node.taints if taint.key not in (NOT_READY, UNREACHABLE)]
    return in_order(replace(node, taints=(*others, *(Taint(key, effect) for effect in EFFECTS if key))))


def tainted_by_condition(node: Node) -> Iterator[tuple[TaintByCondition, Node]]:
    """Yield the update of the node's taints: not-ready and unreachable become taints, and Ready removes them."""
    if (after := conditioned(node)) != in_order(node):
        yield TaintByCondition(node.name), after


def bears(pod: Pod, node: Node) -> bool:
    """Whether `pod` tolerates, without tolerationSeconds, every NoExecute taint of `node`."""
    return all(
        any(toleration.seconds is None and match(toleration, taint, NO_FAULTS) for toleration in pod.tolerations)
        for taint in node.taints
        if taint.effect == "NoExecute"
    )


def evicted_by_taints(pod: Pod, node: Node, scenario: Scenario) -> Iterator[tuple[TaintEvict, Pod | None]]:
    """Yield the deletion of a pod that does not tolerate a NoExecute taint, or only for tolerationSeconds."""
    if not pod.terminating and not completed(pod) and not bears(pod, node):
        yield TaintEvict(str(pod)), deleted(pod, scenario)


def allows(budgets: tuple[PodDisruptionBudget, ...], pod: Pod) -> bool:
    """Whether the eviction API deletes `pod`: at most one budget protects it, and its status allows a disruption."""
    protecting = [budget for budget in budgets if protects(budget, pod)]
    return not protecting or (len(protecting) == 1 and protecting[0].disruptions_allowed > 0)


def evicted(pod: Pod, budgets: tuple[PodDisruptionBudget, ...], scenario: Scenario) -> (
    Iterator[tuple[Evict, Pod | None, tuple[PodDisruptionBudget, ...]]]
):  # fmt: skip
    """Yield an eviction through the API: the pod is deleted, and its budget allows one disruption less.

    An unbound pod is deleted without asking any budget.
    """
    if pod.terminating or completed(pod):
        return
    if not pod.node_name:
        yield Evict(str(pod)), None, budgets
    elif allows(budgets, pod):
        yield Evict(str(pod)), deleted(pod, scenario), tuple(_used(budget, pod) for budget in budgets)


def _used(budget: PodDisruptionBudget, pod: Pod) -> PodDisruptionBudget:
    """Return the budget after an eviction of `pod`."""
    if not protects(budget, pod):
        return budget
    return replace(budget, disruptions_allowed=budget.disruptions_allowed - 1)


def recounts(snapshot: Snapshot, kubelet: bool) -> Iterator[tuple[Recount, int, int]]:
    """Yield each update of an outdated budget status, the budget's index, and the disruptions that it now allows."""
    for place, budget in enumerate(snapshot.budgets):
        allowed = spare(budget, snapshot, kubelet)
        if allowed != budget.disruptions_allowed:
            yield Recount(str(budget)), place, allowed
