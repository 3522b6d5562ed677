"""Volumes and storage objects in manifests: every field that a definition uses, and bad input"""

from collections.abc import Callable

import pytest
from frozendict import frozendict

from schedcheck.manifests import Cluster, manifest, yaml_text
from schedcheck.spec.device_objects import PodClaim
from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import (
    CSI,
    ISCSI,
    NO_STORAGE,
    RBD,
    AWSElasticBlockStore,
    AzureDisk,
    AzureFile,
    Cinder,
    ClaimReference,
    ClaimSource,
    CSIDriver,
    CSINode,
    CSIStorageCapacity,
    Disk,
    Ephemeral,
    GCEPersistentDisk,
    PersistentVolume,
    PersistentVolumeClaim,
    PortworxVolume,
    StorageClass,
    Volume,
    VolumeAttachment,
    VsphereVolume,
)
from schedcheck.spec.terms import LabelSelector, Requirement
from tests.support.building import node_term, selector

Read = Callable[[str], Cluster]
Refusal = Callable[[str], str]


def of_pod(volumes: str, metadata: str = "") -> str:
    return f"{{kind: Pod, metadata: {{name: p, {metadata}}}, spec: {{nodeName: w, volumes: [{volumes}]}}}}\n---\n"


def an_object(kind: str, body: str = "", metadata: str = "") -> str:
    return f"{{kind: {kind}, metadata: {{name: x, {metadata}}}, {body}}}\n---\n"


SOURCES = [
    ("emptyDir: {}", None),
    ("configMap: {name: c}", None),
    ("gcePersistentDisk: {pdName: d}", GCEPersistentDisk("d")),
    ("gcePersistentDisk: {pdName: d, readOnly: true}", GCEPersistentDisk("d", True)),
    ("awsElasticBlockStore: {volumeID: d, readOnly: true}", AWSElasticBlockStore("d", True)),
    ("iscsi: {targetPortal: t, iqn: i, lun: 3, readOnly: true}", ISCSI("t", "i", 3, True)),
    ("iscsi: {targetPortal: t, iqn: i}", ISCSI("t", "i")),
    ("rbd: {monitors: [a, b], image: i}", RBD(("a", "b"), "i", "rbd")),
    ("rbd: {monitors: [a], image: i, pool: p, readOnly: true}", RBD(("a",), "i", "p", True)),
    ("azureDisk: {diskName: d, diskURI: u}", AzureDisk("d", "u", False, "Shared")),
    ("azureDisk: {diskName: d, diskURI: u, kind: Managed, readOnly: true}", AzureDisk("d", "u", True, "Managed")),
    ("azureFile: {secretName: s, shareName: w}", AzureFile("w")),
    ("cinder: {volumeID: d}", Cinder("d")),
    ("vsphereVolume: {volumePath: d}", VsphereVolume("d")),
    ("portworxVolume: {volumeID: d}", PortworxVolume("d")),
    ("csi: {driver: d, readOnly: true}", CSI("d", "", True)),
    ("persistentVolumeClaim: {claimName: c}", ClaimSource("c")),
    ("persistentVolumeClaim: {claimName: c, readOnly: true}", ClaimSource("c", True)),
    ("ephemeral: {volumeClaimTemplate: {spec: {}}}", Ephemeral("1")),
]


@pytest.mark.parametrize(("text", "source"), SOURCES)
def test_a_volume_of_a_pod_is_read(read_text: Read, text: str, source: object) -> None:
    (read,) = read_text(of_pod(f"{{name: v, {text}}}", "uid: '1'")).pods
    assert read.volumes == (Volume("v", source),)  # type: ignore[arg-type]


@pytest.mark.parametrize("source", [source for _, source in SOURCES])
def test_a_written_volume_reads_back_unchanged(read_text: Read, source: Disk | ClaimSource | Ephemeral | None) -> None:
    pod = Pod(
        "p",
        volumes=(Volume("v", source),),
        resource_claims=(PodClaim("gpu", "c", pod_uid="1"), PodClaim("h", "p-h", "t", True, "1")),
    )
    (read,) = read_text(yaml_text([manifest(pod, uid="1")])).pods
    assert read == pod


def test_resource_claims_are_read_by_name(read_text: Read) -> None:
    (read,) = read_text("{kind: Pod, metadata: {name: p}, spec: {resourceClaims: [{name: a}, {name: b}]}}").pods
    assert read.resource_claims == (PodClaim("a", pod_uid="default/p"), PodClaim("b", pod_uid="default/p"))


def test_without_storage_objects_the_storage_is_empty(read_text: Read) -> None:
    assert read_text(of_pod("")).storage == NO_STORAGE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (an_object("PersistentVolume", "spec: {}"), PersistentVolume("x")),
        (an_object("PersistentVolume", "spec: {}", "uid: '1'"), PersistentVolume("x", phase="Pending")),
        (
            an_object(
                "PersistentVolume",
                "spec: {capacity: {storage: 1Ki}, accessModes: [ReadWriteOnce, ReadOnlyMany], volumeMode: Block, "
                "storageClassName: fast, claimRef: {namespace: w, name: c, uid: u}, volumeAttributesClassName: gold, "
                "csi: {driver: d, volumeHandle: h}, nodeAffinity: {required: {nodeSelectorTerms: "
                "[{matchExpressions: [{key: zone, operator: In, values: [a]}]}]}}}, status: {phase: Bound}",
                "labels: {tier: a}, deletionTimestamp: '2025-01-01T00:00:00Z'",
            ),
            PersistentVolume(
                "x",
                frozendict(tier="a"),
                1024,
                ("ReadWriteOnce", "ReadOnlyMany"),
                "Block",
                "fast",
                ClaimReference("w", "c", "u"),
                "Bound",
                (node_term(Requirement("zone", "In", ("a",))),),
                CSI("d", "h"),
                True,
                "gold",
            ),
        ),
        (
            an_object(
                "PersistentVolume",
                "spec: {storageClassName: fast, hostPath: {path: /}}",
                "annotations: {volume.beta.kubernetes.io/storage-class: old}",
            ),
            PersistentVolume("x", storage_class="old"),
        ),
    ],
)
def test_a_persistent_volume_is_read(read_text: Read, text: str, expected: PersistentVolume) -> None:
    assert read_text(text).storage.volumes == (expected,)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (an_object("PersistentVolumeClaim", "spec: {}"), PersistentVolumeClaim("x")),
        (
            an_object("PersistentVolumeClaim", "spec: {storageClassName: ''}"),
            PersistentVolumeClaim("x", storage_class=""),
        ),
        (
            an_object(
                "PersistentVolumeClaim",
                "spec: {storageClassName: fast}",
                "annotations: {volume.beta.kubernetes.io/storage-class: '', volume.kubernetes.io/selected-node: w}",
            ),
            PersistentVolumeClaim("x", storage_class="", selected_node="w"),
        ),
        (
            an_object(
                "PersistentVolumeClaim",
                "spec: {volumeName: v, accessModes: [ReadWriteOncePod], resources: {requests: {storage: 1Gi}}, "
                "selector: {matchLabels: {tier: a}}, storageClassName: fast, volumeMode: Block, "
                "volumeAttributesClassName: gold}, status: {phase: Lost}",
                "namespace: w, uid: '1', deletionTimestamp: '2025-01-01T00:00:00Z', "
                "annotations: {pv.kubernetes.io/bind-completed: ''}, ownerReferences: "
                "[{kind: Pod, name: o, uid: '2'}, {kind: Pod, name: p, uid: '3', controller: true}]",
            ),
            PersistentVolumeClaim(
                "x",
                "w",
                "1",
                "v",
                "Lost",
                ("ReadWriteOncePod",),
                2**30,
                selector(tier="a"),
                "fast",
                "Block",
                True,
                None,
                "3",
                True,
                "gold",
            ),
        ),
    ],
)
def test_a_persistent_volume_claim_is_read(read_text: Read, text: str, expected: PersistentVolumeClaim) -> None:
    assert read_text(text).storage.claims == (expected,)


def test_the_other_storage_objects_are_read(read_text: Read) -> None:
    read = read_text(
        an_object(
            "StorageClass",
            "provisioner: p, volumeBindingMode: WaitForFirstConsumer, allowedTopologies: "
            "[{matchLabelExpressions: [{key: zone, values: [a, b]}]}, {}]",
            "annotations: {storageclass.kubernetes.io/is-default-class: 'true'}",
        )
        + an_object(
            "CSINode",
            "spec: {drivers: [{name: d, allocatable: {count: 3}}, {name: e}, {name: f, allocatable: {count: 0}}]}",
            "annotations: {storage.alpha.kubernetes.io/migrated-plugins: 'a,b'}",
        )
        + an_object("CSIDriver", "spec: {storageCapacity: true}")
        + an_object("CSIStorageCapacity", "storageClassName: fast, capacity: 1Ki, nodeTopology: {}", "namespace: w")
        + an_object("VolumeAttachment", "spec: {attacher: d, nodeName: w, source: {persistentVolumeName: v}}")
    ).storage
    assert read.classes == (
        StorageClass("x", "p", "WaitForFirstConsumer", ((Requirement("zone", "In", ("a", "b")),), ()), True),
    )
    limits = frozendict(d=3, f=0)
    assert read.nodes == (CSINode("x", frozenset("def"), limits, frozenset("ab")),)
    assert read.drivers == (CSIDriver("x", True),)
    assert read.capacities == (CSIStorageCapacity("x", "w", "fast", LabelSelector(), 1024, None),)
    assert read.attachments == (VolumeAttachment("x", "d", "w", "v"),)


def test_omitted_storage_fields_have_the_defaults_of_the_api_server(read_text: Read) -> None:
    read = read_text(
        an_object("StorageClass", "provisioner: p")
        + an_object("CSINode", "spec: {drivers: []}")
        + an_object("CSIDriver", "spec: {}")
        + an_object("CSIStorageCapacity", "storageClassName: fast, maximumVolumeSize: 5")
        + an_object("VolumeAttachment", "spec: {attacher: d, nodeName: w}")
    ).storage
    assert read.classes == (StorageClass("x", "p", "Immediate"),)
    assert (read.nodes, read.drivers) == ((CSINode("x"),), (CSIDriver("x"),))
    assert read.capacities == (CSIStorageCapacity("x", storage_class="fast", maximum_volume_size=5),)
    assert read.attachments == (VolumeAttachment("x", "d", "w"),)


def test_storage_objects_are_sorted_and_part_of_the_snapshot(read_text: Read) -> None:
    claim = "{{kind: PersistentVolumeClaim, metadata: {{name: {}, namespace: {}}}}}\n---\n"
    read = read_text("".join(claim.format(name, space) for space in "ba" for name in "zx"))
    assert [each.key for each in read.storage.claims] == [("a", "x"), ("a", "z"), ("b", "x"), ("b", "z")]
    assert read.snapshot().storage == read.storage
    assert not any("not read" in note for note in read.notes)


def test_only_kubernetes_api_groups_are_read(read_text: Read) -> None:
    read = read_text(
        "{apiVersion: example.com/v1, kind: StorageClass, metadata: {name: x}, provisioner: p}\n---\n"
        "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: z}, provisioner: p}"
    )
    assert [each.name for each in read.storage.classes] == ["z"]
    assert read.notes == ("not read: 1 StorageClass",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (of_pod("{persistentVolumeClaim: {}}"), "spec.volumes[0].persistentVolumeClaim.claimName: expected the name of a claim"),
        (of_pod("{gcePersistentDisk: {}}"), "spec.volumes[0].gcePersistentDisk.pdName: expected the name of a disk"),
        (of_pod("{rbd: {image: i}}"), "spec.volumes[0].rbd.monitors: expected at least one monitor"),
        (of_pod("{iscsi: {targetPortal: t, iqn: i, lun: 256}}"), "spec.volumes[0].iscsi.lun: 256: expected an integer from 0 to 255"),
        (of_pod("{csi: x}"), "spec.volumes[0].csi: 'x': expected a map"),
        (of_pod("{azureDisk: {diskName: d, diskURI: u, kind: Own}}"), "spec.volumes[0].azureDisk.kind: 'Own': expected one of Shared, Dedicated, Managed"),
        (an_object("PersistentVolume", "spec: {csi: {driver: d}}"), "spec.csi.volumeHandle: expected the handle of a volume"),
        (an_object("PersistentVolume", "spec: {capacity: {storage: -1}}"), "spec.capacity.storage: -1: expected a quantity that is not negative"),
        (an_object("PersistentVolume", "spec: {accessModes: [ReadOnce]}"), "spec.accessModes[0]: 'ReadOnce': expected one of ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod"),
        (an_object("PersistentVolume", "spec: {accessModes: ['']}"), "spec.accessModes[0]: '': expected one of ReadWriteOnce, ReadOnlyMany, ReadWriteMany, ReadWriteOncePod"),
        (an_object("PersistentVolume", "spec: {nodeAffinity: {required: {nodeSelectorTerms: []}}}"), "spec.nodeAffinity.required.nodeSelectorTerms: []: expected at least one term"),
        (an_object("PersistentVolume", "status: {phase: Taken}"), "status.phase: 'Taken': expected one of Pending, Available, Bound, Released, Failed"),
        (an_object("PersistentVolumeClaim", "spec: {volumeMode: Disk}"), "spec.volumeMode: 'Disk': expected one of Filesystem, Block"),
        (an_object("PersistentVolumeClaim", "spec: {resources: {requests: {storage: much}}}"), "spec.resources.requests.storage: 'much': quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"),
        (an_object("PersistentVolumeClaim", "spec: {selector: {matchExpressions: [{key: a, operator: Gt}]}}"), "spec.selector.matchExpressions[0].operator: 'Gt': expected one of In, NotIn, Exists, DoesNotExist"),
        (an_object("StorageClass"), "provisioner: expected a provisioner"),
        (an_object("StorageClass", "provisioner: p, volumeBindingMode: Later"), "volumeBindingMode: 'Later': expected one of Immediate, WaitForFirstConsumer"),
        (an_object("StorageClass", "provisioner: p, allowedTopologies: [{matchLabelExpressions: [{key: a}]}]"), "allowedTopologies[0].matchLabelExpressions[0].values: expected at least one value"),
        (an_object("CSINode", "spec: {drivers: [{allocatable: {count: 1}}]}"), "spec.drivers[0].name: expected the name of a driver"),
        (an_object("CSINode", "spec: {drivers: [{name: d, allocatable: {count: -1}}]}"), "spec.drivers[0].allocatable.count: -1: expected an integer from 0 to 2147483647"),
        (an_object("CSIDriver", "spec: {storageCapacity: 'yes'}"), "spec.storageCapacity: 'yes': expected true or false"),
        (an_object("CSIStorageCapacity", "capacity: 1"), "storageClassName: expected the name of a storage class"),
        (an_object("VolumeAttachment", "spec: {attacher: d}"), "spec.nodeName: expected the name of a node"),
    ],
)  # fmt: skip
def test_an_invalid_storage_object_is_refused_with_its_place(refusal: Refusal, text: str, message: str) -> None:
    assert refusal(text) == f"document 1: {message}"
