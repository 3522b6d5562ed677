"""Defects of the scheduling queue: places of pods, wake-ups and order: `QUEUEING`"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from pytest import MonkeyPatch

from schedcheck.model.production.framework.events import (
    ASSIGNED_POD_ADDED,
    NODE_ADDED,
    EventOfInterest,
    Resource,
)
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.framework.status import SUCCESS, Status, unresolvable
from schedcheck.model.production.plugins.node_unschedulable import NodeUnschedulable
from schedcheck.model.production.plugins.priority_sort import PrioritySort
from schedcheck.model.production.queue.hints import Hints, Strategy
from schedcheck.model.production.queue.in_flight import InFlight
from schedcheck.model.production.queue.queued_pod import QueuedPod
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.spec.kubernetes.plugins import Arguments, Plugins
from schedcheck.spec.objects import Pod, SpreadConstraint, Toleration
from tests.corpus.decisions import K, put
from tests.corpus.lived import Lived
from tests.model.production.framework.made_up import factory
from tests.model.production.live import Ledger, Live, keeping
from tests.support.building import node, pod, selector

W = {"app": "w"}
EVENLY = (SpreadConstraint(1, "zone", True, selector(app="w")),)
CORDON = "node.kubernetes.io/unschedulable"


@dataclass
class Door:
    """A PreEnqueue plugin that gates every pod until there is a node named `door`."""

    ledger: Ledger
    name: str = "Door"

    def pre_enqueue(self, each: Pod) -> Status:
        return SUCCESS if "door" in self.ledger.nodes() else unresolvable("the door is closed")

    def events(self) -> tuple[EventOfInterest, ...]:
        return (EventOfInterest(NODE_ADDED),)


@dataclass
class Gang:
    """A PreEnqueue plugin that gates pods until there are two of them; the last one activates the others."""

    handle: Handle
    first: list[str] = field(default_factory=list)
    name: str = "Gang"

    def pre_enqueue(self, each: Pod) -> Status:
        members = sorted(self.handle.listers.pods.values(), key=lambda other: other.key)
        if len(members) < 2:
            return unresolvable("too few")
        for other in members:
            if other.key != each.key:
                self.handle.activate(other)
        return SUCCESS

    def events(self) -> tuple[EventOfInterest, ...]:
        return ()


def represented(self: Gang, each: Pod) -> Status:
    """Only the first pod of the gang may pass, and it is not asked again."""
    self.first.append(each.name)
    enough = len(self.handle.listers.pods) > 1
    return SUCCESS if enough and each.name == self.first[0] else unresolvable("another speaks for it")


def kept_out(name: str, make: Callable[[Ledger], Callable[[Arguments, Handle], Any]]) -> dict[str, Any]:
    """The options of a case with this PreEnqueue plugin."""

    def profile(ledger: Ledger) -> tuple[Registry, Plugins]:
        registry, plugins = keeping(ledger)
        registry.register(name, make(ledger))
        points = plugins.points.set("preEnqueue", (*plugins.at("preEnqueue"), name))
        return registry, replace(plugins, points=points)

    return {"profile": profile}


DOOR = kept_out("Door", lambda ledger: factory(Door(ledger)))
GANG = kept_out("Gang", lambda ledger: lambda arguments, handle: Gang(handle))


def gates_hear_of_pods_only(patch: MonkeyPatch) -> None:
    opens = Hints.gate_opens
    patch.setattr(
        Hints, "gate_opens",
        lambda self, queued, event: event.resource is not Resource.NODE and opens(self, queued, event),
    )  # fmt: skip


def active_when_let_through(patch: MonkeyPatch) -> None:
    """A gated pod moves to the active queue however recently it failed."""
    requeue = SchedulingQueue._requeue

    def hasty(self: SchedulingQueue, queued: QueuedPod, strategy: Strategy) -> None:
        requeue(self, queued, Strategy.IMMEDIATELY if queued.gate and strategy is not Strategy.SKIP else strategy)

    patch.setattr(SchedulingQueue, "_requeue", hasty)


def added_pods_move_only_required_affinity(patch: MonkeyPatch) -> None:
    """A pod added to a node only moves pods with required affinity."""
    move_all = SchedulingQueue.move_all

    def filtered(self: SchedulingQueue, event: Any, before: Any, after: Any, concerns: Any = None) -> None:
        if event == ASSIGNED_POD_ADDED:
            concerns = lambda each: bool(each.affinity.pod_required)  # noqa: E731
        move_all(self, event, before, after, concerns)

    patch.setattr(SchedulingQueue, "move_all", filtered)


def first_gated_pod_ends_the_loop(patch: MonkeyPatch) -> None:
    """The first pod that need not be examined ends the loop over the pods behind it."""
    move = SchedulingQueue._move

    def short(self: SchedulingQueue, chosen: Any, event: Any, before: Any, after: Any) -> None:
        some = []
        for queued in chosen:
            if queued.gate:
                break
            some.append(queued)
        move(self, some, event, before, after)

    patch.setattr(SchedulingQueue, "_move", short)


def marked_by_what_came_before(patch: MonkeyPatch) -> None:
    """The start of a pod's events is marked by the previous entry, and lost together with it."""
    begin, since = InFlight.begin, InFlight.since
    marks: dict[Any, Any] = {}

    def marking(self: InFlight, identity: Any) -> bool:
        marks[identity] = self.entries[-1] if self.entries else None
        return begin(self, identity)

    def seeking(self: InFlight, identity: Any) -> Any:
        mark = marks[identity]
        return since(self, identity) if mark is None or mark in self.entries else []

    patch.setattr(InFlight, "begin", marking)
    patch.setattr(InFlight, "since", seeking)


def queued_while_tried(patch: MonkeyPatch) -> None:
    """A pod that is in no place of the queue is added when it is updated."""
    update = SchedulingQueue.update

    def adding(self: SchedulingQueue, before: Pod, after: Pod) -> None:
        if self._find(after.key) is None:
            self.add(after)
        else:
            update(self, before, after)

    patch.setattr(SchedulingQueue, "update", adding)


def time_kept(patch: MonkeyPatch) -> None:
    """A pod that was tried without success keeps its earlier timestamp."""
    put_back = SchedulingQueue.put_back

    def first_come(self: SchedulingQueue, queued: QueuedPod) -> None:
        came = queued.timestamp
        put_back(self, queued)
        queued.timestamp = came

    patch.setattr(SchedulingQueue, "put_back", first_come)


def last_come_first(self: PrioritySort, left: Any, right: Any) -> bool:
    """Among equal priorities the pod that arrived last goes first."""
    mine, other = left.pod.priority, right.pod.priority
    return bool(mine > other or (mine == other and left.timestamp > right.timestamp))


def door_opens(live: Live) -> None:
    live.put(node("door", 0, pods=0))
    live.deliver_all()


def kept_out_while_it_backs_off(live: Live) -> None:
    live.cycle()
    live.delete(live.pod("x"))
    live.deliver_all()
    live.evicting()
    live.evicting()
    live.deliver_all()
    live.delete(live.pod("a"), live.pod("b"))
    live.deliver_all()


def another_comes_to_the_cordoned(live: Live) -> None:
    live.cycle()
    live.put(pod("y", 0, "n2", labels=W))
    live.deliver_all()


def second_comes(live: Live) -> None:
    live.put(pod("b", 1))
    live.deliver_all()


def node_comes(live: Live) -> None:
    live.cycle()
    live.put(node("n2", 2))
    live.deliver_all()


def tolerates_by_now(live: Live) -> None:
    live.cycle()
    live.put(pod("p", 1, tolerations=(Toleration(CORDON, "Exists"),)))
    live.deliver_all()


def one_ends_while_another_waits(live: Live) -> None:
    live.cycle()
    live.put(node("n2", unschedulable=True))
    live.deliver_all()
    live.cycle()
    live.permit(True, 0)
    live.advance(0)
    live.put(node("n3", unschedulable=True))
    live.deliver_all()
    live.permit(False, 0)
    live.advance(1)


def changed_while_tried(live: Live) -> None:
    live.put(pod("p", 1, labels=W))
    live.cycle(lambda: live.tell("pod", 1))


def tried_again_and_again(live: Live) -> None:
    for each in (pod("u1", 9), pod("u2", 9), pod("s", 1)):
        live.put(each)
        live.deliver_all()
        live.wait(1.0)
    for turn in range(3):
        live.wait(20.0)
        live.cycle()
        live.put(node(f"m{turn}", 9, unschedulable=True))
        live.deliver_all()


def fails_when_tried_again(live: Live) -> None:
    live.cycle()
    live.delete(live.pod("x"))
    live.deliver_all()
    live.wait(5.0)
    live.ledger.failing = True
    live.cycle()


QUEUEING = (
    Lived(f"{K}125223", (node("n1", 1), pod("p", 1)), door_opens, {"p": "n1"}, gates_hear_of_pods_only, DOOR),
    Lived(
        f"{K}125538",
        (
            node("n1", 2), node("n2", 2, unschedulable=True), pod("a", 1, "n1"), pod("b", 1, "n1"), pod("x", 1, "n2"),
            pod("p", 2, priority=10),
        ),
        kept_out_while_it_backs_off, {"p": "n1"}, active_when_let_through,
    ),
    Lived(
        f"{K}122627",
        (
            node("n1", 4, labels={"zone": "a"}), node("n2", 4, labels={"zone": "b"}, unschedulable=True),
            pod("x", 0, "n1", labels=W), pod("p", 0, labels=W, spread=EVENLY),
        ),
        another_comes_to_the_cordoned, {"x": "n1", "y": "n2", "p": "n1"}, added_pods_move_only_required_affinity,
    ),
    Lived(
        "koordinator-sh/koordinator@29e8b9a9", (node("n1", 2), pod("a", 1)), second_comes, {"a": "n1", "b": "n1"},
        put(Gang, "pre_enqueue", represented), GANG,
    ),
    Lived(
        "volcano-sh/volcano#3003",
        (node("n1", 1), pod("g", 1, priority=1, scheduling_gates=("held",)), pod("p", 2)), node_comes,
        {"g": "", "p": "n2"}, first_gated_pod_ends_the_loop,
    ),
    Lived(
        f"{K}127427", (node("n1", 1, unschedulable=True), pod("p", 1)), tolerates_by_now, {"p": "n1"},
        put(NodeUnschedulable, "events", lambda self: (EventOfInterest(NODE_ADDED),)),
    ),
    Lived(
        f"{K}120413",
        (
            node("n1", 4), pod("a", 1, priority=1, labels={"permit": "wait"}), pod("b", 1, labels={"permit": "wait"}),
        ),
        one_ends_while_another_waits, {"a": "n1", "b": ""}, marked_by_what_came_before,
        {"wakes": (EventOfInterest(NODE_ADDED),)},
    ),
    Lived(f"{K}118226", (node("n1", 1), pod("p", 1)), changed_while_tried, {"p": "n1"}, queued_while_tried),
    Lived(
        f"{K}71486", (node("n1", 1),), tried_again_and_again,
        {"u1": "", "u2": "", "s": "n1"}, put(PrioritySort, "less", last_come_first),
    ),
    Lived(
        "kubernetes-sigs/scheduler-plugins@afaa22f2", (node("n1", 1),),
        tried_again_and_again, {"u1": "", "u2": "", "s": "n1"}, time_kept,
    ),
    Lived(
        f"{K}120334", (node("n1", 1), pod("x", 1, "n1"), pod("p", 1)), fails_when_tried_again, {"p": "n1"},
        put(QueuedPod, "forget_rejectors", lambda self: None),
    ),
)  # fmt: skip
