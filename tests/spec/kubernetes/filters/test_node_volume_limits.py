"""NodeVolumeLimits of kube-scheduler 1.34: one test for each clause of csi.go and utils.go"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, NO_DEPARTURES, Departures
from schedcheck.spec.kubernetes.filters.node_volume_limits import node_volume_limits, refusal, skipped
from schedcheck.spec.kubernetes.node_info import node_info
from schedcheck.spec.objects import Pod
from schedcheck.spec.refusal import Refusal, failed, unresolvable, unschedulable
from schedcheck.spec.storage import (
    CSI,
    ISCSI,
    AWSElasticBlockStore,
    AzureDisk,
    AzureFile,
    Cinder,
    CSINode,
    Disk,
    Ephemeral,
    GCEPersistentDisk,
    PersistentVolume,
    PersistentVolumeClaim,
    PortworxVolume,
    Storage,
    StorageClass,
    Volume,
    VolumeAttachment,
    VsphereVolume,
)
from tests.support.building import Stored, claiming, node, pod, stored

NAME = "NodeVolumeLimits"
EXCEEDED = unschedulable(NAME, "node(s) exceed max volume count")
DRIVER = "csi.example.com"
FAST = StorageClass("fast", DRIVER, "WaitForFirstConsumer")


def limits(**counts: int) -> CSINode:
    """The CSINode of node n with these attach limits per driver (underscores stand for dots)."""
    named = {name.replace("_", "."): count for name, count in counts.items()}
    return CSINode("n", frozenset(named), frozendict(named))


def csi(name: str, handle: str = "", driver: str = DRIVER) -> tuple[Stored, Stored]:
    """A claim that is bound to a volume of the driver with this handle (by default its name)."""
    return bound(name, CSI(driver, handle or name))


def bound(name: str, disk: Disk, **fields: str) -> tuple[Stored, Stored]:
    """A claim that is bound to a volume of the same name on this disk."""
    claim = PersistentVolumeClaim(name, volume_name=name, bind_completed=True, storage_class="fast")
    return claim, PersistentVolume(name, source=disk, labels=frozendict(fields))


def asked(wanting: Pod, storage: Storage, *there: Pod, departures: Departures = ALL_DEPARTURES) -> Refusal | None:
    """The filter's verdict on node n; its predicate must agree."""
    info = node_info(node(), there)
    said = refusal(wanting, info, storage, departures)
    assert node_volume_limits(wanting, info, storage, departures) == (said is None)
    return said


@pytest.mark.parametrize(("most", "fits"), [(0, False), (1, False), (2, True), (3, True)])
def test_a_pod_fits_up_to_the_volume_limit_counting_the_pods_on_the_node(most: int, fits: bool) -> None:
    storage = stored(*csi("a"), *csi("b"), limits(csi_example_com=most))
    assert asked(claiming("a"), storage, claiming("b", name="there")) == (None if fits else EXCEEDED)


def test_without_csinode_or_limit_of_the_driver_any_number_of_volumes_fits() -> None:
    many = claiming("a", "b")
    volumes = (*csi("a"), *csi("b"))
    assert asked(many, stored(*volumes)) is None
    assert asked(many, stored(*volumes, CSINode("n", frozenset({DRIVER})))) is None
    assert asked(many, stored(*volumes, limits(other=0))) is None
    assert asked(many, stored(*volumes, replace(limits(csi_example_com=0), name="m"))) is None


def test_volumes_of_different_drivers_are_counted_separately() -> None:
    storage = stored(*csi("a"), *csi("b", driver="other"), limits(csi_example_com=1, other=1))
    assert asked(claiming("a"), storage, claiming("b", name="there")) is None


def test_a_volume_that_is_already_in_use_counts_once() -> None:
    storage = stored(*csi("a"), *csi("b"), limits(csi_example_com=1))
    assert asked(claiming("a"), storage, claiming("a", name="there")) is None
    assert asked(claiming("a", "a"), storage) is None
    assert asked(claiming("b"), storage, claiming("a", name="there"), claiming("a", name="too")) == EXCEEDED
    assert asked(claiming("a", "b"), stored(*csi("a", "h"), *csi("b", "h"), limits(csi_example_com=1))) is None


def test_a_node_over_its_limit_accepts_a_pod_without_new_volumes() -> None:
    storage = stored(*csi("a"), *csi("b"), limits(csi_example_com=1))
    there = (claiming("a", name="x"), claiming("b", name="y"))
    assert asked(claiming("b"), storage, *there) is None


@pytest.mark.parametrize(
    ("attachment", "fits"),
    [
        (VolumeAttachment("x", DRIVER, "n", "b"), False),
        (VolumeAttachment("x", DRIVER, "m", "b"), True),
        (VolumeAttachment("x", "other", "n", "b"), True),
        (VolumeAttachment("x", DRIVER, "n", ""), True),
        (VolumeAttachment("x", DRIVER, "n", "unknown"), True),
        (VolumeAttachment("x", DRIVER, "n", "disk"), True),
    ],
)
def test_an_attached_csi_volume_counts_even_if_no_pod_uses_it(attachment: VolumeAttachment, fits: bool) -> None:
    disk = PersistentVolume("disk", source=ISCSI("p", "i"))
    storage = stored(*csi("a"), *csi("b"), disk, attachment, limits(csi_example_com=1))
    assert asked(claiming("a"), storage) == (None if fits else EXCEEDED)


def test_an_attachment_of_a_volume_in_use_on_the_node_is_not_counted_again() -> None:
    attachment = VolumeAttachment("x", DRIVER, "n", "b")
    storage = stored(*csi("a"), *csi("b"), attachment, limits(csi_example_com=2))
    assert asked(claiming("a"), storage, claiming("b", name="there")) is None


def test_an_attached_volume_of_the_incoming_pod_is_counted_twice() -> None:
    """As in kube-scheduler: only volumes of pods on the node are subtracted from the new ones (csi.go, after
    filterAttachableVolumes).
    """
    storage = stored(*csi("a"), VolumeAttachment("x", DRIVER, "n", "a"), limits(csi_example_com=1))
    assert asked(claiming("a"), storage, departures=ALL_DEPARTURES) == EXCEEDED
    assert asked(claiming("a"), storage, departures=NO_DEPARTURES) is None


def test_an_unbound_claim_counts_for_the_provisioner_of_its_class() -> None:
    waiting, second = (PersistentVolumeClaim(name, storage_class="fast") for name in "ab")
    assert asked(claiming("a"), stored(waiting, FAST, limits(csi_example_com=0))) == EXCEEDED
    assert asked(claiming("a", "a"), stored(waiting, FAST, limits(csi_example_com=1))) is None
    assert asked(claiming("a", "b"), stored(waiting, second, FAST, limits(csi_example_com=1))) == EXCEEDED
    assert asked(claiming("a"), stored(waiting, limits(csi_example_com=0))) is None
    classless = replace(waiting, storage_class=None)
    assert asked(claiming("a"), stored(classless, FAST, limits(csi_example_com=0))) is None


def test_a_claim_with_a_missing_volume_counts_for_its_class() -> None:
    lost = PersistentVolumeClaim("a", volume_name="gone", storage_class="fast")
    assert asked(claiming("a"), stored(lost, FAST, limits(csi_example_com=0))) == EXCEEDED


def test_an_inline_csi_volume_never_counts() -> None:
    inline = pod(volumes=(Volume("v", CSI(DRIVER)),))
    assert asked(inline, stored(limits(csi_example_com=0))) is None
    assert skipped(inline)


def test_an_ephemeral_claim_counts_if_the_pod_owns_it() -> None:
    mine = pod("mine", volumes=(Volume("v", Ephemeral("1")),))
    claim = PersistentVolumeClaim("mine-v", storage_class="fast", owner_uid="1")
    assert asked(mine, stored(claim, FAST, limits(csi_example_com=0))) == EXCEEDED
    assert asked(mine, stored(claim, FAST, limits(csi_example_com=1))) is None
    for owner in ("2", None):
        foreign = replace(claim, owner_uid=owner)
        reason = "PVC default/mine-v was not created for pod default/mine (pod is not owner)"
        assert asked(mine, stored(foreign, FAST)) == failed(NAME, reason)


def test_a_foreign_ephemeral_claim_on_the_node_fails_the_filter_if_others_count() -> None:
    there = pod("there", volumes=(Volume("v", Ephemeral("1")),))
    foreign = PersistentVolumeClaim("there-v", storage_class="fast", owner_uid="2")
    reason = "PVC default/there-v was not created for pod default/there (pod is not owner)"
    limited = limits(csi_example_com=9)
    assert asked(claiming("a"), stored(foreign, FAST, *csi("a"), limited), there) == failed(NAME, reason)
    assert asked(claiming("a"), stored(foreign, FAST, *csi("a")), there) is None
    assert asked(pod(), stored(foreign, FAST, *csi("a"), limited), there) is None


def test_claims_of_the_incoming_pod_must_exist_and_others_need_not() -> None:
    storage = stored(*csi("a"), limits(csi_example_com=1))
    reason = 'looking up PVC default/b: persistentvolumeclaim "b" not found'
    assert asked(claiming("a", "b"), storage) == unresolvable(NAME, reason)
    assert asked(claiming("a"), storage, claiming("b", name="there")) is None


def test_the_first_invalid_volume_is_reported() -> None:
    own = Volume("v", Ephemeral("1"))
    foreign = PersistentVolumeClaim("p-v", storage_class="fast", owner_uid="2")
    reason = "PVC default/p-v was not created for pod default/p (pod is not owner)"
    lacking = 'looking up PVC default/a: persistentvolumeclaim "a" not found'
    assert asked(pod(volumes=(own, *claiming("a").volumes)), stored(foreign)) == failed(NAME, reason)
    assert asked(pod(volumes=(*claiming("a").volumes, own)), stored(foreign)) == unresolvable(NAME, lacking)


@pytest.mark.parametrize(
    ("disk", "driver"),
    [
        (GCEPersistentDisk("d"), "pd.csi.storage.gke.io"),
        (AWSElasticBlockStore("vol-1"), "ebs.csi.aws.com"),
        (Cinder("d"), "cinder.csi.openstack.org"),
        (AzureDisk("d", "uri", kind="Managed"), "disk.csi.azure.com"),
    ],
)
def test_a_migrated_in_tree_disk_counts_for_its_csi_driver(disk: Disk, driver: str) -> None:
    full = CSINode("n", frozenset({driver}), frozendict({driver: 0}))
    for wanting, volumes in (
        (claiming("a"), bound("a", disk)),
        (pod(volumes=(Volume("v", disk),)), ()),
    ):
        assert not skipped(wanting)
        assert asked(wanting, stored(*volumes, full)) == EXCEEDED
        assert asked(wanting, stored(*volumes, replace(full, allocatable=frozendict({driver: 1})))) is None
        assert asked(wanting, stored(*volumes)) is None


def test_an_inline_disk_and_a_claimed_volume_with_the_same_handle_count_once() -> None:
    one = CSINode("n", allocatable=frozendict({"ebs.csi.aws.com": 1}))
    there = pod("there", volumes=(Volume("v", AWSElasticBlockStore("aws://zone/vol-1")),))
    storage = stored(*bound("a", AWSElasticBlockStore("vol-1")), *csi("b", "vol-1", "ebs.csi.aws.com"), one)
    assert asked(claiming("a", "b"), storage, there) is None


def test_a_portworx_disk_counts_only_on_nodes_where_it_is_migrated() -> None:
    full = CSINode("n", allocatable=frozendict({"pxd.portworx.com": 0}))
    moved = replace(full, migrated=frozenset({"kubernetes.io/portworx-volume"}))
    assert asked(claiming("a"), stored(*bound("a", PortworxVolume("d")), full)) is None
    assert asked(claiming("a"), stored(*bound("a", PortworxVolume("d")), moved)) == EXCEEDED


@pytest.mark.parametrize(
    ("disk", "driver"), [(VsphereVolume("d"), "csi.vsphere.vmware.com"), (AzureFile("d"), "file.csi.azure.com")]
)
def test_other_migrated_disks_are_looked_at_but_never_counted(disk: Disk, driver: str) -> None:
    full = CSINode("n", allocatable=frozendict({driver: 0}))
    inline = pod(volumes=(Volume("v", disk),))
    assert asked(inline, stored(full)) is None
    assert asked(claiming("a"), stored(*bound("a", disk), full)) is None
    assert not skipped(inline)


def test_classes_of_in_tree_provisioners_count_for_the_csi_driver() -> None:
    claim, old = PersistentVolumeClaim("a", storage_class="old"), StorageClass("old", "kubernetes.io/aws-ebs")
    full = CSINode("n", allocatable=frozendict({"ebs.csi.aws.com": 0, "kubernetes.io/aws-ebs": 0}))
    assert asked(claiming("a"), stored(claim, old, full)) == EXCEEDED
    file = StorageClass("old", "kubernetes.io/azure-file")
    full = CSINode("n", allocatable=frozendict({"file.csi.azure.com": 0, "kubernetes.io/azure-file": 0}))
    assert asked(claiming("a"), stored(claim, file, full)) is None


def test_an_untranslatable_disk_fails_inline_and_is_not_counted_behind_a_claim() -> None:
    shared = AzureDisk("d", "uri", kind="Shared")
    full = CSINode("n", allocatable=frozendict({"disk.csi.azure.com": 0}))
    reason = "converting volume(v) from inline to csi: kind(Shared) is not supported in csi migration"
    assert asked(pod(volumes=(Volume("v", shared),)), stored(full)) == failed(NAME, reason)
    assert asked(pod(volumes=(Volume("v", shared),)), stored()) is None
    assert asked(claiming("a"), stored(*bound("a", shared), full)) is None


def test_node_volume_limits_is_skipped_without_claims_and_migrated_disks() -> None:
    assert skipped(pod())
    assert skipped(pod(volumes=(Volume("v", None), Volume("w", ISCSI("p", "i")))))
    assert not skipped(claiming("a"))
    assert not skipped(pod(volumes=(Volume("v", Ephemeral()),)))
