"""Places of pods in a simulated cluster: `places`, `placed`, `moves`, and what is told apart there: `alike`, `kinds`, `interplay`.

Cluster autoscaler 1.34: simulator/scheduling/hinting_simulator.go and simulator/clustersnapshot/predicate/plugin_runner.go.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, combinations
from typing import TypeVar

from schedcheck.model.controllers.node_pools.draining import marked
from schedcheck.model.pooling import NO_FACTS, REMOVED, Key, NodePools, PodFacts, daemon
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.filter import FILTERS, feasible, refusals, verdicts
from schedcheck.spec.kubernetes.filters.pod_topology_spread import UNEQUAL, required
from schedcheck.spec.objects import Container, Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.values import NO_AMOUNTS

LASTING = frozenset(
    {"NodeUnschedulable", "NodeName", "TaintToleration", "NodeAffinity", "NodePorts", "NodeResourcesFit"}
)
"""The filters that go on rejecting a node while pods come to it and none leaves it."""

Thing = TypeVar("Thing")
Counts = tuple[tuple[int, str], ...]


def places(pod: Pod, nodes: Iterable[Node], there: Snapshot, profile: Profile) -> tuple[Node, ...]:
    """Return those of the nodes that take a pod by the filters; the simulation may choose each of them.

    It takes the node that it remembers for the pod, or the next that fits, from where it stopped last. Both depend on the
    past, and the order of the nodes on hash tables.

    Cluster autoscaler 1.34: simulator/clustersnapshot/predicate/plugin_runner.go, RunFiltersUntilPassingNode.
    """
    names = feasible(taken_up(pod, there, by_scheduler_name(pod, profile.plugins)))
    return tuple(node for node in nodes if node.name in names)


def placed(pod: Pod, node: Node, there: Snapshot) -> Snapshot:
    """Return the snapshot with a pod placed on a node."""
    others = (each for each in there.pods if each.key != pod.key)
    moved = replace(pod, node_name=node.name, nominated_node_name="")
    return replace(there, pods=tuple(sorted((*others, moved), key=lambda each: each.key)))


def with_node(there: Snapshot, node: Node) -> Snapshot:
    """Return the snapshot with one more node, in the order of names."""
    return replace(there, nodes=tuple(sorted((*there.nodes, node), key=lambda each: each.name)))


def without_node(there: Snapshot, name: str) -> Snapshot:
    """Return the snapshot without a node and the pods on it."""
    left = there - frozenset(there.pods_by_node.get(name, ()))
    return replace(left, nodes=tuple(node for node in there.nodes if node.name != name))


def form(pod: Pod) -> Pod:
    """Return a pod without its name and its status: its labels, its spec and its controller.

    Cluster autoscaler 1.34: utils/utils.go, PodSpecSemanticallyEqual.
    """
    return replace(
        pod,
        name="",
        uid="",
        phase="",
        node_name="",
        nominated_node_name="",
        start_time=None,
        terminating=False,
        preempted=False,
        resize_infeasible=False,
        restarts=(0, 0),
        pod_allocated=NO_AMOUNTS,
        pod_actual=None,
        init_containers=tuple(map(_asked, pod.init_containers)),
        containers=tuple(map(_asked, pod.containers)),
    )


def _asked(container: Container) -> Container:
    """Return a container without its status."""
    return replace(container, allocated=NO_AMOUNTS, actual=None)


def alike(pod: Pod, other: Pod) -> bool:
    """Whether two pods have one controller, which is no DaemonSet, and the same labels and spec.

    Cluster autoscaler 1.34: simulator/scheduling/similar_pods.go; core/scaleup/equivalence/groups.go.
    Differs: ten forms of one controller at most are compared there.
    """
    return pod.owner[0] != "" and not daemon(pod, NO_FACTS) and form(pod) == form(other)


def kinds(pods: Iterable[Pod], pools: NodePools) -> dict[Key, int]:
    """Return a number for each pod, by its key: one for all that differ by their names and status alone."""
    numbers: dict[tuple[Pod, PodFacts], int] = {}
    return {pod.key: numbers.setdefault((form(pod), pools.of(pod)), len(numbers)) for pod in pods}


def one_of_each(pods: tuple[Pod, ...], kind: Mapping[Key, int]) -> tuple[Pod, ...]:
    """Return the first of the pods of each kind."""
    return tuple({kind[pod.key]: pod for pod in reversed(pods)}.values())[::-1]


def counted(pods: Iterable[Pod], kind: Mapping[Key, int]) -> Counts:
    """Return how many pods of each kind are on which node, as a value."""
    return tuple(sorted((kind[pod.key], pod.node_name) for pod in pods))


def moves(pods: tuple[Pod, ...], name: str, there: Snapshot, profile: Profile, pools: NodePools) -> Iterator[Snapshot]:
    """Yield the snapshot without a node, its pods placed on others one after the other; nothing if one finds no place.

    The node has lost all its pods meanwhile. It is tainted, so that it still counts as a domain until they are placed. In
    1.32.3 to 1.32.7, 1.33.0 to 1.33.4, 1.34.0 to 1.34.3 and 1.35.0 it is gone (`drained` is "removed"). Before 1.32.3 it
    stayed without a taint, which is not modelled.

    Cluster autoscaler 1.34: simulator/cluster.go, findPlaceFor and replaceWithTaintedGhostNode.
    Differs: the order of the pods is that of a list in a cache, so that any is possible.
    """
    node = next(each for each in there.nodes if each.name == name)
    left = without_node(there, name)
    ghost = replace(marked(node), unschedulable=node.unschedulable)
    around = left if pools.drained == REMOVED else with_node(left, ghost)
    unplaced = tuple(replace(pod, node_name="") for pod in pods)
    moving = Moving(left.nodes, profile, kinds(unplaced, pools))
    for found in moving.ways(unplaced, (), around):
        yield without_node(found, name)


class Moving:
    """The placement of pods on these nodes, in every order; pods of one kind count as equal."""

    def __init__(self, nodes: tuple[Node, ...], profile: Profile, kind: Mapping[Key, int]) -> None:
        self._nodes, self._profile, self._kind = nodes, profile, kind
        self._tried: set[Counts] = set()

    def ways(self, pods: tuple[Pod, ...], done: tuple[Pod, ...], there: Snapshot) -> Iterator[Snapshot]:
        """Yield the snapshot with all of these pods placed, the next of them and its node being any."""
        here = counted(done, self._kind)
        if here in self._tried:
            return
        self._tried.add(here)
        if not pods:
            yield there
        for pod in one_of_each(pods, self._kind):
            rest = tuple(each for each in pods if each is not pod)
            for node in places(pod, self._nodes, there, self._profile):
                on = replace(pod, node_name=node.name)
                yield from self.ways(rest, (*done, on), placed(pod, node, there))


def too_uneven(pod: Pod, node: Node, there: Snapshot, profile: Profile) -> bool:
    """Whether the first filter that rejects a node does so because pods would be spread too unevenly.

    Cluster autoscaler 1.34: estimator/binpacking_estimator.go, hasTopologyConstraintError.
    """
    refusal = verdicts(taken_up(pod, there, by_scheduler_name(pod, profile.plugins)))[node.name].refusal
    return refusal is not None and UNEQUAL in refusal.reasons


def interplay(pods: Iterable[Pod], there: Snapshot, profile: Profile) -> bool:
    """Whether a place may be open to one of these pods because other pods have moved, or other nodes are gone.

    So it may be with spreading, with affinity between pods and with volumes; with ports and requests it never is.
    """
    plugins = {name for each in profile.plugins for name in each.at("filter")}
    return (
        not plugins <= FILTERS.keys()
        or any(each.affinity.anti_required for each in there.pods)
        or any(required(pod) or pod.affinity.pod_required or pod.volumes for pod in pods)
    )


def homeless(pod: Pod, nodes: Iterable[Node], there: Snapshot, profile: Profile) -> bool:
    """Whether each of the nodes rejects a pod for what moves of other pods can only make worse: its requests, for example."""
    cycle = taken_up(pod, there, by_scheduler_name(pod, profile.plugins))
    names = {node.name for node in nodes}
    infos = (info for info in cycle.infos if info.node.name in names)
    return all(any(refusal.plugin in LASTING for refusal in refusals(cycle, info)) for info in infos)


def subsets(things: Iterable[Thing]) -> Iterator[tuple[Thing, ...]]:
    """Yield the subsets of some things, the smaller ones first."""
    given = tuple(things)
    return chain.from_iterable(combinations(given, size) for size in range(len(given) + 1))
