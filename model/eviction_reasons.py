"""Who evicts a pod, and by what rule: `evictions`, the pods that a step evicts, each with its reasons.

A reason is the controller with what makes it act: the pod that preempts, the NoExecute taint that is not tolerated, the
plugin of the descheduler, or the pool that is scaled down. It names no node, as a pod may be evicted from another node for
the same reason.

A pod is a name of the scenario: the pod of this name, and every later one that its owner creates in its place.

Differs: an eviction for a preemptor that no longer waits has no reason, as it makes room for no pod. A request of the
eviction API by a user is an event, and a pod that its ReplicaSet deletes is not evicted.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from schedcheck.model.controllers import EvictDescheduled, EvictForDisruption, EvictForScaleDown, TaintEvict, unborne
from schedcheck.model.nominations import NOBODY, EvictVictim
from schedcheck.model.provisioning import NODE_POOL
from schedcheck.model.reference import State
from schedcheck.model.scenario import Scenario
from schedcheck.spec.decisions import Preempt
from schedcheck.spec.objects import Node, Pod

REASONED = (Preempt, EvictVictim, TaintEvict, EvictDescheduled, EvictForScaleDown, EvictForDisruption)
"""The evictions by the scheduler and the controllers."""


class Eviction(NamedTuple):
    """A pod that is evicted, and one reason."""

    pod: str
    reason: str


def evictions(scenario: Scenario, state: State, action: Any) -> frozenset[Eviction]:
    """Return what the action evicts in this state, and why; empty if it evicts nothing.

    The eviction of one pod may have several reasons: two preemptors that wait for it, or two taints.
    """
    if isinstance(action, Preempt):
        return frozenset(Eviction(str(victim), _preemption(action.pod)) for victim in action.victims)
    if not isinstance(action, REASONED):
        return frozenset()
    slot, pod = next((slot, pod) for slot, pod in enumerate(state.pods) if pod is not None and str(pod) == action.pod)
    return frozenset(Eviction(str(action.pod), reason) for reason in _reasons(scenario, state, action, slot, pod))


def _reasons(scenario: Scenario, state: State, action: Any, slot: int, pod: Pod) -> Iterator[str]:
    """Yield why the pod of this slot is evicted."""
    node = next((node for node in state.nodes if node is not None and node.name == pod.node_name), None)
    match action:
        case EvictVictim():
            yield from _preemptions(scenario, state, slot)
        case TaintEvict() if node is not None:
            yield from (f"the taint {taint}" for taint in unborne(pod, node))
        case EvictDescheduled() if scenario.descheduler is not None and state.cycle is not None:
            yield f"{scenario.descheduler.runs[state.cycle.place].plugin} of the descheduler"
        case EvictForScaleDown() if node is not None:
            yield _scale_down(scenario, node)
        case EvictForDisruption() if node is not None:
            yield f"disruption of the NodePool {node.labels.get(NODE_POOL, '')}"


def _preemptions(scenario: Scenario, state: State, slot: int) -> Iterator[str]:
    """Yield the preemptions for which the pod of this slot is to be evicted, as long as their preemptors wait."""
    for preemptor, victim in state.to_evict:
        if victim == slot and preemptor != NOBODY:
            yield _preemption(scenario.pods[preemptor])


def _preemption(preemptor: Pod) -> str:
    return f"preemption for {preemptor}"


def _scale_down(scenario: Scenario, node: Node) -> str:
    pool = None if scenario.node_pools is None else scenario.node_pools.pool_of(node)
    return f"scale-down of the pool {pool.name}" if pool is not None else "scale-down"
