"""Counts of pods by topology domain: `Topology`, which narrows where a pod may go.

Karpenter 1.15: pkg/controllers/provisioning/scheduling/topology.go and topologygroup.go.

Not modelled: pod affinity, namespace selectors, and selectors that are absent.
"""

from collections.abc import Iterable, Iterator

from schedcheck.model.controllers.karpenter.asking import Asking, asking
from schedcheck.model.controllers.karpenter.choosing import Choices
from schedcheck.model.controllers.karpenter.domains import in_flight, taints_of, tolerated, universe
from schedcheck.model.controllers.karpenter.requirements import (
    EXISTS,
    NOTHING,
    Requirements,
    Values,
    joined,
    of_labels,
    one_of,
)
from schedcheck.model.controllers.karpenter.rules import APART, SPREAD, Rule, apart, rules
from schedcheck.model.provisioning import HOSTNAME, Karpenter
from schedcheck.spec.binding import completed
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod, Snapshot, Taint
from schedcheck.spec.selectors import selects


class Group:
    """The domains of one rule with the number of pods in each, and the pods to which the rule applies."""

    def __init__(self, rule: Rule, domains: Iterable[str]) -> None:
        self.rule = rule
        self.counts = dict.fromkeys(domains, 0)
        self.owners: set[tuple[str, str]] = set()

    def selects(self, pod: Pod) -> bool:
        """Whether the rule counts a pod."""
        return pod.namespace in self.rule.namespaces and selects(self.rule.selector, pod.labels, NO_FAULTS)

    def counted(self, pod: Pod, taints: tuple[Taint, ...], requirements: Requirements) -> bool:
        """Whether a pod counts, given that it goes to such a node. Karpenter: Counts."""
        return self.selects(pod) and self.rule.filter.passes(taints, requirements)

    def record(self, domains: Iterable[str]) -> None:
        """Count one pod more in each of these domains."""
        for domain in domains:
            self.counts[domain] = self.counts.get(domain, 0) + 1

    def allowed(self, pod: Pod, pods: Values, nodes: Values, choices: Choices) -> Values:
        """Return the domains to which a pod may go. Karpenter: Get."""
        return self._apart(pods, nodes) if self.rule.kind == APART else self._spread(pod, pods, nodes, choices)

    def _apart(self, pods: Values, nodes: Values) -> Values:
        """Karpenter: nextDomainAntiAffinity."""
        if self.rule.key == HOSTNAME and len(nodes.named) == 1:
            host = next(iter(nodes.named))
            return one_of(host) if not self.counts.get(host) else NOTHING
        return one_of(
            *(each for each, number in self.counts.items() if not number and nodes.has(each) and pods.has(each))
        )

    def _spread(self, pod: Pod, pods: Values, nodes: Values, choices: Choices) -> Values:
        """Karpenter: nextDomainTopologySpread. Of several domains with the fewest pods, any is taken."""
        itself = self.selects(pod)
        if self.rule.key == HOSTNAME and len(nodes.named) == 1:
            host = next(iter(nodes.named))
            return one_of(host) if self.counts.get(host, 0) + itself <= self.rule.skew else NOTHING
        most = self.rule.skew + self._fewest(pods) - itself
        fit = {each: number for each, number in self.counts.items() if nodes.has(each) and number <= most}
        if not fit:
            return NOTHING
        return one_of(choices.of(sorted(each for each, number in fit.items() if number == min(fit.values()))))

    def _fewest(self, pods: Values) -> int:
        """Karpenter: domainMinCount."""
        if self.rule.key == HOSTNAME:
            return 0
        there = [number for each, number in self.counts.items() if pods.has(each)]
        # Without a domain upstream takes the greatest 32-bit integer, so that every skew is small enough.
        return 0 if there and len(there) < self.rule.least else min(there, default=2**31 - 1)


class Topology:
    """The groups of a simulation, which moves the pods `moved` and sees the nodes `nodes`."""

    def __init__(
        self, given: Karpenter, snapshot: Snapshot, nodes: Iterable[Node], moved: Iterable[Asking], choices: Choices
    ) -> None:
        self._snapshot, self._nodes = snapshot, tuple(nodes)
        self._by_name = {node.name: node for node in snapshot.nodes}
        self._universe = universe(given)
        self._moved = {asked.pod.key for asked in moved}
        self._groups: dict[Rule, Group] = {}
        self._inverse: dict[Rule, Group] = {}
        there = [(pod, self._by_name.get(pod.node_name)) for pod in snapshot.pods if pod.key not in self._moved]
        bound = [(pod, at) for pod, at in there if at is not None and not completed(pod)]
        # Upstream takes these pods in the order of a hash table, and the first of a rule decides on its domains.
        apart = [(pod, at) for pod, at in bound if pod.affinity.anti_required]
        different = sorted({pod.tolerations for pod, _ in apart}, key=str)
        for tolerations in choices.order(different):
            for pod, at in apart:
                if pod.tolerations == tolerations:
                    self._forbid(asking(pod), at)

    def update(self, asked: Asking) -> None:
        """Let the rules of a pod apply to it, and those that it has given up no longer."""
        for group in self._groups.values():
            group.owners.discard(asked.pod.key)
        self._forbid(asked, None)
        for rule in rules(asked):
            if rule not in self._groups:
                self._groups[rule] = self._counted(rule, asked)
            self._groups[rule].owners.add(asked.pod.key)

    def narrowed(
        self, asked: Asking, taints: tuple[Taint, ...], requirements: Requirements, choices: Choices
    ) -> Requirements | None:
        """Return what the groups require of the node besides; None if no domain is left. Karpenter: AddRequirements."""
        strict, made = asked.strict, dict(requirements)
        for group in self._matching(asked.pod, taints, requirements):
            key = group.rule.key
            pods, nodes = strict.get(key, EXISTS), requirements.get(key, EXISTS)
            domains = group.allowed(asked.pod, pods, nodes, choices)
            if domains == NOTHING:
                return None
            made = joined(made, {key: domains})
        return made

    def record(self, pod: Pod, taints: tuple[Taint, ...], requirements: Requirements) -> None:
        """Count a pod that goes to such a node. Karpenter: Record."""
        for group in self._groups.values():
            if group.counted(pod, taints, requirements):
                domains = requirements.get(group.rule.key, EXISTS)
                if group.rule.kind == APART:
                    group.record(domains.named)
                elif domains.only is not None:
                    group.record((domains.only,))
        for group in self._inverse.values():
            if pod.key in group.owners:
                group.record(requirements.get(group.rule.key, EXISTS).named)

    def register(self, host: str) -> None:
        """Let a hostname be a domain."""
        for group in (*self._groups.values(), *self._inverse.values()):
            if group.rule.key == HOSTNAME:
                group.counts.setdefault(host, 0)

    def _matching(self, pod: Pod, taints: tuple[Taint, ...], requirements: Requirements) -> Iterator[Group]:
        """Karpenter: getMatchingTopologies."""
        yield from (group for group in self._groups.values() if pod.key in group.owners)
        yield from (group for group in self._inverse.values() if group.counted(pod, taints, requirements))

    def _forbid(self, asked: Asking, at: Node | None) -> None:
        """Let the required anti-affinity of a pod apply to the pods that it selects. Karpenter: updateInverseAntiAffinity."""
        pod = asked.pod
        for term in pod.affinity.anti_required:
            rule = apart(term, pod)
            if rule not in self._inverse:
                self._inverse[rule] = Group(rule, self._open(rule, asked))
            group = self._inverse[rule]
            if at is not None and rule.key in at.labels:
                group.record((at.labels[rule.key],))
            group.owners.add(pod.key)

    def _open(self, rule: Rule, asked: Asking) -> Iterator[str]:
        """Yield the domains that a rule takes for possible. Karpenter: ForEachDomain.

        With anti-affinity they are those of pools whose taints the first pod of the rule tolerates, whatever their effect.
        """
        for domain, sets in self._universe.get(rule.key, {}).items():
            ignored = rule.kind == SPREAD and not rule.filter.taints
            if ignored or any(tolerated(taints, asked.tolerations) for taints in sets):
                yield domain

    def _counted(self, rule: Rule, asked: Asking) -> Group:
        """Return the group of a rule, with the pods that are counted already. Karpenter: countDomains."""
        group = Group(rule, self._open(rule, asked))
        for node in self._nodes:
            domain = node.labels.get(rule.key)
            if (
                domain is not None
                and not in_flight(node)
                and rule.filter.passes(taints_of(node), of_labels(node.labels))
            ):
                group.counts.setdefault(domain, 0)
        for pod in self._snapshot.pods:
            at = self._by_name.get(pod.node_name)
            if at is None or pod.terminating or completed(pod) or pod.key in self._moved or not group.selects(pod):
                continue
            domain = at.labels.get(rule.key, at.name if rule.key == HOSTNAME else None)
            if domain is not None and rule.filter.passes(taints_of(at), of_labels(at.labels)):
                group.record((domain,))
        return group
