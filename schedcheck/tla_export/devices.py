"""Resource claims, slices and classes as the records of tla/KubeClaims.tla and tla/KubePools.tla: `device_constants`.

The modules do not evaluate CEL. Each part of a request is written with the numbers of the devices for which the
expressions of its class and its own are true; a number is the place in the order in which devices are tried. Amounts of
capacities and counters are divided (`schedcheck.tla_export.device_amounts`).
"""

from collections.abc import Iterable, Iterator
from itertools import combinations, product
from math import comb, prod

from frozendict import frozendict

from schedcheck.model.scenario import Scenario
from schedcheck.spec.cel.device_selectors import selected
from schedcheck.spec.cel.values import CelError
from schedcheck.spec.device_objects import (
    ALL,
    NO_DEVICES,
    Allocation,
    Attribute,
    Constraint,
    Device,
    Devices,
    Place,
    PodClaim,
    Request,
    ResourceClaim,
    ResourceSlice,
    Result,
)
from schedcheck.spec.devices.choices import attribute
from schedcheck.spec.devices.pools import Offered
from schedcheck.spec.objects import Pod
from schedcheck.spec.selectors import numeral
from schedcheck.spec.terms import NodeSelectorTerm
from schedcheck.spec.values import NO_AMOUNTS
from schedcheck.tla_export.device_amounts import Divisors, divisors
from schedcheck.tla_export.objects import node_term_record
from schedcheck.tla_export.text import Function, NotExportable, Record, Set, Value

Numbers = frozendict[tuple[ResourceSlice, int], int]
"""The number of each device, by its slice and its place there."""

COUNTED = 10_000
"""Up to so many allocations of a claim those of equal names are counted once."""


def claiming(scenario: Scenario) -> bool:
    """Whether the scheduler of the scenario allocates devices to claims of its pods."""
    return (
        scenario.scheduler.has_plugins
        and scenario.devices != NO_DEVICES
        and any(pod.resource_claims for pod in scenario.pods)
    )  # fmt: skip


def device_constants(scenario: Scenario) -> dict[str, Value]:
    """Return the constants of tla/KubeDeviceCluster.tla; none without claims. Raises: NotExportable."""
    if not claiming(scenario):
        return {}
    devices = scenario.devices
    numbers = numbered(devices)
    classes = tuple(Record({"Kind": "DeviceClass", "Name": each.name}) for each in devices.classes)
    slices = tuple(slice_record(each, devices, numbers) for each in devices.slices)
    return {
        "GivenClaims": Set(tuple(claim_record(each, devices, numbers) for each in devices.claims)),
        "Inventory": Set((*classes, *slices)),
    }


def numbered(devices: Devices) -> Numbers:
    """Return the place of each device in the order in which devices are tried."""
    ordered = sorted(devices.slices, key=lambda each: (each.driver, each.pool, each.name))
    every = ((each, place) for each in ordered for place in range(len(each.devices)))
    return frozendict({there: number for number, there in enumerate(every, 1)})


def slice_record(each: ResourceSlice, devices: Devices, numbers: Numbers) -> Record:
    """Return the record of a resource slice."""
    names = {constraint.attribute for claim in devices.claims for constraint in claim.constraints}
    by = divisors(devices)
    made = (
        _device(Offered(each, device), names, numbers[each, place], by) for place, device in enumerate(each.devices)
    )
    return Record(
        {
            "Kind": "ResourceSlice",
            "Name": each.name,
            "Driver": each.driver,
            "Pool": each.pool,
            "Generation": each.generation,
            "Slices": each.slices,
            **_place(each.place),
            "PerDevice": bool(each.per_device),
            "SelectsNodes": each.per_device is not None,
            "Devices": Set(tuple(made)),
            "Counters": by.sets(each.counters),
        }
    )


def _device(offered: Offered, names: set[str], number: int, by: Divisors) -> Record:
    device: Device = offered.device
    found = {name: value for name in names if (value := attribute(offered, name)) is not None}
    taints = (Record({"Key": each.key, "Value": each.value, "Effect": each.effect}) for each in device.taints)
    return Record(
        {
            "Number": number,
            "Name": device.name,
            "Attributes": Function({name: _text(value) for name, value in found.items()}),
            "Taints": Set(tuple(taints)),
            "BindsToNode": device.binds_to_node,
            **_place(device.place),
            "Consumes": by.sets(device.consumes),
            "Multiple": device.multiple,
            "Capacity": by.capacity(device.capacity),
            "Policies": by.policies(device),
        }
    )


def _place(place: Place) -> dict[str, Value]:
    """Return the fields of the nodes from which devices are accessible."""
    return {"NodeName": place.node_name, "AllNodes": place.all_nodes, "Terms": _terms(place.terms)}


def _text(value: Attribute) -> str:
    """Return a text of an attribute's type and value, which distinguishes values."""
    return f"{value.type}:{value.value}"


def claim_record(claim: ResourceClaim, devices: Devices, numbers: Numbers) -> Record:
    """Return the record of a resource claim. Raises: NotExportable if an expression fails on a device."""
    consumers = (Record({"Resource": each.resource, "Name": each.name, "Uid": each.uid}) for each in claim.reserved_for)
    return Record(
        {
            "Kind": "ResourceClaim",
            "Namespace": claim.namespace,
            "Name": claim.name,
            "OwnerUid": claim.owner_uid,
            "Terminating": claim.terminating,
            "Requests": tuple(_request(claim, each, devices, numbers) for each in claim.requests),
            "Constraints": Set(tuple(map(_constraint, claim.constraints))),
            "Allocation": allocation_record(claim.allocation, divisors(devices)),
            "ReservedFor": tuple(consumers),
        }
    )


def allocation_record(allocation: Allocation | None, by: Divisors) -> Record | None:
    """Return the record of an allocation, None for Null."""
    if allocation is None:
        return None
    return Record(
        {"Results": tuple(_result(each, by) for each in allocation.results), "Terms": _terms(allocation.terms)}
    )


def _result(result: Result, by: Divisors) -> Record:
    written: dict[str, Value] = {"Request": result.request, "Id": result.id, "Admin": result.admin}
    return Record({**written, "Shared": result.shared, "Consumed": by.capacity(result.consumed)})


def _request(claim: ResourceClaim, request: Request, devices: Devices, numbers: Numbers) -> Record:
    parts = (
        Record(
            {
                "Name": name,
                "DeviceClass": part.device_class,
                "Mode": part.mode,
                "Count": part.count,
                "Selected": Set(tuple(selected_by(claim, part, devices, numbers))),
                "Admin": part.admin,
                "Tolerations": Set(
                    tuple(
                        Record({"Key": each.key, "Operator": each.operator, "Value": each.value, "Effect": each.effect})
                        for each in part.tolerations
                    )
                ),
                "Capacity": divisors(devices).capacity(part.capacity or NO_AMOUNTS),
            }
        )
        for name, part in request.parts
    )
    return Record({"Name": request.name, "Ranked": request.alternatives != (), "Parts": tuple(parts)})


def selected_by(claim: ResourceClaim, part: Request, devices: Devices, numbers: Numbers) -> Iterator[int]:
    """Yield the numbers of the devices that satisfy the expressions of class and request. Raises: NotExportable."""
    found = devices.device_class(part.device_class)
    expressions = (*(found.selectors if found is not None else ()), *part.selectors)
    for (listing, place), number in numbers.items():
        device = listing.devices[place]
        try:
            if all(selected(each, listing.driver, device) for each in expressions):
                yield number
        except (CelError, ValueError) as error:
            raise NotExportable(
                f"an expression of the request {part.name} of the claim {claim} fails on the device "
                f"{device.name} in the slice {listing.name}, and tla/ has no search that ends in an error"
            ) from error


def named_devices(pod: Pod, devices: Devices) -> int:
    """Return in how many ways some claims of a pod may each get names of devices: `AllottedAmong` of FairDeviceCluster.

    Whatever is taken, tainted or out of reach counts too, since instances are the same in all states. If there are very
    many, devices of one name in several pools count apart.
    """
    own = {each.claim for each in pod.resource_claims}
    claims = (each for each in devices.claims if each.namespace == pod.namespace and each.name in own)
    return prod(1 + _names(each, devices) for each in claims)


def _names(claim: ResourceClaim, devices: Devices) -> int:
    """Return how many sequences of names of devices the claim may get, in the order of its results."""
    numbers = numbered(devices)
    names = {number: listing.devices[place].name for (listing, place), number in numbers.items()}

    def counts(part: Request) -> tuple[list[int], Iterable[int]]:
        selected = sorted(selected_by(claim, part, devices, numbers))
        return selected, range(len(selected) + 1) if part.mode == ALL else (part.count,)

    asked = [[counts(part) for _, part in request.parts] for request in claim.requests]
    every = prod(sum(comb(len(some), count) for some, most in parts for count in most) for parts in asked)
    if every > COUNTED:
        return every
    of_requests = (
        [each for some, most in parts for count in most for each in combinations(some, count)] for parts in asked
    )
    return len({tuple(names[number] for some in each for number in some) for each in product(*of_requests)})


def _constraint(constraint: Constraint) -> Record:
    return Record(
        {
            "Attribute": constraint.attribute,
            "Requests": Set(tuple(constraint.requests)),
            "Distinct": constraint.distinct,
        }
    )


def _terms(terms: tuple[NodeSelectorTerm, ...] | None) -> Set | None:
    return None if terms is None else Set(tuple(map(node_term_record, terms)))


def pod_claims(pod: Pod) -> tuple[Record, ...]:
    """Return the records of a pod's claims."""
    return tuple(map(_pod_claim, pod.resource_claims))


def _pod_claim(each: PodClaim) -> Record:
    named: dict[str, Value] = {"Name": each.name, "Claim": each.claim, "Template": each.template}
    return Record({**named, "Generated": each.generated, "PodUid": each.pod_uid})


def numerals_of_terms(devices: Devices) -> dict[str, Value]:
    """Return the integers that texts in the terms of slices and allocations write."""
    held = [each.allocation.terms for each in devices.claims if each.allocation is not None]
    places = [place.terms for each in devices.slices for place in (each.place, *(one.place for one in each.devices))]
    terms = [term for some in (*places, *held) for term in some or ()]
    texts = {text for term in terms for each in (*term.match_expressions, *term.match_fields) for text in each.values}
    return {text: number for text in sorted(texts) if (number := numeral(text)) is not None}
