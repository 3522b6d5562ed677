"""The operators of kube-scheduler's filters with their twins: `TWINS`"""

from dataclasses import replace
from functools import reduce
from typing import Any

from frozendict import frozendict

from schedcheck.spec.kubernetes import missing_state
from schedcheck.spec.kubernetes.cycle_state import nominated
from schedcheck.spec.kubernetes.default_spread import constrained, default_selector, with_selector
from schedcheck.spec.kubernetes.filter import FILTERS, failure, feasible, filtered, refusals, verdicts
from schedcheck.spec.kubernetes.filters import (
    inter_pod_affinity,
    node_affinity,
    node_declared_features,
    node_name,
    node_ports,
    node_resources_fit,
    node_unschedulable,
    pod_topology_spread,
    scheduling_gates,
    taint_toleration,
)
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import Near
from schedcheck.spec.kubernetes.label_values import readable, unreadable
from schedcheck.spec.kubernetes.node_info import NodeInfo, held, host_ports, node_info, node_infos
from schedcheck.spec.kubernetes.pre_filter import PRE_FILTERS, Outcome, final
from schedcheck.spec.kubernetes.requests import (
    actual,
    allocated,
    as_actual,
    as_allocated,
    as_it_runs,
    each_as_it_runs,
    greatest_of,
    named_in,
    occupied,
    occupying,
    pod_level_requests,
    status_counts,
    summed,
    sums_told,
    using,
    wanted,
)
from schedcheck.spec.objects import HostPort, Pod, Snapshot, SpreadConstraint
from schedcheck.spec.refusal import failed, unresolvable, unschedulable
from schedcheck.spec.requests import requested
from schedcheck.spec.terms import Affinity, LabelSelector, PodAffinityTerm
from schedcheck.spec.values import NO_AMOUNTS
from tests.tla.operators.cases import Case, NoSuch
from tests.tla.operators.told import Given, Smallest
from tests.tla.operators.twin import Twin
from tests.tla.random_kubernetes import FEATURES
from tests.tla.random_scenarios import HOSTNAME, NAMESPACES

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
    return pod_topology_spread.counts(constraint, pod, case.made(pod).infos)


def too_skewed(case: Case, constraint: SpreadConstraint, pod: Pod, info: NodeInfo) -> bool:
    counts = pod_topology_spread.changed(counted(case, constraint, pod), constraint, pod, info, case.departures)
    return pod_topology_spread.skew(constraint, counts, pod, info.node) > constraint.max_skew


def all_counts(case: Case, pod: Pod) -> Any:
    infos = case.made(pod).infos
    return tuple(pod_topology_spread.counts(each, pod, infos) for each in pod_topology_spread.required(pod))


def an_info_with(case: Case, constraint: SpreadConstraint) -> NodeInfo:
    info = case.info()
    if constraint.topology_key not in info.node.labels:
        raise NoSuch
    return info


def some_pods(case: Case) -> frozenset[Pod]:
    return case.some([pod for pod in case.snapshot.pods if pod.node_name])


def ports(case: Case) -> HostPort:
    return HostPort(case.one((80, 443)), case.one(("TCP", "UDP")), case.one(("0.0.0.0", "10.0.0.1", "::")))


def crowded(case: Case) -> Case:
    """The case; every second time with a nominated pod that has anti-affinity to all other pods."""
    if case.random.random() < 0.5:
        return case
    objects = PodAffinityTerm(HOSTNAME, LabelSelector(), NAMESPACES)
    alone = Affinity(anti_required=(objects,))
    nominated = Pod("z", priority=1000, nominated_node_name=case.node().name, affinity=alone)
    return replace(case, snapshot=replace(case.snapshot, pods=(*case.snapshot.pods, nominated)))


def filter_of(case: Case, plugin: str, pod: Pod, info: NodeInfo) -> Any:
    return FILTERS[plugin](case.made(pod), info) if plugin in FILTERS else None


def requiring(case: Case) -> Pod:
    """A pod, every second time with features that it requires of its node."""
    pod = case.pod()
    return replace(pod, required_features=case.some(FEATURES, 1)) if case.random.random() < 0.5 else pod


def some_amounts(case: Case) -> frozenset[Given]:
    """What a pod asks for, what was allocated to it, and what it runs with."""
    pod = case.pod()
    return frozenset(Given(each) for each in (pod.pod_requests, pod.pod_allocated, pod.pod_actual or NO_AMOUNTS))


def forms(case: Case) -> frozenset[Pod]:
    return frozenset(as_it_runs(case.pod(), case.departures))


FORMS = {"Forms": forms}
RESIZED = {"Infeasible": lambda case: case.one((False, True))}
REQUIRING = {"Pod": requiring}
SPREAD = {"Pod": Case.spread_pod, "Constraint": Case.constraint}

TWINS = (
    # KubeSnapshots, KubeRefusals
    Twin("Services", lambda snapshot: frozenset(snapshot.services)),
    Twin("Controllers", lambda snapshot: frozenset(snapshot.controllers)),
    Twin("NoAmounts", lambda: NO_AMOUNTS),
    Twin("Listed", lambda name, names: name in names, {"Name": Case.plugin, "Names": names}),
    Twin("Everything", lambda: default_selector(Pod("nobody's", namespace="none"), Snapshot())),
    Twin("Unschedulable", lambda plugin: unschedulable(plugin, "why")),
    Twin("Unresolvable", lambda plugin: unresolvable(plugin, "why")),
    Twin("Failed", lambda plugin: failed(plugin, "")),
    # KubeRequests
    Twin("Requested", requested),
    Twin("Wanted", lambda pod: Smallest(wanted(pod))),
    Twin("GreatestOf", lambda some: Given(greatest_of(each.amounts for each in some)), {"Some": some_amounts}),
    Twin("Allocated", lambda container, infeasible: Given(allocated(container, infeasible)), RESIZED),
    Twin("Actual", lambda container, infeasible: Given(actual(container, infeasible)), RESIZED),
    Twin("AsAllocated", as_allocated),
    Twin("AsActual", as_actual),
    Twin("Occupying", lambda container, infeasible: Given(occupying(container, infeasible)), RESIZED),
    Twin("EachAsItRuns", each_as_it_runs),
    Twin("StatusCounts", lambda case, pod: status_counts(pod, case.departures)),
    Twin("SumsTold", lambda case, pod: sums_told(pod, case.departures)),
    Twin("PodLevel", lambda case, pod: Given(pod_level_requests(pod, case.departures))),
    Twin("Summed", lambda pod, amounts: summed(pod, amounts.amounts), {"Amounts": lambda case, pod: Given(pod.pod_allocated)}),
    Twin("AsItRuns", lambda case, pod: frozenset(as_it_runs(pod, case.departures))),
    Twin("NamedIn", named_in, FORMS),
    Twin("Using", lambda case, forms, resource: case.less(using(forms, resource), resource), FORMS),
    Twin("Occupied", lambda case, pod: Smallest(occupied(pod, case.departures))),
    # KubeNodeInfo
    Twin("HostPorts", host_ports),
    Twin("Held", held, {"Some": some_pods}),
    Twin("NodeInfo", node_info, {"Some": some_pods}),
    Twin("NodeInfos", lambda snapshot: frozenset(node_infos(snapshot))),
    Twin("Added", lambda info, more: reduce(NodeInfo.added, more - frozenset(info.pods), info), {"More": lambda case, info: some_pods(case) - frozenset(info.pods)}),
    Twin("Removed", lambda case, info, fewer: reduce(lambda left, pod: left.removed(pod, case.departures), fewer, info), {"Fewer": lambda case, info: case.some(info.pods)}),
    Twin("TakenThere", lambda case, info, resource: case.less(info.requested(case.departures).get(resource, 0), resource)),
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
    Twin("MatchesOne", lambda case, terms, node: node_affinity.matches_one(tuple(terms), node), {"Terms": lambda case: frozenset({case.node_term(), case.node_term()})}),
    Twin("RequiredNodeAffinity", node_affinity.required_node_affinity),
    Twin("Enforced", node_affinity.enforced),
    Twin("NodeAffinityRefusal", node_affinity.refusal),
    Twin("NodeAffinitySkipped", node_affinity.skipped),
    Twin("NamedBy", node_affinity.named_by, {"Term": Case.naming_term}),
    Twin("NamedNodes", node_affinity.named, {"Pod": Case.names_no_node}),
    Twin("Conflict", node_affinity.conflict, {"Pod": Case.names_no_node}),
    Twin("NodeDeclaredFeatures", node_declared_features.node_declared_features, REQUIRING),
    Twin("NodeDeclaredFeaturesRefusal", node_declared_features.refusal, REQUIRING),
    Twin("NodeDeclaredFeaturesSkipped", node_declared_features.skipped, REQUIRING),
    # KubeFilterPorts, KubeFilterFit
    Twin("Clash", node_ports.clash, {"Port": ports, "Other": ports}),
    Twin("NodePorts", node_ports.node_ports),
    Twin("NodePortsRefusal", node_ports.refusal),
    Twin("NodePortsSkipped", node_ports.skipped),
    Twin("TooManyPods", node_resources_fit.too_many_pods),
    Twin("Short", lambda case, wants, info: frozenset(node_resources_fit.short(wants.amounts, info, case.departures)), {"Wants": lambda case: Smallest(wanted(case.pod()))}),
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
    Twin("Outcome", lambda case, plugin, pod: PRE_FILTERS[plugin](case.made(pod)), {"Pod": Case.narrowed}),
    Twin("Final", final, {"Said": a_code}),
    Twin("Asked", lambda case, pod: case.made(pod).asked, {"Pod": Case.names_no_node}),
    Twin("Rejection", lambda case, pod: case.made(pod).rejection, {"Pod": Case.names_no_node}),
    Twin("Skipped", lambda case, pod: case.made(pod).skipped, WAITS),
    Twin("Named", lambda case, pod: case.made(pod).named, {"Pod": Case.narrowed}),
    Twin("Nominated", lambda pod, node, snapshot: frozenset(nominated(pod, snapshot).get(node.name, ()))),
    Twin("Refusal", filter_of, WAITS | {"Plugin": lambda case: case.one(case.plugins.at("filter"))}),
    Twin("Unprepared", lambda: frozenset(missing_state.FILTER)),
    Twin("UnpreparedToFilter", lambda case, plugin: missing_state.unprepared_to_filter(plugin, case.plugins), {"Plugin": lambda case: case.one(case.plugins.at("filter"))}),
    Twin("Refusals", lambda case, pod, info: tuple(refusals(case.made(pod), info)), WAITS),
    Twin("Filtered", lambda case, pod, info: filtered(case.made(pod), info), WAITS, of=crowded),
    Twin("Verdict", lambda case, pod, node: verdicts(case.made(pod))[node.name], {"Pod": Case.names_no_node}),
    Twin("Failure", lambda case, pod: failure(verdicts(case.made(pod))) is not None, WAITS),
    Twin("Feasible", lambda case, pod: case.named(feasible(case.made(pod))), WAITS),
)  # fmt: skip
