"""The production scheduler beside the specification on random clusters with PodGroups, cycle by cycle

Equal means: the pods that a cycle tries are ones that may be tried; the pods that it binds, each with its node, are those
of a decision that the specification allows; and the pods that it puts back may wait.
"""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from schedcheck.model.production.cycle import pod_groups
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Binding, Scheduler
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.production.plugins.gang_scheduling import GangScheduling
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.spec.decisions import Bind, Unknown, Wait
from schedcheck.spec.kubernetes.control_loop import decision, turn
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.published.control_loop import after
from schedcheck.spec.workload_objects import PodGroup
from tests.support.building import apart, node, pod, selector, term
from tests.support.pod_groups import GROUPED, UNGROUPED, group

HOST = "kubernetes.io/hostname"
Cluster = tuple[tuple[Pod, ...], tuple[Node, ...], tuple[PodGroup, ...]]


def drawn(random: Random) -> Cluster:
    """A few nodes, and pods of some groups and of none, of which some are bound already, gated or of another priority."""
    nodes = tuple(
        node(f"n{place}", random.choice((1, 2, 2, 3)), labels={HOST: f"n{place}"})
        for place in range(1, random.randint(2, 4) + 1)
    )
    alone = apart(term(selected=selector(app="x")))
    pods = []
    for number in range(random.randint(4, 8)):
        name = random.choice((*("red",) * 4, *("blue",) * 4, "basic", "none", ""))
        bound = random.choice((*(each.name for each in nodes), *("",) * 12))
        fields: dict[str, object] = {"labels": {"app": random.choice("xy")}, "scheduling_group": name}
        if random.random() < 0.2:
            fields["affinity"] = alone
        if random.random() < 0.04 and not bound:
            fields["scheduling_gates"] = ("wait",)
        if name == "blue" and random.random() < 0.05:
            fields["preemption_policy"] = "Never"
        pods.append(pod(f"p{number}", random.choice((1, 1, 2)), bound, **fields))
    groups = (
        group("basic", None),
        group("blue", random.choice((1, 2, 3))),
        group("red", random.choice((2, 3, 4))),
    )
    return tuple(pods), nodes, groups


class Beside:
    """The production scheduler and the specification's snapshot, which must stay equal."""

    def __init__(self, cluster: Cluster, plugins: Plugins, chance: Random) -> None:
        pods, nodes, groups = cluster
        self.now, self.chance, self.plugins = 0.0, chance, plugins
        self.failed: list[Pod] = []
        self.scheduler = Scheduler(
            default_registry(), (plugins,), self, lambda: self.now, percentage=100, random=chance, recorder=self.heard
        )
        self.scheduler.handle.listers.pod_groups = groups
        self.delivery = Delivery(self.scheduler)
        self.snapshot = replace(Snapshot.of((), nodes), pod_groups=groups)
        self.taken: Counter[str] = Counter()
        for each in nodes:
            self.delivery.node(None, each)
        self.coming = list(pods)
        chance.shuffle(self.coming)

    def heard(self, one: Pod, reason: str, message: str) -> None:
        if reason == "FailedScheduling":
            self.failed.append(one)

    def bind(self, one: Pod, where: str) -> None:
        """The binding reaches the API server at once."""

    def nominate(self, one: Pod, where: str) -> None:
        raise AssertionError("all priorities are equal")

    def evict(self, one: Pod, preemptor: Pod) -> None:
        raise AssertionError("all priorities are equal")

    def named(self, one: Pod) -> Pod:
        return next(each for each in self.snapshot.pods if each.key == one.key)

    def step(self) -> None:
        choices = [self.try_one] * 4 + [self.come] * 3 * bool(self.coming) + [self.ungate]
        self.chance.choice(choices)()

    def come(self) -> None:
        """A pod is created."""
        one = self.coming.pop()
        self.delivery.pod(None, one)
        self.snapshot = replace(
            self.snapshot, pods=tuple(sorted((*self.snapshot.pods, one), key=lambda each: each.key))
        )

    def ungate(self) -> None:
        """The scheduling gates of a pod are removed."""
        for one in self.snapshot.pods:
            if one.scheduling_gates and self.chance.random() < 0.3:
                free = replace(one, scheduling_gates=())
                self.delivery.pod(one, free)
                pods = tuple(free if each == one else each for each in self.snapshot.pods)
                self.snapshot = replace(self.snapshot, pods=pods)
                return

    def try_one(self) -> None:
        """The scheduler tries the next pod or group, and takes all steps of the binding cycles."""
        self.now += 20.0
        self.scheduler.queue.flush_backoff()
        self.failed.clear()
        allowed = turn(self.snapshot, self.plugins)
        begun = self.scheduler.schedule_next()
        assert {each.queued.pod.key for each in begun} | {each.key for each in self.failed} <= {
            each.key for each in allowed
        }
        for each in self.failed:
            decided = decision(self.named(each), self.snapshot, self.plugins)
            assert any(isinstance(one, Wait) and one.left == bool(begun) for one in decided), (each, decided)
            assert not any(isinstance(one, Unknown) for one in decided)
            self.taken["left" if begun else "Wait"] += 1
        if begun:
            self.bound(begun)

    def bound(self, begun: list[Binding]) -> None:
        nodes = {each.name: each for each in self.snapshot.nodes}
        pairs = [(self.named(each.queued.pod), nodes[each.node]) for each in begun]
        for one, where in pairs:
            others = tuple(sorted((pair for pair in pairs if pair[0] != one), key=lambda pair: pair[0].key))
            assert Bind(one, where, together=others) in decision(one, self.snapshot, self.plugins)
        self.taken["together" if len(pairs) > 1 else "Bind"] += 1
        (one, where), *rest = pairs
        self.snapshot = after(Bind(one, where, together=tuple(rest)), self.snapshot)
        for binding in begun:
            self.scheduler.finish(binding)
            assert self.scheduler.handle.waiting.get(binding.pod) is None
        for binding in begun:
            before = binding.queued.pod
            self.delivery.pod(before, replace(before, node_name=binding.node))


def run(seed: int, plugins: Plugins = GROUPED) -> Counter[str]:
    chance = Random(seed)
    beside = Beside(drawn(chance), plugins, chance)
    for _ in range(30):
        beside.step()
    return beside.taken


def test_the_production_scheduler_does_with_groups_what_the_specification_allows() -> None:
    taken = sum(map(run, range(80)), Counter[str]())
    assert all(taken[kind] >= 5 for kind in ("Bind", "together", "Wait", "left"))


def test_without_the_gate_pods_are_bound_alone() -> None:
    taken = sum((run(seed, UNGROUPED) for seed in range(15)), Counter[str]())
    assert taken["Bind"] >= 20
    assert not taken["together"]


def broken(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    match fault:
        case "queue":
            monkeypatch.setattr(GangScheduling, "_enters_with_its_group", lambda self, one: pod_groups.SUCCESS)
        case "feasible":
            monkeypatch.setattr(GangScheduling, "placement_feasible", lambda *told: pod_groups.SUCCESS)
        case "mates":
            monkeypatch.setattr(SchedulingQueue, "take_group", lambda self, one: [])
        case "held":
            monkeypatch.setattr(SchedulingQueue, "held", lambda self, queued: False)
        case "differing":
            monkeypatch.setattr(pod_groups, "_differing", lambda scheduler, each: "")
        case "undone":
            monkeypatch.setattr(pod_groups, "reversed", lambda tried: [], raising=False)


@pytest.mark.parametrize("fault", ["queue", "feasible", "mates", "held", "differing", "undone"])
def test_a_broken_cycle_is_detected(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(fault, monkeypatch)
    with pytest.raises((AssertionError, ValueError, StopIteration)):
        for seed in range(300):
            run(seed)
