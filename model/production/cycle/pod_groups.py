"""One cycle for the pods of a PodGroup: `grouped`, `group_cycle`.

The pods are tried in queue order. Each that finds a node is assumed and reserved for the ones after it; at the end all of
this is undone, and done again for good if the group fits.

In 1.36 no plugin judges placements: all queued pods are tried, and the group fits once Permit lets one of them pass.

Kubernetes 1.36: pkg/scheduler/schedule_one_podgroup.go; AssumePod in pkg/scheduler/backend/cache/snapshot.go.
Kubernetes 1.37: pkg/scheduler/schedule_one_podgroup.go; PodGroupMemberPodsOrderingFunc in pkg/scheduler/framework/types.go.

Differs: pods that are left over back off, as those of a group that does not fit do.
Not modelled: in 1.36, PostFilter; a placement of the group in one domain.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from schedcheck.model.production.cycle.algorithm import Search, Suggestion, scheduled
from schedcheck.model.production.cycle.diagnosis import CycleError, FitError, NoNodesError
from schedcheck.model.production.framework import binding as points
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.framework.status import SUCCESS, Code, Status, error, unschedulable
from schedcheck.model.production.queue.queued_pod import QueuedPod
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.objects import Pod
from schedcheck.spec.workload_objects import PodGroup

if TYPE_CHECKING:
    from schedcheck.model.production.cycle.scheduler import Binding, Scheduler

Key = tuple[str, str]
UNSCHEDULABLE = "pod group is unschedulable"
GANGS = "GangScheduling"


@dataclass
class Tried:
    """A pod of the group, with the node found for it, empty for none, and why there is none."""

    queued: QueuedPod
    state: CycleState
    host: str = ""
    fit: FitError | None = None
    nowhere: bool = False
    """Whether there are no nodes."""


@dataclass
class Preempted:
    """What preemption made of the group: an error, the nodes of the pods that are nominated, by key, and the victims.

    `goes_on`: victims of an earlier preemption are still terminating, so that nothing changes.
    """

    error: str = ""
    goes_on: bool = False
    hosts: dict[Key, str] = field(default_factory=dict)
    victims: list[Pod] = field(default_factory=list)


Seek = Callable[[], tuple[Status, list[Tried]]]
"""The search for the nodes of a group in the cache as it is."""


@runtime_checkable
class PodGroupPostFilter(Protocol):
    """A plugin that preempts for a PodGroup that does not fit."""

    def pod_group_post_filter(
        self, scheduler: "Scheduler", group: PodGroup, pods: list[Pod], search: Seek
    ) -> Preempted | None:
        """Return what preemption makes of the group; None if it does not help."""
        ...

    def evict_for(self, pods: list[Pod], victims: list[Pod]) -> None:
        """Begin the evictions; the pods of the group stay out of the queue until they are done."""
        ...


def grouped(pod: Pod, framework: Framework | None) -> bool:
    """Whether the pod is tried with its PodGroup, not by itself: GangScheduling is at Permit, and reserves nothing."""
    return (
        bool(pod.scheduling_group)
        and framework is not None
        and _has(framework, "permit")
        and not _has(framework, "reserve")
    )


def _has(framework: Framework, point: str) -> bool:
    return any(each.name == GANGS for each in framework.at(point))


def group_cycle(scheduler: "Scheduler", popped: QueuedPod) -> "list[Binding]":
    """Run the cycle of the group of a popped pod, and return the binding cycles that begin."""
    framework = scheduler.frameworks[popped.pod.scheduler_name]
    members = [popped, *scheduler.queue.take_group(popped.pod)]
    held = [each for each in members if scheduler.queue.held(each)]
    if held and Departure.MEMBERS_QUEUED_ALONE not in scheduler.handle.departures:
        held = members
    for each in held:
        scheduler.queue.hold(each)
    left = sorted((each for each in members if each not in held), key=_in_queue_order)
    tried = [Tried(each, CycleState()) for each in left if not _skipped(scheduler, each)]
    if not tried:
        return []
    wanted = popped.pod.namespace, popped.pod.scheduling_group
    group = next(each for each in scheduler.handle.listers.pod_groups if each.key == wanted)
    wrong = _differing(scheduler, group)
    status = error(wrong) if wrong else _searched(scheduler, framework, group, tried)
    if status.success and not any(each.host for each in tried):
        status = unschedulable(UNSCHEDULABLE)
    made = None if status.success or status.code is Code.ERROR else _preempted(scheduler, framework, group, tried)
    if made is not None and made.error:
        status = error(made.error)
    return _carried_out(scheduler, framework, tried, status, made)


def _preempted(scheduler: "Scheduler", framework: Framework, group: PodGroup, tried: list[Tried]) -> Preempted | None:
    """Return what preemption makes of a group that does not fit; None if it does not help."""

    def search() -> tuple[Status, list[Tried]]:
        again = [Tried(each.queued, CycleState()) for each in tried]
        return _searched(scheduler, framework, group, again), again

    plugin = next((each for each in framework.at("postFilter") if isinstance(each, PodGroupPostFilter)), None)
    if plugin is None or Departure.MEMBERS_PREEMPT in scheduler.handle.departures:
        return None
    pods = [each.queued.pod for each in tried]
    made = plugin.pod_group_post_filter(scheduler, group, pods, search)
    scheduler.cache.update(scheduler.handle.snapshot)
    if made is not None and made.victims:
        plugin.evict_for(pods, made.victims)
    return made


def _carried_out(
    scheduler: "Scheduler", framework: Framework, tried: list[Tried], status: Status, made: Preempted | None
) -> "list[Binding]":
    """Begin the bindings if the group fits; otherwise nominate, evict, and put the pods back."""
    begun = []
    for one in tried:
        if status.success and one.host:
            binding = scheduler.begin(framework, one.state, one.queued, one.host)
            begun += [] if binding is None else [binding]
        else:
            own = error if status.code is Code.ERROR else unschedulable
            said = own(status.message if one.fit is None else one.fit.message)
            scheduler.fail(one.queued, said, _nomination(one, status, made))
    return begun


def _nomination(one: Tried, status: Status, made: Preempted | None) -> str | None:
    """Return the nomination of a pod that is put back: a node, none, or None for the one that it has."""
    if status.code is Code.ERROR:
        return ""
    if made is not None:
        return made.hosts.get(one.queued.key)
    return "" if one.host or one.nowhere else None


def _searched(scheduler: "Scheduler", framework: Framework, group: PodGroup, tried: list[Tried]) -> Status:
    """Find a node for each pod with the ones before it assumed, undo all of it, and return what became of the group."""
    placed = sum(_of(group, info.pod) for info in scheduler.cache.pods.values())
    judges = bool(framework.at("placementFeasible"))
    status = _feasible(framework, group, placed, len(tried)) if judges else unschedulable(UNSCHEDULABLE)
    listed = _listed(scheduler) if Departure.ASSUMED_TERMS_UNSEEN in scheduler.handle.departures else None
    for number, each in enumerate(tried, 1):
        if judges and status.code is Code.UNSCHEDULABLE:
            break
        if listed is not None:
            _overlook(scheduler, each.queued.pod, tried[: number - 1], listed)
        failed = _placed(scheduler, framework, each)
        if failed is not None:
            status = failed
            break
        placed += bool(each.host)
        if judges:
            status = _feasible(framework, group, placed, len(tried) - number)
        elif each.host and placed >= (group.min_count or 0):
            status = SUCCESS
    for each in reversed(tried):
        if each.host:
            pod = replace(each.queued.pod, node_name=each.host)
            points.unreserved(framework, each.state, pod, each.host)
            _forget(scheduler, pod)
    return unschedulable(*status.reasons) if status.code is Code.WAIT else status


@dataclass
class Listed:
    """The nodes that hold pods with required anti-affinity, and those that hold pods with any pod affinity."""

    averse: frozenset[str]
    related: frozenset[str]


def _listed(scheduler: "Scheduler") -> Listed:
    """Return these nodes as they are before the cycle."""
    pods = [info.pod for info in scheduler.cache.pods.values()]
    return Listed(
        frozenset(each.node_name for each in pods if each.affinity.anti_required),
        frozenset(each.node_name for each in pods if each.affinity.pod_terms),
    )


def _overlook(scheduler: "Scheduler", pod: Pod, before: list[Tried], listed: Listed) -> None:
    """Assume the pods before `pod` without the terms that InterPodAffinity overlooks in 1.36, as its lists are stale."""
    everywhere = bool(pod.affinity.pod_preferred or pod.affinity.anti_preferred)
    for each in before:
        if not each.host:
            continue
        there = replace(each.queued.pod, node_name=each.host)
        shown = there.affinity
        if each.host not in listed.averse:
            shown = replace(shown, anti_required=())
        if each.host not in listed.related and not everywhere:
            shown = replace(shown, pod_required=(), pod_preferred=(), anti_preferred=())
        scheduler.cache.forget(PodInfo(there))
        scheduler.cache.assume(PodInfo(replace(there, affinity=shown)))


def _placed(scheduler: "Scheduler", framework: Framework, each: Tried) -> Status | None:
    """Find a node for a pod, and assume and reserve it there; return an error, None without one."""
    handle = scheduler.handle
    scheduler.cache.update(handle.snapshot)
    search = Search(scheduler.percentage, scheduler.next_start)
    try:
        found = scheduled(framework, each.state, each.queued.info, handle.snapshot, search, handle.extenders)
    except NoNodesError:
        each.nowhere = True
        return None
    except CycleError as failure:
        return error(str(failure))
    scheduler.next_start = found.next_start
    if not isinstance(found, Suggestion):
        each.fit = found.error
        return None
    host = handle.choose(found.hosts)
    pod = replace(each.queued.pod, node_name=host)
    scheduler.cache.assume(PodInfo(pod))
    scheduler.queue.nominator.remove(pod.key)
    status = points.reserved(framework, each.state, pod, host)
    if status.success:
        each.host = host
        return None
    points.unreserved(framework, each.state, pod, host)
    _forget(scheduler, pod)
    return None if status.rejected else status


def _forget(scheduler: "Scheduler", pod: Pod) -> None:
    """Undo that the pod was assumed, which has removed its nomination."""
    scheduler.cache.forget(PodInfo(pod))
    if pod.nominated_node_name:
        scheduler.queue.nominator.add(replace(pod, node_name=""))


def _feasible(framework: Framework, group: PodGroup, placed: int, remaining: int) -> Status:
    """Return the first status of the plugins that is no success."""
    said = (plugin.placement_feasible(group, placed, remaining) for plugin in framework.at("placementFeasible"))
    return next((each for each in said if not each.success), SUCCESS)


def _differing(scheduler: "Scheduler", group: PodGroup) -> str:
    """Return in what the pods of the group differ that must not, from each other or from the group; empty for nothing."""
    pods = [each for each in scheduler.handle.listers.pods.values() if _of(group, each)]
    if len({each.scheduler_name for each in pods}) > 1:
        return "all pods in a single pod group should have the same .spec.schedulerName set"
    if Departure.MEMBERS_UNALIKE in scheduler.handle.departures:
        return ""
    if any(each.priority != group.priority for each in pods):
        return "all pods in a single pod group should have the same priority as the pod group's priority"
    if len({each.preemption_policy for each in pods}) > 1:
        return "all pods in a single pod group should have the same preemption policy"
    return ""


def _of(group: PodGroup, pod: Pod) -> bool:
    return (pod.namespace, pod.scheduling_group) == group.key


def _skipped(scheduler: "Scheduler", queued: QueuedPod) -> bool:
    """Whether the pod is being deleted or is assumed already, so that it leaves the queue."""
    over = queued.pod.terminating or scheduler.cache.is_assumed(queued.identity)
    if over:
        scheduler.queue.done(queued.identity)
    return over


def _in_queue_order(queued: QueuedPod) -> tuple[int, int, float, str]:
    return -queued.pod.priority, -queued.attempts, queued.timestamp, queued.pod.name
