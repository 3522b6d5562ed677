"""What is asked of a drain or a failure of nodes, state by state: `questions`, `may_return`."""

from bisect import bisect_left
from collections.abc import Iterator

from schedcheck.checker.properties.behaviours import SYSTEM
from schedcheck.checker.relocation.leaving import Leaving
from schedcheck.model.environment import Evict
from schedcheck.model.profiles import plugins_of
from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Bind
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.properties.kinds import Eventually, Fairness, LeadsTo, Property, Step
from schedcheck.spec.tolerations import CORDON, tolerated

FAIR = Fairness(weak=SYSTEM, strong=(Evict,))
"""The scheduler and the controllers act whenever they can all the time; kubectl drain repeats each eviction."""


def questions(leaving: Leaving) -> tuple[Property, ...]:
    """Return the properties: the drain ends, no pod comes back to the nodes, and every pod is bound again."""
    return (*drained(leaving), *away(leaving), *map(placed, leaving.movers))


def drained(leaving: Leaving) -> Iterator[Property]:
    """Yield the property that a drain ends."""
    if not leaving.drain:
        return
    keys = {pod.key for pod in (*leaving.movers, *leaving.lost)}
    nodes, names = frozenset(leaving.nodes), frozenset(name for _, name in keys)

    def empty(snapshot: Snapshot) -> bool:
        return not any(pod.key in keys and pod.node_name in nodes for pod in snapshot.pods)

    yield Eventually(
        "drained", "All pods that the drain evicts leave the nodes in the end.", empty, FAIR, mentions=names
    )


def may_return(pod: Pod, leaving: Leaving) -> bool:
    """Whether a pod may be bound to a cordoned node that it left: the scheduler ignores the cordon, or it tolerates it."""
    plugins = plugins_of(pod, leaving.scenario)
    return leaving.drain and (tolerated(CORDON, pod, NO_FAULTS) or "NodeUnschedulable" not in plugins.at("filter"))


def away(leaving: Leaving) -> Iterator[Property]:
    """Yield the property that no pod comes back to the nodes, if one may."""
    keys = frozenset(pod.key for pod in leaving.movers if may_return(pod, leaving))
    nodes = frozenset(leaving.nodes)

    def elsewhere(before: Snapshot, action: object, after: Snapshot) -> bool:
        return not isinstance(action, Bind) or action.pod.key not in keys or action.node.name not in nodes

    if keys:
        names = nodes | {name for _, name in keys}
        claim = "No evicted pod is bound to a node that is drained."
        yield Step("bound_elsewhere", claim, (Bind,), elsewhere, mentions=names)


def placed(pod: Pod) -> Property:
    """Return the property that the pod is bound again in the end."""
    key = pod.key

    def waits(snapshot: Snapshot) -> bool:
        place = bisect_left(snapshot.pods, key, key=lambda each: each.key)
        there = snapshot.pods[place : place + 1]
        return any(each.key == key and each.node_name == "" and not completed(each) for each in there)

    def bound(snapshot: Snapshot) -> bool:
        return not waits(snapshot)

    return LeadsTo(
        f"placed({pod})", f"{pod} is bound again in the end.", waits, bound, FAIR, mentions=frozenset({pod.name})
    )
