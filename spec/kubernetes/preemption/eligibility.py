"""Whether a pod that fits on no node may preempt others at all: `ineligibility`.

Kubernetes 1.34: PodEligibleToPreemptOthers in pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.
"""

from collections.abc import Iterable, Mapping

from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import Verdict
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.preemption.of_units import endangered
from schedcheck.spec.kubernetes.preemption.potential_victims import potential_victims
from schedcheck.spec.objects import Pod
from schedcheck.spec.refusal import Code

NEVER = "not eligible due to preemptionPolicy=Never."
TERMINATING = "not eligible due to a terminating pod on the nominated node."


def ineligibility(cycle: Cycle, verdicts: Mapping[str, Verdict]) -> str | None:
    r"""Return why the pod may not preempt; None if it may.

    TLA+: Ineligible(Pod, Snapshot) ==
            \/ Pod.Spec.PreemptionPolicy = "Never"
            \/ \E Info \in NodeInfos(Snapshot) : WaitsOn(Pod, Info, Snapshot)
    """
    if cycle.pod.preemption_policy == "Never":
        return NEVER
    return (
        TERMINATING
        if any(waits_on(cycle.pod, info, verdicts, endangered(cycle, info)) for info in cycle.infos)
        else None
    )


def waits_on(pod: Pod, info: NodeInfo, verdicts: Mapping[str, Verdict], victims: Iterable[Pod] | None = None) -> bool:
    r"""Whether `pod` is nominated to this node, evictions may help, and a preempted pod is still terminating there.

    `victims` are the pods that it may evict there, by default those of a lower priority.

    TLA+: WaitsOn(Pod, Info, Snapshot) ==
            /\ Info.Node.Name = Pod.Status.NominatedNodeName
            /\ ~UnresolvableOn(Pod, Info.Node, Snapshot)
            /\ \E Other \in PotentialVictims(Pod, Info) : Other.Terminating /\ Other.Status.Preempted
    """
    return (
        info.node.name == pod.nominated_node_name
        and not unresolvable_on(info, verdicts)
        and any(
            other.terminating and other.preempted
            for other in (potential_victims(pod, info) if victims is None else victims)
        )
    )


def unresolvable_on(info: NodeInfo, verdicts: Mapping[str, Verdict]) -> bool:
    r"""Whether the node is refused as UnschedulableAndUnresolvable.

    TLA+: UnresolvableOn(Pod, Node, Snapshot) ==
            LET Found == Verdict(Pod, Node, Snapshot).Refusal
            IN Found # Null /\ Found.Code = "UnschedulableAndUnresolvable"
    """
    refusal = verdicts[info.node.name].refusal
    return refusal is not None and refusal.code == Code.UNRESOLVABLE
