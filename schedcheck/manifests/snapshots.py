"""A snapshot as manifests: `snapshot_manifests`; as the objects that an API server stores: `stored_objects`."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from schedcheck.manifests.device_manifests import device_manifests
from schedcheck.manifests.gangs import OF_POD_GROUPS
from schedcheck.manifests.gangs import UNMODELLED as OF_UNMODELLED
from schedcheck.manifests.gangs import VERSION as OF_GANGS
from schedcheck.manifests.manifests import Manifest, given, manifest, selector_manifest
from schedcheck.manifests.storage_manifests import storage_manifests
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Controller, Namespace, Pod, Service, Snapshot
from schedcheck.spec.owners import CORE, version_and_kind
from schedcheck.spec.selectors import selects
from schedcheck.spec.storage import Ephemeral
from schedcheck.spec.terms import LabelSelector
from schedcheck.spec.values import Labels
from schedcheck.spec.workload_objects import GangWorkload, GroupPolicy, PodGroup


def snapshot_manifests(snapshot: Snapshot, *, image: str = "pause") -> Iterator[Manifest]:
    """Yield the objects of a snapshot, kind by kind. Containers without an image get `image`, or none if it is empty.

    They read back as an equal snapshot, except that a container without an image has `image`, that a namespace has the
    label of its name, and that what other objects of the input told is lost: the scale of a Deployment, of which a
    budget expects the pods, and the node in the template of a pod's owner.
    """
    yield from map(_namespace, snapshot.namespaces)
    yield from map(manifest, snapshot.nodes)
    yield from storage_manifests(snapshot.storage)
    yield from device_manifests(snapshot.devices)
    yield from map(_service, snapshot.services)
    yield from map(_workload, snapshot.workloads)
    yield from map(_pod_group, snapshot.pod_groups)
    yield from (_controller(each, snapshot) for each in snapshot.controllers)
    yield from map(manifest, snapshot.budgets)
    yield from (manifest(pod, uid(pod), image=image) for pod in snapshot.pods)


def stored_objects(snapshot: Snapshot) -> list[Manifest]:
    """Return the objects of a snapshot as `kubectl get` lists them: each as it is, and with a uid.

    A claim without a uid gets none, because volumes refer to the uids of claims. The objects read back as an equal snapshot under the conditions of `snapshot_manifests`.
    """
    return [_stored(each) for each in snapshot_manifests(snapshot, image="") if not each["kind"].endswith("List")]


def listed(items: Iterable[Manifest]) -> Manifest:
    """Return the objects as one List."""
    return {"apiVersion": "v1", "kind": "List", "items": list(items)}


def uid(pod: Pod) -> str:
    """Return the uid of the pod: its own, or that of its ephemeral volumes or claims, or one made of its name."""
    given_by_volume = (each.source.pod_uid for each in pod.volumes if isinstance(each.source, Ephemeral))
    given_by_claim = (each.pod_uid for each in pod.resource_claims)
    return pod.uid or next(given_by_volume, "") or next(given_by_claim, "") or f"{pod.namespace}-{pod.name}"


def _stored(written: Manifest) -> Manifest:
    """Return the object with a uid, and with limits for devices, which must equal their requests."""
    metadata = written["metadata"]
    made = "-".join(filter(None, (written["kind"].lower(), metadata.get("namespace"), metadata["name"])))
    known = written["kind"] == "PersistentVolumeClaim" or metadata.get("uid")
    stored = written if known else {**written, "metadata": {**metadata, "uid": made}}
    if written["kind"] == "Pod":
        for each in (*stored["spec"].get("initContainers", ()), *stored["spec"].get("containers", ())):
            devices = {key: size for key, size in each.get("resources", {}).get("requests", {}).items() if "/" in key}
            if devices:
                each["resources"]["limits"] = devices
    return stored


def _namespace(namespace: Namespace) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": namespace.name, "labels": dict(namespace.labels)},
    }


def _service(service: Service) -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": service.name, "namespace": service.namespace},
        "spec": given({"selector": dict(service.selector)}),
    }


def _workload(workload: GangWorkload) -> Manifest:
    groups = [{"name": each.name, "policy": _policy(each)} for each in workload.groups]
    return {
        "apiVersion": OF_GANGS,
        "kind": "Workload",
        "metadata": {"name": workload.name, "namespace": workload.namespace},
        "spec": {"podGroups": groups},
    }


def _pod_group(group: PodGroup) -> Manifest:
    unmodelled = {key: PRESENT[key] for key, words in OF_UNMODELLED.items() if words == group.unmodelled}
    return {
        "apiVersion": OF_POD_GROUPS[0],
        "kind": "PodGroup",
        "metadata": {"name": group.name, "namespace": group.namespace},
        "spec": {
            "schedulingPolicy": _policy(group),
            "priority": group.priority,
            "disruptionMode": {"all": {}} if group.disrupted_together else {"single": {}},
            **unmodelled,
        },
    }


PRESENT: Mapping[str, Any] = {
    "parentCompositePodGroupName": "parent",
    "schedulingConstraints": {"topology": [{"key": "zone"}]},
    "resourceClaims": [{"name": "claim", "resourceClaimName": "claim"}],
}
"""A value of each field of a PodGroup that is not modelled: which one it had is not kept."""


def _policy(group: GroupPolicy | PodGroup) -> Manifest:
    return {"basic": {}} if group.min_count is None else {"gang": {"minCount": group.min_count}}


def _controller(controller: Controller, snapshot: Snapshot) -> Manifest:
    """Return the controller with as many replicas as it owns pods, and a template that its selector selects."""
    version, kind = version_and_kind(controller.kind)
    selector = controller.selector or LabelSelector()
    key = controller.namespace, controller.kind, controller.name
    labels = {"labels": dict(selected_labels(selector))}
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": controller.name, "namespace": controller.namespace},
        "spec": {
            "replicas": sum((pod.namespace, *pod.owner) == key for pod in snapshot.pods),
            "selector": dict(selector.match_labels) if version == CORE else selector_manifest(selector),
            "template": {"metadata": labels, "spec": {"containers": [{"name": "main-1", "image": "pause"}]}},
        },
    }


def selected_labels(selector: LabelSelector) -> Labels:
    """Return labels that the selector selects; its matchLabels if there are none."""
    labels: dict[str, Any] = dict(selector.match_labels)
    for each in selector.match_expressions:
        if each.operator in ("In", "Exists") and each.key not in labels:
            same = LabelSelector(
                match_expressions=tuple(one for one in selector.match_expressions if one.key == each.key)
            )
            values = (*each.values, "x", "y")
            fitting = (value for value in values if selects(same, Labels({each.key: value}), NO_FAULTS))
            labels[each.key] = next(fitting, values[0])
    return Labels(labels)
