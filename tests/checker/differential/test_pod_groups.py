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
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.published.control_loop import after
from schedcheck.spec.workload_objects import PodGroup
from tests.support.building import apart, node, pod, selector, term
from tests.support.pod_groups import GROUPED, IN_1_36, UNGROUPED, group, one_of

HOST = "kubernetes.io/hostname"
SHOWN = (Departure.ASSUMED_TERMS_UNSEEN, Departure.MEMBERS_UNALIKE)
"""The departures of 1.36 without which a cycle ends otherwise."""
Cluster = tuple[tuple[Pod, ...], tuple[Node, ...], tuple[PodGroup, ...]]


def drawn(random: Random, unalike: float = 0) -> Cluster:
    """A few nodes, and pods of some groups and of none, of which some are bound already, gated or of another policy."""
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
        if name == "red" and random.random() < unalike:
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
        flying = [each for each in self.scheduler.queue.in_flight.entries if isinstance(each, tuple)]
        assert not flying, f"{flying} are in flight, and nobody tries or binds them"

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
    beside = Beside(drawn(chance, 0.1 * (plugins == IN_1_36)), plugins, chance)
    for _ in range(30):
        beside.step()
    return beside.taken


@pytest.mark.medium
def test_the_production_scheduler_does_with_groups_what_the_specification_allows() -> None:
    taken = sum(map(run, range(80)), Counter[str]())
    assert all(taken[kind] >= 5 for kind in ("Bind", "together", "Wait", "left"))


@pytest.mark.slow
def test_the_production_scheduler_does_with_groups_in_1_36_what_the_specification_allows() -> None:
    taken = sum((run(seed, IN_1_36) for seed in range(30)), Counter[str]())
    assert all(taken[kind] >= 2 for kind in ("Bind", "together", "Wait", "left"))


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


@pytest.mark.parametrize("departure", SHOWN)
def test_a_departure_of_1_36_that_is_left_out_is_detected(departure: Departure) -> None:
    """The production scheduler without the departure binds no pod where the specification with it binds two."""
    alone = apart(term(selected=selector(app="x")))
    first = one_of("red", 1, cpu=0.5, affinity=alone, priority=1)
    second = one_of("red", 2, cpu=0.5, labels={"app": "x"})
    cluster = ((first, second), (node("n1", 1, labels={HOST: "n1"}),), (group("red"),))
    for left_out in (frozenset[Departure](), frozenset({departure})):
        plugins = replace(IN_1_36, departures=IN_1_36.departures - left_out)
        beside = Beside(cluster, plugins, Random(0))
        beside.plugins = IN_1_36
        beside.coming = [second, first]
        beside.come()
        beside.come()
        if left_out:
            with pytest.raises(AssertionError):
                beside.try_one()
        else:
            beside.try_one()
            assert beside.taken["together"] == 1


@pytest.mark.parametrize(("plugins", "bound"), [(IN_1_36, {"red-1", "red-2"}), (GROUPED, set())])
def test_a_gated_pod_holds_its_group_back_since_1_37(plugins: Plugins, bound: set[str]) -> None:
    gated = one_of("red", 3, scheduling_gates=("wait",))
    cluster = ((one_of("red", 1), one_of("red", 2), gated), (node("n1", 2),), (group("red"),))
    beside = Beside(cluster, plugins, Random(0))
    for _ in range(3):
        beside.come()
    beside.try_one()
    assert {each.name for each in beside.snapshot.pods if each.node_name} == bound
