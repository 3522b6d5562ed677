"""Topology domains in proofs by counting: `spread_over`, the costs of a topology spread; `with_company`, the open nodes."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from schedcheck.checker.relocation.others import Others
from schedcheck.checker.vectors.counting import Counting
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import matches_all
from schedcheck.spec.kubernetes.filters.pod_topology_spread import least, required, spread_with, there
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.values import Labels

Key = tuple[str, str]


@dataclass(frozen=True)
class Spreading:
    """A DoNotSchedule constraint: the others that it counts, and how many of them close each domain to the pod.

    `leaving` of the counted pods may leave their domains.
    """

    key: str
    counted: int
    leaving: int
    closing: Mapping[str, int]
    """By domain, while no counted pod leaves."""
    enough: bool
    """Whether there are at least minDomains domains."""

    def cost(self, domain: str, otherwise: int, left: int) -> int:
        """Return the least number of others that close a domain, if `otherwise` of them close all its nodes.

        At most `left` pods have left their nodes: each may lower the least count of all domains by one.
        """
        by_spread = max(0, self.closing[domain] - min(left, self.leaving))
        return min(otherwise, by_spread) if by_spread <= self.counted else otherwise


def spread_over(cycle: Counting, others: Others) -> list[Spreading]:
    """Return the DoNotSchedule constraints of the pod of a cycle."""
    pod = cycle.spreading
    found = []
    for constraint, counts in zip(required(pod), cycle.spread, strict=True):
        groups = [(each, number) for each, number in others.groups(pod) if there(constraint, pod, each)]
        room = constraint.max_skew + 1 - spread_with(constraint, pod, pod) + least(counts, constraint)
        found.append(
            Spreading(
                constraint.topology_key,
                sum(number for _, number in groups),
                sum(spread_with(constraint, pod, each) for each in others.leaving.values()),
                {domain: room - count for domain, count in counts.items()},
                len(counts) >= constraint.min_domains,
            )
        )
    return found


def fewest_in_all(
    spreading: Sequence[Spreading], infos: Iterable[NodeInfo], fewest: Mapping[str, int], left: int
) -> int | None:
    """Return how many others it takes at least to close all these nodes; None if it is not known.

    Domains of one node are closed with the node. One topology key may have larger domains; each other is in one of them.
    """
    keys = sorted({each.key for each in spreading})
    nodes = [(info.node.name, info.node.labels) for info in infos]
    larger = [key for key in keys if len({labels[key] for _, labels in nodes}) < len(nodes)]
    if len(larger) > 1:
        return None
    last = larger[0] if larger else keys[-1] if keys else None
    costs = dict(fewest)
    for each in spreading:
        if each.key != last:
            for name, labels in nodes:
                costs[name] = each.cost(labels[each.key], costs[name], left)
    if last is None:
        return sum(costs.values())
    domains: dict[str, int] = {}
    for name, labels in nodes:
        domains[labels[last]] = domains.get(labels[last], 0) + costs[name]
    return _closing([each for each in spreading if each.key == last], domains, left)


def _closing(spreading: Sequence[Spreading], domains: Mapping[str, int], left: int) -> int:
    """Return how many others it takes at least to close all domains of one key.

    `domains` says how many close the nodes of a domain. A constraint never closes the domain with the least count, so
    that one domain is closed node by node; it may be one without any feasible node.
    """
    costs = dict(domains)
    for each in spreading:
        costs = {domain: each.cost(domain, number, left) for domain, number in costs.items()}
    if len(spreading) > 1 or not spreading[0].enough:
        return sum(costs.values())
    return sum(costs.values()) + min(domains.get(each, 0) - costs.get(each, 0) for each in spreading[0].closing)


def open_always(spreading: Sequence[Spreading], infos: Sequence[NodeInfo]) -> int:
    """Return how many of these nodes the spread always leaves open: those of the domain with the least count."""
    if not spreading:
        return len(infos)
    (first, *more) = spreading
    if more or not first.enough:
        return 0
    there = Counter(info.node.labels[first.key] for info in infos)
    return min(there[domain] for domain in first.closing)


def with_company(cycle: Counting, infos: Sequence[NodeInfo], snapshot: Snapshot, others: Others) -> list[NodeInfo]:
    """Return the nodes on which the required affinity of the pod is satisfied by pods that stay where they are."""
    pod, terms = cycle.pod, cycle.pod.affinity.pod_required
    if not terms:
        return list(infos)
    known: dict[tuple[str, Labels], bool] = {}
    beside: set[tuple[str, str | None]] = set()
    nodes = {info.node.name: info.node for info in cycle.infos}
    for each in snapshot.pods:
        if each.key not in others.leaving and _stays(each) and each.node_name in nodes:
            alike = each.namespace, each.labels
            if alike not in known:
                known[alike] = matches_all(pod, each, snapshot, cycle.plugins.departures)
            if known[alike]:
                labels = nodes[each.node_name].labels
                beside.update((term.topology_key, labels.get(term.topology_key)) for term in terms)
    return [
        info
        for info in infos
        if all(
            term.topology_key in info.node.labels and (term.topology_key, info.node.labels[term.topology_key]) in beside
            for term in terms
        )
    ]


def _stays(pod: Pod) -> bool:
    return pod.node_name != "" and not pod.terminating
