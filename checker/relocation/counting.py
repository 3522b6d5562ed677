"""Proofs by counting that a pod finds a place wherever the others go: `Counting`, `Place`.

`others` are the pods that may be placed meanwhile. None of them is on two nodes, so a node is closed to the pod only by
others that are placed on it. The fewest that close a node are counted from the greatest requests among them. A required
anti-affinity between the pod and another closes one domain of its topology key as well. If the others are too few to
close every node, some node is feasible for the pod whenever it waits, in every order and with all ties.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from schedcheck.checker.alike import nameless
from schedcheck.checker.relocation.domains import fewest_in_all, open_always, spread_over, with_company
from schedcheck.checker.relocation.others import Blocking, Others
from schedcheck.checker.vectors.filtering import prepared
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.checker.vectors.scoring import scoring_fails
from schedcheck.spec.decisions import Wait
from schedcheck.spec.device_objects import Devices
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.filters.dynamic_resources import claiming
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import speaks_of
from schedcheck.spec.kubernetes.filters.pod_topology_spread import required, spread_with
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod, Snapshot, SpreadConstraint
from schedcheck.spec.pod_terms import concerns
from schedcheck.spec.storage import ClaimSource, Storage


@dataclass(frozen=True)
class Case:
    """A combination of events: at most `lost` of these nodes are lost at a time, and at most `others` pods are placed.

    At most `left` pods of the snapshot have left their nodes.
    """

    lost: int
    nodes: frozenset[str]
    others: int
    left: int = 0


@dataclass(frozen=True)
class Place:
    """What is known of the place of one pod: how many nodes are feasible now, and why it is not proved to find one.

    `needed` is the least number of other pods that could close all these nodes, as far as counting tells; `others` is
    the most that are placed meanwhile; `closed` is the most nodes that they could close, if that was counted. With
    `domains`, a topology key, each domain of the key was counted: `feasible` and `closed` are those of the domain with the
    fewest nodes to spare.
    """

    feasible: int
    needed: int
    unproved: str
    others: int = 0
    closed: int | None = None
    domains: str = ""

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
        self._for_good: dict[tuple[Pod, int], bool] = {}

    def place(self, pod: Pod, plugins: Plugins, others: Others, cases: Sequence[Case] | None = None) -> Place:
        """Return what is known of the place of a fresh pod while the others are placed.

        `cases` are the combinations of events that may happen meanwhile; None is a single one, in which all others are
        placed and no node is lost.
        """
        found = self._place_now(pod, plugins, others, cases)
        if found.proved or not found.others:
            return found
        return self._place_in_each_domain(pod, plugins, others, cases) or found

    def _place_in_each_domain(
        self, pod: Pod, plugins: Plugins, others: Others, cases: Sequence[Case] | None
    ) -> Place | None:
        """Return the place if every domain of the one DoNotSchedule constraint has nodes that nothing else closes.

        The constraint never refuses the domain with the least count, whichever that is, and no domain is added or loses all
        its nodes. A pod that is nominated to a node counts as if it were there, on this node alone: each closes one more.
        """
        cycle = self.judge.cycle(pod, plugins)
        spreading = spread_over(cycle, others)
        if len(spreading) != 1 or not spreading[0].enough:
            return None
        free = replace(pod, spread=())
        unspread = self.judge.cycle(free, plugins)
        if required(unspread.spreading):
            return None
        (each,), (constraint,) = spreading, required(cycle.spreading)
        infos = with_company(unspread, self._open(free, plugins) or (), self.snapshot, others)
        blocking, most = Blocking(pod, plugins, others, self.snapshot.storage), others.number(pod)
        nominated = _nominated(pod, [constraint], cycle.spreading, others)
        worst: tuple[int, int, int, int] | None = None
        for domain in each.closing:
            there = [info for info in infos if info.node.labels.get(each.key) == domain]
            ones = {info.node.name: 1 for info in there}
            for case in (Case(0, frozenset(), most),) if cases is None else cases:
                number = min(case.others, most)
                closed = min(case.lost, sum(name in case.nodes for name in ones))
                closed += nominated + self._by_domains(pod, plugins, others, there, ones, number)
                closed += blocking.closable(there, number, len(there) - 1 - closed)
                if closed >= len(there):
                    return None
                found = len(there) - closed, len(there), closed, number
                worst = found if worst is None else min(worst, found)
        if worst is None:
            return None
        _, nodes, closed, number = worst
        return Place(nodes, number + 1, "", number, closed, each.key)

    def _open(self, pod: Pod, plugins: Plugins) -> list[NodeInfo] | None:
        """Return the nodes that the filters admit now, without those that the pods leave; None if a filter fails."""
        passed = self.judge.passed(pod, plugins)
        if passed is None:
            return None
        return [
            info
            for info, open_ in zip(self.judge.there.infos, passed.tolist(), strict=True)
            if open_ and info.node.name not in self.closed
        ]

    def _place_now(self, pod: Pod, plugins: Plugins, others: Others, cases: Sequence[Case] | None) -> Place:
        """Return what is known of the place of a pod from the nodes that are feasible now."""
        why = beyond_counting(pod, plugins, self.snapshot.devices) or volumes_decide(pod, self.snapshot.storage, others)
        if why:
            return Place(0, 0, why)
        infos = self._open(pod, plugins)
        if infos is None or scoring_fails(pod, plugins):
            return Place(0, 0, "its scheduling cycle may end with an error")
        cycle = self.judge.cycle(pod, plugins)
        spreading = spread_over(cycle, others)
        if spreading and not others.steady:
            number = 0 if others.opening else max(others.number(pod), 1)
            return Place(0, 0, "its topology spread depends on nodes that events may change", number)
        beside = with_company(cycle, infos, self.snapshot, others)
        if infos and not beside:
            return Place(0, 0, "it must be placed beside other pods, which may leave")
        if not beside:
            return Place(0, 0, "no node is feasible for it, even before the others are placed")
        if spreading and _nominated(pod, required(cycle.spreading), cycle.spreading, others):
            return Place(0, 0, "its topology spread counts pods that may be nominated", others.number(pod))
        blocking = Blocking(pod, plugins, others, self.snapshot.storage)
        fewest = {info.node.name: blocking.fewest(info) for info in beside}
        most, found, closed = others.number(pod), [], None
        for case in (Case(0, frozenset(), most, len(others.leaving)),) if cases is None else cases:
            number = min(case.others, most)
            lost = sum(sorted((fewest[name] for name in case.nodes if name in fewest), reverse=True)[: case.lost])
            whole = fewest_in_all(spreading, beside, fewest, case.left)
            if whole is None:
                return Place(0, 0, "its topology spread has several keys with large domains")
            needed = whole - lost - self._by_domains(pod, plugins, others, beside, fewest, number)
            if needed <= number:
                ones = dict.fromkeys(fewest, 1)
                by_domains = self._by_domains(pod, plugins, others, beside, ones, number)
                harmless = open_always(spreading, beside) - 1 - case.lost - by_domains
                closed = by_domains + blocking.closable(beside, number, harmless)
                if closed > number and self._one_node_each(pod, plugins, others, beside):
                    closed = number
                if closed + case.lost >= open_always(spreading, beside):
                    return Place(len(beside), needed, "the others may take its places", number)
            found.append((needed - number, needed, number))
        _, needed, number = min(found)
        return Place(len(beside), needed, "", number, closed)

    def waits_for_good(self, pod: Pod, plugins: Plugins) -> bool:
        """Whether a pending pod of the cluster is placed on no node and evicts no pod, wherever the others go.

        It is so now. More pods take more room, and those that may be evicted for it are so already, so that it stays so
        unless company or the counts of a topology spread make room. Pods of one workload are alike but for their names.
        """
        alike = nameless(pod), id(plugins)
        if alike not in self._for_good:
            self._for_good[alike] = self._waits_for_good(pod, plugins)
        return self._for_good[alike]

    def _waits_for_good(self, pod: Pod, plugins: Plugins) -> bool:
        by_others = pod.affinity.pod_required or any(each.source is not None for each in pod.volumes)
        if (
            by_others
            or beyond_counting(pod, plugins, self.snapshot.devices)
            or required(self.judge.cycle(pod, plugins).spreading)
            or not self.judge.unschedulable(pod, plugins)
        ):
            return False
        decisions = self.judge.judged(pod, plugins, frozenset()).decisions
        return all(isinstance(each, Wait) for each in decisions)

    def _by_domains(
        self,
        pod: Pod,
        plugins: Plugins,
        others: Others,
        infos: Iterable[NodeInfo],
        fewest: dict[str, int],
        most: int,
    ) -> int:
        """Return the most that anti-affinity between the pod and `most` others may take off the number needed."""
        related = others.related(pod, lambda other: self.keys_between(pod, other, plugins))
        taken = 0
        for key, number in related.items():
            sums: Counter[str] = Counter()
            for info in infos:
                if key in info.node.labels:
                    sums[info.node.labels[key]] += fewest[info.node.name]
            taken += sum(size for _, size in sums.most_common(min(number, most)))
        return taken

    def _one_node_each(self, pod: Pod, plugins: Plugins, others: Others, infos: Sequence[NodeInfo]) -> bool:
        """Whether no other closes two of these nodes: anti-affinity between it and the pod is about single nodes."""
        keys = others.related(pod, lambda other: self.keys_between(pod, other, plugins))
        values = ([info.node.labels[key] for info in infos if key in info.node.labels] for key in keys)
        return all(len(set(each)) == len(each) for each in values)

    def keys_between(self, pod: Pod, other: Pod, plugins: Plugins) -> set[str]:
        """Return the topology keys of the required anti-affinity terms of either pod that select the other."""
        found = set()
        for owner, selected in ((pod, other), (other, pod)):
            for term in owner.affinity.anti_required:
                if speaks_of(term, owner, selected, self.snapshot, plugins.departures) or concerns(
                    term, owner, selected, self.snapshot, NO_FAULTS
                ):
                    found.add(term.topology_key)
        return found


def _nominated(pod: Pod, constraints: Iterable[SpreadConstraint], spreading: Pod, others: Others) -> int:
    """Return how many of the others that the constraints count may be nominated: each then counts on its node alone."""
    constraints = list(constraints)
    return sum(
        key != pod.key and any(spread_with(each, spreading, others.pods[key]) for each in constraints)
        for key in others.nominable & others.pods.keys()
    )


def beyond_counting(pod: Pod, plugins: Plugins, devices: Devices) -> str:
    """Return why counting says nothing about the pod; empty if it may."""
    if plugins.extenders or plugins.unasked or not prepared(plugins):
        return "extenders or filters of one's own decide about it"
    if claiming(pod, devices, plugins.departures):
        return "its resource claims are not modelled"
    if pod.node_name:
        return "its template names its node"
    return ""


def volumes_decide(pod: Pod, storage: Storage, others: Others) -> str:
    """Return why the volumes of the pod may shut it out of more nodes later; empty if they do not.

    Claims and volumes never change in a scenario, so that claims admit the same nodes at all times.
    """
    for volume in pod.volumes:
        if isinstance(volume.source, ClaimSource):
            claim = storage.claim(pod.namespace, volume.source.claim_name)
            if claim is not None and "ReadWriteOncePod" in claim.access_modes:
                return f"its claim {volume.source.claim_name} is for one pod only"
            if others.unaccountable:
                return "its volumes are counted with those of others, some of which may not be countable"
        elif volume.source is not None:
            return "its volumes decide where it may be"
    return ""
