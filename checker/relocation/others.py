"""The pods that may be placed while one pod waits, and how many of them close a node to it: `Others`, `Blocking`."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import accumulate

from schedcheck.spec.kubernetes.filters.node_resources_fit import looked_for
from schedcheck.spec.kubernetes.node_info import NodeInfo, host_ports
from schedcheck.spec.kubernetes.plugins import Arguments, Plugins
from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import ClaimSource, Storage

Key = tuple[str, str]

SCALE = 10**40
"""What all others together are worth by one resource, so that prices are whole numbers."""


class Others:
    """The pods that may be placed while another waits, which may be one of them.

    `leaving`: the pods on nodes of the snapshot that may leave these, whether or not they are placed again. `steady`: no
    node appears, goes or changes. `opening`: one may appear, or accept more pods than now. `preempting`: the others that
    may preempt, and so be nominated. `counted` gives the most of some of them that are placed in one behaviour.
    """

    def __init__(
        self,
        pods: Iterable[Pod],
        leaving: Iterable[Pod] = (),
        steady: bool = True,
        preempting: Iterable[Key] = (),
        counted: Callable[[Sequence[Pod]], int] = len,
        opening: bool = False,
    ) -> None:
        self._counted = counted
        self.pods = {pod.key: pod for pod in pods}
        self.nominable = {*preempting, *(key for key, pod in self.pods.items() if pod.nominated_node_name)}
        self.leaving = {pod.key: pod for pod in leaving}
        self.steady, self.opening = steady, opening
        self._sorted: dict[tuple[Arguments, str], list[tuple[int, Key]]] = {}
        self._worths: dict[tuple[Arguments, int, frozenset[tuple[str, int]]], list[tuple[int, Key]]] = {}

    def number(self, pod: Pod) -> int:
        """Return how many there are besides this pod."""
        return len(self.pods) - (pod.key in self.pods)

    def sums(self, resource: str, pod: Pod, arguments: Arguments) -> list[int]:
        """Return the sums of the 1, 2, … greatest requests for a resource among those besides this pod."""
        wanted = self._sorted.get((arguments, resource))
        if wanted is None:
            amounts = ((looked_for(each, arguments).get(resource, 0), key) for key, each in self.pods.items())
            wanted = self._sorted[arguments, resource] = sorted(amounts, reverse=True)
        return list(accumulate(amount for amount, key in wanted if key != pod.key))

    def worths(self, pod: Pod, arguments: Arguments, prices: dict[str, int], least: int) -> list[int]:
        """Return the sums of the 1, 2, … greatest worths of those besides this pod: by their dearest resource."""
        asked = arguments, least, frozenset(prices.items())
        worths = self._worths.get(asked)
        if worths is None:
            amounts = ((looked_for(each, arguments), key) for key, each in self.pods.items())
            found = (
                (max((least, *(sizes.get(name, 0) * price for name, price in prices.items()))), key)
                for sizes, key in amounts
            )
            worths = self._worths[asked] = sorted(found, reverse=True)
        return list(accumulate(worth for worth, key in worths if key != pod.key))

    def groups(self, pod: Pod) -> Iterable[tuple[Pod, int]]:
        """Yield one of each group of pods besides this one that terms of affinity do not tell apart, and their number."""
        for those in self._besides(pod):
            yield those[0], len(those)

    def _besides(self, pod: Pod) -> Iterable[list[Pod]]:
        """Yield the groups without this pod, and none that is empty."""
        own = _group(self.pods[pod.key]) if pod.key in self.pods else None
        for group, those in self._groups.items():
            besides = [each for each in those if each.key != pod.key] if group == own else those
            if besides:
                yield besides

    def related(self, pod: Pod, keys: Callable[[Pod], Iterable[str]]) -> Counter[str]:
        """Return how many of the others that are placed are related to the pod by each of the topology keys.

        `keys` gives those of one other.
        """
        found: dict[str, list[Pod]] = {}
        for those in self._besides(pod):
            for key in set(keys(those[0])):
                found.setdefault(key, []).extend(those)
        return Counter({key: self._counted(each) for key, each in found.items()})

    @cached_property
    def _groups(self) -> dict[tuple[object, ...], list[Pod]]:
        """The groups of pods that terms of affinity do not tell apart."""
        found: dict[tuple[object, ...], list[Pod]] = {}
        for pod in self.pods.values():
            found.setdefault(_group(pod), []).append(pod)
        return found

    @cached_property
    def volumes(self) -> int:
        """The number of pods with volumes that the scheduler reads."""
        return self._counted([each for each in self.pods.values() if _reads_volumes(each)])

    @cached_property
    def unaccountable(self) -> int:
        """The number of pods with volumes other than claims, which may make a cycle of a pod with volumes fail."""
        return sum(
            any(not isinstance(each.source, (ClaimSource, type(None))) for each in pod.volumes)
            for pod in self.pods.values()
        )

    @cached_property
    def ports(self) -> int:
        """The number of pods with host ports."""
        return self._counted([each for each in self.pods.values() if host_ports(each)])


def _reads_volumes(pod: Pod) -> bool:
    return any(each.source is not None for each in pod.volumes)


def _group(pod: Pod) -> tuple[object, ...]:
    return pod.namespace, pod.labels, pod.affinity.anti_required


class Blocking:
    """How many of the others it takes at least to close a node to a pod."""

    def __init__(self, pod: Pod, plugins: Plugins, others: Others, storage: Storage) -> None:
        self.pod, self.others, self.arguments = pod, others, plugins.arguments
        self.wants = {name: size for name, size in looked_for(pod, plugins.arguments).items() if size > 0}
        self.departures = plugins.departures
        self.storage = storage
        self.never = others.number(pod) + 1
        """More pods than there are."""
        own = others.pods.get(pod.key)
        self.ports, self.volumes = others.ports, others.volumes
        self.by_port = bool(host_ports(pod)) and others.ports > (own is not None and bool(host_ports(own)))
        self.by_volume = _reads_volumes(pod) and others.volumes > (own is not None and _reads_volumes(own))
        self.sums = {name: others.sums(name, pod, plugins.arguments) for name in self.wants}

    def _left(self, info: NodeInfo, name: str) -> int:
        """Return the amount of a resource that is free on the node."""
        return info.node.allocatable.get(name, 0) - info.requested(self.departures).get(name, 0)

    def _limits_volumes(self, info: NodeInfo) -> bool:
        """Whether the node attaches a limited number of volumes, which is all that claims of others can take from it."""
        known = self.storage.node(info.node.name)
        return known is not None and known.allocatable != {}

    def closable(self, infos: Sequence[NodeInfo], number: int, harmless: int = 0) -> int:
        """Return the most of these nodes that so many others could close by what they occupy.

        The others that lack for a resource on one node are not on another, so that their sum bounds how many nodes they
        fill. If more than the `harmless` number could be closed by each resource alone, all resources are counted together.
        """
        found = self.ports * self.by_port
        found += min(self.volumes, sum(map(self._limits_volumes, infos))) if self.by_volume else 0
        apart = _most([max(_slots(info), 1) for info in infos], number)
        for name, size in self.wants.items():
            apart += _filled([self._left(info, name) - size + 1 for info in infos], self.sums[name][:number])
        return found + (apart if found + apart <= harmless else min(apart, self._together(infos, number)))

    def _together(self, infos: Sequence[NodeInfo], number: int) -> int:
        """Return the most of these nodes that so many others could close, each by whichever resource.

        Each resource has a price. A node costs at least its cheapest resource. A pod is worth its dearest, and it is on one
        node: those on closed nodes are worth as much as these cost, whatever the prices are.
        """
        totals = {name: sum(sums[:number][-1:]) for name, sums in self.sums.items()}
        prices = {name: SCALE // total for name, total in totals.items() if total}
        slot = SCALE // max(number, 1)
        costs = [
            min(
                (
                    max(_slots(info), 1) * slot,
                    *((self._left(info, name) - self.wants[name] + 1) * price for name, price in prices.items()),
                )
            )
            for info in infos
        ]
        return _filled(costs, self.others.worths(self.pod, self.arguments, prices, slot)[:number])

    def fewest(self, info: NodeInfo) -> int:
        """Return the least number of others that could close this node, on which the pod fits now."""
        if self.by_port or (self.by_volume and self._limits_volumes(info)):
            return 1
        found = [min(max(_slots(info), 1), self.never)]
        for name, size in self.wants.items():
            found.append(min(bisect_right(self.sums[name], self._left(info, name) - size) + 1, self.never))
        return min(found)


def _slots(info: NodeInfo) -> int:
    """Return how many more pods the node admits."""
    return info.node.allocatable.get("pods", 0) - len(info.pods)


def _filled(costs: Sequence[int], sums: Sequence[int]) -> int:
    """Return how many nodes pods can close at most, each by amounts of this cost; the pods have these sums of the greatest.

    Each pod is on one node: whichever nodes the greatest pods are on, the sum of the rest bounds the others.
    """
    total = sums[-1] if sums else 0
    paid = list(accumulate(sorted(costs)))
    return min(alone + bisect_right(paid, total - gone) for alone, gone in enumerate((0, *sums)))


def _most(costs: Iterable[int], total: int) -> int:
    """Return how many of the costs can be paid at most."""
    return bisect_right(list(accumulate(sorted(costs))), total)
