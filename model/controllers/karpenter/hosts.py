"""What takes pods in a simulation: existing nodes, `ExistingNode`, and nodes that are to come, `NewClaim`.

Karpenter 1.15: pkg/controllers/provisioning/scheduling/existingnode.go and nodeclaim.go.

Not modelled: DaemonSets, host ports, volumes, devices, reserved capacity and minValues.
"""

from collections.abc import Mapping

from schedcheck.model.controllers.karpenter.asking import Asking, amounts
from schedcheck.model.controllers.karpenter.choosing import Choices
from schedcheck.model.controllers.karpenter.domains import in_flight, taints_of, type_requirements
from schedcheck.model.controllers.karpenter.requirements import (
    Requirements,
    compatible,
    intersect,
    joined,
    of_expressions,
    of_labels,
    one_of,
)
from schedcheck.model.controllers.karpenter.topology import Topology
from schedcheck.model.provisioning import (
    CAPACITY_TYPE,
    HOSTNAME,
    INITIALIZED,
    NODE_POOL,
    REGISTERED,
    ZONE,
    InstanceType,
    Karpenter,
    Offering,
    Pool,
)
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod, Snapshot, Taint

UNREGISTERED = Taint("karpenter.sh/unregistered", "NoExecute")
"""The taint of a node that has been launched, until it initializes."""
EPHEMERAL = (
    Taint("node.kubernetes.io/not-ready", "NoSchedule"),
    Taint("node.kubernetes.io/not-ready", "NoExecute"),
    Taint("node.kubernetes.io/unreachable", "NoSchedule"),
    UNREGISTERED,
)
"""The taints that are overlooked on a node in flight. Karpenter: pkg/scheduling/taints.go, KnownEphemeralTaints."""


def fits(wanted: Mapping[str, int], there: Mapping[str, int]) -> bool:
    """Whether an amount fits; nothing does if some resource is exceeded. Karpenter: pkg/utils/resources, Fits."""
    return all(number >= 0 for number in there.values()) and all(
        number <= there.get(name, 0) for name, number in wanted.items()
    )


class ExistingNode:
    """A node of the cluster, in flight or not."""

    def __init__(self, node: Node, snapshot: Snapshot, given: Karpenter, topology: Topology) -> None:
        self.node, self._topology = node, topology
        pool = given.pool_of(node)
        # A node in flight has the taints of its claim, which are those of the pool.
        coming = pool is not None and in_flight(node)
        passing = (*EPHEMERAL, *pool.startup_taints) if pool is not None and coming else ()
        taints = pool.taints if pool is not None and coming else taints_of(node)
        self.taints = tuple(each for each in taints if not any(_same(each, other) for other in passing))
        self._left = dict(node.allocatable)
        for pod in snapshot.pods_by_node.get(node.name, ()):
            self._take(pod) if not completed(pod) else None
        host = node.labels.get(HOSTNAME) or node.name
        self._requirements: Requirements = joined(of_labels(node.labels), {HOSTNAME: one_of(host)})
        self.pods: list[Pod] = []
        topology.register(host)

    def takes(self, asked: Asking, choices: Choices) -> bool:
        """Whether the node takes a pod; if so, it is placed there. Karpenter: CanAdd and Add."""
        wants = asked.requirements
        if not asked.tolerates(self.taints) or not fits(amounts(asked.pod), self._left):
            return False
        if not compatible(self._requirements, wants):
            return False
        made = joined(self._requirements, wants)
        narrowed = self._topology.narrowed(asked, self.taints, made, choices)
        if narrowed is None or not compatible(made, narrowed):
            return False
        self._requirements = joined(made, narrowed)
        self._topology.record(asked.pod, self.taints, self._requirements)
        self._take(asked.pod)
        self.pods.append(asked.pod)
        return True

    def _take(self, pod: Pod) -> None:
        """Subtract what a pod requests, of the resources that the node has."""
        for name, number in amounts(pod).items():
            if name in self._left:
                self._left[name] -= number


class NewClaim:
    """A node that is to come, with the instance types that are left for it."""

    def __init__(self, pool: Pool, types: tuple[InstanceType, ...], host: str, given: Karpenter, of: Topology) -> None:
        self.pool, self.types, self.host = pool, types, host
        self._given, self._topology = given, of
        self._requests: dict[str, int] = {}
        self.requirements: Requirements = joined(template(pool), {HOSTNAME: one_of(host)})
        self.pods: list[Pod] = []

    def takes(self, asked: Asking, choices: Choices) -> bool:
        """Whether the node would take a pod; if so, it is placed there. Karpenter: CanAdd and Add."""
        wants, known = asked.requirements, self._given.well_known
        if not asked.tolerates(self.pool.taints) or not compatible(self.requirements, wants, known):
            return False
        made = joined(self.requirements, wants)
        narrowed = self._topology.narrowed(asked, self.pool.taints, made, choices)
        if narrowed is None or not compatible(made, narrowed, known):
            return False
        made = joined(made, narrowed)
        own = amounts(asked.pod)
        total = {name: self._requests.get(name, 0) + own.get(name, 0) for name in (*self._requests, *own)}
        types = left(self.types, made, total, self._given)
        if not types:
            return False
        self.types, self._requests, self.requirements = types, total, made
        self._topology.register(self.host)
        self._topology.record(asked.pod, self.pool.taints, made)
        self.pods.append(asked.pod)
        return True


def template(pool: Pool) -> Requirements:
    """Return what the nodes of a pool have. Karpenter: nodeclaimtemplate.go, NewNodeClaimTemplate."""
    key, value = pool.node_class
    labels = {**pool.labels, NODE_POOL: pool.name, key: value, REGISTERED: "true", INITIALIZED: "true"}
    return joined(of_expressions(pool.requirements), of_labels(labels))


def left(
    types: tuple[InstanceType, ...], requirements: Requirements, total: Mapping[str, int], given: Karpenter
) -> tuple[InstanceType, ...]:
    """Return the instance types that fit. Karpenter: filterInstanceTypesByRequirements."""
    return tuple(
        each
        for each in types
        if intersect(type_requirements(each, given), requirements)
        and fits(total, each.allocatable)
        and any(offering.available for offering in compatible_offerings(each, requirements, given))
    )


def compatible_offerings(each: InstanceType, requirements: Requirements, given: Karpenter) -> list[Offering]:
    """Return the offerings of an instance type that requirements allow. Karpenter: Offerings.Compatible."""
    return [
        offering
        for offering in each.offerings
        if compatible(
            requirements,
            {ZONE: one_of(offering.zone), CAPACITY_TYPE: one_of(offering.capacity_type)},
            given.well_known,
        )
    ]


def _same(taint: Taint, other: Taint) -> bool:
    """Whether two taints have the same key and effect. Kubernetes: Taint.MatchTaint."""
    return (taint.key, taint.effect) == (other.key, other.effect)
