"""The operators of PodGroups with their twins: `TWINS`; and the clusters that they are asked about: `settings`

The clusters are those of `tests.tla.random_groups.contended`. Of orders that differ only between units of one kind Python
keeps one; here all of them are compared.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, permutations, product
from random import Random
from typing import Any

from frozendict import frozendict

from schedcheck.model.profiles import plugins_of, profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.decisions import Bind, Decision, Nominate, Unknown, Wait
from schedcheck.spec.kubernetes import pod_groups
from schedcheck.spec.kubernetes.control_loop import decision, turn
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import filtered, refusals
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.pod_groups import Choices, Ending, Pairs
from schedcheck.spec.kubernetes.preemption import of_groups, units
from schedcheck.spec.kubernetes.preemption.of_groups import Attempt, Emptied
from schedcheck.spec.kubernetes.preemption.units import Unit
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.properties.of_decisions import in_some_order
from schedcheck.spec.published.control_loop import after
from schedcheck.spec.workload_objects import PodGroup
from schedcheck.tla_export.kubernetes_model import kubernetes_parts
from schedcheck.tla_export.kubernetes_objects import kubernetes_pod_record, pod_group_record
from schedcheck.tla_export.module import NotExportable
from schedcheck.tla_export.records import Object, Records
from schedcheck.tla_export.text import Record
from schedcheck.tla_export.values import NULL, evaluated
from tests.tla.operators.asking import Setting
from tests.tla.operators.cases import Case, NoSuch
from tests.tla.operators.told import Fields, Raw
from tests.tla.operators.twin import Twin
from tests.tla.random_groups import contended

Order = tuple[Unit, ...]


class GroupRecords(Records):
    """Records whose pods also have the name of their PodGroup."""

    def written(self, given: Object) -> Record:
        if isinstance(given, Pod):
            return kubernetes_pod_record(given, self.scale, self.starts, groups=True)
        return super().written(given)


@dataclass(frozen=True)
class OfGroup(Raw):
    """The record of a PodGroup, and the PodGroup."""

    group: PodGroup


@dataclass(frozen=True)
class OfUnit(Fields):
    """The record of a unit, and the unit."""

    unit: Unit


@dataclass(frozen=True)
class Decided(Fields):
    """The record of a decision, and the decision."""

    decision: Decision


@dataclass(frozen=True)
class Trial:
    """A pod of `placed` whose node is tried again with the pods `back`, in the cycle that goes on."""

    placed: Pairs
    at: int
    back: frozenset[Pod]


@dataclass(frozen=True)
class GroupCase(Case):
    """A cluster with PodGroups."""

    @cached_property
    def group(self) -> PodGroup:
        """The group, mostly the one that may preempt."""
        return self.one([each for each in self.snapshot.pod_groups if each.name == "red" or self.random.random() < 0.3])

    def told_group(self) -> OfGroup:
        return OfGroup(evaluated(pod_group_record(self.group, self.records.scale)), self.group)

    @cached_property
    def order(self) -> tuple[Pod, ...]:  # type: ignore[override]
        """The pods that the cycle tries, in some order."""
        pods = sorted(pod_groups.tried(self.group, self.snapshot, self.plugins), key=lambda pod: pod.key)
        return tuple(self.random.sample(pods, len(pods)))

    @cached_property
    def attempt(self) -> Attempt:
        return Attempt(self.group, self.snapshot, self.plugins)

    @cached_property
    def placed(self) -> Pairs:
        """What the cycle finds without the units of lower priority. Raises: NoSuch."""
        if not self.attempt.victims:
            raise NoSuch
        second = pod_groups.found_in_turn(self.group, self.order, self.attempt.emptied, Choices(self.plugins))
        return self.one(sorted((each.placed for each in second if each.placed), key=str))

    @cached_property
    def emptied(self) -> Emptied:
        return Emptied(self.attempt.emptied, self.placed, self.plugins)

    @cached_property
    def trial(self) -> Trial:
        back = self.some(sorted(self.attempt.victims, key=by_name))
        return Trial(self.placed, self.random.randrange(len(self.placed)), units.pods_of(back))

    @cached_property
    def resumed(self) -> tuple[Cycle, NodeInfo]:
        """The cycle that goes on, and the node of its pod."""
        again = self.emptied.resumed(self.emptied.cycles[self.trial.at], self.trial.back)
        return again, next(info for info in again.infos if info.node == self.tried_again[1])

    @property
    def tried_again(self) -> tuple[Pod, Node]:
        return self.placed[self.trial.at]

    @cached_property
    def before(self) -> Snapshot:
        """What the cycle of that pod saw."""
        return self.emptied.cycles[self.trial.at].snapshot

    def unit(self) -> OfUnit:
        return told_unit(self.one(sorted(units.units(self.snapshot), key=by_name)), self)

    @cached_property
    def some_units(self) -> frozenset[Unit]:
        return self.some(sorted(units.units(self.snapshot), key=by_name))

    @cached_property
    def ranked(self) -> Order:
        """Some units in an order of importance."""
        some = sorted(self.some_units, key=by_name)
        return tuple(sorted(self.random.sample(some, len(some)), key=units.importance))

    def told_units(self, some: Iterable[Unit]) -> frozenset[OfUnit]:
        return frozenset(told_unit(each, self) for each in some)

    def told_order(self, order: Order) -> tuple[OfUnit, ...]:
        return tuple(told_unit(each, self) for each in order)

    def member(self) -> Pod:
        return self.one([each for each in self.snapshot.pods if each.scheduling_group])

    def known(self, pod: Pod) -> list[Decision]:
        """The decisions for a pod, sorted. Raises: NoSuch if they are not known."""
        found = sorted(decision(pod, self.snapshot, self.plugins), key=str)
        if any(isinstance(each, Unknown) for each in found):
            raise NoSuch
        return found

    def asked(self) -> Pod:
        return self.one(sorted(turn(self.snapshot, self.plugins), key=lambda pod: pod.key))

    def decided(self, pod: Pod) -> Decided:
        return told_decision(self.one(self.known(pod)))

    @cached_property
    def pairs(self) -> frozenset[tuple[Pod, Node]]:
        """Pods of the group, each with some node."""
        return frozenset((pod, self.node()) for pod in self.order)


def by_name(unit: Unit) -> list[tuple[str, str]]:
    return sorted(pod.key for pod in unit.pods)


def told_unit(unit: Unit, case: GroupCase) -> OfUnit:
    priority = unit.priority // case.records.scale.priority
    return OfUnit(frozendict(Pods=unit.pods, Priority=priority, Grouped=unit.grouped), unit)


def told_decision(made: Decision) -> Decided:
    """The decision as a record."""
    base: dict[str, Any] = {
        "Node": None,
        "Victims": frozenset(),
        "Unnominated": False,
        "Placed": frozenset(),
        "Left": False,
    }
    fields: dict[str, Any] = {**base, "Others": frozenset()}
    match made:
        case Bind(pod, node, _, _, together):
            fields |= {"Kind": "Bind", "Node": node}
            fields["Placed"] = frozenset({(pod, node), *together}) if pod.scheduling_group else frozenset()
        case Nominate(pod, node, victims, _, together):
            fields |= {"Kind": "Nominate", "Node": node, "Victims": victims}
            fields["Placed"] = frozenset() if together is None else frozenset({(pod, node), *together})
        case Wait(_, _, unnominated, left, others):
            fields |= {"Kind": "Wait", "Unnominated": unnominated, "Left": left, "Others": frozenset(others)}
    return Decided(frozendict(fields), made)


def told_ends(found: Any) -> frozenset[Fields]:
    """The ends of a cycle as records. Raises: NoSuch if they are not known."""
    if isinstance(found, str):
        raise NoSuch
    return frozenset(
        Fields(frozendict(Placed=frozenset(each.placed), Nominated=frozenset(each.nominated), Victims=each.victims, Lost=each.lost))
        for each in found
    )  # fmt: skip


def told_way(end: Ending) -> Fields:
    return Fields(frozendict(Placed=end.placed, Error=end.error, Lost=end.lost))


def all_of_a_kind(found: Iterable[Order], case: GroupCase) -> frozenset[Order]:
    """Every order that differs from one of these only between units of one kind."""
    budgets = case.snapshot.budgets_over(units.pods_of(case.some_units))
    kinds = units.kinds_of(case.some_units, budgets)
    alike = {kind: [unit for unit in kinds if kinds[unit] == kind] for kind in kinds.values()}
    orders = set()
    for order in found:
        for named in product(*(permutations(some) for some in alike.values())):
            turns = {kind: iter(some) for kind, some in zip(alike, named, strict=True)}
            orders.add(tuple(next(turns[kinds[unit]]) for unit in order))
    return frozenset(orders)


def put_back(case: GroupCase) -> frozenset[tuple[OfUnit, ...]]:
    budgets = case.snapshot.budgets_over(units.pods_of(case.some_units))
    found = units.put_back_orders(case.some_units, budgets, case.departures)
    if found is None:
        raise NoSuch
    return frozenset(map(case.told_order, all_of_a_kind(found, case)))


def unit_orders(case: GroupCase) -> frozenset[tuple[OfUnit, ...]]:
    budgets = case.snapshot.budgets_over(units.pods_of(case.some_units))
    return frozenset(map(case.told_order, all_of_a_kind(units.orders(case.some_units, budgets), case)))


def charged(order: tuple[OfUnit, ...]) -> frozenset[tuple[Pod, ...]]:
    turns = product(*(units.within(each.unit, several=True) for each in order))
    return frozenset(tuple(chain(*pods)) for pods in turns)


def rank(unit: OfUnit, case: GroupCase) -> tuple[int, int, int, int]:
    priority, plain, pods, (late, start) = units.importance(unit.unit)
    starts = case.records.starts
    return priority // case.records.scale.priority, int(plain), pods, len(starts) if late else starts.index(start)


def spared(case: GroupCase, order: tuple[OfUnit, ...]) -> frozenset[OfUnit]:
    return case.told_units(case.emptied.spared(tuple(each.unit for each in order)))


def waiting_with(decided: Decided, pod: Pod, snapshot: Snapshot) -> frozenset[Pod]:
    group = pod_groups.pod_group(pod, snapshot) if decided.values["Placed"] else None
    return frozenset({pod}) if group is None else pod_groups.unbound_members(group, snapshot)


def feasible(case: GroupCase, pod: Pod, node: Node, snapshot: Snapshot) -> bool:
    return case.profile.feasibility(pod, node, snapshot)


def together(case: GroupCase, pairs: frozenset[tuple[Pod, Node]], snapshot: Snapshot) -> bool:
    return in_some_order(pairs, snapshot, lambda *given: feasible(case, *given))


def groups_of(case: GroupCase, pod: Pod) -> frozenset[OfGroup]:
    found = pod_groups.pod_group(pod, case.snapshot)
    return (
        frozenset()
        if found is None
        else frozenset({OfGroup(evaluated(pod_group_record(found, case.records.scale)), found)})
    )


GROUP = {"Group": GroupCase.told_group}
ORDER = GROUP | {"Order": lambda case: case.order}
EMPTY = {"Empty": lambda case: case.attempt.emptied}
TRIAL = EMPTY | {
    "Pod": lambda case: case.tried_again[0],
    "Node": lambda case: case.tried_again[1],
    "Before": lambda case: case.before,
    "Back": lambda case: case.trial.back,
}
LOWER = {"Lower": lambda case: case.told_units(case.attempt.victims)}
PLACED = {"Placed_": lambda case: case.placed}
UNITS = {"Some": lambda case: case.told_units(case.some_units)}
RANKED = {"Order": lambda case: case.told_order(case.ranked)}

TWINS = (
    # KubePodGroups
    Twin("PodGroupsOf", groups_of),
    Twin("GroupMembers", lambda group, snapshot: pod_groups.group_members(group.group, snapshot), GROUP),
    Twin("UnboundMembers", lambda group, snapshot: pod_groups.unbound_members(group.group, snapshot), GROUP),
    Twin("Scheduled", lambda group, snapshot: pod_groups.scheduled(group.group, snapshot), GROUP),
    Twin("FewestOf", lambda group: pod_groups.fewest(group.group), GROUP),
    Twin("PodGroupRefused", lambda case, pod, snapshot: pod_groups.group_refusal(pod, snapshot, case.plugins) is not None, {"Pod": GroupCase.member}),
    Twin("AllAlike", lambda case, group, snapshot: pod_groups.alike(group.group, snapshot, case.plugins), GROUP),
    Twin("Awaiting", pod_groups.awaiting, {"Some": lambda case: case.some(case.snapshot.pods)}),
    Twin("Assumed", pod_groups.assumed, {"Pod": Case.waits}),
    Twin("FoundInTurn", lambda case, group, order, snapshot: frozenset(map(told_way, pod_groups.found_in_turn(group.group, order, snapshot, Choices(case.plugins)))), ORDER | {"Placed_": lambda case: ()}),
    Twin("Tried", lambda case, group, snapshot: pod_groups.tried(group.group, snapshot, case.plugins), GROUP),
    Twin("QueuedOrders", lambda some: frozenset(filter(pod_groups.highest_first, permutations(some))), {"Some": lambda case: frozenset(case.random.sample(case.snapshot.pods, min(3, len(case.snapshot.pods))))}),
    # KubeGroupUnits
    Twin("UnitOf", lambda case, pod, snapshot: told_unit(units.unit_of(pod, snapshot), case), {"Pod": lambda case: case.one([each for each in case.snapshot.pods if each.node_name])}),
    Twin("Units", lambda case, snapshot: case.told_units(units.units(snapshot))),
    Twin("UnitsBelow", lambda case, snapshot: case.told_units(units.below(case.group.priority, snapshot)), {"Priority": lambda case: case.group.priority // case.records.scale.priority}),
    Twin("PodsOfUnits", lambda case: units.pods_of(case.some_units), UNITS),
    Twin("UnitRank", lambda case, unit: rank(unit, case), {"Unit": GroupCase.unit}),
    Twin("UnitOrders", unit_orders, UNITS),
    Twin("InSomeTurn", lambda unit: frozenset(units.within(unit.unit, several=True)), {"Unit": GroupCase.unit, "Shared": lambda case: True}),
    Twin("ChargedInTurn", charged, RANKED | {"Shared": lambda case: True}),
    Twin("ViolatorsFirst", lambda case, order, violators: case.told_order(units.violators_first(case.ranked, violators)), RANKED | {"Violators": lambda case: case.some(sorted(units.pods_of(case.some_units), key=lambda pod: pod.key))}),
    Twin("PutBackOrders", put_back, UNITS),
    # KubeGroupPreemption
    Twin("ResumedRefusals", lambda case: frozenset(refusals(*case.resumed)), TRIAL | {"Info": lambda case: case.resumed[1]}),
    Twin("StillFits", lambda case: filtered(*case.resumed) is None, TRIAL),
    Twin("AllStillFit", lambda case: case.emptied.fits(case.trial.back), TRIAL | PLACED | {"Before": lambda case: case.attempt.emptied}),
    Twin("SparedUnits", spared, EMPTY | PLACED | {"Order": lambda case: case.told_order(case.random.choice(sorted(case.attempt.orders, key=str))), "SoFar": lambda case: frozenset()}),
    Twin("PairsOf", lambda case: frozenset(case.placed), PLACED),
    Twin("NominatingEnds", lambda case: told_ends(case.attempt.nominating(case.placed)), PLACED | LOWER),
    Twin("GroupMayPreempt", lambda case: case.attempt.eligible(case.order), ORDER | LOWER),
    Twin("AwaitsVictims", lambda case, pod: case.attempt.awaits_victims(pod), LOWER | {"Pod": lambda case: case.one(case.order)}),
    Twin("EndsInOrder", lambda case: told_ends(case.attempt.outcomes(case.order)), ORDER),
    Twin("GroupEndings", lambda case, group, snapshot: told_ends(of_groups.outcomes(group.group, snapshot, case.plugins)), GROUP),
    # KubeGroupDecisions
    Twin("PodGroupDecisions", lambda case, pod: frozenset(map(told_decision, case.known(pod))), {"Pod": GroupCase.asked}),
    Twin("PodGroupTurn", lambda case, snapshot: turn(snapshot, case.plugins)),
    Twin("PodGroupAfter", lambda decided, pod, snapshot: after(decided.decision, snapshot), {"Pod": GroupCase.asked, "Decided": GroupCase.decided}),
    Twin("WaitingWith", waiting_with, {"Pod": GroupCase.asked, "Decided": GroupCase.decided}),
    Twin("CanBePlaced", lambda case, group, snapshot: pod_groups.can_be_placed(group.group, snapshot, case.plugins, lambda *given: feasible(case, *given)), GROUP),
    Twin("OneAfterTheOther", together, {"Pairs": lambda case: case.pairs}),
)  # fmt: skip


def awaiting_victims(scenario: Scenario, chance: Random) -> Scenario:
    """Return the scenario in which a pod of the group is nominated to a node from which a preempted pod is leaving."""
    leaving = replace(
        chance.choice([each for each in scenario.pods if each.node_name]), terminating=True, preempted=True
    )
    member = chance.choice([each for each in scenario.pods if each.scheduling_group == "red"])
    known = {each.key: each for each in (leaving, replace(member, nominated_node_name=leaving.node_name))}
    return replace(scenario, pods=tuple(known.get(each.key, each) for each in scenario.pods))


def settings(seeds: Iterable[int]) -> Iterator[Setting]:
    """Yield each cluster that can be exported, every third one of a kube-scheduler without departures, with its constants."""
    for seed in seeds:
        scenario = replace(contended(seed), absent=frozenset(), rules=())
        if seed % 4 == 1:
            scenario = awaiting_victims(scenario, Random(f"awaiting/{seed}"))
        if seed % 3 == 0:
            scenario = replace(scenario, profile="kubernetes-documented")
        try:
            scaled, _, written = kubernetes_parts(scenario, scenario.pods)
        except NotExportable:
            continue
        constants = {name: evaluated(value) for name, value in written.items()}
        constants |= {"Null": NULL, "VictimsBecome": "absent", "CompletedBecome": "absent"}
        profile = profile_of(scenario)
        (state,) = (machine := Reference(scenario, profile)).initial_states()
        starts = sorted({pod.start_time for pod in scenario.pods if pod.start_time is not None})
        case = GroupCase(
            machine.view(state),
            GroupRecords(scaled, kubernetes=True, starts=starts),
            Random(seed),
            judge=profile,
            plugins=plugins_of(scenario.pods[0], scenario),
        )
        yield Setting(f"cluster {seed}", {str(seed): case}, constants, ("KubePodGroupCluster",))
