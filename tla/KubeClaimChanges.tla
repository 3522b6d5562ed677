---------------------------- MODULE KubeClaimChanges ---------------------------
(* What becomes of resource claims: when their pod is bound, when PostFilter  *)
(* deallocates one, and when the pods for which they are reserved are gone.   *)
(*                                                                            *)
(* A binding allocates the claims of the pod that are not allocated, in one   *)
(* of the allowed ways, and reserves all of them for it.  The resource claim  *)
(* controller ends the reservation for a pod that is gone or has completed,   *)
(* and deallocates a claim that is reserved for no pod any more.  If no node  *)
(* is feasible, PostFilter deallocates a claim that is unavailable on a node  *)
(* and is reserved for no other pod.  Preemption frees no devices: the claims *)
(* of victims stay allocated until they are gone.                             *)
EXTENDS KubeControlLoop

BoundClaims(Pod, Node, Snapshot) ==
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

Deallocated(Claim) == [Claim EXCEPT !.Allocation = Null, !.ReservedFor = <<>>]

ReleasedClaim(Claim, Gone) ==
  LET Rest == SelectSeq(Claim.ReservedFor, LAMBDA Each : Each.Uid \notin Gone)
  IN IF Rest = Claim.ReservedFor THEN Claim
     ELSE IF Rest # <<>> THEN [Claim EXCEPT !.ReservedFor = Rest]
     ELSE Deallocated(Claim)

Released(Claims, Some, Known) ==
  LET InUse == {PodUid(Pod) : Pod \in {Each \in Some : ~Completed(Each)}}
  IN {ReleasedClaim(Claim, Known \ InUse) : Claim \in Claims}

ChangedClaims(Claims, Now_) ==
  LET Key(Claim) == <<Claim.Namespace, Claim.Name>>
  IN {Claim \in Claims : Key(Claim) \notin {Key(Other) : Other \in Now_}} \union Now_

Deallocatable(Pod, Snapshot) ==
  LET Refusing(Node) ==
        LET Found == Verdict(Pod, Node, Snapshot)
        IN /\ Found.Source # "preFilter"
           /\ Found.Refusal = Unresolvable("DynamicResources")
           /\ WaitingRefusal(Pod, Node, Snapshot) = Null
      Those == ClaimsOf(Pod, Snapshot)
  IN {Claim \in {Those[i] : i \in DOMAIN Those} :
       /\ MayBeDeallocated(Pod, Claim)
       /\ \E Node \in Nodes(Snapshot) : Refusing(Node) /\ ~Available(Claim, Node)}

FreedBy(Pod, Snapshot) ==
  IF /\ PodClaims(Pod) # <<>>
     /\ Listed("DynamicResources", Enabled.postFilter)
     /\ Listed("DynamicResources", Asked(Pod, Seen(Snapshot)))
     /\ Choice(Pod, Seen(Snapshot)).Kind = "unschedulable"
  THEN Deallocatable(Pod, Seen(Snapshot)) ELSE {}

ClaimsAfter(Decided, Pod, Snapshot) ==
  LET Claims == ResourceClaims(Snapshot)
      Freed == FreedBy(Pod, Snapshot)
  IN IF Decided.Kind = "Bind" THEN {ChangedClaims(Claims, Some) : Some \in BoundClaims(Pod, Decided.Node, Snapshot)}
     ELSE IF Freed = {} THEN {Claims}
     ELSE {ChangedClaims(Claims, {Deallocated(Claim)}) : Claim \in Freed}
================================================================================
