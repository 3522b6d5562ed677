"""A cluster autoscaler in TLA+: its operators and steps agree with Python on drawn clusters; broken ones do not

The checker of the language runs the modules; TLC's own counts of the examples are in tla/manifest.json.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.result import Verdict
from schedcheck.manifests import read, scenario
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.tla_export.module import NotExportable, model_module
from schedcheck.tla_export.pools import _limit
from schedcheck.tla_export.shipped import FOLDER
from tests.node_pools.drawn import drawn, drawn_evenly
from tests.node_pools.replayed import scenario_of
from tests.support.building import pod
from tests.support.pooled import OWNED, of_pool, with_pools
from tests.tla.exported import of_check, of_module, result_of_module
from tests.tla.operators.asking import Tally, unlike
from tests.tla.operators.node_pools import TWINS, settings
from tests.tla.operators.test_steps import as_exported, walked

EXAMPLES = Path(__file__).parents[2] / "examples"
FEW = 2
"""The number of clusters that are asked about by default."""
CLUSTERS = 600
"""The number of those that are asked about in all; some are refused."""
PART = 40


@pytest.mark.parametrize(
    "name",
    ["zone-kept", *(pytest.param(each, marks=pytest.mark.slow) for each in ("at-rest", "zone-lost", "oscillate"))],
)
def test_the_module_of_an_example_has_the_counts_of_check(name: str, tmp_path: Path) -> None:
    example = scenario(read([EXAMPLES / f"node-pools-{name}"]), frozenset())
    whole = replace(example, properties=("type_correct",))
    assert of_module(whole, tmp_path) == of_check(whole)


def test_operators_agree_with_their_twins_on_a_few_clusters() -> None:
    tallies: dict[str, Tally] = {}
    assert [each for setting in settings(range(FEW)) for each in unlike(TWINS, setting, tallies)] == []
    assert min(each.snapshots for each in tallies.values()) > 0


@pytest.mark.slow
@pytest.mark.parametrize("first", range(FEW, CLUSTERS, PART))
def test_operators_agree_with_their_twins(first: int) -> None:
    assert [each for setting in settings(range(first, first + PART)) for each in unlike(TWINS, setting, {})] == []


def of_seed(seed: int) -> Scenario:
    given = scenario_of((drawn if seed % 3 else drawn_evenly)(seed))
    return as_exported(replace(given, properties=("type_correct",)))


@pytest.mark.parametrize("seed", [5, *(pytest.param(each, marks=pytest.mark.slow) for each in (0, 3, 4, 8, 12, 15))])
def test_a_drawn_cluster_takes_the_same_steps_in_tla_and_python(seed: int, tmp_path: Path) -> None:
    assert walked(of_seed(seed), tmp_path, seed, 3)


SEEDS = range(40)
"""The clusters on which a broken operator is asked."""

BROKEN = {
    "a drained node is no domain": ("PoolPacking", 'IF DrainedNodes = "removed" THEN', "IF TRUE THEN"),
    "priorities do not matter": ("PoolPacking", "Other.Spec.Priority <= Pod.Spec.Priority}", "TRUE}"),
    "terminating pods are created again": ("PoolPacking", " : ~Each.Terminating}", " : TRUE}"),
    "pods of a node stay": ("PoolPacking", "Object.Spec.NodeName \\notin Names", "TRUE"),
    "like pods are packed each alone": ("PoolGrowth", "FactsOf(Other).Group = FactsOf(Pod).Group", "Other = Pod"),
    "a pool grows to its limit": ("PoolGrowth", "Min({Cardinality(Bins.Used), Trial.Room})", "Trial.Room"),
    "groups of any size come first": ("PoolGrowth", "SizeOf(Other, Trial.Pool) <= SizeOf(Group, Trial.Pool)}", "TRUE}"),
    "a new node has no pods": ("PoolGrowth", " /\\ (FactsOf(Pod).Mirror \\/ FactsOf(Pod).Daemon)}", " /\\ FALSE}"),
    "every node is little used": ("PoolRemovals", 'Uses("cpu") <= NodeLimits[Node.Name].cpu', "TRUE"),
    "a pool may fall below its minimum": ("PoolRemovals", "Cardinality(Own \\ Going) - Cardinality(Lost) >= Pool.Least", "TRUE"),
    "every pod may be moved": ("PoolRemovals", ": ~Blocks(Pod, Imagined)", ": TRUE"),
    "two nodes with pods may go": ("PoolRemovals", "Drained + Cardinality(Busy) <= 1", "TRUE"),
    "budgets stay as they are": ("PoolRemovals", "@ - Cardinality(", "@ + 0 * Cardinality("),
    "nodes are removed while a pool grows": ("KubePooledCluster", "\\A Pool \\in AutoscaledPools : 0 \\in Grown[Pool]", "TRUE"),
    "any name is free": ("KubePooledCluster", "Name \\notin Taken", "TRUE"),
    "budgets do not block": ("NodePools", "Budget.DisruptionsAllowed < 1", "FALSE"),
    "system pods block": ("NodePools", 'Pod.Namespace = "kube-system" /\\ Over = {}', "FALSE"),
}  # fmt: skip
"""A text of a module and what stands instead of it, for each meaning that is broken."""
RARE = {
    "nodes are removed while a pool grows": (48, 63),
    "priorities do not matter": (80, 641, 812),
    "groups of any size come first": (342, 693, 1087),
    "two nodes with pods may go": (523, 838, 1366),
    "system pods block": (677, 1084, 1159),
}
"""Clusters for broken meanings that hardly any cluster shows."""
SOON = ("nodes are removed while a pool grows", "every pod may be moved")


@pytest.mark.parametrize(
    "broken", [pytest.param(each, marks=[] if each in SOON else [pytest.mark.slow]) for each in BROKEN]
)
def test_a_broken_operator_differs_from_its_twin(broken: str) -> None:
    module, old, new = BROKEN[broken]
    text = (FOLDER / f"{module}.tla").read_text(encoding="utf-8")
    assert text.count(old) == 1
    changed = {module: text.replace(old, new)}
    assert any(True for each in settings(RARE.get(broken, SEEDS)) for _ in unlike(TWINS, each, {}, changed))


DRAINED = with_pools(
    of_pool("a-1"),
    of_pool("a-2"),
    pod("web", 1, "a-1", **OWNED),
    rules=(Rule("cordon", nodes=("a-2",), bound=1),),
    properties=("never_evicted(web)",),
)
"""A pod that is moved from one node to the other."""


def test_an_eviction_from_a_drained_node_is_one(tmp_path: Path) -> None:
    assert check(DRAINED, symmetry=False).result.verdict == Verdict.VIOLATED
    assert result_of_module(DRAINED, tmp_path).verdict == Verdict.VIOLATED


@pytest.mark.parametrize(
    ("offered", "divisor", "threshold", "limit"),
    [(4000, 100, 0.5, 20), (3, 1, 0.5, 1), (10, 1, 0.7, 7), (7, 2, 0.0, 0)],
)
def test_the_limit_of_a_little_used_node_is_the_last_share_not_above_the_threshold(
    offered: int, divisor: int, threshold: float, limit: int
) -> None:
    assert _limit(offered, divisor, threshold) == limit
    assert limit * divisor / offered <= threshold < (limit + 1) * divisor / offered


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"profile": "classic"}, "the controller nodePools together with the profile classic has no module in tla/"),
        ({"rules": (Rule("shutdown", nodes=("a-1",)),)}, "the event shutdown beside the controller nodePools"),
    ],
)
def test_what_tla_does_not_model_is_refused_by_name(fields: dict[str, object], told: str) -> None:
    with pytest.raises(NotExportable, match=told):
        model_module(replace(DRAINED, **fields), "MC_drained")


def test_the_symmetry_of_node_pools_is_refused_by_name() -> None:
    with pytest.raises(NotExportable, match="the symmetry of scenarios with the controller nodePools"):
        model_module(DRAINED, "MC_drained", symmetry=True)
