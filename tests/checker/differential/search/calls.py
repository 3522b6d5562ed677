"""An account of the calls of a scheduler: which nominations it writes and clears, and whom it may delete: `Calls`; `not_tried`

Decisions say what a cycle concludes, and not what is called for it. The account knows the scheduler's view at the beginning of the
cycle, in which nominations count that are not delivered yet, and what was called since.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.cycle.scheduler import Binding, Stage
from schedcheck.spec.nominations import outranked
from schedcheck.spec.objects import Pod, Snapshot

Key = tuple[str, str]
Identity = tuple[str, ...]
PERMITTED = ("permit", "wait")
"""The label, with its value, of the pods that wait on Permit."""


@dataclass
class Calls:
    """The nominations written since they were looked at, and those that each preemptor has still to clear."""

    written: list[tuple[Key, str]] = field(default_factory=list)
    losers: dict[Identity, set[Key]] = field(default_factory=dict)

    def preempts(self, preemptor: Pod, made: Conclusion, there: Snapshot) -> None:
        """Note which pods lose their nominations to a cycle with this conclusion.

        Kubernetes 1.37: getLowerPriorityNominatedPods in pkg/scheduler/framework/preemption/executor.go.
        """
        if any(not each.terminating for each in made.victims):
            node = next(each for each in there.nodes if each.name == made.nominated)
            self.losers[preemptor.identity] = {each.key for each in outranked(made.pod, node, there)}

    def wrongly_cleared(self, stepped: Sequence[Identity]) -> str:
        """Return what is wrong with the nominations that the first step of these evictions has cleared; empty if nothing is."""
        wanted = set[Key]().union(*(self.losers.pop(each, ()) for each in stepped))
        found = {key for key, node in self.written if not node}
        kept = sorted(key for key, node in self.written if node)
        self.written.clear()
        if kept or found != wanted:
            return f"the nominations of {sorted(found)} are cleared, and {kept} are written, for {sorted(wanted)}"
        return ""

    def not_written(self, made: Conclusion, known: Pod | None, *, bound: bool) -> str:
        """Return what is wrong with the nomination of the pod in the API server after its cycle; empty if nothing is.

        Unless the call failed, or somebody else has written one, it is the one that the cycle concludes, also if an earlier one was written and is not delivered yet (docs/decisions/evictions.md).
        """
        wanted = "" if made.hosts else made.nominated
        if bound or wanted is None or known is None or known.uid != made.pod.uid or known.node_name:
            return ""
        found = known.nominated_node_name
        return "" if found == wanted else f"{made.pod} is nominated to {found or 'no node'}, not {wanted or 'none'}"


def not_tried(pods: Iterable[Pod], assumed: Iterable[Identity]) -> set[Identity]:
    """Return the pods that no cycle tries: of those that are known, the terminating ones, and the assumed ones.

    Kubernetes 1.37: skipPodSchedule in pkg/scheduler/schedule_one.go.
    """
    return {*assumed, *(each.identity for each in pods if each.terminating)}


def waits_on_permit(victim: Pod, bindings: Iterable[Binding]) -> bool:
    """Whether a pod waits on Permit, or has heard there without having gone on.

    Such a victim is rejected, and not deleted. Kubernetes 1.37: PreemptPod in pkg/scheduler/framework/preemption/executor.go.
    """
    key, value = PERMITTED
    here = (each for each in bindings if each.pod.identity == victim.identity and each.stage is Stage.PERMIT)
    return any(each.pod.labels.get(key) == value for each in here)
