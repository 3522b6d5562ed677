"""What is asked of a drain or a failure of nodes, state by state: `questions`, `may_return`; beside other controllers: `beside`."""

from bisect import bisect_left
from collections.abc import Iterator

from schedcheck.checker.properties.behaviours import COMES_TO_REST, ENVIRONMENT, SYSTEM
from schedcheck.checker.properties.behaviours import FAIR as KEPT_GOING
from schedcheck.checker.relocation.leaving import Leaving
from schedcheck.model.controllers import RECREATING
from schedcheck.model.environment import Evict
from schedcheck.model.profiles import plugins_of
from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Bind
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.owners import served_kind
from schedcheck.spec.properties.kinds import Ceases, Eventually, Fairness, LeadsTo, Property, Step
from schedcheck.spec.tolerations import CORDON, tolerated

FAIR = Fairness(weak=KEPT_GOING, strong=(Evict,))
"""The scheduler and the controllers act whenever they can all the time; kubectl drain repeats each eviction."""

ENDS, ELSEWHERE, PLACED = "drained", "bound_elsewhere", "placed"
"""What the names of the properties begin with: a drain ends, no pod comes back, a pod is bound."""


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

    yield Eventually(ENDS, "All pods that the drain evicts leave the nodes in the end.", empty, FAIR, mentions=names)


def beside(leaving: Leaving) -> tuple[Property, ...]:
    """Return the properties of a drain or a failure beside other controllers.

    Each evicted pod leaves the nodes, no pod comes back to them, each pod of `asked_beside` is bound in the end, and the
    scheduler and the controllers come to rest. Pods need not be gone all at once: kubectl drain waits for each alone.
    """
    return (
        *(_leaves(pod, leaving) for pod in ((*leaving.movers, *leaving.lost) if leaving.drain else ())),
        *away(leaving),
        *map(placed, asked_beside(leaving)),
        rests(FAIR),
    )


def _leaves(pod: Pod, leaving: Leaving) -> Property:
    """Return the property that an evicted pod leaves the nodes that are drained."""
    nodes = frozenset(leaving.nodes)

    def left(snapshot: Snapshot) -> bool:
        return not any(each.key == pod.key and each.node_name in nodes for each in snapshot.pods)

    claim = f"{pod} leaves the nodes that are drained in the end."
    return Eventually(f"{ENDS}({pod})", claim, left, FAIR, mentions=frozenset({pod.name}))


def asked_beside(leaving: Leaving) -> tuple[Pod, ...]:
    """Return the pods that must have a place in the end: those that leave, and others that may have to be bound again.

    These are on nodes at first, and their owners recreate them; or they are of a workload that is scaled. A DaemonSet's
    pod has its place on one node alone, which may be removed.
    """
    scenario, moving = leaving.scenario, {pod.key for pod in leaving.movers}
    scaled = frozenset[tuple[str, str]]().union(*(each.keys for each in scenario.rollouts))
    others = (
        pod
        for pod in scenario.pods
        if pod.key not in moving and (pod.key in scaled or (_recreated(pod) and pod.key not in scenario.absent))
    )
    return (*leaving.movers, *others)


def not_asked(leaving: Leaving) -> tuple[Pod, ...]:
    """Return the pods that are on no node at first and are not asked about: they may wait for good."""
    asked = {pod.key for pod in asked_beside(leaving)}
    there = (pod for pod in leaving.scenario.pods if not completed(pod) and not pod.terminating)
    return tuple(
        pod for pod in there if pod.key not in asked and (not pod.node_name or pod.key in leaving.scenario.absent)
    )


def _recreated(pod: Pod) -> bool:
    """Whether a pod is on a node, and would be created again for any node."""
    kind = pod.owner[0]
    return pod.node_name != "" and not completed(pod) and kind in RECREATING and served_kind(kind) != "DaemonSet"


def rests(fairness: Fairness) -> Property:
    """Return the property that the scheduler and the controllers come to rest: their steps end, as in `comes_to_rest`."""
    claim = "The scheduler and the controllers come to rest."
    return Ceases(COMES_TO_REST, claim, SYSTEM, fairness, ENVIRONMENT)


def may_return(pod: Pod, leaving: Leaving) -> bool:
    """Whether a pod may be bound to a cordoned node that it left: the scheduler ignores the cordon, or it tolerates it."""
    plugins = plugins_of(pod, leaving.scenario)
    return leaving.drain and (tolerated(CORDON, pod, NO_FAULTS) or "NodeUnschedulable" not in plugins.at("filter"))


def away(leaving: Leaving) -> Iterator[Property]:
    """Yield the property that no pod comes back to the nodes, if one may."""
    # The cluster autoscaler uncordons a node that it gives up.
    uncordoned = leaving.drain and leaving.scenario.node_pools is not None
    scaled = (pod for each in leaving.scenario.rollouts for pod in (*each.forms, *each.former))
    able = (pod for pod in (*leaving.movers, *scaled) if uncordoned or may_return(pod, leaving))
    keys, nodes = frozenset(pod.key for pod in able), frozenset(leaving.nodes)

    def elsewhere(before: Snapshot, action: object, after: Snapshot) -> bool:
        return not isinstance(action, Bind) or action.pod.key not in keys or action.node.name not in nodes

    if keys:
        names = nodes | {name for _, name in keys}
        claim = "No evicted pod is bound to a node that is drained."
        yield Step(ELSEWHERE, claim, (Bind,), elsewhere, mentions=names)


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
        f"{PLACED}({pod})", f"{pod} is bound again in the end.", waits, bound, FAIR, mentions=frozenset({pod.name})
    )
