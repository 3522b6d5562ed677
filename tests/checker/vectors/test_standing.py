"""A judge that is kept up to date equals a new one after every change; a broken twin of each update is detected"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from frozendict import frozendict

from schedcheck.checker.vectors import growing, standing, standing_run
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.checker.vectors.standing import ByNode, StandingCluster
from schedcheck.checker.vectors.standing_judge import StandingJudge
from schedcheck.spec.kubernetes.control_loop import taken_up, turn
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.terms import Affinity, LabelSelector, PodAffinityTerm
from tests.checker.vectors.dense import dense, limited, with_volumes
from tests.checker.vectors.test_judge import others
from tests.support.building import node, pod

STEPS = 16
Change = Callable[[StandingJudge], None]


def clusters() -> Iterator[tuple[Snapshot, Plugins]]:
    """Clusters whose pods are identical except for one thing."""
    yield with_volumes()
    yield from (limited(seed) for seed in range(4))
    # The answers of dense(7) alone take longer than all others together.
    yield from (dense(seed) for seed in (0, 1, 2, 3, 4, 5, 6, 14, 8, 9, 10, 11, 12, 13))
    yield from (guarded() for _ in range(6))


def guarded() -> tuple[Snapshot, Plugins]:
    """Two full nodes whose pods are told apart by their budgets alone, and pods that preempt."""
    nodes = [node(name, 2) for name in ("n1", "n2")]
    there = [
        pod(f"{name}-{number}", 1, on=name, labels=frozendict(app=name)) for name in ("n1", "n2") for number in (1, 2)
    ]
    waiting = [pod(f"w{number}", 1, priority=5) for number in (1, 2)]
    budgets = tuple(
        PodDisruptionBudget(name, selector=LabelSelector(frozendict(app=name)), max_unavailable=1)
        for name in ("n1", "n2")
    )
    return replace(Snapshot.of((*there, *waiting), nodes), budgets=budgets), DEFAULT_PLUGINS


def walk(there: Snapshot, plugins: Plugins, chance: Random, counted: Counter[str]) -> None:
    """Fail if an answer differs after some change."""
    judge = StandingJudge(there)
    spare = [node for node in there.nodes if chance.random() < 0.2]
    for _ in range(STEPS):
        name, there = changed(judge, there, spare, chance)
        counted[name] += 1
        agree(judge, there, plugins, counted)


def changed(judge: StandingJudge, there: Snapshot, spare: list[Node], chance: Random) -> tuple[str, Snapshot]:
    """Change one thing of the judge and of the snapshot; return what it was, and the snapshot."""
    waiting = [pod for pod in there.pods if not pod.node_name]
    bound = [pod for pod in there.pods if pod.node_name]
    nodes = there.nodes
    draw = chance.random()
    if there.budgets and chance.random() < 0.2:
        budgets = tuple(replace(each, disruptions_allowed=chance.randrange(3)) for each in there.budgets)
        there = replace(there, budgets=budgets if chance.random() < 0.9 else budgets[1:])
        judge.put_rest(there)
        return "budgets", there
    if draw < 0.3 and waiting and nodes:
        return "bind", with_pod(judge, there, replace(chance.choice(waiting), node_name=chance.choice(nodes).name))
    if draw < 0.4 and waiting and nodes:
        pod = chance.choice(waiting)
        return "nominate", with_pod(judge, there, replace(pod, nominated_node_name=chance.choice(nodes).name))
    if draw < 0.6 and bound:
        return "unbind", with_pod(judge, there, replace(chance.choice(bound), node_name="", phase="Pending"))
    if draw < 0.66 and bound:
        return "complete", with_pod(judge, there, replace(chance.choice(bound), phase="Succeeded"))
    if draw < 0.72 and bound:
        return "terminate", with_pod(judge, there, replace(chance.choice(bound), terminating=True))
    if draw < 0.8 and bound:
        gone = chance.choice(bound)
        judge.remove(gone.key)
        return "remove", replace(there, pods=tuple(pod for pod in there.pods if pod != gone))
    if draw < 0.92 and nodes:
        node = relabelled(chance.choice(nodes), chance)
        judge.put_node(node)
        return "node", replace(there, nodes=tuple(node if each.name == node.name else each for each in nodes))
    if spare:
        node = spare.pop()
        if node.name in {each.name for each in nodes}:
            judge.remove_node(node.name)
            return "remove node", replace(there, nodes=tuple(each for each in nodes if each.name != node.name))
    return "nothing", there


def with_pod(judge: StandingJudge, there: Snapshot, pod: Pod) -> Snapshot:
    judge.put(pod)
    pods = (pod if each.key == pod.key else each for each in there.pods)
    return replace(there, pods=tuple(sorted(pods, key=lambda each: each.key)))


def relabelled(node: Node, chance: Random) -> Node:
    keys = [key for key in node.labels if chance.random() < 0.7]
    amounts = {name: size + chance.randrange(2) for name, size in node.allocatable.items()}
    return replace(
        node,
        labels=type(node.labels)({key: node.labels[key] for key in keys}),
        allocatable=type(node.allocatable)(amounts),
        unschedulable=chance.random() < 0.2,
    )


def agree(judge: StandingJudge, there: Snapshot, plugins: Plugins, counted: Counter[str]) -> None:
    fresh = CycleJudge(there)
    agree_on_sums(judge.there, fresh)
    for waiting in sorted(turn(there, plugins), key=lambda each: each.key):
        assert judge.judges(waiting, plugins) == fresh.judges(waiting, plugins)
        if not fresh.judges(waiting, plugins):
            continue
        answers = []
        for each in (judge, fresh):
            cycle = each.cycle(waiting, plugins)
            filtering, scoring = each.profile(plugins)
            numbers = filtering.numbers(cycle)
            every = np.arange(len(each.there))
            scores = scoring.weighted(cycle, every) if len(every) and plugins.at("score") else {}
            rated = scores if isinstance(scores, str) else {name: of.tolist() for name, of in scores.items()}
            said = each.judged(waiting, plugins, frozenset())
            verdicts = each.verdicts(numbers, filtering)
            answers.append((cycle.nominated, cycle.spread, cycle.around, verdicts, rated, said.decisions))
        assert answers[0] == answers[1]
        allowed = answers[1][-1]
        for made in (*allowed, *others(taken_up(waiting, there, plugins), allowed)):
            ours, theirs = (
                made in each.judged(waiting, plugins, frozenset({made})).decisions for each in (judge, fresh)
            )
            assert ours == theirs
            counted["permitted" if ours else "not permitted"] += 1
        counted.update(type(each).__name__ for each in answers[0][-1])


def some_of(info: NodeInfo, departures: Departures) -> dict[str, int]:
    """The sums of a node that are not 0."""
    return {name: size for name, size in info.requested(departures).items() if size}


def agree_on_sums(there: StandingCluster, fresh: CycleJudge) -> None:
    assert there.names == fresh.there.names
    for ours, theirs in zip(there.infos, fresh.there.infos, strict=True):
        assert (ours.node, ours.pods, ours.ports) == (theirs.node, theirs.pods, theirs.ports)
        for departures in (DEFAULT_PLUGINS.departures, VERSIONS["1.36"].departures):
            assert some_of(ours, departures) == some_of(theirs, departures)
    assert there.number_of_pods.tolist() == fresh.there.number_of_pods.tolist()
    for resource in ("cpu", "memory"):
        assert there.allocatable(resource).tolist() == fresh.there.allocatable(resource).tolist()
        for departures in (DEFAULT_PLUGINS.departures, VERSIONS["1.36"].departures):
            for what in ("requested", "rated_use"):
                ours, theirs = (getattr(each, what)(resource, departures).tolist() for each in (there, fresh.there))
                assert ours == theirs


def all_walks(every: int = 1) -> Counter[str]:
    """Walk through each cluster, or through one of so many."""
    counted: Counter[str] = Counter()
    for before, changed_pod in elsewhere():
        judge = StandingJudge(before)
        agree(judge, before, DEFAULT_PLUGINS, counted)
        agree(judge, with_pod(judge, before, changed_pod), DEFAULT_PLUGINS, counted)
    for number, (there, plugins) in enumerate(clusters()):
        if number % every == 0:
            walk(there, plugins, Random(number), counted)
    return counted


def elsewhere() -> Iterator[tuple[Snapshot, Pod]]:
    """A preemptor, and a change that leaves its node and the pods on it as they are, but takes away the room."""
    low, high = pod("low", 2, on="n1"), pod("high", 1, priority=10)
    other = pod("other", 2, priority=10)
    yield Snapshot.of((low, high, other), (node("n1", 2),)), replace(other, nominated_node_name="n1")
    zone = frozendict(zone="a")
    apart = replace(
        high, affinity=Affinity(anti_required=(PodAffinityTerm("zone", LabelSelector(frozendict(app="x"))),))
    )
    enemy = pod("enemy", 1, labels=frozendict(app="x"), priority=20)
    nodes = (node("n1", 2, labels=zone), node("n2", 1, labels=zone))
    yield Snapshot.of((low, pod("full", 1, on="n2", priority=20), apart, enemy), nodes), replace(enemy, node_name="n2")


@pytest.mark.medium
@pytest.mark.parametrize(("every", "fewest"), [(4, 1), pytest.param(1, 5, marks=pytest.mark.slow)])
def test_standing_judge_after_each_change_equals_a_new_one(every: int, fewest: int) -> None:
    counted = all_walks(every)
    asked = (*CHANGES, "Bind", "Nominate", "Wait", "permitted", "not permitted")
    assert {each for each in asked if counted[each] < fewest} == set()


CHANGES = ("bind", "nominate", "unbind", "complete", "terminate", "remove", "budgets", "node", "remove node")


@pytest.mark.slow
def test_standing_cluster_drops_kinds_that_have_no_pods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "FEWEST_EMPTY", 1)
    monkeypatch.setattr(standing, "OFTEN", 1)
    dropped: list[int] = []
    wasted = growing.Kinds.wasted.fget
    assert wasted is not None
    monkeypatch.setattr(
        growing.Kinds, "wasted", property(lambda kinds: dropped.append(1) or True if wasted(kinds) else False)
    )
    all_walks()
    assert len(dropped) >= 2


@pytest.mark.slow
def test_standing_cluster_with_amounts_beyond_64_bits_equals_a_new_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing, "LARGE", 1)
    all_walks()


Patch = Callable[[pytest.MonkeyPatch], None]


def skipping(name: str) -> Patch:
    """One of the updates is left out."""

    def patch(patched: pytest.MonkeyPatch) -> None:
        patched.setattr(StandingCluster, name, lambda *_: None)

    patch.__name__ = name
    return patch


def keeping_what_is_emptied(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(ByNode, "forget", lambda *_: None)


def keeping_what_budgets_guard(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(ByNode, "forget_guarded", lambda *_: None)


def keeping_ports(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(standing, "host_ports", lambda pod: frozenset())


def scores_are_not_brought_up_to_date(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(StandingCluster, "changed", property(lambda there: [], lambda there, _: None), raising=False)


def nominations_are_kept(patched: pytest.MonkeyPatch) -> None:
    leave = StandingCluster._leave
    patched.setattr(StandingCluster, "_leave", lambda there, pod: leave(there, pod) if pod.node_name else None)


def pods_in_the_order_of_arrival(patched: pytest.MonkeyPatch) -> None:
    def last(pods: tuple[Pod, ...], wanted: object, **_: object) -> int:
        return next((place for place, pod in enumerate(pods) if pod.key == wanted), len(pods))

    patched.setattr(standing, "bisect_left", last)


def labels_are_kept(patched: pytest.MonkeyPatch) -> None:
    def put_node(there: StandingCluster, node: Node) -> None:
        labels, classes = there._labels.copy(), there._classes.copy()
        original(there, node)
        there._labels, there._classes = labels, classes

    original = StandingCluster.put_node
    patched.setattr(StandingCluster, "put_node", put_node)


def results_are_kept_for(*what: str) -> Patch:
    """Results of dry runs are kept although one of these has changed."""

    def patch(patched: pytest.MonkeyPatch) -> None:
        if "counted" in what:
            patched.setattr(
                standing_run.Kept, "of", lambda kept, cycle: kept._results.setdefault(replace(cycle.pod, name=""), {})
            )
        parts = [each for each in ("info", "empty", "nominated") if each not in what]
        patched.setattr(
            standing_run.Known, "holds",
            lambda known, *now: all(getattr(known, part) is value or getattr(known, part) == value
                                    for part, value in zip(("info", "empty", "nominated"), now, strict=True) if part in parts),
        )  # fmt: skip

    patch.__name__ = f"results are kept for other {' and '.join(what)}"
    return patch


BROKEN: tuple[Patch, ...] = (
    skipping("_add"),
    skipping("_count"),
    skipping("put_node"),
    skipping("put_rest"),
    keeping_what_is_emptied,
    keeping_what_budgets_guard,
    keeping_ports,
    scores_are_not_brought_up_to_date,
    nominations_are_kept,
    pods_in_the_order_of_arrival,
    labels_are_kept,
    results_are_kept_for("info", "empty"),
    results_are_kept_for("nominated"),
    results_are_kept_for("counted"),
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("broken", BROKEN, ids=lambda each: each.__name__)
def test_broken_update_is_detected(broken: Patch, monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch)
    with pytest.raises((AssertionError, KeyError, ValueError)):
        all_walks()
