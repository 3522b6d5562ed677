"""The resource claims of a pod, and what is not modelled of them: `claims_of`, `reserved`, `unmodelled`.

Kubernetes 1.37: foreachPodResourceClaim in pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go;
k8s.io/dynamic-resource-allocation/resourceclaim.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache

from frozendict import frozendict

from schedcheck.spec.cel.device_selectors import selected, unmodelled_on, unmodelled_part
from schedcheck.spec.cel.values import CelError
from schedcheck.spec.device_objects import (
    ALL,
    CLAIMS,
    CLASSES,
    MOST_CONSUMERS,
    NO_DEVICES,
    SLICES,
    TEMPLATES,
    Device,
    Devices,
    PodClaim,
    Request,
    ResourceClaim,
)
from schedcheck.spec.devices.capacities import fine
from schedcheck.spec.devices.gates import Gates
from schedcheck.spec.objects import Container, Pod
from schedcheck.spec.requests import each_container

IMPLICIT = "deviceclass.resource.kubernetes.io/"
"""The prefix of the extended resource that stands for each device class."""


def named(each: PodClaim) -> bool:
    r"""Whether the claim object of this claim of a pod is known by name: written, or made from the template.

    TLA+: PodClaims(Pod) ==
            IF "ResourceClaims" \in DOMAIN Pod.Spec THEN Pod.Spec.ResourceClaims ELSE <<>>
    """
    return bool(each.claim)


def claims_of(pod: Pod, devices: Devices, gates: Gates) -> tuple[ResourceClaim, ...] | str:
    r"""Return the claims of the pod, in order; or why the pod must wait, in kube-scheduler's words.

    A claim for which a template made none, because none was needed, is left out.

    TLA+: WaitsForClaims(Pod, Snapshot) ==
            \E i \in DOMAIN PodClaims(Pod) :
              LET Each == PodClaims(Pod)[i]
              IN \/ Each.Claim = "" /\ Each.Template = ""
                 \/ Each.Template # "" /\ ~Each.Generated
                 \/ Each.Claim # "" /\ Unusable(Pod, Each, Snapshot)

    TLA+: ClaimsOf(Pod, Snapshot) ==
            LET Those == SelectSeq(PodClaims(Pod), LAMBDA Each : Each.Claim # "")
            IN IF WaitsForClaims(Pod, Snapshot) THEN <<>>
               ELSE [i \in DOMAIN Those |-> CHOOSE Claim \in NamedClaims(Pod, Those[i], Snapshot) : TRUE]
    """
    found = []
    for each in pod.resource_claims:
        if not each.claim and not each.template:
            return f'pod "{pod.namespace}/{pod.name}", spec.resourceClaim "{each.name}": none of the supported fields are set'
        if each.template and not each.generated:
            return f'pod "{pod.namespace}/{pod.name}": ResourceClaim not created yet'
        if not named(each):
            continue
        claim = devices.claim(pod.namespace, each.claim)
        why = unusable(pod, each, claim, gates)
        if claim is None or why:
            return why
        found.append(claim)
    return tuple(found)


def unusable(pod: Pod, each: PodClaim, claim: ResourceClaim | None, gates: Gates) -> str:
    r"""Return why the pod cannot use the claim object; empty if it can.

    TLA+: NamedClaims(Pod, Each, Snapshot) ==
            {Claim \in ResourceClaims(Snapshot) : Claim.Namespace = Pod.Namespace /\ Claim.Name = Each.Claim}

    TLA+: Unusable(Pod, Each, Snapshot) ==
            LET Found == NamedClaims(Pod, Each, Snapshot)
            IN \/ Found = {}
               \/ \E Claim \in Found :
                    \/ Claim.Terminating
                    \/ Each.Template # "" /\ Claim.OwnerUid # Each.PodUid
    """
    if claim is None:
        return f'could not find ResourceClaim "{pod.namespace}/{each.claim}"'
    if claim.terminating:
        return f'resourceclaim "{claim.name}" is being deleted'
    if each.template and claim.owner_uid != each.pod_uid:
        kind, who = ("pod", "pod") if gates.plain_owners else ("Pod", "Pod")
        return (
            f"ResourceClaim {claim.namespace}/{claim.name} was not created for {kind} {pod.namespace}/{pod.name} "
            f"({who} is not owner)"
        )
    return ""


def reserved(pod: Pod, claim: ResourceClaim) -> bool:
    r"""Whether the claim is reserved for the pod.

    TLA+: ReservedBy(Pod, Claim) ==
            \E i \in DOMAIN Claim.ReservedFor : Claim.ReservedFor[i].Uid = PodUid(Pod)
    """
    uid = pod_uid(pod)
    return any(each.uid == uid for each in claim.reserved_for)


def pod_uid(pod: Pod) -> str:
    """Return the uid by which claims know the pod.

    TLA+: PodUid(Pod) ==
            IF PodClaims(Pod) = <<>> THEN "" ELSE PodClaims(Pod)[1].PodUid
    """
    return next((each.pod_uid for each in pod.resource_claims), "")


def unallocated(claims: Iterable[ResourceClaim]) -> tuple[ResourceClaim, ...]:
    """Return the claims that are not allocated.

    TLA+: Unallocated(Claims) == SelectSeq(Claims, LAMBDA Claim : Claim.Allocation = Null)
    """
    return tuple(claim for claim in claims if claim.allocation is None)


NOT_GIVEN = "resource claims"
"""What is not modelled if a cluster has no objects of dynamic resource allocation: they were not read."""

LACKING = frozendict(
    {
        CLASSES: "no DeviceClasses are given",
        SLICES: "no ResourceSlices are given",
        CLAIMS: "no ResourceClaims are given",
        TEMPLATES: "no ResourceClaimTemplates are given",
    }
)
"""Why nothing is known of an allocation if the objects of one kind were not read."""


@lru_cache(maxsize=1024)
def unmodelled(pod: Pod, devices: Devices, gates: Gates) -> str:
    """Return the first feature on which the allocation for the pod depends and that is not modelled; empty if none.

    Claims that are not allocated depend on device classes, on resource slices and on what other claims hold.
    """
    if devices == NO_DEVICES:
        return NOT_GIVEN if pod.resource_claims else ""
    absent = _absent(pod, devices)
    if absent:
        return LACKING[absent]
    if gates.extended_resources:
        name = next(extended(pod, devices), "")
        if name:
            return f"the extended resource {name}, which the device class of that name backs"
    claims = claims_of(pod, devices, gates)
    if isinstance(claims, str):
        return ""
    kind = next((each for each in (CLASSES, SLICES, CLAIMS) if each in devices.lacking and unallocated(claims)), "")
    return LACKING[kind] if kind else next(_parts(pod, claims, devices, gates), "")


def _absent(pod: Pod, devices: Devices) -> str:
    """Return the kind of object that was not read and would have a claim of the pod; empty if there is none."""
    for each in pod.resource_claims:
        if TEMPLATES in devices.lacking and each.template and not each.generated:
            return TEMPLATES
        if CLAIMS in devices.lacking and named(each) and devices.claim(pod.namespace, each.claim) is None:
            return CLAIMS
    return ""


def backed(devices: Devices) -> frozenset[str]:
    """Return the extended resources that device classes back."""
    return frozenset(
        name for each in devices.classes for name in (each.extended_resource, IMPLICIT + each.name) if name
    )


def extended(pod: Pod, devices: Devices) -> Iterator[str]:
    """Yield the extended resources that containers of the pod request and that device classes back."""
    known = backed(devices)
    for container in (*pod.init_containers, *pod.containers):
        yield from (name for name in sorted(container.requests) if name in known)


def claiming(pod: Pod, devices: Devices, gates: Gates) -> bool:
    """Whether the pod needs devices: it has claims, or requests extended resources that device classes back."""
    return pod.resource_claims != () or (gates.extended_resources and any(extended(pod, devices)))


def claims_met(pod: Pod, devices: Devices, gates: Gates) -> Pod:
    """Return the pod as if it needed no devices: the case in which all its claims are met."""
    known = backed(devices) if gates.extended_resources else frozenset()
    return replace(each_container(pod, lambda each: _without(each, known)), resource_claims=())


def _without(container: Container, names: frozenset[str]) -> Container:
    left = frozendict({name: amount for name, amount in container.requests.items() if name not in names})
    return container if left == container.requests else replace(container, requests=left)


def _parts(pod: Pod, claims: tuple[ResourceClaim, ...], devices: Devices, gates: Gates) -> Iterator[str]:
    for claim in claims:
        if claim.allocation is None and not gates.consumable and any(each.distinct for each in claim.constraints):
            yield f"distinctAttribute of the claim {claim}, which API servers drop without DRAConsumableCapacity"
        if claim.allocation is None and gates.consumable and gates.plain_messages and any(_forgotten(claim)):
            yield f"distinctAttribute of the claim {claim}, which 1.36 compares with the last device of each request"
        if len(claim.reserved_for) >= MOST_CONSUMERS and not reserved(pod, claim):
            yield f"the claim {claim}, which is reserved for {len(claim.reserved_for)} pods, so that the binding fails"
    waiting = unallocated(claims)
    for claim in waiting:
        for request in claim.requests:
            for _, part in request.parts:
                yield from _of_request(claim, part, devices, gates)
    yield from _of_pools(waiting, devices, gates)
    if waiting and gates.partitionable and gates.plain_messages:
        counting = {(each.driver, each.pool) for each in devices.slices if each.counters}
        local = {(each.driver, each.pool) for each in devices.slices if not each.place.all_nodes}
        yield from (
            f"shared counters of the pool {'/'.join(each)}, as 1.36 takes them for all nodes"
            for each in sorted(counting & local)
        )
    if waiting:
        for each in devices.slices:
            for device in each.devices:
                of = f"the device {device.name} in the slice {each.name}"
                if device.unmodelled:
                    yield f"{device.unmodelled} of {of}"
                if gates.consumable and any(map(fine, device.policies.values())):
                    yield f"a requestPolicy with amounts finer than a thousandth of {of}"
                if device.conditional and gates.binding_conditions:
                    yield f"bindingConditions of {of}"


def _of_pools(waiting: tuple[ResourceClaim, ...], devices: Devices, gates: Gates) -> Iterator[str]:
    """Yield the pools that disagree about themselves, and what depends on the random order of pools."""
    counts: dict[tuple[str, str, int], set[int]] = {}
    for each in devices.slices:
        counts.setdefault((each.driver, each.pool, each.generation), set()).add(each.slices)
    if waiting:
        yield from (
            f"the resourceSliceCount of the pool {driver}/{pool}, on which its slices disagree,"
            for (driver, pool, _), found in sorted(counts.items())
            if len(found) > 1
        )
    if gates.pools_in_any_order:
        parts = [
            (claim, request, part) for claim in waiting for request in claim.requests for part in request.alternatives
        ]
        yield from (
            f"allocationMode All in the alternatives of the request {request.name} of the claim {claim}"
            for claim, request, part in parts
            if part.mode == ALL
        )
        rated = any(request.alternatives for claim in waiting for request in claim.requests)
        if order_matters(waiting, devices, gates) or (rated and _several(devices) and not gates.alternatives_unrated):
            yield "the random order in which kube-scheduler searches pools"


def order_matters(waiting: tuple[ResourceClaim, ...], devices: Devices, gates: Gates) -> bool:
    """Whether one node may have two pools, and the search in some pool may end in an error."""
    every = (part.mode == ALL for claim in waiting for request in claim.requests for _, part in request.parts)
    return _several(devices) and (
        any(every)
        or (gates.invalid_pools_fail and _a_name_occurs_twice(devices))
        or any(
            _fails(expression, each.driver, device)
            for claim in waiting
            for request in claim.requests
            for _, part in request.parts
            for expression in (*_selectors_of_class(part, devices), *part.selectors)
            for each in devices.slices
            for device in each.devices
        )
    )


def _several(devices: Devices) -> bool:
    """Whether one node may have two pools."""
    local: dict[str, set[tuple[str, str]]] = {}
    for each in devices.slices:
        local.setdefault(each.place.node_name, set()).add((each.driver, each.pool))
    shared = local.pop("", set())
    return any(len(found | shared) > 1 for found in (*local.values(), shared))


def _a_name_occurs_twice(devices: Devices) -> bool:
    names = [(each.driver, each.pool, device.name) for each in devices.slices for device in each.devices]
    return len(set(names)) < len(names)


def _selectors_of_class(request: Request, devices: Devices) -> tuple[str, ...]:
    found = devices.device_class(request.device_class)
    return found.selectors if found is not None else ()


def _fails(expression: str, driver: str, device: Device) -> bool:
    try:
        selected(expression, driver, device)
    except (CelError, ValueError):
        return True
    return False


def _forgotten(claim: ResourceClaim) -> Iterator[Request]:
    """Yield the requests for more than one device that a distinctAttribute concerns.

    Kubernetes 1.36: dynamic-resource-allocation/structured/internal/experimental/constraint.go, add: the attributes are a
    map with one entry for each request.
    """
    for constraint in (each for each in claim.constraints if each.distinct):
        for request in claim.requests:
            for name, part in request.parts:
                concerned = constraint.requests == () or not {request.name, name}.isdisjoint(constraint.requests)
                if concerned and (part.mode == ALL or part.count > 1):
                    yield part


def _of_request(claim: ResourceClaim, request: Request, devices: Devices, gates: Gates) -> Iterator[str]:
    of = f"the request {request.name} of the claim {claim}"
    if request.unmodelled:
        yield f"{request.unmodelled} of {of}"
    for expression in (*_selectors_of_class(request, devices), *request.selectors):
        part = unmodelled_part(expression)
        every = ((each.driver, device) for each in devices.slices for device in each.devices)
        parts = (part,) if part else (unmodelled_on(expression, *each) for each in every)
        yield from (each for each in parts if each)
