"""What happens to a pod in `hinted`: questions of features that hints read, and changes of any object: `question`, `changes`"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from frozendict import frozendict

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.storage import (
    CSI,
    IMMEDIATE,
    WAIT_FOR_FIRST_CONSUMER,
    AWSElasticBlockStore,
    GCEPersistentDisk,
    Storage,
    StorageClass,
    Volume,
    VolumeAttachment,
)
from schedcheck.spec.terms import Requirement
from schedcheck.spec.volumes.csi_migration import DRIVERS
from tests.checker.differential.enumeration.spaces import NODES
from tests.checker.differential.enumeration.storage_vocabulary import DRIVER, OFFICIAL_ZONE, STORAGE
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search import joint, nominated_flips, small, small_flips, wide
from tests.support.building import resized

READ = {
    "NodePorts": ("ports",),
    "NodeUnschedulable": ("cordons",),
    "TaintToleration": ("taints", "spread policies"),
    "NodeAffinity": ("node affinity", "arguments"),
    "NodeResourcesFit": ("resources", "extended resources", "effective requests", "resizes", "room for pods"),
    "InterPodAffinity": ("affinity", "anti-affinity", "namespaces"),
    "PodTopologySpread": ("spread", "spread policies", "default constraints", "taints"),
    "VolumeRestrictions": ("disks", "claims of one pod", "bound claims"),
    "VolumeZone": ("zones of volumes", "bound claims"),
    "VolumeBinding": ("waiting claims", "provisioning", "bound claims"),
    "NodeVolumeLimits": ("limits of volumes", "disks", "bound claims"),
}
"""The features that the hints of a plugin read."""
OF_STORAGE = frozenset(each.name for each in STORAGE)
OTHERS = ("default", "other")
ZONES = (OFFICIAL_ZONE, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/region", "other")
PLUGINS = ("kubernetes.io/portworx-volume", "kubernetes.io/gce-pd", "kubernetes.io/aws-ebs")
INLINE = (
    CSI(DRIVER),
    CSI(DRIVER),
    AWSElasticBlockStore("vol-1"),
    AWSElasticBlockStore("other"),
    GCEPersistentDisk("d"),
)


def question(chance: Chance, by: tuple[str, ...]) -> tuple[small.Features, Question]:
    """Return features that the plugins read, and a small question about a pod that waits."""
    read = [name for each in by for name in READ.get(each, ())]
    names = dict.fromkeys((*chance.some(read, 1, 2), *chance.some(sorted(NAMED), 0, 0 if read and chance.often(0.7) else 2)))  # fmt: skip
    chosen: small.Features = tuple(NAMED[each] for each in names if each not in ("waits for victims", "budgets"))
    if not OF_STORAGE & {*names} and chance.often(0.25):
        chosen = (*wide.features(chance), *chosen[:1])
    asked, there, plugins = small.question(chance, chosen, 2)
    asked = replace(asked, nominated_node_name="", scheduling_gates=(), uid="asked", priority=chance.one(0, 5))
    if OF_STORAGE & {*names} and chance.often(0.3):
        asked = replace(asked, volumes=(*asked.volumes, Volume("inline", chance.choice(INLINE))))
    places = [each.name for each in there.nodes]
    waiting = [
        replace(small.pod(chance, chosen, f"q{number}"), nominated_node_name=chance.choice(places), uid=f"q{number}")
        for number in range(chance.one(0, 0, 1))
    ]
    waiting = [replace(each, priority=chance.one(0, 1, 5, 9), scheduling_gates=()) for each in waiting]
    return chosen, (asked, replace(there, pods=Snapshot.of([*there.pods, *waiting]).pods), plugins)


def changes(chance: Chance, chosen: small.Features, asked: Pod, there: Snapshot) -> Iterator[tuple[Pod, Snapshot]]:
    """Yield the asked pod and the cluster after one change of any kind."""
    stored = bool(OF_STORAGE & {each.name for each in chosen})
    match chance.one("fields", "fields", "fields", "joint", "goes", "pods", "pods", *(["stored"] * 8 * stored)):
        case "fields":
            yield from small_flips.changes(chance, chosen, asked, there)
        case "joint":
            yield from joint.changes(chance, chosen, asked, there)
        case "goes":
            yield from small_flips.without_one(chance, asked, there)
        case "stored" if chance.often(0.4):
            yield asked, replace(there, storage=_one_field(chance, there.storage))
        case "stored" if chance.often(0.3):
            yield from small_flips.without_stored(chance, asked, there)
        case "stored":
            yield from _elsewhere(chance, small_flips.stored_changes(chance, chosen, asked, there))
        case _:
            yield asked, replace(there, pods=Snapshot.of(pods(chance, chosen, asked, there)).pods)


def _elsewhere(chance: Chance, found: Iterator[tuple[Pod, Snapshot]]) -> Iterator[tuple[Pod, Snapshot]]:
    """Yield the clusters, now and then with a claim of another namespace."""
    for asked, there in found:
        claims = there.storage.claims
        if not claims or not chance.often(0.15):
            yield asked, there
            continue
        one = replace(chance.choice(claims), namespace="other")
        kept = [each for each in claims if each.key != one.key]
        yield asked, replace(there, storage=replace(there.storage, claims=(*kept, one)))


def _one_field(chance: Chance, storage: Storage) -> Storage:
    """Return the storage with one field of one object changed, or with an attachment or a class more or less."""
    zones = frozendict({chance.choice(ZONES): chance.one("a", "b", "a__b", " ", "a__")})
    limits = frozendict({DRIVER: chance.randint(0, 3)})
    new: dict[str, dict[str, Any]] = {
        "volumes": chance.one({"labels": zones}, {"phase": chance.one("Bound", "Released"), "capacity": chance.randint(1, 3)}),
        "classes": {"allowed_topologies": chance.one((), ((Requirement("zone", "In", ("a",)),),))},
        "nodes": chance.one({"migrated": frozenset(chance.some(PLUGINS, 0, 2))}, {"allocatable": limits}),
        "drivers": {"storage_capacity": chance.often(0.5)},
        "capacities": chance.one({"capacity": chance.one(None, 1, 2, 3)}, {"maximum_volume_size": chance.one(None, 1, 2)}),
    }  # fmt: skip
    there = [name for name in new if getattr(storage, name)]
    if not there or chance.often(0.3):
        if chance.often(0.4):
            later = StorageClass("now", DRIVER, chance.one(IMMEDIATE, WAIT_FOR_FIRST_CONSUMER))
            kept = tuple(each for each in storage.classes if each.name != "now")
            return replace(storage, classes=kept if chance.often(0.5) else (*kept, later))
        made = VolumeAttachment("a9", chance.one(DRIVER, *DRIVERS.values()), NODES[0], "v")
        return replace(storage, attachments=(*(each for each in storage.attachments if each.name != "a9"), made))
    name = chance.choice(there)
    listed = getattr(storage, name)
    one = chance.choice(listed)
    return replace(storage, **{name: tuple(replace(one, **new[name]) if each is one else each for each in listed)})


def pods(chance: Chance, chosen: small.Features, asked: Pod, there: Snapshot) -> list[Pod]:
    """Return the pods after one comes, or after one ends, is bound, resized, nominated elsewhere, or made anew."""
    nominated = [each for each in there.pods if each.nominated_node_name and not each.node_name]
    name = chance.choice([each.name for each in there.nodes])
    come = any(each.name == "z9" for each in there.pods)
    if not there.pods or (not come and chance.often(0.3)):
        like = asked if chance.often(0.3) else small.pod(chance, chosen, "x")
        return [*there.pods, replace(like, name="z9", namespace=chance.choice(OTHERS), uid="z9", node_name=name)]
    one = chance.choice(nominated) if nominated and chance.often(0.5) else chance.choice(there.pods)
    others = [each for each in there.pods if each is not one]
    if one in nominated:
        if chance.often(0.5):
            found = [after for pod, after in nominated_flips.changes(chance, there) if pod is one]
            return [*others, *(each for each in found[:1] if each is not None)]
        return [*others, replace(one, node_name=name, nominated_node_name="")]
    match chance.randrange(4):
        case 0:
            return [*others, replace(one, phase="Succeeded")]
        case 1:
            return [*others, resized(one)]
        case 2:
            return [*others, replace(one, uid="anew", labels=small.pod(chance, chosen, "x").labels)]
    return [*others, replace(one, namespace="other" if one.namespace == "default" else "default")]
