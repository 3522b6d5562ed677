"""The production scheduler beside the specification on random clusters with gangs, decision by decision

Equal means: the popped pod is one that may be tried; its decision is one of those that the specification allows; and
afterwards the same pods wait on permit for the same nodes, and the same pods are bound.
"""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Binding, Scheduler
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.production.plugins.gang_scheduling import GangScheduling
from schedcheck.spec.decisions import Bind, Wait, WaitOnPermit
from schedcheck.spec.kubernetes.control_loop import decision, turn
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.published.control_loop import after
from schedcheck.spec.workload_objects import GangWorkload, WorkloadReference
from tests.support.building import node, pod
from tests.support.gangs import BEFORE, GANGS, policy

Cluster = tuple[tuple[Pod, ...], tuple[Node, ...], tuple[GangWorkload, ...]]


def drawn(random: Random) -> Cluster:
    """A few nodes, and pods of some gangs and of none, of which some are bound already."""
    nodes = tuple(node(f"n{place}", random.choice((1, 2, 2, 3))) for place in range(1, random.randint(2, 4) + 1))
    pods = []
    for number in range(random.randint(5, 9)):
        group = random.choice((*("red",) * 5, *("blue",) * 4, "basic", "none", ""))
        reference = WorkloadReference(
            group, random.choice((*("workers",) * 12, "drivers")), random.choice((*("",) * 9, "1"))
        )
        bound = random.choice((*(each.name for each in nodes), *("",) * 9))
        pods.append(pod(f"p{number}", random.choice((1, 1, 2)), bound, workload=reference if group else None))
    workloads = (
        policy("basic", None),
        policy("blue", random.choice((1, 2, 3))),
        policy("red", random.choice((2, 3, 4))),
    )
    return tuple(pods), nodes, workloads


class Beside:
    """The production scheduler and the specification's snapshot, which must stay equal."""

    def __init__(self, cluster: Cluster, plugins: Plugins, chance: Random) -> None:
        pods, nodes, workloads = cluster
        self.now, self.chance, self.plugins = 0.0, chance, plugins
        self.scheduler = Scheduler(
            default_registry(), (plugins,), self, lambda: self.now, percentage=100, random=chance
        )
        self.scheduler.handle.listers.workloads = workloads
        self.delivery = Delivery(self.scheduler)
        self.snapshot = replace(Snapshot.of((), nodes), workloads=workloads)
        self.bindings: list[Binding] = []
        self.taken: Counter[str] = Counter()
        for each in nodes:
            self.delivery.node(None, each)
        self.coming = list(pods)
        chance.shuffle(self.coming)

    def bind(self, one: Pod, where: str) -> None:
        """The binding reaches the API server at once."""

    def nominate(self, one: Pod, where: str) -> None:
        raise AssertionError("all priorities are equal")

    def evict(self, one: Pod, preemptor: Pod) -> None:
        raise AssertionError("all priorities are equal")

    def named(self, one: Pod) -> Pod:
        return next(each for each in self.snapshot.pods if each.key == one.key)

    def with_pod(self, one: Pod) -> None:
        pods = (*(each for each in self.snapshot.pods if each.key != one.key), one)
        self.snapshot = replace(self.snapshot, pods=tuple(sorted(pods, key=lambda each: each.key)))

    def step(self) -> None:
        choices = [self.try_one] * 4 + [self.come] * 3 * bool(self.coming) + [self.time_out] * bool(self.bindings)
        self.chance.choice(choices)()
        assert self.waiting() == {each.key: each.waits_on for each in self.snapshot.pods if each.waits_on}

    def waiting(self) -> dict[tuple[str, str], str]:
        return {each.pod.key: each.node for each in self.bindings}

    def come(self) -> None:
        """A pod is created."""
        one = self.coming.pop()
        self.delivery.pod(None, one)
        self.with_pod(one)

    def try_one(self) -> None:
        """The scheduler tries the next pod, and takes all steps of its binding cycle."""
        self.now += 20.0
        self.scheduler.queue.flush_backoff()
        allowed = {each.key for each in turn(self.snapshot, self.plugins)}
        attempt = self.scheduler.decide()
        if attempt is None:
            return
        one = self.named(attempt.queued.pod)
        assert one.key in allowed
        decided = decision(one, self.snapshot, self.plugins)
        binding = self.scheduler.carry_out(attempt)
        if binding is None:
            assert all(isinstance(each, Wait) for each in decided)
            self.taken["Wait"] += 1
            return
        (made,) = (each for each in decided if isinstance(each, Bind | WaitOnPermit) and each.node.name == binding.node)
        self.taken[type(made).__name__] += 1
        self.taken["allowed"] += isinstance(made, Bind) and bool(made.allowed)
        self.bindings.append(binding)
        self.snapshot = after(made, self.snapshot)
        self.advance()

    def advance(self) -> None:
        """Take the steps of all binding cycles that do not wait."""
        for binding in list(self.bindings):
            before = binding.queued.pod
            self.scheduler.finish(binding)
            waits = self.scheduler.handle.waiting.get(binding.pod)
            if waits is None:
                self.bindings.remove(binding)
                if self.named(before).node_name:
                    assert self.named(before).node_name == binding.node
                    self.delivery.pod(before, replace(before, node_name=binding.node))

    def time_out(self) -> None:
        """The time limit of one waiting pod ends."""
        binding = self.chance.choice(self.bindings)
        waiting = self.scheduler.handle.waiting.get(binding.pod)
        assert waiting is not None
        waiting.reject("GangScheduling", "rejected due to timeout")
        self.taken["TimeOut"] += 1
        self.with_pod(replace(self.named(binding.pod), waits_on=""))
        self.advance()


def run(seed: int, plugins: Plugins = GANGS) -> Counter[str]:
    chance = Random(seed)
    beside = Beside(drawn(chance), plugins, chance)
    for _ in range(40):
        beside.step()
    return beside.taken


def test_the_production_scheduler_does_with_gangs_what_the_specification_allows() -> None:
    taken = sum(map(run, range(80)), Counter[str]())
    assert all(taken[kind] >= 12 for kind in ("Bind", "WaitOnPermit", "TimeOut", "Wait", "allowed"))


def test_without_the_gate_no_pod_waits_on_permit() -> None:
    taken = sum((run(seed, BEFORE) for seed in range(20)), Counter[str]())
    assert taken["Bind"] >= 20
    assert not taken["WaitOnPermit"]


@pytest.mark.parametrize("broken", ["queue", "permit", "allow", "forget"])
def test_a_broken_plugin_is_detected(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    success = GangScheduling("arguments", None).pre_enqueue(pod("p"))  # type: ignore[arg-type]
    faults = {
        "queue": ("pre_enqueue", lambda self, one: success),
        "permit": ("permit", lambda self, state, one, where: (success, 0.0)),
        "forget": ("unreserve", lambda self, state, one, where: None),
    }
    if broken == "allow":
        monkeypatch.setattr("schedcheck.model.production.framework.waiting.WaitingPod.allow", lambda self, plugin: None)
    else:
        monkeypatch.setattr(GangScheduling, *faults[broken])
    with pytest.raises((AssertionError, ValueError)):
        for seed in range(150):
            run(seed)
