------------------------------ MODULE KubeClaims -------------------------------
(* The resource claims of a pod.                                              *)
(*                                                                            *)
(* A pod may have Spec.ResourceClaims, a sequence of [Name, Claim, Template,  *)
(* Generated, PodUid]; one without the field has no claims.  Claim is the     *)
(* name of the claim object, Template that of the template from which it is   *)
(* made, and Generated says whether it was made.  A claim is                  *)
(*   [Kind |-> "ResourceClaim", Namespace, Name, OwnerUid, Terminating,       *)
(*    Requests, Constraints, Allocation, ReservedFor]                         *)
(* where ReservedFor is a sequence of [Resource, Name, Uid].  Allocation is   *)
(* Null or [Results, Terms]: a sequence of [Request, Id, Admin, Shared,       *)
(* Consumed], and the node-selector terms of the nodes on which it can be     *)
(* used, Null for all of them.  Id is <<driver, pool, device>>.  Shared says  *)
(* whether the device is allocated several times, and Consumed what of its    *)
(* capacities then is for this claim.                                         *)
(*                                                                            *)
(* Requests is a sequence of [Name, Ranked, Parts].  Parts are the            *)
(* alternatives if the request is Ranked (firstAvailable), else the request   *)
(* itself alone: a sequence of [Name, DeviceClass, Mode, Count, Selected,     *)
(* Admin, Tolerations, Capacity].  Constraints is a set of [Attribute,        *)
(* Requests, Distinct].  CEL is not evaluated here: Selected holds the        *)
(* numbers of the devices for which the expressions of class and request are  *)
(* true, as the module that fixes the constants gives them.                   *)
EXTENDS KubeRefusals, Selectors

PodClaims(Pod) ==
  IF "ResourceClaims" \in DOMAIN Pod.Spec THEN Pod.Spec.ResourceClaims ELSE <<>>

PodUid(Pod) ==
  IF PodClaims(Pod) = <<>> THEN "" ELSE PodClaims(Pod)[1].PodUid

ResourceClaims(Snapshot) == {Object \in Snapshot : Object.Kind = "ResourceClaim"}

NamedClaims(Pod, Each, Snapshot) ==
  {Claim \in ResourceClaims(Snapshot) : Claim.Namespace = Pod.Namespace /\ Claim.Name = Each.Claim}

Unusable(Pod, Each, Snapshot) ==
  LET Found == NamedClaims(Pod, Each, Snapshot)
  IN \/ Found = {}
     \/ \E Claim \in Found :
          \/ Claim.Terminating
          \/ Each.Template # "" /\ Claim.OwnerUid # Each.PodUid

WaitsForClaims(Pod, Snapshot) ==
  \E i \in DOMAIN PodClaims(Pod) :
    LET Each == PodClaims(Pod)[i]
    IN \/ Each.Claim = "" /\ Each.Template = ""
       \/ Each.Template # "" /\ ~Each.Generated
       \/ Each.Claim # "" /\ Unusable(Pod, Each, Snapshot)

ClaimsOf(Pod, Snapshot) ==
  LET Those == SelectSeq(PodClaims(Pod), LAMBDA Each : Each.Claim # "")
  IN IF WaitsForClaims(Pod, Snapshot) THEN <<>>
     ELSE [i \in DOMAIN Those |-> CHOOSE Claim \in NamedClaims(Pod, Those[i], Snapshot) : TRUE]

Unallocated(Claims) == SelectSeq(Claims, LAMBDA Claim : Claim.Allocation = Null)

ReservedBy(Pod, Claim) ==
  \E i \in DOMAIN Claim.ReservedFor : Claim.ReservedFor[i].Uid = PodUid(Pod)

MayBeDeallocated(Pod, Claim) ==
  /\ \A i \in DOMAIN Claim.ReservedFor : Claim.ReservedFor[i].Uid = PodUid(Pod)
  /\ Len(Claim.ReservedFor) <= 1

Available(Claim, Node) ==
  \/ Claim.Allocation = Null
  \/ Claim.Allocation.Terms = Null
  \/ \E Term \in Claim.Allocation.Terms : MatchTerm(Term, Node)
================================================================================
