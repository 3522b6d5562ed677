"""The dry run of preemption on a node: the survivors by definition, and every answer that is uniquely determined"""

from dataclasses import replace
from itertools import chain, combinations
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, find, given, settings
from hypothesis.errors import NoSuchExample

from schedcheck.checker.drawing.contests import contests
from schedcheck.spec.importance import by_importance
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES
from schedcheck.spec.kubernetes.filter import verdicts
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.preemption import dry_run as dry_runs
from schedcheck.spec.kubernetes.preemption import reprieve
from schedcheck.spec.kubernetes.preemption.dry_run import NO_VICTIMS, Candidate
from schedcheck.spec.kubernetes.preemption.potential_victims import potential_victims
from schedcheck.spec.kubernetes.preemption.reprieve import reprieve_order, survivors
from schedcheck.spec.objects import Container, HostPort, Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.refusal import unschedulable
from tests.support.building import HOSTNAME, apart, near, node, pod, selector, snapshot, term
from tests.support.preempting import dry_run, refused

DOCUMENTED = DEFAULT_PLUGINS.departing(NO_DEPARTURES)
SLOW = [HealthCheck.too_slow, HealthCheck.filter_too_much]
TOP = pod("top", 2, priority=5)
FULL = node("n", 2)


def victims(one: Pod, *things: Pod | Node, budgets: tuple[PodDisruptionBudget, ...] = (), on: str = "n") -> str:
    """The victims on a node, with the number of budget violations after a slash."""
    found = dry_run(one, replace(snapshot(*things), budgets=budgets)).outcomes[on]
    assert isinstance(found, Candidate)
    return f"{' '.join(map(str, found.victims))}{f'/{found.violations}' if found.violations else ''}"


# Single rules.


def test_only_nodes_with_a_resolvable_rejection_are_tried() -> None:
    low = pod("low", 1, on="n")
    run = dry_run(TOP, snapshot(low, FULL, node("small", 1), node("cordoned", 2, unschedulable=True)))
    assert [info.node.name for info in run.potential_nodes] == ["n"]


def test_a_node_without_lower_priority_pods_has_no_victims() -> None:
    run = dry_run(TOP, snapshot(pod("same", 1, on="n", priority=5), FULL))
    assert run.outcomes == run.statuses == {"n": NO_VICTIMS}
    assert run.candidates == ()


def test_a_pod_that_does_not_fit_even_without_potential_victims_has_the_status_of_that_trial() -> None:
    run = dry_run(TOP, snapshot(pod("low", 1, on="n"), pod("same", 1, on="n", priority=5), FULL))
    assert run.statuses == {"n": unschedulable("NodeResourcesFit", "Insufficient cpu")}


def test_required_affinity_to_a_victim_cannot_be_satisfied() -> None:
    one = pod("one", 1, priority=5, affinity=near(term(HOSTNAME, selector(app="a"))))
    low = pod("low", 1, on="n", labels={"app": "a"})
    assert "n" in dry_run(one, snapshot(low, node("n", 1, labels={HOSTNAME: "n"}))).statuses


def test_the_most_important_pods_are_reprieved_first() -> None:
    one = pod("one", 1, priority=5)
    assert victims(one, pod("a", 1, on="n"), pod("b", 1, on="n", priority=1), FULL) == "a"
    assert victims(one, pod("a", 1, on="n", start_time=1), pod("b", 1, on="n", start_time=2), FULL) == "b"
    assert victims(TOP, pod("a", 1, on="n"), pod("b", 1, on="n", priority=1), FULL) == "b a"


def test_a_smaller_pod_may_be_reprieved_after_a_larger_one_was_not() -> None:
    one = pod("one", 3, priority=5)
    assert victims(one, pod("a", 2, on="n", priority=2), pod("b", 1, on="n", priority=1), node("n", 4)) == "a"


BUDGET = PodDisruptionBudget("web", selector=selector(app="web"), disruptions_allowed=0)


def test_budget_violating_pods_are_reprieved_before_more_important_ones() -> None:
    one, web = pod("one", 1, priority=5), pod("web", 1, on="n", labels={"app": "web"})
    assert victims(one, web, pod("b", 1, on="n", priority=1), FULL, budgets=(BUDGET,)) == "b"
    assert victims(TOP, web, pod("b", 1, on="n", priority=1), FULL, budgets=(BUDGET,)) == "b web/1"


def test_victims_are_ordered_by_importance_and_budget_violators_first_among_equals() -> None:
    web, other = pod("web", 1, on="n", labels={"app": "web"}), pod("b", 1, on="n")
    assert victims(TOP, web, other, FULL, budgets=(BUDGET,)) == "web b/1"
    assert victims(TOP, web, other, FULL) == "b web"


def test_nominated_pods_of_equal_or_higher_priority_keep_their_room() -> None:
    one, low = pod("one", 1, priority=5), (pod("a", 1, on="n"), pod("b", 1, on="n", priority=1))
    waiting = pod("waiting", 1, priority=5, nominated_node_name="n")
    assert victims(one, *low, FULL) == "a"
    assert victims(one, *low, waiting, FULL) == "b a"
    assert victims(one, *low, replace(waiting, priority=4), FULL) == "a"


def test_a_pod_with_conflicting_anti_affinity_becomes_a_victim() -> None:
    shy = apart(term(HOSTNAME, selector(app="top")))
    one = pod("one", 1, priority=5, labels={"app": "top"})
    at = node("n", 9, labels={HOSTNAME: "n"})
    assert victims(one, pod("a", 1, on="n", affinity=shy), pod("b", 1, on="n"), at) == "a"


def test_a_port_held_twice_counts_as_free_after_removing_one_holder() -> None:
    """The second holder becomes a victim; when it is removed again, the port counts as free though the first still
    holds it.
    """
    holding = (Container(ports=(HostPort(80),)),)
    one = pod("one", priority=5, containers=holding)
    low = [pod(name, on="n", containers=holding) for name in "ab"]
    assert victims(one, *low, FULL) == "a b"
    high = pod("high", on="n", priority=9, containers=holding)
    assert victims(one, low[0], high, FULL) == "a"
    assert "n" in dry_run(one, snapshot(low[0], high, FULL), DOCUMENTED).statuses


# The definition against a restatement that tries every set.


def fits(one: Pod, seen: Snapshot, at: str, without: frozenset[Pod], plugins: Plugins) -> bool:
    """Whether the node is feasible for the pod without these objects, in a new cycle where nothing was removed
    incrementally.
    """
    return verdicts(cycle(one, seen - without, plugins))[at].refusal is None


def subsets(pods: tuple[Pod, ...]) -> list[frozenset[Pod]]:
    sizes = range(len(pods) + 1)
    return [frozenset(each) for each in chain.from_iterable(combinations(pods, size) for size in sizes)]


def is_the_one(one: Pod, seen: Snapshot, at: str, order: tuple[Pod, ...], spared: frozenset[Pod]) -> bool:
    """Whether each pod is spared exactly if the preemptor fits beside it and those spared before it."""
    return all(
        (each in spared)
        == fits(one, seen, at, frozenset(order) - (spared & frozenset(order[:place])) - {each}, DOCUMENTED)
        for place, each in enumerate(order)
    )


def agrees(contest: tuple[Pod, Snapshot], plugins: Plugins = DOCUMENTED) -> bool:
    """Whether on every potential node the survivors are the unique set that the definition describes."""
    one, seen = contest
    if not refused(one, seen, plugins):
        return True
    run = dry_run(one, seen, plugins)
    for info in run.potential_nodes:
        pods = by_importance(potential_victims(one, info))
        if pods and (info.node.name in run.statuses) == fits(one, seen, info.node.name, frozenset(pods), DOCUMENTED):
            return False
        if info.node.name not in run.statuses:
            order = reprieve_order(run.cycle, pods)
            right = [each for each in subsets(pods) if is_the_one(one, seen, info.node.name, order, each)]
            if right != [survivors(run.cycle, info, order)]:
                return False
    return True


@settings(max_examples=300, suppress_health_check=SLOW)
@given(contests(4))
def test_the_survivors_are_the_unique_set_of_the_definition(contest: tuple[Pod, Snapshot]) -> None:
    assert agrees(contest)


def refuted(claim: Any, most: int = 3000) -> bool:
    """Whether some contest refutes a claim."""
    limits = settings(max_examples=most, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
    try:
        find(contests(4), lambda contest: not claim(contest), settings=limits)
    except NoSuchExample:
        return False
    return True


@pytest.mark.medium
def test_the_port_and_spread_departures_violate_the_definition() -> None:
    """The broken twin is the real behaviour: removing a pod incrementally leaves traces."""
    assert refuted(lambda contest: agrees(contest, DEFAULT_PLUGINS))


def test_always_reprieving_a_pod_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reprieve, "put_back", lambda cycle, info, pod: info.added(pod))
    assert refuted(agrees)


# Properties of every candidate.


def well_chosen(contest: tuple[Pod, Snapshot], plugins: Plugins = DOCUMENTED) -> bool:
    """Whether each candidate has victims, all of lower priority and on that node, the pod fits without them, and
    violations count victims only.
    """
    one, seen = contest
    return not refused(one, seen, plugins) or all(
        each.victims != ()
        and all(victim.priority < one.priority and victim.node_name == each.node.name for victim in each.victims)
        and list(each.victims) == list(by_importance(each.victims))
        and each.violations <= len(each.victims)
        and fits(one, seen, each.node.name, frozenset(each.victims), DOCUMENTED)
        for each in dry_run(one, seen, plugins).candidates
    )


@pytest.mark.medium
@settings(max_examples=300, suppress_health_check=SLOW)
@given(contests())
def test_the_pod_fits_without_its_victims_which_have_lower_priority(contest: tuple[Pod, Snapshot]) -> None:
    assert well_chosen(contest)


@settings(max_examples=200, suppress_health_check=SLOW)
@given(contests())
def test_every_candidate_has_a_victim(contest: tuple[Pod, Snapshot]) -> None:
    assume(refused(*contest))
    assert all(each.victims for each in dry_run(*contest).candidates)


@pytest.mark.medium
def test_with_departures_the_pod_may_not_fit_without_its_victims() -> None:
    assert refuted(lambda contest: well_chosen(contest, DEFAULT_PLUGINS))


def test_victims_of_equal_priority_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        dry_runs,
        "potential_victims",
        lambda pod, info: tuple(each for each in info.pods if each.priority <= pod.priority),
    )
    assert refuted(well_chosen)


def test_drawn_contests_cover_the_interesting_cases() -> None:
    """Two candidates, failing nodes, budget violations and several victims are all drawn."""
    for seen in (
        lambda run: len(run.candidates) == 2,
        lambda run: run.candidates and run.statuses,
        lambda run: any(each.violations for each in run.candidates),
        lambda run: any(len(each.victims) > 1 for each in run.candidates),
    ):
        assert refuted(lambda contest, seen=seen: not (refused(*contest) and seen(dry_run(*contest))))
