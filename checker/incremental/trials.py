"""Scheduling cycles on one node without some of its pods, in an otherwise unchanged cluster: `Trials`.

The counts of a cycle over all nodes are sums over the nodes. They are computed once for the whole cluster; a trial
on one node computes only the difference there. The counts are those of the specification in the snapshot without the
victims, as `tests/checker/incremental/test_trials.py` checks.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from frozendict import frozendict

from schedcheck.spec.decisions import VictimSet
from schedcheck.spec.kubernetes.cycle import Cycle, cycle
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.filters import inter_pod_affinity, pod_topology_spread
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import Near
from schedcheck.spec.kubernetes.filters.pod_topology_spread import Counts
from schedcheck.spec.kubernetes.node_info import NodeInfo, host_ports
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.requests import occupied
from schedcheck.spec.objects import HostPort, Node, Pod, Snapshot, SpreadConstraint
from schedcheck.spec.values import Amounts


@lru_cache(maxsize=1 << 17)
def occupied_by(pod: Pod, departures: Departures) -> Amounts:
    """Return the cached value of `occupied` for the pod."""
    return occupied(pod, departures)


@lru_cache(maxsize=1 << 17)
def _ports(pod: Pod) -> frozenset[HostPort]:
    return host_ports(pod)


@dataclass(frozen=True)
class Trial(Cycle):
    """A cycle on one node; `whole` is the cycle with all pods, and `before` the node in it."""

    whole: Cycle
    before: NodeInfo

    @cached_property
    def nominated(self) -> frozendict[str, tuple[Pod, ...]]:
        """The nominated pods of the whole cluster; no victim is among them, as victims are bound."""
        return self.whole.nominated

    @cached_property
    def spreading(self) -> Pod:
        """The pod with its default constraints, which depend on no other pod."""
        return self.whole.spreading

    @cached_property
    def around(self) -> Near:
        """The affinity counts of the whole cluster, without the victims."""
        node, left = self.before.node, frozenset(self.infos[0].pods)
        gone = ((pod, node, -1) for pod in self.before.pods if pod not in left)
        return inter_pod_affinity.changed(self.whole.around, self.pod, gone, self.snapshot, self.plugins.departures)

    @cached_property
    def spread(self) -> tuple[Counts, ...]:
        """The spread counts of the whole cluster, with those of the node replaced."""
        constraints = pod_topology_spread.required(self.spreading)
        return tuple(map(self._counts, constraints, self.whole.spread))

    def _counts(self, constraint: SpreadConstraint, total: Counts) -> Counts:
        """Return the counts of one constraint; `total` are those of the whole cluster."""
        before = pod_topology_spread.counts(constraint, self.spreading, [self.before])
        left = pod_topology_spread.counts(constraint, self.spreading, self.infos)
        return total | {domain: total[domain] - number + left[domain] for domain, number in before.items()}


class Left(NodeInfo):
    """A node without some of its pods; the requests of each pod are computed once for all trials."""

    def summed(self, departures: Departures) -> Amounts:
        """Return the sum of what the pods use."""
        total: Counter[str] = Counter()
        for pod in self.pods:
            total.update(occupied_by(pod, departures))
        return frozendict(total)


def left_by(before: NodeInfo, victims: VictimSet) -> NodeInfo:
    """Return the node without the victims."""
    pods = tuple(each for each in before.pods if each not in victims)
    return Left(before.node, pods, frozenset[HostPort]().union(*map(_ports, pods)) if before.ports else before.ports)


class Trials:
    """Cycles for one pod at a time, each on one node only."""

    def __init__(self, plugins: Plugins) -> None:
        self.plugins = plugins
        self._whole: tuple[Pod, Snapshot, Cycle, dict[str, int]] | None = None

    def cycle(self, pod: Pod, node: Node, snapshot: Snapshot, victims: VictimSet = frozenset()) -> Cycle:
        """Return the cycle of the pod in the snapshot without the victims, which are on the node."""
        if self.plugins.rules:
            made = cycle(pod, snapshot - victims, self.plugins)
            return replace(made, infos=tuple(info for info in made.infos if info.node == node))
        whole, places = self._of(pod, snapshot)
        place = places[node.name]
        before = whole.cluster[place]
        now = left_by(before, victims) if victims else before
        cluster = (*whole.cluster[:place], now, *whole.cluster[place + 1 :])
        return Trial(pod, snapshot, self.plugins, (now,), cluster, whole, before)

    def _of(self, pod: Pod, snapshot: Snapshot) -> tuple[Cycle, dict[str, int]]:
        """Return the cached cycle in the whole snapshot, and the index of each node."""
        if self._whole is None or self._whole[0] is not pod or self._whole[1] is not snapshot:
            whole = cycle(pod, snapshot, self.plugins)
            places = {info.node.name: number for number, info in enumerate(whole.cluster)}
            self._whole = pod, snapshot, whole, places
        return self._whole[2], self._whole[3]
