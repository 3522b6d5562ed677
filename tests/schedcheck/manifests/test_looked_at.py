"""The fields that a profile does not look at change none of its answers, and every field is accounted for"""

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import cache
from itertools import islice

import pytest
from frozendict import frozendict

from schedcheck.manifests.looked_at import OF_NODES, OF_PODS, OfNode, OfPod, not_looked_at
from schedcheck.model.profiles import profile_of
from schedcheck.model.scenario import Scenario
from schedcheck.spec.device_objects import PodClaim
from schedcheck.spec.objects import Container, Node, Pod, Snapshot, Taint
from schedcheck.spec.schedulers import NAMES, OF_PLUGINS, VARIANTS
from schedcheck.spec.workload_objects import WorkloadReference
from tests.schedcheck.manifests.conftest import Read
from tests.support.footprint_cases import case

MOST = 2000
"""The most random cases that are drawn."""

cached_case = cache(case)

LOOKED_AT_BY_ALL = {
    "Pod": {
        "name", "namespace", "labels", "node_name", "phase", "priority", "preemption_policy", "scheduler_name",
        "node_selector", "affinity", "tolerations", "owner", "terminating", "uid", "template_node_name",
    },
    "Node": {"name", "labels", "allocatable", "taints", "unschedulable"},
    "Container": {"requests"},
}  # fmt: skip
"""Fields used by every profile, or by the environment of every scheduler."""

NOT_OF_KUBERNETES = {
    "Pod": {
        "owner_uid": "only a priority of the early scheduler reads it",
        "annotated_affinity": "only the early scheduler reads the annotation, and kube-scheduler 1.34 does not",
        "host_network": "it matters by the host ports that the API server makes of it alone",
        "empty_node_selector": "an empty node selector selects as an absent one does; only a plugin's status differs",
        "scheduling_gates": "gated pods are left out before any profile is asked, with a note",
        "restarts": "only a plugin of the descheduler reads them",
        "waits_on": "no field of a manifest: what a scheduler does in the model",
        "required_features": "they follow from other fields, and matter where nodes declare features alone",
        "init_containers": "their fields are accounted for", "containers": "their fields are accounted for",
    },
    "Node": {
        "phase": "no real node has one", "ready": "the node lifecycle controller makes taints of it",
        "capacity": "only the early scheduler reads it", "conditions": "only the early scheduler reads them",
        "avoids": "only a priority of the early scheduler reads the annotation",
    },
    "Container": {"image": "it matters where nodes have images alone, and these are an aspect"},
}  # fmt: skip
ASPECTS = {
    "Pod": {
        "spread", "volumes", "resource_claims", "overhead", "pod_requests", "resize_infeasible", "preempted",
        "nominated_node_name", "start_time", "workload", "scheduling_group", "pod_allocated", "pod_actual",
    },
    "Node": {"images", "declared_features"},
    "Container": {"ports", "sidecar", "allocated", "actual"},
}  # fmt: skip


@pytest.mark.parametrize("kind", [Pod, Node, Container], ids=lambda kind: str(kind.__name__))
def test_every_field_is_used_by_all_by_an_aspect_or_only_by_others_than_kube_scheduler(kind: type) -> None:
    name = kind.__name__
    accounted = [LOOKED_AT_BY_ALL[name], set(NOT_OF_KUBERNETES[name]), ASPECTS[name]]
    assert set[str]().union(*accounted) == {field.name for field in fields(kind)}
    assert sum(map(len, accounted)) == len(fields(kind))


def decisions(pod: Pod, snapshot: Snapshot, profile: str) -> set[str]:
    """The decisions that the profile allows for the pod, as texts."""
    scheduler = profile_of(Scenario("", (), (), profile=profile))
    whole = replace(snapshot, pods=tuple(sorted({*snapshot.pods, pod}, key=lambda each: each.key)))
    return {str(each) for each in scheduler.decision(pod, whole, scheduler)}


def pairs(aspect: OfPod | OfNode) -> Iterator[tuple[tuple[Pod, Snapshot], tuple[Pod, Snapshot]]]:
    """The cases in which the aspect occurs, each with and without it."""
    for given in map(cached_case, range(MOST)):
        give = RARE.get(aspect.field, lambda pod: pod)
        equip = RARE_ON_NODES.get(aspect.field, lambda node: node)
        snapshot = replace(
            given.snapshot, pods=tuple(map(give, given.snapshot.pods)), nodes=tuple(map(equip, given.snapshot.nodes))
        )
        pod = give(given.pod)
        if isinstance(aspect, OfPod):
            if not any(map(aspect.given, (*snapshot.pods, pod))):
                continue
            changed = replace(snapshot, pods=tuple(map(aspect.without, snapshot.pods))), aspect.without(pod)
        else:
            if not any(map(aspect.given, snapshot.nodes)):
                continue
            changed = replace(snapshot, nodes=tuple(map(aspect.without, snapshot.nodes))), pod
        yield (pod, snapshot), (changed[1], changed[0])


UNSEEN = [
    (profile, aspect)
    for aspect in (*OF_PODS, *OF_NODES)
    for profile in ("corrected", "classic")
    if VARIANTS[profile].scheduler in aspect.unseen
]


@pytest.mark.parametrize(("profile", "aspect"), UNSEEN, ids=lambda each: each if isinstance(each, str) else each.field)
def test_an_aspect_that_a_profile_ignores_changes_no_decision(profile: str, aspect: OfPod | OfNode) -> None:
    met = list(islice(pairs(aspect), 12))
    assert met
    for given, without in met:
        assert decisions(*given, profile) == decisions(*without, profile)


RARE: dict[str, Callable[[Pod], Pod]] = {
    "status.declaredFeatures": lambda pod: replace(pod, required_features=frozenset({"one"})),
    "status.conditions[type=PodResizePending]": lambda pod: replace(pod, resize_infeasible=True),
    "status.resources": lambda pod: replace(pod, pod_actual=frozendict(cpu=10**9)),
    "status.conditions[type=DisruptionTarget]": lambda pod: replace(pod, preempted=True, terminating=True),
    "spec.workloadRef": lambda pod: replace(pod, workload=WorkloadReference("train", "workers")),
    "spec.schedulingGroup": lambda pod: replace(pod, scheduling_group="train"),
    "spec.resourceClaims": lambda pod: replace(pod, resource_claims=(PodClaim("gpu"),)),
}
"""Fields that random clusters do not have, and that every pod of them is given."""

RARE_ON_NODES: dict[str, Callable[[Node], Node]] = {
    "status.declaredFeatures": lambda node: replace(node, declared_features=frozenset({"one"})),
    "spec.taints[effect=PreferNoSchedule]": lambda node: (
        replace(node, taints=(*node.taints, Taint("old", "PreferNoSchedule"))) if node.name == "m" else node
    ),
}
"""Likewise for nodes; fields that some nodes have and others lack, or that seldom decide."""

SEEN = {
    "spec.containers[*].ports[*].hostPort", "spec.topologySpreadConstraints", "spec.volumes",
    "spec.taints[effect=PreferNoSchedule]", "status.declaredFeatures",
}  # fmt: skip


@pytest.mark.parametrize("field", sorted(SEEN))
def test_an_aspect_that_kube_scheduler_uses_changes_some_decision(field: str) -> None:
    """The broken twin: an aspect wrongly declared as ignored would be detected."""
    (aspect,) = (each for each in (*OF_PODS, *OF_NODES) if each.field == field)
    different = (
        decisions(*given, "kubernetes") != decisions(*without, "kubernetes") for given, without in pairs(aspect)
    )
    assert any(different)


ALL = """
kind: Node
metadata: {name: n1}
spec: {taints: [{key: a, effect: PreferNoSchedule}]}
status: {allocatable: {cpu: 4, pods: 9}, images: [{names: [x], sizeBytes: 9}]}
---
kind: Pod
metadata: {name: web, labels: {app: web}}
spec:
  overhead: {cpu: 1m}
  resources: {requests: {cpu: 1}}
  volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]
  resourceClaims: [{name: gpu, resourceClaimName: gpu}]
  topologySpreadConstraints:
  - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {app: web}}}
  initContainers: [{name: side, restartPolicy: Always}]
  containers: [{name: main, ports: [{containerPort: 80, hostPort: 80}]}]
---
kind: PodDisruptionBudget
metadata: {name: b}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
"""
OF_CORRECTED = [
    "Pod.spec.containers[*].ports[*].hostPort", "Pod.spec.topologySpreadConstraints", "Pod.spec.volumes",
    "Pod.spec.resourceClaims", "Node.status.images", "Node.spec.taints[effect=PreferNoSchedule]",
    "PodDisruptionBudget.spec (in the choice of victims)",
]  # fmt: skip
OF_CLASSIC = [
    "Pod.spec.topologySpreadConstraints", "Pod.spec.resourceClaims", "Pod.spec.overhead", "Pod.spec.resources.requests",
    "Pod.spec.initContainers[*].restartPolicy",
]  # fmt: skip


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        ("corrected", OF_CORRECTED),
        ("classic", OF_CLASSIC),
        *((name, []) for name in OF_PLUGINS),
    ],
)
def test_ignored_fields_are_named_with_the_number_of_objects(
    profile: str, expected: list[str], read_text: Read
) -> None:
    found = not_looked_at(read_text(ALL), profile)
    assert [field for field, _, _ in found] == expected
    assert {(number, first) for _, number, first in found} <= {(1, ("web",)), (1, ("n1",)), (1, ("b",))}


@pytest.mark.parametrize("profile", NAMES)
def test_a_field_that_no_object_sets_is_not_named(profile: str, read_text: Read) -> None:
    plain = "kind: Node\nmetadata: {name: n1}\n---\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c}]}"
    assert not_looked_at(read_text(plain), profile) == ()


def test_a_fault_that_uses_a_field_removes_it_from_the_list(read_text: Read) -> None:
    cluster = read_text(ALL)
    named: Callable[..., set[str]] = lambda *faults: {each[0] for each in not_looked_at(cluster, "corrected", faults)}  # noqa: E731
    assert named() - named("soft-taint-filters") == {"Node.spec.taints[effect=PreferNoSchedule]"}


def test_claims_of_a_template_are_named_if_its_pods_are_created_here(read_text: Read) -> None:
    text = (
        "kind: StatefulSet\nmetadata: {name: db}\nspec: {selector: {matchLabels: {a: b}}, replicas: 2,"
        " volumeClaimTemplates: [{metadata: {name: data}}],"
        " template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c}]}}}"
    )
    assert not_looked_at(read_text(text), "kubernetes") == (("StatefulSet.spec.volumeClaimTemplates", 1, ("db",)),)
    stored = (
        "\n---\nkind: Pod\nmetadata: {name: db-0, uid: u, labels: {a: b}, ownerReferences:"
        " [{apiVersion: apps/v1, kind: StatefulSet, name: db, controller: true}]}\nspec: {containers: [{name: c}]}"
    )
    assert not_looked_at(read_text(text + stored), "kubernetes") == ()


def test_at_most_three_of_many_objects_are_named(read_text: Read) -> None:
    pods = [
        f"kind: Pod\nmetadata: {{name: p{number}}}\nspec: {{containers: [{{ports: [{{hostPort: 80}}]}}]}}"
        for number in range(5)
    ]
    assert not_looked_at(read_text("\n---\n".join(pods)), "corrected") == (
        ("Pod.spec.containers[*].ports[*].hostPort", 5, ("p0", "p1", "p2")),
    )
