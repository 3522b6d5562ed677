"""The nodes on which each pending pod can be placed, and those that are feasible for it wherever the others are.

A pod is never placed on a node that a filter refuses in the cluster without the other pending pods, if none of these can
lift the refusal: the filter only counts against the pod, or reads none of them. Such a node is not `possible`. A node is
`certain` if no filter refuses it there, and no placement of the others can change that. Nothing is certain, and nothing
impossible, where more than the plugins of kube-scheduler decides.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from schedcheck.checker.incremental.trials import occupied_by
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import antitone, refusals, verdicts
from schedcheck.spec.kubernetes.filters import inter_pod_affinity, pod_topology_spread
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import speaks_of
from schedcheck.spec.kubernetes.filters.node_ports import clash
from schedcheck.spec.kubernetes.filters.node_resources_fit import looked_for
from schedcheck.spec.kubernetes.filters.pod_topology_spread import required, spread_with
from schedcheck.spec.kubernetes.node_info import NodeInfo, host_ports
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.pod_terms import concerns
from schedcheck.spec.profiles import Profile, by_scheduler_name, refused_by_its_group
from schedcheck.spec.refusal import Code, Refusal
from schedcheck.spec.requests import allocatable

Pods = tuple[Pod, ...]


@dataclass(frozen=True, eq=False)
class Prospect:
    """A pending pod, its cycle in the cluster without the other pending pods, and its nodes by name.

    `others` are the other pending pods. `bounded` is whether its scores can be bounded by those of this cycle.
    """

    pod: Pod
    made: Cycle
    others: Pods
    possible: frozenset[str]
    certain: frozenset[str]
    bounded: bool


def prospects(pods: Pods, snapshot: Snapshot, profile: Profile) -> tuple[Prospect, ...]:
    """Return the prospects of the pending pods under a profile of kube-scheduler, in order."""
    first = [_prospect(pod, pods, snapshot, profile) for pod in pods]
    on = {
        node.name: tuple(
            each.pod for each in first if node.name in each.possible or node.name == each.pod.nominated_node_name
        )
        for node in snapshot.nodes
    }
    return tuple(replace(each, certain=frozenset(_certain(each, on))) for each in first)


def alone(pod: Pod, pods: Iterable[Pod], snapshot: Snapshot) -> Snapshot:
    """Return the snapshot in which no other of the pending pods is nominated to a node."""
    waiting = {each.key for each in pods} - {pod.key}
    kept = tuple(replace(each, nominated_node_name="") if each.key in waiting else each for each in snapshot.pods)
    return replace(snapshot, pods=kept)


def _prospect(pod: Pod, pods: Pods, snapshot: Snapshot, profile: Profile) -> Prospect:
    plugins = by_scheduler_name(pod, profile.plugins)
    made = taken_up(pod, alone(pod, pods, snapshot), plugins)
    others = tuple(each for each in pods if each != pod)
    names = frozenset(info.node.name for info in made.infos)
    bounded = not (plugins.rules or plugins.extenders or any(each.waits_on for each in pods))
    if refused_by_its_group(pod, snapshot, profile):
        possible = frozenset[str]()
    elif bounded:
        possible = frozenset(_possible(made, others))
    else:
        possible = names
    return Prospect(pod, made, others, possible, frozenset(), bounded)


def _possible(made: Cycle, others: Pods) -> Iterator[str]:
    """Yield the nodes that no filter refuses for good."""
    found = verdicts(made)
    for info in made.infos:
        verdict = found[info.node.name].refusal
        if verdict is None:
            yield info.node.name
        elif made.rejection is None and (not _left_out(made, info) or info.node.name == made.pod.nominated_node_name):
            refused = tuple(refusals(made, info))
            if refused and not any(for_good(made, each, others) for each in refused):
                yield info.node.name


def for_good(made: Cycle, refusal: Refusal, others: Iterable[Pod]) -> bool:
    """Whether the refusal remains wherever the other pending pods are placed."""
    if refusal.plugin == pod_topology_spread.NAME:
        return not any(counted(made, other) for other in others)
    if refusal.plugin == inter_pod_affinity.NAME and refusal.code != Code.UNSCHEDULABLE:
        return not any(company(made, other) for other in others)
    return antitone(refusal)


def counted(made: Cycle, other: Pod) -> bool:
    """Whether a DoNotSchedule constraint of the pod of the cycle counts `other`."""
    return any(spread_with(constraint, made.spreading, other) for constraint in required(made.spreading))


def company(made: Cycle, other: Pod) -> bool:
    """Whether required inter-pod affinity or anti-affinity is about the pod of the cycle and `other`."""
    pod, snapshot = made.pod, made.snapshot
    own = (*pod.affinity.pod_required, *pod.affinity.anti_required)
    return any(speaks_of(term, pod, other, snapshot, made.plugins.departures) for term in own) or any(
        concerns(term, other, pod, snapshot, NO_FAULTS) for term in other.affinity.anti_required
    )


def _certain(prospect: Prospect, on: dict[str, Pods]) -> Iterator[str]:
    """Yield the nodes that are feasible wherever the other pods are; `on` are the pods that a node may get."""
    made, pod = prospect.made, prospect.pod
    if not prospect.bounded or pod.volumes or pod.resource_claims:
        return
    if any(counted(made, other) or company(made, other) for other in prospect.others):
        return
    for info in made.infos:
        if info.node.name in prospect.possible and verdicts_pass(made, info):
            others = tuple(each for each in on[info.node.name] if each != pod)
            if not _ports_clash(pod, others) and _room_for(made, info, others):
                yield info.node.name


def verdicts_pass(made: Cycle, info: NodeInfo) -> bool:
    """Whether no filter refuses the node in this cycle."""
    return made.rejection is None and not _left_out(made, info) and next(refusals(made, info), None) is None


def _left_out(made: Cycle, info: NodeInfo) -> bool:
    """Whether PreFilter leaves out the node."""
    return made.named is not None and info.node.name not in made.named


def _ports_clash(pod: Pod, others: Pods) -> bool:
    held = [port for other in others for port in host_ports(other)]
    return any(clash(port, other) for port in host_ports(pod) for other in held)


def _room_for(made: Cycle, info: NodeInfo, others: Pods) -> bool:
    """Whether the pod fits on the node with all of `others` there too."""
    departures = made.plugins.departures
    if "NodeResourcesFit" not in made.plugins.at("filter"):
        return True
    if len(info.pods) + len(others) + 1 > allocatable(info.node, "pods"):
        return False
    taken = info.requested(departures)
    return all(
        taken.get(resource, 0) + sum(occupied_by(each, departures).get(resource, 0) for each in others) + amount
        <= allocatable(info.node, resource)
        for resource, amount in looked_for(made.pod, made.plugins.arguments).items()
        if amount > 0
    )
