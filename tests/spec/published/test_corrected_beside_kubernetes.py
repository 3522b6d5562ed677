"""The nodes that `corrected` and `kubernetes` find feasible are the same where only shared features are used

Both know node selectors and node affinity, required pod affinity and anti-affinity, resources, taints and cordons. The
one difference left is a departure of kube-scheduler from its documentation, and has a predicate: `selects_no_labels`.
"""

import random
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

import pytest

from schedcheck.spec.faults import NO_FAULTS, Fault, Faults
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, NO_DEPARTURES, Departures
from schedcheck.spec.kubernetes.filter import feasible
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Node, Pod, Snapshot, Taint, Toleration
from schedcheck.spec.published.feasibility import feasibility
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import Affinity, LabelSelector, NodeSelectorTerm, PodAffinityTerm, Requirement
from tests.support.building import HOSTNAME, container, namespace, near, node, pod, selector, snapshot, term

Term = TypeVar("Term", NodeSelectorTerm, PodAffinityTerm)

ZONE = "zone"
CLUSTERS = 4000
ONE_BY_ONE = frozenset({Fault.TERMS_ONE_BY_ONE})


def requirement(chance: random.Random) -> Requirement:
    operator = chance.choice(("In", "NotIn", "Exists", "DoesNotExist"))
    values = tuple(chance.sample(("1", "2"), chance.randint(1, 2))) if operator.endswith("In") else ()
    return Requirement(chance.choice(("app", "tier")), operator, values)


def label_selector(chance: random.Random) -> LabelSelector | None:
    labels = {key: chance.choice("12") for key in ("app", "tier") if chance.random() < 0.4}
    expressions = (requirement(chance),) if chance.random() < 0.2 else ()
    return selector(*expressions, **labels) if chance.random() < 0.95 else None


def pod_term(chance: random.Random) -> PodAffinityTerm:
    return term(
        chance.choice((ZONE, HOSTNAME)),
        label_selector(chance),
        namespaces=chance.choice(((), (), (), ("default",), ("other",))),
        namespace_selector=label_selector(chance) if chance.random() < 0.2 else None,
    )


def node_term(chance: random.Random) -> NodeSelectorTerm:
    at = Requirement(ZONE, chance.choice(("In", "NotIn", "Gt", "Lt", "Exists")), ("1",))
    named = (Requirement("metadata.name", "In", (f"n{chance.randint(0, 2)}",)),) if chance.random() < 0.3 else ()
    return NodeSelectorTerm((at if at.operator != "Exists" else Requirement(ZONE, "Exists"),), named)


def some(chance: random.Random, share: float, most: int, make: Callable[[random.Random], Term]) -> tuple[Term, ...]:
    return tuple(make(chance) for _ in range(chance.randint(1, most))) if chance.random() < share else ()


def random_pod(chance: random.Random, name: str, on: str, wanting: float) -> Pod:
    affinity = Affinity(
        node_required=some(chance, 0.2 * wanting, 2, node_term),
        pod_required=some(chance, wanting, 3, pod_term),
        anti_required=some(chance, 0.3, 2, pod_term),
    )
    return pod(
        name,
        chance.choice((0, 0.5, 1)),
        on=on,
        namespace=chance.choice(("default", "default", "other")),
        labels={key: chance.choice("12") for key in ("app", "tier") if chance.random() < 0.7},
        phase="Succeeded" if on and chance.random() < 0.1 else "Pending",
        terminating=bool(on) and chance.random() < 0.1,
        affinity=affinity,
        init_containers=(container(1),) if chance.random() < 0.1 else (),
        tolerations=(Toleration("t", "Exists"),) if chance.random() < 0.4 else (),
        node_selector={ZONE: "1"} if chance.random() < 0.1 else {},
    )


def random_node(chance: random.Random, name: str) -> Node:
    labels = {ZONE: chance.choice("12")} if chance.random() < 0.8 else {}
    return node(
        name,
        chance.randint(1, 3),
        pods=chance.choice((1, 110, 110)),
        labels=labels | ({HOSTNAME: name} if chance.random() < 0.9 else {}),
        taints=(Taint("t", chance.choice(("NoSchedule", "PreferNoSchedule"))),) if chance.random() < 0.2 else (),
        unschedulable=chance.random() < 0.05,
    )


def random_cluster(seed: int) -> Snapshot:
    """A cluster with one pending pod, `p`, and up to four bound pods."""
    chance = random.Random(seed)
    nodes = [random_node(chance, f"n{number}") for number in range(chance.randint(1, 3))]
    bound = [random_pod(chance, f"b{number}", chance.choice(nodes).name, 0.1) for number in range(chance.randint(0, 4))]
    spaces = [namespace(name, app=chance.choice("12")) for name in ("default", "other") if chance.random() < 0.8]
    return snapshot(random_pod(chance, "p", "", 0.7), *bound, *nodes, *spaces)


def waiting(seen: Snapshot) -> Pod:
    return next(each for each in seen.pods if each.name == "p")


def by_corrected(seen: Snapshot, faults: Faults = NO_FAULTS) -> set[str]:
    return {each.name for each in seen.nodes if feasibility(waiting(seen), each, seen, faults)}


def by_kubernetes(seen: Snapshot, departures: Departures = ALL_DEPARTURES) -> set[str]:
    return set(feasible(taken_up(waiting(seen), seen, DEFAULT_PLUGINS.departing(departures))))


def selects_no_labels(seen: Snapshot) -> bool:
    """Whether a non-empty namespaceSelector of the pending pod matches the empty label set. In 1.34 it then selects all
    namespaces.
    """
    own = waiting(seen).affinity
    selectors = (each.namespace_selector for each in (*own.pod_required, *own.anti_required))
    return any(each not in (None, LabelSelector()) and selects(each, {}, NO_FAULTS) for each in selectors)


@pytest.mark.medium
def test_corrected_and_kubernetes_find_the_same_nodes_feasible_on_random_clusters() -> None:
    counted: Counter[str] = Counter()
    for seed in range(CLUSTERS):
        seen = random_cluster(seed)
        found = by_corrected(seen)
        counted["some"] += bool(found)
        counted["refused"] += len(found) < len(seen.nodes)
        counted["one by one"] += by_corrected(seen, ONE_BY_ONE) != by_kubernetes(seen)
        assert found == by_kubernetes(seen) or selects_no_labels(seen), seed
    assert min(counted["some"], counted["refused"]) > CLUSTERS // 5
    assert counted["one by one"] > 20, "the clusters must notice the fault"


def test_the_only_difference_is_a_namespace_selector_that_matches_no_labels() -> None:
    absent = selector(Requirement("team", "DoesNotExist"))
    asking = pod("p", affinity=near(term(HOSTNAME, selector(app="1"), namespace_selector=absent)))
    company = pod("q", on="n", namespace="other", labels={"app": "1"})
    seen = snapshot(asking, company, node("n", labels={HOSTNAME: "n"}), namespace("other", team="a"))
    assert selects_no_labels(seen)
    assert (by_corrected(seen), by_kubernetes(seen)) == (set(), {"n"})
    assert by_kubernetes(seen, NO_DEPARTURES) == set()


APP, TIER = term(ZONE, selector(app="1")), term(ZONE, selector(tier="1"))
BOTH = {"app": "1", "tier": "1"}
HERE = node("n", labels={ZONE: "z"})
TWO_COUNT = snapshot(
    pod("p", affinity=near(APP, TIER)),
    pod("q", on="n", labels={"app": "1"}),
    pod("r", on="n", labels={"tier": "1"}),
    HERE,
)
FIRST_OF_BOTH = snapshot(
    pod("p", labels=BOTH, affinity=near(APP, TIER)),
    pod("q", on="n", labels={"app": "1"}),
    HERE,
    node("m", labels={ZONE: "y"}),
)
ONE_MATCHES_BOTH = snapshot(pod("p", affinity=near(APP, TIER)), pod("q", on="n", labels=BOTH), HERE)


@pytest.mark.parametrize(
    ("seen", "found", "one_by_one"),
    [(TWO_COUNT, set(), {"n"}), (FIRST_OF_BOTH, {"m", "n"}, set()), (ONE_MATCHES_BOTH, {"n"}, {"n"})],
    ids=["two pods match a term each", "a pod matches one term of the group's first", "one pod matches both terms"],
)
def test_one_pod_must_match_all_required_terms(seen: Snapshot, found: set[str], one_by_one: set[str]) -> None:
    assert by_corrected(seen) == by_kubernetes(seen) == found
    assert by_corrected(seen, ONE_BY_ONE) == one_by_one


def test_pods_that_match_all_terms_may_satisfy_them_in_different_domains() -> None:
    host = term(HOSTNAME, selector(app="1"))
    nodes = [node(name, labels={HOSTNAME: name, ZONE: zone}) for name, zone in (("a", "z"), ("b", "z"), ("c", "y"))]
    seen = snapshot(pod("p", affinity=near(APP, host)), pod("q", on="b", labels=BOTH), *nodes)
    assert by_corrected(seen) == by_kubernetes(seen) == {"b"}
    pair = snapshot(pod("p", affinity=near(host, TIER)), pod("q", on="b", labels=BOTH), *nodes[:1], *nodes[2:])
    assert by_corrected(pair) == by_kubernetes(pair) == set()
