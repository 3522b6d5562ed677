"""Random clusters with a PodGroup whose pods have resource claims: `allocating`"""

from dataclasses import replace
from random import Random
from typing import Any

from schedcheck.manifests.snapshots import stored_objects
from schedcheck.spec.device_objects import Devices, ResourceClaim, ResourceSlice
from schedcheck.spec.objects import Snapshot
from tests.live.claiming import admitted
from tests.live.grouping import DEVISED, drawn
from tests.support.claiming import GPU, claim, gpus, random_devices

Json = dict[str, Any]


def allocating(chance: Random, place: int) -> Json:
    """Return a random case in which pods of the group have claims of their own, and some that they share."""
    asked = drawn(chance, place)
    members = [each for each in asked["pods"] if each["spec"].get("schedulingGroup", {}).get("podGroupName") == "g"]
    hosts = tuple(each["metadata"]["name"] for each in asked["nodes"])
    slices, claims = _plain(hosts, chance) if chance.random() < 0.6 else _rich(hosts, chance)
    shared = [each.name for each in claims]
    for number, each in enumerate(members):
        used = [name for name in shared if chance.random() < 0.4][:2]
        if chance.random() < 0.5:
            own = claim(f"own{number}", chance.choice((1, 1, 1, 2)))
            claims = (*claims, own)
            used.append(own.name)
        each["spec"]["resourceClaims"] = [{"name": name, "resourceClaimName": name} for name in used]
    there = replace(Snapshot(), devices=Devices(slices, (GPU,), tuple(sorted(claims, key=lambda each: each.key))))
    found: Json = {each: [] for each in DEVISED.values()}
    for each in stored_objects(there):
        found[DEVISED[each["kind"]]].append(each)
    return {**asked, **found}


def _plain(hosts: tuple[str, ...], chance: Random) -> tuple[tuple[ResourceSlice, ...], tuple[ResourceClaim, ...]]:
    """Return equal devices of the nodes, and a claim."""
    numbers = [(host, chance.choice((0, 1, 1, 2, 3))) for host in hosts]
    return tuple(gpus(number, host, f"s-{host}") for host, number in numbers if number), (claim("s"),)


def _rich(hosts: tuple[str, ...], chance: Random) -> tuple[tuple[ResourceSlice, ...], tuple[ResourceClaim, ...]]:
    """Return devices and claims with attributes, constraints, alternatives, taints and the like."""
    devices, claims = random_devices(chance, hosts)
    return tuple(map(admitted, devices.slices)), claims
