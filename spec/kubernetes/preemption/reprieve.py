"""The reprieve of potential victims on a node: `emptied`, `reprieve_order`, `survivors`.

All potential victims are first removed. If the pod fits then, they are put back one at a time, and removed again if
the pod no longer fits. So p survives exactly if the pod fits with p and with those before p that survive.

Kubernetes 1.34: SelectVictimsOnNode in pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.
"""

from collections.abc import Iterable
from functools import reduce

from schedcheck.spec.importance import Order
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.filter import filtered
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.preemption.disruption import violating
from schedcheck.spec.objects import Pod


def emptied(info: NodeInfo, pods: Iterable[Pod], departures: Departures) -> NodeInfo:
    r"""Return the node with these pods removed: Objects \ Jeopardy."""
    return reduce(lambda left, pod: left.removed(pod, departures), pods, info)


def reprieve_order(cycle: Cycle, order: Order) -> tuple[Pod, ...]:
    r"""Return the potential victims in the order in which they are put back: first those that violate a budget.

    TLA+: ReprieveOrder(Order, Listing) ==
            LET Violators == Violating(Order, Listing)
            IN SelectSeq(Order, LAMBDA Pod : Pod \in Violators) \o SelectSeq(Order, LAMBDA Pod : Pod \notin Violators)
    """
    violators = violating(order, cycle.snapshot.budgets_over(order), cycle.plugins.departures)
    return (*(pod for pod in order if pod in violators), *(pod for pod in order if pod not in violators))


def put_back(cycle: Cycle, info: NodeInfo, pod: Pod) -> NodeInfo:
    """Return the node with `pod` put back if the pod to be placed still fits, else with `pod` removed again.

    The host ports of a node are a set, so removing `pod` may also free a port that another pod uses.

    TLA+: PutBack(Pod, Info, Other, Snapshot) ==
            LET Tried == Added(Info, {Other})
            IN IF Filtered(Pod, Tried, Snapshot) = Null THEN Tried ELSE Removed(Tried, {Other})
    """
    tried = info.added(pod)
    return tried if filtered(cycle, tried) is None else tried.removed(pod, cycle.plugins.departures)


def survivors(cycle: Cycle, info: NodeInfo, pods: tuple[Pod, ...]) -> frozenset[Pod]:
    """Return the pods that are reprieved; `pods` are the potential victims in the order in which they are put back.

    TLA+: Survivors(Pod, Info, Order, Snapshot) ==
            IF Order = <<>> THEN Info.Pods
            ELSE Survivors(Pod, PutBack(Pod, Info, Head(Order), Snapshot), Tail(Order), Snapshot)
    """
    departures = cycle.plugins.departures
    spared = reduce(lambda left, pod: put_back(cycle, left, pod), pods, emptied(info, pods, departures))
    return frozenset(pods).intersection(spared.pods)
