"""Which pods a production scheduler evicts and lets into its queue: `evictions_and_gates`, `on_request`.

kube-scheduler deletes a victim that no longer waits for its permit, even if that victim was put back into the queue
unbound meanwhile (preemptPod in pkg/scheduler/framework/preemption). So `deletes_only_placed_pods` is asked by name
only: it fails for kube-scheduler itself with a Permit plugin. The other properties hold for it.
"""

from collections.abc import Callable
from typing import Any

from schedcheck.model.production.machine.actions import KINDS, Evicting, Try
from schedcheck.model.production.machine.machine import Production, State
from schedcheck.spec.properties.kinds import Property, Step

Key = tuple[str, str]


def victims_are_placed(before: State, action: Any, after: State) -> bool:
    """A cycle chooses as victims only pods that were known as bound, or were assumed or being bound."""
    made = action.concluded
    return made is None or {victim.key for victim in made.victims} <= _placed(before)


def deletes_only_placed_pods(before: State, action: Any, after: State) -> bool:
    """An eviction deletes only a pod that is bound, or that the scheduler has assumed or is binding."""
    was = {pod.key: pod for pod in before.objects.pods if pod is not None}
    deleted = {
        pod.key
        for pod in after.objects.pods
        if pod is not None and pod.terminating and pod.key in was and not was[pod.key].terminating
    }
    return deleted <= _placed(before) | {key for key, pod in was.items() if pod.node_name}


def _placed(state: State) -> set[Key]:
    """Return the pods that are known as bound, and those that are assumed or being bound."""
    memory = state.memory
    bound = {pod.key for pod in memory.pods if pod.node_name}
    return bound | {pod.key for pod in memory.assumed} | {each.pod.key for each in memory.bindings}


def no_entry_past_a_gate(machine: Production) -> Callable[[State, Any, State], bool]:
    """A pod that enters the active queue or the backoff is admitted by every PreEnqueue plugin.

    kube-scheduler does not ask again when the backoff ends, so a gate that closes meanwhile is not seen.
    """
    return _admitted(machine, past_the_gates)


def no_active_pod_is_gated(machine: Production) -> Callable[[State, Any, State], bool]:
    """A pod that becomes active is admitted by every PreEnqueue plugin at that time, also after its backoff."""
    return _admitted(machine, _active)


def _admitted(machine: Production, where: Callable[[State], set[Key]]) -> Callable[[State, Any, State], bool]:
    """Whether each pod that a step brings there is admitted."""

    def holds(before: State, action: Any, after: State) -> bool:
        entered = where(after) - where(before)
        return not entered or entered <= machine.admitted(after)

    return holds


def past_the_gates(state: State) -> set[Key]:
    """Return the pods in the active queue or in backoff."""
    return {waiter.pod.key for waiter in state.memory.waiters if waiter.place in ("active", "refused", "erring")}


def _active(state: State) -> set[Key]:
    return {waiter.pod.key for waiter in state.memory.waiters if waiter.place == "active"}


def evictions_and_gates(machine: Production) -> tuple[Property, ...]:
    """Return the properties that hold for every production scheduler."""
    return (
        Step(victims_are_placed.__name__, _claim(victims_are_placed), (Try,), victims_are_placed),
        Step(no_entry_past_a_gate.__name__, _claim(no_entry_past_a_gate), KINDS, no_entry_past_a_gate(machine)),
    )


def on_request(machine: Production) -> tuple[Property, ...]:
    """Return the properties that kube-scheduler itself does not have, and that are checked only if asked for."""
    deletes, gated = deletes_only_placed_pods, no_active_pod_is_gated
    return (
        Step(deletes.__name__, _claim(deletes), (Evicting,), deletes),
        Step(gated.__name__, _claim(gated), KINDS, gated(machine)),
    )


def _claim(definition: Callable[..., Any]) -> str:
    return (definition.__doc__ or "").partition("\n")[0]
