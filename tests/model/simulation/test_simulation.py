"""Simulations by hand, and what holds in every step of drawn ones"""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from schedcheck.model.production.plugins.node_resources_fit import NodeResourcesFit
from schedcheck.model.simulation.delays import DELAYS, Delays
from schedcheck.model.simulation.timeline import Arrive, OnNodes, OnPods, Scale, Timed, Traits, When
from schedcheck.spec.binding import completed
from schedcheck.spec.budgets import healthy, spare
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Snapshot, Toleration
from schedcheck.spec.requests import allocatable, used
from tests.model.simulation.drawn import (
    EVICTING,
    NO_DELAY,
    a_budget,
    a_node,
    a_pod,
    begun,
    drawn_start,
    finished,
    of_owner,
    once,
    start_of,
    told,
)

ROOT = Path(__file__).parents[3]
TEN = Traits(runs=10.0)
SEEDS = range(40)


def there(simulation: object) -> Snapshot:
    """The objects of the API server as a snapshot."""
    world = simulation.world  # type: ignore[attr-defined]
    return replace(
        Snapshot.of(world.pods.values(), world.nodes.values()),
        budgets=tuple(simulation.budgets.budgets),  # type: ignore[attr-defined]
    )


def test_pods_that_run_ten_seconds_each_on_one_node_are_bound_every_ten_seconds() -> None:
    pods = tuple(a_pod(f"p{number}") for number in range(5))
    _, story = finished(start_of([a_node("n1")], [], once(0.0, Arrive(pods, TEN)), delays=NO_DELAY))
    assert [time for time, _ in told(story, "Bind")] == [0.0, 10.0, 20.0, 30.0, 40.0]
    assert [time for time, _ in told(story, "Complete")] == [10.0, 20.0, 30.0, 40.0, 50.0]


def test_two_nodes_halve_the_wait() -> None:
    pods = tuple(a_pod(f"p{number}") for number in range(5))
    timeline = once(3.0, Arrive(pods, TEN))
    _, story = finished(start_of([a_node("n1"), a_node("n2")], [], timeline, delays=NO_DELAY))
    assert [time for time, _ in told(story, "Bind")] == [3.0, 3.0, 13.0, 13.0, 23.0]


def test_the_more_important_pod_is_bound_first() -> None:
    pods = (a_pod("a"), a_pod("b"), a_pod("c", priority=1))
    _, story = finished(start_of([a_node("n1")], [], once(0.0, Arrive(pods, TEN)), delays=NO_DELAY))
    assert [text for _, text in told(story, "Bind")] == ["Bind(c, n1)", "Bind(a, n1)", "Bind(b, n1)"]


def test_a_pod_that_no_event_concerns_is_tried_again_after_five_minutes() -> None:
    # It is rejected at 0 s. Looks at unschedulablePods come every 30 s, and more than 300 s must have passed.
    _, story = finished(start_of([a_node("n1")], [a_pod("large", 2)], until=1000.0, delays=NO_DELAY))
    assert [time for time, _ in told(story, "Wait")] == [0.0, 330.0, 660.0, 990.0]


def test_a_preemptor_waits_for_the_end_of_its_victim() -> None:
    victim = a_pod("victim", node_name="n1", phase="Running", priority=0)
    start = start_of([a_node("n1")], [victim, a_pod("vip", priority=9)], traits={victim.key: Traits(grace=30.0)})
    (_, story) = finished(start)
    (evicted,), (ended,) = told(story, "EvictVictim"), told(story, "End")
    (bound,) = told(story, "Bind")
    assert evicted[1] == "EvictVictim(victim, n1): for vip"
    assert evicted[0] <= ended[0] <= evicted[0] + 30.0
    assert ended[0] <= bound[0] <= ended[0] + 0.05 + 0.01 + 0.1 + 1.0


def test_pods_leave_an_unreachable_node_after_five_minutes_and_are_replaced_elsewhere() -> None:
    bearing = tuple(
        Toleration(f"node.kubernetes.io/{name}", "Exists", "", "NoExecute", 300)
        for name in ("not-ready", "unreachable")
    )
    pods = of_owner("ReplicaSet", "web", 1, node_name="n1", phase="Running", tolerations=bearing)
    start = start_of([a_node("n1"), a_node("n2")], pods, once(100.0, OnNodes("unreachable", ("n1",))), until=1000.0)
    simulation, story = finished(start)
    (unknown,), (evicted,), (created,), (bound,) = (
        told(story, each) for each in ("Unreachable", "TaintEvict", "Create", "Bind")
    )
    assert 150.0 <= unknown[0] <= 155.0
    assert unknown[0] + 300.0 <= evicted[0] <= unknown[0] + 305.0
    assert evicted[0] + 0.1 <= created[0] <= evicted[0] + 1.0
    assert bound[1].endswith(", n2)")
    # No kubelet ends the old pod, which stays until the node is back.
    assert [pod.terminating for pod in simulation.world.pods_on("n1")] == [True]
    back = replace(start, timeline=(*start.timeline, once(700.0, OnNodes("ready", ("n1",)))))
    simulation, story = finished(back)
    assert told(story, "End")[0][1] == "End(web-0, n1)"
    assert not list(simulation.world.pods_on("n1"))


def test_pods_of_a_deleted_node_are_collected() -> None:
    pods = of_owner("StatefulSet", "db", 1, node_name="n1", phase="Running")
    _, story = finished(start_of([a_node("n1"), a_node("n2")], pods, once(10.0, OnNodes("fail", ("n1",)))))
    ((collected, _),) = told(story, "Collect")
    assert 50.0 <= collected <= 70.0
    ((_, created),) = told(story, "Create")
    assert created == "Create(db-0)"


def test_pods_whose_node_is_missing_from_the_start_are_collected_and_created_again() -> None:
    pods = of_owner("ReplicaSet", "web", 2, node_name="gone", phase="Running")
    simulation, story = finished(start_of([a_node("n1", 2)], pods))
    assert sorted(text for _, text in told(story, "Collect")) == ["Collect(web-0, gone)", "Collect(web-1, gone)"]
    assert all(40.0 <= time <= 60.0 for time, _ in told(story, "Collect"))
    assert {pod.node_name for pod in simulation.world.pods.values()} == {"n1"} and simulation.usage.unbound == 0


def test_a_drain_evicts_no_more_pods_than_the_budget_allows() -> None:
    pods = of_owner("ReplicaSet", "web", 3, node_name="n1", phase="Running")
    start = start_of([a_node("n1", 3), a_node("n2", 3)], pods, once(5.0, OnNodes("drain", ("n1",))))
    start = replace(start, snapshot=replace(start.snapshot, budgets=(a_budget("web", 3),)))
    simulation, story = finished(start)
    assert len(told(story, "Evict")) == 3
    evicted = [time for time, _ in told(story, "Evict")]
    started = [time for time, _ in told(story, "Start")]
    # The next eviction waits until the replacement of the one before is running.
    assert all(begun_at < later for begun_at, later in zip(started, evicted[1:], strict=False))
    assert not list(simulation.world.pods_on("n1")) and simulation.world.nodes["n1"].unschedulable


def test_a_drain_that_no_replacement_can_follow_is_refused_again_and_again() -> None:
    pods = of_owner("ReplicaSet", "web", 2, node_name="n1", phase="Running")
    start = start_of([a_node("n1", 2)], pods, once(5.0, OnNodes("drain", ("n1",))))
    start = replace(start, snapshot=replace(start.snapshot, budgets=(a_budget("web", 2),)))
    simulation, story = finished(start)
    assert len(told(story, "Evict")) == 1 and len(told(story, "Refuse")) == 1
    assert len(simulation.budgets.refused[0]) == 1 and simulation.budgets.least == [0]


def test_a_pod_that_is_not_ready_counts_for_no_budget_and_its_replacement_does() -> None:
    pods = of_owner("StatefulSet", "db", 2, node_name="n1", phase="Running")
    traits = {pods[0].key: Traits(ready=False)}
    start = start_of([a_node("n1", 2)], pods, once(60.0, OnPods("delete", (pods[0].key,))), traits=traits)
    start = replace(start, snapshot=replace(start.snapshot, budgets=(a_budget("db", 2),)))
    assert finished(replace(start, until=59.0))[0].budgets.budgets[0].disruptions_allowed == 0
    assert finished(start)[0].budgets.budgets[0].disruptions_allowed == 1


def test_a_replica_set_scaled_down_deletes_unbound_pods_first() -> None:
    pods = of_owner("ReplicaSet", "web", 3)
    timeline = once(60.0, Scale(("default", "ReplicaSet", "web"), 1))
    _, story = finished(start_of([a_node("n1", 1)], pods, timeline))
    bound = {text.split("(")[1].split(",")[0] for _, text in told(story, "Bind")}
    deleted = {each.pod.name for each in story if each.action == "Delete" and each.pod is not None}
    assert len(bound) == 1 and len(deleted) == 2 and not bound & deleted


def test_a_replica_set_scaled_down_deletes_the_cheapest_pod_then_the_most_crowded_then_the_youngest() -> None:
    fields = {"phase": "Running", "start_time": 1}
    pods = [
        *of_owner("ReplicaSet", "web", 3, 0.1, node_name="n1", **fields),
        *(
            replace(pod, name=f"other-{pod.name}")
            for pod in of_owner("ReplicaSet", "web", 2, 0.1, node_name="n2", **fields)
        ),
    ]
    pods[1] = replace(pods[1], start_time=2)
    traits = {pods[4].key: Traits(cost=-1)}
    deleted = []
    for replicas in (4, 3):
        timeline = once(1.0, Scale(("default", "ReplicaSet", "web"), replicas))
        _, story = finished(start_of([a_node("n1"), a_node("n2")], pods, timeline, traits=traits))
        deleted.append([each.pod.name for each in story if each.action == "Delete" and each.pod is not None])
    assert deleted == [["other-web-1"], ["other-web-1", "web-1"]]


def test_a_stateful_set_is_scaled_by_ordinals() -> None:
    pods = of_owner("StatefulSet", "db", 2)
    owner = ("default", "StatefulSet", "db")
    up = start_of([a_node("n1", 9)], pods, once(60.0, Scale(owner, 4)))
    assert sorted(pod.name for pod in finished(up)[0].world.pods.values()) == ["db-0", "db-1", "db-2", "db-3"]
    down = replace(up, timeline=(*up.timeline, once(120.0, Scale(owner, 1))))
    assert sorted(pod.name for pod in finished(down)[0].world.pods.values()) == ["db-0"]


def test_a_job_is_done_once_its_pods_have_succeeded() -> None:
    pods = tuple(of_owner("Job", "job", 2))
    simulation, story = finished(start_of([a_node("n1", 2)], [], once(0.0, Arrive(pods, TEN))))
    assert len(told(story, "Complete")) == 2 and not told(story, "Create")
    assert all(completed(pod) for pod in simulation.world.pods.values())


def test_tolerated_taints_evict_when_their_seconds_are_over_and_not_at_all_if_removed_before() -> None:
    bearing = {"tolerations": (Toleration("broken", "Exists", "", "NoExecute", 60),)}
    pods = [
        a_pod("bears", 0.1, node_name="n1", phase="Running", **bearing),
        a_pod("cannot", 0.1, node_name="n1", phase="Running"),
        a_pod("for-good", 0.1, node_name="n1", phase="Running", tolerations=(Toleration("broken", "Exists"),)),
    ]
    tainted = start_of([a_node("n1")], pods, once(10.0, OnNodes("taint", ("n1",), EVICTING)))
    _, story = finished(tainted)
    assert told(story, "TaintEvict") == [(10.0, "TaintEvict(cannot, n1)"), (70.0, "TaintEvict(bears, n1)")]
    lifted = replace(tainted, timeline=(*tainted.timeline, once(69.0, OnNodes("untaint", ("n1",), EVICTING))))
    assert told(finished(lifted)[1], "TaintEvict") == [(10.0, "TaintEvict(cannot, n1)")]


def test_a_new_node_gets_pods_of_daemon_sets() -> None:
    from schedcheck.model.simulation.timeline import Add
    from schedcheck.spec.terms import Affinity, NodeSelectorTerm, Requirement

    only = Affinity(node_required=(NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n1",)),)),))
    daemon = a_pod("log-n1", 0.1, owner=("DaemonSet", "log"), affinity=only, node_name="n1", phase="Running")
    _, story = finished(start_of([a_node("n1")], [daemon], once(10.0, Add((a_node("n2"),), "n1"))))
    assert [text for _, text in told(story, "Arrive", "Bind")] == ["Arrive(log-n2)", "Bind(log-n2, n2)"]


def overcommitted(snapshot: Snapshot) -> list[str]:
    """The nodes that hold more than they offer."""
    return [
        node.name
        for node in snapshot.nodes
        if any(used(node, snapshot, each, NO_FAULTS) > allocatable(node, each) for each in ("cpu", "pods"))
    ]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", SEEDS)
def test_in_every_step_nodes_hold_what_they_offer_and_all_sums_are_those_of_the_specification(seed: int) -> None:
    simulation, _ = begun(drawn_start(seed, 400.0), seed)
    steps = 0
    while simulation.step():
        steps += 1
        if steps % 7:
            continue
        snapshot = there(simulation)
        assert overcommitted(snapshot) == []
        for place, budget in enumerate(snapshot.budgets):
            assert simulation.budgets.healthy[place] == len(healthy(budget, snapshot, True))
        for resource in ("cpu", "pods"):
            sums = sum(used(node, snapshot, resource, NO_FAULTS) for node in snapshot.nodes)
            assert simulation.usage.used[resource] == sums
            assert simulation.usage.offered[resource] == sum(allocatable(node, resource) for node in snapshot.nodes)
        assert simulation.usage.unbound == sum(not pod.node_name for pod in snapshot.pods)


def test_a_scheduler_that_ignores_room_overcommits_a_node(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = NodeResourcesFit.filter

    def lenient(self: NodeResourcesFit, *given: Any) -> Any:
        said: Any = whole(self, *given)
        return replace(said, codes=0 * said.codes)

    monkeypatch.setattr(NodeResourcesFit, "filter", lenient)
    simulation, _ = begun(start_of([a_node("n1")], [a_pod(f"p{number}") for number in range(3)]))
    assert any(overcommitted(there(simulation)) for _ in iter(simulation.step, False))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", SEEDS)
def test_at_the_end_every_owner_has_its_pods_and_every_budget_its_status(seed: int) -> None:
    start = drawn_start(seed)
    # Everything that happens is over long before the end. A taint that a pod tolerates for some seconds would go on
    # evicting it for ever.
    names = tuple(node.name for node in start.snapshot.nodes)
    last = once(start.until, OnNodes("untaint", names, EVICTING))
    simulation, _ = finished(replace(start, until=start.until + 900.0, timeline=(*start.timeline, last)), seed)
    pods = simulation.world.pods.values()
    for key, own in simulation.owners.owners.items():
        active = [pod for pod in pods if pod.owner == key[1:] and not pod.terminating and not completed(pod)]
        waiting_for_the_old = [pod for pod in pods if pod.owner == key[1:] and pod.terminating] if own.by_slots else []
        assert len(active) + len(waiting_for_the_old) == own.desired
    snapshot = there(simulation)
    assert [each.disruptions_allowed for each in snapshot.budgets] == [
        spare(each, snapshot, True) for each in snapshot.budgets
    ]
    assert not simulation.scheduling.bindings


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", SEEDS)
def test_every_pod_is_created_once_and_goes_through_its_states_in_order(seed: int) -> None:
    simulation, story = finished(drawn_start(seed), seed)
    by_pod: dict[tuple[str, ...], list[tuple[str, float]]] = {}
    for each in story:
        if each.pod is not None:
            by_pod.setdefault(each.pod.identity, []).append((each.action, each.time))
    allowed = {"Bind": {"Start", "Complete", "End", "Collect"}, "Start": {"Complete", "End", "Collect"}}
    for identity, steps in by_pod.items():
        times = [time for _, time in steps]
        assert times == sorted(times)
        counts = Counter(action for action, _ in steps)
        assert all(
            counts[action] <= 1 for action in ("Arrive", "Create", "Bind", "Start", "Complete", "End", "Collect")
        )
        made = [action for action, _ in steps if action in ("Arrive", "Create")]
        assert len(made) == (1 if len(identity) == 3 else 0)
        states = [action for action, _ in steps if action in ("Bind", "Start", "Complete", "End", "Collect")]
        assert all(after in allowed.get(before, ()) for before, after in pairwise(states))
    alive = {pod.identity for pod in simulation.world.pods.values()}
    ended = {identity for identity, steps in by_pod.items() if any(action in ("End", "Collect") for action, _ in steps)}
    assert not alive & ended


@pytest.mark.parametrize("seed", range(5))
def test_every_delay_is_within_its_bounds_and_moves_with_them(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: dict[str, list[float]] = {}
    whole = Delays.draw

    def noting(self: Delays, name: str, chance: Random) -> float:
        drawn.setdefault(name, []).append(whole(self, name, chance))
        return drawn[name][-1]

    monkeypatch.setattr(Delays, "draw", noting)
    finished(drawn_start(seed), seed)
    assert {"informer", "cycle", "binding", "start", "owner", "disruption"} <= drawn.keys()
    for name, found in drawn.items():
        assert DELAYS[name].least <= min(found) <= max(found) <= DELAYS[name].most
    assert len(set(drawn["binding"])) == len(drawn["binding"])


@pytest.mark.parametrize("seed", range(10))
def test_delays_stay_within_their_bounds(seed: int) -> None:
    _, story = finished(drawn_start(seed), seed)
    times: dict[tuple[str, ...], dict[str, float]] = {}
    for each in story:
        if each.pod is not None:
            times.setdefault(each.pod.identity, {}).setdefault(each.action, each.time)
    waits = [found["Start"] - found["Bind"] for found in times.values() if {"Start", "Bind"} <= found.keys()]
    # A pod that was bound to a node that was not ready waits for that.
    assert all(wait >= DELAYS["start"].least for wait in waits)
    runs = [found["Complete"] - found["Start"] for found in times.values() if {"Complete", "Start"} <= found.keys()]
    assert all(run >= 30.0 - 1e-9 for run in runs)
    cycles = sorted(each.time for each in story if each.action == "Wait")
    assert all(after - before >= DELAYS["cycle"].least - 1e-9 for before, after in pairwise(cycles))


@pytest.mark.medium
def test_the_seed_alone_decides() -> None:
    start = drawn_start(3)
    stories = [[str((each.time, str(each))) for each in finished(start, seed)[1]] for seed in (1, 1, 2)]
    assert stories[0] == stories[1] != stories[2]


def test_events_at_a_rate_come_at_random_and_those_at_an_interval_do_not() -> None:
    arrival = Arrive((a_pod("p", 0.01),))
    regular = start_of([a_node("n1")], [], Timed(When(5.0, every=10.0, until=100.0), arrival), delays=NO_DELAY)
    assert [time for time, _ in told(finished(regular)[1], "Arrive")] == [15.0 + 10.0 * each for each in range(9)]
    random = replace(regular, timeline=(Timed(When(0.0, mean=1.0, until=500.0), arrival),))
    times = [time for time, _ in told(finished(random)[1], "Arrive")]
    assert 400 < len(times) < 600 and max(times) <= 500.0


def test_deleted_pods_are_those_named_and_those_labelled() -> None:
    pods = [a_pod("a"), a_pod("b", labels=a_pod("x").labels.set("app", "x")), a_pod("c")]
    events = once(1.0, OnPods("delete", (("default", "a"),))), once(2.0, OnPods("delete", labels=pods[1].labels))
    simulation, _ = finished(start_of([], pods, *events))
    assert [pod.name for pod in simulation.world.pods.values()] == ["c"]


def test_the_page_has_the_bounds_of_every_delay() -> None:
    lines = [
        line.split("|") for line in (ROOT / "docs" / "simulate.md").read_text().splitlines() if line.startswith("| `")
    ]
    said = {line[1].strip(" `"): line[2].strip() for line in lines}

    def text(seconds: float) -> str:
        return f"{1000 * seconds:.0f} ms" if 0 < seconds < 1 else f"{seconds:.0f} s"

    for name, each in DELAYS.items():
        least, most = text(each.least), text(each.most)
        expected = "0 to 1" if name == "termination" else f"{least} to {most}"
        if least[-2:] == most[-2:] or least == "0 s":
            expected = expected.replace(f"{least} to", f"{least.split()[0]} to")
        assert said[name] == expected
