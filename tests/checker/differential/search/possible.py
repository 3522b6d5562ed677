"""Which steps of the scheduler are possible in a state, apart from the machine that takes them: `possible`; `wrong_steps`

Whatever is under way can go on, unless it waits for something that is not there yet. A walk in which an eviction never ends, or in
which no pod is tried, violates no property of a state: nothing happens that could be judged.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from schedcheck.model.production.machine.actions import (
    KINDS,
    Advance,
    BackedOff,
    Deliver,
    Evicting,
    PermitOver,
    TimedOut,
    Try,
)
from schedcheck.model.production.machine.machine import State

Kind = tuple[type, str]
"""A kind of step, with the pod or the node that it concerns."""
GOES_ON = (Deliver, Advance, Evicting, PermitOver)
"""The steps that change the state whatever comes of them: they take what they deal with one step further."""


def possible(state: State) -> set[Kind]:
    """Return the steps that the scheduler can take in this state, or that its clock can.

    A binding goes on unless it waits on Permit. An eviction goes on until its victims are deleted, and then awaits that the last
    one is known to terminate. Kubernetes 1.37: prepareCandidateAsync in pkg/scheduler/framework/preemption/executor.go, WaitOnPermit
    in framework/runtime/framework.go.
    """
    return {*_deliveries(state), *_tries(state), *_under_way(state), *_timers(state)}


def _deliveries(state: State) -> Iterator[Kind]:
    """Yield the delivery of the next change of a pod, and of a node; each kind of object keeps its order."""
    for kind, changes in (("pod", state.pods), ("node", state.nodes)):
        for before, after in changes[:1]:
            yield Deliver, f"{kind} {after or before}"


def _tries(state: State) -> Iterator[Kind]:
    """Yield the cycles: of the first active pod, or, if none is active, of any that backs off after a rejection.

    Kubernetes 1.37: Pop in pkg/scheduler/backend/queue/active_queue.go, popBackoff in backoff_queue.go.
    """
    places = [(waiter.place, str(waiter.pod)) for waiter in state.memory.waiters]
    if any(place == "active" for place, _ in places):
        yield Try, ""
    else:
        yield from ((Try, name) for place, name in places if place == "refused")


def _under_way(state: State) -> Iterator[Kind]:
    memory = state.memory
    undecided = {pod.identity for pod, _, signal in memory.permits if signal is None}
    for each in memory.bindings:
        if each.stage != "permit" or each.pod.identity not in undecided:
            yield Advance, str(each.pod)
    there = {pod.identity: pod for pod in memory.pods}
    for preemptor, _, victims, _, last, *_ in memory.evictions:
        known = there.get(last)
        if victims or known is None or known.terminating or not known.node_name:
            yield Evicting, f"for {preemptor}"


def _timers(state: State) -> Iterator[Kind]:
    for waiter in state.memory.waiters:
        if waiter.failing:
            yield BackedOff, str(waiter.pod)
        if waiter.place == "unschedulable":
            yield TimedOut, str(waiter.pod)
    for pod, plugins, signal in state.memory.permits:
        if signal is None:
            yield from ((PermitOver, f"{pod}, {plugin}") for plugin in plugins)


def wrong_steps(state: State, steps: Sequence[tuple[Any, State]]) -> str:
    """Return what is wrong with the steps that the machine takes in a state; empty if nothing is."""
    own = [(action, after) for action, after in steps if isinstance(action, KINDS)]
    wanted = possible(state)
    alone = (Try, "") in wanted
    found = {(type(action), _about(action, alone=alone)) for action, _ in own}
    if found != wanted:
        return f"{_named(found - wanted) or 'none'} are taken wrongly, {_named(wanted - found) or 'none'} are not taken"
    still = {
        (type(action), _about(action))
        for action, after in own
        if isinstance(action, GOES_ON) and not action.raised and after == state
    }
    return f"{_named(still)} do nothing" if still else ""


def _about(action: Any, *, alone: bool = False) -> str:
    """Return the pod that a step concerns, with the plugin if its time is over; none if only one pod can be tried."""
    if isinstance(action, Try) and alone:
        return ""
    return str(action.what if isinstance(action, PermitOver) else action.about)


def _named(kinds: set[Kind]) -> str:
    return ", ".join(sorted(f"{kind.__name__}({about})" for kind, about in kinds))
