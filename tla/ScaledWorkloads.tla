---------------------------- MODULE ScaledWorkloads ----------------------------
(* The controllers of workloads whose replicas change: a Deployment scales    *)
(* its ReplicaSet; a ReplicaSet or a StatefulSet creates and deletes pods.    *)
(*                                                                            *)
(* The forms of a workload are the identities of its pods, in the order in    *)
(* which they are created.  A pod of the catalogue is created in the place of *)
(* one that is gone.  Among pods that are equal in the order of deletion, any *)
(* may be deleted.  The template does not change.                             *)
(*                                                                            *)
(* It stands apart from RolloutPods and StatefulPods, which describe the same *)
(* controllers where the template may change too.  Their forms are pods that  *)
(* the catalogue does not have, and availability may come later than          *)
(* readiness.  Here the forms are identities of pods of the catalogue.        *)
EXTENDS Environment, WorkloadPods

FormsOf(Scaler) == {Scaler.Forms[i] : i \in DOMAIN Scaler.Forms}

OwnPods(Scaler) == {Pod \in Pods(Objects) : Identity(Pod) \in FormsOf(Scaler)}

InPlace(Scaler, i) == {Pod \in OwnPods(Scaler) : Identity(Pod) = Scaler.Forms[i]}

Cost(Scaler, Pod) ==
  LET Said == {Pair[2] : Pair \in {Each \in Scaler.Costs : Each[1] = Identity(Pod)}}
  IN IF Said = {} THEN 0 ELSE CHOOSE Each \in Said : TRUE

Rank(Scaler, Pod) ==
  LET One(Holds) == IF Holds THEN 1 ELSE 0
      Crowd == {Each \in OwnPods(Scaler) : IsActive(Each) /\ Each.Spec.NodeName = Pod.Spec.NodeName}
  IN <<One(Pod.Spec.NodeName # ""), One(IsReady(Pod)), Cost(Scaler, Pod), -Cardinality(Crowd)>>

FirstAbsent(Scaler) ==
  {i \in DOMAIN Scaler.Forms : InPlace(Scaler, i) = {} /\ \A j \in 1..(i - 1) : InPlace(Scaler, j) # {}}

ToCreateOfSet(Scaler, Asked) ==
  IF Cardinality({Pod \in OwnPods(Scaler) : IsActive(Pod)}) >= Asked THEN {} ELSE FirstAbsent(Scaler)

ToDeleteOfSet(Scaler, Asked) ==
  LET Own == {Pod \in OwnPods(Scaler) : IsActive(Pod)}
  IN IF Cardinality(Own) <= Asked THEN {}
     ELSE {Pod \in Own : ~\E Other \in Own : Precedes(Rank(Scaler, Other), Rank(Scaler, Pod))}

(* A StatefulSet goes upwards; with OrderedReady it waits for each pod. *)
Waited(Scaler, Asked) ==
  {i \in 1..Asked : InPlace(Scaler, i) = {} \/ (Scaler.Ordered /\ ~\A Pod \in InPlace(Scaler, i) : IsReady(Pod))}

ToCreateOfStateful(Scaler, Asked) ==
  LET Gaps == Waited(Scaler, Asked)
  IN {i \in Gaps : InPlace(Scaler, i) = {} /\ (Scaler.Ordered => \A j \in Gaps : i <= j)}

ToDeleteOfStateful(Scaler, Asked) ==
  LET Beyond == {i \in DOMAIN Scaler.Forms : i > Asked /\ InPlace(Scaler, i) # {}}
      PodAt(i) == CHOOSE Pod \in InPlace(Scaler, i) : TRUE
      Unhealthy == {i \in Beyond : ~IsReady(PodAt(i))}
      Last == {i \in Beyond : \A j \in Beyond : j <= i}
  IN IF Waited(Scaler, Asked) # {} THEN {}
     ELSE IF ~Scaler.Ordered THEN {PodAt(i) : i \in {j \in Beyond : IsActive(PodAt(j))}}
     ELSE {PodAt(i) : i \in {j \in Last : /\ IsActive(PodAt(j))
                                           /\ (IsReady(PodAt(j)) \/ \A k \in Unhealthy : j <= k)}}

ToCreate(Scaler, Asked) ==
  IF Scaler.Kind = "StatefulSet" THEN ToCreateOfStateful(Scaler, Asked) ELSE ToCreateOfSet(Scaler, Asked)

ToDelete(Scaler, Asked) ==
  IF Scaler.Kind = "StatefulSet" THEN ToDeleteOfStateful(Scaler, Asked) ELSE ToDeleteOfSet(Scaler, Asked)

CreateInPlace(Scaler, i) ==
  \E Origin \in Pods(Catalogue) :
    /\ Identity(Origin) = Scaler.Forms[i]
    /\ Objects' = Objects \union {Created(Origin)}

CreateReplica(Scaler, Asked) == \E i \in ToCreate(Scaler, Asked) : CreateInPlace(Scaler, i)

RemoveSurplus(Pod) == Becomes(Pod, Deleted(Pod))

RemoveReplica(Scaler, Asked) == \E Pod \in ToDelete(Scaler, Asked) : RemoveSurplus(Pod)
================================================================================
