"""Clusters for the benchmark of scheduling: `Cluster`, whose `started` scheduler knows all nodes and bound pods."""

import time
from dataclasses import dataclass, replace
from itertools import count
from typing import NamedTuple

from frozendict import frozendict

from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Container, Node, Pod, SpreadConstraint
from schedcheck.spec.terms import Affinity, LabelSelector, PodAffinityTerm, PreferredPodTerm
from schedcheck.spec.values import Labels

HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
UNIT = 10**9
COPIES = 10
"""The number of pods of each application in the kind "anti-affinity of many"."""


class Deaf:
    """An API server that accepts every call and changes nothing."""

    def bind(self, pod: Pod, node: str) -> None:
        pass

    def nominate(self, pod: Pod, node: str) -> None:
        pass

    def evict(self, pod: Pod, preemptor: Pod) -> None:
        pass


def requesting(pod: Pod, cpu: float) -> Pod:
    requests = frozendict(cpu=round(cpu * UNIT), memory=200 * 2**20 * UNIT)
    return replace(pod, containers=(Container(requests),))


def of(app: str) -> Pod:
    return Pod("", labels=frozendict(app=app))


def labelled(app: str, constraints: int) -> frozendict[str, str]:
    """Return labels with `constraints` keys, by each of which the pods of an application can be selected."""
    return frozendict({"app": app, **{f"label-{i}": app for i in range(1, constraints)}})


def selectors(labels: Labels) -> list[LabelSelector]:
    """Return one selector for each of the labels."""
    return [LabelSelector(frozendict({key: value})) for key, value in labels.items()]


def avoiding(labels: Labels) -> Pod:
    terms = tuple(PodAffinityTerm(HOSTNAME, selector) for selector in selectors(labels))
    return Pod("", labels=labels, affinity=Affinity(anti_required=terms))


def preferring(labels: Labels) -> Pod:
    terms = tuple(PreferredPodTerm(1, PodAffinityTerm(HOSTNAME, selector)) for selector in selectors(labels))
    return Pod("", labels=labels, affinity=Affinity(pod_preferred=terms))


def spread(labels: Labels) -> Pod:
    rules = tuple(SpreadConstraint(5, ZONE, selector=selector) for selector in selectors(labels))
    return Pod("", labels=labels, spread=rules)


class Shapes(NamedTuple):
    """A bound pod and a pending pod, both without a name."""

    bound: Pod
    asked: Pod


@dataclass(frozen=True)
class Cluster:
    """A cluster of a kind: numbers of nodes and of bound pods, spread evenly, and of constraints of each pod."""

    kind: str
    nodes: int
    pods: int
    constraints: int = 1

    def shapes(self, number: int) -> Shapes:
        """Return the bound pod and the pending pod of this number."""
        labels = labelled("a", self.constraints)
        match self.kind:
            case "plain":
                return Shapes(of("other"), of("a"))
            case "topology spread":
                return Shapes(spread(labels), spread(labels))
            case "anti-affinity":
                return Shapes(of("other"), avoiding(labels))
            case "anti-affinity of all":
                # Nine in ten nodes have a pod of each application.
                return self._apart(number, self.nodes * 9 // 10)
            case "anti-affinity of many":
                return self._apart(number, COPIES)
            case "preferred affinity":
                return Shapes(preferring(labels), preferring(labels))
            case "preemption":
                return Shapes(of("other"), replace(of("a"), priority=10))
        raise ValueError(self.kind)

    def _apart(self, number: int, copies: int) -> Shapes:
        """Return pods with anti-affinity to their application; pending ones take the applications in mixed order."""
        apps = max(self.pods // copies, 1)
        bound, asked = f"a{number // copies}", f"a{number * 7919 % apps}"
        return Shapes(avoiding(labelled(bound, self.constraints)), avoiding(labelled(asked, self.constraints)))

    def started(self, plugins: Plugins = DEFAULT_PLUGINS) -> "Started":
        """Return a scheduler with these plugins that was told of the whole cluster and has taken a snapshot of it."""
        scheduler = Scheduler(
            default_registry(), [plugins], Deaf(), time.monotonic, percentage=100, asynchronous_preemption=False
        )
        told = Delivery(scheduler)
        nodes, bound = self.objects()
        for each in nodes:
            told.node(None, each)
        for pod in bound:
            told.pod(None, pod)
        scheduler.cache.update(scheduler.handle.snapshot)
        return Started(self, scheduler, told)

    @property
    def full(self) -> bool:
        """Whether the bound pods leave no room."""
        return self.kind == "preemption"

    def objects(self) -> tuple[list[Node], list[Pod]]:
        """Return the nodes and the bound pods."""
        allocatable = frozendict(cpu=4000 if self.full else 32000, memory=64 * 2**30, pods=110)
        nodes = [
            Node(f"n{i}", frozendict({HOSTNAME: f"n{i}", ZONE: f"z{i % 3}"}), allocatable) for i in range(self.nodes)
        ]
        # The pods together fill a node; without them no pod of lower priority could make room.
        each = 4 / (self.pods // self.nodes) if self.full else 0.1
        shapes = (self.shapes(i).bound for i in range(self.pods))
        bound = [
            requesting(replace(shape, name=f"b{i}", start_time=i, node_name=f"n{i % self.nodes}"), each)
            for i, shape in enumerate(shapes)
        ]
        return nodes, bound

    def pending(self, number: int) -> Pod:
        """Return the pending pod of this number."""
        return requesting(replace(self.shapes(number).asked, name=f"q{number}"), 3 if self.full else 0.1)


class Rate(NamedTuple):
    """Pods a second by the clock, and by the processor time of this process, which other processes do not affect."""

    clock: float
    own: float


class Started:
    """A running scheduler, and pending pods that are new to it."""

    def __init__(self, cluster: Cluster, scheduler: Scheduler, told: Delivery) -> None:
        self._cluster, self._scheduler, self._told = cluster, scheduler, told
        self._numbers = count()

    def rate(self, pods: int, *, alone: bool = False) -> Rate:
        """Return the rate at which `pods` new pods are scheduled and, if a node is found, bound.

        With `alone` each pod is deleted after its cycle, so that it leaves no nomination; only the cycles are timed.
        """
        asked = [self._cluster.pending(next(self._numbers)) for _ in range(pods)]
        clock = own = 0.0
        for some in ([each] for each in asked) if alone else (asked,):
            for each in some:
                self._told.pod(None, each)
            start, busy = time.perf_counter(), time.process_time()
            self.tried(len(some))
            clock, own = clock + time.perf_counter() - start, own + time.process_time() - busy
            for each in some if alone else ():
                self._told.pod(each, None)
        return Rate(pods / clock, pods / own)

    def tried(self, pods: int) -> None:
        """Run `pods` scheduling cycles, with their binding cycles."""
        for _ in range(pods):
            binding = self._scheduler.schedule_one()
            if binding is not None:
                self._scheduler.finish(binding)
