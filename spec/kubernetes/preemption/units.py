"""What preemption evicts as a whole if there are PodGroups: `Unit`, `units`, `put_back_orders`.

A unit is one pod, or all bound pods of a PodGroup whose disruptionMode is all. The priority of its group counts, if it
has one, not its own.

Kubernetes 1.37: getCrossNodesVictims in pkg/scheduler/framework/preemption/types.go, MoreImportantVictim and
FilterVictimsWithPDBViolation in pkg/scheduler/framework/preemption/util.go.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, groupby, permutations, product
from math import factorial, prod

from schedcheck.spec.binding import completed
from schedcheck.spec.importance import Kind, arranged, exchanged, kind, started
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.pod_group_members import pod_group, scheduled
from schedcheck.spec.kubernetes.preemption.disruption import Listing, overlapping, violating
from schedcheck.spec.objects import Pod, Snapshot

MOST_ORDERS = 5_000
"""The most orders of units that are told apart; with more, the decision is unknown."""


@dataclass(frozen=True)
class Unit:
    """Pods of which all are evicted or none, the priority that counts, and whether they name a PodGroup."""

    pods: frozenset[Pod]
    priority: int
    grouped: bool


def units(snapshot: Snapshot) -> frozenset[Unit]:
    r"""Return the bound pods of the snapshot as units, terminating ones included, completed ones not.

    TLA+: Units(Snapshot) ==
            {UnitOf(Pod, Snapshot) : Pod \in {Each \in Pods(Snapshot) : Each.Spec.NodeName # "" /\ ~Completed(Each)}}
    """
    return frozenset(unit_of(pod, snapshot) for pod in snapshot.pods if pod.node_name and not completed(pod))


def unit_of(pod: Pod, snapshot: Snapshot) -> Unit:
    r"""Return the unit of a bound pod. A pod whose group does not exist has its own priority.

    TLA+: UnitOf(Pod, Snapshot) ==
            LET Groups == PodGroupsOf(Pod)
                Group == CHOOSE Each \in Groups : TRUE
            IN IF Groups = {}
               THEN [Pods |-> {Pod}, Priority |-> Pod.Spec.Priority, Grouped |-> Pod.Spec.SchedulingGroup # ""]
               ELSE [Pods |-> IF Group.Together THEN Scheduled(Group, Snapshot) ELSE {Pod},
                     Priority |-> Group.Priority,
                     Grouped |-> TRUE]
    """
    group = pod_group(pod, snapshot)
    if group is None:
        return Unit(frozenset({pod}), pod.priority, bool(pod.scheduling_group))
    together = scheduled(group, snapshot) if group.disrupted_together else frozenset({pod})
    return Unit(together, group.priority, grouped=True)


def below(priority: int, snapshot: Snapshot) -> frozenset[Unit]:
    r"""Return the units that a group of this priority may evict.

    TLA+: UnitsBelow(Priority, Snapshot) == {Unit \in Units(Snapshot) : Unit.Priority < Priority}
    """
    return frozenset(unit for unit in units(snapshot) if unit.priority < priority)


def pods_of(some: Iterable[Unit]) -> frozenset[Pod]:
    r"""Return the pods of these units.

    TLA+: PodsOfUnits(Some) == UNION {Unit.Pods : Unit \in Some}
    """
    return frozenset(pod for unit in some for pod in unit.pods)


def importance(unit: Unit) -> tuple[int, bool, int, tuple[bool, int]]:
    r"""Return the sort key of importance, smaller being more important.

    A higher priority comes first, then what names a group, then more pods, then the earliest start of a pod.

    TLA+: UnitRank(Unit) ==
            <<-Unit.Priority,
              IF Unit.Grouped THEN 0 ELSE 1,
              -Cardinality(Unit.Pods),
              Min({Pod.Status.StartTime : Pod \in Unit.Pods})>>
    """
    return -unit.priority, not unit.grouped, -len(unit.pods), min(map(started, unit.pods))


def put_back_orders(
    some: frozenset[Unit], budgets: Listing, departures: Departures
) -> frozenset[tuple[Unit, ...]] | None:
    r"""Return the orders in which these units may be put back; None if there are too many.

    First come those with a pod whose eviction violates a budget. Equally important units come in any order, and the
    budgets are listed in any. Of the orders that differ only between units of one kind there is one.

    TLA+: ChargedInTurn(Order, Shared) ==
            IF Order = <<>> THEN {<<>>}
            ELSE {First \o Rest : First \in InSomeTurn(Head(Order), Shared), Rest \in ChargedInTurn(Tail(Order), Shared)}

    TLA+: PutBackOrders(Some, Snapshot) ==
            LET Guarded == PodsOfUnits(Some) \union Budgets(Snapshot)
                Shared == "later-budgets-uncharged" \in Departures /\ Overlapping(Guarded) # {}
            IN UNION {{ViolatorsFirst(Order, Violating(Charged, Listing)) :
                        Charged \in ChargedInTurn(Order, Shared), Listing \in Listings(Guarded)} :
                       Order \in UnitOrders(Some)}
    """
    shared = overlapping(budgets, pods_of(some), departures)
    if Departure.LATER_BUDGETS_UNCHARGED not in departures:
        shared = frozenset()
    others = tuple(each for each in budgets if each not in shared)
    inside = prod(factorial(len(unit.pods)) for unit in some) if shared else 1
    if number(some, budgets) * inside * factorial(len(shared)) > MOST_ORDERS:
        return None
    return frozenset(
        violators_first(order, violating(tuple(chain(*pods)), (*first, *others), departures))
        for order in orders(some, budgets)
        for first in permutations(sorted(shared, key=lambda each: each.key))
        for pods in product(*(within(unit, several=bool(shared)) for unit in order))
    )


def within(unit: Unit, *, several: bool) -> Iterator[tuple[Pod, ...]]:
    r"""Yield the orders in which the pods of a unit are charged to budgets: one, unless a pod has `several`.

    TLA+: InSomeTurn(Unit, Shared) ==
            IF ~Shared THEN {InAnyOrder(Unit.Pods)}
            ELSE {Order \in [1..Cardinality(Unit.Pods) -> Unit.Pods] : \A i, j \in DOMAIN Order : i # j => Order[i] # Order[j]}
    """
    pods = sorted(unit.pods, key=lambda pod: pod.key)
    return permutations(pods) if several else iter([tuple(pods)])


def violators_first(order: tuple[Unit, ...], violators: frozenset[Pod]) -> tuple[Unit, ...]:
    r"""Return the units of the order, first those with a pod that violates a budget.

    TLA+: ViolatorsFirst(Order, Violators) ==
            LET Violates(Unit) == Unit.Pods \intersect Violators # {}
            IN SelectSeq(Order, LAMBDA Unit : Violates(Unit)) \o SelectSeq(Order, LAMBDA Unit : ~Violates(Unit))
    """
    return tuple(sorted(order, key=lambda unit: not unit.pods & violators))


def by_rank(some: Iterable[Unit]) -> tuple[Unit, ...]:
    """Return the units in order of importance; equally important ones by name."""
    return tuple(sorted(some, key=lambda unit: (importance(unit), sorted(pod.key for pod in unit.pods))))


def kinds_of(some: Iterable[Unit], budgets: Listing) -> dict[Unit, frozenset[tuple[Kind, int]]]:
    """Return everything that distinguishes each unit from others except the names of its pods, in order of importance."""
    return {unit: frozenset(Counter(kind(pod, budgets) for pod in unit.pods).items()) for unit in by_rank(some)}


def orders(some: Iterable[Unit], budgets: Listing) -> Iterator[tuple[Unit, ...]]:
    r"""Yield the orders of importance of these units, one for all that differ only between units of one kind.

    TLA+: UnitOrders(Some) ==
            IF Some = {} THEN {<<>>}
            ELSE LET First == {Unit \in Some : \A Other \in Some : NoWorse(UnitRank(Unit), UnitRank(Other))}
                 IN UNION {{<<Unit>> \o Rest : Rest \in UnitOrders(Some \ {Unit})} : Unit \in First}
    """
    return arranged(kinds_of(some, budgets), importance)


def number(some: Iterable[Unit], budgets: Listing) -> int:
    """Return how many such orders there are."""
    kinds = kinds_of(some, budgets)
    alike = [Counter(kinds[unit] for unit in group) for _, group in groupby(kinds, key=importance)]
    return prod(factorial(each.total()) // prod(map(factorial, each.values())) for each in alike)


def any_alike(victims: Iterable[Unit], some: Iterable[Unit], budgets: Listing) -> Iterator[frozenset[Pod]]:
    """Yield the pods of every selection with as many units of each kind as `victims` has."""
    return map(pods_of, exchanged(victims, kinds_of(some, budgets)))
