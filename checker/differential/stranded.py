"""The production machine as a whole, state by state: `Watched`; and that nobody sleeps in vain."""

from collections.abc import Callable, Sequence

from schedcheck.checker.differential.refinement import known
from schedcheck.checker.extenders.as_values import judged
from schedcheck.model.production.framework.extender import Extender
from schedcheck.model.production.machine.machine import Production, State
from schedcheck.spec.decisions import Bind
from schedcheck.spec.kubernetes.control_loop import turn
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import by_scheduler_name


class Watched:
    """A machine of the production scheduler whose states are looked at whole, by what is asked of them."""

    def __init__(self, machine: Production) -> None:
        self.machine = machine
        self.initial_states = machine.initial_states
        self.steps = machine.steps
        self.unfinished = machine.unfinished
        self.kinds = machine.kinds

    def view(self, state: State) -> State:
        """The state."""
        return state


AFTER_THE_CHOICE = ("reserve", "permit", "preBind", "bind")
"""The points at which a pod may be refused that has a node."""


def nobody_sleeps_in_vain(machine: Production, extenders: Sequence[Extender] = ()) -> Callable[[State], bool]:
    """Whether nobody is left among the unschedulable who could go to a node, by all that the scheduler was told.

    Asked where nothing is on its way: who is assumed wakes nobody before he is bound and that was delivered. Of a plugin
    that kube-scheduler has not, and that may refuse a pod which has a node, or keep it from the queue, nobody knows what
    it waits for.
    """
    late = late_plugins(machine.scenario.plugins)

    def holds(state: State) -> bool:
        if state.pods or state.nodes or state.memory.bindings or state.memory.assumed:
            return True
        return sleeping_in_vain(machine, state, late, extenders) == ()

    return holds


def late_plugins(profiles: Sequence[Plugins]) -> frozenset[str]:
    """The plugins that kube-scheduler has not, and that may refuse a pod which has a node."""
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
    """The pods among the unschedulable who could go to a node, by all that the scheduler was told, and that none of `late` refused."""
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
    """Whether the pod would be bound if it were taken up."""
    plugins = by_scheduler_name(pod, tuple(profiles))
    return any(
        isinstance(each, Bind)
        for there in turn(snapshot, plugins)
        if there.key == pod.key
        for each in judged(there, snapshot, plugins, extenders).decisions
    )
