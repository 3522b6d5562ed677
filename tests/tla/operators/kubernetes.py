"""The operators of kube-scheduler's filters, preemption and control loop with their twins: `TWINS`."""

from functools import reduce
from typing import Any

from frozendict import frozendict

from schedcheck.checker.refinement import Change, calls_for, made
from schedcheck.spec import kubernetes
from schedcheck.spec.binding import completed
from schedcheck.spec.budgets import protects
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.feasibility import (
    inter_pod_affinity,
    node_name,
    node_ports,
    node_resources_fit,
    node_unschedulable,
    pod_topology_spread,
    required_node_affinity,
    scheduling_gates,
    taint_toleration,
    unprepared,
)
from schedcheck.spec.feasibility.cycle import (
    FILTERS,
    PRE_FILTERS,
    Outcome,
    failure,
    feasible,
    filtered,
    final,
    nominated,
    refusals,
    verdicts,
)
from schedcheck.spec.feasibility.default_spread import constrained, default_selector, with_selector
from schedcheck.spec.feasibility.inter_pod_affinity import Near
from schedcheck.spec.feasibility.node_info import NodeInfo, held, host_ports, node_info, node_infos
from schedcheck.spec.feasibility.refusal import failed, unresolvable, unschedulable
from schedcheck.spec.feasibility.requests import _occupying, as_it_runs, occupied, wanted
from schedcheck.spec.feasibility.resources import requested
from schedcheck.spec.label_values import readable, unreadable
from schedcheck.spec.nominations import outranked
from schedcheck.spec.objects import HostPort, Pod, Snapshot, SpreadConstraint
from schedcheck.spec.preemption.choice import OFFSET, casualty
from schedcheck.spec.preemption.disruption import guards, violating, violations
from schedcheck.spec.preemption.dry_run import Candidate, candidate
from schedcheck.spec.preemption.eligibility import ineligibility, unresolvable_on, waits_on
from schedcheck.spec.preemption.importance import Order, by_importance, importance, potential_victims
from schedcheck.spec.preemption.post_filter import POST_FILTERS, post_filter
from schedcheck.spec.preemption.reprieve import emptied, put_back, reprieve_order, survivors
from schedcheck.spec.preemption.ties import permitted, possible
from schedcheck.spec.scheduling import after
from schedcheck.spec.values import NO_AMOUNTS
from schedcheck.spec.viability.choice import choice
from tests.tla.operators.cases import Case, NoSuch
from tests.tla.operators.told import Emptied, Fields, Smallest
from tests.tla.operators.twin import Twin

WAITS = {"Pod": Case.waits}


def names(case: Case) -> tuple[str, ...]:
    return case.plugins.at(case.one(("preFilter", "filter", "score")))


def a_code(case: Case) -> Outcome:
    return PRE_FILTERS[case.plugin()](case.made(case.names_no_node()))


def around(case: Case, pod: Pod) -> Near:
    return inter_pod_affinity.near(pod, case.made(pod).infos, case.snapshot, case.departures)


def after_info(case: Case, pod: Pod, info: NodeInfo) -> Near:
    return inter_pod_affinity.after(around(case, pod), pod, info, case.snapshot, case.departures)


def counted(case: Case, constraint: SpreadConstraint, pod: Pod) -> Any:
    found = pod_topology_spread.counts(pod, case.made(pod).infos)
    return found[pod_topology_spread.required(pod).index(constraint)]


def too_skewed(case: Case, constraint: SpreadConstraint, pod: Pod, info: NodeInfo) -> bool:
    counts = pod_topology_spread.changed(counted(case, constraint, pod), constraint, pod, info, case.departures)
    return pod_topology_spread.skew(constraint, counts, pod, info.node) > constraint.max_skew


def all_counts(case: Case, pod: Pod) -> Any:
    return pod_topology_spread.counts(pod, case.made(pod).infos)


def an_info_with(case: Case, constraint: SpreadConstraint) -> NodeInfo:
    info = case.info()
    if constraint.topology_key not in info.node.labels:
        raise NoSuch
    return info


def in_order(case: Case) -> Order:
    """At most five pods of the snapshot, in an order of importance."""
    pods = [pod for pod in case.snapshot.pods if pod.node_name]
    return case.order(case.random.sample(pods, min(len(pods), case.random.randint(0, 5))))


def some_pods(case: Case) -> frozenset[Pod]:
    return case.some([pod for pod in case.snapshot.pods if pod.node_name])


def few_pods(case: Case) -> frozenset[Pod]:
    pods = case.snapshot.pods
    return frozenset(case.random.sample(pods, min(len(pods), case.random.randint(0, 5))))


def victims_in_order(case: Case, pod: Pod, info: NodeInfo) -> Order:
    return case.order(potential_victims(pod, info))


def emptied_of(case: Case, pod: Pod) -> Emptied:
    full = case.evictable(pod)
    return Emptied(full, emptied(full, potential_victims(pod, full), case.departures))


def every_order(pods: frozenset[Pod]) -> frozenset[Order]:
    """Every order of importance, without regard to which pods are alike."""
    if not pods:
        return frozenset({()})
    least = min(importance(pod) for pod in pods)
    first = [pod for pod in pods if importance(pod) == least]
    return frozenset((pod, *rest) for pod in first for rest in every_order(pods - {pod}))


def a_candidate(case: Case) -> Candidate:
    pods = case.some([pod for pod in case.snapshot.pods if pod.node_name], 1)
    return Candidate(case.node(), by_importance(pods), case.random.randint(0, 2))


def damage(case: Case, chosen: Candidate) -> tuple[int, ...]:
    """The casualty with what stands in the records for the offset and for start times."""
    violating_, highest, total, number, (started, start) = casualty(chosen)
    starts = case.records.starts
    first = starts.index(-start) if started else len(starts)
    return violating_, highest, total - number * OFFSET + number * case.offset, number, -first


def waiting_with(case: Case) -> Decision:
    """A decision on a pod that waits, as it is allowed or not."""
    pod, node = case.waits(), case.node()
    nominated_ = Nominate(pod, node, some_pods(case))
    return case.one((Bind(pod, node), nominated_, nominated_, Wait(pod, "", case.random.random() < 0.5)))


def a_change(case: Case) -> Change:
    pod, verb = case.pod(), case.one(("bind", "nominate", "evict"))
    return Change(case.pod().key, verb, pod.key, case.one(("", case.node().name)))


def five(case: Case) -> tuple[int, ...]:
    return tuple(case.random.randint(0, 1) for _ in range(5))


def ports(case: Case) -> HostPort:
    return HostPort(case.one((80, 443)), case.one(("TCP", "UDP")), case.one(("0.0.0.0", "10.0.0.1", "::")))


def does_something(case: Case) -> bool:
    """Whether some decision changes the objects or evicts somebody."""
    decided = [
        each
        for pod in kubernetes.turn(case.snapshot, case.plugins)
        for each in kubernetes.decision(pod, case.snapshot, case.plugins)
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


def filter_of(case: Case, plugin: str, pod: Pod, info: NodeInfo) -> Any:
    return FILTERS[plugin](case.made(pod), info) if plugin in FILTERS else None


SPREAD = {"Pod": Case.spread_pod, "Constraint": Case.constraint}
EVICTING = {"Pod": Case.waits, "Info": Case.evictable, "Order": victims_in_order}

TWINS = (
    # KubeSnapshots, KubeRefusals
    Twin("Services", lambda snapshot: frozenset(snapshot.services)),
    Twin("Controllers", lambda snapshot: frozenset(snapshot.controllers)),
    Twin("Budgets", lambda snapshot: frozenset(snapshot.budgets)),
    Twin("NoAmounts", lambda: NO_AMOUNTS),
    Twin("Listed", lambda name, names: name in names, {"Name": Case.plugin, "Names": names}),
    Twin("Everything", lambda: default_selector(Pod("nobody's", namespace="none"), Snapshot())),
    Twin("Unschedulable", lambda plugin: unschedulable(plugin, "why")),
    Twin("Unresolvable", lambda plugin: unresolvable(plugin, "why")),
    Twin("Failed", lambda plugin: failed(plugin, "")),
    # KubeRequests
    Twin("Requested", requested),
    Twin("Wanted", lambda pod: Smallest(wanted(pod))),
    Twin("Occupying", _occupying, {"Infeasible": lambda case: case.one((False, True))}),
    Twin("AsItRuns", as_it_runs),
    Twin("Occupied", lambda pod: Smallest(occupied(pod))),
    # KubeNodeInfo
    Twin("HostPorts", host_ports),
    Twin("Held", held, {"Some": some_pods}),
    Twin("NodeInfo", node_info, {"Some": some_pods}),
    Twin("NodeInfos", lambda snapshot: frozenset(node_infos(snapshot))),
    Twin("Added", lambda info, more: reduce(NodeInfo.added, more - frozenset(info.pods), info), {"More": lambda case, info: some_pods(case) - frozenset(info.pods)}),
    Twin("Removed", lambda case, info, fewer: reduce(lambda left, pod: left.removed(pod, case.departures), fewer, info), {"Fewer": lambda case, info: case.some(info.pods)}),
    Twin("TakenThere", lambda case, info, resource: case.less(info.requested.get(resource, 0), resource)),
    # KubeFilterNodes
    Twin("SchedulingGates", scheduling_gates.scheduling_gates),
    Twin("SchedulingGatesRefusal", scheduling_gates.refusal),
    Twin("NodeUnschedulable", node_unschedulable.node_unschedulable),
    Twin("NodeUnschedulableRefusal", node_unschedulable.refusal),
    Twin("NodeName", node_name.node_name),
    Twin("NodeNameRefusal", node_name.refusal),
    Twin("Untolerated", lambda pod, node: frozenset(taint_toleration.untolerated(pod, node))),
    Twin("TaintToleration", taint_toleration.taint_toleration),
    Twin("TaintTolerationRefusal", taint_toleration.refusal),
    Twin("Unreadable", lambda requirement: any(True for _ in unreadable(requirement)), {"Requirement": lambda case: case.one(case.node_term().match_expressions)}),
    Twin("Readable", readable, {"Term": Case.node_term}),
    Twin("MatchesOne", lambda case, terms, node: required_node_affinity.matches_one(tuple(terms), node), {"Terms": lambda case: frozenset({case.node_term(), case.node_term()})}),
    Twin("RequiredNodeAffinity", required_node_affinity.required_node_affinity),
    Twin("Enforced", required_node_affinity.enforced),
    Twin("NodeAffinityRefusal", required_node_affinity.refusal),
    Twin("NodeAffinitySkipped", required_node_affinity.skipped),
    Twin("NamedBy", required_node_affinity.named_by, {"Term": Case.naming_term}),
    Twin("NamedNodes", required_node_affinity.named, {"Pod": Case.names_no_node}),
    Twin("Conflict", required_node_affinity.conflict, {"Pod": Case.names_no_node}),
    # KubeFilterPorts, KubeFilterFit
    Twin("Clash", node_ports.clash, {"Port": ports, "Other": ports}),
    Twin("NodePorts", node_ports.node_ports),
    Twin("NodePortsRefusal", node_ports.refusal),
    Twin("NodePortsSkipped", node_ports.skipped),
    Twin("TooManyPods", node_resources_fit.too_many_pods),
    Twin("Short", lambda case, wants, info: frozenset(node_resources_fit.short(wants.amounts, info)), {"Wants": lambda case: Smallest(wanted(case.pod()))}),
    Twin("LookedFor", lambda pod, arguments: Smallest(node_resources_fit.looked_for(pod, arguments))),
    Twin("NodeResourcesFit", node_resources_fit.node_resources_fit),
    Twin("NodeResourcesFitRefusal", node_resources_fit.refusal),
    # KubeDefaultSpread, KubeFilterSpread
    Twin("DefaultSelector", default_selector),
    Twin("WithSelector", with_selector, {"Constraints": lambda case: (case.spread(),)}),
    Twin("Constrained", constrained),
    Twin("RequiredSpread", pod_topology_spread.required),
    Twin("InScope", pod_topology_spread.in_scope, SPREAD),
    Twin("SpreadWith", pod_topology_spread.spread_with, SPREAD),
    Twin("There", pod_topology_spread.there, SPREAD),
    Twin("Counts", counted, SPREAD),
    Twin("Changed", lambda case, counted, constraint, pod, info: pod_topology_spread.changed(counted, constraint, pod, info, case.departures), SPREAD | {"Counted": lambda case, pod, constraint: counted(case, constraint, pod)}),
    Twin("Least", pod_topology_spread.least, {"Constraint": Case.spread, "Counted": lambda case: frozendict({value: case.random.randint(0, 3) for value in case.some(("a", "b", "c"))})}),
    Twin("Skew", pod_topology_spread.skew, SPREAD | {"Node": Case.keyed, "Counted": lambda case, pod, constraint: counted(case, constraint, pod)}),
    Twin("TooSkewed", too_skewed, SPREAD | {"Info": an_info_with}),
    Twin("PodTopologySpread", lambda case, pod, info: pod_topology_spread.pod_topology_spread(pod, info, all_counts(case, pod), case.departures), {"Pod": Case.spread_pod}),
    Twin("PodTopologySpreadRefusal", lambda case, pod, info: pod_topology_spread.refusal(pod, info, all_counts(case, pod), case.departures), {"Pod": Case.spread_pod}),
    Twin("PodTopologySpreadSkipped", pod_topology_spread.skipped),
    # KubeFilterInterPod
    Twin("SpeaksOf", inter_pod_affinity.speaks_of),
    Twin("MatchesAll", inter_pod_affinity.matches_all),
    Twin("DomainsOf", lambda terms, node: frozenset(inter_pod_affinity.domains(terms, node)), {"Terms": lambda case: frozenset({case.pod_term(), case.pod_term()})}),
    Twin("WantedBy", lambda pod, other, node, snapshot, departures: frozenset(inter_pod_affinity.wanted_by(pod, other, node, snapshot, departures))),
    Twin("UnwantedBy", lambda pod, other, node, snapshot, departures: frozenset(inter_pod_affinity.unwanted_by(pod, other, node, snapshot, departures))),
    Twin("Unwilling", lambda pod, other, node, snapshot: frozenset(inter_pod_affinity.unwilling(pod, other, node, snapshot))),
    Twin("Near", lambda case, pod, infos, snapshot: inter_pod_affinity.near(pod, infos, snapshot, case.departures), WAITS | {"Infos": lambda case: frozenset({case.info()})}),
    Twin("After", after_info, WAITS),
    Twin("FirstOfItsGroup", inter_pod_affinity.first_of_its_group, WAITS | {"Around": around}),
    Twin("Affine", inter_pod_affinity.affine, WAITS | {"Around": around}),
    Twin("Apart", inter_pod_affinity.apart, WAITS | {"Around": around}),
    Twin("Welcome", inter_pod_affinity.welcome, {"Around": lambda case: around(case, case.waits())}),
    Twin("InterPodAffinity", lambda case, pod, info: inter_pod_affinity.inter_pod_affinity(pod, info, around(case, pod), case.snapshot, case.departures), WAITS),
    Twin("InterPodAffinityRefusal", lambda case, pod, info: inter_pod_affinity.refusal(pod, info, around(case, pod), case.snapshot, case.departures), WAITS),
    Twin("InterPodAffinitySkipped", lambda case, pod: inter_pod_affinity.skipped(pod, around(case, pod)), WAITS),
    # KubeFilters
    Twin("Outcome", lambda case, plugin, pod: PRE_FILTERS[plugin](case.made(pod)), {"Pod": Case.names_no_node}),
    Twin("Final", final, {"Said": a_code}),
    Twin("Asked", lambda case, pod: case.made(pod).asked, {"Pod": Case.names_no_node}),
    Twin("Rejection", lambda case, pod: case.made(pod).rejection, {"Pod": Case.names_no_node}),
    Twin("Skipped", lambda case, pod: case.made(pod).skipped, WAITS),
    Twin("Named", lambda case, pod: case.made(pod).named, {"Pod": Case.names_no_node}),
    Twin("Nominated", lambda pod, node, snapshot: frozenset(nominated(pod, snapshot).get(node.name, ()))),
    Twin("Refusal", filter_of, WAITS | {"Plugin": lambda case: case.one(case.plugins.at("filter"))}),
    Twin("Unprepared", lambda: frozenset(unprepared.FILTER)),
    Twin("Refusals", lambda case, pod, info: tuple(refusals(case.made(pod), info)), WAITS),
    Twin("Filtered", lambda case, pod, info: filtered(case.made(pod), info), WAITS),
    Twin("Verdict", lambda case, pod, node: verdicts(case.made(pod))[node.name], {"Pod": Case.names_no_node}),
    Twin("Failure", lambda case, pod: failure(verdicts(case.made(pod))) is not None, WAITS),
    Twin("Feasible", lambda case, pod: case.named(feasible(case.made(pod))), WAITS),
    # KubeBudgets
    Twin("Protects", protects, {"Budget": lambda case: case.one(case.snapshot.budgets)}),
    Twin("Guards", guards, {"Budget": lambda case: case.one(case.snapshot.budgets)}),
    Twin("Violating", lambda case, order: violating(order, case.snapshot.budgets, case.departures), {"Order": in_order}),
    Twin("Violations", lambda case, order, victims: violations(order, victims, case.snapshot.budgets, case.departures), {"Order": in_order, "Victims": lambda case, order: case.some(order)}),
    # KubePreemption
    Twin("MoreImportant", lambda pod, other: importance(pod) < importance(other)),
    Twin("PotentialVictims", lambda pod, info: frozenset(potential_victims(pod, info))),
    Twin("Orders", every_order, {"Some": few_pods}),
    Twin("ReprieveOrder", lambda case, order: reprieve_order(case.made(Pod("")), order), {"Order": in_order}),
    Twin("PutBack", lambda case, pod, info, other: put_back(case.made(pod), info, other), WAITS | {"Info": Case.as_it_is, "Other": lambda case, info: case.one([pod for pod in case.snapshot.pods if pod not in info.pods])}),
    Twin("Survivors", lambda case, pod, info, order: survivors(case.made(pod), info.full, order) | (frozenset(info.full.pods) - frozenset(order)), EVICTING | {"Info": emptied_of, "Order": lambda case, pod, info: victims_in_order(case, pod, info.full)}),
    Twin("Candidate", lambda case, pod, info, order: candidate(case.made(pod), info, order), EVICTING),
    Twin("CandidatesOn", lambda case, pod, info: possible(case.run(pod), info), EVICTING),
    Twin("PotentialNodes", lambda case, pod: frozenset(case.run(pod).potential_nodes), WAITS),
    Twin("Damage", damage, {"Chosen": a_candidate}),
    Twin("NoWorse", lambda tuple, other: tuple <= other, {"Tuple": five, "Other": five}),
    Twin("Permitted", lambda case, pod: permitted(case.run(pod)), WAITS),
    Twin("UnresolvableOn", lambda case, pod, node: unresolvable_on(next(info for info in case.made(pod).infos if info.node == node), verdicts(case.made(pod))), WAITS),
    Twin("WaitsOn", lambda case, pod, info: waits_on(pod, info, verdicts(case.made(pod))), WAITS | {"Info": Case.as_it_is}),
    Twin("Ineligible", lambda case, pod: ineligibility(case.made(pod), verdicts(case.made(pod))) is not None, WAITS),
    Twin("PostFiltered", lambda case, plugin, pod: POST_FILTERS[plugin](case.run(pod)), WAITS | {"Plugin": lambda case: case.one(tuple(POST_FILTERS))}),
    Twin("PostFilter", lambda case, pod: post_filter(case.run(pod)), WAITS),
    # KubeControlLoop, KubeAsynchronous
    Twin("Choice", ended, WAITS),
    Twin("KubeTurn", kubernetes.turn),
    Twin("Seen", seen),
    Twin("Bind", lambda node: Bind(Pod(""), node)),
    Twin("Nominate", lambda node, victims: Nominate(Pod(""), node, victims), {"Victims": some_pods}),
    Twin("Wait", lambda pod, unnominated: Wait(pod, "", unnominated and pod.nominated_node_name != ""), WAITS | {"Unnominated": lambda case: case.one((False, True))}),
    Twin("WithoutANode", lambda case, pod: kubernetes.without_a_node(case.made(pod)), WAITS),
    Twin("KubeDecisions", lambda case, pod: kubernetes.decision(pod, case.snapshot, case.plugins), WAITS),
    Twin("Outranked", outranked),
    Twin("KubeAfter", lambda case, decided: after(decided, case.snapshot), {"Decided": waiting_with, "Pod": lambda case, decided: decided.pod}),
    Twin("Change", lambda by, verb, pod, node: Change(by.key, verb, pod.key, node), {"By": Case.pod, "Verb": lambda case: case.one(("bind", "evict")), "Node": lambda case: case.node().name}),
    Twin("CallsFor", lambda case, decided: calls_for(decided, case.snapshot), {"Decided": waiting_with, "Pod": lambda case, decided: decided.pod}),
    Twin("Made", made, {"Each": a_change}),
    Twin("Due", does_something),
)  # fmt: skip
