"""Karpenter in TLA+: its operators and steps agree with Python on drawn clusters; broken ones do not

The checker of the language runs the modules; TLC's own counts of the examples are in tla/manifest.json.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.result import Verdict
from schedcheck.manifests import read, scenario
from schedcheck.model.provisioning import InstanceType, Offering
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import SpreadConstraint, Toleration
from schedcheck.spec.terms import LabelSelector, Requirement
from schedcheck.tla_export.module import NotExportable, model_module
from schedcheck.tla_export.prices import costs_of
from schedcheck.tla_export.shipped import FOLDER
from tests.karpenter.drawn import drawn
from tests.karpenter.replayed import scenario_of
from tests.tla.exported import of_check, of_module, result_of_module
from tests.tla.operators.asking import modules, unlike
from tests.tla.operators.karpenter import TWINS
from tests.tla.operators.karpenter_cases import MOST_NODES, OPEN, settings
from tests.tla.operators.test_steps import walked

EXAMPLES = Path(__file__).parents[2] / "examples"
CLUSTERS = 120
"""The number of clusters that are asked about; some are refused, and `make parity-of-pools` asks about more."""
PART = 20


@pytest.mark.medium
@pytest.mark.parametrize(
    "name",
    ["limit", *(pytest.param(each, marks=pytest.mark.slow) for each in ("limit-kept", "zone-kept", "zones-at-once", "oscillate"))],
)  # fmt: skip
def test_the_module_of_an_example_has_the_counts_of_check(name: str, tmp_path: Path) -> None:
    example = scenario(read([EXAMPLES / f"karpenter-{name}"]), frozenset())
    whole = replace(example, properties=("type_correct",))
    assert of_module(whole, tmp_path) == of_check(whole)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, CLUSTERS, PART))
def test_operators_agree_with_their_twins(first: int) -> None:
    assert [each for setting in settings(range(first, first + PART)) for each in unlike(TWINS, setting, {})] == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(OPEN, OPEN + 60, PART))
def test_operators_agree_with_their_twins_where_pools_leave_a_label_open(first: int) -> None:
    assert [each for setting in settings(range(first, first + PART)) for each in unlike(TWINS, setting, {})] == []


def of_seed(seed: int) -> Scenario:
    return replace(
        scenario_of(drawn(seed), MOST_NODES), properties=("type_correct",), controllers=frozenset({"owners"})
    )


@pytest.mark.parametrize("seed", [3, *(pytest.param(each, marks=pytest.mark.slow) for each in range(4, 12))])
def test_a_drawn_cluster_takes_the_same_steps_in_tla_and_python(seed: int, tmp_path: Path) -> None:
    assert walked(of_seed(seed), tmp_path, seed, 3)


SEEDS = range(40)
"""The clusters on which a broken operator is asked."""

BROKEN = {
    "labels that are not defined are allowed": ("LabelValues", "Key \\in DOMAIN Has \\/ Negative(Wants[Key])", "TRUE"),
    "values that are excluded are common": ("LabelValues", "OneOf(Common \\ Excluded)", "OneOf(Common)"),
    "a cordon is no taint": ("KarpenterPools", "{CordonTaint} ELSE {}", "{} ELSE {}"),
    "a pool without values has no domains of types": ("KarpenterPools", "Stated \\union {Combined", "Stated \\intersect {Combined"),
    "an exceeded resource does not matter": ("KarpenterPools", "Room[Resource] >= 0", "TRUE"),
    "offerings that are not available are launched": ("KarpenterPools", "Requirements) : Offering.Available}", "Requirements) : TRUE}"),
    "alternatives of affinity are not given up": ("KarpenterAsking", "Len(Asking.Terms) > 1", "Len(Asking.Terms) > 9"),
    "every constraint is given up": ("KarpenterAsking", "~Asking.Spread[i].Required}", "TRUE}"),
    "nodes that are not selected count": ("KarpenterAsking", "\\E Each \\in Rule.Alternatives : Compatible(Requirements, Each, {})", "TRUE"),
    "terminating pods count": ("KarpenterTopology", "~Pod.Terminating /\\ ~Completed(Pod) /\\ Identity", "~Completed(Pod) /\\ Identity"),
    "nodes in flight show domains": ("KarpenterTopology", "~InFlight(Node) /\\ Passes", "Passes"),
    "any even domain is taken": ("KarpenterTopology", "Numbers[Domain] <= Numbers[Other]}", "TRUE}"),
    "skew is not bounded": ("KarpenterTopology", "Given(Numbers, Host) + Itself <= Rule.Skew", "TRUE"),
    "anti-affinity of bound pods is overlooked": ("KarpenterTopology", "{Pod \\in Existing : ForbiddingRules(Pod) # {}}", "{}"),
    "nodes in flight have taints of their own": ("KarpenterSolving", "Borne == IF Coming = {} THEN", "Borne == IF TRUE THEN"),
    "claims are tried in any order": ("KarpenterSolving", "!.Claims = ByPods(@, 0)]", "!.Claims = @]"),
    "limits of pools do not matter": ("KarpenterSolving", ": Within(Type)}", ": TRUE}"),
    "nodes in flight come first": ("KarpenterSolving", "ByName(Visible \\ Coming) \\o ByName(Coming)", "ByName(Coming) \\o ByName(Visible \\ Coming)"),
    "a pod without a place is not tried again": ("KarpenterSolving", "Append(Tail(Queue), Asking)", "Tail(Queue)"),
    "budgets do not block": ("KarpenterCandidates", "Budget.DisruptionsAllowed # 0", "TRUE"),
    "percentages are rounded down": ("KarpenterCandidates", "+ 99) \\div 100", ") \\div 100"),
    "nodes that are not ready are not going": ("KarpenterCandidates", ' \\/ Node.Status.Ready # "True"}', "}"),
    "nominated nodes are disrupted": ("KarpenterCandidates", "Node \\notin Expecting /\\ ", ""),
    "any empty nodes go": ("KarpenterConsolidation", "~WorthLess(Each, Other)", "TRUE"),
    "empty nodes go beyond budgets": ("KarpenterConsolidation", 'Min({Cardinality(Of(Pool, Empty)), SpareNodes(Pool, Snapshot, "Empty")})', "Cardinality(Of(Pool, Empty))"),
    "spot prices do not count": ("KarpenterConsolidation", "IF Spot = {} THEN Open ELSE Spot}", "Open}"),
    "spot nodes are replaced by spot nodes": ("KarpenterConsolidation", 'ELSE IF Allows(Kinds, "spot") /\\ AllSpot THEN {}', "ELSE IF FALSE THEN {}"),
    "replacements cost as much": ("KarpenterConsolidation", "WorstPrice(Type, Claim.Requirements) < Limit", "WorstPrice(Type, Claim.Requirements) <= Limit"),
    "commands are not validated": ("KarpenterConsolidation", "IF Agrees(Solution, Command, Gone, Waiting) THEN Result ELSE {}", "Result"),
    "the cheapest nodes come first": ("KarpenterConsolidation", "Other.Price * Each.Cost <= Each.Price * Other.Cost}", "Other.Price * Each.Cost >= Each.Price * Other.Cost}"),
    "claims are created beyond limits": ("KubeProvisionedCluster", "Usage[Resource] > Pool.Limits[Resource]", "FALSE"),
    "any name is free": ("KubeProvisionedCluster", "Name \\notin Taken", "TRUE"),
    "a node starts without the taints of its pool": ("KubeProvisionedCluster", "Claim.Pool.Taints \\union ", ""),
    "replaced nodes are deleted at once": ("KubeProvisionedCluster", " /\\ Node.Name \\notin {Pair[1] : Pair \\in Pairs}", ""),
    "all pods leave at once": ("KubeProvisionedCluster", "Group(Pod) <= Group(Other)}", "TRUE}"),
    "marks last": ("KubeProvisionedCluster", 'Each.Spec.NodeName = ""}}\n\nMarking', "TRUE}}\n\nMarking"),
}  # fmt: skip
"""A text of a module and what stands instead of it, for each meaning that is broken."""
RARE = {
    "skew is not bounded": (203,),
    "budgets do not block": (80,),
    "any empty nodes go": (82,),
    "spot nodes are replaced by spot nodes": (103,),
    "claims are tried in any order": (80,),
    "a pod without a place is not tried again": (177,),
}
"""Clusters for broken meanings that hardly any cluster shows."""
SOON = ("commands are not validated",)


@pytest.mark.parametrize(
    "broken", [pytest.param(each, marks=[] if each in SOON else [pytest.mark.slow]) for each in BROKEN]
)
def test_a_broken_operator_differs_from_its_twin(broken: str) -> None:
    module, old, new = BROKEN[broken]
    text = (FOLDER / f"{module}.tla").read_text(encoding="utf-8")
    assert text.count(old) == 1
    own = {unit.name for unit in modules()[module].units if isinstance(unit, tree.Definition)}
    twins = [each for each in TWINS if each.operator in own]
    changed = {module: text.replace(old, new)}
    assert any(True for each in settings(RARE.get(broken, SEEDS)) for _ in unlike(twins, each, {}, changed))


def example(name: str = "zones-at-once", **fields: object) -> Scenario:
    return replace(scenario(read([EXAMPLES / f"karpenter-{name}"]), frozenset()), **fields)  # type: ignore[arg-type]


def test_an_eviction_from_a_drained_node_is_one(tmp_path: Path) -> None:
    asked = example(properties=("never_evicted(web-1)",))
    assert check(asked, symmetry=False).result.verdict == Verdict.VIOLATED
    assert result_of_module(asked, tmp_path).verdict == Verdict.VIOLATED


@pytest.mark.slow
def test_nodes_that_differ_in_a_label_alone_are_launched_in_tla_too(tmp_path: Path) -> None:
    made = example("limit", properties=("type_correct",))
    assert made.karpenter is not None
    (pool,) = made.karpenter.pools
    teams = replace(pool, requirements=(*pool.requirements, Requirement("team", "In", ("u", "v"))))
    spread = (SpreadConstraint(1, "team", selector=LabelSelector(made.pods[0].labels)),)
    pods = tuple(replace(pod, spread=spread) for pod in made.pods[:2])
    whole = replace(made, pods=pods, karpenter=replace(made.karpenter, pools=(teams,)))
    assert of_module(whole, tmp_path) == of_check(whole)
    assert (
        check(whole).result.distinct
        > check(example("limit", pods=made.pods[:2], properties=("type_correct",))).result.distinct
    )


def with_prices(*prices: float) -> Scenario:
    """An example whose one instance type is offered at these prices, in as many zones."""
    made = example()
    given = made.karpenter
    assert given is not None
    offerings = tuple(Offering(f"z{place}", "on-demand", price) for place, price in enumerate(prices))
    kind = InstanceType("t", allocatable=given.types[0].allocatable, offerings=offerings)
    return replace(made, karpenter=replace(given, types=(kind,)))


def test_prices_become_multiples_of_their_greatest_common_part() -> None:
    costs = costs_of(with_prices(0.8, 1.5, 1.0))
    assert [costs.price(each) for each in (0.0, 0.8, 1.0, 1.5)] == [0, 8, 10, 15]


def test_costs_of_pods_become_multiples_of_their_greatest_common_part() -> None:
    costs, urgent = costs_of(example()), replace(example().pods[0], priority=2**24)
    assert (costs.empty, costs.of(example().pods[0])) == (1, 1)
    pods = (urgent, *example().pods[1:])
    costs = costs_of(example(pods=pods))
    assert (costs.empty, [costs.of(pod) for pod in pods]) == (2, [3, 2])


@pytest.mark.parametrize(
    ("prices", "told"),
    [
        ((0.1, 0.7, 0.8), "the sum of the prices 0.1, 0.7 is rounded as a float"),
        ((0.1, 0.3), "the prices of nodes by their costs are rounded as floats"),
        ((0.0001, 999_999_999.0), "more than TLC's 32-bit integers hold"),
    ],
)
def test_prices_that_floats_round_are_refused(prices: tuple[float, ...], told: str) -> None:
    with pytest.raises(NotExportable, match=told):
        model_module(with_prices(*prices), "MC_priced")


def test_two_offerings_of_one_place_are_refused() -> None:
    made = with_prices(1.0)
    assert made.karpenter is not None
    (kind,) = made.karpenter.types
    twice = replace(kind, offerings=(*kind.offerings, kind.offerings[0]._replace(price=2.0)))
    with pytest.raises(NotExportable, match="t has two offerings of one zone and capacity type"):
        model_module(replace(made, karpenter=replace(made.karpenter, types=(twice,))), "MC_twice")


def test_constraints_that_differ_in_the_order_of_tolerations_are_refused() -> None:
    spread = (SpreadConstraint(1, "topology.kubernetes.io/zone", selector=LabelSelector()),)
    orders = (Toleration("a"), Toleration("b")), (Toleration("b"), Toleration("a"))
    pods = [replace(pod, spread=spread, tolerations=each) for pod, each in zip(example().pods, orders, strict=True)]
    with pytest.raises(NotExportable, match="differs from another in order alone"):
        model_module(example(pods=tuple(pods)), "MC_orders")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"profile": "classic"}, "the controller karpenter together with the profile classic has no module in tla/"),
        ({"rules": (Rule("shutdown", nodes=("zone-a-1",)),)}, "the event shutdown beside the controller karpenter"),
    ],
)
def test_what_tla_does_not_model_is_refused_by_name(fields: dict[str, object], told: str) -> None:
    with pytest.raises(NotExportable, match=told):
        model_module(example(**fields), "MC_refused")


def test_the_symmetry_of_karpenter_is_refused_by_name() -> None:
    with pytest.raises(NotExportable, match="the symmetry of scenarios with the controller karpenter"):
        model_module(example(), "MC_symmetric", symmetry=True)
