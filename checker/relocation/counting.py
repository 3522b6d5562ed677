"""Proofs by counting that a pod finds a place wherever the others go: `Counting`, `Place`.

`others` are the pods that may be placed meanwhile. None of them is on two nodes, so a node is closed to the pod only by
others that are placed on it. The fewest that close a node are counted from the greatest requests among them. A required
anti-affinity between the pod and another closes one domain of its topology key as well. If the others are too few to
close every node, some node is feasible for the pod whenever it waits, in every order and with all ties.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from schedcheck.checker.vectors.filtering import PASSED, prepared
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.spec.decisions import Wait
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import speaks_of
from schedcheck.spec.kubernetes.filters.node_resources_fit import looked_for
from schedcheck.spec.kubernetes.filters.pod_topology_spread import required
from schedcheck.spec.kubernetes.node_info import NodeInfo, host_ports
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.pod_terms import concerns
from schedcheck.spec.storage import ClaimSource, Ephemeral


@dataclass(frozen=True)
class Place:
    """What is known of the place of one pod: how many nodes are feasible now, and why it is not proved to find one.

    `needed` is the least number of other pods that could close all these nodes, as far as counting tells.
    """

    feasible: int
    needed: int
    unproved: str

    @property
    def proved(self) -> bool:
        """Whether the pod finds a place wherever the others go."""
        return self.unproved == ""


class Counting:
    """The cluster without the pods that leave, and without the nodes that they leave."""

    def __init__(self, snapshot: Snapshot, closed: Iterable[str]) -> None:
        self.snapshot = snapshot
        self.closed = frozenset(closed)
        self.judge = CycleJudge(snapshot)

    def place(self, pod: Pod, plugins: Plugins, others: Sequence[Pod]) -> Place:
        """Return what is known of the place of a fresh pod while the others are placed."""
        why = beyond_counting(pod, plugins)
        if why:
            return Place(0, 0, why)
        cycle = self.judge.cycle(pod, plugins)
        if required(cycle.spreading):
            return Place(0, 0, "its topology spread depends on where the others are")
        filtering, _ = self.judge.profile(plugins)
        passed = filtering.numbers(cycle) == PASSED
        infos = [
            info
            for info, open_ in zip(self.judge.there.infos, passed.tolist(), strict=True)
            if open_ and info.node.name not in self.closed
        ]
        if not infos:
            return Place(0, 0, "no node is feasible for it, even before the others are placed")
        blocking = Blocking(pod, plugins, others)
        fewest = {info.node.name: blocking.fewest(info) for info in infos}
        needed = sum(fewest.values()) - self._by_domains(pod, plugins, others, infos, fewest)
        enough = needed > len(others)
        return Place(len(infos), needed, "" if enough else "the others may take its places")

    def waits_for_good(self, pod: Pod, plugins: Plugins) -> bool:
        """Whether a pending pod of the cluster is placed on no node and evicts no pod, wherever the others go.

        It is so now. More pods take more room, and those that may be evicted for it are so already, so that it stays so
        unless company or the counts of a topology spread make room.
        """
        if beyond_counting(pod, plugins) or required(self.judge.cycle(pod, plugins).spreading):
            return False
        decisions = self.judge.judged(pod, plugins, frozenset()).decisions
        return all(isinstance(each, Wait) for each in decisions)

    def _by_domains(
        self, pod: Pod, plugins: Plugins, others: Sequence[Pod], infos: Iterable[NodeInfo], fewest: dict[str, int]
    ) -> int:
        """Return the most that anti-affinity between the pod and the others may take off the number needed."""
        related: Counter[str] = Counter()
        for other in others:
            related.update(self._keys_between(pod, other, plugins))
        taken = 0
        for key, number in related.items():
            sums: Counter[str] = Counter()
            for info in infos:
                if key in info.node.labels:
                    sums[info.node.labels[key]] += fewest[info.node.name]
            taken += sum(size for _, size in sums.most_common(number))
        return taken

    def _keys_between(self, pod: Pod, other: Pod, plugins: Plugins) -> set[str]:
        """Return the topology keys of the required anti-affinity terms of either pod that select the other."""
        found = set()
        for owner, selected in ((pod, other), (other, pod)):
            for term in owner.affinity.anti_required:
                if speaks_of(term, owner, selected, self.snapshot, plugins.departures) or concerns(
                    term, owner, selected, self.snapshot, NO_FAULTS
                ):
                    found.add(term.topology_key)
        return found


class Blocking:
    """How many of the other pods it takes at least to close a node to the pod."""

    def __init__(self, pod: Pod, plugins: Plugins, others: Sequence[Pod]) -> None:
        self.wants = {name: size for name, size in looked_for(pod, plugins.arguments).items() if size > 0}
        self.others = others
        self.by_port = bool(host_ports(pod)) and any(host_ports(each) for each in others)
        self._plugins = plugins

    @cached_property
    def never(self) -> int:
        """More pods than there are."""
        return len(self.others) + 1

    @cached_property
    def sums(self) -> dict[str, list[int]]:
        """For each resource that the pod wants, the sums of the 1, 2, … greatest requests of the others."""
        each = [looked_for(other, self._plugins.arguments) for other in self.others]
        return {
            name: list(accumulate(sorted((amounts.get(name, 0) for amounts in each), reverse=True)))
            for name in self.wants
        }

    def fewest(self, info: NodeInfo) -> int:
        """Return the least number of others that could close this node, on which the pod fits now."""
        if self.by_port:
            return 1
        slots = info.node.allocatable.get("pods", 0) - len(info.pods)
        found = [min(max(slots, 1), self.never)]
        for name, size in self.wants.items():
            left = info.node.allocatable.get(name, 0) - info.requested.get(name, 0) - size
            found.append(next((n for n, total in enumerate(self.sums[name], 1) if total > left), self.never))
        return min(found)


def beyond_counting(pod: Pod, plugins: Plugins) -> str:
    """Return why counting says nothing about the pod, apart from topology spread; empty if it may."""
    if plugins.extenders or plugins.unasked or not prepared(plugins):
        return "extenders or filters of one's own decide about it"
    if pod.resource_claims:
        return "its resource claims are not modelled"
    if pod.affinity.pod_required:
        return "it must be placed beside other pods"
    if any(isinstance(each.source, (ClaimSource, Ephemeral)) for each in pod.volumes):
        return "its volumes decide where it may be"
    if pod.node_name:
        return "its template names its node"
    return ""
