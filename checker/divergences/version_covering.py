"""A predicate for each change between versions: whether it may affect a decision on a pod in a snapshot: `OF_CHANGES`.

As in `checker/divergences/covering.py`, each states the objects that are needed for the change to matter.
"""

from collections.abc import Iterator

from frozendict import frozendict

from schedcheck.checker.divergences.covering import COVERS, Covers
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.scores.image_locality import image_names, with_tag
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.requests import unresized
from schedcheck.spec.storage import ImageSource, PortworxVolume
from schedcheck.spec.tolerations import untolerated
from schedcheck.spec.volumes.claims import claimed
from schedcheck.spec.volumes.csi_migration import MOVED_BY_NODE


def rated(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether the pod is bound where there is more than one node."""
    return isinstance(decision, Bind) and len(snapshot.nodes) > 1


def mounted(pod: Pod) -> frozenset[str]:
    """Return the names of the images that the pod mounts as volumes."""
    return frozenset(with_tag(each.source.reference) for each in pod.volumes if isinstance(each.source, ImageSource))


def balanced_with_the_pod_alone(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether one of several nodes is chosen for a pod with requests."""
    pod = decision.pod
    requests = (pod.pod_requests, *(each.requests for each in (*pod.init_containers, *pod.containers)))
    return rated(decision, snapshot) and any(each != {} for each in requests)


def image_volumes_unrated(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether one of several nodes is chosen, and one of them has an image that the pod mounts."""
    return rated(decision, snapshot) and any(mounted(decision.pod) & image_names(node) for node in snapshot.nodes)


def image_volumes_uncounted(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether one of several nodes is chosen for a pod that mounts an image, and one of them has any image."""
    return rated(decision, snapshot) and mounted(decision.pod) != frozenset() and any(map(image_names, snapshot.nodes))


def pod_level_status_ignored(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether the status of a pod tells what the pod as a whole runs with."""
    return any(each.pod_actual is not None for each in (decision.pod, *snapshot.pods))


def greatest_of_each_container(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether the status of a pod tells anything about its resources."""
    return any(each != unresized(each) for each in (decision.pod, *snapshot.pods))


def nomination_unmentioned(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether the pod is nominated."""
    return isinstance(decision, Nominate)


def idle_claims_mentioned(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether the pod stays without a node, and is not nominated."""
    return isinstance(decision, Wait)


def declared_features_ignored(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether a node does not declare a feature that the pod requires."""
    return any(decision.pod.required_features - node.declared_features for node in snapshot.nodes)


def missing_drivers_ignored(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether the pod has volumes, and a node lacks a driver whose CSIDriver prevents this."""
    storage = snapshot.storage
    there = [storage.node(node.name) for node in snapshot.nodes]
    return decision.pod.volumes != () and any(
        driver.required_on_nodes and (node is None or driver.name not in node.drivers)
        for driver in storage.drivers
        for node in there
    )


def storage_capacity_unrated(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether one of several nodes is chosen for a pod with a claim that is not bound."""
    pod, storage = decision.pod, snapshot.storage
    claims = (storage.claim(pod.namespace, name) for name in claimed(pod))
    return rated(decision, snapshot) and any(each is not None and not each.bind_completed for each in claims)


def portworx_by_annotation(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether there is a Portworx volume, or a class for such, and a CSINode without the annotation."""
    storage = snapshot.storage
    return (
        decision.pod.volumes != ()
        and any(not node.migrated >= MOVED_BY_NODE for node in storage.nodes)
        and (
            any(isinstance(each, PortworxVolume) for each in sources(snapshot))
            or any(each.provisioner in MOVED_BY_NODE for each in storage.classes)
        )
    )


def sources(snapshot: Snapshot) -> Iterator[object]:
    """Yield the sources of the volumes of pods, and those of persistent volumes."""
    yield from (volume.source for pod in snapshot.pods for volume in pod.volumes)
    yield from (volume.source for volume in snapshot.storage.volumes)


def untolerated_taint_named(decision: Decision, snapshot: Snapshot) -> bool:
    """Whether the pod stays without a node, and a node has a taint that it does not tolerate."""
    return not isinstance(decision, Bind) and any(untolerated(decision.pod, node) for node in snapshot.nodes)


OF_CHANGES: frozendict[Departure, Covers] = frozendict(
    {
        Departure.UNTOLERATED_TAINT_NAMED: untolerated_taint_named,
        Departure.BALANCED_WITH_THE_POD_ALONE: balanced_with_the_pod_alone,
        Departure.IMAGE_VOLUMES_UNRATED: image_volumes_unrated,
        Departure.DECLARED_FEATURES_IGNORED: declared_features_ignored,
        Departure.POD_LEVEL_STATUS_IGNORED: pod_level_status_ignored,
        Departure.PORTWORX_BY_ANNOTATION: portworx_by_annotation,
        Departure.GREATEST_OF_EACH_CONTAINER: greatest_of_each_container,
        Departure.NAMESPACE_SELECTOR_ON_NO_LABELS: COVERS[Departure.NAMESPACE_SELECTOR_ON_NO_LABELS],
        Departure.IMAGE_VOLUMES_UNCOUNTED: image_volumes_uncounted,
        Departure.NOMINATION_UNMENTIONED: nomination_unmentioned,
        Departure.IDLE_CLAIMS_MENTIONED: idle_claims_mentioned,
        Departure.MISSING_DRIVERS_IGNORED: missing_drivers_ignored,
        Departure.STORAGE_CAPACITY_UNRATED: storage_capacity_unrated,
        Departure.LATER_BUDGETS_UNCHARGED: COVERS[Departure.LATER_BUDGETS_UNCHARGED],
    }
)
"""The predicate of each departure that tells versions apart."""
