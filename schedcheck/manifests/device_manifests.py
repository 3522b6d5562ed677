"""Objects of dynamic resource allocation to manifests, which read back as equal objects: `device_manifests`."""

from collections.abc import Iterator
from typing import Any

from schedcheck.manifests.devices import GROUPS, LIST_ATTRIBUTE, UNKNOWN_OF_DEVICE
from schedcheck.manifests.manifests import Manifest, exact_text, given, node_term_manifest
from schedcheck.spec.device_objects import (
    ALL,
    CLAIMS,
    CLASSES,
    NO_DEVICES,
    SLICES,
    Allocation,
    Constraint,
    Device,
    DeviceClass,
    Devices,
    DeviceToleration,
    Place,
    Policy,
    Request,
    ResourceClaim,
    ResourceSlice,
    Result,
)
from schedcheck.spec.terms import NodeSelectorTerm
from schedcheck.spec.values import Amounts

VERSION = "resource.k8s.io/v1"
SHARE = "00000000-0000-4000-8000-000000000000"
"""The shareID written for a share of a device; the real one is not kept."""
UNNAMED = "unnamed"
"""The item written for a list whose items are not kept, as they are not modelled."""
DELETED = "1970-01-01T00:00:00Z"


def device_manifests(devices: Devices) -> Iterator[Manifest]:
    """Yield the device classes, resource slices and resource claims; an empty list of a kind that has no object."""
    if devices != NO_DEVICES:
        objects = {CLASSES: devices.classes, SLICES: devices.slices, CLAIMS: devices.claims}
        for kind, there in objects.items():
            if not there and kind not in devices.lacking:
                yield {"apiVersion": VERSION, "kind": f"{kind}List", "items": []}
    yield from map(class_manifest, devices.classes)
    yield from map(slice_manifest, devices.slices)
    yield from map(claim_manifest, devices.claims)


def class_manifest(each: DeviceClass) -> Manifest:
    """Return a device class."""
    spec = given({"selectors": _selectors(each.selectors), "extendedResourceName": each.extended_resource})
    return {"apiVersion": VERSION, "kind": "DeviceClass", "metadata": {"name": each.name}, "spec": spec}


def slice_manifest(each: ResourceSlice) -> Manifest:
    """Return a resource slice."""
    pool = {"name": each.pool, "generation": each.generation, "resourceSliceCount": each.slices}
    counters = [{"name": name, "counters": _counters(amounts)} for name, amounts in each.counters]
    return {
        "apiVersion": VERSION,
        "kind": "ResourceSlice",
        "metadata": {"name": each.name},
        "spec": {
            "driver": each.driver,
            "pool": pool,
            **_place(each.place),
            **({} if each.per_device is None else {"perDeviceNodeSelection": each.per_device}),
            **given({"devices": [_device(device) for device in each.devices], "sharedCounters": counters}),
        },
    }


def claim_manifest(each: ResourceClaim) -> Manifest:
    """Return a resource claim."""
    owner = {"apiVersion": "v1", "kind": "Pod", "name": "", "uid": each.owner_uid, "controller": True}
    metadata = {
        "name": each.name,
        "namespace": each.namespace,
        "uid": each.uid,
        "ownerReferences": [owner] if each.owner_uid else [],
        "deletionTimestamp": DELETED if each.terminating else "",
    }
    consumers = [{"resource": one.resource, "name": one.name, "uid": one.uid} for one in each.reserved_for]
    asked = {
        "requests": [_request(request) for request in each.requests],
        "constraints": [_constraint(constraint) for constraint in each.constraints],
    }
    status = {"allocation": _allocation(each.allocation) if each.allocation else None, "reservedFor": consumers}
    return {
        "apiVersion": VERSION,
        "kind": "ResourceClaim",
        "metadata": given(metadata),
        "spec": {"devices": given(asked)},
        **given({"status": given(status)}),
    }


def _selectors(expressions: tuple[str, ...]) -> list[Manifest]:
    return [{"cel": {"expression": each}} for each in expressions]


def _terms(terms: tuple[NodeSelectorTerm, ...]) -> Manifest:
    return {"nodeSelectorTerms": [node_term_manifest(term) for term in terms]}


def _place(place: Place) -> Manifest:
    return given({"nodeName": place.node_name, "allNodes": place.all_nodes}) | (
        {} if place.terms is None else {"nodeSelector": _terms(place.terms)}
    )


def _counters(amounts: Amounts) -> Manifest:
    return {name: {"value": exact_text("", amount)} for name, amount in sorted(amounts.items())}


def _device(device: Device) -> Manifest:
    taints = [
        {"key": each.key, **given({"value": each.value}), "effect": each.effect, "timeAdded": DELETED}
        for each in device.taints
    ]
    groups = {GROUPS: [UNNAMED]} if device.unmodelled == GROUPS else {}
    consumed = [{"counterSet": name, "counters": _counters(amounts), **groups} for name, amounts in device.consumes]
    return {
        "name": device.name,
        **({device.unmodelled: {UNNAMED: {}}} if device.unmodelled in UNKNOWN_OF_DEVICE else {}),
        **_place(device.place),
        **given(
            {
                "attributes": {name: {each.type: each.value} for name, each in sorted(device.attributes.items())}
                | {name: {"strings": [UNNAMED]} for name in _list_attribute(device)},
                "capacity": {
                    name: {"value": exact_text("", amount), **_policy(device.policies.get(name))}
                    for name, amount in sorted(device.capacity.items())
                },
                "taints": taints,
                "consumesCounters": consumed,
                "allowMultipleAllocations": device.multiple,
                "bindsToNode": device.binds_to_node,
                "bindingConditions": [UNNAMED] if device.conditional else [],
            }
        ),
    }


def _list_attribute(device: Device) -> tuple[str, ...]:
    """Return the name of the attribute that is a list, if it makes the device one that is not modelled."""
    before, after = LIST_ATTRIBUTE.split("{}")
    text = device.unmodelled
    known = text.startswith(before) and text.endswith(after)
    return (text.removeprefix(before).removesuffix(after),) if known else ()


def _policy(policy: Policy | None) -> Manifest:
    if policy is None:
        return {}
    bounds = {"min": policy.minimum, "max": policy.maximum, "step": policy.step}
    within = {key: exact_text("", amount) for key, amount in bounds.items() if amount is not None}
    return {
        "requestPolicy": {
            **({} if policy.default is None else {"default": exact_text("", policy.default)}),
            **given({"validValues": [exact_text("", each) for each in policy.values], "validRange": within}),
        }
    }


def _request(request: Request) -> Manifest:
    if request.alternatives:
        return {
            "name": request.name,
            "firstAvailable": [_part(each) | {"name": each.name} for each in request.alternatives],
        }
    return {"name": request.name, "exactly": _part(request)}


def _part(request: Request) -> dict[str, Any]:
    return {
        "deviceClassName": request.device_class,
        "allocationMode": request.mode,
        **({} if request.mode == ALL else {"count": request.count}),
        **given(
            {
                "selectors": _selectors(request.selectors),
                "adminAccess": request.admin,
                "tolerations": [_toleration(each) for each in request.tolerations],
            }
        ),
        **({request.unmodelled: [UNNAMED]} if request.unmodelled else {}),
        **({} if request.capacity is None else {"capacity": {"requests": _amounts(request.capacity)}}),
    }


def _amounts(amounts: Amounts) -> Manifest:
    return {name: exact_text("", amount) for name, amount in sorted(amounts.items())}


def _toleration(toleration: DeviceToleration) -> Manifest:
    return given(
        {
            "key": toleration.key,
            "operator": toleration.operator,
            "value": toleration.value,
            "effect": toleration.effect,
        }
    )


def _constraint(constraint: Constraint) -> Manifest:
    kind = "distinctAttribute" if constraint.distinct else "matchAttribute"
    return given({"requests": [*constraint.requests], kind: constraint.attribute})


def _allocation(allocation: Allocation) -> Manifest:
    results = [_result(each) for each in allocation.results]
    return given(
        {
            "devices": {"results": results},
            "nodeSelector": _terms(allocation.terms) if allocation.terms else None,
        }
    )


def _result(result: Result) -> Manifest:
    return given(
        {
            "request": result.request,
            "driver": result.driver,
            "pool": result.pool,
            "device": result.device,
            "adminAccess": result.admin,
            "shareID": SHARE if result.shared else "",
            "consumedCapacity": _amounts(result.consumed),
        }
    )
