"""Preemption in Kubernetes 1.17, one test for each sentence of its description (source 002) and of its code"""

from dataclasses import replace
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from schedcheck.checker.drawing.objects import snapshots
from schedcheck.spec.classic.decision import decision, message
from schedcheck.spec.classic.filtering import feasible
from schedcheck.spec.classic.policy import DEFAULT, Classic
from schedcheck.spec.classic.preemption import (
    Candidate,
    candidates,
    damage,
    passes,
    permitted,
    potential_nodes,
    violates,
)
from schedcheck.spec.decisions import Bind, Nominate, Wait
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.importance import jeopardy
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot, Taint
from schedcheck.spec.storage import ClaimSource, PersistentVolumeClaim, Volume
from tests.support.building import apart, near, node, pod, selector, snapshot, term

GUARDED = {"app": "a"}


def on(name: str, where: str, priority: int = 0, cpu: float = 1, **fields: object) -> Pod:
    return pod(name, cpu, on=where, priority=priority, **fields)


def new(cpu: float = 1, priority: int = 10, **fields: object) -> Pod:
    return pod("new", cpu, priority=priority, **fields)


def budget(allowed: int = 0, **fields: object) -> PodDisruptionBudget:
    return PodDisruptionBudget("b", **{"selector": selector(app="a"), "disruptions_allowed": allowed, **fields})  # type: ignore[arg-type]


def with_budgets(there: Snapshot, *budgets: PodDisruptionBudget) -> Snapshot:
    return replace(there, budgets=budgets)


def chosen(wanted: Pod, there: Snapshot, classic: Classic = DEFAULT) -> set[tuple[str, ...]]:
    """Each node that may be chosen, with its victims in order."""
    return {(each.node.name, *(victim.name for victim in each.victims)) for each in permitted(wanted, there, classic)}


def test_a_pod_that_fits_nowhere_is_nominated_to_the_node_of_its_victims() -> None:
    there = snapshot(node("n", 1), on("a", "n"))
    wanted = new()
    known = replace(there, pods=(*there.pods, wanted))
    assert decision(wanted, known, DEFAULT) == {
        Nominate(wanted, there.nodes[0], frozenset(there.pods), clears_always=True)
    }


def test_no_pod_is_evicted_while_some_node_is_feasible() -> None:
    there = snapshot(node("m", 1), node("n", 1), on("a", "n"))
    assert decision(new(), there, DEFAULT) == {Bind(new(), there.nodes[0])}


def test_only_pods_of_lower_priority_are_evicted() -> None:
    for priority, expected in ((9, {("n", "a")}), (10, set()), (11, set())):
        assert chosen(new(), snapshot(node("n", 1), on("a", "n", priority))) == expected


def test_a_pod_waits_with_a_message_when_no_victims_help() -> None:
    there = snapshot(node("m", 1), node("n", 1), node("t", 1, taints=(Taint("t", "NoSchedule"),)))
    assert decision(new(2), there, DEFAULT) == {Wait(new(2))}
    assert message(new(2), there, DEFAULT) == (
        "0/3 nodes are available: 1 node(s) had taints that the pod didn't tolerate, 3 Insufficient cpu."
    )
    assert message(new(), snapshot(), DEFAULT) == "no nodes available to schedule pods"


def test_preemption_skips_nodes_with_an_unresolvable_failure() -> None:
    full = [on(f"p{name}", name) for name in ("a", "b", "c", "d")]
    nodes = (
        node("a", 1),
        node("b", 1, taints=(Taint("t", "NoSchedule"),)),
        node("c", 1, ready="False"),
        node("d", 2),
    )
    there = snapshot(*nodes, *full)
    assert [each.name for each in potential_nodes(new(), there, DEFAULT)] == ["a"]
    assert [each.name for each in potential_nodes(new(2), there, DEFAULT)] == ["a", "d"]


def test_preemption_resolves_anti_affinity_but_not_affinity() -> None:
    zoned = node("n", 4, labels={"zone": "a"})
    friend = on("friend", "n", labels={"app": "web"})
    lonely = new(affinity=near(term("zone", selector(app="db"))))
    shy = new(affinity=apart(term("zone", selector(app="web"))))
    assert potential_nodes(lonely, snapshot(zoned, friend), DEFAULT) == ()
    assert chosen(shy, snapshot(zoned, friend)) == {("n", "friend")}


def test_potential_victims_are_reprieved_most_important_first() -> None:
    there = snapshot(node("n", 4), *(on(f"p{priority}", "n", priority) for priority in range(4)))
    assert chosen(new(1), there) == {("n", "p0")}
    assert chosen(new(2), there) == {("n", "p1", "p0")}


def test_reprieving_victims_does_not_always_give_the_smallest_set() -> None:
    """The pod of priority 2 is reprieved first, so that two others are evicted where one would have been enough."""
    there = snapshot(node("n", 4), on("p2", "n", 2, 2), on("p1", "n", 1), on("p0", "n", 0))
    assert chosen(new(2), there) == {("n", "p1", "p0")}


def test_of_equal_priorities_the_earlier_start_is_more_important_and_no_start_the_least() -> None:
    starts = {"early": 1, "late": 2, "never": None}
    there = snapshot(node("n", 3), *(on(name, "n", start_time=start) for name, start in starts.items()))
    assert chosen(new(1), there) == {("n", "never")}
    assert chosen(new(2), there) == {("n", "late", "never")}


def test_any_of_several_equally_important_pods_may_be_the_victim() -> None:
    there = snapshot(node("n", 2), on("a", "n"), on("b", "n"))
    assert chosen(new(1), there) == {("n", "a"), ("n", "b")}
    unlike = snapshot(node("n", 3), on("a", "n", cpu=1), on("b", "n", cpu=2))
    assert chosen(new(1), unlike) == {("n", "a"), ("n", "b")}


def test_pods_whose_eviction_violates_a_budget_are_reprieved_first() -> None:
    there = snapshot(node("n", 2), on("guarded", "n", 0, labels=GUARDED), on("other", "n", 5))
    assert chosen(new(1), with_budgets(there, budget(0))) == {("n", "other")}
    assert chosen(new(1), with_budgets(there, budget(1))) == {("n", "guarded")}


def test_evictions_allowed_by_a_budget_are_not_counted_down() -> None:
    """Two pods are evicted though the budget allows one: 1.17 asks only whether the budget allows any."""
    there = snapshot(node("n", 2), *(on(name, "n", labels=GUARDED) for name in "ab"))
    (only,) = permitted(new(2), with_budgets(there, budget(1)), DEFAULT)
    assert (len(only.victims), only.violations) == (2, 0)


def test_a_budget_protects_the_pods_it_selects_in_its_namespace() -> None:
    labelled, bare = on("a", "n", labels=GUARDED), on("b", "n")
    assert violates(labelled, [budget(0)])
    assert violates(labelled, [budget(-1)])
    assert not violates(labelled, [budget(1)])
    assert violates(labelled, [budget(1), budget(0)])
    assert not violates(labelled, [budget(0, namespace="other")])
    assert not violates(labelled, [budget(0, selector=selector())])
    assert not violates(labelled, [budget(0, selector=None)])
    assert not violates(bare, [budget(0, selector=selector(*selector().match_expressions, app="a"))])


def test_candidates_with_the_fewest_budget_violations_come_first() -> None:
    there = snapshot(node("m", 1), on("a", "m", 9), node("n", 1), on("b", "n", 0, labels=GUARDED))
    assert chosen(new(), with_budgets(there, budget(0))) == {("m", "a")}
    assert chosen(new(), with_budgets(there, budget(1))) == {("n", "b")}


def test_with_equal_violations_the_lowest_priority_of_the_first_victim_decides() -> None:
    there = snapshot(node("m", 1), on("a", "m", 5), node("n", 1), on("b", "n", 4), on("c", "n", 4))
    assert chosen(new(), there) == {("n", "b", "c")}


def test_with_equal_first_victims_the_lowest_sum_of_priorities_plus_2_to_the_31_decides() -> None:
    nodes = node("m", 1), node("n", 1)
    lower = snapshot(*nodes, on("a", "m", 5), on("b", "m", 1), on("c", "n", 5), on("d", "n", 2))
    assert {each[0] for each in chosen(new(), lower)} == {"m"}
    fewer = snapshot(*nodes, on("a", "m", -5), on("b", "m", -5), on("c", "n", -5))
    assert {each[0] for each in chosen(new(), fewer)} == {"n"}


def test_then_the_latest_of_the_earliest_starts_at_the_highest_priority_decides() -> None:
    nodes = node("m", 1), node("n", 1)
    there = snapshot(*nodes, on("a", "m", start_time=1), on("b", "n", start_time=2))
    assert chosen(new(), there) == {("n", "b")}
    both = snapshot(
        *nodes,
        *(on(f"m{start}", "m", start_time=start) for start in (1, 9)),
        *(on(f"n{start}", "n", start_time=start) for start in (2, 3)),
    )
    assert {each[0] for each in chosen(new(), both)} == {"n"}
    never = snapshot(*nodes, on("a", "m"), on("b", "n", start_time=2))
    assert chosen(new(), never) == {("m", "a")}


def test_then_any_remaining_candidate_may_be_chosen() -> None:
    there = snapshot(node("m", 1), node("n", 1), on("a", "m"), on("b", "n"))
    assert chosen(new(), there) == {("m", "a"), ("n", "b")}


def test_the_first_victim_is_a_budget_violating_one_even_if_another_is_more_important() -> None:
    """As in the code: with equally many violations, the first of the violating victims is compared, not the most
    important of all.
    """
    guarded, other = on("a", "n", 1, labels=GUARDED), on("b", "n", 7)
    both = Candidate(node("n"), (guarded, other), 1)
    alone = Candidate(node("n"), (on("c", "n", 2, labels=GUARDED),), 1)
    assert damage(both) < damage(alone)


def test_a_pod_with_preemption_policy_never_evicts_no_pod() -> None:
    there = snapshot(node("n", 1), on("a", "n"))
    assert chosen(new(preemption_policy="Never"), there) == set()


def test_no_pod_is_evicted_for_a_pod_whose_predicate_returns_an_error() -> None:
    there = snapshot(node("n", 1), on("a", "n"))
    there = replace(there, storage=replace(there.storage, claims=(PersistentVolumeClaim("unbound"),)))
    wanted = new(volumes=(Volume("v", ClaimSource("unbound")),))
    assert chosen(wanted, there) == set()
    assert decision(wanted, there, DEFAULT) == {Wait(wanted)}
    assert message(wanted, there, DEFAULT) == 'PersistentVolumeClaim is not bound: "unbound"'


def small_clusters() -> st.SearchStrategy[Snapshot]:
    return snapshots(most_pods=5)


def sound(wanted: Pod, there: Snapshot, found: frozenset[Candidate]) -> bool:
    """Whether each candidate has victims of lower priority, the pod fits without them, and no victim could stay."""
    return all(
        each.victims
        and all(victim.priority < wanted.priority for victim in each.victims)
        and passes(wanted, each.node, there, frozenset(each.victims), DEFAULT)
        and not any(
            passes(wanted, each.node, there, frozenset(fewer), DEFAULT)
            for fewer in combinations(each.victims, len(each.victims) - 1)
        )
        for each in found
    )


def without_affinity(there: Snapshot) -> Snapshot:
    """Remove the affinity of all pods, so that more room is never worse."""
    from schedcheck.spec.terms import NO_AFFINITY

    return replace(there, pods=tuple(replace(each, affinity=NO_AFFINITY) for each in there.pods))


@settings(max_examples=60)
@given(small_clusters())
def test_victims_make_room_and_each_of_them_is_needed(made: Snapshot) -> None:
    there = without_affinity(made)
    for wanted in there.pods:
        if not wanted.node_name and not feasible(wanted, there, DEFAULT):
            assert sound(wanted, there, permitted(wanted, there, DEFAULT))


CROWDED = snapshot(node("n", 3), on("a", "n", 0, 1), on("b", "n", 1, 2))


def test_evicting_every_lower_priority_pod_is_detected_as_unsound() -> None:
    wanted = new(1)
    everybody = Candidate(CROWDED.nodes[0], tuple(jeopardy(wanted, CROWDED.nodes[0], CROWDED, NO_FAULTS)), 0)
    assert not sound(wanted, CROWDED, frozenset({everybody}))
    assert sound(wanted, CROWDED, candidates(wanted, CROWDED.nodes[0], CROWDED, DEFAULT))


def test_evicting_no_pod_is_detected_as_unsound() -> None:
    assert not sound(new(1), CROWDED, frozenset({Candidate(CROWDED.nodes[0], (), 0)}))


def same_as_the_survivors(wanted: Pod, where: Node, there: Snapshot, found: frozenset[Candidate]) -> bool:
    """Whether each potential victim is spared exactly if the pod fits beside it and those spared before it. All
    priorities are distinct and there are no budgets.
    """
    endangered = sorted(jeopardy(wanted, where, there, NO_FAULTS), key=lambda each: -each.priority)
    spared: list[Pod] = []
    if not passes(wanted, where, there, frozenset(endangered), DEFAULT):
        return found == frozenset()
    for each in endangered:
        if passes(wanted, where, there, frozenset(endangered) - {*spared, each}, DEFAULT):
            spared.append(each)
    return {frozenset(each.victims) for each in found} == {frozenset(endangered) - {*spared}}


@settings(max_examples=60)
@given(small_clusters())
def test_victims_are_the_pods_left_after_reprieving_all_that_can_stay(made: Snapshot) -> None:
    there = replace(made, pods=tuple(replace(each, priority=place) for place, each in enumerate(made.pods)))
    wanted = pod("zz", 1, priority=99)
    for where in there.nodes:
        if not passes(wanted, where, there, frozenset(), DEFAULT):
            assert same_as_the_survivors(wanted, where, there, candidates(wanted, where, there, DEFAULT))


def test_reprieving_the_least_important_first_is_detected() -> None:
    there = snapshot(node("n", 2), on("a", "n", 0), on("b", "n", 1))
    (where,) = there.nodes
    assert same_as_the_survivors(new(1), where, there, candidates(new(1), where, there, DEFAULT))
    wrong = frozenset({Candidate(where, (there.pods[1],), 0)})
    assert not same_as_the_survivors(new(1), where, there, wrong)


def test_the_earliest_start_is_taken_over_all_victims_of_the_highest_priority() -> None:
    first, second, less = (
        on(name, "n", priority=int(priority), start_time=start)
        for name, priority, start in (("a", "1000", 5), ("b", "1000", 3), ("c", "999", 1))
    )
    assert damage(Candidate(node("n"), (first, second, less), 0))[-1] == (True, -3)
    assert damage(Candidate(node("n"), (second, first), 0)) == damage(Candidate(node("n"), (first, second), 0))
