"""The steps of Karpenter: `Provisioning`.

Nodes are launched for pending pods, and initialize. Nodes that are empty or can be done without are tainted, replaced by
a cheaper one if need be, drained through the eviction API, and deleted. Time is abstract: consolidateAfter has passed.

Karpenter 1.15: pkg/controllers/provisioning/provisioner.go; pkg/controllers/disruption/queue.go;
pkg/controllers/node/termination/controller.go and terminator/terminator.go.
Differs: the provisioner has seen the cluster before each disruption, so that the nodes it counts on for pending pods are
nominated. A node registers and initializes in one step, and none fails to.

Not modelled: launches that fail, commands that time out, expiration, drift, repair, and terminationGracePeriod.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from schedcheck.model.controllers.disruption import evicted
from schedcheck.model.controllers.karpenter.asking import asking, mirror, of_node
from schedcheck.model.controllers.karpenter.candidates import DISRUPTED, disrupted, evictable
from schedcheck.model.controllers.karpenter.choosing import Choices, every
from schedcheck.model.controllers.karpenter.consolidation import Command, Disrupting, marked
from schedcheck.model.controllers.karpenter.domains import in_flight
from schedcheck.model.controllers.karpenter.hosts import template
from schedcheck.model.controllers.karpenter.launching import initialized, launches
from schedcheck.model.controllers.karpenter.solving import Claim, usage
from schedcheck.model.environment import NodeEvent, PodEvent
from schedcheck.model.provisioning import (
    CAPACITY_TYPE,
    HOSTNAME,
    INSTANCE_TYPE,
    NODE_POOL,
    ZONE,
    Karpenter,
    Pool,
    Progress,
)
from schedcheck.model.scenario import Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.owners import version_and_kind


@dataclass(frozen=True)
class Provision:
    """The launch of nodes for pending pods; each is told with its instance type, zone, capacity type and further labels."""

    nodes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{type(self).__name__}({'; '.join(self.nodes)})"


@dataclass(frozen=True)
class Disrupt:
    """The decision to do without nodes: they are tainted."""

    nodes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.nodes)})"


class RemoveEmpty(Disrupt):
    """The decision to remove empty nodes."""


class Consolidate(Disrupt):
    """The decision to remove nodes whose pods find places on others."""


@dataclass(frozen=True)
class ReplaceNodes(Disrupt):
    """The decision to replace nodes by a cheaper one, which is launched."""

    replacement: str = ""

    def __str__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.nodes)} by {self.replacement})"


class Initialize(NodeEvent):
    """The registration and initialization of a launched node: the scheduler may bind pods to it."""


class EvictForDisruption(PodEvent):
    """An eviction from a node that is drained, through the eviction API."""


class TerminateNode(NodeEvent):
    """The deletion of a drained node."""


Result = TypeVar("Result")
Act = Provision | Disrupt | Initialize | TerminateNode
Change = tuple[Act, tuple[tuple[str, Node | None], ...], Progress]


class Provisioning:
    """The Karpenter of a scenario."""

    def __init__(self, scenario: Scenario, given: Karpenter) -> None:
        self._scenario, self._given = scenario, given
        self._known: dict[tuple[Snapshot, Progress], tuple[Change, ...]] = {}

    def begun(self, pods: tuple[Pod | None, ...]) -> Progress:
        """Return the progress at first: the pods that the input shows as unschedulable."""
        there = (pod for pod in pods if pod is not None and not pod.node_name)
        return Progress(tuple(sorted(pod.key for pod in there if self._given.of(pod).unschedulable)))

    def changes(self, snapshot: Snapshot, progress: Progress) -> tuple[Change, ...]:
        """Return each step that changes nodes: the action, the nodes after it, None for one that is gone, and the progress."""
        known = self._known.get((snapshot, progress))
        if known is None:
            found = (*self._provisioned(snapshot, progress), *self._disrupted(snapshot, progress))
            changes = (*found, *self._lifecycle(snapshot, progress))
            known = self._known[snapshot, progress] = tuple(dict.fromkeys(changes))
        return known

    def evictions(self, snapshot: Snapshot, progress: Progress) -> (
        Iterator[tuple[EvictForDisruption, Pod, Pod | None, tuple[PodDisruptionBudget, ...]]]
    ):  # fmt: skip
        """Yield each eviction from a drained node: the pod, what is left of it, and the budgets after it."""
        for node in snapshot.nodes:
            for pod in self._first(node, snapshot) if self._drained(node, progress) else ():
                if evictable(pod, self._given):
                    for _, left, budgets in evicted(pod, snapshot.budgets, self._scenario):
                        yield EvictForDisruption(str(pod)), pod, left, budgets

    def disrupting(self, snapshot: Snapshot, progress: Progress, choices: Choices) -> Disrupting:
        """Return a look at the cluster with the pods that the scheduler has marked as unschedulable."""
        pending = tuple(pod for pod in snapshot.pods if provisionable(pod, progress))
        return Disrupting(self._given, snapshot, pending, choices)

    def claims(self, snapshot: Snapshot, progress: Progress) -> list[tuple[Claim, ...]]:
        """Return the claims that the provisioner may create at once: none beyond a limit that is exceeded already.

        Karpenter: Provisioner.Create.
        """
        ways = every(lambda choices: self.disrupting(snapshot, progress, choices).simulated(()).claims)
        return [
            tuple(claim for claim in claims if not self._exceeded(claim.pool, snapshot)) for claims in _distinct(ways)
        ]

    def commands(self, snapshot: Snapshot, progress: Progress) -> list[Command]:
        """Return the disruptions that may be next; the replacement is created unless a limit is exceeded."""
        ways = every(lambda choices: self.disrupting(snapshot, progress, choices).command())
        found = [command for command in _distinct(ways) if command is not None]
        return [
            each for each in found if each.replacement is None or not self._exceeded(each.replacement.pool, snapshot)
        ]

    def _provisioned(self, snapshot: Snapshot, progress: Progress) -> Iterator[Change]:
        """Yield the launches for pending pods, and for those that leave drained nodes."""
        for claims in self.claims(snapshot, progress):
            names = self._names(claims, snapshot)
            for made in launches(claims, names, self._given) if claims and names else ():
                nodes = tuple(sorted(made, key=lambda node: node.name))
                yield Provision(tuple(self._told(node) for node in nodes)), _by_name(nodes), progress

    def _disrupted(self, snapshot: Snapshot, progress: Progress) -> Iterator[Change]:
        """Yield the disruptions. Karpenter: Queue.StartCommand."""
        there = {node.name: node for node in snapshot.nodes}
        for command in self.commands(snapshot, progress):
            tainted = tuple((name, marked(there[name])) for name in command.nodes)
            if command.replacement is None:
                action = RemoveEmpty if command.reason == "Empty" else Consolidate
                yield action(command.nodes), tainted, progress
                continue
            names = self._names((command.replacement,), snapshot)
            for (node,) in launches((command.replacement,), names, self._given) if names else ():
                waiting = (*progress.replaced, *((name, node.name) for name in command.nodes))
                after = progress._replace(replaced=tuple(sorted(waiting)))
                yield ReplaceNodes(command.nodes, self._told(node)), (*tainted, (node.name, node)), after

    def _lifecycle(self, snapshot: Snapshot, progress: Progress) -> Iterator[Change]:
        """Yield the initialization of launched nodes, and the deletion of drained ones."""
        for node in snapshot.nodes:
            pool = self._given.pool_of(node)
            if pool is not None and in_flight(node):
                left = tuple(each for each in progress.replaced if each[1] != node.name)
                after = progress._replace(replaced=left)
                yield Initialize(node.name), ((node.name, initialized(node, pool)),), after
            elif self._drained(node, progress) and not self._first(node, snapshot):
                yield TerminateNode(node.name), ((node.name, None),), progress

    def _drained(self, node: Node, progress: Progress) -> bool:
        """Whether the deletion of a node has begun: it is tainted, and does not wait for a replacement."""
        waits = any(name == node.name for name, _ in progress.replaced)
        return disrupted(node) and self._given.pool_of(node) is not None and not waits

    def _first(self, node: Node, snapshot: Snapshot) -> list[Pod]:
        """Return the pods that a drain waits for, of the first group. Karpenter: Drain and groupPodsByPriority."""
        waiting = [pod for pod in snapshot.pods_by_node.get(node.name, ()) if self._waits(pod, node)]
        groups = {self._group(pod) for pod in waiting}
        return [pod for pod in waiting if self._group(pod) == min(groups)]

    def _group(self, pod: Pod) -> tuple[bool, bool]:
        """Return the group of a pod: critical pods last, and within each DaemonSets last."""
        _, kind = version_and_kind(pod.owner[0])
        return self._given.of(pod).critical, kind == "DaemonSet"

    def _waits(self, pod: Pod, node: Node) -> bool:
        """Whether a drain waits for a pod. A terminating one of an unreachable node is given up. Karpenter: IsWaitingEviction."""
        stuck = pod.terminating and node.ready == "Unknown"
        return not completed(pod) and not stuck and not mirror(pod) and not asking(pod).tolerates((DISRUPTED,))

    def _exceeded(self, pool: Pool, snapshot: Snapshot) -> bool:
        """Whether the nodes of a pool that are not to be deleted have more than a limit. Karpenter: Limits.ExceededBy."""
        there = usage(pool, self._given, (node for node in snapshot.nodes if not disrupted(node)))
        return any(there.get(name, 0) > number for name, number in (pool.limits or {}).items())

    def _names(self, claims: tuple[Claim, ...], snapshot: Snapshot) -> tuple[str, ...]:
        """Return the names of the nodes that come for claims, none if the model has not enough of them."""
        taken, names = {node.name for node in snapshot.nodes}, list[str]()
        for claim in claims:
            free = self._given.free_name(claim.pool, taken)
            if free is None:
                return ()
            taken.add(free)
            names.append(free)
        return tuple(names)

    def _told(self, node: Node) -> str:
        """Return what tells a launched node apart: name, instance type, zone, capacity type, and labels that were open."""
        pool, kind = self._given.pool_of(node), self._given.type_of(node)
        assert pool is not None and kind is not None
        of_pool = {key for key, values in template(pool).items() if values.only is not None}
        known = {HOSTNAME, NODE_POOL, INSTANCE_TYPE, ZONE, CAPACITY_TYPE, *kind.labels, *of_pool}
        more = (f"{key}={value}" for key, value in node.labels.items() if key not in known)
        return " ".join((node.name, node.labels[INSTANCE_TYPE], node.labels[ZONE], node.labels[CAPACITY_TYPE], *more))


def provisionable(pod: Pod, progress: Progress) -> bool:
    """Whether a pending pod counts. Karpenter: pkg/utils/pod/scheduling.go, IsProvisionable."""
    waits = not pod.node_name and not pod.nominated_node_name and not of_node(pod)
    return waits and pod.key in progress.unschedulable


def _distinct(ways: Iterator[Result]) -> list[Result]:
    """Return the results that differ, in order."""
    found: list[Result] = []
    for each in ways:
        if each not in found:
            found.append(each)
    return found


def _by_name(nodes: tuple[Node, ...]) -> tuple[tuple[str, Node | None], ...]:
    """Return nodes with their names."""
    return tuple((node.name, node) for node in nodes)
