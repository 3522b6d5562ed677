"""Preemption for a PodGroup that does not fit, since 1.37: `preempted`.

The units of lower priority are taken out of the cache, and the search for the group is run again. If it fits then, the
units are put back one by one, and stay if every pod of the group still passes the filters on its node.

Kubernetes 1.37: pkg/scheduler/framework/preemption/podgrouppreemption.go.

Differs: for each unit that is put back PreFilter runs again, for whose counts a terminating pod counts like another one;
a DoNotSchedule constraint with an empty selector then counts no pod, where kube-scheduler counts those put back.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from schedcheck.model.production.cycle.pod_groups import Preempted, Seek, Tried
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.filtering import filtered_with_nominated, pre_filtered
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.framework.status import Code
from schedcheck.model.production.preemption.victims import violating
from schedcheck.model.production.preemption.wholes import Whole, wholes
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.objects import Pod
from schedcheck.spec.workload_objects import PodGroup

if TYPE_CHECKING:
    from schedcheck.model.production.cycle.scheduler import Scheduler


def preempted(
    scheduler: "Scheduler", framework: Framework, group: PodGroup, pods: list[Pod], search: Seek
) -> Preempted | None:  # fmt: skip
    """Return what preemption makes of a group that does not fit; None if it does not help. `search` finds nodes for it."""
    if any(pod.preemption_policy == "Never" for pod in pods):
        return None
    lower = [each for each in _wholes(scheduler) if each.priority < group.priority]
    if _waits(pods, lower):
        return Preempted(goes_on=True)
    if not lower:
        return None
    cache = scheduler.cache
    for info in _infos(lower):
        cache.lift(info)
    status, tried = search()
    found = [each for each in tried if each.host]
    spared: list[Whole] = []
    if status.success and found:
        for each in _in_turn(scheduler, lower):
            if _fits_with(scheduler, framework, found, each):
                spared.append(each)
    for info in _infos(spared):
        cache.lift(info)
    for info in _infos(lower):
        cache.lower(info)
    if status.code is Code.ERROR:
        return Preempted(error=status.message)
    if not status.success or not found:
        return None
    victims = [info.pod for info in _infos([each for each in lower if each not in spared])]
    return Preempted(hosts={each.queued.key: each.host for each in found}, victims=victims)


def _infos(wholes: list[Whole]) -> list[PodInfo]:
    return [info for each in wholes for info in each.infos]


def _wholes(scheduler: "Scheduler") -> Iterator[Whole]:
    """Yield all pods of the cache that are on a node."""
    return wholes(list(scheduler.cache.pods.values()), scheduler.handle.listers.pod_groups)


def _waits(pods: list[Pod], lower: list[Whole]) -> bool:
    """Whether a pod of the group is nominated to a node on which a victim of an earlier preemption is terminating."""
    nodes = {pod.nominated_node_name for pod in pods if pod.nominated_node_name}
    going = (info.pod for info in _infos(lower))
    return any(each.terminating and each.preempted and each.node_name in nodes for each in going)


def _in_turn(scheduler: "Scheduler", wholes: list[Whole]) -> list[Whole]:
    """Return what is put back in its order: first what violates a budget, and then the more important."""
    order = sorted(wholes, key=Whole.importance)
    wrong, _ = violating(_infos(order), scheduler.handle.listers, scheduler.handle.departures)
    over = {info.identity for info in wrong}
    return sorted(order, key=lambda each: not any(info.identity in over for info in each.infos))


def _fits_with(scheduler: "Scheduler", framework: Framework, found: list[Tried], back: Whole) -> bool:
    """Put pods back; return whether each pod of the group still fits on its node, and take them away again if not."""
    infos = [PodInfo(replace(info.pod, terminating=False)) for info in back.infos]
    cache = scheduler.cache
    for info in infos:
        cache.lower(info)
    assumed: list[PodInfo] = []
    fits = True
    for each in found:
        if not _passes(scheduler, framework, each):
            fits = False
            break
        assumed.append(PodInfo(replace(each.queued.pod, node_name=each.host)))
        cache.assume(assumed[-1])
    for info in reversed(assumed):
        cache.forget(info)
    for info in () if fits else infos:
        cache.lift(info)
    return fits


def _passes(scheduler: "Scheduler", framework: Framework, each: Tried) -> bool:
    """Whether the pod passes the filters on its node; what was skipped in its own search stays skipped."""
    snapshot = scheduler.handle.snapshot
    scheduler.cache.update(snapshot)
    state = CycleState()
    pre_filtered(framework, state, each.queued.info, snapshot)
    state.skip_filter = each.state.skip_filter
    return bool(filtered_with_nominated(framework, state, each.queued.info, snapshot.some([each.host])).passed()[0])
