"""What becomes of resource claims: `bound`, when their pod is bound; `deallocated`; `released`, when pods are gone.

A binding allocates the claims of the pod that are not allocated, in one of the allowed ways, and reserves all of them for
it. The resource claim controller ends the reservation for a pod that is gone or has completed, and deallocates a claim
that is reserved for nothing any more. Not modelled: the time until it does so; it deletes no claim.

Kubernetes 1.37: bindClaim in pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go; syncClaim in
pkg/controller/resourceclaim/controller.go.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import permutations

from schedcheck.spec.binding import completed
from schedcheck.spec.device_objects import Consumer, Devices, ResourceClaim
from schedcheck.spec.devices.allocations import allocated_by, allocations, situation_of
from schedcheck.spec.devices.claims import claims_of, pod_uid, reserved, unallocated
from schedcheck.spec.devices.gates import Gates
from schedcheck.spec.objects import Node, Pod

Claims = tuple[ResourceClaim, ...]
Pairs = tuple[tuple[Pod, Node], ...]
"""Pods, each with its node."""


def bound(pod: Pod, node: Node, devices: Devices, gates: Gates) -> frozenset[Claims]:
    r"""Return the claims of the pod after it is bound to the node, for each allowed allocation.

    Empty if no allocation is possible; of a pod without claims the empty tuple.

    TLA+: BoundClaims(Pod, Node, Snapshot) ==
            LET Those == ClaimsOf(Pod, Snapshot)
                Waiting == Unallocated(Those)
                Situation == SituationOf(Node, Waiting, Snapshot)
                Ways == IF Waiting = <<>> THEN {<<>>} ELSE {AllocatedBy(Situation, Chosen) : Chosen \in Allocations(Situation)}
                Consumer == [Resource |-> "pods", Name |-> Pod.Name, Uid |-> PodUid(Pod)]
                Place(Claim) == CHOOSE i \in DOMAIN Waiting : Waiting[i] = Claim
                Made(Claim, Way) ==
                  [Claim EXCEPT
                    !.Allocation = IF @ # Null THEN @ ELSE Way[Place(Claim)],
                    !.ReservedFor = IF ReservedBy(Pod, Claim) THEN @ ELSE Append(@, Consumer)]
            IN {{Made(Those[i], Way) : i \in DOMAIN Those} : Way \in Ways}
    """
    found = claims_of(pod, devices, gates)
    claims: Claims = () if isinstance(found, str) else found
    waiting = unallocated(claims)
    situation = situation_of(node, devices, waiting, gates)
    ways = [allocated_by(situation, choice) for choice in allocations(situation)] if waiting else [()]
    consumer = Consumer(pod.name, pod_uid(pod))
    return frozenset(
        tuple(
            replace(
                claim,
                allocation=claim.allocation if claim.allocation is not None else way[waiting.index(claim)],
                reserved_for=claim.reserved_for if reserved(pod, claim) else (*claim.reserved_for, consumer),
            )
            for claim in claims
        )
        for way in ways
    )


def bound_together(pairs: Pairs, devices: Devices, gates: Gates) -> frozenset[Claims]:
    """Return all claims after these pods are bound to their nodes one after the other, in whatever order."""
    return frozenset[Claims]().union(*(_in_turn(order, devices, gates) for order in permutations(pairs)))


def _in_turn(order: Pairs, devices: Devices, gates: Gates) -> frozenset[Claims]:
    if not order:
        return frozenset({devices.claims})
    ways = bound(*order[0], devices, gates)
    return frozenset[Claims]().union(*(_in_turn(order[1:], changed(devices, claims), gates) for claims in ways))


def deallocated(claim: ResourceClaim) -> ResourceClaim:
    """Return the claim without allocation and reservations.

    TLA+: Deallocated(Claim) == [Claim EXCEPT !.Allocation = Null, !.ReservedFor = <<>>]
    """
    return replace(claim, allocation=None, reserved_for=())


def released(claims: Iterable[ResourceClaim], pods: Iterable[Pod], known: frozenset[str]) -> Claims:
    r"""Return the claims once the controller has seen that of the pods with `known` uids only `pods` exist.

    TLA+: ReleasedClaim(Claim, Gone) ==
            LET Rest == SelectSeq(Claim.ReservedFor, LAMBDA Each : Each.Uid \notin Gone)
            IN IF Rest = Claim.ReservedFor THEN Claim
               ELSE IF Rest # <<>> THEN [Claim EXCEPT !.ReservedFor = Rest]
               ELSE Deallocated(Claim)

    TLA+: Released(Claims, Some, Known) ==
            LET InUse == {PodUid(Pod) : Pod \in {Each \in Some : ~Completed(Each)}}
            IN {ReleasedClaim(Claim, Known \ InUse) : Claim \in Claims}
    """
    using = {pod_uid(pod) for pod in pods if not completed(pod)}
    return tuple(_released(claim, known - using) for claim in claims)


def _released(claim: ResourceClaim, gone: frozenset[str]) -> ResourceClaim:
    left = tuple(each for each in claim.reserved_for if each.uid not in gone)
    if left == claim.reserved_for:
        return claim
    return replace(claim, reserved_for=left) if left else deallocated(claim)


def changed(devices: Devices, claims: Iterable[ResourceClaim]) -> Devices:
    r"""Return the devices with these claims in place of those of the same names.

    TLA+: ChangedClaims(Claims, Now_) ==
            LET Key(Claim) == <<Claim.Namespace, Claim.Name>>
            IN {Claim \in Claims : Key(Claim) \notin {Key(Other) : Other \in Now_}} \union Now_
    """
    now = {each.key: each for each in claims}
    return replace(devices, claims=tuple(now.get(each.key, each) for each in devices.claims))
