"""The scheduler: scheduling cycles one by one, binding cycles at the same time: `Scheduler`, `Binding`.

Kubernetes 1.34: pkg/scheduler/schedule_one.go, pkg/scheduler/scheduler.go.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random

from schedcheck.model.production.cache.cache import Cache, CacheError
from schedcheck.model.production.cycle.algorithm import Search, Suggestion, scheduled
from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.cycle.diagnosis import CycleError, FitError, NoNodesError, refused
from schedcheck.model.production.cycle.pod_groups import group_cycle, grouped
from schedcheck.model.production.framework import binding as points
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.events import ASSIGNED_POD_DELETED
from schedcheck.model.production.framework.extender import Extender, ExtenderError
from schedcheck.model.production.framework.framework import Framework, built
from schedcheck.model.production.framework.handle import Client, ClientError, Draws, Handle, Recorder, unheard
from schedcheck.model.production.framework.plugin import PostFilterResult
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.framework.status import SUCCESS, Code, Status, error
from schedcheck.model.production.queue.queued_pod import Backoff, QueuedPod
from schedcheck.model.production.queue.scheduling_queue import QueueError, SchedulingQueue
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import Pod


class Stage(StrEnum):
    """The next step of a binding cycle."""

    PERMIT = "permit"
    PRE_BIND = "preBind"
    BIND = "bind"


@dataclass
class Binding:
    """The binding cycle of a pod that is assumed on its node."""

    queued: QueuedPod
    pod: Pod
    node: str
    state: CycleState
    stage: Stage = Stage.PERMIT


@dataclass
class Attempt:
    """A popped pod and the decision about it: the chosen node, or the reason for having none.

    The reason is the status, the FitError of an unschedulable pod, and the nomination, as `_failed` takes them.
    """

    queued: QueuedPod
    framework: Framework
    state: CycleState
    outcome: str | tuple[Status, FitError | None, str | None]


class Scheduler:
    """Queue, cache and plugins of some profiles.

    `clock` returns the time in seconds. `percentage` of the nodes is searched, 0 for one that adapts to their number.
    `random` draws among equals. `concluded` is the result of the last cycle that searched for a node.
    """

    def __init__(
        self,
        registry: Registry,
        profiles: Sequence[Plugins],
        client: Client,
        clock: Callable[[], float],
        *,
        extenders: Sequence[Extender] = (),
        percentage: int = 0,
        backoff: Backoff = Backoff(),  # noqa: B008
        random: Draws | None = None,
        recorder: Recorder = unheard,
        asynchronous_preemption: bool = True,
    ) -> None:
        self.handle = Handle(
            client,
            extenders=extenders,
            random=random or Random(0),
            record=recorder,
            asynchronous_preemption=asynchronous_preemption,
            departures=next((each.departures for each in profiles), NEWEST.departures),
        )
        self.frameworks = {each.scheduler_name: built(registry, each, self.handle) for each in profiles}
        self.clock = clock
        self.cache = Cache(departures=self.handle.departures)
        listers = self.handle.listers
        self.queue = SchedulingQueue(
            self.frameworks,
            clock,
            listers.pods.get,
            lambda: listers.namespaces,
            backoff,
            departures=self.handle.departures,
        )
        self.handle.nominated = self.queue.nominated
        self.handle.nominations = self.queue.nominations
        self.handle.activate = self.queue.activate
        self.handle.happened = self.queue.move_all
        self.handle.let_in = self.queue.let_in
        self.handle.placed = lambda: (info.pod for info in self.cache.pods.values())
        self.percentage = percentage
        self.next_start = 0
        self.concluded: Conclusion | None = None
        self.awaited: set[object] = set()
        """Names of nodes and keys of pods that existed at the start and are not delivered yet."""

    def schedule_one(self) -> Binding | None:
        """Run the scheduling cycle of the next pod, and return its binding cycle if a node was found.

        The caller takes the remaining steps of the binding cycle.
        """
        attempt = self.decide()
        return None if attempt is None else self.carry_out(attempt)

    def schedule_next(self) -> list[Binding]:
        """Run the scheduling cycle of the next pod or PodGroup, and return the binding cycles that begin.

        The caller takes the remaining steps of the binding cycles.
        """
        queued = None if self.awaited else self.queue.pop()
        if queued is None:
            return []
        framework = self.frameworks.get(queued.pod.scheduler_name)
        if grouped(queued.pod, framework):
            return group_cycle(self, queued)
        attempt = self._attempt(queued)
        begun = None if attempt is None else self.carry_out(attempt)
        return [] if begun is None else [begun]

    def decide(self) -> Attempt | None:
        """Pop the next pod and decide about it; return None if there is no pod to decide about.

        No pod is popped before all objects that existed at the start are delivered.
        """
        queued = None if self.awaited else self.queue.pop()
        return None if queued is None else self._attempt(queued)

    def _attempt(self, queued: QueuedPod) -> Attempt | None:
        """Decide about a popped pod; return None if it is to be skipped."""
        framework = self.frameworks.get(queued.pod.scheduler_name)
        assert not grouped(queued.pod, framework), "the pods of a PodGroup are tried by schedule_next"
        if framework is None or self._is_to_be_skipped(queued.pod):
            self.queue.done(queued.identity)
            return None
        state = CycleState()
        return Attempt(queued, framework, state, self._outcome(framework, state, queued))

    def carry_out(self, attempt: Attempt) -> Binding | None:
        """Carry out the decision, whatever was delivered since: begin a binding cycle, or put the pod back."""
        if isinstance(attempt.outcome, str):
            return self._begun(attempt.framework, attempt.state, attempt.queued, attempt.outcome)
        self._failed(attempt.queued, *attempt.outcome)
        return None

    def begin(self, framework: Framework, state: CycleState, queued: QueuedPod, host: str) -> Binding | None:
        """Assume a pod on its node and begin its binding cycle; return None if it was rejected and put back."""
        return self._begun(framework, state, queued, host)

    def fail(self, queued: QueuedPod, status: Status, nominated: str | None) -> None:
        """Put back a pod whose group does not fit, or that is left over; set its nomination as `_failed` does."""
        self._failed(queued, status, None, nominated)

    def advance(self, binding: Binding) -> bool:
        """Take the next step of a binding cycle unless it waits on Permit; return whether more steps follow."""
        framework = self.frameworks[binding.pod.scheduler_name]
        state, pod, node = binding.state, binding.pod, binding.node
        fit: FitError | None = None
        match binding.stage:
            case Stage.PERMIT:
                awaited = points.permit_awaited(framework, pod)
                if awaited is None:
                    return True
                status = awaited
                if status.success:
                    # A failure after Permit is not a rejection by a plugin, so the events since then need not be kept.
                    self.queue.done(pod.identity)
                else:
                    fit = self._refusal(node, status)
                binding.stage = Stage.PRE_BIND
            case Stage.PRE_BIND:
                status = points.pre_bound(framework, state, pod, node)
                binding.stage = Stage.BIND
            case Stage.BIND:
                status = self._bound(framework, state, pod, node)
                if status.success:
                    self.handle.record(pod, "Scheduled", f"Successfully assigned {'/'.join(pod.key)} to {node}")
                    points.post_bound(framework, state, pod, node)
                    return False
        if not status.success:
            self._undo(framework, binding, status, fit)
        return status.success

    def run_background(self) -> None:
        """Take all steps of the background work, which are the evictions."""
        for background in self.handle.background:
            for key in list(background.running):
                background.finish(key)

    def finish(self, binding: Binding) -> None:
        """Take all steps of a binding cycle, up to its end or to a wait on Permit."""
        while self.advance(binding):
            if binding.stage is Stage.PERMIT:
                return

    def _is_to_be_skipped(self, pod: Pod) -> bool:
        """Whether the pod is terminating, or is assumed already."""
        if pod.terminating:
            self.handle.record(pod, "FailedScheduling", f"skip schedule deleting pod: {'/'.join(pod.key)}")
        return pod.terminating or self.cache.is_assumed(pod.identity)

    def _outcome(
        self, framework: Framework, state: CycleState, queued: QueuedPod
    ) -> str | tuple[Status, FitError | None, str | None]:
        """Return the chosen node, or the reason for having none."""
        self.cache.update(self.handle.snapshot)
        search = Search(self.percentage, self.next_start)
        snapshot = self.handle.snapshot
        try:
            found = scheduled(framework, state, queued.info, snapshot, search, self.handle.extenders)
        except CycleError as failure:
            code = Code.UNRESOLVABLE if isinstance(failure, NoNodesError) else Code.ERROR
            self.concluded = Conclusion(queued.pod, message=str(failure))
            return Status(code, (str(failure),)), None, ""
        self.next_start = found.next_start
        if isinstance(found, Suggestion):
            # These are references to what the cycle has computed: an observer costs nothing until it looks.
            self.concluded = Conclusion(
                queued.pod,
                found.hosts,
                statuses=found.statuses,
                rows=snapshot.table.row_of,
                found=found.found,
                mode=found.mode,
                scores=found.scores,
            )
            return self.handle.choose(found.hosts)
        result = PostFilterResult("")
        statuses = found.error.diagnosis.statuses
        if framework.at("postFilter"):
            made, status = points.post_filtered(framework, state, queued.info, statuses)
            found.error.diagnosis.post_filter = status.message
            result = PostFilterResult(None) if made is None else made
        nominated, message = result.nominated_node, found.error.message
        rows = snapshot.table.row_of
        self.concluded = Conclusion(
            queued.pod, (), message, nominated, result.victims, statuses, rows, candidates=result.candidates
        )
        return Status(Code.UNSCHEDULABLE, (message,)), found.error, nominated

    def _begun(self, framework: Framework, state: CycleState, queued: QueuedPod, host: str) -> Binding | None:
        """Assume the pod and run Reserve and Permit; return its binding cycle, None if it was rejected and put back.

        A pod that was deleted or bound during the search is dropped, because its informer event was handled already.
        """
        known = self.handle.listers.pods.get(queued.key)
        if known is None or known.uid != queued.pod.uid or known.node_name or known.terminating:
            self.queue.done(queued.identity)
            return None
        placed = queued.info.placed(host)
        pod = placed.pod
        try:
            self.cache.assume(placed)
        except CacheError as failure:
            self._failed(queued, error(str(failure)), None, "")
            return None
        self.queue.nominator.remove(pod.key)
        status = points.reserved(framework, state, pod, host)
        if status.success:
            status = points.permitted(framework, state, pod, host, self.clock())
        if status.success or status.code is Code.WAIT:
            return Binding(queued, pod, host, state)
        points.unreserved(framework, state, pod, host)
        self.cache.forget(PodInfo(pod))
        self._failed(queued, status, self._refusal(host, status), "")
        return None

    def _bound(self, framework: Framework, state: CycleState, pod: Pod, node: str) -> Status:
        """Bind the pod by the first interested extender with a bind verb, else by the plugins; return the status."""
        status: Status | None = None
        for extender in self.handle.extenders:
            if not extender.binds or not extender.interested(pod):
                continue
            try:
                extender.bind(pod, node)
                status = SUCCESS
            except ExtenderError as failure:
                if extender.ignorable:
                    continue
                status = error(str(failure))
            break
        if status is None:
            status = points.bound(framework, state, pod, node)
        self.cache.finish_binding(pod.identity, self.clock())
        return status

    def _undo(self, framework: Framework, binding: Binding, status: Status, fit: FitError | None) -> None:
        """Undo a failed binding cycle, and put the pod back."""
        pod = binding.pod
        points.unreserved(framework, binding.state, pod, binding.node)
        forgotten = True
        try:
            self.cache.forget(PodInfo(pod))
        except CacheError:
            # The pod was confirmed or deleted: the call has reached the server although its answer was lost.
            forgotten = False
        if forgotten and not status.rejected:
            self.queue.move_all(ASSIGNED_POD_DELETED, pod, None)
        self._failed(binding.queued, status, fit, "")
        if forgotten and status.rejected:
            # Only after the pod was put back, and not for this pod, so that its own event does not requeue it.
            self.queue.move_all(ASSIGNED_POD_DELETED, pod, None, lambda other: other.identity != pod.identity)

    def _refusal(self, host: str, status: Status) -> FitError | None:
        """Return the FitError of a pod that was rejected on its node; None if the status is no rejection."""
        return refused(self.handle.snapshot.table.row_of.get(host, 0), status) if status.rejected else None

    def _failed(self, queued: QueuedPod, status: Status, fit: FitError | None, nominated: str | None) -> None:
        """Put a pod back, set its nomination ("" clears it, None keeps it), and record the event."""
        if fit is not None:
            queued.refused_by, queued.pending = set(fit.diagnosis.refused_by), set(fit.diagnosis.pending)
        before = queued.pod
        known = self.handle.listers.pods.get(queued.key)
        message = status.message if fit is None else fit.message
        self.handle.record(before, "FailedScheduling", message)
        if known is not None and known.uid != queued.pod.uid:
            # Another pod has this name now; it must not get this result.
            self.queue.done(queued.identity)
            return
        if known is None or known.node_name:
            self.queue.done(queued.identity)
        else:
            queued.info = PodInfo(known)
            try:
                self.queue.put_back(queued)
            except QueueError:
                self.queue.done(queued.identity)
        noted = self.queue.nominator.node_of.get(queued.key, "")
        self.queue.nominator.add(queued.pod, nominated)
        # A nomination that the scheduler knows may be written without being delivered, or only since the pod was
        # popped.
        written = {each.nominated_node_name for each in (before, known) if each is not None}
        if nominated is not None and {*written, noted} != {nominated}:
            self._nominate(before, nominated)

    def _nominate(self, pod: Pod, node: str) -> None:
        """Write the nomination into the pod's status; if that fails, return to the nomination in the status."""
        if self.handle.client is None:
            return
        try:
            self.handle.client.nominate(pod, node)
        except ClientError:
            known = self.handle.listers.pods.get(pod.key)
            self.queue.nominator.add(pod if known is None else known)
