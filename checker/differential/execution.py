"""The execution of decisions by a production scheduler: evictions, permits, nominations, assumed volumes.

`conduct` are the properties of every such scheduler, over the states of its machine. `no_endless_permit_wait` applies
if plugins let pods wait for other pods and nothing else. `Ledger` is a plugin that records reservations, and `balanced`
claims that exactly the pods that are being bound are reserved.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from typing import Any

from schedcheck.checker.differential.admission import evictions_and_gates, past_the_gates
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.extender import Extender, ExtenderError
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SUCCESS, Status
from schedcheck.model.production.machine.actions import KINDS, Advance, Evicting, Try
from schedcheck.model.production.machine.machine import Production, State
from schedcheck.spec.kubernetes.plugins import Arguments, Plugins
from schedcheck.spec.objects import Pod
from schedcheck.spec.properties.kinds import Always, Property, Step

Key = tuple[str, str]


def evicts_concluded_victims(before: State, action: Any, after: State) -> bool:
    """A cycle that nominates begins to evict exactly the victims that are not terminating yet."""
    made = action.concluded
    expected = _evictions(before)
    alive = {victim.key for victim in made.victims if not victim.terminating} if made is not None else set()
    if alive:
        expected[made.pod.key] = (made.nominated, alive)
    return _evictions(after) == expected


def _evictions(state: State) -> dict[Key, tuple[str, set[Key]]]:
    """Return for each preemptor its node and its remaining victims, if there are any."""
    return {
        preemptor.key: (node, {victim.key for victim in victims})
        for preemptor, node, victims, *_ in state.memory.evictions
        if victims
    }


def evicts_its_victims(before: State, action: Any, after: State) -> bool:
    """A step of an eviction deletes or rejects the next victim, if no call fails, and changes no other pod.

    Except that pods of lower priority lose their nomination to the node.
    """
    _, _, victims, losers, *_ = next(each for each in before.memory.evictions if action.what == f"for {each[0]}")
    there = {pod.key: pod for pod in before.objects.pods if pod is not None}
    now = {pod.key: pod for pod in after.objects.pods if pod is not None}
    changed = {key for key, pod in there.items() if now.get(key) != pod}
    if losers or not victims:
        return all(now.get(key) == replace(there[key], nominated_node_name="") for key in changed)
    victim = victims[0].key
    rejected = {pod.key for pod, _, signal in after.memory.permits if signal is not None}
    gone = victim not in there or now[victim] == replace(there[victim], terminating=True, preempted=True)
    return changed <= {victim} and bool(action.wrong or gone or victim in rejected)


def no_cycle_while_preempting(before: State, action: Any, after: State) -> bool:
    """No preemptor re-enters the queue before its last victim is known to be terminating."""
    known = {pod.identity: pod for pod in after.memory.pods}
    last = {preemptor.key: last for preemptor, _, _, _, last, *_ in after.memory.evictions}
    gated = {key for key, victim in last.items() if victim == ("", "") or not _leaves(known.get(victim))}
    return gated.isdisjoint(past_the_gates(after) - past_the_gates(before))


def _leaves(pod: Pod | None) -> bool:
    return pod is None or pod.terminating


def counted_once(state: State) -> bool:
    """No pod that is bound or being bound also counts as nominated."""
    memory = state.memory
    placed = {pod.key for pod in (*memory.pods, *memory.assumed) if pod.node_name}
    placed |= {each.pod.key for each in memory.bindings}
    return placed.isdisjoint(key for key, _ in memory.nominations)


def counted_as_delivered(state: State) -> bool:
    """The pods that count on a node are the assumed ones and exactly those delivered as bound to it."""
    return state.memory.astray == ()


def no_useless_nomination(machine: Production) -> Callable[[State], bool]:
    """No unschedulable pod that may preempt is nominated to a node that no pod is leaving.

    Checked if all changes were delivered and nothing is in progress. A nomination that could not be written to the API
    returns to that of the object, so it is not checked after a call has failed.
    """

    def holds(state: State) -> bool:
        memory = state.memory
        if state.pods or state.nodes or memory.bindings or memory.evictions or state.faults < machine.faults:
            return True
        leaving = {pod.node_name for pod in memory.pods if pod.terminating}
        nominated = dict(memory.nominations)
        return all(
            nominated.get(waiter.pod.key, "") in leaving | {""}
            for waiter in memory.waiters
            if waiter.place == "unschedulable" and not waiter.gate and waiter.pod.preemption_policy != "Never"
        )

    return holds


def permit_waits_have_a_cause(state: State) -> bool:
    """Each pod that waits for a permit is being bound, and waits for a plugin or has its signal."""
    waiting = {each.pod.key for each in state.memory.bindings if each.stage == "permit"}
    return all(pod.key in waiting and (plugins or signal is not None) for pod, plugins, signal in state.memory.permits)


def bound_pods_stay_assumed(machine: Production) -> Callable[[State], bool]:
    """A bound pod stays assumed until its binding is delivered, if no call failed."""

    def holds(state: State) -> bool:
        assumed = {pod.key for pod in state.memory.assumed}
        return state.faults < machine.faults or all(
            after.key in assumed
            for before, after in state.pods
            if isinstance(before, Pod) and isinstance(after, Pod) and after.node_name and not before.node_name
        )

    return holds


def binds_unless_a_call_fails(extenders: Sequence[Extender]) -> Callable[[State, Any, State], bool]:
    """A call that binds a pod has bound it to its node, unless the call failed.

    It is not made if an extender binds that pod, or fails to and may not be ignored.
    """

    def holds(before: State, action: Any, after: State) -> bool:
        called = [
            each for each in before.memory.bindings if action.what == f"{each.pod}, bind" and each.stage == "bind"
        ]
        there = {pod.key: pod for pod in before.objects.pods if pod is not None}
        now = {pod.key: pod for pod in after.objects.pods if pod is not None}
        return all(
            now[each.pod.key].node_name == each.node
            for each in called
            if not action.wrong and each.pod.key in there and not _bound_elsewhere(each.pod, extenders)
            if not there[each.pod.key].node_name and not there[each.pod.key].terminating
        )

    return holds


def _bound_elsewhere(pod: Pod, extenders: Sequence[Extender]) -> bool:
    """Whether an extender binds the pod, or prevents that it is bound."""
    for extender in extenders:
        if extender.binds and extender.interested(pod):
            try:
                extender.bind(pod, pod.node_name)
                return True
            except ExtenderError:
                if not extender.ignorable:
                    return True
    return False


def no_endless_permit_wait(state: State) -> bool:
    """When nothing is left to do but wait, no pod waits for a permit on a node that others might use."""
    memory = state.memory
    waiting = {pod.key for pod, _, signal in memory.permits if signal is None}
    at_rest = not (state.pods or state.nodes or memory.evictions) and all(
        each.pod.key in waiting for each in memory.bindings
    )
    return not (at_rest and all(waiter.place == "unschedulable" for waiter in memory.waiters) and waiting)


class Ledger:
    """A plugin that records reservations until they are given back or bound."""

    name = "Ledger"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._held: list[tuple[Key, str]] = []

    def reserve(self, state: CycleState, pod: Pod, node: str) -> Status:
        """Record the reservation."""
        self._held.append((pod.key, node))
        return SUCCESS

    def unreserve(self, state: CycleState, pod: Pod, node: str) -> None:
        """Remove the reservation, if it was recorded."""
        if (pod.key, node) in self._held:
            self._held.remove((pod.key, node))

    def post_bind(self, state: CycleState, pod: Pod, node: str) -> None:
        """Remove the reservation, as the pod is bound now."""
        self.unreserve(state, pod, node)

    def remembered(self) -> Hashable:
        """Return the recorded reservations, in order."""
        return self.name, tuple(sorted(self._held))

    def recall(self, remembered: Any) -> None:
        """Restore the recorded reservations."""
        self._held = list(remembered[1])


def with_ledger(profile: Plugins) -> Plugins:
    """Return the profile with the ledger at Reserve and at PostBind, after all other plugins."""
    points = profile.points
    for point in ("reserve", "postBind"):
        points = points.set(point, (*profile.at(point), Ledger.name))
    return replace(profile, points=points)


def balanced(state: State) -> bool:
    """Whether the ledgers have recorded exactly one reservation for each pod that is being bound."""
    held = sorted(
        each for kept in state.memory.kept if isinstance(kept, tuple) and kept[0] == Ledger.name for each in kept[1]
    )
    return held == sorted((each.pod.key, each.node) for each in state.memory.bindings)


def conduct(machine: Production, extenders: Sequence[Extender] = ()) -> tuple[Property, ...]:
    """Return the properties of every production scheduler's conduct."""
    binds, useless, counted = binds_unless_a_call_fails, no_useless_nomination, bound_pods_stay_assumed
    return (
        Step(evicts_concluded_victims.__name__, _claim(evicts_concluded_victims), (Try,), evicts_concluded_victims),
        Step(evicts_its_victims.__name__, _claim(evicts_its_victims), (Evicting,), evicts_its_victims),
        Step(binds.__name__, _claim(binds), (Advance,), binds(extenders)),
        Step(
            no_cycle_while_preempting.__name__,
            _claim(no_cycle_while_preempting),
            KINDS,
            no_cycle_while_preempting,
        ),
        Always(counted_once.__name__, _claim(counted_once), counted_once),
        Always(counted_as_delivered.__name__, _claim(counted_as_delivered), counted_as_delivered),
        Always(useless.__name__, _claim(useless), useless(machine)),
        Always(permit_waits_have_a_cause.__name__, _claim(permit_waits_have_a_cause), permit_waits_have_a_cause),
        Always(counted.__name__, _claim(counted), counted(machine)),
        *evictions_and_gates(machine),
    )


def _claim(definition: Callable[..., Any]) -> str:
    return (definition.__doc__ or "").partition("\n")[0]
