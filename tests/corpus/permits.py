"""Defects between the choice of a node and the binding: reservations and permits: `PERMITS`"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pytest import MonkeyPatch

from schedcheck.checker.differential.execution import no_endless_permit_wait
from schedcheck.model.production.cache.cache import Cache, CacheError
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.framework import binding as points
from schedcheck.model.production.framework.status import Status
from schedcheck.model.production.framework.waiting import WaitingPod
from schedcheck.model.production.preemption import eviction
from schedcheck.model.production.queue.nominator import Nominator
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.objects import Pod
from tests.corpus.decisions import K, put
from tests.corpus.stories import Story
from tests.support.building import container, node, on_pods, pod, scenario
from tests.support.gang import GANGS, Gang, of, with_gangs

DEVICE = "example.com/device"
ONE_DEVICE = {"allocatable": {DEVICE: 1}}


def taking(name: str) -> Pod:
    """A pod that requests a device."""
    return pod(name, containers=(container(**{DEVICE: 1}),))


def early_signals_are_lost(patch: MonkeyPatch) -> None:
    """A signal is lost if it is sent before the pod waits for it."""
    patch.setattr(WaitingPod, "_send", lambda self, status: None)


def reserved_before_assumed(patch: MonkeyPatch) -> None:
    """Plugins reserve before the pod is assumed; if that fails, they are not told."""
    begun, reserved = Scheduler._begun, points.reserved

    def careless(self: Scheduler, framework: Any, state: Any, queued: Any, host: str) -> Any:
        status = reserved(framework, state, replace(queued.pod, node_name=host), host)
        with MonkeyPatch.context() as inner:
            inner.setattr(points, "reserved", lambda *_: status)
            return begun(self, framework, state, queued, host)

    patch.setattr(Scheduler, "_begun", careless)


def half_undone(patch: MonkeyPatch) -> None:
    """After a failed binding the plugins unreserve, but the pod still counts on its node."""
    undo = Scheduler._undo

    def halfway(self: Scheduler, *given: Any) -> None:
        with MonkeyPatch.context() as inner:
            inner.setattr(Cache, "forget", lambda *_: None)
            undo(self, *given)

    patch.setattr(Scheduler, "_undo", halfway)


def undone_once_more(patch: MonkeyPatch) -> None:
    """A binding that succeeded is undone if its call seems to have failed."""
    forget = Cache.forget

    def thorough(self: Cache, info: PodInfo) -> None:
        try:
            forget(self, info)
        except CacheError:
            for key, known in list(self.pods.items()):
                if known.pod.key == info.pod.key:
                    self._remove(key)

    patch.setattr(Cache, "forget", thorough)


def struck_out_where_it_goes(patch: MonkeyPatch) -> None:
    """A placed pod loses its nomination only if it is placed on its nominated node."""
    begun, remove = Scheduler._begun, Nominator.remove

    def careless(self: Scheduler, framework: Any, state: Any, queued: Any, host: str) -> Any:
        def matching(nominator: Nominator, key: Any) -> None:
            if nominator.node_of.get(key, host) == host:
                remove(nominator, key)

        with MonkeyPatch.context() as inner:
            inner.setattr(Nominator, "remove", matching)
            return begun(self, framework, state, queued, host)

    patch.setattr(Scheduler, "_begun", careless)


def forgotten_when_written(patch: MonkeyPatch) -> None:
    """A pod being bound counts until its binding is written, not until it is delivered."""
    bound = Scheduler._bound

    def early(self: Scheduler, framework: Any, state: Any, each: Pod, host: str) -> Status:
        status = bound(self, framework, state, each, host)
        if status.success:
            self.cache.forget(PodInfo(each))
        return status

    patch.setattr(Scheduler, "_bound", early)


def keeping_nominations(patch: MonkeyPatch) -> None:
    """A pod whose binding fails keeps its earlier nomination."""
    undo, failed = Scheduler._undo, Scheduler._failed

    def kept(self: Scheduler, *given: Any) -> None:
        with MonkeyPatch.context() as inner:
            inner.setattr(
                Scheduler,
                "_failed",
                lambda self, queued, status, fit, nominated: failed(self, queued, status, fit, None),
            )
            undo(self, *given)

    patch.setattr(Scheduler, "_undo", kept)


def refused_by_preemption(patch: MonkeyPatch) -> None:
    """A victim that waits for a permit is rejected in the name of DefaultPreemption."""
    reject = WaitingPod.reject
    patch.setattr(
        WaitingPod, "reject",
        lambda self, plugin, reason: reject(self, "DefaultPreemption" if reason == eviction.PREEMPTED else plugin, reason),
    )  # fmt: skip


NOBODY_REJECTED: Callable[[MonkeyPatch], None] = put(Gang, "reject", lambda self, each: None)
WAITS = {"registry": with_gangs, "asked": (no_endless_permit_wait,)}
UNTIL_TOLD = {"registry": with_gangs}

PERMITS = (
    Story(
        f"{K}88179",
        scenario(node("n1", 2), pod("a", 1, labels=of("g", 2)), pod("b", 1, labels=of("g", 2)), plugins=(GANGS,)),
        (("a", "n1"), ("b", "n1")), early_signals_are_lost, **WAITS,
    ),
    Story(
        "koordinator-sh/koordinator@b0e7fb28", scenario(node("n1", **ONE_DEVICE), taking("p"), taking("q")),
        (("p", "n1"),), reserved_before_assumed, 1, True,
    ),
    Story(
        "volcano-sh/volcano@94922ee37", scenario(node("n1", 1), pod("a", 1), pod("b", 1)), (("b", "n1"),), half_undone, 1,
    ),
    Story(
        "apache/yunikorn-core YUNIKORN-2978",
        scenario(node("n", 1), node("m", 1), pod("x", 1, "n"), pod("y", 1, "m"), pod("a", 1, nominated_node_name="n"),
                 rules=[on_pods("delete", "y", 1)]),
        (("a", "m"),), struck_out_where_it_goes,
    ),
    Story(
        "kubernetes-sigs/scheduler-plugins#713",
        scenario(node("n1", 10), pod("a", 4, labels=of("g", 3), priority=3), pod("b", 4, labels=of("g", 3), priority=2),
                 pod("c", 4, labels=of("g", 3), priority=1, preemption_policy="Never"), pod("q", 4, preemption_policy="Never"),
                 plugins=(GANGS,)),
        (("q", "n1"),), NOBODY_REJECTED, depth=8, **WAITS,
    ),
    Story(
        "koordinator-sh/koordinator#872",
        scenario(node("n1", 2), *(pod(name, 1, labels=of("ab" if name in "ab" else "cd", 2), priority=9 - turn, preemption_policy="Never")
            for turn, name in enumerate("acbd")), plugins=(GANGS,)),
        (("c", "n1"), ("d", "n1")), NOBODY_REJECTED, depth=8, **WAITS,
    ),
    Story(
        "kubernetes-sigs/scheduler-plugins#293",
        scenario(node("n", 1), pod("a-0", 1, labels=of("a", 2), nominated_node_name="n"),
                 pod("a-1", 8, labels=of("a", 2)), pod("q", 1), plugins=(GANGS,)),
        (("q", "n"),), keeping_nominations, depth=10, **UNTIL_TOLD,
    ),
    Story(
        f"{K}136269", scenario(node("n1", **ONE_DEVICE), taking("a"), taking("b")), (("a", "n1"),), forgotten_when_written,
    ),
    Story(
        "koordinator-sh/koordinator#2673", scenario(node("r", 2), pod("p", 2)), (("p", "r"),), undone_once_more, 1, True,
    ),
    Story(
        f"{K}135719",
        scenario(node("n1", 1, labels={"a": "b"}), node("n2", 1), pod("v", 1, labels=of("v", 2), priority=1),
                 pod("p", 1, priority=10, node_selector={"a": "b"}), plugins=(GANGS,),
                 rules=[on_pods("arrive", "p", 1)], absent="p"),
        (("p", "n1"),), refused_by_preemption, **UNTIL_TOLD,
    ),
    Story(
        f"{K}140082",
        scenario(node("n1", 1), pod("v", 1, labels=of("v", 2), priority=1), pod("p", 1, priority=10), plugins=(GANGS,),
                 rules=[on_pods("arrive", "p", 1)], absent="p"),
        (("p", "n1"),), put(SchedulingQueue, "let_in", lambda self, each: None), **UNTIL_TOLD,
    ),
)  # fmt: skip
