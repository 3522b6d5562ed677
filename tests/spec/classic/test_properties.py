"""Properties that hold of the classic scheduler on any snapshot, each with a broken definition that must violate it"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from math import floor
from typing import Any

import pytest
from frozendict import frozendict
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from schedcheck.checker.drawing.objects import NAMESPACES, labels, snapshots
from schedcheck.spec.classic import filtering, ranking
from schedcheck.spec.classic.failures import UNRESOLVABLE, insufficient
from schedcheck.spec.classic.policy import DEFAULT, Classic, Weighted
from schedcheck.spec.classic.predicates.max_volume_count import most_volumes
from schedcheck.spec.classic.predicates.no_disk_conflict import conflict
from schedcheck.spec.classic.predicates.no_volume_zone_conflict import ZONE
from schedcheck.spec.classic.priorities.balanced_resource_allocation import balance
from schedcheck.spec.classic.priorities.image_locality import bucket
from schedcheck.spec.classic.priorities.least_requested import unused
from schedcheck.spec.classic.priorities.selector_spread import selector_spread
from schedcheck.spec.objects import Node, Pod, Service, Snapshot, Taint
from schedcheck.spec.storage import RBD, AWSElasticBlockStore, GCEPersistentDisk, Volume
from tests.support.building import HOSTNAME, apart, node, pod, selector, snapshot, term

ALL = Classic(
    priorities=(
        *(Weighted(name, weight) for weight, name in enumerate(sorted(ranking.NAMES), 1)),
        Weighted("Spread", 3, "zone"),
    )
)


@st.composite
def clusters(draw: st.DrawFn) -> Snapshot:
    """A snapshot with services, node conditions and disks."""
    there = draw(snapshots())
    services = st.builds(Service, st.sampled_from("ab"), st.sampled_from(NAMESPACES), labels())
    conditions = st.dictionaries(
        st.sampled_from(("MemoryPressure", "DiskPressure", "PIDPressure", "OutOfDisk")),
        st.sampled_from(("True", "Unknown")),
    )
    mounted = st.lists(st.builds(Volume, st.just("v"), disks()), max_size=2).map(tuple)
    return replace(
        there,
        pods=tuple(replace(each, volumes=draw(mounted)) for each in there.pods),
        nodes=tuple(replace(each, conditions=draw(conditions.map(frozendict))) for each in there.nodes),
        services=tuple(draw(st.lists(services, max_size=2, unique_by=lambda each: (each.namespace, each.name)))),
    )


def disks() -> st.SearchStrategy[Any]:
    names, reading = st.sampled_from("ab"), st.booleans()
    monitors = st.lists(st.sampled_from("mn"), min_size=1, unique=True).map(tuple)
    return (
        st.builds(GCEPersistentDisk, names, reading)
        | st.builds(AWSElasticBlockStore, names, reading)
        | st.builds(RBD, monitors, names, st.just("rbd"), reading)
    )


DISK = (Volume("v", AWSElasticBlockStore("d")),)
WITNESS = snapshot(
    node("full", 1),
    node("mounted", 9),
    node("guarded", 9, labels={HOSTNAME: "guarded"}),
    node("tainted", 9, taints=(Taint("t", "NoSchedule"),)),
    *(node(name, 9) for name in ("free", "idle")),
    *(pod(f"f{number}", cpu, on="full") for number, cpu in enumerate((1, 0, 0))),
    pod("m", on="mounted", volumes=DISK),
    pod("g", on="guarded", affinity=apart(term(HOSTNAME, selector(app="a")))),
    pod("new", 1, volumes=DISK, labels={"app": "a"}),
)
"""A pod for which every node but the last two is infeasible, each for a reason of its own."""


def broken(holds: Callable[[Any], bool], strategy: st.SearchStrategy[Any]) -> bool:
    """Whether some drawn value violates the property."""
    try:
        find(strategy, lambda value: not holds(value), settings=settings(max_examples=2000, phases=[Phase.generate]))
    except NoSuchExample:
        return False
    return True


Rated = Callable[[Pod, tuple[Node, ...], Snapshot], dict[str, dict[str, int]]]


def on_the_scale(rate: Rated) -> Callable[[Snapshot], bool]:
    """Whether every priority gives each node it rates a score from 0 to 10."""

    def holds(there: Snapshot) -> bool:
        scores = [rate(each, there.nodes, there) for each in there.pods]
        names = {each.name for each in there.nodes}
        return all(
            set(found) == names and all(0 <= score <= 10 for score in found.values())
            for each in scores
            for found in each.values()
        )

    return holds


def rated(each: Pod, nodes: tuple[Node, ...], there: Snapshot) -> dict[str, dict[str, int]]:
    return {name: dict(found) for name, found in ranking.by_priority(each, nodes, there, ALL).items()}


@settings(max_examples=60)
@given(clusters())
def test_every_priority_gives_scores_from_0_to_10(there: Snapshot) -> None:
    assert on_the_scale(rated)(there)


def test_a_priority_that_is_not_clamped_leaves_the_range() -> None:
    def counting(each: Pod, nodes: tuple[Node, ...], there: Snapshot) -> dict[str, dict[str, int]]:
        return {"count": {where.name: 10 - 4 * len(there.pods_by_node.get(where.name, ())) for where in nodes}}

    assert not on_the_scale(counting)(WITNESS)


Feasible = Callable[[Pod, Node, Snapshot], bool]


def conjunction(feasible: Feasible) -> Callable[[Snapshot], bool]:
    """Whether a node is feasible exactly if none of the configured predicates fails there."""
    return lambda there: all(
        feasible(each, where, there)
        is not any(filtering.failures_of(name, each, where, there, DEFAULT) for name in DEFAULT.predicates)
        for each in there.pods
        for where in there.nodes
    )


@settings(max_examples=60)
@given(clusters())
def test_a_node_is_feasible_if_every_predicate_passes(there: Snapshot) -> None:
    assert conjunction(lambda each, where, known: filtering.feasibility(each, where, known, DEFAULT))(there)


@pytest.mark.parametrize(
    "left_out", ["GeneralPredicates", "PodToleratesNodeTaints", "NoDiskConflict", "MatchInterPodAffinity"]
)
def test_leaving_out_one_predicate_is_detected(left_out: str) -> None:
    fewer = Classic(predicates=tuple(name for name in DEFAULT.predicates if name != left_out))
    assert not conjunction(lambda each, where, known: filtering.feasibility(each, where, known, fewer))(WITNESS)


def best_of_all(best: Callable[[Pod, Snapshot], tuple[Node, ...]]) -> Callable[[Snapshot], bool]:
    """Whether the best nodes are exactly the feasible nodes of maximal score, and exist if any node is feasible."""

    def holds(there: Snapshot) -> bool:
        for each in there.pods:
            nodes = filtering.feasible(each, there, ALL)
            scores = ranking.totals(each, nodes, there, ALL)
            chosen = best(each, there)
            if bool(chosen) is not bool(nodes) or not {each.name for each in chosen} <= set(scores):
                return False
            if any((scores[where.name] == max(scores.values())) is not (where in chosen) for where in nodes):
                return False
        return True

    return holds


@settings(max_examples=60)
@given(clusters())
def test_all_best_nodes_and_no_others_may_be_chosen(there: Snapshot) -> None:
    assert best_of_all(lambda each, known: ranking.best(each, known, ALL))(there)


def test_choosing_only_the_first_best_node_is_detected() -> None:
    assert not best_of_all(lambda each, known: ranking.best(each, known, ALL)[:1])(WITNESS)


def weighted(total: Callable[[Iterable[int], Iterable[int]], int]) -> Callable[[list[tuple[int, int]]], bool]:
    """Whether raising one score by one raises the sum by its weight."""
    return lambda pairs: all(
        total([score + (place == at) for place, (score, _) in enumerate(pairs)], [weight for _, weight in pairs])
        == total([score for score, _ in pairs], [weight for _, weight in pairs]) + pairs[at][1]
        for at in range(len(pairs))
    )


PAIRS = st.lists(st.tuples(st.integers(0, 10), st.integers(1, 100)), max_size=4)


@given(PAIRS)
def test_the_total_score_is_the_weighted_sum(pairs: list[tuple[int, int]]) -> None:
    assert weighted(ranking.weighted_sum)(pairs)


def test_a_sum_without_weights_is_detected() -> None:
    assert broken(weighted(lambda scores, weights: sum(scores)), PAIRS)


def symmetric(conflicting: Callable[[Any, Any], bool]) -> Callable[[tuple[Any, Any]], bool]:
    """Whether the order of the two pods makes no difference."""
    return lambda pair: conflicting(*pair) is conflicting(*reversed(pair))


VOLUMES = st.tuples(st.builds(Volume, st.just("v"), disks()), st.builds(Volume, st.just("w"), disks()))


@given(VOLUMES)
def test_disk_conflict_is_symmetric(pair: tuple[Volume, Volume]) -> None:
    assert symmetric(conflict)(pair)


def test_a_conflict_that_checks_only_one_side_for_writing_is_detected() -> None:
    assert broken(symmetric(lambda new, there: conflict(new, there) and not there.source.read_only), VOLUMES)


def resolving(unresolvable: frozenset[Any]) -> Callable[[Snapshot], bool]:
    """Whether a node with an unresolvable failure stays infeasible after all its pods are evicted."""
    return lambda there: all(
        not any(failure in unresolvable for failure in filtering.failures(each, where, there, DEFAULT))
        or not filtering.feasibility(each, where, there - frozenset(there.pods_by_node.get(where.name, ())), DEFAULT)
        for each in there.pods
        if not each.node_name and not each.affinity.pod_required
        for where in there.nodes
    )


@settings(max_examples=60)
@given(clusters())
def test_unresolvable_failures_remain_after_evicting_every_pod(there: Snapshot) -> None:
    assert resolving(UNRESOLVABLE)(there)


def test_a_resolvable_failure_classified_as_unresolvable_is_detected() -> None:
    assert not resolving(UNRESOLVABLE | {insufficient("cpu")})(WITNESS)


COUNTS = st.lists(st.tuples(st.sampled_from(("", "1", "2")), st.integers(0, 6)), min_size=1, max_size=5)


def spread_of(cells: list[tuple[str, int]]) -> list[int]:
    nodes = [node(f"n{place}", labels={ZONE: zone} if zone else {}) for place, (zone, _) in enumerate(cells)]
    there = [
        pod(f"p{place}-{i}", on=f"n{place}", labels={"a": "b"}) for place, (_, n) in enumerate(cells) for i in range(n)
    ]
    known = replace(snapshot(*nodes, *there), services=(Service("s", selector=frozendict(a="b")),))
    return list(selector_spread(pod("new", labels={"a": "b"}), nodes, known).values())


def as_fractions(score: Callable[[list[tuple[str, int]]], list[int]], *, of_zone: int = 2) -> Callable[[Any], bool]:
    """Whether the spread equals exact fractions, truncated. Where the exact value is an integer, rounding may give one
    less.
    """

    def holds(cells: list[tuple[str, int]]) -> bool:
        most = max(count for _, count in cells)
        zones = {zone: sum(count for other, count in cells if other == zone) for zone, _ in cells if zone}
        most_in_zone = max(zones.values(), default=0)
        for (zone, count), found in zip(cells, score(cells), strict=True):
            alone = Fraction(10 * (most - count), most) if most else Fraction(10)
            near = Fraction(10 * (most_in_zone - zones[zone]), most_in_zone) if zone and most_in_zone else Fraction(10)
            exact = (alone + of_zone * near) / (1 + of_zone) if zone else alone
            if found != floor(exact) and not (exact == floor(exact) and found == exact - 1):
                return False
        return True

    return holds


@given(COUNTS)
def test_the_spread_score_equals_exact_fractions(cells: list[tuple[str, int]]) -> None:
    assert as_fractions(spread_of)(cells)


def test_another_zone_weight_is_detected() -> None:
    assert broken(as_fractions(spread_of, of_zone=1), COUNTS)


@given(st.integers(0, 10**13), st.integers(0, 10**13))
def test_the_least_requested_score_is_the_free_tenths_truncated(requested: int, capacity: int) -> None:
    left = Fraction(10 * (capacity - requested), capacity) if capacity else Fraction(0)
    assert unused(requested, capacity) == max(0, floor(left))


@given(st.integers(0, 10**4), st.integers(0, 10**4), st.integers(1, 10**4))
def test_the_balance_score_is_within_one_of_exact_fractions(cpu: int, memory: int, capacity: int) -> None:
    exact = 10 - abs(Fraction(10 * cpu, capacity) - Fraction(10 * memory, capacity))
    found = balance(cpu / capacity, memory / capacity)
    if cpu >= capacity or memory >= capacity:
        assert found == 0
    else:
        assert found == floor(exact) or (exact == floor(exact) and found == exact - 1)


@given(st.integers(0, 2**33), st.integers(0, 2**33))
def test_a_larger_image_never_scores_lower(size: int, more: int) -> None:
    assert 0 <= bucket(size) <= bucket(size + more) <= 10


@given(
    st.text(max_size=4) | st.integers(-(2**70), 2**70).map(str),
    st.sampled_from(("MaxEBSVolumeCount", "MaxGCEPDVolumeCount")),
)
def test_the_volume_limit_is_always_positive(text: str, predicate: str) -> None:
    assert most_volumes(predicate, text) > 0
