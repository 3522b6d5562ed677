"""The volume filters and DynamicResources as part of the cycle of kube-scheduler 1.34"""

from dataclasses import replace

from frozendict import frozendict

from schedcheck.checker.differential.decisions import concluded, difference
from schedcheck.spec.device_objects import PodClaim
from schedcheck.spec.kubernetes.cycle import Cycle, cycle
from schedcheck.spec.kubernetes.filter import Verdict, feasible, unasked, verdicts
from schedcheck.spec.kubernetes.missing_state import FILTER
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, VOLUME_PLUGINS
from schedcheck.spec.kubernetes.select_host import Choice, choice
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.refusal import Code, failed, unresolvable, unschedulable
from schedcheck.spec.storage import (
    NO_STORAGE,
    AWSElasticBlockStore,
    AzureDisk,
    CSINode,
    Ephemeral,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
    Volume,
)
from tests.support.building import claiming, node, pod, snapshot, stored

ZONE = "topology.kubernetes.io/zone"
WAITING = StorageClass("waiting", "csi.example.com", "WaitForFirstConsumer")


def made(asked: Pod, storage: Storage, *things: Pod | Node) -> Cycle:
    return cycle(asked, replace(snapshot(*things), storage=storage), DEFAULT_PLUGINS)


def everywhere(asked: Pod, storage: Storage, *things: Pod | Node) -> Verdict:
    """The verdict, which must be the same for every node."""
    said = set(verdicts(made(asked, storage, *things)).values())
    assert len(said) == 1
    return said.pop()


def test_a_pod_without_volumes_skips_every_volume_plugin() -> None:
    said = made(pod(), NO_STORAGE, node())
    assert said.skipped >= {*VOLUME_PLUGINS, "DynamicResources"}
    assert feasible(said) == ("n",)


def test_a_missing_claim_is_reported_by_volume_restrictions() -> None:
    said = everywhere(claiming("c"), NO_STORAGE, node("n"), node("m"))
    missing = unresolvable("VolumeRestrictions", 'persistentvolumeclaim "c" not found')
    assert said == Verdict(missing, "preFilter")


def test_an_unbound_immediate_claim_is_reported_by_volume_binding() -> None:
    said = everywhere(claiming("c"), stored(PersistentVolumeClaim("c")), node())
    unbound = unresolvable("VolumeBinding", "pod has unbound immediate PersistentVolumeClaims")
    assert said == Verdict(unbound, "preFilter")


def test_a_missing_volume_is_reported_by_volume_zone_or_if_ephemeral_by_volume_binding() -> None:
    lost = PersistentVolumeClaim("c", volume_name="v", bind_completed=True)
    absent = unresolvable("VolumeZone", 'persistentvolume "v" not found')
    assert everywhere(claiming("c"), stored(lost), node()) == Verdict(absent, "preFilter")
    own = replace(lost, name="p-c", owner_uid="1")
    unavailable = unresolvable(
        "VolumeBinding", "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
    )
    asked = pod(volumes=(Volume("c", Ephemeral("1")),))
    assert everywhere(asked, stored(own), node()) == Verdict(unavailable, "filter")


def test_a_bound_claim_restricts_the_pod_to_the_zone_of_its_volume() -> None:
    volume = PersistentVolume("v", frozendict({ZONE: "a"}))
    claim = PersistentVolumeClaim("c", volume_name="v", bind_completed=True)
    said = made(
        claiming("c"), stored(volume, claim), node("a", labels={ZONE: "a"}), node("b", labels={ZONE: "b"}), node("c")
    )
    assert feasible(said) == ("a", "c")
    assert verdicts(said)["b"].refusal == unresolvable("VolumeZone", "node(s) had no available volume zone")
    assert said.skipped & {*VOLUME_PLUGINS} == {"VolumeRestrictions"}


def test_a_wait_for_first_consumer_claim_skips_volume_zone() -> None:
    said = made(claiming("c"), stored(WAITING, PersistentVolumeClaim("c", storage_class="waiting")), node())
    assert feasible(said) == ("n",)
    assert said.skipped & {*VOLUME_PLUGINS} == {"VolumeRestrictions", "VolumeZone"}


def test_without_its_pre_filter_volume_zone_looks_for_the_volumes_of_the_pod_at_filter() -> None:
    # volume_zone.go, Filter: without state it computes the topologies there, and each error refuses the node.
    profile = replace(DEFAULT_PLUGINS, points=DEFAULT_PLUGINS.points | {"preFilter": (), "filter": ("VolumeZone",)})
    gone = PersistentVolumeClaim("c", volume_name="v", bind_completed=True)
    storages = {
        'persistentvolumeclaim "c" not found': NO_STORAGE,
        'persistentvolume "v" not found': stored(gone),
        "PersistentVolumeClaim had no pv name and storageClass name": stored(PersistentVolumeClaim("c")),
        'storageclass.storage.k8s.io "none" not found': stored(PersistentVolumeClaim("c", storage_class="none")),
        "node(s) had no available volume zone": stored(gone, PersistentVolume("v", frozendict({ZONE: "a"}))),
    }
    for reason, storage in storages.items():
        there = replace(snapshot(node("b", labels={ZONE: "b"})), storage=storage)
        assert verdicts(cycle(claiming("c"), there, profile))["b"] == Verdict(
            unresolvable("VolumeZone", reason), "filter"
        )
        assert verdicts(cycle(pod(), there, profile))["b"].refusal is None
        assert difference(concluded(claiming("c"), there, profile), there, profile) is None


def test_a_read_write_once_pod_claim_can_be_freed_by_preemption() -> None:
    claim = PersistentVolumeClaim("c", volume_name="v", bind_completed=True, access_modes=("ReadWriteOncePod",))
    storage = stored(claim, PersistentVolume("v"))
    said = everywhere(claiming("c"), storage, claiming("c", name="there", on="n"), node("n"), node("m"))
    in_use = unschedulable(
        "VolumeRestrictions",
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
    )
    assert said == Verdict(in_use, "filter")
    assert feasible(made(claiming("c"), storage, node("n"), node("m"))) == ("m", "n")


def test_the_first_rejecting_filter_is_reported() -> None:
    full = CSINode("n", allocatable=frozendict({"ebs.csi.aws.com": 0}))
    asked = pod(volumes=(Volume("v", AWSElasticBlockStore("vol-1")),))
    said = everywhere(asked, stored(full), replace(asked, name="there", node_name="n"), node())
    assert said.refusal == unschedulable("VolumeRestrictions", "node(s) had no available disk")
    said = everywhere(asked, stored(full), node())
    assert said.refusal == unschedulable("NodeVolumeLimits", "node(s) exceed max volume count")


def test_an_error_of_a_filter_on_one_node_ends_the_cycle_in_an_error() -> None:
    asked = pod(volumes=(Volume("v", AzureDisk("d", "uri")),))
    said = made(asked, stored(CSINode("n")), node("m"), node("n"))
    reason = "converting volume(v) from inline to csi: kind(Shared) is not supported in csi migration"
    assert verdicts(said)["n"].refusal == failed("NodeVolumeLimits", reason)
    assert feasible(said) == ("m",)
    assert choice(said) == Choice("error", error=f'running "NodeVolumeLimits" filter plugin: {reason}')


def test_a_feasible_nominated_node_is_chosen_before_another_node_can_fail() -> None:
    asked = pod(volumes=(Volume("v", AzureDisk("d", "uri")),), nominated_node_name="m")
    said = made(asked, stored(CSINode("n")), node("m"), node("n"))
    assert choice(said) == Choice("scheduled", "nominated", ("m",))


def test_a_pod_with_resource_claims_is_unresolvable_on_every_node() -> None:
    asked = pod(resource_claims=(PodClaim("gpu"),))
    said = unresolvable("DynamicResources", "not modelled: resource claims")
    assert everywhere(asked, NO_STORAGE, node("n"), node("m")) == Verdict(said, "preFilter")
    assert choice(made(asked, NO_STORAGE, node())) == Choice("unschedulable")
    assert everywhere(replace(asked, nominated_node_name="n"), NO_STORAGE, node("n")) == Verdict(said, "preFilter")


def test_only_volume_restrictions_checks_disks_before_failing_without_pre_filter() -> None:
    disk = Volume("d", AWSElasticBlockStore("d"))
    there = made(pod(volumes=(disk,)), NO_STORAGE, node(), pod("other", on="n", volumes=(disk,)))
    (info,) = there.infos
    assert unasked(there, info, "VolumeRestrictions").code is Code.UNSCHEDULABLE
    for name in ("NodePorts", "VolumeBinding"):
        assert unasked(there, info, name) == failed(name, FILTER[name])
    (alone,) = made(pod(volumes=(disk,)), NO_STORAGE, node()).infos
    assert unasked(there, alone, "VolumeRestrictions") == failed("VolumeRestrictions", FILTER["VolumeRestrictions"])
