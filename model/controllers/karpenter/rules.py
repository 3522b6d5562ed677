"""The rules by which a pod keeps apart from others or is spread: `rules`, each a `Rule`.

Karpenter 1.15: pkg/controllers/provisioning/scheduling/topology.go, newForTopologies and newForAffinities, and
topologynodefilter.go.
"""

from collections.abc import Iterator
from typing import NamedTuple

from schedcheck.model.controllers.karpenter.asking import Asking
from schedcheck.model.controllers.karpenter.domains import tolerated
from schedcheck.model.controllers.karpenter.requirements import (
    Requirements,
    Values,
    compatible,
    joined,
    of_expressions,
    of_labels,
)
from schedcheck.spec.objects import Pod, Taint, Toleration
from schedcheck.spec.terms import LabelSelector, PodAffinityTerm

SPREAD, APART = "spread", "anti-affinity"


class Filter(NamedTuple):
    """The nodes that count for a spread constraint, with alternatives of requirements in a canonical form."""

    alternatives: tuple[tuple[tuple[str, Values], ...], ...] = ()
    affinity: bool = False
    taints: bool = False
    tolerations: tuple[Toleration, ...] = ()

    def passes(self, taints: tuple[Taint, ...], requirements: Requirements) -> bool:
        """Whether a node counts. Labels that are not defined do not match, even if they are well known."""
        fits = not self.affinity or not self.alternatives
        fits = fits or any(compatible(requirements, dict(each)) for each in self.alternatives)
        return fits and (not self.taints or tolerated(taints, self.tolerations))


class Rule(NamedTuple):
    """What a topology group is told apart by."""

    key: str
    kind: str
    namespaces: frozenset[str]
    selector: LabelSelector | None
    skew: int = 0
    least: int = 1
    """minDomains."""
    filter: Filter = Filter()


def rules(asked: Asking) -> Iterator[Rule]:
    """Yield the rules of a pod. Karpenter: newForTopologies and newForAffinities."""
    pod = asked.pod
    selector = of_labels(pod.node_selector)
    terms = [joined(selector, of_expressions(term.match_expressions)) for term in asked.required] or [selector]
    alternatives = tuple(tuple(sorted(each.items(), key=lambda item: item[0])) for each in terms)
    for each in asked.spread:
        sees = Filter(alternatives, each.affinity_honored, each.taints_honored, asked.tolerations)
        near = frozenset({pod.namespace})
        yield Rule(each.topology_key, SPREAD, near, each.selector, each.max_skew, each.min_domains, sees)
    for term in (*pod.affinity.anti_required, *(soft.term for soft in asked.apart)):
        yield apart(term, pod)


def apart(term: PodAffinityTerm, pod: Pod) -> Rule:
    """Return the rule of a term of anti-affinity."""
    return Rule(term.topology_key, APART, frozenset(term.namespaces or (pod.namespace,)), term.label_selector)
