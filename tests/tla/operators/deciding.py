"""The operators of kube-scheduler's preemption and control loop with their twins: `TWINS`"""

from dataclasses import replace
from itertools import permutations
from typing import Any

from frozendict import frozendict

from schedcheck.checker.refinement.mapping import Change, calls_for, made
from schedcheck.spec.binding import completed
from schedcheck.spec.budgets import counts_as_ready, desired_healthy, healthy, protects, spare, spared
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.importance import OFFSET, Order, by_importance, importance
from schedcheck.spec.kubernetes import control_loop
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.filter import verdicts
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.preemption.choice import casualty
from schedcheck.spec.kubernetes.preemption.disruption import (
    Listing,
    guards,
    overlapping,
    violating,
    violations,
)
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, candidate
from schedcheck.spec.kubernetes.preemption.eligibility import ineligibility, unresolvable_on, waits_on
from schedcheck.spec.kubernetes.preemption.post_filter import POST_FILTERS, post_filter
from schedcheck.spec.kubernetes.preemption.potential_victims import potential_victims
from schedcheck.spec.kubernetes.preemption.reprieve import emptied, put_back, reprieve_order, survivors
from schedcheck.spec.kubernetes.preemption.ties import listed, permitted, permitted_by, possible
from schedcheck.spec.kubernetes.select_host import choice
from schedcheck.spec.nominations import outranked
from schedcheck.spec.objects import Pod, PodDisruptionBudget
from schedcheck.spec.published.control_loop import after
from schedcheck.spec.terms import LabelSelector, Requirement
from schedcheck.spec.values import NO_LABELS
from tests.tla.operators.cases import Case
from tests.tla.operators.kubernetes import some_pods
from tests.tla.operators.told import Emptied, Fields
from tests.tla.operators.twin import Twin
from tests.tla.random_clusters import counting
from tests.tla.random_scenarios import VALUES

WAITS = {"Pod": Case.waits}


WITHOUT_TEAM = LabelSelector(NO_LABELS, (Requirement("team", "DoesNotExist"),))
"""A selector that is not empty, and selects all pods of random snapshots."""


def in_order(case: Case) -> Order:
    """At most five pods of the snapshot, in an order of importance."""
    pods = [pod for pod in case.snapshot.pods if pod.node_name]
    return case.order(case.random.sample(pods, min(len(pods), case.random.randint(0, 5))))


def in_one_namespace(case: Case, pod: Pod) -> Pod:
    """The pod in the namespace of budgets that overlap, with the labels of some of them."""
    labels = frozendict(app=case.one(VALUES[:2]))
    return replace(pod, namespace=case.snapshot.pods[0].namespace, labels=labels)


def charged(case: Case) -> Order:
    """The same; or the first five pods, guarded by budgets that overlap."""
    if case.random.random() < 0.3:
        return in_order(case)
    return tuple(in_one_namespace(case, pod) for pod in case.order(case.snapshot.pods[:5]))


def few_pods(case: Case) -> frozenset[Pod]:
    pods = case.snapshot.pods
    return frozenset(case.random.sample(pods, min(len(pods), case.random.randint(0, 5))))


def victims_in_order(case: Case, pod: Pod, info: NodeInfo) -> Order:
    return case.order(potential_victims(pod, info))


def emptied_of(case: Case, pod: Pod) -> Emptied:
    full = case.evictable(pod)
    return Emptied(full, emptied(full, potential_victims(pod, full), case.departures))


def overlapping_budgets(case: Case) -> Listing:
    """Budgets in any order that guard all pods of a namespace, and some of them."""
    namespace = case.snapshot.pods[0].namespace
    some = LabelSelector(frozendict(app=case.one(VALUES[:2])))
    made = (
        PodDisruptionBudget("some", namespace, selector=some, disruptions_allowed=case.one((0, 0, 1))),
        PodDisruptionBudget("all", namespace, selector=WITHOUT_TEAM, disruptions_allowed=case.one((1, 1, 2))),
    )
    return tuple(case.random.sample((*made, *case.snapshot.budgets[: case.one((0, 0, 1))]), len(made)))


def a_listing(case: Case) -> Listing:
    """The budgets of the case in any order, or others."""
    if case.random.random() < 0.7:
        return overlapping_budgets(case)
    return tuple(case.random.sample(case.snapshot.budgets, len(case.snapshot.budgets)))


def every_listing(case: Case) -> frozenset[Listing]:
    budgets, pods = case.snapshot.budgets, case.snapshot.pods
    shared = (
        overlapping(budgets, pods, case.departures)
        if Departure.LATER_BUDGETS_UNCHARGED in case.departures
        else frozenset()
    )
    others = tuple(each for each in budgets if each not in shared)
    return frozenset((*some, *others) for some in permutations(each for each in budgets if each in shared))


def in_one_place(case: Case) -> Case:
    """The case with at most one budget that has the same place in all listings; TLA+ leaves open the order of several."""
    made = guarded(case)
    fixed = [there[0] for there in zip(*every_listing(made), strict=True) if len(frozenset(there)) == 1]
    kept = tuple(each for each in made.snapshot.budgets if each not in fixed[1:])
    return replace(made, snapshot=replace(made.snapshot, budgets=kept))


def guarded(case: Case) -> Case:
    """The case; every second time with budgets that overlap."""
    if case.random.random() < 0.5:
        return case
    pods = tuple(in_one_namespace(case, pod) for pod in case.snapshot.pods)
    return replace(case, snapshot=replace(case.snapshot, pods=pods, budgets=overlapping_budgets(case)))


def every_order(pods: frozenset[Pod]) -> frozenset[Order]:
    """Every order of importance, without regard to identical pods."""
    if not pods:
        return frozenset({()})
    least = min(importance(pod) for pod in pods)
    first = [pod for pod in pods if importance(pod) == least]
    return frozenset((pod, *rest) for pod in first for rest in every_order(pods - {pod}))


def a_candidate(case: Case) -> Candidate:
    pods = case.some([pod for pod in case.snapshot.pods if pod.node_name], 1)
    return Candidate(case.node(), by_importance(pods), case.random.randint(0, 2))


def damage(case: Case, chosen: Candidate) -> tuple[int, ...]:
    """The casualty with the values that records have for the offset and for start times."""
    violating_, highest, total, number, (started, start) = casualty(chosen)
    starts = case.records.starts
    first = starts.index(-start) if started else len(starts)
    return violating_, highest, total - number * OFFSET + number * case.offset, number, -first


def waiting_with(case: Case) -> Decision:
    """A decision on a pending pod, allowed or not."""
    pod, node = case.waits(), case.node()
    nominated_ = Nominate(pod, node, some_pods(case))
    return case.one((Bind(pod, node), nominated_, nominated_, Wait(pod, "", case.random.random() < 0.5)))


def a_change(case: Case) -> Change:
    pod, verb = case.pod(), case.one(("bind", "nominate", "evict"))
    return Change(case.pod().key, verb, pod.key, case.one(("", case.node().name)))


def five(case: Case) -> tuple[int, ...]:
    return tuple(case.random.randint(0, 1) for _ in range(5))


def does_something(case: Case) -> bool:
    """Whether some decision changes the objects or evicts a pod."""
    decided = [
        each
        for pod in control_loop.turn(case.snapshot, case.plugins)
        for each in control_loop.decision(pod, case.snapshot, case.plugins)
    ]
    return any(
        after(each, case.snapshot) != case.snapshot
        or (isinstance(each, Nominate) and any(not victim.terminating for victim in each.victims))
        for each in decided
    )


def seen(case: Case) -> Any:
    return case.snapshot - frozenset(pod for pod in case.snapshot.pods if completed(pod))


def ended(case: Case, pod: Pod) -> Fields:
    end = choice(case.made(pod))
    return Fields({"Kind": end.kind, "Mode": end.mode, "Hosts": case.named(end.hosts)})


EVICTING = {"Pod": Case.waits, "Info": Case.evictable, "Order": victims_in_order, "Listing": a_listing}


def a_budget(case: Case) -> PodDisruptionBudget:
    """A budget with minAvailable or maxUnavailable."""
    return counting(case.random, case.one(case.snapshot.budgets))


def an_amount(case: Case) -> Fields:
    percent = case.random.random() < 0.5
    return Fields({"Number": case.random.randint(0, 100 if percent else 5), "Percent": percent})


def portion(amount: Fields, whole: int) -> int:
    """The amount or percentage as the specification interprets it in a budget."""
    number = amount.values["Number"]
    said = f"{number}%" if amount.values["Percent"] else number
    return desired_healthy(PodDisruptionBudget("b", min_available=said, expected=whole))


COUNTED = {"Budget": a_budget, "Kubelet": lambda case: case.one((False, True))}

TWINS = (
    # Budgets
    Twin("Budgets", lambda snapshot: frozenset(snapshot.budgets)),
    Twin("Protects", protects, {"Budget": lambda case: case.one(case.snapshot.budgets)}),
    Twin("CountsAsReady", counts_as_ready, {"Kubelet": COUNTED["Kubelet"]}),
    Twin("Healthy", healthy, COUNTED),
    Twin("PortionOf", portion, {"Amount": an_amount, "Whole": lambda case: case.random.randint(0, 7)}),
    Twin("DesiredHealthy", desired_healthy, COUNTED),
    Twin("Spare", spare, COUNTED),
    Twin("Spared", spared, COUNTED | {"Victims": lambda case: case.some(case.snapshot.pods)}),
    # KubeBudgets
    Twin("Guards", guards, {"Budget": lambda case: case.one(case.snapshot.budgets)}),
    Twin("Violating", violating, {"Order": charged, "Listing": a_listing}),
    Twin("Overlapping", lambda case: overlapping(case.snapshot.budgets, case.snapshot.pods, case.departures), of=guarded),
    Twin("Listings", every_listing, of=in_one_place),
    Twin("Violations", lambda case, order, victims, listing: violations(order, victims, listing, case.departures), {"Order": charged, "Victims": lambda case, order: case.some(order), "Listing": a_listing}),
    # KubePreemption
    Twin("MoreImportant", lambda pod, other: importance(pod) < importance(other)),
    Twin("PotentialVictims", lambda pod, info: frozenset(potential_victims(pod, info))),
    Twin("Orders", every_order, {"Some": few_pods}),
    Twin("ReprieveOrder", lambda case, order, listing: reprieve_order(listed(case.run(Pod("")), listing).cycle, order), {"Order": charged, "Listing": a_listing}),
    Twin("PutBack", lambda case, pod, info, other: put_back(case.made(pod), info.empty, other), {"Pod": Case.waits, "Info": emptied_of, "Other": lambda case, pod, info: case.one(potential_victims(pod, info.full))}),
    Twin("Survivors", lambda case, pod, info, order: survivors(case.made(pod), info.full, order) | (frozenset(info.full.pods) - frozenset(order)), EVICTING | {"Info": emptied_of, "Order": lambda case, pod, info: victims_in_order(case, pod, info.full)}),
    Twin("Candidate", lambda case, pod, info, order, listing: candidate(listed(case.run(pod), listing).cycle, info, order), EVICTING),
    Twin("CandidatesOn", lambda case, pod, info, listing: possible(listed(case.run(pod), listing), info), EVICTING),
    Twin("PotentialNodes", lambda case, pod: frozenset(case.run(pod).potential_nodes), WAITS),
    Twin("Damage", damage, {"Chosen": a_candidate}),
    Twin("NoWorse", lambda tuple, other: tuple <= other, {"Tuple": five, "Other": five}),
    Twin("PermittedBy", lambda case, pod, listing: permitted_by(listing, case.run(pod)), WAITS | {"Listing": a_listing}),
    Twin("Permitted", lambda case, pod: permitted(case.run(pod)), WAITS, of=guarded),
    Twin("UnresolvableOn", lambda case, pod, node: unresolvable_on(next(info for info in case.made(pod).infos if info.node == node), verdicts(case.made(pod))), WAITS),
    Twin("WaitsOn", lambda case, pod, info: waits_on(pod, info, verdicts(case.made(pod))), WAITS | {"Info": Case.as_it_is}),
    Twin("Ineligible", lambda case, pod: ineligibility(case.made(pod), verdicts(case.made(pod))) is not None, WAITS),
    Twin("PostFiltered", lambda case, plugin, pod: POST_FILTERS[plugin](case.run(pod)), WAITS | {"Plugin": lambda case: case.one(tuple(POST_FILTERS))}),
    Twin("PostFilter", lambda case, pod: post_filter(case.run(pod)), WAITS),
    # KubeControlLoop, KubeAsynchronous
    Twin("Choice", ended, WAITS),
    Twin("KubeTurn", control_loop.turn),
    Twin("Seen", seen),
    Twin("Bind", lambda node: Bind(Pod(""), node)),
    Twin("Nominate", lambda node, victims: Nominate(Pod(""), node, victims), {"Victims": some_pods}),
    Twin("Wait", lambda pod, unnominated: Wait(pod, "", unnominated and pod.nominated_node_name != ""), WAITS | {"Unnominated": lambda case: case.one((False, True))}),
    Twin("WithoutANode", lambda case, pod: control_loop.without_a_node(case.run(pod)), WAITS),
    Twin("KubeDecisions", lambda case, pod: control_loop.decision(pod, case.snapshot, case.plugins), WAITS),
    Twin("Outranked", outranked),
    Twin("KubeAfter", lambda case, decided: after(decided, case.snapshot), {"Decided": waiting_with, "Pod": lambda case, decided: decided.pod}),
    Twin("Change", lambda by, verb, pod, node: Change(by.key, verb, pod.key, node), {"By": Case.pod, "Verb": lambda case: case.one(("bind", "evict")), "Node": lambda case: case.node().name}),
    Twin("CallsFor", lambda case, decided: calls_for(decided, case.snapshot), {"Decided": waiting_with, "Pod": lambda case, decided: decided.pod}),
    Twin("Made", made, {"Each": a_change}),
    Twin("Due", does_something),
)  # fmt: skip
