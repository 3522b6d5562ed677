"""Rules about volumes: claims that no volume satisfies, classes without nodes, pods apart from their volumes"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from schedcheck.findings import places
from schedcheck.findings.claims import CLASS_MISSING, MISSING, NO_VOLUME, TOO_FEW, TOPOLOGY, VOLUME_MISSING
from schedcheck.findings.finding import Severity
from schedcheck.findings.places import NO_SPACE, NOWHERE, ONCE, UNAVAILABLE
from tests.support.linting import Manifest, cluster_of, deployment, found, host, linted, waiting

WAITS = "WaitForFirstConsumer"
ZONE = "topology.kubernetes.io/zone"
NONE = "kubernetes.io/no-provisioner"


def using(*claims: str, **spec: Any) -> dict[str, Any]:
    """The volumes of a pod that names these claims."""
    named = [{"name": f"v{number}", "persistentVolumeClaim": {"claimName": name}} for number, name in enumerate(claims)]
    return {"volumes": named, **spec}


def claim(name: str, to: str = "", klass: str | None = "made", size: str = "1Gi", **more: Any) -> Manifest:
    """A claim; one with a volume is bound."""
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": size}}, **more}
    meta: dict[str, Any] = {"name": name, "namespace": "default"}
    if klass is not None:
        spec["storageClassName"] = klass
    if to:
        spec["volumeName"] = to
        meta["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    status = {"phase": "Bound" if to else "Pending"}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": meta, "spec": spec, "status": status}


def volume(name: str, of: str = "", klass: str = "made", size: str = "1Gi", at: tuple[str, str] | None = None, **more: Any) -> Manifest:  # fmt: skip
    """A volume, bound to the claim `of`, that is reached from nodes with the label `at`."""
    spec: dict[str, Any] = {
        "capacity": {"storage": size},
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": klass,
        "csi": {"driver": "disks.example.com", "volumeHandle": name},
        **more,
    }
    if of:
        spec["claimRef"] = {"namespace": "default", "name": of}
    if at:
        terms = [{"matchExpressions": [{"key": at[0], "operator": "In", "values": [at[1]]}]}]
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    status = {"phase": "Bound" if of else "Available"}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name}, "spec": spec, "status": status}


def storage_class(name: str = "made", provisioner: str = "disks.example.com", **more: Any) -> Manifest:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": provisioner,
        "volumeBindingMode": WAITS,
        **more,
    }


def limit(node: str, count: int) -> Manifest:
    driver = {"name": "disks.example.com", "nodeID": node, "topologyKeys": [], "allocatable": {"count": count}}
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSINode",
        "metadata": {"name": node},
        "spec": {"drivers": [driver]},
    }


A, B = host("a", labels={ZONE: "east"}), host("b", labels={ZONE: "west"})


def test_a_missing_claim_is_an_error_for_a_pending_pod_and_a_warning_for_a_bound_one(tmp_path: Path) -> None:
    (one,) = found(tmp_path, waiting(**using("lost")), claim("other"), storage_class(), A)[MISSING]
    assert (one.severity, one.field) == (Severity.ERROR, "spec.volumes")
    assert "default/lost does not exist, so that no node can take p." in one.sentence
    (one,) = found(tmp_path, waiting("p", "1", "a", **using("lost")), claim("other"), storage_class(), A)[MISSING]
    assert (one.severity, "again once evicted" in one.sentence) == (Severity.WARNING, True)
    assert found(tmp_path, waiting(**using("data")), claim("data"), storage_class(), A) == {}


def test_a_claim_is_not_missed_where_the_input_has_no_claims(tmp_path: Path) -> None:
    told = linted(tmp_path, waiting(**using("lost")), A)
    assert ([each.rule for each in told.findings if "claim" in each.rule], told.exit_code) == ([], 2)
    assert [(each.rule, each.why) for each in told.undecided] == [(MISSING, "the input has no PersistentVolumeClaims")]
    assert linted(tmp_path, waiting("p", "1", "a", **using("lost")), A).exit_code == 0


def test_a_claim_of_an_ephemeral_volume_is_not_missed(tmp_path: Path) -> None:
    of = {"volumeClaimTemplate": {"spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "made"}}}
    pod = waiting(volumes=[{"name": "scratch", "ephemeral": of}])
    assert found(tmp_path, pod, claim("other"), storage_class(), A) == {}


def test_a_claim_whose_volume_does_not_exist_is_an_error(tmp_path: Path) -> None:
    there = [claim("data", "gone"), volume("disk-1"), storage_class(), A]
    (one,) = found(tmp_path, waiting(**using("data")), *there)[VOLUME_MISSING]
    assert (one.severity, str(one.thing)) == (Severity.ERROR, "PersistentVolumeClaim default/data")
    (one,) = found(tmp_path, *there)[VOLUME_MISSING]
    assert one.severity is Severity.NOTE
    assert found(tmp_path, waiting(**using("data")), claim("data", "disk-1"), volume("disk-1", "data"), A) == {}


def test_volumes_that_the_input_lacks_are_unknown(tmp_path: Path) -> None:
    told = linted(tmp_path, waiting(**using("data")), claim("data", "gone"), storage_class(), A)
    assert [(each.rule, each.why) for each in told.undecided] == [
        (VOLUME_MISSING, "the input has no PersistentVolumes, which 1 claim of pending pods may need")
    ]
    assert told.findings == ()


def test_a_class_that_does_not_exist_is_an_error_unless_a_volume_suits(tmp_path: Path) -> None:
    there = [waiting(**using("data")), claim("data", klass="fast"), storage_class(), A]
    (one,) = found(tmp_path, *there)[CLASS_MISSING]
    assert (one.severity, one.field) == (Severity.ERROR, "spec.storageClassName")
    assert one.witness == ("the input has no PersistentVolume of the class fast",)
    assert CLASS_MISSING not in found(tmp_path, *there, volume("disk-1", klass="fast"))
    assert found(tmp_path, *there, storage_class("fast")) == {}
    told = linted(tmp_path, waiting(**using("data")), claim("data", klass="fast"), A)
    assert [each.rule for each in told.undecided] == [CLASS_MISSING]


@pytest.mark.parametrize(
    ("there", "why"),
    [
        ([], "the input has no PersistentVolume of the class local"),
        ([volume("v", klass="local", size="1023Mi")], "v: holds 1023Mi, and the claim requests 1Gi"),
        (
            [volume("v", of="other", klass="local")],
            "v: is bound to, or kept for, the claim default/other",
        ),
        ([volume("v", klass="local", accessModes=["ReadOnlyMany"])], "v: lacks the access mode ReadWriteOnce"),
        (
            [volume("v", klass="local", volumeMode="Block")],
            "v: has the volumeMode Block, the claim Filesystem",
        ),
        ([volume("v", klass="made")], "the input has no PersistentVolume of the class local"),
    ],
)
def test_a_claim_of_a_class_without_provisioner_needs_a_volume_that_suits(
    there: list[Manifest], why: str, tmp_path: Path
) -> None:
    given = [waiting(**using("data")), claim("data", klass="local"), storage_class("local", NONE), A]
    (one,) = found(tmp_path, *given, *there)[NO_VOLUME]
    assert (one.severity, one.witness) == (Severity.ERROR, (why,))
    assert found(tmp_path, *given, volume("exact", klass="local", size="1Gi")) == {}


def default_class(name: str, provisioner: str = "disks.example.com", **metadata: str) -> Manifest:
    """A default class."""
    marked = {"storageclass.kubernetes.io/is-default-class": "true"}
    return storage_class(name, provisioner) | {"metadata": {"name": name, "annotations": marked, **metadata}}


def test_a_claim_without_a_class_gets_the_default_class(tmp_path: Path) -> None:
    given = [waiting(**using("data")), claim("data", klass=None), A]
    (one,) = found(tmp_path, *given, storage_class())[NO_VOLUME]
    assert one.sentence.startswith("It has no class, for which nothing is provisioned")
    assert found(tmp_path, *given, default_class("std")) == {}
    (one,) = found(tmp_path, waiting(**using("data")), claim("data", klass=""), A, default_class("std"))[NO_VOLUME]
    assert one.severity is Severity.ERROR


@pytest.mark.parametrize(("first", "second", "counts"), [(1, 2, "second"), (2, 1, "first"), (1, 1, "first")])
def test_of_several_default_classes_the_newest_counts_and_then_the_first_by_name(
    first: int, second: int, counts: str, tmp_path: Path
) -> None:
    """The class that counts has no provisioner, which the finding says; each class has the day of its creation."""
    days = {"second": second, "first": first}
    classes = [
        default_class(
            name,
            NONE if name == counts else "disks.example.com",
            creationTimestamp=f"2026-01-0{day}T00:00:00Z",
        )
        for name, day in days.items()
    ]
    given = [waiting(**using("data")), claim("data", klass=None), A]
    (one,) = found(tmp_path, *given, *classes)[NO_VOLUME]
    assert one.sentence.startswith(f"It has the class {counts}, for which nothing is provisioned")


def test_an_unused_claim_without_a_volume_is_a_note(tmp_path: Path) -> None:
    (one,) = found(tmp_path, claim("data", klass="local"), storage_class("local", NONE), A)[NO_VOLUME]
    assert one.severity is Severity.NOTE


def test_more_claims_than_volumes_that_suit_them_are_an_error(tmp_path: Path) -> None:
    pods = [waiting(f"p{n}", **using(f"data-{n}")) for n in range(3)]
    claims = [claim(f"data-{n}", klass="local", size=f"{n + 1}Gi") for n in range(3)]
    volumes = [volume("v1", klass="local", size="2Gi"), volume("v2", klass="local", size="3Gi")]
    given = [*pods, *claims, *volumes, storage_class("local", NONE), A]
    (one,) = found(tmp_path, *given)[TOO_FEW]
    assert (one.severity, one.witness[1]) == (Severity.ERROR, "volumes: v1, v2")
    assert one.sentence.startswith("3 unbound claims of pending pods need a PersistentVolume each, and only 2 suit")
    assert found(tmp_path, *given, volume("v3", klass="local", size="1Gi")) == {}
    # Two claims for the one large volume: the small one is not to blame.
    large = [claim("data-0", klass="local"), *(claim(f"data-{n}", klass="local", size="3Gi") for n in (1, 2))]
    (one,) = found(tmp_path, *pods, *large, *volumes, storage_class("local", NONE), A)[TOO_FEW]
    assert one.witness == ("claims: default/data-1, default/data-2", "volumes: v2")


def test_each_set_of_claims_that_share_volumes_is_told_once(tmp_path: Path) -> None:
    pods = [waiting(f"p{n}", **using(f"data-{n}")) for n in range(5)]
    three = [claim(f"data-{n}", klass="local") for n in range(3)]
    two = [claim(f"data-{n}", klass="other") for n in (3, 4)]
    volumes = [volume("v1", klass="local"), volume("v2", klass="other")]
    given = [*pods, *three, *two, *volumes, storage_class("local", NONE), storage_class("other", NONE), A]
    assert [each.witness for each in found(tmp_path, *given)[TOO_FEW]] == [
        ("claims: default/data-0, default/data-1, default/data-2", "volumes: v1"),
        ("claims: default/data-3, default/data-4", "volumes: v2"),
    ]


@pytest.mark.medium
def test_no_hash_seed_changes_the_claims_that_are_told(tmp_path: Path) -> None:
    pods = [waiting(f"p{n}", **using(f"data-{n}")) for n in range(3)]
    claims = [claim(f"data-{n}", klass="local") for n in range(3)]
    cluster_of(tmp_path, *pods, *claims, volume("v1", klass="local"), storage_class("local", NONE), A)
    command = [sys.executable, "-m", "schedcheck", "lint", str(tmp_path / "cluster.yaml")]
    told = {
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": str(seed)}, capture_output=True, text=True, check=False
        ).stdout
        for seed in range(4)
    }
    (text,) = told
    assert "3 unbound claims of pending pods need a PersistentVolume each, and only 1" in text


def test_claims_that_no_pending_pod_names_need_no_volume(tmp_path: Path) -> None:
    claims = [claim(f"data-{n}", klass="local") for n in range(3)]
    given = [waiting(**using("data-0")), *claims, volume("v1", klass="local"), storage_class("local", NONE), A]
    assert found(tmp_path, *given) == {}


def test_topologies_without_a_node_are_an_error_if_a_pod_waits_for_them(tmp_path: Path) -> None:
    of: dict[str, Any] = {"allowedTopologies": [{"matchLabelExpressions": [{"key": ZONE, "values": ["north"]}]}]}
    (one,) = found(tmp_path, storage_class(**of), A)[TOPOLOGY]
    assert (one.severity, str(one.thing)) == (Severity.WARNING, "StorageClass made")
    assert one.witness == (f"it provisions for nodes with {ZONE} in (north)",)
    told = found(tmp_path, waiting(**using("data")), claim("data"), storage_class(**of), A)
    assert [(rule, each.severity) for rule, some in told.items() for each in some] == [(TOPOLOGY, Severity.ERROR)]
    assert "data waits for one" in told[TOPOLOGY][0].sentence
    assert found(tmp_path, storage_class(**of), host("n1", labels={ZONE: "north"})) == {}


def test_a_pod_whose_volume_is_reached_from_no_node_that_takes_it_is_an_error(tmp_path: Path) -> None:
    bound = [claim("data", "disk-1"), volume("disk-1", "data", at=(ZONE, "west")), storage_class(), A, B]
    assert found(tmp_path, waiting(**using("data")), *bound) == {}
    east = {"nodeSelector": {ZONE: "east"}}
    (one,) = found(tmp_path, waiting(**using("data", **east)), *bound)[NOWHERE]
    assert (one.severity, one.witness) == (Severity.ERROR, ("a: is not matched by the node affinity of disk-1",))
    (one,) = found(tmp_path, waiting("p", "1", "b", **using("data", **east)), *bound)[NOWHERE]
    assert one.severity is Severity.WARNING


def test_two_volumes_in_different_zones_are_an_error(tmp_path: Path) -> None:
    zoned = volume("disk-2", "logs")
    zoned["metadata"]["labels"] = {ZONE: "east"}
    given = [claim("data", "disk-1"), volume("disk-1", "data", at=(ZONE, "west")), claim("logs", "disk-2"), zoned, storage_class(), A, B]  # fmt: skip
    (one,) = found(tmp_path, waiting(**using("data", "logs")), *given)[NOWHERE]
    assert one.witness == (
        "a: is not matched by the node affinity of disk-1",
        f"b: is not in {ZONE} east of a volume",
    )
    assert found(tmp_path, waiting(**using("logs")), *given) == {}


def test_a_local_volume_of_another_node_than_the_pods_is_an_error(tmp_path: Path) -> None:
    given = [claim("data", klass="local"), storage_class("local", NONE), volume("v", klass="local", at=(ZONE, "west"))]
    (one,) = found(tmp_path, waiting(**using("data", nodeSelector={ZONE: "east"})), *given, A, B)[NOWHERE]
    assert one.witness == ("a: has no free volume for data, and none can be provisioned there",)


@pytest.mark.parametrize(("count", "fits"), [(0, False), (1, False), (2, True)])
def test_a_node_that_attaches_too_few_volumes_takes_no_pod_with_more(count: int, fits: bool, tmp_path: Path) -> None:
    given = [claim("data"), claim("logs"), storage_class(), A, limit("a", count)]
    told = found(tmp_path, waiting(**using("data", "logs")), *given)
    assert (told == {}) == fits
    if not fits:
        assert told[NOWHERE][0].witness == (
            f"a: takes too few volumes: disks.example.com attaches at most {count}, and the pod has 2",
        )
        assert found(tmp_path, waiting(**using("data", "logs")), *given, B) == {}


DRIVER: Manifest = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "CSIDriver",
    "metadata": {"name": "disks.example.com"},
    "spec": {"preventPodSchedulingIfMissing": True},
}


def test_a_node_without_a_driver_that_must_be_there_takes_no_pod(tmp_path: Path) -> None:
    given = [waiting(**using("data")), claim("data", to="v"), volume("v", of="data"), A, B, DRIVER]
    elsewhere = {**limit("b", 5), "spec": {"drivers": []}}
    (one,) = found(tmp_path, *given, elsewhere)[NOWHERE]
    assert one.witness == ("a, b: disks.example.com CSI driver is not installed on the node",)
    assert found(tmp_path, *given, limit("b", 5)) == {}
    optional = {**DRIVER, "spec": {}}
    assert found(tmp_path, *given[:-1], optional, elsewhere) == {}


def test_drivers_on_nodes_are_unknown_where_the_input_has_no_csi_nodes(tmp_path: Path) -> None:
    given = [waiting(**using("data")), claim("data", to="v"), volume("v", of="data"), A, DRIVER]
    told = linted(tmp_path, *given)
    assert [each.rule for each in told.findings if each.rule == NOWHERE] == []
    assert [each.why for each in told.undecided if each.rule == NOWHERE] == [
        "the input has no CSINodes, on which CSI drivers are missed"
    ]


def attachment(volume: str, node: str) -> Manifest:
    spec = {"attacher": "disks.example.com", "nodeName": node, "source": {"persistentVolumeName": volume}}
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "VolumeAttachment",
        "metadata": {"name": f"{volume}-on-{node}"},
        "spec": spec,
    }


def test_volumes_that_are_attached_now_may_be_detached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = [waiting(**using("data")), claim("data"), storage_class(), A, limit("a", 1)]
    attached = [volume("disk-9", "other"), attachment("disk-9", "a")]
    assert found(tmp_path, *given, *attached) == {}
    monkeypatch.setattr(places, "for_good", lambda storage: storage)
    assert list(found(tmp_path, *given, *attached)) == [NOWHERE], "the broken rule is noticed"


def test_volumes_on_cordoned_nodes_only_are_a_warning(tmp_path: Path) -> None:
    cordoned = host("b", labels={ZONE: "west"}, unschedulable=True)
    given = [claim("data", "disk-1"), volume("disk-1", "data", at=(ZONE, "west")), storage_class(), A, cordoned]
    (one,) = found(tmp_path, waiting(**using("data")), *given)[UNAVAILABLE]
    assert (one.severity, one.sentence.endswith("tainted for their state: b.")) == (Severity.WARNING, True)
    (one,) = found(tmp_path, waiting("p", "1", "b", **using("data")), *given)[UNAVAILABLE]
    assert one.severity is Severity.NOTE


def test_too_little_space_is_a_warning_as_it_may_be_freed(tmp_path: Path) -> None:
    driver = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSIDriver",
        "metadata": {"name": "disks.example.com"},
        "spec": {"storageCapacity": True},
    }
    room = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSIStorageCapacity",
        "metadata": {"name": "room", "namespace": "default"},
        "storageClassName": "made",
        "nodeTopology": {},
        "capacity": "1Gi",
    }
    given = [storage_class(), driver, room, A]
    assert found(tmp_path, waiting(**using("data")), claim("data", size="1Gi"), *given) == {}
    (one,) = found(tmp_path, waiting(**using("data")), claim("data", size="1025Mi"), *given)[NO_SPACE]
    assert (one.severity, one.witness) == (Severity.WARNING, ("a: has too little storage left for data",))


def test_a_read_write_once_pod_claim_of_two_replicas_is_an_error(tmp_path: Path) -> None:
    once = claim("data", accessModes=["ReadWriteOncePod"])
    given = [once, storage_class(), A, B]
    (one,) = found(tmp_path, deployment(replicas=2, **using("data")), *given)[ONCE]
    assert (one.severity, one.sentence.endswith("2 pods name it: web-0, web-1.")) == (Severity.ERROR, True)
    assert found(tmp_path, deployment(replicas=1, **using("data")), *given) == {}
    (one,) = found(tmp_path, waiting("p", **using("data")), waiting("q", **using("data")), *given)[ONCE]
    assert one.severity is Severity.WARNING
    shared = claim("data", accessModes=["ReadWriteOnce"])
    assert found(tmp_path, deployment(replicas=2, **using("data")), shared, *given[1:]) == {}


def test_one_cause_is_one_finding(tmp_path: Path) -> None:
    given = [claim("data", klass="local"), storage_class("local", NONE), A]
    assert list(found(tmp_path, waiting(**using("data")), *given)) == [NO_VOLUME]
    assert list(found(tmp_path, waiting(**using("data")), claim("data", "gone"), volume("v"), A)) == [VOLUME_MISSING]
