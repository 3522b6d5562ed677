"""A relaxation of placing pending pods by kube-scheduler: linear conditions of every feasible placement: `Relaxation`.

A variable is whether a pod is on a possible node; another one for each node is by how much the pods there lower each
other's scores, in thousandths. Resources, pods per node and gangs are conditions; other refusals are learned.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from schedcheck.checker.incremental.scores import Counted
from schedcheck.checker.incremental.trials import occupied_by
from schedcheck.checker.placement.linear import Numbers, Program, Row, Weights
from schedcheck.checker.placement.losses import PARTS, losses
from schedcheck.checker.placement.prospects import Pods, Prospect, prospects
from schedcheck.checker.placement.score_bounds import FIT, most
from schedcheck.checker.placement.spreads import spreads
from schedcheck.spec.kubernetes.filters.node_resources_fit import looked_for
from schedcheck.spec.kubernetes.gangs import members
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.scores.arithmetic import HIGHEST
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.placement import Placement
from schedcheck.spec.profiles import Profile, by_scheduler_name, needed
from schedcheck.spec.requests import allocatable


class Relaxation:
    """The conditions and the bounds of scores for the pending pods of a snapshot."""

    def __init__(self, pods: Pods, snapshot: Snapshot, profile: Profile) -> None:
        self.pods, self.snapshot, self.profile = pods, snapshot, profile
        self.prospects: tuple[Prospect, ...] = prospects(pods, snapshot, profile)
        self.limits: dict[tuple[Pod, Node], int] = dict(self._limits())
        self.pairs = list(self.limits)
        self.places = {pair: place for place, pair in enumerate(self.pairs)}

    def _limits(self) -> Iterator[tuple[tuple[Pod, Node], int]]:
        """Yield each possible pair of a pod and a node, with the bound of the node's score."""
        nodes = {node.name: node for node in self.snapshot.nodes}
        for each in self.prospects:
            bounds = most(each, Counted(each.made.infos), lambda name, pod=each.pod: self._beside(pod, name))  # type: ignore[misc]
            yield from (((each.pod, nodes[name]), bounds[name]) for name in sorted(bounds))

    def _beside(self, pod: Pod, name: str) -> Pods:
        """Return the other pending pods that may be on the node."""
        return tuple(each.pod for each in self.prospects if each.pod != pod and name in each.possible)

    @cached_property
    def program(self) -> Program:
        """The program of all conditions; rows that are learned are added to it."""
        weight = max((self._plugins(pod).weights.get(FIT, 0) for pod in self.pods), default=0)
        loss = HIGHEST * PARTS * weight * len(self.pods)
        upper = (*(1 for _ in self.pairs), *(loss for _ in self.snapshot.nodes))
        return Program(upper, [*self.conditions(), *self._losses()], len(self.pairs))

    def conditions(self) -> Iterator[Row]:
        """Yield the conditions that are about the places of pods alone."""
        for rows in (self._one_node(), self._resources(), self._gangs(), self._spreads()):
            yield from rows

    def placed(self, priority: int) -> Weights:
        """Return the number of placed pods of this priority as a weighted sum."""
        return {place: 1 for place, (pod, _) in enumerate(self.pairs) if pod.priority == priority}

    def score(self) -> Weights:
        """Return the bound of the score, in thousandths, as a weighted sum."""
        losses = {len(self.pairs) + number: -1 for number, _ in enumerate(self.snapshot.nodes)}
        return {place: PARTS * self.limits[pair] for place, pair in enumerate(self.pairs)} | losses

    def placement(self, values: Numbers) -> Placement:
        """Return the placement of a solution."""
        return Placement({pod: node for (pod, node), value in zip(self.pairs, values, strict=False) if value})

    def of_pod(self, pod: Pod) -> list[int]:
        """Return the variables of a pod."""
        return [place for place, (each, _) in enumerate(self.pairs) if each == pod]

    def excluding(self, placement: Placement, deciding: Iterable[Pod], *, antitone: bool) -> Row:
        """Return the row that the deciding pods are not all placed as in `placement`; if antitone, also with more pods."""
        pods = frozenset(deciding)
        there = {self.places[pod, node] for pod, node in placement.items() if pod in pods}
        weights = dict.fromkeys(sorted(there), 1)
        if not antitone:
            others = (place for place, (pod, _) in enumerate(self.pairs) if pod in pods and place not in there)
            weights |= dict.fromkeys(others, -1)
        return Row(weights, len(there) - 1)

    def _one_node(self) -> Iterator[Row]:
        return (Row(dict.fromkeys(self.of_pod(pod), 1), 1) for pod in self.pods)

    def _gangs(self) -> Iterator[Row]:
        """Yield, for each pod of a gang, that it is placed only with enough members of its gang."""
        for pod in self.pods:
            least = needed(pod, self.snapshot, self.profile)
            if least is not None:
                together = members(pod, self.snapshot)
                weights = {place: -1 for place, (other, _) in enumerate(self.pairs) if other in together}
                for place in self.of_pod(pod):
                    weights[place] = weights.get(place, 0) + least
                yield Row(weights, sum(bool(other.node_name) for other in together))

    @cached_property
    def _infos(self) -> Mapping[str, NodeInfo]:
        made = self.prospects[0].made if self.prospects else None
        return {info.node.name: info for info in made.infos} if made else {}

    def _resources(self) -> Iterator[Row]:
        """Yield that the pods on a node fit into its free resources, as far as NodeResourcesFit filters them.

        A pod counts with the less of what it uses on its node and of what it asks for: the other pods leave room for the
        whole of what it asks for.
        """
        departures = frozenset(each.departures for each in self.profile.plugins)
        for node in self.snapshot.nodes:
            there = {pod: place for place, (pod, each) in enumerate(self.pairs) if each == node}
            if not there:
                continue
            info = self._infos[node.name]
            fitted = {pod: place for pod, place in there.items() if FIT in self._plugins(pod).at("filter")}
            yield Row(dict.fromkeys(fitted.values(), 1), max(0, allocatable(node, "pods") - len(info.pods)))
            wants = {pod: looked_for(pod, self._plugins(pod).arguments) for pod in fitted}
            for resource in sorted(frozenset[str]().union(*wants.values())):
                uses = {pod: min(occupied_by(pod, each).get(resource, 0) for each in departures) for pod in fitted}
                taken = min(info.requested(each).get(resource, 0) for each in departures)
                weights = {fitted[pod]: min(uses[pod], wants[pod].get(resource, 0)) for pod in fitted}
                kept = {place: weight for place, weight in weights.items() if weight > 0}
                yield Row(kept, max(0, allocatable(node, resource) - taken))

    def _plugins(self, pod: Pod) -> Plugins:
        return by_scheduler_name(pod, self.profile.plugins)

    def _spreads(self) -> Iterator[Row]:
        for each in self.prospects:
            yield from spreads(each, self.places)

    def _losses(self) -> Iterator[Row]:
        """Yield by how much pods on one node lower each other's scores at least, if all scores are bounded."""
        plugins = {self._plugins(pod) for pod in self.pods}
        if len(plugins) == 1 and all(each.bounded for each in self.prospects):
            (chosen,) = plugins
            for number, node in enumerate(self.snapshot.nodes):
                there = {pod: place for place, (pod, each) in enumerate(self.pairs) if each == node}
                if len(there) > 1:
                    yield from losses(self._infos[node.name], there, len(self.pairs) + number, chosen)
