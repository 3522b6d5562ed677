"""Running of PostFilter, and of the points after a node is chosen: Reserve, Permit, PreBind, Bind, PostBind.

Kubernetes 1.34: pkg/scheduler/framework/runtime/framework.go.
"""

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.framework.plugin import PostFilterResult
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Code, Status, error, unschedulable
from schedcheck.model.production.framework.verdicts import NodeStatuses
from schedcheck.model.production.framework.waiting import LONGEST_WAIT
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.objects import Pod


def post_filtered(
    framework: Framework, state: CycleState, pod: PodInfo, statuses: NodeStatuses
) -> tuple[PostFilterResult | None, Status]:
    """Run PostFilter until a plugin succeeds, fails, or rejects as unresolvable.

    If all plugins reject otherwise, return all their reasons and the last result that does not keep the nomination.
    """
    result: PostFilterResult | None = None
    reasons: tuple[str, ...] = ()
    rejector = ""
    for plugin in framework.at("postFilter"):
        found, status = plugin.post_filter(state, pod, statuses)
        if status.success or status.code is Code.UNRESOLVABLE:
            return found, status.of(plugin.name)
        if not status.rejected:
            return None, error(status.message, plugin.name)
        if found is not None and found.nominated_node is not None:
            result = found
        reasons += status.reasons
        rejector = rejector or plugin.name
    return result, unschedulable(*reasons, plugin=rejector)


def reserved(framework: Framework, state: CycleState, pod: Pod, node: str) -> Status:
    """Run Reserve until a plugin does not succeed."""
    for plugin in framework.at("reserve"):
        status = plugin.reserve(state, pod, node)
        if not status.success:
            return _told("Reserve", plugin.name, status)
    return SUCCESS


def unreserved(framework: Framework, state: CycleState, pod: Pod, node: str) -> None:
    """Run Unreserve of all plugins, in reverse order."""
    for plugin in reversed(framework.at("reserve")):
        plugin.unreserve(state, pod, node)


def permitted(framework: Framework, state: CycleState, pod: Pod, node: str, now: float) -> Status:
    """Run Permit until a plugin rejects; if none rejects and one asks to wait, the pod waits from `now` on."""
    waits: dict[str, float] = {}
    for plugin in framework.at("permit"):
        status, seconds = plugin.permit(state, pod, node)
        if status.code is Code.WAIT:
            waits[plugin.name] = min(seconds, LONGEST_WAIT)
        elif not status.success:
            return _told("Permit", plugin.name, status)
    if not waits:
        return SUCCESS
    framework.handle.waiting.add(pod, waits, now)
    return Status(Code.WAIT, (f'one or more plugins asked to wait and no plugin rejected pod "{pod.name}"',))


def permit_awaited(framework: Framework, pod: Pod) -> Status | None:
    """Return the signal that ends the pod's wait on Permit, None while there is none.

    A pod that does not wait is permitted.
    """
    waiting = framework.handle.waiting.get(pod)
    if waiting is None:
        return SUCCESS
    if waiting.signal is None:
        return None
    framework.handle.waiting.remove(pod)
    if waiting.signal.success or waiting.signal.rejected:
        return waiting.signal
    return error(f"waiting on permit for pod: {waiting.signal.message}", waiting.signal.plugin)


def pre_bound(framework: Framework, state: CycleState, pod: Pod, node: str) -> Status:
    """Run PreBind until a plugin does not succeed."""
    for plugin in framework.at("preBind"):
        status = plugin.pre_bind(state, pod, node)
        if not status.success:
            return _told("PreBind", plugin.name, status)
    return SUCCESS


def bound(framework: Framework, state: CycleState, pod: Pod, node: str) -> Status:
    """Run Bind until a plugin does not skip; return a skip if all do."""
    for plugin in framework.at("bind"):
        status = plugin.bind(state, pod, node)
        if status.code is not Code.SKIP:
            return status if status.success else _told("Bind", plugin.name, status)
    return SKIP


def post_bound(framework: Framework, state: CycleState, pod: Pod, node: str) -> None:
    """Run PostBind of all plugins."""
    for plugin in framework.at("postBind"):
        plugin.post_bind(state, pod, node)


def _told(point: str, plugin: str, status: Status) -> Status:
    """Return a rejection as it is, and anything else as an error of the plugin."""
    if status.rejected:
        return status.of(plugin)
    return error(f'running {point} plugin "{plugin}": {status.message}', plugin)
