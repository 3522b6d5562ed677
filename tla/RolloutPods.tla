------------------------------- MODULE RolloutPods -----------------------------
(* The controllers of Deployments and ReplicaSets whose template or replicas  *)
(* change: the pods that are created and deleted next, and the replicas that  *)
(* a Deployment asks of its ReplicaSets.                                      *)
(*                                                                            *)
(* A rollout is [Kind, Replicas, Forms, Former, Revision, Surge, Unavailable, *)
(* Recreate, Ordered, Partition, Costs, Order, Hosts].  Forms are the pods by *)
(* its present template as they are created, in the order of creation, and    *)
(* Former those by the template before; Revision is the Uid of the first, ""  *)
(* if the template does not change.  Surge and Unavailable are the pods by    *)
(* which an update may exceed or fall short of Replicas.  Costs are pairs of  *)
(* an identity and a cost of deletion.  Order has the identities in their     *)
(* order, Hosts pairs of an identity and the node that a DaemonSet wants.     *)
(*                                                                            *)
(* Scales are <<former, present>>, the replicas that are asked of each of the *)
(* ReplicaSets.  Timed are the identities of the ready pods that have not     *)
(* been ready for long enough to be available.                                *)
EXTENDS WorkloadPods, Arithmetic

IsAvailable(Pod, Timed) == IsReady(Pod) /\ Identity(Pod) \notin Timed

FormKeys(Forms) == {Identity(Forms[i]) : i \in DOMAIN Forms}

KeysOfRollout(Rollout) == FormKeys(Rollout.Forms) \union FormKeys(Rollout.Former)

PodsAmong(Keys, Snapshot) == {Pod \in Pods(Snapshot) : Identity(Pod) \in Keys}

FollowsTemplate(Rollout, Pod) == Pod.Uid = Rollout.Revision

MissingForms(Forms, Asked, Snapshot) ==
  LET Absent == {i \in DOMAIN Forms : PodAs(Identity(Forms[i]), Snapshot) = Null}
  IN IF Cardinality(ActiveAmong(FormKeys(Forms), Snapshot)) >= Asked THEN {}
     ELSE {Forms[i] : i \in {j \in Absent : \A k \in Absent : j <= k}}

(* Of the pods that are first in the order of deletion any may be deleted.    *)
SurplusForms(Rollout, Forms, Asked, Snapshot) ==
  LET Own == ActiveAmong(FormKeys(Forms), Snapshot)
      One(Holds) == IF Holds THEN 1 ELSE 0
      CostOf(Pod) == LET Said == {Pair[2] : Pair \in {Each \in Rollout.Costs : Each[1] = Identity(Pod)}}
                     IN IF Said = {} THEN 0 ELSE CHOOSE Each \in Said : TRUE
      Crowd(Pod) == {Each \in ActiveAmong(KeysOfRollout(Rollout), Snapshot) : Each.Spec.NodeName = Pod.Spec.NodeName}
      RankOf(Pod) == <<One(Pod.Spec.NodeName # ""), One(IsReady(Pod)), CostOf(Pod), -Cardinality(Crowd(Pod))>>
  IN IF Cardinality(Own) <= Asked THEN {}
     ELSE {Pod \in Own : ~\E Other \in Own : Precedes(RankOf(Other), RankOf(Pod))}

(* What maxUnavailable lets a Deployment take from its former ReplicaSet:     *)
(* unavailable pods go first, then as many as may be missing.  Numbers are    *)
(* those of the available pods, <<former, present>>.                          *)
ShrunkFormer(Rollout, Asked, Numbers) ==
  LET Least == Rollout.Replicas - Min({Rollout.Unavailable, Rollout.Replicas})
      Most == Asked[1] + Asked[2] - Least - (Asked[2] - Numbers[2])
      Fewer == Asked[1] - Min({Most, Asked[1] - Numbers[1]})
  IN IF Asked[1] = 0 \/ Most <= 0 \/ Numbers[1] > Asked[1] THEN Asked[1]
     ELSE Fewer - Min({Fewer, Max({0, Numbers[1] + Numbers[2] - Least})})

RolledScales(Rollout, Asked, Numbers) ==
  LET Room == Rollout.Replicas + Rollout.Surge - Asked[1] - Asked[2]
  IN IF Asked[2] > Rollout.Replicas THEN <<Asked[1], Rollout.Replicas>>
     ELSE IF Asked[2] < Rollout.Replicas /\ Room > 0
     THEN <<Asked[1], Asked[2] + Min({Room, Rollout.Replicas - Asked[2]})>>
     ELSE <<ShrunkFormer(Rollout, Asked, Numbers), Asked[2]>>

RecreatedScales(Rollout, Asked, FormerLeft) ==
  IF Asked[1] > 0 THEN <<0, Asked[2]>>
  ELSE IF FormerLeft THEN Asked
  ELSE <<0, Rollout.Replicas>>

(* The replicas that the next synchronization of a Deployment asks for.       *)
SyncedScales(Rollout, Asked, Timed, Snapshot) ==
  LET Number(Forms) == Cardinality({Pod \in PodsAmong(FormKeys(Forms), Snapshot) : IsAvailable(Pod, Timed)})
  IN IF Rollout.Recreate THEN RecreatedScales(Rollout, Asked, PodsAmong(FormKeys(Rollout.Former), Snapshot) # {})
     ELSE RolledScales(Rollout, Asked, <<Number(Rollout.Former), Number(Rollout.Forms)>>)

ToCreateBySets(Rollout, Asked, Snapshot) ==
  MissingForms(Rollout.Former, Asked[1], Snapshot) \union MissingForms(Rollout.Forms, Asked[2], Snapshot)

ToDeleteBySets(Rollout, Asked, Snapshot) ==
  SurplusForms(Rollout, Rollout.Former, Asked[1], Snapshot)
    \union SurplusForms(Rollout, Rollout.Forms, Asked[2], Snapshot)

(* Whether the ReplicaSet of the pod has fewer pods than it is asked for.     *)
LacksReplica(Rollout, Asked, Key, Snapshot) ==
  LET Fewer(Forms, Number) == Key \in FormKeys(Forms) /\ Cardinality(ActiveAmong(FormKeys(Forms), Snapshot)) < Number
  IN IF Key \in FormKeys(Rollout.Former) THEN Fewer(Rollout.Former, Asked[1]) ELSE Fewer(Rollout.Forms, Asked[2])

(* Whether every replica is there, follows its template and is bound.         *)
RolledOut(Rollout, Snapshot) ==
  LET There == {Pod \in PodsAmong(KeysOfRollout(Rollout), Snapshot) : ~Pod.Terminating}
      Kept == {Identity(Rollout.Forms[i]) : i \in {j \in DOMAIN Rollout.Forms : j <= Rollout.Partition}}
  IN /\ Cardinality(There) = Rollout.Replicas
     /\ \A Pod \in There : (FollowsTemplate(Rollout, Pod) \/ Identity(Pod) \in Kept) /\ Pod.Spec.NodeName # ""
================================================================================
