"""Evictions that violate a disruption budget, and the orders of budgets: `guards`, `violating`, `listings`, `violations`.

Kubernetes 1.37: FilterVictimsWithPDBViolation in pkg/scheduler/framework/preemption/util.go; before,
filterPodsWithPDBViolation in pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.
"""

from collections.abc import Iterable
from itertools import islice, permutations, product

from schedcheck.spec.budgets import protects
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.importance import Order, orders
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.objects import Pod, PodDisruptionBudget
from schedcheck.spec.terms import LabelSelector

Listing = tuple[PodDisruptionBudget, ...]
"""Disruption budgets in the order in which the scheduler lists them."""

MOST_LISTED = 10_000
"""The most listings of equally many budgets that are told apart; with more, the decision is unknown."""

TOO_MANY_LISTINGS = (
    "the decision depends on the order of disruption budgets that protect the same pods; there are too many orders"
)
"""The reason given for such a decision."""


def guards(budget: PodDisruptionBudget, pod: Pod, departures: Departures) -> bool:
    r"""Whether the eviction of `pod` is charged to `budget`.

    A pod in the budget's list of disrupted pods is already accounted for.

    TLA+: Guards(Budget, Pod) ==
            /\ Protects(Budget, Pod)
            /\ Pod.Name \notin Budget.Disrupted
            /\ Budget.Selector # Everything \/ "empty-budget-protects-no-pod" \notin Departures
            /\ Pod.Labels # NoLabels \/ "unlabelled-unprotected" \notin Departures
    """
    return (
        protects(budget, pod)
        and pod.name not in budget.disrupted
        and (budget.selector != LabelSelector() or Departure.EMPTY_BUDGET_PROTECTS_NO_POD not in departures)
        and (pod.labels != {} or Departure.UNLABELLED_UNPROTECTED not in departures)
    )


@looks_at("victims.labels", "budgets")
def violating(order: Order, budgets: Iterable[PodDisruptionBudget], departures: Departures) -> frozenset[Pod]:
    r"""Return the pods whose eviction violates a budget if all pods of `order` are evicted, one after the other.

    For each budget, the first pods that are charged to it, up to disruptionsAllowed, violate nothing.

    TLA+: Violating(Order, Listing) ==
            IF Listing = <<>> THEN {}
            ELSE LET Budget == Listing[Len(Listing)]
                     Before == Violating(Order, SubSeq(Listing, 1, Len(Listing) - 1))
                     Uncharged == IF "later-budgets-uncharged" \in Departures THEN Before ELSE {}
                     Charged == SelectSeq(Order, LAMBDA Pod : Guards(Budget, Pod) /\ Pod \notin Uncharged)
                     Allowed == Max({0, Budget.DisruptionsAllowed})
                     Beyond == SubSeq(Charged, Allowed + 1, Len(Charged))
                 IN Before \union {Beyond[i] : i \in DOMAIN Beyond}
    """
    found = frozenset[Pod]()
    for budget in budgets:
        uncharged = found if Departure.LATER_BUDGETS_UNCHARGED in departures else frozenset()
        charged = [pod for pod in order if guards(budget, pod, departures) and pod not in uncharged]
        found = found.union(charged[max(0, budget.disruptions_allowed) :])
    return found


def listings(budgets: Listing, groups: Iterable[tuple[Pod, ...]], departures: Departures) -> tuple[Listing, ...]:
    r"""Return the orders of the budgets that matter for the eviction of these groups: kube-scheduler lists them in any.

    Of the orders by which the same pods violate a budget, in every order of importance of each group, one is returned. The
    result is empty if more than `MOST_LISTED` have to be told apart.

    TLA+: Listings(Snapshot) ==
            LET Shared == IF "later-budgets-uncharged" \in Departures THEN Overlapping(Snapshot) ELSE {}
                Others == InAnyOrder(Budgets(Snapshot) \ Shared)
                Whole(Listing) == \A Budget \in Shared : \E i \in DOMAIN Listing : Listing[i] = Budget
            IN {Listing \o Others : Listing \in {Each \in [1..Cardinality(Shared) -> Shared] : Whole(Each)}}
    """
    several = list(groups) if Departure.LATER_BUDGETS_UNCHARGED in departures else []
    shared = overlapping(budgets, (pod for group in several for pod in group), departures)
    if shared == frozenset():
        return (budgets,)
    some, others = [each for each in budgets if each in shared], [each for each in budgets if each not in shared]
    if Departure.BUDGETS_CHARGED_FOR_ALL not in departures:
        every = tuple(islice(permutations(some), MOST_LISTED + 1))
        return tuple((*listing, *others) for listing in every) if len(every) <= MOST_LISTED else ()
    guarded = (
        tuple(pod for pod in group if any(guards(each, pod, departures) for each in shared)) for group in several
    )
    charged = {order for group in guarded for order in orders(group, budgets)}
    over = [
        [[place for place, pod in enumerate(order) if guards(budget, pod, departures)] for order in charged]
        for budget in some
    ]
    found = told_apart(over, [max(0, budget.disruptions_allowed) for budget in some])
    return tuple((*(some[number] for number in listing), *others) for listing in found)


def told_apart(over: list[list[list[int]]], allowed: list[int]) -> tuple[tuple[int, ...], ...]:
    """Return orders of budgets, by number: one of those by which the same pods of each order of importance violate one.

    `over` has the places of the pods that each budget guards in each order, `allowed` the disruptions. What a budget adds
    depends on the violators before it, not on the order of the budgets before it. So budgets are listed one by one, and of
    all listings of the same budgets with the same violators one is kept; none if there are more than `MOST_LISTED`.
    """
    found = {(frozenset[int](), (frozenset[int](),) * len(over[0])): tuple[int, ...]()}
    for _ in over:
        longer: dict[tuple[frozenset[int], tuple[frozenset[int], ...]], tuple[int, ...]] = {}
        for ((listed, violators), listing), number in product(found.items(), range(len(over))):
            if number not in listed:
                charged = (
                    [each for each in places if each not in before]
                    for before, places in zip(violators, over[number], strict=True)
                )
                more = tuple(
                    before.union(new[allowed[number] :]) for before, new in zip(violators, charged, strict=True)
                )
                longer.setdefault((listed | {number}, more), (*listing, number))
        if len(longer) > MOST_LISTED:
            return ()
        found = longer
    return tuple(found.values())


def overlapping(budgets: Listing, pods: Iterable[Pod], departures: Departures) -> frozenset[PodDisruptionBudget]:
    r"""Return the budgets that guard some of the pods together with another budget.

    TLA+: Overlapping(Snapshot) ==
            {Budget \in Budgets(Snapshot) :
              \E Other \in Budgets(Snapshot) \ {Budget} : \E Pod \in Pods(Snapshot) :
                Guards(Budget, Pod) /\ Guards(Other, Pod)}
    """
    if len(budgets) < 2:
        return frozenset()
    over = ([each for each in budgets if guards(each, pod, departures)] for pod in pods)
    return frozenset(each for several in over if len(several) > 1 for each in several)


def violations(
    order: Order, victims: frozenset[Pod], budgets: Iterable[PodDisruptionBudget], departures: Departures
) -> int:
    r"""Return how many of `victims` violate a budget that is charged for all of `order`, or for the victims alone.

    TLA+: Violations(Order, Victims, Listing) ==
            LET Charged == IF "budgets-charged-for-all" \in Departures THEN Order
                           ELSE SelectSeq(Order, LAMBDA Pod : Pod \in Victims)
            IN Cardinality(Violating(Charged, Listing) \intersect Victims)
    """
    for_all = Departure.BUDGETS_CHARGED_FOR_ALL in departures
    charged = order if for_all else tuple(pod for pod in order if pod in victims)
    return len(violating(charged, budgets, departures) & victims)
