"""The fields that each profile ignores, declared in one place: `OF_PODS`, `OF_NODES`, `told_pod`, `told_node`,
`not_looked_at`.

An aspect is a field of the input that some scheduler reads and another one does not. Fields that neither any profile
nor kube-scheduler reads, such as limits or the conditions of nodes, are no aspects.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Container, Node, Pod
from schedcheck.spec.schedulers import CLASSIC, PUBLISHED, VARIANTS, Scheduler
from schedcheck.spec.terms import NO_AFFINITY
from schedcheck.spec.values import NO_AMOUNTS, NO_LABELS

if TYPE_CHECKING:
    from schedcheck.manifests.objects import Cluster

MOST_NAMED = 3

Unseen = tuple[str, int, tuple[str, ...]]
"""An ignored field, the number of objects that have it, and the names of the first of them."""


@dataclass(frozen=True)
class OfPod:
    """A field of pods that the schedulers `unseen` ignore: whether a pod has it, and the pod without it."""

    field: str
    unseen: frozenset[Scheduler]
    given: Callable[[Pod], bool]
    without: Callable[[Pod], Pod]


@dataclass(frozen=True)
class OfNode:
    """A field of nodes that the schedulers `unseen` ignore, unless the fault `but_for` of the published model is on."""

    field: str
    unseen: frozenset[Scheduler]
    given: Callable[[Node], bool]
    without: Callable[[Node], Node]
    but_for: str = ""


def _of_containers(change: Callable[[Container], Container]) -> Callable[[Pod], Pod]:
    """Return the function that changes every container of a pod."""
    return lambda pod: replace(
        pod,
        init_containers=tuple(map(change, pod.init_containers)),
        containers=tuple(map(change, pod.containers)),
    )


def _some_container(given: Callable[[Container], bool]) -> Callable[[Pod], bool]:
    """Return the predicate whether some container of a pod satisfies `given`."""
    return lambda pod: any(map(given, (*pod.init_containers, *pod.containers)))


MODEL = frozenset({PUBLISHED})
EARLY = frozenset({CLASSIC})
BEFORE = MODEL | EARLY

OF_PODS = (
    OfPod(
        "spec.containers[*].ports[*].hostPort", MODEL,
        _some_container(lambda each: bool(each.ports)), _of_containers(lambda each: replace(each, ports=())),
    ),
    OfPod("spec.topologySpreadConstraints", BEFORE, lambda pod: bool(pod.spread), lambda pod: replace(pod, spread=())),
    OfPod(
        "spec.volumes", MODEL,
        lambda pod: any(each.source is not None for each in pod.volumes), lambda pod: replace(pod, volumes=()),
    ),
    OfPod(
        "spec.resourceClaims", BEFORE,
        lambda pod: bool(pod.resource_claims), lambda pod: replace(pod, resource_claims=()),
    ),
    OfPod("spec.workloadRef", BEFORE, lambda pod: pod.workload is not None, lambda pod: replace(pod, workload=None)),
    OfPod(
        "spec.schedulingGroup", BEFORE,
        lambda pod: bool(pod.scheduling_group), lambda pod: replace(pod, scheduling_group=""),
    ),
    OfPod("spec.overhead", EARLY, lambda pod: bool(pod.overhead), lambda pod: replace(pod, overhead=NO_AMOUNTS)),
    OfPod(
        "spec.resources.requests", EARLY, lambda pod: bool(pod.pod_requests),
        lambda pod: replace(pod, pod_requests=NO_AMOUNTS),
    ),
    OfPod(
        "spec.initContainers[*].restartPolicy", EARLY,
        _some_container(lambda each: each.sidecar), _of_containers(lambda each: replace(each, sidecar=False)),
    ),
    OfPod(
        "status.containerStatuses[*].resources", BEFORE,
        _some_container(lambda each: each.actual is not None or bool(each.allocated)),
        _of_containers(lambda each: replace(each, allocated=NO_AMOUNTS, actual=None)),
    ),
    OfPod(
        "status.resources", BEFORE,
        lambda pod: pod.pod_actual is not None or bool(pod.pod_allocated),
        lambda pod: replace(pod, pod_allocated=NO_AMOUNTS, pod_actual=None),
    ),
    OfPod(
        "status.conditions[type=PodResizePending]", BEFORE,
        lambda pod: pod.resize_infeasible, lambda pod: replace(pod, resize_infeasible=False),
    ),
    OfPod(
        "status.conditions[type=DisruptionTarget]", BEFORE,
        lambda pod: pod.preempted, lambda pod: replace(pod, preempted=False),
    ),
    OfPod(
        "status.nominatedNodeName", MODEL,
        lambda pod: bool(pod.nominated_node_name), lambda pod: replace(pod, nominated_node_name=""),
    ),
    OfPod(
        "status.startTime", MODEL, lambda pod: pod.start_time is not None, lambda pod: replace(pod, start_time=None)
    ),
)  # fmt: skip

OF_NODES = (
    OfNode(
        "status.declaredFeatures", BEFORE,
        lambda node: bool(node.declared_features), lambda node: replace(node, declared_features=frozenset()),
    ),
    OfNode("status.images", MODEL, lambda node: bool(node.images), lambda node: replace(node, images=())),
    OfNode(
        "spec.taints[effect=PreferNoSchedule]", MODEL,
        lambda node: any(each.effect == "PreferNoSchedule" for each in node.taints),
        lambda node: replace(node, taints=tuple(each for each in node.taints if each.effect != "PreferNoSchedule")),
        but_for="soft-taint-filters",
    ),
)  # fmt: skip


def told_pod(pod: Pod, profile: str) -> Pod:
    """Return the pod without the fields that a profile of the published model ignores.

    Pods that differ only in those fields become interchangeable. The fields that the published model rates are kept;
    those that change no answer of its profiles are dropped too.
    """
    for aspect in OF_PODS:
        if VARIANTS[profile].scheduler in aspect.unseen and aspect.given(pod):
            pod = aspect.without(pod)
    return replace(
        _of_containers(lambda each: replace(each, image=""))(pod),
        volumes=(),
        host_network=False,
        scheduling_gates=(),
        empty_node_selector=False,
        annotated_affinity=NO_AFFINITY,
        owner_uid="",
        required_features=frozenset(),
    )


def told_node(node: Node) -> Node:
    """Return the node without the fields that the published model ignores, whatever faults are on."""
    return replace(node, images=(), capacity=NO_AMOUNTS, conditions=NO_LABELS, avoids=(), declared_features=frozenset())


def not_looked_at(cluster: "Cluster", profile: str, faults: Iterable[str] = ()) -> tuple[Unseen, ...]:
    """Return the fields that the input sets and the profile ignores, though they could change the answer."""
    return tuple(found for found in _all(cluster, profile, frozenset(faults)) if found[1])


def _all(cluster: "Cluster", profile: str, faults: frozenset[str]) -> Iterator[Unseen]:
    """Yield every field that the profile ignores, whether the input sets it or not."""
    scheduler = VARIANTS[profile].scheduler
    for of_pod in OF_PODS:
        if scheduler in of_pod.unseen:
            yield named(f"Pod.{of_pod.field}", [str(pod) for pod in cluster.pods if of_pod.given(pod)])
    for of_node in OF_NODES:
        if scheduler in of_node.unseen and of_node.but_for not in faults:
            yield named(f"Node.{of_node.field}", [node.name for node in cluster.nodes if of_node.given(node)])
    yield named("StatefulSet.spec.volumeClaimTemplates", cluster.claim_templates)
    if not scheduler.surroundings:
        yield named("PodDisruptionBudget.spec (in the choice of victims)", list(map(str, cluster.budgets)))
        yield named("Service.spec.selector", [each.name for each in cluster.services])
        yield named("ReplicaSet.spec.selector and the like", [each.name for each in cluster.controllers])


def named(field: str, objects: Iterable[str]) -> Unseen:
    """Return an ignored field of some objects."""
    names = tuple(objects)
    return field, len(names), names[:MOST_NAMED]


def lost(cluster: "Cluster") -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the nodes that the input lacks though pods that have not ended are bound to them, each with these pods."""
    nodes = {node.name for node in cluster.nodes}
    found: dict[str, set[str]] = {}
    for pod in (*cluster.pods, *cluster.lost):
        if pod.node_name and pod.node_name not in nodes and not completed(pod):
            found.setdefault(pod.node_name, set()).add(str(pod))
    return tuple((name, tuple(sorted(pods))) for name, pods in sorted(found.items()))
