"""Upper bounds of a node's score for a pending pod, wherever the other pending pods are: `most`.

The score of kube-scheduler is a weighted sum of the scores of plugins, from 0 to 100 each. Some depend on no other pod;
others only on the pods on the node, or on pods that a term or constraint selects. Normalised scores also depend on which
nodes are feasible: all `certain` ones are, and no other than the `possible` ones (`prospects.py`). What is not bounded
here has the bound 100.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from schedcheck.checker.incremental.scores import Counted, heard
from schedcheck.checker.incremental.trials import occupied_by
from schedcheck.checker.placement.prospects import Prospect
from schedcheck.spec.kubernetes.default_spread import constrained
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.filters.node_resources_fit import looked_for
from schedcheck.spec.kubernetes.filters.pod_topology_spread import there
from schedcheck.spec.kubernetes.scores.arithmetic import HIGHEST, quotient, rounded
from schedcheck.spec.kubernetes.scores.balanced_allocation import balanced_allocation_skipped, deviation
from schedcheck.spec.kubernetes.scores.node_resources_fit import looked_at
from schedcheck.spec.kubernetes.scores.pod_topology_spread import HOSTNAME, Domains, domains, left_out, soft_constraints
from schedcheck.spec.kubernetes.scores.scored import SCORE_PLUGINS
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.requests import allocatable

FIT = "NodeResourcesFit"

LARGEST = 2**63 // HIGHEST
"""Amounts below this one are multiplied by 100 without wrapping at 64 bits."""


@dataclass(frozen=True, eq=False)
class Rated:
    """A prospect, with the raw scores of its nodes without the other pending pods."""

    prospect: Prospect
    counted: Counted

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The possible nodes, in order."""
        infos = self.prospect.made.infos
        return tuple(info.node for info in infos if info.node.name in self.prospect.possible)

    @cached_property
    def certain(self) -> tuple[str, ...]:
        """The names of the certain nodes, in order."""
        return tuple(node.name for node in self.nodes if node.name in self.prospect.certain)

    def raw(self, name: str) -> Mapping[str, int]:
        """Return the raw scores of a plugin without the other pending pods."""
        made = self.prospect.made
        plugin = next(each for each in self.counted.plugins if each.name == name)
        return plugin.raw(made.pod, self.nodes, made.snapshot, made.plugins)


def most(prospect: Prospect, counted: Counted, others: Callable[[str], tuple[Pod, ...]]) -> Mapping[str, int]:
    """Return the bound of each possible node, by name; `others` gives the other pending pods that a node may get."""
    plugins = prospect.made.plugins
    weights = plugins.weights
    if not prospect.bounded:
        return dict.fromkeys(sorted(prospect.possible), max(1, HIGHEST * sum(weights.values())))
    known = {each.name for each in SCORE_PLUGINS}
    names = [name for name in plugins.at("score") if name in known]
    rated = Rated(prospect, counted)
    total = dict.fromkeys((node.name for node in rated.nodes), 0 if names else 1)
    for name in names:
        bound = _bound(name, rated, others)
        for node in total:
            total[node] += weights[name] * bound[node]
    return total


def _bound(name: str, rated: Rated, others: Callable[[str], tuple[Pod, ...]]) -> Mapping[str, int]:
    """Return the bound of one plugin for each possible node."""
    pod, names = rated.prospect.pod, [node.name for node in rated.nodes]
    match name:
        case "ImageLocality":
            return rated.raw(name)
        case "TaintToleration":
            return _fewest(rated.raw(name))
        case "NodeAffinity":
            return _share(rated.raw(name), rated.certain)
        case "VolumeBinding" if not pod.volumes:
            return rated.raw(name)
        case "DynamicResources" if not pod.resource_claims:
            return dict.fromkeys(names, 0)
        case "InterPodAffinity":
            return _company(rated)
        case "PodTopologySpread":
            return _spread(rated)
        case "NodeResourcesFit":
            return _fit(rated, others)
        case "NodeResourcesBalancedAllocation":
            return _balanced(rated, others)
    return dict.fromkeys(names, HIGHEST)


def _fewest(raw: Mapping[str, int]) -> Mapping[str, int]:
    """Return the bounds if the greatest raw score is 0, and 0 is 100: other nodes are compared with the greatest."""
    greatest = max(raw.values(), default=0)
    return {name: HIGHEST - (quotient(HIGHEST * score, greatest) if greatest else 0) for name, score in raw.items()}


def _share(raw: Mapping[str, int], certain: Iterable[str]) -> Mapping[str, int]:
    """Return the bounds of percentages of the greatest raw score of the feasible nodes."""
    floor = max((raw[name] for name in certain), default=0)
    return {name: quotient(HIGHEST * score, max(score, floor)) if score > 0 else 0 for name, score in raw.items()}


def _company(rated: Rated) -> Mapping[str, int]:
    """Return the bounds of InterPodAffinity: each other pod adds at most its positive votes, and at least the others."""
    made = rated.prospect.made
    votes = [heard(made.pod, other, made.snapshot, made.plugins) for other in rated.prospect.others]
    weights = [weight for some in votes for weight, _ in some]
    raw = rated.raw("InterPodAffinity")
    up, down = sum(each for each in weights if each > 0), sum(each for each in weights if each < 0)
    least = min(raw.values(), default=0) + down
    floor = max((raw[name] + down for name in rated.certain), default=least)
    return {name: _between(score + up, least, max(score + up, floor)) for name, score in raw.items()}


def _between(score: int, least: int, greatest: int) -> int:
    """Return where the score is between the least and the greatest, in hundredths, as the specification computes it."""
    return int(float(HIGHEST) * (float(score - least) / float(greatest - least))) if greatest > least else 0


def _spread(rated: Rated) -> Mapping[str, int]:
    """Return the bounds of PodTopologySpread: each other pod counts at most once for each constraint."""
    made = rated.prospect.made
    spreading = constrained(made.pod, made.snapshot, made.plugins.arguments)
    constraints = soft_constraints(spreading, made.snapshot, made.plugins.arguments)
    if not constraints and "PodTopologySpread" in made.plugins.at("preScore"):
        return dict.fromkeys((node.name for node in rated.nodes), 0)
    chosen = tuple(node for node in rated.nodes if not left_out(spreading, node, made.snapshot))
    low = {node.name: 0.0 for node in chosen}
    high = dict(low)
    for constraint in constraints:
        found = domains(constraint, spreading, chosen, made.snapshot)
        more = sum(there(constraint, spreading, other) for other in rated.prospect.others)
        most_counted = replace(found, counts=found.counts.copy())
        for value in {*found.counts, *(node.labels.get(constraint.topology_key, "") for node in chosen)}:
            most_counted.counts[value] += more
        for node in chosen:
            if constraint.topology_key in node.labels:
                low[node.name] += replace(found, weight=_least_weight(found, node, chosen, rated)).score(node)
                high[node.name] += most_counted.score(node)
    scores = {name: (rounded(low[name]), rounded(high[name])) for name in low}
    greatest = max((each for _, each in scores.values()), default=0)
    ceiling = min((scores[name][1] for name in rated.certain if name in scores), default=greatest)
    bounds = {name: _in_reverse(score, min(score, ceiling), greatest) for name, (score, _) in scores.items()}
    return {node.name: bounds.get(node.name, 0) for node in rated.nodes}


def _least_weight(found: Domains, node: Node, chosen: tuple[Node, ...], rated: Rated) -> float:
    """Return the weight of a pod if only the certain nodes, and this one, are feasible."""
    key = found.constraint.topology_key
    there = [each for each in chosen if each.name in rated.prospect.certain or each == node]
    number = len(there) if key == HOSTNAME else len({each.labels.get(key, "") for each in there})
    return math.log(float(number + 2))


def _in_reverse(score: int, least: int, greatest: int) -> int:
    return HIGHEST if greatest == 0 else quotient(HIGHEST * (greatest + least - score), greatest)


def _fit(rated: Rated, others: Callable[[str], tuple[Pod, ...]]) -> Mapping[str, int]:
    """Return the bounds of NodeResourcesFit: with LeastAllocated no pod raises the score of a node."""
    strategy = rated.prospect.made.plugins.arguments.scoring_strategy
    raw = rated.raw(FIT)

    def exact(node: Node) -> bool:
        small = all(allocatable(node, resource) < LARGEST for resource, _ in strategy.resources)
        return not others(node.name) or (strategy.kind == "LeastAllocated" and small)

    return {node.name: raw[node.name] if exact(node) else HIGHEST for node in rated.nodes}


def _balanced(rated: Rated, others: Callable[[str], tuple[Pod, ...]]) -> Mapping[str, int]:
    """Return the bounds of NodeResourcesBalancedAllocation: a pod lowers the deviation by at most that of its shares."""
    made = rated.prospect.made
    raw = rated.raw("NodeResourcesBalancedAllocation")
    if balanced_allocation_skipped(made.pod, (), made.snapshot, made.plugins):
        return raw
    if Departure.BALANCED_WITH_THE_POD_ALONE in made.plugins.departures:
        return {name: HIGHEST if others(name) else score for name, score in raw.items()}
    return {node.name: _balance(rated, node) if others(node.name) else raw[node.name] for node in rated.nodes}


def _balance(rated: Rated, node: Node) -> int:
    """Return the bound of one node. A standard deviation is a seminorm; that of numbers from 0 to d is at most d / 2.

    Where NodeResourcesFit admits the pod, no utilization to which it adds exceeds 1, so the shares count in full.
    """
    made = rated.prospect.made
    wants, fitted = occupied_by(made.pod, made.plugins.departures), looked_for(made.pod, made.plugins.arguments)
    resources = made.plugins.arguments.balanced
    kept = [each for each in resources if allocatable(node, each) and looked_at(each, wants.get(each, 0))]
    shares = [wants.get(each, 0) / allocatable(node, each) for each in kept]
    filtered = FIT in made.plugins.at("filter") and all(wants.get(each, 0) == fitted.get(each, 0) for each in kept)
    lowered = deviation(shares) if filtered or len(kept) < 2 else max(shares) / 2
    return min(HIGHEST, HIGHEST // 2 + (HIGHEST // 2 + math.ceil(HIGHEST * lowered + 1e-6)) // 2)
