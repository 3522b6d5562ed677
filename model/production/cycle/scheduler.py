"""The scheduler: it takes pods from the queue one by one, and binds them beside that: `Scheduler`, `Binding`.

Kubernetes 1.34: pkg/scheduler/schedule_one.go, pkg/scheduler/scheduler.go.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from schedcheck.model.production.cache.cache import Cache, CacheError
from schedcheck.model.production.cycle.algorithm import Search, Suggestion, scheduled
from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.cycle.diagnosis import CycleError, FitError, NoNodesError, refused
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
from schedcheck.spec.objects import Pod


class Stage(StrEnum):
    """What a binding cycle does next."""

    PERMIT = "permit"
    PRE_BIND = "preBind"
    BIND = "bind"


@dataclass
class Binding:
    """A pod on its way to a node, which it counts on already."""

    queued: QueuedPod
    pod: Pod
    node: str
    state: CycleState
    stage: Stage = Stage.PERMIT


@dataclass
class Attempt:
    """A pod that was taken up, and what it came to: the node that is chosen, or why there is none.

    That is a status, the error of a pod that fits nowhere, and whom it is nominated to, as `_failed` takes them.
    """

    queued: QueuedPod
    framework: Framework
    state: CycleState
    outcome: str | tuple[Status, FitError | None, str | None]


class Scheduler:
    """Queue, cache and plugins of some profiles.

    `clock` gives the time in seconds; `percentage` of the nodes is searched, 0 for a part that adapts; `random` draws
    among equals. `concluded` is what the last cycle came to that looked for a node.
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
        )
        self.frameworks = {each.scheduler_name: built(registry, each, self.handle) for each in profiles}
        self.clock = clock
        self.cache = Cache()
        listers = self.handle.listers
        self.queue = SchedulingQueue(
            self.frameworks, clock, listers.pods.get, lambda: listers.namespaces, backoff
        )  # fmt: skip
        self.handle.nominated = self.queue.nominated
        self.handle.nominated_nodes = self.queue.nominator.nodes
        self.handle.activate = self.queue.activate
        self.handle.happened = self.queue.move_all
        self.handle.let_in = self.queue.let_in
        self.percentage = percentage
        self.next_start = 0
        self.concluded: Conclusion | None = None
        self.awaited: set[object] = set()
        """What was there at the start and was not delivered yet: names of nodes, keys of pods."""

    def schedule_one(self) -> Binding | None:
        """Take up the next pod; its binding cycle if a node was found for it, which is begun and has to be gone on with."""
        attempt = self.decide()
        return None if attempt is None else self.carry_out(attempt)

    def decide(self) -> Attempt | None:
        """Take up the next pod and decide what is to be done with it; None if there is nobody to decide about.

        Nobody is taken up before all was delivered that was there at the start.
        """
        queued = None if self.awaited else self.queue.pop()
        if queued is None:
            return None
        framework = self.frameworks.get(queued.pod.scheduler_name)
        if framework is None or self._is_to_be_skipped(queued.pod):
            self.queue.done(queued.identity)
            return None
        state = CycleState()
        return Attempt(queued, framework, state, self._outcome(framework, state, queued))

    def carry_out(self, attempt: Attempt) -> Binding | None:
        """Do what was decided, whatever was delivered since: begin to bind, or put the pod back."""
        if isinstance(attempt.outcome, str):
            return self._begun(attempt.framework, attempt.state, attempt.queued, attempt.outcome)
        self._failed(attempt.queued, *attempt.outcome)
        return None

    def advance(self, binding: Binding) -> bool:
        """Take the next step of a binding cycle, if it need not wait; whether there are more."""
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
                    # Whatever goes wrong from here on is no refusal, so that no event need be asked about.
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
        """Take all steps of what goes on beside the cycles."""
        for background in self.handle.background:
            for key in list(background.running):
                background.finish(key)

    def finish(self, binding: Binding) -> None:
        """Take all steps of a binding cycle up to the one that must wait."""
        while self.advance(binding):
            if binding.stage is Stage.PERMIT:
                return

    def _is_to_be_skipped(self, pod: Pod) -> bool:
        """Whether the pod is being deleted, or is on its way already."""
        if pod.terminating:
            self.handle.record(pod, "FailedScheduling", f"skip schedule deleting pod: {'/'.join(pod.key)}")
        return pod.terminating or self.cache.is_assumed(pod.identity)

    def _outcome(
        self, framework: Framework, state: CycleState, queued: QueuedPod
    ) -> str | tuple[Status, FitError | None, str | None]:
        """The node that is chosen, or why there is none."""
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
            self.concluded = Conclusion(queued.pod, found.hosts)
            return self.handle.choose(found.hosts)
        result = PostFilterResult("")
        statuses = found.error.diagnosis.statuses
        if framework.at("postFilter"):
            made, status = points.post_filtered(framework, state, queued.info, statuses)
            found.error.diagnosis.post_filter = status.message
            result = PostFilterResult(None) if made is None else made
        nominated, message = result.nominated_node, found.error.message
        rows = snapshot.table.row_of
        self.concluded = Conclusion(queued.pod, (), message, nominated, result.victims, statuses, rows)
        return Status(Code.UNSCHEDULABLE, (message,)), found.error, nominated

    def _begun(self, framework: Framework, state: CycleState, queued: QueuedPod, host: str) -> Binding | None:
        """The binding cycle of a pod that was reserved and may go on or wait; None if it was refused, and put back.

        Who was deleted or bound while a node was looked for is dropped, since that has been heard already.
        """
        known = self.handle.listers.pods.get(queued.key)
        if known is None or known.uid != queued.pod.uid or known.node_name or known.terminating:
            self.queue.done(queued.identity)
            return None
        pod = replace(queued.pod, node_name=host)
        try:
            self.cache.assume(PodInfo(pod))
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
        """What the first that binds says: an extender that is interested, or else the plugins."""
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
        """A binding cycle has failed: nothing of it is left, and the pod is put back."""
        pod = binding.pod
        points.unreserved(framework, binding.state, pod, binding.node)
        forgotten = True
        try:
            self.cache.forget(PodInfo(pod))
        except CacheError:
            # It was confirmed, or is gone: the call has come through although its answer has not.
            forgotten = False
        if forgotten and not status.rejected:
            self.queue.move_all(ASSIGNED_POD_DELETED, pod, None)
        self._failed(binding.queued, status, fit, "")
        if forgotten and status.rejected:
            # Only now, so that the pod is not moved by its own leaving.
            self.queue.move_all(ASSIGNED_POD_DELETED, pod, None, lambda other: other.identity != pod.identity)

    def _refusal(self, host: str, status: Status) -> FitError | None:
        """That the pod was refused on its node; None if it was no refusal."""
        return refused(self.handle.snapshot.table.row_of.get(host, 0), status) if status.rejected else None

    def _failed(self, queued: QueuedPod, status: Status, fit: FitError | None, nominated: str | None) -> None:
        """Put a pod back, nominate it (an empty name clears, None leaves it as it is), and tell of it."""
        if fit is not None:
            queued.refused_by, queued.pending = set(fit.diagnosis.refused_by), set(fit.diagnosis.pending)
        before = queued.pod
        known = self.handle.listers.pods.get(queued.key)
        message = status.message if fit is None else fit.message
        self.handle.record(before, "FailedScheduling", message)
        if known is not None and known.uid != queued.pod.uid:
            # Another has taken its name, to which nothing of this is to be done.
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
        # What was noted may have been written, though that was not delivered yet, or only since the pod was taken up.
        written = {each.nominated_node_name for each in (before, known) if each is not None}
        if nominated is not None and {*written, noted} != {nominated}:
            self._nominate(before, nominated)

    def _nominate(self, pod: Pod, node: str) -> None:
        """Write the nomination down; if that fails the pod has the one that its object has."""
        if self.handle.client is None:
            return
        try:
            self.handle.client.nominate(pod, node)
        except ClientError:
            known = self.handle.listers.pods.get(pod.key)
            self.queue.nominator.add(pod if known is None else known)
