"""Defects of nominations, of asynchronous evictions, and of extenders over several steps: `NOMINATIONS`"""

from typing import Any

from pytest import MonkeyPatch

from schedcheck.model.production.cycle import algorithm
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.framework.extender import Extender
from schedcheck.model.production.framework.handle import ClientError
from schedcheck.model.production.preemption import eviction
from schedcheck.model.production.preemption.evaluator import Evaluator
from schedcheck.model.production.preemption.eviction import Evictions
from schedcheck.model.production.queue.nominator import Nominator
from schedcheck.spec.objects import Pod
from tests.corpus.decisions import K
from tests.corpus.stories import Story
from tests.support.building import node, on_nodes, on_pods, pod, scenario
from tests.support.extending import Ruled


def any_pod_is_nominated(patch: MonkeyPatch) -> None:
    """A pod is nominated although it is deleted or bound."""

    def careless(self: Nominator, each: Pod, host: str | None = None) -> None:
        self.remove(each.key)
        chosen = each.nominated_node_name if host is None else host
        if chosen:
            self.node_of[each.key] = chosen
            self._by_node.setdefault(chosen, []).append(each.key)

    patch.setattr(Nominator, "add", careless)


def any_pod_is_nominated_and_late(patch: MonkeyPatch) -> None:
    """In addition, a pod that could not be bound keeps the nomination of its object."""
    undo, failed = Scheduler._undo, Scheduler._failed
    any_pod_is_nominated(patch)

    def kept(self: Scheduler, *given: Any) -> None:
        with MonkeyPatch.context() as inner:
            inner.setattr(
                Scheduler, "_failed", lambda self, queued, status, fit, _: failed(self, queued, status, fit, None)
            )
            undo(self, *given)

    patch.setattr(Scheduler, "_undo", kept)


def failed_pods_lose_nominations(patch: MonkeyPatch) -> None:
    """A pod that fits nowhere loses its nomination, even one that preemption has just made."""
    failed = Scheduler._failed

    def dropping(self: Scheduler, queued: Any, *others: Any) -> None:
        failed(self, queued, *others)
        self.queue.nominator.remove(queued.key)

    patch.setattr(Scheduler, "_failed", dropping)


def in_the_form_of_the_preemptor(patch: MonkeyPatch) -> None:
    """The status patch of a victim contains the QoS class of the preemptor, which the API server rejects."""
    evict = eviction.evict

    def patched(handle: Any, victim: Pod, preemptor: Pod, host: str) -> bool:
        if any(each.requests for each in victim.containers) != any(each.requests for each in preemptor.containers):
            raise ClientError("the quality of service must not change")
        return evict(handle, victim, preemptor, host)

    patch.setattr(eviction, "evict", patched)


def with_those_tried_in_vain(patch: MonkeyPatch) -> None:
    """Pods that were removed in dry runs on other nodes are evicted as well."""
    prepare = Evaluator._prepare

    def everywhere(self: Evaluator, preemptor: Pod, chosen: str, victims: Any) -> Any:
        table = self._handle.snapshot.table
        others = [info.pod for name, row in table.row_of.items() if name != chosen for info in table.pods_on(row)]
        return prepare(
            self, preemptor, chosen, [*victims, *(each for each in others if each.priority < preemptor.priority)]
        )

    patch.setattr(Evaluator, "_prepare", everywhere)


def open_before_the_last(patch: MonkeyPatch) -> None:
    """The preemptor is no longer gated once only the last victim is left."""

    def gates(self: Evictions, each: Pod) -> bool:
        running = self.running.get(each.identity)
        return running is not None and running.last is None

    patch.setattr(Evictions, "gates", gates)


def never_ignored(patch: MonkeyPatch) -> None:
    """A failing bind of an extender fails the binding even if the extender is ignorable."""
    bound = Scheduler._bound

    def strict(self: Scheduler, framework: Any, state: Any, each: Pod, host: str) -> Any:
        asked = self.handle.extenders
        self.handle.extenders = [_Strict(one) for one in asked]
        try:
            return bound(self, framework, state, each, host)
        finally:
            self.handle.extenders = asked

    patch.setattr(Scheduler, "_bound", strict)


class _Strict:
    """An extender that is not ignorable."""

    ignorable = False

    def __init__(self, extender: Extender) -> None:
        self.binds, self.interested, self.bind = extender.binds, extender.interested, extender.bind


def unheard_of(patch: MonkeyPatch) -> None:
    """The rejection of a node by an extender is not recorded."""
    feasible = algorithm._feasible

    def silent(*given: Any) -> Any:
        found = feasible(*given)
        given[-1].refused_by.discard(algorithm.BY_EXTENDER)
        return found

    patch.setattr(algorithm, "_feasible", silent)


NOMINATIONS = (
    Story(
        f"{K}102339",
        scenario(node("n1", 2), pod("v", 2, "n1", priority=1), pod("p", 2, priority=10), pod("q", 2, priority=1),
                 rules=[on_pods("delete", "p", 1)]),
        (("q", "n1"),), any_pod_is_nominated, interrupted=True, depth=7,
    ),
    Story(
        f"{K}109236",
        scenario(node("n1", 2), pod("p", 1, priority=10, nominated_node_name="n1"), pod("q", 1, priority=1)),
        (("p", "n1"), ("q", "n1")), any_pod_is_nominated_and_late, 1, True, depth=8,
    ),
    Story(
        "koordinator-sh/koordinator@7578f6c0",
        scenario(node("n1", 1), pod("v", 1, "n1", priority=1), pod("p", 1, priority=10), pod("q", 1, priority=1)),
        (("p", "n1"),), failed_pods_lose_nominations, depth=7,
    ),
    Story(
        f"{K}126643",
        scenario(node("n1", 1, 1), pod("v", 0, "n1", priority=1), pod("p", 1, priority=10)), (("p", "n1"),),
        in_the_form_of_the_preemptor,
    ),
    Story(
        "volcano-sh/volcano@98f47f5d3",
        scenario(node("n1", 1), node("n2", 2), pod("a", 1, "n1"), pod("b", 2, "n2"), pod("r", 2, priority=1)),
        (("r", "n2"), ("a", "n1")), with_those_tried_in_vain,
    ),
    Story(
        f"{K}134249",
        scenario(node("n1", 2), node("n2", 1), pod("v1", 1, "n1", priority=1), pod("v2", 1, "n1", priority=1),
                 pod("x", 1, "n2", priority=20), pod("p", 2, priority=10), rules=[on_pods("delete", "x", 1)]),
        (("p", "n1"),), open_before_the_last, depth=9,
    ),
    Story(
        f"{K}122494", scenario(node("n1", 1), pod("p", 1)), (("p", "n1"),), never_ignored,
        extenders=(Ruled(failing=lambda each: False, binds=True, ignorable=True, down=True),),
    ),
    Story(
        f"{K}122019",
        scenario(node("n1", 1), node("n2", 4), pod("a", 1, "n1"), pod("p", 1),
                 rules=[on_nodes("label", "n2", 1, label_key="ok", label_values=("yes",))]),
        (("p", "n2"),), unheard_of, extenders=(Ruled(failing=lambda each: each.labels.get("ok") != "yes"),),
    ),
)  # fmt: skip
