"""The domain of each change between versions, in the style of `checker/divergences/domains.py`: `OF_CHANGES`."""

from dataclasses import replace
from itertools import combinations_with_replacement

from frozendict import frozendict

from schedcheck.checker.divergences.builders import CPU, DRIVER, bound, containers, nodes, waiting
from schedcheck.checker.divergences.case import GIBIBYTE
from schedcheck.checker.divergences.domain import Domain
from schedcheck.checker.divergences.domains import DOMAINS
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.scores.pod_topology_spread import HOSTNAME
from schedcheck.spec.objects import Container, Node, NodeImage, Pod, Taint, Toleration
from schedcheck.spec.storage import (
    WAIT_FOR_FIRST_CONSUMER,
    ClaimSource,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    ImageSource,
    PersistentVolumeClaim,
    PortworxVolume,
    Storage,
    StorageClass,
    Volume,
)
from schedcheck.spec.terms import LabelSelector
from schedcheck.spec.values import Amounts, Labels


def requesting(cpu: int, memory: bool) -> tuple[Container, ...]:
    """Return one container that requests this many cpus, and 1 GiB of memory or none."""
    amounts = {**({"cpu": cpu * CPU} if cpu else {}), **({"memory": GIBIBYTE * 10**9} if memory else {})}
    return (Container(frozendict(amounts), image="pause"),)


def with_memory(*cpus: int) -> tuple[Node, ...]:
    """Return one node with 4 GiB of memory for each number of cpus."""
    return tuple(
        Node("", allocatable=each.allocatable.set("memory", 4 * GIBIBYTE)) for each in nodes(cpus)
    )  # fmt: skip


def running(*cpus: int) -> tuple[Amounts, ...]:
    """Return what a pod or a container runs with: this many cpus."""
    return tuple(frozendict(cpu=cpu * CPU) for cpu in cpus)


def beside_a_resized_pod(cpus: int, other: str, others: tuple[Pod, ...]) -> Domain:
    """Return the domain of a pod that requests 1 cpu or none, on a node of so many cpus with one of these pods."""
    return Domain(
        f"1 node of {cpus} cpus, and at most 1 other pod{other}; the pod requests 1 cpu or none",
        pending=tuple(waiting(containers=containers(cpu)) for cpu in range(2)),
        nodes=nodes((cpus,)),
        others=others,
        most_others=1,
    )


BALANCED = Domain(
    "2 nodes of 1 to 4 cpus and 4 GiB, and at most 1 other pod; both it and the pod request 0 to 2 cpus, and 1 GiB or no"
    " memory",
    pending=tuple(waiting(containers=requesting(cpu, memory)) for memory in (False, True) for cpu in range(3)),
    nodes=with_memory(1, 2, 3, 4),
    others=tuple(bound(containers=requesting(cpu, memory)) for memory in (False, True) for cpu in range(3)),
    fewest_nodes=2,
    most_nodes=2,
    most_others=1,
)

OWN, MOUNTED = NodeImage(("pause:latest",), GIBIBYTE), NodeImage(("model:1",), GIBIBYTE)

IMAGES = Domain(
    "2 nodes, each with the image of the pod's container, the image `model:1`, both or none, of 1 GiB each; the pod mounts"
    " this image or none",
    pending=(waiting(), waiting(volumes=(Volume("model", ImageSource("model:1")),))),
    nodes=tuple(
        Node("", allocatable=nodes()[0].allocatable, images=held) for held in ((), (OWN,), (MOUNTED,), (MOUNTED, OWN))
    ),
    fewest_nodes=2,
    most_nodes=2,
    most_others=0,
)

PREEMPTING = Domain(
    "1 node of 1 cpu and at most 1 other pod, which requests 1 or none; the pod requests 1; both have priority 0 or 1",
    pending=tuple(waiting(priority=priority, containers=containers(1)) for priority in (0, 1)),
    nodes=nodes((1,)),
    others=tuple(bound(priority=priority, containers=containers(cpu)) for priority in (0, 1) for cpu in (0, 1)),
    most_others=1,
)

RESIZED_AS_A_WHOLE = beside_a_resized_pod(
    2,
    ", which as a whole requests 1 cpu and runs with 1 or 2, or with an unknown amount",
    tuple(bound(pod_requests=frozendict(cpu=CPU), pod_actual=runs) for runs in (None, *running(1, 2))),
)

RESIZED = beside_a_resized_pod(
    4,
    " with two containers, each of which requests 1 or 2 cpus and runs with 1 or 2",
    tuple(
        bound(containers=(one, other))
        for one, other in combinations_with_replacement(
            [replace(containers(asks)[0], actual=runs) for asks in (1, 2) for runs in running(1, 2)], 2
        )
    ),
)

FEATURE = frozenset({"RestartAllContainersOnContainerExits"})

DECLARED = Domain(
    "at most 2 nodes, which declare the feature RestartAllContainersOnContainerExits or not; the pod requires it, as its"
    " container has a restart policy rule with this action, or not",
    pending=(waiting(), waiting(required_features=FEATURE)),
    nodes=tuple(
        Node("", allocatable=nodes()[0].allocatable, declared_features=features) for features in (frozenset(), FEATURE)
    ),
    most_nodes=2,
    most_others=0,
)

CLAIM = (Volume("data", ClaimSource("data")),)
MADE = StorageClass("made", DRIVER, WAIT_FOR_FIRST_CONSUMER)


def lacking(required: bool, there: bool) -> Storage:
    """Return a claim whose class is of a driver that the node has or lacks, and whether its CSIDriver requires it."""
    return Storage(
        claims=(PersistentVolumeClaim("data", access_modes=("ReadWriteOnce",), storage_class=MADE.name),),
        classes=(MADE,),
        nodes=(CSINode("node-1", frozenset({DRIVER} if there else ())),),
        drivers=(CSIDriver(DRIVER, required_on_nodes=required),),
    )


DRIVERS = Domain(
    "1 node whose CSINode lists a driver or not, the CSIDriver, with preventPodSchedulingIfMissing or without it, and 1"
    " claim of a class of the driver, which waits for its first consumer; the pod uses the claim or none",
    pending=(waiting(), waiting(volumes=CLAIM)),
    nodes=nodes(),
    storages=tuple(lacking(required, there) for required in (False, True) for there in (True, False)),
    most_others=0,
)


def left_at(node: str, size: int) -> CSIStorageCapacity:
    """Return that this many GiB are left for the class on the node."""
    selector = LabelSelector(frozendict({HOSTNAME: node}))
    return CSIStorageCapacity(
        f"at-{node}", storage_class=MADE.name, node_topology=selector, capacity=size * GIBIBYTE
    )  # fmt: skip


def published(first: int, second: int, publishes: bool) -> Storage:
    """Return a claim of 1 GiB, and what is left for its class on two nodes, if the driver publishes it, in GiB."""
    claim = PersistentVolumeClaim("data", access_modes=("ReadWriteOnce",), request=GIBIBYTE, storage_class=MADE.name)
    return Storage(
        claims=(claim,),
        classes=(MADE,),
        drivers=(CSIDriver(DRIVER, storage_capacity=publishes),),
        capacities=(left_at("node-1", first), left_at("node-2", second)),
    )


CAPACITIES = Domain(
    "2 nodes with a host name, 1 claim of 1 GiB of a class, which waits for its first consumer, the CSIDriver of the class,"
    " which publishes its capacity or not, and for each node a capacity of 1 to 3 GiB; the pod uses the claim or none",
    pending=(waiting(), waiting(volumes=CLAIM)),
    nodes=nodes(labels=frozendict({HOSTNAME: ""})),
    storages=tuple(
        published(first, second, publishes)
        for publishes in (False, True)
        for first in range(1, 4)
        for second in range(first, 4)
    ),
    fewest_nodes=2,
    most_nodes=2,
    most_others=0,
)

ON_PORTWORX = tuple((Volume("data", PortworxVolume(name)),) for name in ("one", "two"))
PORTWORX_DRIVER, PORTWORX_PLUGIN = "pxd.portworx.com", "kubernetes.io/portworx-volume"


def attaching(most: int, migrated: bool) -> Storage:
    """Return a CSINode whose Portworx driver attaches at most `most` volumes; `migrated`: it has the annotation."""
    return Storage(
        nodes=(
            CSINode(
                "node-1",
                frozenset({PORTWORX_DRIVER}),
                frozendict({PORTWORX_DRIVER: most}),
                frozenset({PORTWORX_PLUGIN} if migrated else ()),
            ),
        )
    )


PORTWORX = Domain(
    "1 node to which the driver of Portworx attaches at most 1 or 2 volumes, whose CSINode has the annotation that the"
    " in-tree plugin is migrated or lacks it, and at most 2 other pods; all pods use one of 2 volumes or none",
    pending=tuple(waiting(volumes=volumes) for volumes in ((), *ON_PORTWORX)),
    nodes=nodes(),
    others=tuple(bound(volumes=volumes) for volumes in ((), *ON_PORTWORX)),
    storages=tuple(attaching(most, migrated) for migrated in (True, False) for most in (1, 2)),
)

DEDICATED: tuple[Taint, ...] = (Taint("dedicated", "NoSchedule"),)
NOTHING: Labels = frozendict()

TAINTED = Domain(
    "at most 2 nodes, with the taint `dedicated` or without; the pod tolerates it or not",
    pending=(waiting(), waiting(tolerations=(Toleration("dedicated", "Exists"),))),
    nodes=tuple(Node("", NOTHING, nodes()[0].allocatable, taints) for taints in ((), DEDICATED)),
    most_nodes=2,
    most_others=0,
)

CORDONED = Domain(
    "at most 2 nodes, cordoned or not; the pod requests nothing",
    pending=(waiting(),),
    nodes=tuple(replace(each, unschedulable=cordoned) for each in nodes() for cordoned in (False, True)),
    most_nodes=2,
    most_others=0,
)

OF_CHANGES: frozendict[Departure, Domain] = frozendict(
    {
        Departure.UNTOLERATED_TAINT_NAMED: TAINTED,
        Departure.BALANCED_WITH_THE_POD_ALONE: BALANCED,
        Departure.IMAGE_VOLUMES_UNRATED: IMAGES,
        Departure.DECLARED_FEATURES_IGNORED: DECLARED,
        Departure.POD_LEVEL_STATUS_IGNORED: RESIZED_AS_A_WHOLE,
        Departure.PORTWORX_BY_ANNOTATION: PORTWORX,
        Departure.GREATEST_OF_EACH_CONTAINER: RESIZED,
        Departure.NAMESPACE_SELECTOR_ON_NO_LABELS: DOMAINS[Departure.NAMESPACE_SELECTOR_ON_NO_LABELS],
        Departure.IMAGE_VOLUMES_UNCOUNTED: IMAGES,
        Departure.NOMINATION_UNMENTIONED: PREEMPTING,
        Departure.IDLE_CLAIMS_MENTIONED: CORDONED,
        Departure.MISSING_DRIVERS_IGNORED: DRIVERS,
        Departure.STORAGE_CAPACITY_UNRATED: CAPACITIES,
        Departure.LATER_BUDGETS_UNCHARGED: DOMAINS[Departure.LATER_BUDGETS_UNCHARGED],
    }
)
"""The domain of each departure that tells versions apart."""
