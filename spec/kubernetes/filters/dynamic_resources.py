"""The plugin DynamicResources: the resource claims of a pod can be met on a node.

A claim that is allocated can be used on the nodes of its allocation. For all other claims of the pod together the
allocator must find devices. Pods on the node do not count: devices are taken by the allocations of claims.

Kubernetes 1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go. Not modelled: what `unmodelled` of
`spec.devices.claims` names; allocations that are not written yet; the timeout of the filter. A pod whose claims depend on
such a feature is rejected for every node, with that reason, and the decision is unknown if it could differ otherwise
(`spec.kubernetes.control_loop.unmodelled`).
"""

from schedcheck.spec.device_objects import Devices, ResourceClaim
from schedcheck.spec.devices.allocations import Failure, NotOnNode, outcome, situation_of
from schedcheck.spec.devices.claims import claiming as needs_devices
from schedcheck.spec.devices.claims import claims_met as without_claims
from schedcheck.spec.devices.claims import claims_of, pod_uid, unallocated
from schedcheck.spec.devices.claims import unmodelled as unmodelled_feature
from schedcheck.spec.devices.gates import Gates
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.refusal import Refusal, failed, unresolvable
from schedcheck.spec.selectors import match_term

NAME = "DynamicResources"
UNAVAILABLE = "resourceclaim not available on the node"
NO_DEVICES_LEFT = "cannot allocate all claims"


def gates(departures: Departures) -> Gates:
    """Return the features of the version that departs in these ways."""
    before_1_36 = Departure.POOLS_IN_ANY_ORDER in departures
    before_1_35 = Departure.INCOMPLETE_POOLS_SERVE in departures
    return Gates(
        taints=Departure.DEVICE_TAINTS_IGNORED not in departures,
        partitionable=Departure.PARTITIONABLE_DEVICES_UNUSED not in departures,
        consumable=Departure.CONSUMABLE_CAPACITY_UNUSED not in departures,
        binding_conditions=Departure.BINDING_CONDITIONS_IGNORED not in departures,
        extended_resources=Departure.EXTENDED_RESOURCES_UNCLAIMED not in departures,
        incomplete_pools_serve=before_1_35,
        invalid_pools_fail=before_1_35,
        pools_in_any_order=before_1_36,
        plain_messages=Departure.DEVICES_UNMENTIONED in departures,
        plain_owners=before_1_36,
        counters_alone_serve=before_1_35,
        alternatives_unrated=Departure.CLAIMS_UNRATED in departures,
    )


def unmodelled(pod: Pod, devices: Devices, departures: Departures) -> str:
    """Return the feature of its claims on which the decision for `pod` depends and that is not modelled, or empty."""
    return unmodelled_feature(pod, devices, gates(departures))


def claiming(pod: Pod, devices: Devices, departures: Departures) -> bool:
    """Whether `pod` needs devices: it has claims, or requests extended resources that device classes back."""
    return needs_devices(pod, devices, gates(departures))


def claims_met(pod: Pod, devices: Devices, departures: Departures) -> Pod:
    """Return `pod` as if it needed no devices: the case in which all its claims are met."""
    return without_claims(pod, devices, gates(departures))


def known(pod: Pod, devices: Devices, departures: Departures) -> tuple[ResourceClaim, ...]:
    """Return the claims of `pod`; none if one of them is missing, which PreFilter rejects."""
    found = claims_of(pod, devices, gates(departures)) if not unmodelled(pod, devices, departures) else ()
    return () if isinstance(found, str) else found


@looks_at("devices")
def waits_for_claims(pod: Pod, devices: Devices, departures: Departures) -> bool:
    """Whether PreEnqueue keeps `pod` out of the queue: a claim is missing, being deleted, or another pod's."""
    return not unmodelled(pod, devices, departures) and isinstance(claims_of(pod, devices, gates(departures)), str)


@looks_at("devices")
def skipped(pod: Pod, devices: Devices, departures: Departures) -> bool:
    r"""Whether `pod` has no claim objects.

    TLA+: DynamicResourcesSkipped(Pod, Snapshot) ==
            ~WaitsForClaims(Pod, Snapshot) /\ ClaimsOf(Pod, Snapshot) = <<>>
    """
    return not unmodelled(pod, devices, departures) and claims_of(pod, devices, gates(departures)) == ()


@looks_at("devices")
def rejection(pod: Pod, devices: Devices, departures: Departures) -> Refusal | None:
    r"""Return the rejection of `pod` for every node at PreFilter; None if there is none.

    A claim is missing, or the device class of a claim that is not allocated.

    TLA+: DeviceClasses(Snapshot) == {Object \in Snapshot : Object.Kind = "DeviceClass"}

    TLA+: DynamicResourcesRejection(Pod, Snapshot) ==
            LET Waiting == Unallocated(ClaimsOf(Pod, Snapshot))
                Parts(Claim) == UNION {{Claim.Requests[j].Parts[n] : n \in DOMAIN Claim.Requests[j].Parts} :
                                        j \in DOMAIN Claim.Requests}
                Names == {Class.Name : Class \in DeviceClasses(Snapshot)}
                Classless == \E i \in DOMAIN Waiting : \E Part \in Parts(Waiting[i]) : Part.DeviceClass \notin Names
            IN IF WaitsForClaims(Pod, Snapshot) \/ Classless THEN Unresolvable("DynamicResources") ELSE Null
    """
    feature = unmodelled(pod, devices, departures)
    if feature:
        return unresolvable(NAME, f"not modelled: {feature}")
    found = claims_of(pod, devices, gates(departures))
    if isinstance(found, str):
        return unresolvable(NAME, found)
    wanted = (each for claim in unallocated(found) for request in claim.requests for each in request.parts)
    missing = (
        f"request {name}: device class {request.device_class} does not exist"
        for name, request in wanted
        if devices.device_class(request.device_class) is None
    )
    return next((unresolvable(NAME, why) for why in missing), None)


def available(claim: ResourceClaim, node: Node) -> bool:
    r"""Whether the claim is not allocated, or allocated for use on the node.

    TLA+: Available(Claim, Node) ==
            \/ Claim.Allocation = Null
            \/ Claim.Allocation.Terms = Null
            \/ \E Term \in Claim.Allocation.Terms : MatchTerm(Term, Node)
    """
    return (
        claim.allocation is None
        or claim.allocation.terms is None
        or any(match_term(term, node, NO_FAULTS) for term in claim.allocation.terms)
    )


@looks_at("node.labels", "devices")
def refusal(pod: Pod, node: Node, devices: Devices, departures: Departures) -> Refusal | None:
    r"""Return the refusal of `node` by DynamicResources; None if the claims of `pod` can be met there.

    TLA+: WaitingRefusal(Pod, Node, Snapshot) ==
            LET Waiting == Unallocated(ClaimsOf(Pod, Snapshot))
            IN IF Waiting = <<>> THEN Null ELSE AllocationRefusal(Waiting, Node, Snapshot)

    TLA+: DynamicResourcesRefusal(Pod, Node, Snapshot) ==
            LET Those == ClaimsOf(Pod, Snapshot)
                Found == WaitingRefusal(Pod, Node, Snapshot)
            IN IF Found # Null THEN Found
               ELSE IF \A i \in DOMAIN Those : Available(Those[i], Node) THEN Null
               ELSE Unresolvable("DynamicResources")
    """
    found = known(pod, devices, departures)
    waiting = unallocated(found)
    refused = allocation_refused(waiting, node, devices, gates(departures)) if waiting else None
    if refused is not None:
        return refused
    return None if all(available(claim, node) for claim in found) else unresolvable(NAME, UNAVAILABLE)


def allocation_refused(
    claims: tuple[ResourceClaim, ...], node: Node, devices: Devices, features: Gates
) -> Refusal | None:
    """Return the refusal of `node` because no devices can be allocated to these claims together; None if they can.

    TLA+: AllocationRefusal(Claims, Node, Snapshot) ==
            LET Situation == SituationOf(Node, Claims, Snapshot)
            IN IF Fails(Situation) THEN Failed("DynamicResources")
               ELSE IF Choices(Situation) = {} THEN Unresolvable("DynamicResources")
               ELSE Null
    """
    try:
        found = outcome(situation_of(node, devices, claims, features))
    except NotOnNode as why:
        return unresolvable(NAME, str(why))
    except Failure as error:
        return failed(NAME, str(error))
    return None if found is not None else unresolvable(NAME, NO_DEVICES_LEFT)


def dynamic_resources(pod: Pod, node: Node, devices: Devices, departures: Departures) -> bool:
    """Whether the claims of `pod` can be met on `node`."""
    found = known(pod, devices, departures)
    waiting = unallocated(found)
    return (
        all(available(claim, node) for claim in found)
        and (waiting == () or allocation_refused(waiting, node, devices, gates(departures)) is None)
    )  # fmt: skip


def may_be_deallocated(pod: Pod, claim: ResourceClaim) -> bool:
    r"""Whether PostFilter may deallocate the claim: it is reserved for no pod, or for `pod` alone.

    TLA+: MayBeDeallocated(Pod, Claim) ==
            /\ \A i \in DOMAIN Claim.ReservedFor : Claim.ReservedFor[i].Uid = PodUid(Pod)
            /\ Len(Claim.ReservedFor) <= 1
    """
    return all(each.uid == pod_uid(pod) for each in claim.reserved_for) and len(claim.reserved_for) <= 1
