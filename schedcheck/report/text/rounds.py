"""A behaviour that goes round: who takes each step of the round, and what it does: `rounds`, `turns`, `Turn`, `conclusion`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schedcheck.checker.result import Violation
from schedcheck.model.controllers.descheduler import Deschedule, EvictDescheduled
from schedcheck.model.controllers.disruption import Recount
from schedcheck.model.controllers.karpenter import (
    Consolidate,
    Disrupt,
    EvictForDisruption,
    Initialize,
    Provision,
    RemoveEmpty,
    ReplaceNodes,
    TerminateNode,
)
from schedcheck.model.controllers.kubelet import End, Start
from schedcheck.model.controllers.node_lifecycle import TaintByCondition, TaintEvict
from schedcheck.model.controllers.node_pools import AddNode, EvictForScaleDown, GiveUp, RemoveNode, ScaleDown
from schedcheck.model.controllers.node_shutdown import Kill, Reject
from schedcheck.model.controllers.owners import Create, Replace
from schedcheck.model.controllers.rollouts import Remove
from schedcheck.model.environment import NodeEvent, PodEvent
from schedcheck.model.nominations import EvictVictim, Terminate
from schedcheck.model.pod_garbage_collection import Collect
from schedcheck.report.text.changes import Step
from schedcheck.report.text.terminal import listed
from schedcheck.spec.decisions import Bind, Nominate, Wait
from schedcheck.spec.objects import Pod, Snapshot


@dataclass(frozen=True)
class Turn:
    """A step of a round: its number in the trace, who takes it, and what it does."""

    step: int
    who: str
    does: str


def rounds(violation: Violation, taken: Sequence[Step]) -> tuple[Turn, ...]:
    """Return the steps of the round that a behaviour repeats forever; none if it stays in a state, or does not repeat."""
    return turns(violation.loop, taken)


def turns(loop: int | None, taken: Sequence[Step]) -> tuple[Turn, ...]:
    """Return the steps after the one whose state the last leads back to; none if the behaviour does not repeat."""
    last = len(taken) - 1
    if loop is None or loop == last:
        return ()
    return tuple(_turn(taken[number], taken[number - 1].snapshot) for number in range(loop + 1, last + 1))


def conclusion(turns: Sequence[Turn], taken: Sequence[Step]) -> str:
    """Return that a policy of the descheduler and the scheduler go round, and with which pods; empty if they do not."""
    actions = [taken[each.step].action for each in turns]
    evicted = {each.pod for each in actions if isinstance(each, EvictDescheduled)}
    bound = {str(each.pod): each.node.name for each in actions if isinstance(each, Bind)}
    pods = sorted(evicted & bound.keys())
    if not pods:
        return ""
    nodes = sorted({bound[pod] for pod in pods})
    return (
        "This policy of the descheduler and this configuration of the scheduler never come to rest:"
        f" {listed(pods)} on {listed(nodes)}."
    )


def _turn(step: Step, before: Snapshot) -> Turn:
    tell = TELLINGS.get(type(step.action), _others)
    if isinstance(step.action, (Create, Replace)):
        before = step.snapshot
    who, does = tell(step.action, before)
    return Turn(step.number, who, does)


def _named(name: str, snapshot: Snapshot) -> Iterator[Pod]:
    """Yield the pod that an action names."""
    return (pod for pod in snapshot.pods if str(pod) == name)


def _from(name: str, snapshot: Snapshot) -> str:
    """Return the pod and its node."""
    return next((f"{pod} from {pod.node_name}" for pod in _named(name, snapshot) if pod.node_name), name)


def _wanted(action: Deschedule, before: Snapshot) -> tuple[str, str]:
    return "descheduler", f"{action.plugin} wants to evict {', '.join(_from(each, before) for each in action.pods)}"


def _bound(action: Bind, before: Snapshot) -> tuple[str, str]:
    return "scheduler", f"binds {action.pod} to {action.node}"


def _nominated(action: Nominate, before: Snapshot) -> tuple[str, str]:
    victims = listed(sorted(map(str, action.victims)), ", ")
    return "scheduler", f"nominates {action.pod} to {action.node}" + (f", to evict {victims}" if victims else "")


def _waits(action: Wait, before: Snapshot) -> tuple[str, str]:
    return "scheduler", f"finds no node for {action.pod}"


def _created(action: PodEvent, after: Snapshot) -> tuple[str, str]:
    return _owner(action, after), f"creates {action.pod} again"


def _owner(action: PodEvent, snapshot: Snapshot) -> str:
    """Return the kind and the name of the owner of the pod."""
    return next((" ".join(pod.owner) for pod in _named(action.pod, snapshot) if pod.owner[0]), "owner")


def _evicts(who: str) -> Callable[[PodEvent, Snapshot], tuple[str, str]]:
    return lambda action, before: (who, f"evicts {_from(action.pod, before)}")


def _tainted(action: PodEvent, before: Snapshot) -> tuple[str, str]:
    return "taint eviction", f"deletes {_from(action.pod, before)}, whose NoExecute taint it does not tolerate for good"


def _conditioned(action: NodeEvent, before: Snapshot) -> tuple[str, str]:
    return "node lifecycle", f"sets the taints of {action.node} by its conditions"


def _scales(does: str) -> Callable[[NodeEvent, Snapshot], tuple[str, str]]:
    return lambda action, before: ("autoscaler", does.format(action.node))


def _provisioned(action: Provision, before: Snapshot) -> tuple[str, str]:
    return "Karpenter", f"launches {listed(action.nodes)}"


def _disrupted(does: str) -> Callable[[Disrupt, Snapshot], tuple[str, str]]:
    return lambda action, before: ("Karpenter", does.format(listed(action.nodes)))


def _replaced(action: ReplaceNodes, before: Snapshot) -> tuple[str, str]:
    return "Karpenter", f"replaces {listed(action.nodes)} by {action.replacement}"


def _managed(does: str) -> Callable[[NodeEvent, Snapshot], tuple[str, str]]:
    return lambda action, before: ("Karpenter", does.format(action.node))


def _kubelet(does: str) -> Callable[[PodEvent, Snapshot], tuple[str, str]]:
    return lambda action, before: ("kubelet", f"{does} {action.pod}")


def _collected(action: PodEvent, before: Snapshot) -> tuple[str, str]:
    return "pod garbage collection", f"deletes {_from(action.pod, before)}"


def _removed(action: PodEvent, before: Snapshot) -> tuple[str, str]:
    return _owner(action, before), f"deletes {_from(action.pod, before)}"


def _recounted(action: Recount, before: Snapshot) -> tuple[str, str]:
    return "disruption controller", f"counts anew: {action}"


def _others(action: Any, before: Snapshot) -> tuple[str, str]:
    return "", str(action)


TELLINGS: Mapping[type, Callable[[Any, Snapshot], tuple[str, str]]] = {
    Deschedule: _wanted,
    EvictDescheduled: _evicts("descheduler"),
    Bind: _bound,
    Nominate: _nominated,
    Wait: _waits,
    EvictVictim: _evicts("scheduler"),
    Terminate: _kubelet("ends"),
    Create: _created,
    Replace: _created,
    Remove: _removed,
    TaintEvict: _tainted,
    TaintByCondition: _conditioned,
    Start: _kubelet("starts"),
    End: _kubelet("ends"),
    Collect: _collected,
    Kill: _kubelet("ends, as its node shuts down,"),
    Reject: _kubelet("rejects, as its node shuts down,"),
    Recount: _recounted,
    AddNode: _scales("adds {}"),
    ScaleDown: _scales("begins to drain {}"),
    EvictForScaleDown: _evicts("autoscaler"),
    GiveUp: _scales("gives up draining {}"),
    RemoveNode: _scales("removes {}"),
    Provision: _provisioned,
    Initialize: _managed("initializes {}"),
    RemoveEmpty: _disrupted("gives up {}, which is empty"),
    Consolidate: _disrupted("gives up {}, as its pods find places elsewhere"),
    ReplaceNodes: _replaced,
    EvictForDisruption: _evicts("Karpenter"),
    TerminateNode: _managed("deletes {}"),
}
"""Who takes an action, and what it does; other actions are shown as they are."""
