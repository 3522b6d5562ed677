"""Random snapshots, and the arguments drawn from them, for the operators of tla/

A parameter is drawn according to its name, unless a twin specifies otherwise. If a snapshot lacks such an object,
NoSuch is raised, and the operator is asked about the next snapshot.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from random import Random
from typing import Any, TypeVar

from schedcheck.spec.faults import Faults
from schedcheck.spec.importance import Order, importance
from schedcheck.spec.kubernetes.cycle import Cycle, cycle
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.filters.pod_topology_spread import required
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Arguments, Plugins
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.preemption.potential_victims import potential_victims
from schedcheck.spec.objects import Container, Node, Pod, Snapshot, SpreadConstraint
from schedcheck.spec.placement import Placement, possible_placements
from schedcheck.spec.profiles import Profile
from schedcheck.spec.terms import NodeSelectorTerm, PreferredNodeTerm, Requirement
from schedcheck.tla_export.records import Records
from tests.tla import random_kubernetes, random_scenarios
from tests.tla.random_kubernetes import HOSTNAME, ZONE
from tests.tla.random_scenarios import KEYS, NAMESPACES, TAINTS, VALUES, labels

Drawn = TypeVar("Drawn")


class NoSuch(Exception):
    """Raised if the snapshot has no object of the kind that the operator needs."""


@dataclass(frozen=True)
class Case:
    """A snapshot, its conversion to a value, and what operators depend on; `random` draws the arguments."""

    snapshot: Snapshot
    records: Records
    random: Random
    faults: Faults = frozenset()
    judge: Profile | None = None
    plugins: Plugins = DEFAULT_PLUGINS
    offset: int = 0

    @property
    def profile(self) -> Profile:
        assert self.judge is not None
        return self.judge

    @property
    def departures(self) -> Departures:
        return self.plugins.departures

    @property
    def arguments(self) -> Arguments:
        return self.plugins.arguments

    @property
    def resource(self) -> str:
        """The rated resource."""
        return self.profile.rated_resource

    def one(self, of: Sequence[Drawn]) -> Drawn:
        if not of:
            raise NoSuch
        return self.random.choice(of)

    def some(self, of: Sequence[Drawn], least: int = 0) -> frozenset[Drawn]:
        if len(of) < least:
            raise NoSuch
        return frozenset(self.random.sample(of, self.random.randint(least, len(of))))

    @cached_property
    def waiting(self) -> tuple[Pod, ...]:
        return tuple(pod for pod in self.snapshot.pods if not pod.node_name)

    def pod(self) -> Pod:
        return self.one(self.snapshot.pods)

    def waits(self) -> Pod:
        return self.one(self.waiting)

    def node(self) -> Node:
        return self.one(self.snapshot.nodes)

    def nodes(self) -> tuple[Node, ...]:
        """Some of the nodes, at least one, in order."""
        chosen = self.some(self.snapshot.nodes, 1)
        return tuple(node for node in self.snapshot.nodes if node in chosen)

    def a_resource(self) -> str:
        return self.one(self.records.scale.resources)

    def container(self) -> Container:
        return self.one([each for pod in self.snapshot.pods for each in (*pod.init_containers, *pod.containers)])

    def containers(self) -> tuple[Container, ...]:
        pod = self.pod()
        return self.one((pod.init_containers, pod.containers))

    def labels(self) -> Any:
        return labels(self.random, (*KEYS, "app", "team"), VALUES)

    def requirement(self) -> Requirement:
        return random_scenarios.requirement(self.random)

    def node_term(self) -> NodeSelectorTerm:
        term = random_scenarios.node_term(self.random)
        if self.random.random() < 0.2:
            return replace(term, match_expressions=(Requirement("size", "Gt", ("-1",)),))
        return term

    def naming_term(self) -> NodeSelectorTerm:
        return random_kubernetes.naming_term(self.random)

    def pod_term(self) -> Any:
        return random_scenarios.pod_term(self.random)

    def selector(self) -> Any:
        return random_scenarios.selector(self.random, ("app",))

    def taint(self) -> Any:
        return self.one(TAINTS)

    def toleration(self) -> Any:
        return random_scenarios.toleration(self.random)

    def text(self) -> str:
        return self.one((*VALUES, *NAMESPACES))

    def key(self) -> str:
        return self.one(KEYS)

    def plugin(self) -> str:
        return self.one(
            (
                "NodeAffinity", "NodePorts", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity",
                "NodeDeclaredFeatures",
                "NodeName", "TaintToleration",
            )
        )  # fmt: skip

    # For kube-scheduler's cycle.

    def made(self, pod: Pod) -> Cycle:
        """The cycle of the pod."""
        return cycle(pod, self.snapshot - {pod}, self.plugins)

    def run(self, pod: Pod) -> DryRun:
        return DryRun(self.made(pod))

    def info(self) -> NodeInfo:
        """A node with its pods, possibly after a dry run or two."""
        info = self.one(self.made(Pod("")).infos)
        if info.pods and self.random.random() < 0.5:
            info = info.removed(self.one(info.pods), self.departures)
        # The filters add nominated pods themselves, so these are not on the node already.
        others = [
            pod
            for pod in self.snapshot.pods
            if info.node.name not in (pod.node_name, pod.nominated_node_name) and pod not in info.pods
        ]
        if others and self.random.random() < 0.5:
            info = info.added(self.one(others))
        return info

    def as_it_is(self) -> NodeInfo:
        return self.one(self.made(Pod("")).infos)

    def spread_pod(self) -> Pod:
        """A pending pod with a DoNotSchedule constraint."""
        pod = self.waits()
        if required(pod) and self.random.random() < 0.7:
            return pod
        more = random_kubernetes.spread_constraint(self.random, random_kubernetes.THEMES[7])
        return replace(pod, spread=(*pod.spread, replace(more, required=True)))

    def constraint(self, pod: Pod) -> SpreadConstraint:
        return self.one(required(pod))

    def keyed(self, constraint: SpreadConstraint) -> Node:
        return self.one([node for node in self.snapshot.nodes if constraint.topology_key in node.labels])

    def spread(self) -> SpreadConstraint:
        return replace(
            random_kubernetes.spread_constraint(self.random, random_kubernetes.THEMES[7]),
            topology_key=self.one((HOSTNAME, "zone", ZONE)),
        )

    def evictable(self, pod: Pod) -> NodeInfo:
        """A node with potential victims."""
        return self.one([info for info in self.made(pod).infos if 0 < len(potential_victims(pod, info)) <= 5])

    def order(self, pods: Sequence[Pod]) -> Order:
        """The pods in an order of importance, equally important ones in any order."""
        shuffled = self.random.sample(pods, len(pods))
        return tuple(sorted(shuffled, key=importance))

    def scores(self, *, least: int = 0, most: int = 100) -> dict[str, int]:
        """Scores of some nodes."""
        highest = self.random.choice((least, 10, most))
        return {node.name: self.random.randint(least, max(least, highest)) for node in self.nodes()}

    def by_node(self, scores: Any) -> dict[Node, Any]:
        """Convert a map keyed by node names to one keyed by nodes, as in TLA+."""
        named = {node.name: node for node in self.snapshot.nodes}
        return {named[name]: score for name, score in scores.items()}

    def named(self, names: Any) -> frozenset[Node]:
        return frozenset(node for node in self.snapshot.nodes if node.name in names)

    def less(self, number: int, resource: str) -> int:
        """An amount in smallest units, as in a record."""
        return number // self.records.scale.divisors[resource]

    def billionths(self, number: int, resource: str) -> int:
        """An amount in billionths, as in a record."""
        return self.less(number // (10**6 if resource == "cpu" else 10**9), resource)

    def names_no_node(self) -> Pod:
        """A pending pod, sometimes with terms that name nodes but have none in common."""
        pod = self.waits()
        if self.random.random() < 0.6:
            return pod
        terms = tuple(self.naming_term() for _ in range(self.random.choice((1, 1, 2))))
        return replace(pod, affinity=replace(pod.affinity, node_required=terms))

    def narrowed(self) -> Pod:
        """The same, or a pod that names its node."""
        pod = self.names_no_node()
        return replace(pod, node_name=self.node().name) if self.random.random() < 0.2 else pod

    # For its scores.

    def preference(self) -> PreferredNodeTerm:
        term = NodeSelectorTerm() if self.random.random() < 0.2 else self.node_term()
        return PreferredNodeTerm(self.one((0, 1, 30)), term)

    def prefers(self) -> Pod:
        """A pending pod, sometimes with a preference whose value cannot be compared."""
        pod = self.waits()
        if self.random.random() < 0.5:
            return pod
        return replace(pod, affinity=replace(pod.affinity, node_preferred=(self.preference(),)))

    def soft_pod(self) -> Pod:
        """A pending pod, usually with a ScheduleAnyway constraint of its own."""
        pod = self.waits()
        return replace(pod, spread=(replace(self.spread(), required=False),)) if self.random.random() < 0.8 else pod

    def an_image(self) -> str:
        return self.one((*random_kubernetes.IMAGES, "other"))

    # For placements.

    def few(self) -> frozenset[Pod]:
        """At most two of the pending pods."""
        return frozenset(self.random.sample(self.waiting, self.random.randint(0, min(2, len(self.waiting)))))

    def placement(self) -> Placement:
        return self.one(list(possible_placements(self.few(), self.snapshot)))

    def shape(self) -> tuple[tuple[int, int], ...]:
        """The points of a piecewise linear function."""
        points = sorted(self.random.sample(range(101), self.random.randint(1, 4)))
        assert all(left < right for left, right in pairwise(points))
        return tuple((point, self.random.randint(0, 100)) for point in points)
