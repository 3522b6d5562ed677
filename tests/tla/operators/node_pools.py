"""The operators of a cluster autoscaler with their twins: `TWINS`; and the clusters that they are asked about: `settings`

The clusters are those of `tests.node_pools.drawn`. Where the answer is a set of simulated snapshots, of which Python keeps
one of those that differ by the names of like pods, what follows from the set is compared instead.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random

from frozendict import frozendict

from schedcheck.errors import InputError
from schedcheck.model.controllers.node_pools import draining, packing, simulation
from schedcheck.model.controllers.node_pools.estimating import (
    Bins,
    Estimation,
    _daemons,
    expansions,
    groups_of,
)
from schedcheck.model.controllers.node_pools.packing import Packed
from schedcheck.model.controllers.node_pools.removing import Removing, _less, removals
from schedcheck.model.controllers.node_pools.scaling import NodeScaling
from schedcheck.model.environment import in_order
from schedcheck.model.pooling import NodePool, NodePools
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.terms import LabelSelector
from schedcheck.tla_export.kubernetes_model import kubernetes_parts
from schedcheck.tla_export.module import NotExportable, _taint_keys, _tolerating
from schedcheck.tla_export.pools import _pool
from schedcheck.tla_export.records import Records
from schedcheck.tla_export.values import NULL, evaluated
from tests.node_pools.drawn import drawn, drawn_evenly
from tests.node_pools.replayed import scenario_of
from tests.tla.operators.asking import Setting
from tests.tla.operators.cases import Case, NoSuch
from tests.tla.operators.told import Fields, Raw
from tests.tla.operators.twin import Twin


@dataclass(frozen=True)
class OfPool(Raw):
    """The record of a pool, and the pool."""

    pool: NodePool


@dataclass(frozen=True)
class OfPacking(Fields):
    """The record of a packing, and the packing."""

    packed: Packed


@dataclass(frozen=True)
class OfBins(Fields):
    """The record of new nodes of a simulation, and these."""

    bins: Bins


@dataclass(frozen=True)
class PoolCase(Case):
    """A cluster with node pools."""

    scenario: Scenario = field(default_factory=lambda: Scenario("", (), ()))

    @property
    def pools(self) -> NodePools:
        assert self.scenario.node_pools is not None
        return self.scenario.node_pools

    @cached_property
    def packings(self) -> list[Packed]:
        return list(packing.packings(self.snapshot, self.pools, self.profile))

    def pool(self) -> OfPool:
        pool = self.one(self.pools.pools)
        return OfPool(evaluated(_pool(pool, self.records.scale, 1)), pool)

    def packing(self) -> OfPacking:
        packed = self.one(self.packings)
        return OfPacking({"Imagined": packed.there, "Left": frozenset(packed.left)}, packed)

    def imagined(self) -> Snapshot:
        return self.one(self.packings).there

    def terminating(self) -> frozenset[Pod]:
        return self.some([pod for pod in self.snapshot.pods if pod.terminating])

    def names(self) -> frozenset[str]:
        return self.some([node.name for node in self.snapshot.nodes])

    def to_place(self) -> Pod:
        """Any pod, as if it waited."""
        return replace(self.pod(), node_name="")

    def budget(self) -> PodDisruptionBudget:
        mine = PodDisruptionBudget("b", selector=LabelSelector(frozendict(app="a")), disruptions_allowed=2)
        return self.one((*self.snapshot.budgets, mine))

    def removing(self, discounted: frozenset[Pod]) -> Removing:
        return Removing(self.snapshot, self.pools, self.profile, discounted)

    def bins(self) -> OfBins:
        """No, one or two new nodes, with a pod or without."""
        pool, there, used = self.one(self.pools.pools), self.imagined(), set[str]()
        new: list[Node] = []
        for number in range(self.random.choice((0, 1, 1, 2))):
            new.append(pool.fresh(f"template-node-for-{pool.name}-e-{number}"))
            there = simulation.with_node(there, new[-1])
            unplaced = [pod for pod in there.pods if not pod.node_name]
            if unplaced and self.random.random() < 0.6:
                there = simulation.placed(self.one(unplaced), new[-1], there)
                used.add(new[-1].name)
        bins = Bins(there, tuple(new), frozenset(used))
        return OfBins({"Imagined": there, "New": bins.new, "Used": bins.used, "More": True}, bins)

    def any_with_node(self, name: str) -> Node:
        return next(each for each in self.snapshot.nodes if each.name == name)


def others(case: PoolCase, pod: Pod, bins: OfBins) -> frozenset[Node]:
    pool = case.one(case.pools.pools)
    return frozenset(Estimation(pool, pool.most, (), case.profile)._others(pod, bins.bins))


def changes(case: PoolCase) -> frozenset[Fields]:
    """What may be decided, as sets of nodes that go and that come."""
    scaling, found = NodeScaling(case.scenario, case.pools, case.profile), set[Fields]()
    there = {node.name: node for node in case.snapshot.nodes}
    for _, renewed in scaling._decisions(case.snapshot):
        come = frozenset(node for _, node in renewed)
        gone = frozenset(there[name] for name, _ in renewed if name in there)
        found.add(Fields(frozendict(Gone=gone, Come=come)))
    return frozenset(found)


def within_limits(case: PoolCase, names: frozenset[str], drained: int) -> bool:
    return case.removing(frozenset())._within_limits(tuple(sorted(names)), drained)


def moved_from(case: PoolCase, name: str, imagined: Snapshot, discounted: frozenset[Pod]) -> frozenset[Pod]:
    moved = case.removing(discounted)._moved(name, imagined)
    if moved is None:
        raise NoSuch
    return frozenset(moved)


def removable(case: PoolCase, name: str, imagined: Snapshot, discounted: frozenset[Pod]) -> bool:
    return case.removing(discounted)._moved(name, imagined) is not None


def without(names: frozenset[str], imagined: Snapshot) -> Snapshot:
    for name in names:
        imagined = simulation.without_node(imagined, name)
    return imagined


def added(case: PoolCase, pool: OfPool, number: int, snapshot: Snapshot) -> frozenset[Node]:
    scaling = NodeScaling(case.scenario, case.pools, case.profile)
    return frozenset(node for _, node in scaling._added(pool.pool, number, snapshot)[1] if node is not None)


NAME = {"Name": lambda case: case.node().name}
IMAGINED = {"Imagined": PoolCase.imagined}
POOL = {"Pool": PoolCase.pool}
DISCOUNTED = {"Discounted": PoolCase.terminating}
TO_PLACE = {"Pod": PoolCase.to_place}

TWINS = (
    # NodePools
    Twin("InPool", lambda case, node, pool: case.pools.pool_of(node) is pool.pool, POOL),
    Twin("NodesIn", lambda case, pool, snapshot: frozenset(node for node in snapshot.nodes if case.pools.pool_of(node) is pool.pool), POOL),
    Twin("Pooled", lambda case, node: case.pools.pool_of(node) is not None),
    Twin("FreshNode", lambda pool, name: pool.pool.fresh(name), POOL | NAME),
    Twin("Draining", draining.draining),
    Twin("Marked", draining.marked),
    Twin("Unmarked", lambda node: in_order(draining.unmarked(node))),
    Twin("PodsSeen", lambda case, name, snapshot: frozenset(draining.seen(case.any_with_node(name), snapshot)), NAME),
    Twin("ToBeMoved", lambda case, name, snapshot: frozenset(draining.to_evict(case.any_with_node(name), snapshot, case.pools)), NAME),
    Twin("Blocks", lambda case, pod, snapshot: draining.blocks(pod, snapshot, case.pools)),
    # PoolPacking
    Twin("Takes", lambda case, node, pod, imagined: node in simulation.places(pod, (node,), imagined, case.profile), IMAGINED | TO_PLACE),
    Twin("PlacedOn", simulation.placed, IMAGINED | TO_PLACE),
    Twin("WithoutNodes", without, IMAGINED | {"Names": PoolCase.names}),
    Twin("Leaving", lambda case, some, imagined: frozenset(packing.leaving(some, imagined, case.pools)), IMAGINED | {"Some": lambda case: case.some(case.snapshot.nodes)}),
    # PoolGrowth
    Twin("OtherNodes", others, {"Bins": PoolCase.bins} | TO_PLACE),
    Twin("GroupsOf", lambda some: frozenset(map(frozenset, groups_of(tuple(sorted(some, key=lambda pod: pod.key))))), {"Some": lambda case: frozenset(case.one(case.packings).left)}),
    Twin("DaemonsOn", lambda case, node, snapshot: frozenset(_daemons(node, snapshot, case.pools))),
    Twin("Growths", lambda case, pool, packing, snapshot: expansions(pool.pool, packing.packed, snapshot, case.pools, case.profile), POOL | {"Packing": PoolCase.packing}),
    # PoolRemovals
    Twin("Eligible", lambda case, node, imagined, discounted: case.removing(discounted)._eligible(node, imagined), IMAGINED | DISCOUNTED),
    Twin("Removable", removable, NAME | IMAGINED | DISCOUNTED),
    Twin("MovedFrom", moved_from, NAME | IMAGINED | DISCOUNTED),
    Twin("Lowered", _less, {"Budget": PoolCase.budget, "Some": lambda case: case.some(case.snapshot.pods)}),
    Twin("WithinLimits", within_limits, {"Names": PoolCase.names, "Drained": lambda case: case.one((0, 1))}),
    Twin("RemovalsFrom", lambda case, imagined, discounted: frozenset(map(frozenset, case.removing(discounted).sets(imagined))), IMAGINED | DISCOUNTED),
    Twin("Removals", lambda case, imagined, snapshot: frozenset(map(frozenset, removals(imagined, snapshot, case.pools, case.profile))), IMAGINED),
    # KubePooledCluster
    Twin("Additions", added, POOL | {"Number": lambda case: case.one((1, 2, 3))}),
    Twin("ChangesOfNodes", changes),
    Twin("IsDrained", lambda case, node: draining.draining(node) and case.pools.pool_of(node) is not None),
)  # fmt: skip


def settings(seeds: Iterable[int]) -> Iterator[Setting]:
    """Yield each drawn cluster that can be exported, with its constants."""
    for seed in seeds:
        try:
            given = scenario_of((drawn if seed % 3 else drawn_evenly)(seed))
            keys = _taint_keys(given)
            scenario = replace(given, pods=tuple(_tolerating(pod, keys) for pod in given.pods))
            scaled, _, written = kubernetes_parts(scenario, scenario.pods)
        except (InputError, NotExportable):
            continue
        constants = {name: evaluated(value) for name, value in written.items()}
        constants |= {"Null": NULL, "VictimsBecome": "absent", "CompletedBecome": "absent"}
        profile = profile_of(scenario)
        machine = Reference(scenario, profile)
        (state,) = machine.initial_states()
        starts = sorted({pod.start_time for pod in scenario.pods if pod.start_time is not None})
        records = Records(scaled, kubernetes=True, starts=starts)
        case = PoolCase(machine.view(state), records, Random(seed), judge=profile, scenario=scenario)
        yield Setting(f"cluster {seed}", {str(seed): case}, constants, ("KubePooledCluster",))
