"""The preemption evaluator: whether a pod preempts, and on which node: `Evaluator`.

Kubernetes 1.34: Evaluator in pkg/scheduler/framework/preemption/preemption.go.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from schedcheck.model.production.cycle.diagnosis import Diagnosis, FitError
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.extender import Extender, ExtenderError, Victims
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.framework.handle import ClientError, Handle
from schedcheck.model.production.framework.plugin import PostFilterResult
from schedcheck.model.production.framework.status import SUCCESS, Code, Status, error, unresolvable, unschedulable
from schedcheck.model.production.framework.verdicts import NodeStatuses
from schedcheck.model.production.preemption.by_units import in_units, units_on
from schedcheck.model.production.preemption.choice import best
from schedcheck.model.production.preemption.eviction import clear_nomination, evict, evictions_of
from schedcheck.model.production.preemption.victims import DryRun, dry_run
from schedcheck.model.production.preemption.wholes import wholes
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.objects import Pod

NOT_HELPFUL = "Preemption is not helpful for scheduling"
NEVER = "not eligible due to preemptionPolicy=Never."
TERMINATING = "not eligible due to a terminating pod on the nominated node."


class Evaluator:
    """Preemption for one profile; `percentage` and `absolute` give the number of candidates to find.

    With `asynchronous`, the victims are evicted after the cycle, and the preemptor waits for that.
    """

    def __init__(self, handle: Handle, percentage: int, absolute: int, *, asynchronous: bool = True) -> None:
        self._handle = handle
        self._percentage, self._absolute = percentage, absolute
        self._asynchronous = asynchronous
        self.evictions = evictions_of(handle)

    def preempt(
        self, framework: Framework, state: CycleState, pod: Pod, statuses: NodeStatuses
    ) -> tuple[PostFilterResult | None, Status]:
        """Choose a node, nominate it and start the evictions, or return why not.

        A result of None keeps the nomination of the pod.
        """
        latest = self._handle.listers.pods.get(pod.key)
        if latest is None:
            return None, error(f'pod "{pod.name}" not found')
        reason = self.ineligible(latest, statuses)
        if reason:
            return None, unschedulable(reason)
        found = self.candidates(framework, state, PodInfo(latest), statuses)
        failed = sorted({status.message for status in found.statuses.statuses if status.code is Code.ERROR})
        if not found.candidates and failed:
            return None, error(failed[0] if len(failed) == 1 else f"[{', '.join(failed)}]")
        if not found.candidates:
            return PostFilterResult(""), unschedulable(self._unhelpful(found.statuses))
        try:
            kept = asked(self._handle.extenders, latest, found.candidates)
        except ExtenderError as failure:
            return None, error(str(failure))
        if not kept:
            return None, unschedulable("no candidate node for preemption")
        node = self._handle.choose(best(kept))
        victims = kept[node].pods
        status = self._prepare(latest, node, victims)
        if not status.success:
            return None, status
        return PostFilterResult(node, tuple(victims), tuple(kept)), self._nominated(node, len(victims))

    def _nominated(self, node: str, victims: int) -> Status:
        """Return the success for a node, whose message older versions lack."""
        if Departure.NOMINATION_UNMENTIONED in self._handle.departures:
            return SUCCESS
        text = f"found a potential placement for pod on node {node}, preempting {victims} victims"
        return Status(SUCCESS.code, (text,))

    def ineligible(self, pod: Pod, statuses: NodeStatuses) -> str:
        """Return why the pod must not preempt, empty if it may.

        It must not while a victim of an earlier preemption is terminating on its nominated node. It may if that node no
        longer exists or was rejected as unresolvable.
        """
        if pod.preemption_policy == "Never":
            return NEVER
        node = pod.nominated_node_name
        if not node:
            return ""
        table = self._handle.snapshot.table
        row = table.row_of.get(node)
        if row is None or statuses.get(row).code is Code.UNRESOLVABLE:
            return ""
        framework = self._handle.frameworks.get(pod.scheduler_name)
        groups = self._handle.listers.pod_groups if framework is not None and in_units(framework) else ()
        leaving = any(
            each.priority < pod.priority and info.pod.terminating and info.pod.preempted
            for each in wholes(table.pods_on(row), groups)
            for info in each.infos
        )
        return TERMINATING if leaving else ""

    def candidates(self, framework: Framework, state: CycleState, pod: PodInfo, statuses: NodeStatuses) -> DryRun:
        """Return the nodes where evictions would make room, among those rejected as Unschedulable."""
        snapshot = self._handle.snapshot
        rows = statuses.with_code(Code.UNSCHEDULABLE, snapshot.rows)
        if not len(rows):
            return DryRun()
        enough = min(max(len(rows) * self._percentage // 100, self._absolute), len(rows))
        if enough < len(rows):
            first = self._handle.offset(len(rows))
            rows = np.concatenate([rows[first:], rows[:first]])
        return dry_run(framework, state, pod, snapshot, rows, enough, units_on if in_units(framework) else None)

    def _unhelpful(self, statuses: NodeStatuses) -> str:
        """Return the message of a dry run without candidates."""
        statuses.absent = unresolvable(NOT_HELPFUL)
        return FitError(len(self._handle.snapshot), Diagnosis(statuses)).message

    def _prepare(self, pod: Pod, node: str, victims: Sequence[Pod]) -> Status:
        """Evict the victims, after the cycle or now; now, a failing eviction is an error."""
        if self._asynchronous:
            self.evictions.start(pod, node, victims)
            return SUCCESS
        for victim in victims:
            if not victim.terminating:
                try:
                    evict(self._handle, victim, pod, node)
                except ClientError as failure:
                    return error(str(failure))
        for info in self._handle.nominated(node):
            if info.pod.priority < pod.priority:
                clear_nomination(self._handle, info.pod)
        return SUCCESS


def asked(extenders: Sequence[Extender], pod: Pod, candidates: Mapping[str, Victims]) -> Mapping[str, Victims]:
    """Return the candidates that every extender keeps, with the victims that the last one names.

    A candidate that had no victims may be returned without any; if no extender names victims for it, it is dropped.

    Raises: ExtenderError if an extender that is not ignorable fails, or drops all victims of a node.
    """
    interested = [each for each in extenders if each.preempts and each.interested(pod)]
    if not interested:
        # Without extenders every candidate has victims; which ones is left until a candidate is chosen.
        return candidates
    for extender in interested:
        if not candidates:
            break
        try:
            kept = extender.preempt(pod, candidates)
        except ExtenderError:
            if extender.ignorable:
                continue
            raise
        emptied = {name for name, victims in kept.items() if not victims.pods and _some(candidates, name)}
        if emptied and not extender.ignorable:
            raise ExtenderError(f'expected at least one victim pod on node "{min(emptied)}"')
        candidates = {name: victims for name, victims in kept.items() if name not in emptied}
    return {name: victims for name, victims in candidates.items() if victims.pods}


def _some(candidates: Mapping[str, Victims], name: str) -> bool:
    """Whether this candidate has victims; a node that was not offered counts as having some."""
    return name not in candidates or bool(candidates[name].pods)
