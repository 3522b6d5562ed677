"""Questions about pods with resource claims: some claims are to be allocated, others are held by bound pods: `claiming`"""

from dataclasses import replace
from random import Random

from schedcheck.checker.drawing.kinds import Asked
from schedcheck.manifests.snapshots import uid
from schedcheck.spec.device_objects import Allocation, Consumer, Device, PodClaim, ResourceClaim, ResourceSlice, Result
from schedcheck.spec.objects import Pod
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from tests.support.claiming import claim, random_devices

EFFECTS = {"None": "NoExecute"}
"""Effects of taints that a version does not have yet, with one that it has."""


def claiming(asked: Asked, chance: Random, *, newest: bool = False) -> Asked:
    """Return the question with devices, of which the pod claims some, and bound pods may hold others.

    `newest`: the devices and claims have what 1.36 allows too, counters and consumable capacities.
    """
    pod, snapshot = asked
    names = tuple(node.name for node in snapshot.nodes) or ("n0",)
    devices, claims = random_devices(chance, names, newest=newest)
    devices = replace(devices, slices=tuple(map(admitted, devices.slices)))
    mine = tuple(replace(each, namespace=pod.namespace) for each in claims)
    changed = {pod.key: _using(pod, mine)}
    held = list[ResourceClaim]()
    for other in snapshot.pods:
        if other.node_name in names and other.key != pod.key and chance.random() < 0.3:
            taken = _held(other, devices.slices, len(held), chance)
            if taken is not None:
                held.append(taken)
                changed[other.key] = _using(other, (taken,))
    if held and chance.random() < 0.2 and held[0].namespace == pod.namespace:
        changed[pod.key] = _using(pod, (held[0],))
    pods = tuple(changed.get(each.key, each) for each in snapshot.pods)
    there = tuple(sorted((*mine, *held), key=lambda each: each.key))
    return changed[pod.key], replace(snapshot, pods=pods, devices=replace(devices, claims=there))


def admitted(each: ResourceSlice) -> ResourceSlice:
    """Return the slice with taints of an effect that every version admits, and one device of a name."""
    named = {device.name: device for device in each.devices}
    tainted = (
        replace(device, taints=tuple(replace(one, effect=EFFECTS.get(one.effect, one.effect)) for one in device.taints))
        for device in named.values()
    )
    return replace(each, devices=tuple(tainted))


def _using(pod: Pod, claims: tuple[ResourceClaim, ...]) -> Pod:
    return replace(pod, resource_claims=tuple(PodClaim(each.name, each.name, pod_uid=uid(pod)) for each in claims))


def _held(pod: Pod, slices: tuple[ResourceSlice, ...], number: int, chance: Random) -> ResourceClaim | None:
    """Return a claim that is allocated a device of the pod's node and reserved for the pod; None without such a device."""
    local = [(one, device) for one in slices for device in one.devices if one.place.node_name == pod.node_name]
    if not local:
        return None
    found: tuple[ResourceSlice, Device] = chance.choice(local)
    result = Result("r", found[0].driver, found[0].pool, found[1].name)
    terms = (NodeSelectorTerm(match_fields=(Requirement("metadata.name", "In", (pod.node_name,)),)),)
    return replace(
        claim(f"held-{number}"),
        namespace=pod.namespace,
        allocation=Allocation((result,), terms),
        reserved_for=(Consumer(pod.name, uid(pod)),),
    )
