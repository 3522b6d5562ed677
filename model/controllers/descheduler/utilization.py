"""The plugins HighNodeUtilization and LowNodeUtilization: they evict pods from nodes that are little, or much, used.

What counts is what pods request. HighNodeUtilization empties little used nodes while the others have room.
LowNodeUtilization relieves much used nodes until they are at their target, while little used ones have room.

descheduler 0.36: pkg/framework/plugins/nodeutilization/highnodeutilization.go, lownodeutilization.go and
nodeutilization.go.

Not modelled: metrics and deviation thresholds, which the reader of the policy refuses. Differs: the evictor judges the
pods when the run begins, not before each eviction.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.model.controllers.descheduler.listing import Slot, by_importance
from schedcheck.model.controllers.descheduler.plan import (
    WHOLE,
    Done,
    Group,
    Plan,
    Stage,
    Work,
    next_of,
    pods_of,
    pruned,
)
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import Thresholds, Utilization
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.requests import request
from schedcheck.spec.tolerations import tolerated

Evictable = Callable[[Pod], bool]
Amounts = tuple[int, ...]
"""An amount of each resource of a run, in its smallest unit."""


@dataclass(frozen=True)
class Setting:
    """What does not change during a run: the node and the requests of each pod, the usage and the target of each node.

    `targets` is empty if nodes are emptied; `most` bounds the evictions from one node.
    """

    nodes: Mapping[int, str]
    requests: Mapping[int, Amounts]
    usage: Mapping[str, Amounts]
    targets: Mapping[str, Amounts]
    most: int | None

    def open(self, node: str, usage: Amounts, available: Amounts) -> bool:
        """Whether pods are evicted from a node of this usage while so much is available on the others."""
        above = not self.targets or any(most < used for most, used in zip(self.targets[node], usage, strict=True))
        return above and all(amount > 0 for amount in available)


@dataclass(frozen=True)
class Relieving:
    """The relief of nodes one after the other: `node` is under way, with what it uses now and its evictions so far."""

    order: Plan
    available: Amounts
    setting: Setting
    node: str = ""
    usage: Amounts = ()
    evicted: int = 0

    def __bool__(self) -> bool:
        return self.order != ()

    def pods(self) -> Iterator[int]:
        """Yield the slots of the pods that may be evicted."""
        yield from pods_of(self.order)

    def next(self) -> Iterator[tuple[int, Work, Work]]:
        """Yield each pod that may be evicted next. Its requests move from its node to what is available."""
        for slot, rest in next_of(self.order):
            node, requests = self.setting.nodes[slot], self.setting.requests[slot]
            begun = node == self.node
            usage, number = (self.usage, self.evicted) if begun else (self.setting.usage[node], 0)
            left = relieving(
                rest, _less(self.available, requests), self.setting, node, _less(usage, requests), number + 1
            )
            yield slot, left, relieving(rest, self.available, self.setting, node, usage, number)

    def kept(self, kept: Callable[[int], bool]) -> Work:
        """Return the relief as if the evictions of the others had been refused."""
        order = pruned(self.order, kept)
        return relieving(order, self.available, self.setting, self.node, self.usage, self.evicted)


def relieving(
    order: Plan, available: Amounts, setting: Setting, node: str = "", usage: Amounts = (), evicted: int = 0
) -> Relieving:
    """Return the relief of those nodes in `order` from which pods are still evicted."""

    def still(slot: int) -> bool:
        of = setting.nodes[slot]
        number = evicted if of == node else 0
        within = setting.most is None or number < setting.most
        return within and setting.open(of, usage if of == node else setting.usage[of], available)

    return Relieving(pruned(order, still), available, setting, node, usage, evicted)


def _less(amounts: Amounts, others: Amounts) -> Amounts:
    return tuple(amount - other for amount, other in zip(amounts, others, strict=True))


def utilization(
    arguments: Utilization, view: View, evictable: Evictable, slot: Slot, done: Done
) -> Iterator[tuple[Stage, Work]]:
    """Yield the one relief of the nodes that are too little or too much used, if enough others can take their pods."""
    resources = tuple(sorted({"cpu", "memory", "pods", *arguments.thresholds}))
    usage = {node.name: _usage(node, resources, view) for node in view.nodes}
    percent = {node.name: _percent(node, resources, usage[node.name]) for node in view.nodes}
    sources, destinations = _classified(arguments, view.nodes, percent)
    low = sources if arguments.empties else destinations
    if done or not sources or not destinations or len(low) <= arguments.number or len(low) == len(view.nodes):
        return
    taken = {
        node: tuple(
            pod
            for pod in view.pods_on(node)
            if pod.namespace not in arguments.excluded
            and (not arguments.only_thresholding or _names(pod, arguments.thresholds))
            and _tolerates(pod, destinations)
            and evictable(pod)
        )
        for node in sources
    }
    there = [(pod, node.name) for node, pods in taken.items() for pod in pods]
    highest = dict.fromkeys(arguments.thresholds, 100.0) if arguments.empties else arguments.targets
    room = [_less(capped(node, resources, highest), usage[node.name]) for node in destinations]
    setting = Setting(
        frozendict({slot(pod): name for pod, name in there}),
        frozendict({slot(pod): _requests(pod, resources) for pod, _ in there}),
        frozendict({node.name: usage[node.name] for node in sources}),
        frozendict({} if arguments.empties else {node.name: capped(node, resources, highest) for node in sources}),
        arguments.most,
    )
    tiers: dict[int, list[Plan]] = {}
    for node, pods in taken.items():
        if pods:
            tiers.setdefault(sum(usage[node.name]), []).append(by_importance(pods, view, slot))
    ascending: list[Group] = [tuple(tiers[total]) for total in sorted(tiers, reverse=not arguments.empties)]
    yield WHOLE, relieving(tuple(ascending), tuple(map(sum, zip(*room, strict=True))), setting)


def _classified(
    arguments: Utilization, nodes: Sequence[Node], percent: Mapping[str, Mapping[str, float]]
) -> tuple[list[Node], list[Node]]:
    """Return the nodes from which pods are evicted, and those that could take them, which are not cordoned.

    HighNodeUtilization: little used ones, and all others. LowNodeUtilization: much used ones, and little used ones.
    """

    def below(node: Node) -> bool:
        return all(percent[node.name].get(name, 0.0) <= most for name, most in arguments.thresholds.items())

    def above(node: Node) -> bool:
        return any(most < percent[node.name].get(name, 0.0) for name, most in arguments.targets.items())

    if arguments.empties:
        return [each for each in nodes if below(each)], [
            each for each in nodes if not below(each) and not each.unschedulable
        ]
    little = [each for each in nodes if not each.unschedulable and below(each)]
    return [each for each in nodes if each not in little and above(each)], little


def _usage(node: Node, resources: tuple[str, ...], view: View) -> Amounts:
    """Return what the pods of a node request."""
    requests = [_requests(pod, resources) for pod in view.pods_on(node)]
    return tuple(map(sum, zip(*requests, strict=True))) if requests else (0,) * len(resources)


def _requests(pod: Pod, resources: tuple[str, ...]) -> Amounts:
    return tuple(1 if name == "pods" else request(pod, name, NO_FAULTS) for name in resources)


def capacity_of(node: Node) -> Mapping[str, int]:
    """Return the allocatable amounts of a node; its capacity if it has none."""
    return node.allocatable or node.capacity


def _percent(node: Node, resources: tuple[str, ...], usage: Amounts) -> dict[str, float]:
    """Return the usage of the resources that a node has, in percent, as a float like the descheduler's."""
    capacity = capacity_of(node)
    return {
        name: float(used) / float(capacity[name]) * 100 if capacity[name] > 0 else 0.0
        for name, used in zip(resources, usage, strict=True)
        if name in capacity
    }


def capped(node: Node, resources: tuple[str, ...], thresholds: Thresholds) -> Amounts:
    """Return the amounts of a node up to the thresholds, rounded down as the descheduler does."""
    capacity = capacity_of(node)
    return tuple(
        int(thresholds[name] * 0.01 * float(capacity.get(name, 0))) if name in thresholds else capacity.get(name, 0)
        for name in resources
    )


def _names(pod: Pod, thresholds: Thresholds) -> bool:
    """Whether a container of the pod requests a resource with a threshold."""
    return any(name in each.requests for each in (*pod.containers, *pod.init_containers) for name in thresholds)


def _tolerates(pod: Pod, destinations: Sequence[Node]) -> bool:
    """Whether the pod tolerates every taint of some destination, and has at least as many tolerations.

    descheduler 0.36: pkg/utils/pod.go, PodToleratesTaints.
    """
    return any(
        len(pod.tolerations) >= len(node.taints) and all(tolerated(taint, pod, NO_FAULTS) for taint in node.taints)
        for node in destinations
    )
