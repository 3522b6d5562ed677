r"""Who of the potential victims on a node is spared: `emptied`, `reprieve_order`, `survivors`.

All of them are thought away. If the pod fits then, they are put back one at a time, and each that leaves it no room is
taken away again: p survives exactly if the pod fits with those before p that survive, and with p.

Kubernetes 1.34: SelectVictimsOnNode in pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go.
"""

from collections.abc import Iterable
from functools import reduce

from schedcheck.spec.kubernetes.cycle import Cycle, filtered
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.preemption.disruption import violating
from schedcheck.spec.kubernetes.preemption.importance import Order
from schedcheck.spec.objects import Pod


def emptied(info: NodeInfo, pods: Iterable[Pod], departures: Departures) -> NodeInfo:
    r"""The node without these pods: Objects \ Jeopardy."""
    return reduce(lambda left, pod: left.removed(pod, departures), pods, info)


def reprieve_order(cycle: Cycle, order: Order) -> tuple[Pod, ...]:
    r"""The potential victims in the order in which they are put back: first those whose eviction violates a budget.

    TLA+: ReprieveOrder(Order, Snapshot) ==
            LET Violators == Violating(Order, Snapshot)
            IN SelectSeq(Order, LAMBDA Pod : Pod \in Violators) \o SelectSeq(Order, LAMBDA Pod : Pod \notin Violators)
    """
    violators = violating(order, cycle.snapshot.budgets_over(order), cycle.plugins.departures)
    return (*(pod for pod in order if pod in violators), *(pod for pod in order if pod not in violators))


def put_back(cycle: Cycle, info: NodeInfo, pod: Pod) -> NodeInfo:
    """The node with `pod` if the pod to be placed fits beside it, else with `pod` taken away again.

    The ports of a node being a set, to take it away may also free a port that somebody else holds.

    TLA+: PutBack(Pod, Info, Other, Snapshot) ==
            LET Tried == Added(Info, {Other})
            IN IF Filtered(Pod, Tried, Snapshot) = Null THEN Tried ELSE Removed(Tried, {Other})
    """
    tried = info.added(pod)
    return tried if filtered(cycle, tried) is None else tried.removed(pod, cycle.plugins.departures)


def survivors(cycle: Cycle, info: NodeInfo, pods: tuple[Pod, ...]) -> frozenset[Pod]:
    """Those of `pods`, potential victims in the order in which they are put back, that are spared.

    TLA+: Survivors(Pod, Info, Order, Snapshot) ==
            IF Order = <<>> THEN Info.Pods
            ELSE Survivors(Pod, PutBack(Pod, Info, Head(Order), Snapshot), Tail(Order), Snapshot)
    """
    departures = cycle.plugins.departures
    spared = reduce(lambda left, pod: put_back(cycle, left, pod), pods, emptied(info, pods, departures))
    return frozenset(pods).intersection(spared.pods)
