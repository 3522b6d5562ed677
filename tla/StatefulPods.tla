------------------------------ MODULE StatefulPods -----------------------------
(* The StatefulSet controller: pods with fixed names, created upwards,        *)
(* deleted and updated downwards.  A rollout is as in RolloutPods.            *)
EXTENDS RolloutPods

(* The pod as it is created: below the partition by the former template.      *)
FormOf(Rollout, i) ==
  LET Same == {j \in DOMAIN Rollout.Former : Identity(Rollout.Former[j]) = Identity(Rollout.Forms[i])}
      First == {j \in Same : \A k \in Same : j <= k}
  IN IF Rollout.Revision = "" \/ i > Rollout.Partition \/ First = {} THEN Rollout.Forms[i]
     ELSE Rollout.Former[CHOOSE j \in First : TRUE]

InItsPlace(Forms, i, Snapshot) == PodAs(Identity(Forms[i]), Snapshot)

StandsAt(Forms, i, Timed, Snapshot) ==
  LET Pod == InItsPlace(Forms, i, Snapshot)
  IN IF Pod = Null THEN FALSE ELSE IsAvailable(Pod, Timed)

ToCreateByOrdinal(Rollout, Timed, Snapshot) ==
  {FormOf(Rollout, i) : i \in {j \in DOMAIN Rollout.Forms :
    /\ InItsPlace(Rollout.Forms, j, Snapshot) = Null
    /\ Rollout.Ordered => \A k \in 1..(j - 1) : StandsAt(Rollout.Forms, k, Timed, Snapshot)}}

(* The controller waits for these pods before it deletes any.                 *)
AwaitedOrdinals(Rollout, Timed, Snapshot) ==
  {i \in DOMAIN Rollout.Forms :
    \/ InItsPlace(Rollout.Forms, i, Snapshot) = Null
    \/ Rollout.Ordered /\ ~StandsAt(Rollout.Forms, i, Timed, Snapshot)}

(* The places of the pods beyond the replicas.                                *)
BeyondOrdinals(Rollout, Snapshot) ==
  {i \in DOMAIN Rollout.Former :
    /\ Identity(Rollout.Former[i]) \notin FormKeys(Rollout.Forms)
    /\ InItsPlace(Rollout.Former, i, Snapshot) # Null}

CondemnedPods(Rollout, Timed, Snapshot) ==
  LET Beyond == BeyondOrdinals(Rollout, Snapshot)
      PodAt(i) == InItsPlace(Rollout.Former, i, Snapshot)
      Unhealthy == {i \in Beyond : ~StandsAt(Rollout.Former, i, Timed, Snapshot)}
      Next == IF Rollout.Ordered
              THEN {i \in Beyond : (\A j \in Beyond : j <= i) /\ (i \notin Unhealthy \/ \A j \in Unhealthy : i <= j)}
              ELSE Beyond
  IN {PodAt(i) : i \in {j \in Next : IsActive(PodAt(j))}}

(* The next pod to update: those with higher ordinals are up to date and available. *)
OutdatedPods(Rollout, Timed, Snapshot) ==
  LET Present == {i \in DOMAIN Rollout.Forms : i > Rollout.Partition /\ InItsPlace(Rollout.Forms, i, Snapshot) # Null}
      PodAt(i) == InItsPlace(Rollout.Forms, i, Snapshot)
      Outdated == {i \in Present : IsActive(PodAt(i)) /\ ~FollowsTemplate(Rollout, PodAt(i))}
      Above(i) == (i + 1)..Len(Rollout.Forms)
  IN {PodAt(i) : i \in {j \in Outdated : \A k \in Above(j) : k \notin Outdated /\ StandsAt(Rollout.Forms, k, Timed, Snapshot)}}

ToDeleteByOrdinal(Rollout, Timed, Snapshot) ==
  LET Condemned == CondemnedPods(Rollout, Timed, Snapshot)
  IN IF AwaitedOrdinals(Rollout, Timed, Snapshot) # {} THEN {}
     ELSE IF Condemned # {} THEN Condemned
     ELSE IF Rollout.Ordered /\ BeyondOrdinals(Rollout, Snapshot) # {} THEN {}
     ELSE OutdatedPods(Rollout, Timed, Snapshot)
================================================================================
