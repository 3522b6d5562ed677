"""The changes in the memory of the production scheduler from one state to the next, in words: `scheduler_changes`."""

from collections.abc import Iterator

from schedcheck.model.production.machine.machine import State
from schedcheck.model.production.machine.state import Memory, Waiter

PLACES = {"active": "is to be tried", "refused": "backs off", "erring": "backs off after an error"}
"""The place of a pod in the queue, in words."""


def scheduler_changes(before: State, after: State) -> Iterator[str]:
    """Yield each pod that is newly assumed on a node, or has a new place in the queue, in words."""
    was, now = _places(before.memory), _places(after.memory)
    for key in sorted(was.keys() | now.keys()):
        if key in now and was.get(key) != now[key]:
            yield now[key]


def _places(memory: Memory) -> dict[tuple[str, str], str]:
    """Return the text for each pod that is in the queue or assumed on a node."""
    waiting = {each.pod.key: _waiting(each) for each in memory.waiters}
    permits = {pod.key: plugins for pod, plugins, signal in memory.permits if signal is None}
    assumed = {pod.key: f"{pod} is assumed on {pod.node_name}" for pod in memory.assumed}
    held = {
        pod.key: f"{assumed[pod.key]}, and waits for the permit of {', '.join(permits[pod.key])}"
        for pod in memory.assumed
        if pod.key in permits
    }
    return {**waiting, **assumed, **held}


def _waiting(waiter: Waiter) -> str:
    if waiter.gate:
        return f"{waiter.pod} is kept out of the queue by {waiter.gate}"
    if waiter.place == "unschedulable":
        why = f", refused by {', '.join(waiter.refused_by)}" if waiter.refused_by else ""
        return f"{waiter.pod} waits for an event{why}"
    return f"{waiter.pod} {PLACES[waiter.place]}"
