"""Defects that show only in some order of steps: a scenario, the right placement, and the reinserted defect:
`BEHAVIOURS`
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pytest import MonkeyPatch

from schedcheck.model.production.cache.cache import Cache
from schedcheck.model.production.cycle import delivery
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.framework.events import ASSIGNED_POD_DELETED
from schedcheck.model.production.plugins.inter_pod_affinity import InterPodAffinity
from schedcheck.model.production.plugins.priority_sort import PrioritySort
from schedcheck.model.production.plugins.taint_toleration import TaintToleration
from schedcheck.model.production.queue.nominator import Nominator
from schedcheck.model.production.queue.queued_pod import QueuedPod
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Taint, Toleration
from tests.corpus.decisions import K, put
from tests.support.building import near, node, on_nodes, on_pods, pod, scenario, selector, term

TAINT = Taint("t", "NoSchedule")


@dataclass(frozen=True)
class Behaviour:
    """A defect of this number; `right` gives the pods on their nodes in some reachable state."""

    id: str
    scenario: Scenario
    right: tuple[tuple[str, str], ...]
    defect: Callable[[MonkeyPatch], None]
    faults: int = 0


def reinserted(patch: MonkeyPatch) -> None:
    """A pod that could not be scheduled is put back into the queue even if it no longer exists."""
    failed = Scheduler._failed

    def careless(self: Scheduler, queued: QueuedPod, *others: Any) -> None:
        pods = self.handle.listers.pods
        gone = queued.key not in pods
        pods.setdefault(queued.key, queued.pod)
        failed(self, queued, *others)
        if gone:
            del pods[queued.key]

    patch.setattr(Scheduler, "_failed", careless)


def forgotten_as_unscheduled(patch: MonkeyPatch) -> None:
    """A forgotten pod is reported to the queue as a pod without a node."""
    undo, move_all = Scheduler._undo, SchedulingQueue.move_all

    def blank(self: SchedulingQueue, event: Any, before: Any, after: Any, concerns: Any = None) -> None:
        before = replace(before, node_name="") if event == ASSIGNED_POD_DELETED else before
        move_all(self, event, before, after, concerns)

    def undoing(self: Scheduler, *given: Any) -> None:
        with MonkeyPatch.context() as inner:
            inner.setattr(SchedulingQueue, "move_all", blank)
            undo(self, *given)

    patch.setattr(Scheduler, "_undo", undoing)


def tainted_nodes_unheard_of(patch: MonkeyPatch) -> None:
    """A new node with a taint moves no pod."""
    node_event = Delivery.node

    def checked(self: Delivery, before: Any, after: Any) -> None:
        if before is None and after.taints:
            self._cache.add_node(after)
        else:
            node_event(self, before, after)

    patch.setattr(Delivery, "node", checked)


def noted_when_delivered(patch: MonkeyPatch) -> None:
    """A nomination counts only once it is delivered."""
    add = Nominator.add
    patch.setattr(Nominator, "add", lambda self, each, node=None: add(self, each) if node is None else None)


def kept_nomination(patch: MonkeyPatch) -> None:
    """A pod that finds no room keeps its nomination."""
    failed = Scheduler._failed
    patch.setattr(
        Scheduler, "_failed", lambda self, queued, status, fit, node: failed(self, queued, status, fit, node or None)
    )


def kept_with_its_pods(patch: MonkeyPatch) -> None:
    """A node stays in the cache while there are pods on it."""
    remove = Cache.remove_node
    patch.setattr(
        Cache, "remove_node", lambda self, name: None if self.nodes[name].pods else remove(self, name)
    )  # fmt: skip


def unheard_when_the_last_leaves(patch: MonkeyPatch) -> None:
    """The deletion of a pod selected by an affinity term moves no pod."""
    matters = InterPodAffinity.pod_matters

    def deaf(self: InterPodAffinity, pod: Any, before: Any, after: Any) -> bool:
        wanted = before is not None and bool(pod.affinity.pod_required) and not pod.affinity.anti_required
        return not wanted and matters(self, pod, before, after)

    patch.setattr(InterPodAffinity, "pod_matters", deaf)


BEHAVIOURS = (
    Behaviour(
        f"{K}28883", scenario(node("n1", 1), node("n2", 1), pod("p", 1), pod("q", 1)), (("p", "n1"), ("q", "n2")),
        put(Cache, "forget", lambda self, info: None), 1,
    ),
    Behaviour(
        f"{K}106780",
        scenario(
            node("n1", 4), pod("p0", 2, "n1", priority=5), pod("p1", 3, priority=5, nominated_node_name="n1"),
            pod("p2", 2, priority=10), rules=[on_pods("delete", "p0", 1)],
        ),
        (("p2", "n1"),), kept_nomination,
    ),
    Behaviour(
        "koordinator-sh/koordinator#3185",
        scenario(node("n1", 1), pod("p", 1), rules=[on_pods("delete", "p", 1)]), (("p", "n1"),), reinserted,
    ),
    Behaviour(
        f"{K}122444", scenario(node("n1", 1), pod("a", 1), pod("b", 1)), (("b", "n1"),), forgotten_as_unscheduled, 1,
    ),
    Behaviour(
        f"{K}126700",
        scenario(
            node("n1", 32), pod("v", 32, "n1"), pod("p2", 25, priority=2),
            pod("p1", 10, priority=1, preemption_policy="Never", tolerations=(Toleration("t", "Exists"),)),
            rules=[on_nodes("taint", "n1", 1, taint=TAINT)],
        ),
        (("p1", "n1"),), put(delivery, "no_more_important_than", lambda each: lambda other: False),
    ),
    Behaviour(
        f"{K}122284",
        scenario(
            node("n1", 1, labels={"zone": "a"}), node("n2", 1, labels={"zone": "b"}, taints=(TAINT,)),
            pod("p", 1, node_selector={"zone": "b"}),
            rules=[on_nodes("fail", "n2", 1), on_nodes("return", "n2", 1), on_nodes("untaint", "n2", 1, taint=TAINT)],
        ),
        (("p", "n2"),), tainted_nodes_unheard_of,
    ),
    Behaviour(
        f"{K}109437",
        scenario(
            node("n1", 1, taints=(TAINT,)), pod("p", 1), rules=[on_nodes("untaint", "n1", 1, taint=TAINT)]
        ),
        (("p", "n1"),), put(TaintToleration, "events", lambda self: ()),
    ),
    Behaviour(
        f"{K}70622",
        scenario(
            node("n1", 1), pod("v", 1, "n1", priority=1), pod("p", 1, priority=10), rules=[on_pods("arrive", "v", 1)]
        ),
        (("p", "n1"),), noted_when_delivered,
    ),
    Behaviour(
        f"{K}95124",
        scenario(node("n1", 1), node("n2", 1), pod("a", 1, "n1"), pod("p", 1), rules=[on_nodes("fail", "n1", 1)]),
        (("p", "n2"),), kept_with_its_pods,
    ),
    Behaviour(
        f"{K}141354",
        scenario(
            node("n1", 1, labels={"rack": "1"}, unschedulable=True), node("n2", 1, labels={"rack": "2"}),
            pod("q", 1, "n1", labels={"app": "s"}),
            pod("p", 1, labels={"app": "s"}, affinity=near(term("rack", selector(app="s")))),
            rules=[on_pods("delete", "q", 1)],
        ),
        (("p", "n2"),), unheard_when_the_last_leaves,
    ),
    Behaviour(
        "kubernetes-sigs/scheduler-plugins@3b77d02d",
        scenario(node("n1", 4), pod("a", 1, priority=2), pod("b", 1, priority=1), pod("c", 1)), (("a", "n1"),),
        put(PrioritySort, "less", lambda self, left, right: left.timestamp <= right.timestamp),
    ),
)  # fmt: skip
"""The simplest behaviours of the corpus."""
