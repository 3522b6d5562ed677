"""The priorities by affinity: preferred node terms, and preferred terms about pods in both directions.

Kubernetes 1.6: node_affinity.go and interpod_affinity.go in plugin/pkg/scheduler/algorithm/priorities; 1.17:
buildTopologyPairToScore in pkg/scheduler/algorithm/priorities/metadata.go.
"""

from collections import Counter
from collections.abc import Iterable

from schedcheck.model.classic.matching import Term
from schedcheck.model.classic.nodes.node_info import NodeInfo
from schedcheck.model.classic.priorities.rating import MOST, Map, Rating, Reduce
from schedcheck.model.production.snapshot.labels import holds
from schedcheck.spec.objects import Node, Pod


def node_affinity(rating: Rating) -> tuple[Map, Reduce]:
    """Add the weights of the preferred node terms that match by labels, and scale them by the greatest sum."""
    terms = [
        (each.weight, each.term.match_expressions)
        for each in rating.info.affinity.node_preferred
        if each.weight and each.term.match_expressions
    ]

    def rate(rating: Rating, node: NodeInfo) -> int:
        labels = node.there.labels
        return sum(weight for weight, terms_ in terms if all(holds(each, labels.get(each.key)) for each in terms_))

    return rate, _by_the_greatest


def _by_the_greatest(rating: Rating, scores: list[int]) -> list[int]:
    most = max(scores, default=0)
    return [int(MOST * (float(score) / float(most))) if most > 0 else 0 for score in scores]


def inter_pod_affinity(rating: Rating) -> tuple[Map, Reduce]:
    """Add the weights of the topology pairs of a node, and scale the sums from the least to the greatest."""
    pairs = _pairs(rating)

    def rate(rating: Rating, node: NodeInfo) -> int:
        return sum(pairs[pair] for pair in node.there.labels.items() if pair in pairs)

    def reduce(rating: Rating, sums: list[int]) -> list[int]:
        least, most = min([0, *sums]), max([0, *sums])
        spread = float(most - least)
        return [int(MOST * (float(each - least) / spread)) if spread > 0 else 0 for each in sums]

    return rate, reduce


def _pairs(rating: Rating) -> Counter[tuple[str, str]]:
    """Return for each pair of topology key and value the weights of the terms that concern the pod there."""
    own, pairs = rating.info, Counter[tuple[str, str]]()
    for node in rating.snapshot.infos.values():
        # A pod without preferences is concerned only by the terms of others.
        for other in (node.pods if own.prefers else node.with_affinity).values():
            _vote(pairs, own.prefers, other.pod, node.there)
            if rating.hard_weight > 0:
                _vote(pairs, other.near, own.pod, node.there, rating.hard_weight)
            _vote(pairs, other.prefers, own.pod, node.there)
    return pairs


def _vote(
    pairs: Counter[tuple[str, str]], terms: Iterable[Term], selected: Pod, node: Node, weight: int | None = None
) -> None:  # fmt: skip
    """Add the weight of each term that selects the pod, or this weight, to the pair of the node."""
    for term in terms:
        value = node.labels.get(term.key)
        if value is not None and term.selects(selected):
            pairs[term.key, value] += term.weight if weight is None else weight
