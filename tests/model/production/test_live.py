"""A live scheduler under arbitrary events and delays: the invariants hold throughout"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from frozendict import frozendict
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from schedcheck.model.production.cache.cache import Cache, CacheError
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.framework import binding
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.model.production.snapshot.node_table import NodeTable
from schedcheck.model.production.snapshot.pod_table import PodTable
from schedcheck.spec.objects import Container, HostPort, Node, NodeImage, Pod, SpreadConstraint, Taint, Toleration
from tests.corpus.caching import CACHING
from tests.corpus.decisions import K, put
from tests.corpus.queueing import QUEUEING
from tests.model.production.live import Live
from tests.support.building import HOSTNAME, apart, node, pod, resized, selector, term
from tests.support.sizes import quick_but

POD_NAMES = ("p", "q", "r", "s")
NODE_NAMES = ("n1", "n2", "n3")
TAINT = Taint("t", "NoSchedule")
SHAPES: dict[str, dict[str, Any]] = {
    "plain": {},
    "app": {"labels": frozendict(app="a")},
    "waiting": {"labels": frozendict(permit="wait")},
    "shy": {"labels": frozendict(app="a"), "affinity": apart(term(selected=selector(app="a")))},
    "spread": {"labels": frozendict(app="a"), "spread": (SpreadConstraint(1, "zone", True, selector(app="a")),)},
    "holding": {"containers": (Container(frozendict(), image="a", ports=(HostPort(80),)),)},
    "gated": {"scheduling_gates": ("g",)},
    "tolerant": {"tolerations": (Toleration("", "Exists"),)},
    "meek": {"preemption_policy": "Never"},
}
STOCK = (NodeImage(("a:latest",), 500 * 2**20),)
FACES: dict[str, dict[str, Any]] = {
    "plain": {"images": STOCK},
    "bare": {},
    "tainted": {"taints": (TAINT,)},
    "cordoned": {"images": STOCK, "unschedulable": True},
}
CHANGES: dict[str, dict[str, Any]] = {
    "terminate": {"terminating": True},
    "finish": {"phase": "Succeeded"},
    "relabel": {"labels": frozendict(app="b")},
    "tolerate": {"tolerations": (Toleration("", "Exists"),)},
    "ungate": {"scheduling_gates": ()},
}
CPUS, PRIORITIES, PLACES = st.sampled_from((1, 2, 3, 0)), st.sampled_from((0, 0, 1, 2)), st.integers(0, 3)
HEARD = st.sampled_from(("now", "now", "later", "meanwhile"))
KINDS, PODS, NODES = st.sampled_from(("pod", "node")), st.sampled_from(POD_NAMES), st.sampled_from(NODE_NAMES)
MADE, SEEN = st.sampled_from([*SHAPES, "plain", "plain"]), st.sampled_from([*FACES, "plain", "plain"])


def made(name: str, cpu: int, priority: int, shape: str, on: str = "") -> Pod:
    return replace(pod(name, cpu, on, priority=priority), **SHAPES[shape])


def shown(name: str, cpu: int, face: str) -> Node:
    return node(name, max(cpu, 1), labels={HOSTNAME: name, "zone": "b" if name == "n2" else "a"}, **FACES[face])


class Living(RuleBasedStateMachine):
    """A cluster in which any event may happen next."""

    live: Live

    @initialize(
        cpu=CPUS, face=SEEN, bound=st.booleans(), shape=MADE, other=MADE, expires=st.booleans(), listed=st.booleans()
    )
    def begin(self, cpu: int, face: str, bound: bool, shape: str, other: str, expires: bool, listed: bool) -> None:
        some = made("s", cpu, 0, shape, "n1" if bound else ""), made("q", 1, 0, other)
        self.live = Live(shown("n1", cpu, face), *some, expires=expires, listed=listed)

    def any_pod(self, place: int, which: Callable[[Pod], bool] = lambda _: True) -> Pod | None:
        found = sorted((each for each in self.live.objects["pod"].values() if which(each)), key=lambda each: each.key)
        return found[place % len(found)] if found else None

    def hear(self, when: str) -> None:
        """Deliver everything now, in the middle of the next cycle, or later."""
        if when == "now":
            self.live.deliver_all()
        elif when == "meanwhile":
            self.live.cycle(self.live.tell_all)

    # Events around the scheduler.

    @rule(heard=HEARD, name=PODS, cpu=CPUS, priority=PRIORITIES, shape=MADE)
    def pod_comes(self, heard: str, name: str, cpu: int, priority: int, shape: str) -> None:
        if ("default", name) not in self.live.objects["pod"]:
            self.live.put(made(name, cpu, priority, shape))
        self.hear(heard)

    @rule(heard=HEARD, name=PODS, cpu=CPUS, shape=MADE, on=NODES)
    def pod_comes_bound(self, heard: str, name: str, cpu: int, shape: str, on: str) -> None:
        if ("default", name) not in self.live.objects["pod"]:
            self.live.put(replace(made(name, cpu, 0, shape, on), scheduling_gates=()))
        self.hear(heard)

    @rule(heard=HEARD, place=PLACES)
    def pod_goes(self, heard: str, place: int) -> None:
        one = self.any_pod(place)
        if one is not None:
            self.live.delete(one)
        self.hear(heard)

    @rule(heard=HEARD, place=PLACES, cpu=CPUS, shape=MADE, on=st.sampled_from(("", "", *NODE_NAMES)))
    def pod_is_made_anew(self, heard: str, place: int, cpu: int, shape: str, on: str) -> None:
        one = self.any_pod(place)
        if one is not None:
            self.live.delete(one)
            self.live.put(replace(made(one.name, cpu, 1, shape, on), scheduling_gates=()))
        self.hear(heard)

    @rule(heard=HEARD, place=PLACES, what=st.sampled_from(("resize", *sorted(CHANGES))))
    def pod_changes(self, heard: str, place: int, what: str) -> None:
        one = self.any_pod(place, lambda each: bool(each.node_name) or what not in ("finish", "resize"))
        if one is not None:
            self.live.put(resized(one) if what == "resize" else replace(one, **CHANGES[what]))
        self.hear(heard)

    @rule(heard=HEARD, place=PLACES, on=NODES)
    def pod_is_bound_by_another(self, heard: str, place: int, on: str) -> None:
        one = self.any_pod(place, lambda each: not (each.node_name or each.terminating or each.scheduling_gates))
        if one is not None:
            self.live.put(replace(one, node_name=on, nominated_node_name=""))
        self.hear(heard)

    @rule(heard=HEARD, name=NODES, cpu=CPUS, face=SEEN)
    def node_comes_or_changes(self, heard: str, name: str, cpu: int, face: str) -> None:
        self.live.put(shown(name, cpu, face))
        self.hear(heard)

    @rule(heard=HEARD, name=NODES, again=st.booleans())
    def node_goes(self, heard: str, name: str, again: bool) -> None:
        one = self.live.objects["node"].get(name)
        if one is not None:
            self.live.delete(one)
            if again:
                self.live.put(one)
        self.hear(heard)

    @rule(verb=st.sampled_from(("bind", "bind", "nominate", "evict")), fate=st.sampled_from(("fails", "is lost")))
    def call_goes_wrong(self, verb: str, fate: str) -> None:
        self.live.faults[verb] = fate

    # Deliveries to the scheduler.

    @rule(kind=KINDS, count=st.integers(1, 3))
    def deliver(self, kind: str, count: int) -> None:
        self.live.deliver(kind, count)

    @rule()
    def deliver_all(self) -> None:
        self.live.deliver_all()

    @precondition(lambda self: not self.live.listed)
    @rule(kind=KINDS)
    def miss(self, kind: str) -> None:
        self.live.miss(kind)

    @rule(kind=KINDS)
    def repeat(self, kind: str) -> None:
        self.live.repeat(kind)

    @rule(kind=KINDS, count=st.integers(0, 3))
    def restart(self, kind: str, count: int) -> None:
        self.live.start()
        self.live.deliver(kind, count)
        self.live.cycle()

    # Steps of the scheduler.

    @rule(times=st.integers(1, 3))
    def cycle(self, times: int) -> None:
        for _ in range(times):
            self.live.cycle()

    @rule(seconds=st.sampled_from((0.0, 0.5, 5.0)), bound=st.booleans())
    def cycle_later(self, seconds: float, bound: bool) -> None:
        self.live.wait(seconds)
        self.live.cycle()
        for _ in range(3 * bound):
            self.live.advance()

    @rule(place=PLACES, times=st.integers(1, 3))
    def advance(self, place: int, times: int) -> None:
        for _ in range(times):
            self.live.advance(place)

    @rule(allowed=st.booleans(), place=PLACES)
    def permit(self, allowed: bool, place: int) -> None:
        self.live.permit(allowed, place)

    @rule()
    def evicting(self) -> None:
        self.live.evicting()

    @rule(seconds=st.sampled_from((1.0, 5.0, 25.0, 301.0)))
    def wait(self, seconds: float) -> None:
        self.live.wait(seconds)

    @rule()
    def settle(self) -> None:
        self.live.settle()

    def teardown(self) -> None:
        if hasattr(self, "live"):
            self.live.settle()


def lived(examples: int, steps: int = 40, start: int | None = None, **options: Any) -> None:
    """Run this number of clusters for this number of steps, from the seed `start` or from the profile of the tests."""
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        **options,
    )
    run_state_machine_as_test(Living if start is None else seed(start)(type("Living", (Living,), {})), settings=chosen)


@pytest.mark.medium
def test_the_invariants_hold_after_any_events() -> None:
    lived(120)


def test_a_recreated_pod_is_judged_beside_the_old_one_that_still_uses_room() -> None:
    live = Live(node("n1", 1), made("p", 1, 0, "waiting"))
    live.cycle()
    for _ in range(3):
        live.advance()
    live.delete(live.pod("p"))
    live.put(made("p", 1, 0, "plain"))
    live.miss("pod")
    live.deliver_all()
    assert [each[:2] for each in live.scheduler.cache.assumed] == [("default", "p")]
    live.cycle()
    assert live.scheduler.concluded is not None
    assert live.scheduler.concluded.hosts == ()
    live.settle()
    assert live.pod("p").node_name == "n1"


@pytest.mark.parametrize("terminating", [False, True])
def test_a_pod_deleted_after_its_permit_gives_its_room_back_at_once(terminating: bool) -> None:
    live = Live(node("n1", 1), made("p", 1, 0, "waiting"), made("q", 1, -1, "plain"))
    live.cycle()
    live.permit(True)
    if terminating:
        live.put(replace(live.pod("p"), terminating=True))
    else:
        live.delete(live.pod("p"))
    live.deliver_all()
    assert not live.scheduler.cache.assumed
    live.advance()
    live.cycle()
    assert live.scheduler.concluded is not None
    assert (live.scheduler.concluded.pod.name, live.scheduler.concluded.hosts) == ("q", ("n1",))
    live.settle()


DEFECTS = {case.id: case.defect for case in (*CACHING, *QUEUEING)}


def stale_while_binding(patch: pytest.MonkeyPatch) -> None:
    """A cycle does not bring its snapshot up to date while a pod is assumed."""
    outcome = Scheduler._outcome

    def stale(self: Scheduler, *given: Any) -> Any:
        with pytest.MonkeyPatch.context() as inner:
            if self.cache.assumed:
                inner.setattr(Cache, "update", lambda *_: None)
            return outcome(self, *given)

    patch.setattr(Scheduler, "_outcome", stale)


def let_in_by_events(patch: pytest.MonkeyPatch) -> None:
    """PreEnqueue is not asked when an event requeues a gated pod."""
    gated = SchedulingQueue._gated
    patch.setattr(SchedulingQueue, "_gated", lambda self, queued: not queued.gate and gated(self, queued))


def test_a_snapshot_that_grows_old_while_a_pod_is_bound_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    stale_while_binding(monkeypatch)
    live = Live(node("n1", 2), made("p", 1, 0, "waiting"), made("q", 1, 0, "plain"))
    live.cycle()
    with pytest.raises(AssertionError, match="old snapshot"):
        live.cycle()


TWINS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "counted_when_added": put(NodeTable, "count_image", lambda self, name, nodes: None),
    "not_undone": put(Cache, "forget", lambda self, info: None),
    "not_unreserved": put(binding, "unreserved", lambda *given: None),
    "stale_while_binding": stale_while_binding,
    "let_in_by_events": let_in_by_events,
    "never_expired_from_the_table": put(PodTable, "remove", lambda self, info: None),
    **{
        name: DEFECTS[name]
        for name in (
            f"{K}93938", f"{K}106102", f"{K}116717", f"{K}134217", f"{K}71486",
        )
    },
}  # fmt: skip
"""Broken replacements that random runs must detect."""


@pytest.mark.parametrize("name", quick_but((f"{K}71486", "counted_when_added", "let_in_by_events"), TWINS))
def test_a_broken_twin_is_detected_in_random_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    TWINS[name](monkeypatch)
    with pytest.raises((AssertionError, CacheError, KeyError)):
        lived(1000, report_multiple_bugs=False, phases=[Phase.generate], database=None)
