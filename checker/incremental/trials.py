"""One node without some of its pods, in a cluster that stays as it is: `Trials`.

What a cycle counts on all nodes is a sum over the nodes. It is counted once in the whole cluster, and of a trial on one
node only what is different there: the counts are those of the specification in the snapshot without the victims, as
`tests/checker/incremental/test_trials.py` holds them to be.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from frozendict import frozendict

from schedcheck.spec.kubernetes.cycle import Cycle, cycle
from schedcheck.spec.kubernetes.filters import inter_pod_affinity, pod_topology_spread
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import Near
from schedcheck.spec.kubernetes.filters.pod_topology_spread import Counts
from schedcheck.spec.kubernetes.node_info import NodeInfo, host_ports
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.requests import occupied
from schedcheck.spec.objects import HostPort, Node, Pod, Snapshot
from schedcheck.spec.values import Amounts

Victims = frozenset[Pod]


@lru_cache(maxsize=1 << 17)
def occupied_by(pod: Pod) -> Amounts:
    """What `occupied` says of the pod, which is asked once."""
    return occupied(pod)


@lru_cache(maxsize=1 << 17)
def _ports(pod: Pod) -> frozenset[HostPort]:
    return host_ports(pod)


@dataclass(frozen=True)
class Trial(Cycle):
    """The cycle in which one node is looked at, `whole` being that with all pods there, and `before` the node then."""

    whole: Cycle
    before: NodeInfo

    @cached_property
    def nominated(self) -> frozendict[str, tuple[Pod, ...]]:
        """No victim is nominated: it has a node."""
        return self.whole.nominated

    @cached_property
    def spreading(self) -> Pod:
        """The default constraints look at no pod but this."""
        return self.whole.spreading

    @cached_property
    def around(self) -> Near:
        """As in the whole cluster, without those who are gone."""
        node, left = self.before.node, frozenset(self.infos[0].pods)
        gone = ((pod, node, -1) for pod in self.before.pods if pod not in left)
        return inter_pod_affinity.changed(self.whole.around, self.pod, gone, self.snapshot, self.plugins.departures)

    @cached_property
    def spread(self) -> tuple[Counts, ...]:
        """As in the whole cluster, with what is counted on the node in the place of what was."""
        before, now = (pod_topology_spread.counts(self.spreading, infos) for infos in ([self.before], self.infos))
        return tuple(
            total | {domain: total[domain] - number + left[domain] for domain, number in there.items()}
            for total, there, left in zip(self.whole.spread, before, now, strict=True)
        )


class Left(NodeInfo):
    """A node without some of its pods; what each pod requests is worked out once for all trials."""

    @cached_property
    def requested(self) -> Amounts:
        """What the pods request together."""
        total: Counter[str] = Counter()
        for pod in self.pods:
            total.update(occupied_by(pod))
        return frozendict(total)


def left_by(before: NodeInfo, victims: Victims) -> NodeInfo:
    """The node without the victims."""
    pods = tuple(each for each in before.pods if each not in victims)
    return Left(before.node, pods, frozenset[HostPort]().union(*map(_ports, pods)) if before.ports else before.ports)


class Trials:
    """Cycles for one pod at a time, in each of which only one node is looked at."""

    def __init__(self, plugins: Plugins) -> None:
        self.plugins = plugins
        self._whole: tuple[Pod, Snapshot, Cycle, dict[str, int]] | None = None

    def cycle(self, pod: Pod, node: Node, snapshot: Snapshot, victims: Victims = frozenset()) -> Cycle:
        """The cycle of the pod in the snapshot without the victims, who are on the node."""
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
        """The cycle in the whole snapshot, made once, and the place of each node."""
        if self._whole is None or self._whole[0] is not pod or self._whole[1] is not snapshot:
            whole = cycle(pod, snapshot, self.plugins)
            places = {info.node.name: number for number, info in enumerate(whole.cluster)}
            self._whole = pod, snapshot, whole, places
        return self._whole[2], self._whole[3]
