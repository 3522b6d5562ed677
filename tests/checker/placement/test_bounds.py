"""The bounds of the best placement under kube-scheduler, against every feasible placement of small clusters"""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from schedcheck.checker.incremental.trials import occupied_by
from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.checker.placement import linear, losses, optimum, prospects, relaxation, score_bounds, spreads
from schedcheck.checker.placement.bounding import Bounding
from schedcheck.checker.placement.learned import for_good
from schedcheck.checker.placement.linear import Program, Row, ceiling
from schedcheck.checker.placement.losses import PARTS
from schedcheck.checker.placement.relaxation import Relaxation
from schedcheck.checker.placement.worth import most_of, worth
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Controller, Node, Pod, Snapshot
from schedcheck.spec.placement import Placement, around
from schedcheck.spec.profiles import kubernetes
from tests.checker.placement.enumerated import KUBERNETES, OWNER, Known, known, known_of, sevenths
from tests.support.building import HOSTNAME, node, pod, selector, snapshot


def wrong(given: Known) -> set[str]:
    """The claims about a cluster that one of its feasible placements refutes."""
    made = Relaxation(given.pods, given.there, KUBERNETES)
    rows = made.program.rows
    found = set()
    for placement, rated, _ in given.feasible:
        if any(pair not in made.places for pair in placement.items()):
            found.add("impossible")
            continue
        if any(rated[pod] > made.limits[pod, where] for pod, where in placement.items()):
            found.add("limits")
        values = [0] * len(made.program.upper)
        for pair in placement.items():
            values[made.places[pair]] = 1
        if not all(met(row, values) for row in made.conditions()):
            found.add("conditions")
        for row in rows:
            place = next(
                (each for each, weight in row.weights.items() if each >= len(made.pairs) and weight == -1), None
            )
            if place is not None:
                values[place] = max(values[place], total(row, values) + values[place] - row.most)
        if any(value > most for value, most in zip(values, made.program.upper, strict=True)):
            found.add("upper")
        if PARTS * sum(rated.values()) > total(Row(made.score(), 0), values):
            found.add("losses")
        for each in made.prospects:
            names = {
                where.name for where in given.there.nodes if feasible_there(each.pod, where, placement, given.there)
            }
            if not each.certain <= names <= each.possible:
                found.add("certain")
    return found


def feasible_there(pod: Pod, where: Node, placement: Placement, there: Snapshot) -> bool:
    return KUBERNETES.feasibility(pod, where, around(pod, placement.set(pod, where), there))


def total(row: Row, values: list[int]) -> int:
    return sum(weight * values[place] for place, weight in row.weights.items())


def met(row: Row, values: list[int]) -> bool:
    return total(row, values) <= row.most


def bounded(given: Known) -> Bounding:
    return Bounding(Relaxation(given.pods, given.there, KUBERNETES), Spent(Effort(seconds=60)))


def test_no_feasible_placement_of_a_small_cluster_refutes_a_bound() -> None:
    assert [place for place, each in enumerate(known()) if wrong(each)] == []


def test_the_clusters_have_what_the_bounds_are_about() -> None:
    seen: Counter[str] = Counter()
    for each in known():
        made = Relaxation(each.pods, each.there, KUBERNETES)
        pairs = len(each.pods) * len(each.there.nodes)
        seen["impossible"] += 0 < len(made.pairs) < pairs
        seen["certain"] += any(one.certain for one in made.prospects)
        seen["uncertain"] += any(one.possible - one.certain for one in made.prospects)
        seen["spread"] += any(True for one in made.prospects for _ in spreads.spreads(one, made.places))
        seen["losses"] += len(made.program.rows) > len(list(made.conditions()))
        seen["tight"] += most_of(each.pods, made.limits) == each.best
    assert min(seen.values()) >= 5, seen
    assert len(seen) == 6


def test_the_bound_contains_the_enumerated_optimum_and_the_search_finds_no_more() -> None:
    reached = met_ = 0
    for each in known()[:20]:
        bounding = bounded(each)
        bounding.run()
        assert bounding.worth.rank <= each.best.rank <= bounding.most.rank
        assert bounding.confirmed()
        assert (bounding.best, bounding.worth) in [(placement, worth) for placement, _, worth in each.feasible]
        reached += bounding.worth == each.best
        met_ += bounding.met
    assert reached >= 18
    assert met_ >= 8


def test_scores_by_sums_are_those_of_the_definitions_in_every_found_placement() -> None:
    for each in known()[20:]:
        bounding = bounded(each)
        bounding.proposing.follow()
        assert bounding.confirmed()


# Broken twins: each must be refuted by an enumerated placement.

Patch = pytest.MonkeyPatch


def nothing_is_lifted(patch: Patch) -> None:
    patch.setattr(prospects, "for_good", lambda made, refusal, others: True)


def everything_has_room(patch: Patch) -> None:
    patch.setattr(prospects, "_room_for", lambda made, info, others: True)


def company_changes_nothing(patch: Patch) -> None:
    patch.setattr(prospects, "company", lambda made, other: False)


def spread_counts_nobody(patch: Patch) -> None:
    patch.setattr(prospects, "counted", lambda made, other: False)


def ports_never_clash(patch: Patch) -> None:
    patch.setattr(prospects, "_ports_clash", lambda pod, others: False)


def others_have_no_votes(patch: Patch) -> None:
    patch.setattr(score_bounds, "heard", lambda pod, other, snapshot, plugins: ())


def others_do_not_spread(patch: Patch) -> None:
    patch.setattr(score_bounds, "there", lambda constraint, pod, other: False)


def all_possible_nodes_are_certain(patch: Patch) -> None:
    patch.setattr(score_bounds.Rated, "certain", property(lambda self: tuple(node.name for node in self.nodes)))


def balance_never_rises(patch: Patch) -> None:
    patch.setattr(score_bounds, "_balance", lambda rated, node: 74)


def shares_are_doubled(patch: Patch) -> None:
    exact = losses._part
    patch.setattr(losses, "_part", lambda amounts, node, resources: 2 * exact(amounts, node, resources))


def truncation_hides_nothing(patch: Patch) -> None:
    patch.setattr(losses, "_truncated", lambda info, pod, resources, plugins: 0)


def skew_counts_the_pod_twice(patch: Patch) -> None:
    patch.setattr(spreads, "spread_with", lambda constraint, pod, other: 2)


def bound_pods_use_twice(patch: Patch) -> None:
    exact = occupied_by
    patch.setattr(
        relaxation,
        "looked_for",
        lambda pod, arguments: {name: 3 * size for name, size in exact(pod, DEFAULT_PLUGINS.departures).items()},
    )
    patch.setattr(
        relaxation,
        "occupied_by",
        lambda pod, departures: {name: 3 * size for name, size in exact(pod, departures).items()},
    )


TWINS: tuple[Callable[[Patch], None], ...] = (
    nothing_is_lifted, everything_has_room, company_changes_nothing, spread_counts_nobody, ports_never_clash,
    others_have_no_votes, others_do_not_spread, all_possible_nodes_are_certain, balance_never_rises,
    shares_are_doubled, truncation_hides_nothing, skew_counts_the_pod_twice, bound_pods_use_twice,
)  # fmt: skip


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.__name__)
def test_a_broken_bound_is_refuted_by_a_placement(twin: Callable[[Patch], None], monkeypatch: Patch) -> None:
    assert known()
    twin(monkeypatch)
    assert any(wrong(each) for each in known())


# The proof in integers.


def test_a_ceiling_holds_whatever_the_multipliers_are() -> None:
    chance = random.Random(1)
    for _ in range(200):
        upper = tuple(chance.randint(0, 2) for _ in range(3))
        rows = [Row({place: chance.randint(-3, 3) for place in range(3)}, chance.randint(-2, 4)) for _ in range(3)]
        objective = {place: chance.randint(-3, 3) for place in range(3)}
        values = [[a, b, c] for a in range(upper[0] + 1) for b in range(upper[1] + 1) for c in range(upper[2] + 1)]
        solutions = [each for each in values if all(met(row, each) for row in rows)]
        greatest = max((total(Row(objective, 0), each) for each in solutions), default=-100)
        multipliers = [chance.choice((-1, 0, 1, 2)) * linear.SCALE for _ in rows]
        assert greatest <= ceiling(objective, rows, upper, multipliers)


def test_the_bound_of_a_program_is_that_of_its_relaxation() -> None:
    rows = [Row({0: 2, 1: 3}, 5), Row({1: 2, 2: 2}, 3)]
    assert Program((1, 1, 1), rows, 3).bound({0: 1, 1: 1, 2: 1}, 10) == 2
    assert Program((1, 1, 1), rows, 3).solution({0: 1, 1: 1, 2: 1}, 10) in {(1, 0, 1), (1, 1, 0)}


def test_without_the_sign_of_multipliers_a_ceiling_is_wrong(monkeypatch: Patch) -> None:
    monkeypatch.setattr(linear, "max", lambda low, number: number, raising=False)
    assert ceiling({0: 1}, [Row({0: 1}, 5)], (1,), [-linear.SCALE]) < 1


# Nominated pods, and what is beside pods in a cluster.


def nominated() -> Snapshot:
    """Two pods that fit on n1 alone; the one that may go elsewhere is nominated there."""
    where = [node("n1", 3, labels={HOSTNAME: "n1"}), node("n2", 2, labels={HOSTNAME: "n2"})]
    return snapshot(
        pod("p", 2, node_selector={HOSTNAME: "n1"}), pod("q", 2, priority=10, nominated_node_name="n1"), *where
    )


def test_a_refusal_for_a_nominated_pod_is_not_for_good() -> None:
    there = nominated()
    p, n1 = there.pods[0], there.nodes[0]
    alone = Placement({p: n1})
    assert not KUBERNETES.feasibility(p, n1, around(p, alone, there))
    assert not for_good(p, n1, around(p, alone, there), KUBERNETES)
    assert wrong(known_of(there)) == set()
    assert len(optimum.optimum(there, KUBERNETES).placement) == 2


def test_the_controllers_of_a_cluster_count_when_pods_are_placed() -> None:
    """Without constraints of its own a pod is spread by the selector of its ReplicaSet."""
    owned: dict[str, Any] = {"labels": {"app": "a"}, "owner": OWNER}
    where = [node(name, 4, labels={HOSTNAME: name}) for name in ("n1", "n2")]
    plain = snapshot(pod("old", 0, "n1", **owned), pod("new", 0, **owned), *where)
    there = replace(plain, controllers=(Controller(*OWNER, selector=selector(app="a")),))
    found = optimum.optimum(there, KUBERNETES)
    assert [each.name for each in found.placement.values()] == ["n2"]
    assert found.score > optimum.optimum(plain, KUBERNETES).score


# Beyond what z3 is asked.


def test_many_pods_are_placed_with_a_proved_bound_and_without_z3(monkeypatch: Patch) -> None:
    monkeypatch.setattr(optimum, "FEW", 1)
    monkeypatch.setattr(optimum, "MANY", 1)
    proved = 0
    for each in known()[:12]:
        found = optimum.optimum(each.there, KUBERNETES)
        assert found.most is not None
        assert worth(found.placement, each.pods, each.there, KUBERNETES).rank <= each.best.rank <= found.most.rank
        assert found.proved == (found.most == each.best and found.score == each.best.score)
        assert found.proved or found.stopped == "the bounds do not meet"
        proved += found.proved
    assert 0 < proved < 12


def test_losses_under_a_great_weight_exclude_no_placement(monkeypatch: Patch) -> None:
    monkeypatch.setattr(optimum, "FEW", 1)
    monkeypatch.setattr(optimum, "MANY", 1)
    heavy = replace(DEFAULT_PLUGINS, weights=DEFAULT_PLUGINS.weights | {"NodeResourcesFit": 100_000})
    found = optimum.optimum(sevenths(), kubernetes("kubernetes", (heavy,)))
    assert found.most is not None
    assert found.most.placed == ((0, 2),)


def test_a_score_above_its_bound_is_not_confirmed(monkeypatch: Patch) -> None:
    monkeypatch.setattr(score_bounds, "_bound", lambda name, rated, others: {each.name: 0 for each in rated.nodes})
    monkeypatch.setattr(optimum, "FEW", 1)
    monkeypatch.setattr(optimum, "MANY", 1)
    found = optimum.optimum(snapshot(pod("p", 1), node("n1", 2), node("n2", 2)), KUBERNETES)
    assert not found.proved
    assert found.most is None
    assert found.stopped == "a placement refutes the bound"


@pytest.mark.parametrize("effort", [Effort(rounds=0), Effort(seconds=0), Effort(memory=0)])
def test_beyond_a_limit_the_bound_so_far_is_given(effort: Effort) -> None:
    where = [node(f"n{number}", 2) for number in range(8)]
    there = snapshot(*(pod(f"p{number}", 1) for number in range(8)), *where)
    found = optimum.optimum(there, KUBERNETES, Spent(effort))
    assert not found.proved
    assert found.stopped.split()[0] in {"limits.rounds", "limits.seconds", "limits.memory"}
    assert found.most is not None
    assert found.most.placed == ((0, 8),)
    assert found.score <= found.most.score
