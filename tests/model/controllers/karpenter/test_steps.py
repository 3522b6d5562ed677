"""The steps of Karpenter: what is launched, given up, drained and deleted, clause by clause; broken steps are detected"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml
from frozendict import frozendict

from schedcheck.model.controllers.karpenter import candidates, consolidation, launching, steps
from schedcheck.model.controllers.karpenter.hosts import UNREGISTERED
from schedcheck.model.controllers.karpenter.steps import Provisioning
from schedcheck.model.provisioning import (
    CAPACITY_TYPE,
    HOSTNAME,
    INITIALIZED,
    INSTANCE_TYPE,
    NODE_POOL,
    ON_DEMAND,
    REGISTERED,
    SPOT,
    WHEN_EMPTY,
    ZONE,
    Budget,
    InstanceType,
    Karpenter,
    Offering,
    PodFacts,
    Pool,
    Progress,
)
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot, SpreadConstraint, Taint
from schedcheck.spec.terms import LabelSelector, Requirement
from tests.support.building import node, pod
from tests.support.building import scenario as built
from tests.support.karpenter import STARTS, limited, oscillating
from tests.support.node_pools import counted

ROOT = Path(__file__).parents[4]
DISRUPTED = Taint("karpenter.sh/disrupted", "NoSchedule")
STARTING = Taint("starting", "NoSchedule")
OWNED = {"owner": ("ReplicaSet", "web")}
ONLY = Requirement(CAPACITY_TYPE, "In", (ON_DEMAND,))


def type_(name: str, cpu: int, price: float, zones: str = "a", kind: str = ON_DEMAND) -> InstanceType:
    room = frozendict({"cpu": 1000 * cpu, "pods": 110})
    return InstanceType(name, frozendict(), room, room, tuple(Offering(zone, kind, price) for zone in zones))


SMALL, LARGE = type_("small", 2, 1.0), type_("large", 4, 1.5)


def given(*types: InstanceType, pool: Pool | None = None, **fields: Any) -> Karpenter:
    pool = pool or Pool("p", requirements=(ONLY,), startup_taints=(STARTING,), budgets=(Budget("100%"),))
    return Karpenter((pool,), types or (SMALL, LARGE), fields.pop("most", 4), **fields)


def managed(name: str, of: InstanceType = SMALL, **fields: Any) -> Node:
    offering = of.offerings[0]
    labels = {HOSTNAME: name, NODE_POOL: "p", INSTANCE_TYPE: of.name, ZONE: offering.zone}
    labels |= {CAPACITY_TYPE: offering.capacity_type, REGISTERED: "true", INITIALIZED: "true"}
    cpu = of.allocatable["cpu"] // 1000
    return node(name, cpu, labels=frozendict({**labels, **fields.pop("labels", {})}), **fields)


def acting(
    made: Karpenter,
    *things: Pod | Node,
    budgets: tuple[PodDisruptionBudget, ...] = (),
    marked: str = "",
    waits: Any = (),
) -> tuple[list[str], list[str]]:
    """The actions that change nodes, and those that evict, in order; `marked` are the unschedulable pods."""
    pods = tuple(sorted((each for each in things if isinstance(each, Pod)), key=lambda each: each.key))
    nodes = tuple(sorted((each for each in things if isinstance(each, Node)), key=lambda each: each.name))
    view = Snapshot(pods, nodes, budgets=budgets)
    scenario = built(*pods, *nodes)
    progress = Progress(tuple(sorted(("default", name) for name in marked.split())), tuple(waits))
    machine = Provisioning(scenario, made)
    changes = [str(action) for action, _, _ in machine.changes(view, progress)]
    return sorted(changes), [str(action) for action, *_ in machine.evictions(view, progress)]


def budget(**fields: Any) -> PodDisruptionBudget:
    return PodDisruptionBudget("b", selector=LabelSelector(), **fields)


def test_a_node_is_launched_only_for_a_pod_that_is_marked() -> None:
    waiting = pod("w", 1, **OWNED)
    assert acting(given(), waiting) == ([], [])
    assert acting(given(), waiting, marked="w")[0] == [
        "Provision(p-1 large a on-demand)",
        "Provision(p-1 small a on-demand)",
    ]


def test_the_cheapest_offering_is_launched_if_the_catalogue_says_so() -> None:
    assert acting(given(launch="cheapest"), pod("w", 1), marked="w")[0] == ["Provision(p-1 small a on-demand)"]


def test_a_node_in_flight_is_counted_on_and_initializes() -> None:
    coming = managed("p-1", taints=(STARTING, UNREGISTERED), labels={REGISTERED: "", INITIALIZED: ""})
    assert acting(given(), pod("w", 1), coming, marked="w")[0] == ["Initialize(p-1)"]
    other = Provisioning(built(coming), given())
    ((_, ((_, after),), _),) = other.changes(Snapshot((), (coming,)), Progress())
    assert after is not None and after.taints == () and after.labels[INITIALIZED] == "true"


def test_two_pods_that_fit_on_one_node_get_one() -> None:
    both = acting(given(LARGE), pod("v", 2), pod("w", 2), marked="v w")[0]
    assert both == ["Provision(p-1 large a on-demand)"]
    apart = acting(given(SMALL), pod("v", 2), pod("w", 2), marked="v w")[0]
    assert apart == ["Provision(p-1 small a on-demand; p-2 small a on-demand)"]
    assert acting(given(SMALL, most=1), pod("v", 2), pod("w", 2), marked="v w")[0] == []


def test_nodes_that_differ_in_a_label_alone_may_both_be_launched() -> None:
    made = given(SMALL, pool=Pool("p", requirements=(ONLY, Requirement("team", "In", ("u", "v")))))
    teams = SpreadConstraint(1, "team", selector=LabelSelector(frozendict(app="w")))
    waiting = pod("w", 2, labels=frozendict(app="w"), spread=(teams,))
    expected = [f"Provision(p-1 small a on-demand team={team})" for team in ("u", "v")]
    assert acting(made, waiting, marked="w")[0] == expected
    two = Provisioning(built(waiting), made).changes(Snapshot((waiting,), ()), Progress((waiting.key,)))
    assert sorted(node.labels["team"] for _, ((_, node),), _ in two if node is not None) == ["u", "v"]


def test_a_limit_of_cpu_is_subtracted_for_each_node_and_one_of_nodes_is_not() -> None:
    def launched(**limits: int) -> list[str]:
        made = given(SMALL, pool=Pool("p", requirements=(ONLY,), limits=frozendict(limits)))
        return acting(made, pod("v", 2), pod("w", 2), marked="v w")[0]

    one, two = "Provision(p-1 small a on-demand)", "Provision(p-1 small a on-demand; p-2 small a on-demand)"
    assert launched(cpu=2000) == launched(cpu=3999) == [one]
    assert launched(cpu=4000) == launched(nodes=1) == [two]
    assert launched(nodes=0) == launched(cpu=1999) == []


def test_an_empty_node_is_given_up_within_the_budgets() -> None:
    both = managed("a"), managed("b")
    assert acting(given(), *both)[0] == ["RemoveEmpty(a, b)"]
    tight = given(pool=Pool("p", requirements=(ONLY,)))
    assert acting(tight, *both)[0] == ["RemoveEmpty(a)", "RemoveEmpty(b)"]
    assert acting(given(pool=Pool("p", budgets=(Budget(0, frozenset({"Empty"})),))), *both)[0] == []
    assert acting(given(pool=Pool("p", consolidates=False)), *both)[0] == []


def test_a_node_on_which_a_marked_pod_is_expected_stays() -> None:
    assert acting(given(), pod("w", 1), managed("a"), marked="w")[0] == []
    assert acting(given(), pod("w", 1), managed("a"))[0] == ["RemoveEmpty(a)"]


def test_a_node_is_given_up_if_its_pods_find_places_elsewhere() -> None:
    def taken(cpu: float, policy: str = "WhenEmptyOrUnderutilized", **fields: Any) -> list[str]:
        pool = Pool("p", requirements=(ONLY,), policy=policy, budgets=(Budget(1),))
        there = pod("v", cpu, "a", **OWNED), pod("w", 1, "b", **OWNED)
        return acting(given(SMALL, pool=pool, **fields), *there, managed("a"), managed("b"))[0]

    assert taken(1) == ["Consolidate(a)", "Consolidate(b)"]
    assert taken(1.5) == []
    assert taken(1, policy=WHEN_EMPTY) == []
    assert taken(1, kept=frozenset({"a"})) == ["Consolidate(b)"]
    protected = frozendict({("default", "v"): PodFacts(do_not_disrupt=True)})
    assert taken(1, facts=protected) == ["Consolidate(b)"]


def test_nodes_are_replaced_by_a_cheaper_one_and_drained_once_it_has_initialized() -> None:
    there = pod("v", 2, "a", **OWNED), pod("w", 2, "b", **OWNED), managed("a"), managed("b")
    assert acting(given(), *there)[0] == ["ReplaceNodes(a, b by p-1 large a on-demand)"]
    dear = type_("large", 4, 2.0)
    assert acting(given(SMALL, dear), *there)[0] == []
    tainted = pod("v", 2, "a", **OWNED), managed("a", taints=(DISRUPTED,))
    coming = managed("p-1", LARGE, taints=(UNREGISTERED,), labels={INITIALIZED: ""})
    waits = acting(given(), *tainted, coming, waits=[("a", "p-1")])
    assert waits == (["Initialize(p-1)"], [])
    assert acting(given(), *tainted, managed("p-1", LARGE))[1] == ["EvictForDisruption(v)"]


def test_a_spot_node_is_not_replaced_by_a_spot_node() -> None:
    cheap, dear = type_("cheap", 2, 1.0, kind=SPOT), type_("dear", 2, 2.0, kind=SPOT)
    pool = Pool("p", requirements=(Requirement(CAPACITY_TYPE, "In", (SPOT,)),), budgets=(Budget(1),))
    assert acting(given(cheap, dear, pool=pool), pod("v", 1, "a"), managed("a", dear))[0] == []
    pool = Pool("p", budgets=(Budget(1),))
    there = pod("v", 1, "a"), managed("a", type_("dear", 2, 2.0))
    assert acting(given(cheap, type_("dear", 2, 2.0), pool=pool), *there)[0] == ["ReplaceNodes(a by p-1 cheap a spot)"]


def test_a_drain_evicts_critical_pods_last_and_keeps_budgets() -> None:
    there = pod("v", 1, "a"), pod("w", 0.5, "a"), managed("a", taints=(DISRUPTED,)), managed("b")
    critical = given(facts=frozendict({("default", "v"): PodFacts(critical=True)}))
    assert acting(critical, *there)[1] == ["EvictForDisruption(w)"]
    assert acting(critical, there[0], *there[2:])[1] == ["EvictForDisruption(v)"]
    assert acting(given(), *there)[1] == ["EvictForDisruption(v)", "EvictForDisruption(w)"]
    assert acting(given(), *there, budgets=(budget(),))[1] == []
    protected = given(facts=frozendict({("default", "v"): PodFacts(do_not_disrupt=True)}))
    assert acting(protected, *there)[1] == ["EvictForDisruption(w)"]


def test_a_drained_node_is_deleted_once_no_pod_is_waited_for() -> None:
    drained = managed("a", taints=(DISRUPTED,))
    assert acting(given(), drained)[0] == ["TerminateNode(a)"]
    assert acting(given(), drained, pod("v", 1, "a"), managed("b"))[0] == []
    assert acting(given(), drained, pod("v", 1, "a", phase="Succeeded"))[0] == ["TerminateNode(a)"]
    assert acting(given(), drained, pod("v", 1, "a", owner=("Node", "a")))[0] == ["TerminateNode(a)"]


def test_a_node_is_launched_for_the_pods_of_a_drained_one_unless_a_budget_blocks_them_for_good() -> None:
    there = pod("v", 1, "a", **OWNED), managed("a", taints=(DISRUPTED,))
    launched = [f"Provision(p-1 {name} a on-demand)" for name in ("large", "small")]
    assert acting(given(), *there)[0] == launched
    assert acting(given(), *there, budgets=(budget(min_available=1),))[0] == launched
    assert acting(given(), *there, budgets=(budget(max_unavailable=0),))[0] == []


BROKEN: list[tuple[Any, str, Callable[..., Any], Callable[[], None]]] = [
    (steps, "provisionable", lambda pod, progress: True, test_a_node_is_launched_only_for_a_pod_that_is_marked),
    (
        steps.Provisioning,
        "_waits",
        lambda self, pod, node: True,
        test_a_drained_node_is_deleted_once_no_pod_is_waited_for,
    ),
    (
        steps.Provisioning,
        "_group",
        lambda self, pod: (False, False),
        test_a_drain_evicts_critical_pods_last_and_keeps_budgets,
    ),
    (
        steps.Provisioning,
        "_drained",
        lambda self, node, progress: candidates.disrupted(node),
        test_nodes_are_replaced_by_a_cheaper_one_and_drained_once_it_has_initialized,
    ),
    (
        steps.Provisioning,
        "_told",
        lambda self, node: node.name,
        test_nodes_that_differ_in_a_label_alone_may_both_be_launched,
    ),
    (steps, "initialized", lambda node, pool: node, test_a_node_in_flight_is_counted_on_and_initializes),
    (launching, "CHEAPEST", "", test_the_cheapest_offering_is_launched_if_the_catalogue_says_so),
    (
        consolidation,
        "movable",
        lambda pod, snapshot, given: True,
        test_a_node_is_launched_for_the_pods_of_a_drained_one_unless_a_budget_blocks_them_for_good,
    ),
    (consolidation, "SPOT", "", test_a_spot_node_is_not_replaced_by_a_spot_node),
]


@pytest.mark.parametrize(("where", "name", "broken", "test"), BROKEN, ids=[name for _, name, _, _ in BROKEN])
def test_a_broken_definition_is_detected(
    where: Any, name: str, broken: Any, test: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    test()
    monkeypatch.setattr(where, name, broken)
    with pytest.raises((AssertionError, ValueError, AttributeError)):
        test()


def test_the_states_of_the_examples_are_those_counted_without_the_model() -> None:
    expected = yaml.safe_load((ROOT / "tests/examples/expected.yaml").read_text())
    plain = {name: tuple(each["plain"]) for name, each in expected.items() if name.startswith("karpenter")}
    assert counted(STARTS["oscillate"], oscillating) == plain["karpenter-oscillate"]
    assert counted(STARTS["limit"], limited, lambda state: len(state[0]) > 2) == plain["karpenter-limit"]
    assert counted(STARTS["limit"], partial(limited, counts=True)) == plain["karpenter-limit-kept"]
    # By hand: both nodes are given up and the new one initializes; then two evictions in either order, and of the five
    # last states two have a pod created again, two a node deleted, and one both pods evicted.
    assert plain["karpenter-zones-at-once"] == (1 + 1 + 1 + 2 + 5, 1 + 1 + 1 + 2 + 6, 5)
