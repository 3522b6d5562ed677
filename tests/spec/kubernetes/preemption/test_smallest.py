"""The smallest cluster in which each departure changes the result of preemption: fewest objects, then smallest
quantities

Every cluster of one preemptor, one node, some other pods and some budgets of the given kinds is tried, smaller ones
first. Kinds that do not concern the plugin of a departure are left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations_with_replacement, product

import pytest

from schedcheck.spec.decisions import Nominate
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import Container, HostPort, Node, Pod, PodDisruptionBudget, Snapshot, SpreadConstraint
from schedcheck.spec.terms import LabelSelector, Requirement
from tests.support.building import HOSTNAME, apart, container, node, pod, selector, term
from tests.support.preempting import dry_run

A = {"app": "a"}
FOR_A = selector(app="a")
PORT = (HostPort(80),)


@dataclass(frozen=True)
class Kinds:
    """The building blocks of a cluster; `others` are the pods besides the preemptor, on the node or nominated to it."""

    preemptors: Sequence[Pod]
    nodes: Sequence[Node]
    others: Sequence[Pod]
    budgets: Sequence[PodDisruptionBudget] = ()


@dataclass(frozen=True)
class Cluster:
    """A preemptor, and the snapshot with it."""

    preemptor: Pod
    snapshot: Snapshot

    @property
    def size(self) -> tuple[int, int]:
        """The number of objects, and the sum of the quantities: cpus and ports, priorities, disruptions allowed."""
        pods, nodes, budgets = self.snapshot.pods, self.snapshot.nodes, self.snapshot.budgets
        cpus = sum(each.allocatable["cpu"] // 1000 for each in nodes)
        cpus += sum(one.requests.get("cpu", 0) // 10**9 + len(one.ports) for each in pods for one in each.containers)
        numbers = sum(each.priority for each in pods) + sum(each.disruptions_allowed for each in budgets)
        return len(pods) + len(nodes) + len(budgets), cpus + numbers


def clusters(kinds: Kinds, others: int, budgets: int) -> Iterator[Cluster]:
    """Yield every cluster with this number of other pods and of budgets."""
    for one, at, there, guarding in product(
        kinds.preemptors,
        kinds.nodes,
        combinations_with_replacement(kinds.others, others),
        combinations_with_replacement(kinds.budgets, budgets),
    ):
        pods = [replace(each, name=f"p{number}") for number, each in enumerate(there)]
        named = tuple(replace(each, name=f"b{number}") for number, each in enumerate(guarding))
        yield Cluster(one, replace(Snapshot.of([one, *pods], [at]), budgets=named))


def answer(cluster: Cluster, plugins: Plugins) -> object:
    """The decision and the outcome of the dry run."""
    run = dry_run(cluster.preemptor, cluster.snapshot - {cluster.preemptor}, plugins)
    return decision(cluster.preemptor, cluster.snapshot, plugins), run.outcomes


def differs(cluster: Cluster, departure: Departure) -> bool:
    without = DEFAULT_PLUGINS.departing(NEWEST.departures - {departure})
    return answer(cluster, DEFAULT_PLUGINS) != answer(cluster, without)


@cache
def smallest(departure: Departure, kinds: Kinds, most: int = 3) -> list[Cluster]:
    """All clusters of the smallest size in which the departure changes the answer, with at most `most` other pods and
    budgets.
    """
    for number in range(most + 1):
        found = [
            cluster
            for budgets in range(number + 1)
            for cluster in clusters(kinds, number - budgets, budgets)
            if differs(cluster, departure)
        ]
        if found:
            least = min(cluster.size for cluster in found)
            return [cluster for cluster in found if cluster.size == least]
    return []


def holding(cpu: int, ports: tuple[HostPort, ...] = ()) -> tuple[Container, ...]:
    return (replace(container(cpu), ports=ports),)


NODES = tuple(node("n", cpu) for cpu in (0, 1, 2))
PLAIN = tuple(pod("one", cpu, priority=1, labels=A) for cpu in (0, 1))

PORTS = Kinds(
    tuple(pod("one", priority=1, containers=holding(0, ports)) for ports in ((), PORT)),
    NODES[:1],
    tuple(pod(on="n", priority=priority, containers=holding(0, ports)) for priority in (0, 1) for ports in ((), PORT)),
)
SPREAD = Kinds(
    tuple(
        pod("one", cpu, priority=1, labels=A, spread=(SpreadConstraint(1, HOSTNAME, True, FOR_A, domains),))
        for cpu in (0, 1)
        for domains in (1, 2)
    ),
    tuple(replace(each, labels=each.labels | {HOSTNAME: "n"}) for each in NODES[:2]),
    tuple(
        pod(cpu=cpu, on="n", priority=priority, labels=A, terminating=ending)
        for cpu in (0, 1)
        for priority in (0, 1)
        for ending in (False, True)
    ),
)
NOMINATED = Kinds(
    PLAIN,
    tuple(replace(each, labels=each.labels | {HOSTNAME: "n"}) for each in NODES),
    tuple(
        pod(cpu=cpu, on=on, nominated_node_name="" if on else "n", priority=priority, affinity=shy)
        for cpu in (0, 1)
        for on in ("", "n")
        for priority in (0, 1)
        for shy in (apart(), apart(term(HOSTNAME, FOR_A)))
    ),
)
BUDGETS = Kinds(
    PLAIN,
    NODES,
    tuple(pod(cpu=cpu, on="n", priority=0, labels=labels) for cpu in (0, 1) for labels in ({}, A)),
    tuple(
        PodDisruptionBudget("", selector=each, disruptions_allowed=allowed)
        for each in (FOR_A, selector(Requirement("app", "NotIn", ("b",))), LabelSelector())
        for allowed in (0, 1)
    ),
)

CASES = [
    (Departure.PORTS_ARE_A_SET, PORTS, (4, 5)),
    (Departure.TERMINATING_UNCOUNTED_TWICE, SPREAD, (4, 1)),
    (Departure.SKIPPED_SEES_NO_NOMINATED, NOMINATED, (3, 2)),
    (Departure.BUDGETS_CHARGED_FOR_ALL, BUDGETS, (5, 5)),
    (Departure.EMPTY_BUDGET_PROTECTS_NO_POD, BUDGETS, (4, 4)),
    (Departure.UNLABELLED_UNPROTECTED, BUDGETS, (4, 4)),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("departure", "kinds", "size"), CASES, ids=[case[0].value for case in CASES])
def test_the_smallest_cluster_of_each_departure_has_this_size(
    departure: Departure, kinds: Kinds, size: tuple[int, int]
) -> None:
    found = smallest(departure, kinds)
    assert {cluster.size for cluster in found} == {size}


def test_of_two_holders_of_a_port_evicting_one_frees_it() -> None:
    for cluster in smallest(Departure.PORTS_ARE_A_SET, PORTS):
        high, low = sorted(
            (each for each in cluster.snapshot.pods if each != cluster.preemptor), key=lambda p: -p.priority
        )
        assert (high.priority, low.priority) == (1, 0)
        assert all(each.containers == holding(0, PORT) for each in (cluster.preemptor, high, low))


def victims(cluster: Cluster, plugins: Plugins) -> set[frozenset[Pod]]:
    decided = decision(cluster.preemptor, cluster.snapshot, plugins)
    return {each.victims for each in decided if isinstance(each, Nominate)}


def test_a_terminating_pod_is_subtracted_from_a_count_that_excluded_it() -> None:
    """Therefore it may be chosen as victim instead of the pod that really counts."""
    documented = DEFAULT_PLUGINS.departing(NEWEST.departures - {Departure.TERMINATING_UNCOUNTED_TWICE})
    for cluster in smallest(Departure.TERMINATING_UNCOUNTED_TWICE, SPREAD):
        one = cluster.preemptor
        ending, other = sorted(cluster.snapshot.pods, key=lambda each: (each == one, not each.terminating))[:2]
        assert ending.terminating and not other.terminating
        assert victims(cluster, DEFAULT_PLUGINS) == {frozenset({ending}), frozenset({other})}
        assert victims(cluster, documented) == {frozenset({other})}


def test_a_victim_violates_a_budget_that_a_spared_pod_has_used_up() -> None:
    for cluster in smallest(Departure.BUDGETS_CHARGED_FOR_ALL, BUDGETS):
        stays, goes = (each for each in cluster.snapshot.pods if each != cluster.preemptor)
        (outcome,) = dry_run(cluster.preemptor, cluster.snapshot - {cluster.preemptor}).candidates
        assert (outcome.victims, outcome.violations) == ((goes,), 1)
        assert stays.containers == holding(0)
        assert [each.disruptions_allowed for each in cluster.snapshot.budgets] == [1]


def test_a_departure_without_effect_has_no_smallest_cluster() -> None:
    """The broken twin: clusters without a port, where the departure changes nothing."""
    assert smallest(Departure.PORTS_ARE_A_SET, replace(PORTS, preemptors=PORTS.preemptors[:1]), most=2) == []
