"""The states of the production machine as a whole: `Watched`; and schedulable pods left in the unschedulable queue."""

from collections.abc import Callable, Sequence

from schedcheck.checker.extenders.as_values import judged
from schedcheck.checker.refinement.mapping import known
from schedcheck.model.production.framework.extender import Extender
from schedcheck.model.production.machine.machine import Production, State
from schedcheck.spec.decisions import Bind
from schedcheck.spec.kubernetes.control_loop import turn
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import by_scheduler_name


class Watched:
    """A machine of the production scheduler whose properties see the whole state."""

    def __init__(self, machine: Production) -> None:
        self.machine = machine
        self.initial_states = machine.initial_states
        self.steps = machine.steps
        self.unfinished = machine.unfinished
        self.kinds = machine.kinds

    def view(self, state: State) -> State:
        """Return the state itself."""
        return state


AFTER_THE_CHOICE = ("reserve", "permit", "preBind", "bind")
"""The extension points at which a pod may be rejected after a node was chosen for it."""


def no_lost_wakeup(machine: Production, extenders: Sequence[Extender] = ()) -> Callable[[State], bool]:
    """No pod that would be bound, by the scheduler's knowledge, stays in the unschedulable queue.

    Checked if nothing is in progress: an assumed pod wakes none before its binding is delivered. Pods rejected by an
    out-of-tree plugin that may reject a pod after its node was chosen, or keep it out of the queue, are left out: it is
    unknown which event they wait for.
    """
    late = late_plugins(machine.scenario.plugins)

    def holds(state: State) -> bool:
        if state.pods or state.nodes or state.memory.bindings or state.memory.assumed:
            return True
        return sleeping_in_vain(machine, state, late, extenders) == ()

    return holds


def late_plugins(profiles: Sequence[Plugins]) -> frozenset[str]:
    """Return the out-of-tree plugins that may reject a pod after a node was chosen for it."""
    return frozenset(
        name
        for each in profiles
        for point in AFTER_THE_CHOICE
        for name in each.at(point)
        if name not in DEFAULT_PLUGINS.at(point)
    )


def sleeping_in_vain(
    machine: Production, state: State, late: frozenset[str] = frozenset(), extenders: Sequence[Extender] = ()
) -> tuple[Pod, ...]:
    """Return the pods in the unschedulable queue that would be bound, by the scheduler's knowledge.

    Pods that a plugin of `late` has rejected are left out.
    """
    preempting = {preemptor.key for preemptor, *_ in state.memory.evictions}
    asleep = [
        each.pod
        for each in state.memory.waiters
        if each.place == "unschedulable"
        and each.gate in ("", *DEFAULT_PLUGINS.at("preEnqueue"))
        and each.pod.key not in preempting
        and not late & set(each.refused_by)
    ]
    snapshot = known(machine, state)
    return tuple(pod for pod in asleep if could_go(pod, snapshot, machine.scenario.plugins, extenders))


def could_go(
    pod: Pod, snapshot: Snapshot, profiles: Sequence[Plugins], extenders: Sequence[Extender] = ()
) -> bool:  # fmt: skip
    """Whether the pod would be bound if it were scheduled now."""
    plugins = by_scheduler_name(pod, tuple(profiles))
    return any(
        isinstance(each, Bind)
        for there in turn(snapshot, plugins)
        if there.key == pod.key
        for each in judged(there, snapshot, plugins, extenders).decisions
    )
