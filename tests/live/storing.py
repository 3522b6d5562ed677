"""Random clusters with a PodGroup whose pods have volume claims: `storing`"""

from dataclasses import replace
from random import Random
from typing import Any, Final

from schedcheck.manifests.snapshots import stored_objects
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.storage import (
    WAIT_FOR_FIRST_CONSUMER,
    ClaimReference,
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
)
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from schedcheck.spec.values import Amounts
from tests.live.grouping import HOST, STORED, ZONE, drawn

Json = dict[str, Any]
DRIVER: Final = "made.example"
GIBIBYTE: Final = 1 << 30
LOCAL: Final = StorageClass("local", "kubernetes.io/no-provisioner", WAIT_FOR_FIRST_CONSUMER)


def storing(chance: Random, place: int) -> Json:
    """Return a random case in which pods of the group have claims: bound ones, and ones that wait for a consumer."""
    asked = drawn(chance, place)
    members = [each for each in asked["pods"] if each["spec"].get("schedulingGroup", {}).get("podGroupName") == "g"]
    hosts = [each["metadata"]["name"] for each in asked["nodes"]]
    names = [f"c{number}" for number in range(len(members))]
    names.append("s")
    claims, bound = _claims(names, hosts, chance)
    for number, each in enumerate(members):
        used = [name for name, odds in ((names[number], 0.6), ("s", 0.35)) if chance.random() < odds]
        each["spec"]["volumes"] = [
            {"name": f"v{at}", "persistentVolumeClaim": {"claimName": name}} for at, name in enumerate(used)
        ]
    volumes = (*bound, *(_local(number, hosts, chance) for number in range(chance.choice((0, 1, 2, 2, 3, 4)))))
    topologies = ((Requirement(ZONE, "In", ("u",)),),) if chance.random() < 0.3 else ()
    made = StorageClass("made", DRIVER, WAIT_FOR_FIRST_CONSUMER, topologies)
    limits = tuple(
        CSINode(host, frozenset({DRIVER}), Amounts({DRIVER: chance.choice((1, 2, 3))}))
        for host in hosts
        if chance.random() < 0.6
    )
    there = replace(Snapshot(), storage=Storage(volumes, claims, (LOCAL, made), limits))
    return {**asked, **_listed(there)}


def _claims(names: list[str], hosts: list[str], chance: Random) -> tuple[tuple[PersistentVolumeClaim, ...], list[PersistentVolume]]:  # fmt: skip
    claims, volumes = [], []
    for name in names:
        mode = chance.choice((*("ReadWriteOnce",) * 5, "ReadWriteMany", "ReadWriteOncePod"))
        size = chance.choice((1, 1, 2, 3)) * GIBIBYTE
        one = PersistentVolumeClaim(
            name,
            uid=f"uid-{name}",
            access_modes=(mode,),
            request=size,
            storage_class=chance.choice(("local", "local", "made")),
        )
        if chance.random() < 0.2:
            volume = _volume(f"bound-{name}", chance.choice(hosts) if chance.random() < 0.7 else "", size)
            reference = ClaimReference(one.namespace, name, one.uid)
            volumes.append(replace(volume, access_modes=(mode,), claim=reference, phase="Bound"))
            one = replace(one, volume_name=volume.name, bind_completed=True, phase="Bound", storage_class="local")
        elif chance.random() < 0.05 and one.storage_class == "made":
            one = replace(one, selected_node=chance.choice(hosts))
        claims.append(one)
    return tuple(claims), volumes


def _local(number: int, hosts: list[str], chance: Random) -> PersistentVolume:
    made = _volume(f"v{number}", chance.choice(hosts), chance.choice((1, 2, 3)) * GIBIBYTE)
    return replace(made, access_modes=("ReadWriteOncePod",)) if chance.random() < 0.15 else made


def _volume(name: str, host: str, size: int) -> PersistentVolume:
    there = (NodeSelectorTerm((Requirement(HOST, "In", (host,)),)),) if host else None
    return PersistentVolume(
        name, capacity=size, access_modes=("ReadWriteOnce", "ReadWriteMany"), storage_class="local", node_affinity=there
    )


def _listed(there: Snapshot) -> Json:
    """Return the objects of storage in the form of a case."""
    found: Json = {each: [] for each in STORED.values()}
    for each in stored_objects(there):
        if each["kind"] == "PersistentVolume":
            each["spec"]["hostPath"] = {"path": "/data"}
        found[STORED[each["kind"]]].append(each)
    return found
