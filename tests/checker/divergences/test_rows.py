"""Each row: its smallest case differs, nothing smaller in its domain does, and its predicate covers exactly that"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Any

import pytest
from frozendict import frozendict

from docs.cases import EXAMPLES, PENDING, folder, stored
from schedcheck.checker.differential.decisions import concluded
from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.domain import cases, smallest
from schedcheck.checker.divergences.nodes import allowed, asking_an_extender
from schedcheck.checker.divergences.nominations import MOVING, scenario
from schedcheck.checker.divergences.row import Row
from schedcheck.checker.divergences.rows import DEPARTING, ROWS, UNDECIDABLE, decided, departing
from schedcheck.checker.divergences.victims import CHOOSING, choices, chosen
from schedcheck.checker.divergences.waking import SLEEPING
from schedcheck.checker.properties.by_name import asked
from schedcheck.checker.victims.kubernetes_judge import of_kubernetes
from schedcheck.checker.victims.least import least
from schedcheck.checker.victims.problem import question
from schedcheck.checker.victims.smallest import smallest as worst_reprieve
from schedcheck.manifests import read
from schedcheck.manifests import scenario as of_cluster
from schedcheck.model.production.cycle import algorithm
from schedcheck.model.reference import Reference
from schedcheck.spec.decisions import Bind, Nominate, Wait
from schedcheck.spec.faults import Fault
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES, Departure, Departures
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.sampling import sampled_hosts
from schedcheck.spec.kubernetes.versions import DOCUMENTED_OTHERWISE, NEWEST
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import kubernetes
from schedcheck.spec.properties.kinds import Step
from tests.checker.divergences.clusters import larger
from tests.checker.divergences.searching import searched, the_smallest_is_stored
from tests.support.building import node, pod, snapshot

BY_NAME = {"argnames": "each", "argvalues": ROWS, "ids": [each.name for each in ROWS]}
JUDGE = kubernetes("kubernetes", (DEFAULT_PLUGINS,))


def code(each: Row) -> Departures:
    """The departures from the documentation of the newest version that has the departure of the row."""
    return departing(Departure(each.name)).departures & DOCUMENTED_OTHERWISE


def test_the_code_of_a_row_is_the_newest_version_with_its_departure() -> None:
    mended = {Departure.NAMESPACE_SELECTOR_ON_NO_LABELS}
    for each in DEPARTING:
        which = Departure(each.name)
        version = "kubernetes-1.36" if which in mended else "kubernetes"
        assert each.witnesses == (version, "kubernetes-documented")
        assert which in code(each)
        assert (which in NEWEST.departures) == (which not in mended)


def test_every_departure_has_a_row_and_every_row_a_unique_name() -> None:
    assert [each.name for each in DEPARTING] == [each.value for each in Departure if each in DOCUMENTED_OTHERWISE]
    names = [each.name for each in (*ROWS, *UNDECIDABLE)]
    assert len(set(names)) == len(names)
    assert {path.name for path in (EXAMPLES / "divergences").iterdir()} == {each.name for each in ROWS}


@pytest.mark.parametrize(**BY_NAME)
def test_the_smallest_case_still_differs(each: Row) -> None:
    assert each.differs(stored(each))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("each", searched(ROWS))
def test_nothing_smaller_in_the_domain_differs(each: Row) -> None:
    the_smallest_is_stored(each)


@pytest.mark.parametrize(**BY_NAME)
def test_a_row_that_never_differs_has_no_case(each: Row) -> None:
    few = replace(each.domain, most_nodes=1, most_others=1, most_budgets=0)
    found = smallest(few, lambda _: False)
    assert (found.case, found.before) == (None, len(list(cases(few))))


# The predicates. Differences over a whole domain are in test_differential.


@pytest.mark.sampled(3)
@pytest.mark.parametrize("each", DEPARTING, ids=[each.name for each in DEPARTING])
def test_the_predicate_covers_every_difference_of_its_domain_but_not_everything(each: Row) -> None:
    spared = 0
    for case in islice(cases(each.domain), 600):
        made, documented = decided(case, code(each)), decided(case, NO_DEPARTURES)
        assert all(each.covers(one, case.snapshot) for one in made ^ documented)
        spared += made == documented and not any(each.covers(one, case.snapshot) for one in made)
    assert spared > 0


Fields = Callable[[Pod], dict[str, Any]]


def with_pods(snapshot: Snapshot, others: Fields = lambda _: {}, pending: Fields = lambda _: {}) -> Snapshot:
    """The snapshot with changed fields of the pending pod, or of the others."""

    def changed(pod: Pod) -> Pod:
        fields = (pending if pod.name == PENDING else others)(pod)
        return replace(
            pod, **{key: frozendict(each) if isinstance(each, dict) else each for key, each in fields.items()}
        )

    return replace(snapshot, pods=tuple(map(changed, snapshot.pods)))


NEAR: dict[Departure, Callable[[Snapshot], Snapshot]] = {
    # The namespace lacks the label, so the selector selects it.
    Departure.NAMESPACE_SELECTOR_ON_NO_LABELS: lambda s: replace(
        s, namespaces=tuple(replace(each, labels=each.labels.delete("team")) for each in s.namespaces)
    ),
    Departure.POD_LEVEL_UNRATED: lambda s: with_pods(
        s,
        pending=lambda pod: {
            "pod_requests": {},
            "containers": (replace(pod.containers[0], requests=pod.pod_requests),),
        },
    ),
    # The node of the other pod has a zone as well.
    Departure.FIRST_OF_GROUP_BY_PAIRS: lambda s: replace(
        s, nodes=tuple(replace(each, labels=s.nodes[1].labels | each.labels) for each in s.nodes)
    ),
    Departure.TERMINATING_UNCOUNTED_TWICE: lambda s: with_pods(s, others=lambda _: {"terminating": False}),
    # The potential victim holds no port.
    Departure.PORTS_ARE_A_SET: lambda s: with_pods(
        s, others=lambda pod: {} if pod.priority else {"containers": (replace(pod.containers[0], ports=()),)}
    ),
    Departure.SKIPPED_SEES_NO_NOMINATED: lambda s: with_pods(s, others=lambda _: {"priority": -1}),
    Departure.BUDGETS_CHARGED_FOR_ALL: lambda s: replace(
        s, budgets=tuple(replace(each, disruptions_allowed=2) for each in s.budgets)
    ),
    Departure.EMPTY_BUDGET_PROTECTS_NO_POD: lambda s: replace(s, budgets=()),
    Departure.UNLABELLED_UNPROTECTED: lambda s: with_pods(s, others=lambda _: {"labels": {"a": "b"}}),
    Departure.CLAIMS_BY_NAME_ALONE: lambda s: replace(s, pods=tuple(p for p in s.pods if p.namespace == "default")),
    Departure.ATTACHED_COUNTS_TWICE: lambda s: replace(s, storage=replace(s.storage, attachments=())),
    Departure.LATER_BUDGETS_UNCHARGED: lambda s: replace(s, budgets=s.budgets[:1]),
}
"""Changes that remove from the smallest case of a departure the one thing that makes it differ."""


@pytest.mark.parametrize("each", DEPARTING, ids=[each.name for each in DEPARTING])
def test_a_departure_covers_its_smallest_case_but_not_the_nearest_agreeing_one(each: Row) -> None:
    case = stored(each)
    assert all(each.covers(one, case.snapshot) for one in decided(case, code(each)) ^ decided(case, NO_DEPARTURES))
    snapshot = NEAR[Departure(each.name)](case.snapshot)
    near = Case(next(pod for pod in snapshot.pods if pod.name == PENDING), snapshot)
    assert not each.differs(near)
    assert not any(each.covers(one, snapshot) for one in decided(near, code(each)))


# The victims of kube-scheduler, compared with every choice.


@pytest.mark.medium
def test_exactly_the_nominations_that_are_not_least_are_covered_by_a_row() -> None:
    counted: Counter[str] = Counter()
    for each in CHOOSING:
        for case in larger(each.domain, 200, nodes=2):
            for made in decided(case, NEWEST.departures):
                if isinstance(made, Nominate):
                    every = list(choices(case.pod, case.snapshot))
                    least, own = min(one.damage for one in every), chosen(made, case.snapshot)
                    covering = [row.name for row in CHOOSING if row.covers(made, case.snapshot)]
                    assert own in every
                    assert (own.damage == least) == (covering == [])
                    counted.update(covering or ["least"])
    assert set(counted) == {"least", *(each.name for each in CHOOSING)}


@pytest.mark.parametrize("each", CHOOSING, ids=[each.name for each in CHOOSING])
def test_kube_scheduler_never_allows_the_better_choice(each: Row) -> None:
    case = stored(each)
    made, better = each.answers(case)
    assert made.isdisjoint(better)
    assert all(each.covers(one, case.snapshot) for one in decided(case, NEWEST.departures))
    assert not any(
        each.covers(Nominate(case.pod, one.node, one.victims), case.snapshot)
        for one in choices(case.pod, case.snapshot)
        if str(Nominate(case.pod, one.node, one.victims)) in better
    )


@pytest.mark.parametrize("each", CHOOSING, ids=[each.name for each in CHOOSING])
def test_the_least_choice_is_the_one_that_the_solver_proves_least(each: Row) -> None:
    case = stored(each)
    (node,) = case.snapshot.nodes
    found = least(question(case.pod, node, case.snapshot, of_kubernetes(DEFAULT_PLUGINS)))
    assert found.proved
    assert found.casualty == min(one.damage for one in choices(case.pod, case.snapshot))


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("name", "budget"), [("reprieve-evicts-more", False), ("reprieve-evicts-more-important", True)]
)
def test_another_enumeration_finds_no_smaller_case_where_reprieve_is_worse(name: str, budget: bool) -> None:
    found = worst_reprieve(of_kubernetes(DEFAULT_PLUGINS), budget=budget)
    assert found is not None
    cluster = found.cluster
    (row,) = (each for each in CHOOSING if each.name == name)
    assert Case(cluster.pod, cluster.snapshot).size == stored(row).size


def test_a_pod_without_potential_victims_has_no_choice() -> None:
    case = stored(CHOOSING[0])
    alone = replace(case.snapshot, pods=(case.pod,))
    assert list(choices(case.pod, alone)) == []
    assert not CHOOSING[0].covers(Wait(case.pod), alone)


# The chosen node.


def row(name: str) -> Row:
    (found,) = (each for each in ROWS if each.name == name)
    return found


def many_nodes(*cpus: int) -> Case:
    """A pod that requests 1 cpu, and nodes with these cpus."""
    asked = pod("pending", 1)
    return Case(asked, snapshot(asked, *(node(f"n{number:03}", cpu) for number, cpu in enumerate(cpus))))


def test_sampling_is_covered_only_if_more_nodes_are_feasible_than_needed() -> None:
    covers = row("not-all-nodes-scored").covers
    for cpus, covered in (([1] * 101, True), ([1] * 100, False), ([0] + [1] * 100, False), ([1] * 99, False)):
        case = many_nodes(*cpus)
        assert covers(Bind(case.pod, case.snapshot.nodes[-1]), case.snapshot) is covered
        assert not covers(Wait(case.pod), case.snapshot)


@pytest.mark.medium
def test_the_production_scheduler_chooses_among_the_sampled_nodes() -> None:
    case = many_nodes(*[1] * 99, 2, 2)
    best = {str(Bind(case.pod, each)) for each in case.snapshot.nodes if each.allocatable["cpu"] == 2000}
    assert row("not-all-nodes-scored").answers(case) == (best, best)
    assert set(concluded(case.pod, case.snapshot, DEFAULT_PLUGINS, percentage=0).hosts) <= {"n099", "n100"}
    lost = stored(row("not-all-nodes-scored"))
    first = concluded(lost.pod, lost.snapshot, DEFAULT_PLUGINS, percentage=0).hosts
    assert {str(Bind(lost.pod, each)) for each in lost.snapshot.nodes if each.name in first} <= row(
        "not-all-nodes-scored"
    ).answers(lost)[0]


def test_a_scheduler_that_samples_fewer_nodes_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    case = many_nodes(*[1] * 99, 2, 2)
    monkeypatch.setattr(algorithm, "nodes_to_find", lambda nodes, percentage: 1)
    hosts = concluded(case.pod, case.snapshot, DEFAULT_PLUGINS, percentage=0).hosts
    assert not sampled_hosts(taken_up(case.pod, case.snapshot, DEFAULT_PLUGINS)).issuperset(hosts)


def test_an_extender_that_returns_node_names_changes_nothing() -> None:
    """kubernetes#141781 concerns returned objects; an extender that returns the names of all nodes changes no choice."""
    each = row("extended-nodes-look-empty")
    differing = [case for case in cases(each.domain) if asking_an_extender(case, objects=True) != allowed(case)]
    for case in cases(each.domain):
        named = asking_an_extender(case, objects=False)
        assert named in (allowed(case), frozenset())
        assert (named == frozenset()) == all(not isinstance(one, Bind) for one in decided(case, NEWEST.departures))
    binding = [case for case in differing if asking_an_extender(case, objects=True)]
    assert binding
    for case in binding:
        assert all(each.covers(one, case.snapshot) for one in decided(case, NEWEST.departures))


def test_without_running_pods_empty_looking_nodes_make_no_difference() -> None:
    case = many_nodes(1, 2)
    (decision,) = decided(case, NEWEST.departures)
    assert not row("extended-nodes-look-empty").covers(decision, case.snapshot)
    assert not row("extended-nodes-look-empty").differs(case)


# The pod that is not moved.


@pytest.mark.medium
def test_the_predicate_covers_only_the_pod_that_stays_unschedulable() -> None:
    """The predicate is asked about the binding that the pod would have without the other pods."""
    (each,) = SLEEPING
    verdicts = Counter[tuple[bool, bool]]()
    for case in cases(each.domain):
        alone = replace(case.snapshot, pods=(case.pod,))
        bound_alone = [one for one in decided(Case(case.pod, alone), NEWEST.departures) if isinstance(one, Bind)]
        verdicts[each.differs(case), any(each.covers(one, alone) for one in bound_alone)] += 1
    assert verdicts[True, False] == 0
    assert verdicts[True, True] > 0 < verdicts[False, False]


# The end of a nomination.


@pytest.mark.parametrize("each", MOVING, ids=[each.name for each in MOVING])
def test_exactly_the_steps_that_violate_the_property_are_covered(each: Row) -> None:
    made = scenario(stored(each), each.name, each.asks)
    (of_step,) = asked(each.asks, made.pods, JUDGE)
    assert isinstance(of_step, Step)
    machine = Reference(made, JUDGE)
    verdicts = []
    seen, queue = set(machine.initial_states()), list(machine.initial_states())
    while queue:
        before = queue.pop()
        for action, after in machine.steps(before):
            if isinstance(action, of_step.kinds):
                view = machine.view(before)
                verdicts.append(of_step.holds(view, action, machine.view(after)))
                assert each.covers(action, view) == (not verdicts[-1])
            if after not in seen:
                seen.add(after)
                queue.append(after)
    assert {*verdicts} == {True, False}


@pytest.mark.parametrize("each", MOVING, ids=[each.name for each in MOVING])
def test_the_stored_scenario_is_the_one_that_was_searched(each: Row) -> None:
    read_back = of_cluster(read([folder(each)]), frozenset(Fault))
    assert read_back == scenario(stored(each), each.name, each.asks)
