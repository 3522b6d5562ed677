"""DoNotSchedule constraints of topology spread as linear conditions on a placement of pending pods: `spreads`."""

from collections.abc import Iterator, Mapping

from schedcheck.checker.placement.linear import Row
from schedcheck.checker.placement.prospects import Prospect
from schedcheck.spec.kubernetes.filters import pod_topology_spread
from schedcheck.spec.kubernetes.filters.pod_topology_spread import Counts, in_scope, required, spread_with, there
from schedcheck.spec.objects import Node, Pod, SpreadConstraint

MOST_DOMAINS = 12
"""The most domains of a constraint that is stated; others are learned from refusals."""

Places = Mapping[tuple[Pod, Node], int]
"""The variables: whether a pod is on a node."""


def spreads(prospect: Prospect, places: Places) -> Iterator[Row]:
    """Yield, for each domain in which the pod may be, that its skew with each other domain is not too great."""
    made = prospect.made
    names = pod_topology_spread.NAME
    if not prospect.bounded or names not in made.plugins.at("filter") or names not in made.plugins.at("preFilter"):
        return
    for constraint, counted in zip(required(made.spreading), made.spread, strict=True):
        if len(counted) <= MOST_DOMAINS:
            yield from _rows(prospect, constraint, counted, places)


def _rows(prospect: Prospect, constraint: SpreadConstraint, counted: Counts, places: Places) -> Iterator[Row]:
    """Yield the rows of one constraint, of which `counted` are the counts without the other pending pods."""
    made, key = prospect.made, constraint.topology_key
    others = {each for each in prospect.others if there(constraint, made.spreading, each)}
    own: dict[str, list[int]] = {}
    within: dict[str, list[int]] = {}
    for (pod, node), place in places.items():
        if pod == prospect.pod and key in node.labels:
            own.setdefault(node.labels[key], []).append(place)
        elif pod in others and in_scope(constraint, made.spreading, node):
            within.setdefault(node.labels[key], []).append(place)
    self_counted = spread_with(constraint, made.spreading, made.pod)
    for domain, mine in sorted(own.items()):
        room = constraint.max_skew - self_counted - counted.get(domain, 0)
        if len(counted) < constraint.min_domains:
            yield _row(mine, within.get(domain, []), [], room, len(others))
            continue
        for other in sorted(counted):
            if other != domain:
                yield _row(mine, within.get(domain, []), within.get(other, []), room + counted[other], len(others))


def _row(own: list[int], more: list[int], fewer: list[int], room: int, others: int) -> Row:
    """Return the row that, with the pod in a domain, the other pods there are at most the room and those elsewhere.

    Without the pod there are at most `others`.
    """
    slack = max(0, others - room)
    weights = dict.fromkeys(more, 1) | dict.fromkeys(fewer, -1) | dict.fromkeys(own, slack)
    return Row(weights, room + slack)
