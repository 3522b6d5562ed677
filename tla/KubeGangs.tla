------------------------------- MODULE KubeGangs -------------------------------
(* Gang scheduling of kube-scheduler 1.35.                                    *)
(*                                                                            *)
(* A pod has a Spec.Workload, [Workload, Group, Replica] or Null, and a       *)
(* Status.WaitsOn, the name of the node for which it waits on permit, or "".  *)
(* Workloads is a set of [Namespace, Name, Groups], where Groups is a set of  *)
(* [Name, MinCount]; MinCount is 0 for the policy basic.  Members are tried   *)
(* one by one.  One that finds a node waits on permit, and counts there as if *)
(* it were bound, until MinCount members have a place; then all that wait are *)
(* bound.  The time limit of a waiting pod may end its wait at any step.      *)
EXTENDS KubeDeciding

CONSTANT Workloads

WorkloadsOf(Pod) ==
  {Each \in Workloads :
    /\ Pod.Spec.Workload # Null
    /\ Each.Namespace = Pod.Namespace
    /\ Each.Name = Pod.Spec.Workload.Workload}

GroupPolicies(Pod) ==
  {Policy \in UNION {Each.Groups : Each \in WorkloadsOf(Pod)} : Policy.Name = Pod.Spec.Workload.Group}

InAGang(Pod) == \E Policy \in GroupPolicies(Pod) : Policy.MinCount > 0

Members(Pod, Snapshot) ==
  {Other \in Pods(Snapshot) :
    /\ Other.Namespace = Pod.Namespace
    /\ Other.Spec.Workload = Pod.Spec.Workload
    /\ ~Completed(Other)}

HasAPlace(Pod) == Pod.Spec.NodeName # "" \/ Pod.Status.WaitsOn # ""

GangRefused(Pod, Snapshot) ==
  /\ Pod.Spec.Workload # Null
  /\ \/ GroupPolicies(Pod) = {}
     \/ \E Policy \in GroupPolicies(Pod) : Cardinality(Members(Pod, Snapshot)) < Policy.MinCount

Quorum(Pod, Snapshot) ==
  \A Policy \in GroupPolicies(Pod) :
    Cardinality({Pod} \union {Other \in Members(Pod, Snapshot) : HasAPlace(Other)}) >= Policy.MinCount

WaitingMembers(Pod, Snapshot) ==
  {Other \in Members(Pod, Snapshot) \ {Pod} : InAGang(Pod) /\ Other.Status.WaitsOn # ""}

AsPlaced(Snapshot) ==
  {IF Object.Kind = "Pod" /\ Object \in {Pod \in Pods(Snapshot) : Pod.Status.WaitsOn # ""}
   THEN [Object EXCEPT !.Spec.NodeName = Object.Status.WaitsOn] ELSE Object : Object \in Snapshot}

AsTheyStand(Victims, Snapshot) ==
  {Pod \in Pods(Snapshot) : \E Victim \in Victims : Victim.Namespace = Pod.Namespace /\ Victim.Name = Pod.Name}

AfterPermit(Decided, Pod, Snapshot) ==
  IF Decided.Kind = "Bind" /\ ~Quorum(Pod, Snapshot) THEN [Decided EXCEPT !.Kind = "WaitOnPermit"]
  ELSE [Decided EXCEPT !.Victims = AsTheyStand(Decided.Victims, Snapshot)]

GangTurn(Snapshot) ==
  {Pod \in KubeTurn(Snapshot) : Pod.Status.WaitsOn = "" /\ ~GangRefused(Pod, Snapshot)}

GangDecisions(Pod, Snapshot) ==
  {AfterPermit(Decided, Pod, Snapshot) : Decided \in KubeDecisions(Pod, AsPlaced(Snapshot))}

GangAfter(Decided, Pod, Snapshot) ==
  LET Allowed == IF Decided.Kind = "Bind" THEN WaitingMembers(Pod, Snapshot) ELSE {}
      Placed_ == {IF Object \in Allowed THEN [Object EXCEPT !.Spec.NodeName = Object.Status.WaitsOn, !.Status.WaitsOn = ""]
                  ELSE Object : Object \in Snapshot}
  IN IF Decided.Kind = "WaitOnPermit"
     THEN {IF Object = Pod THEN [Pod EXCEPT !.Status.WaitsOn = Decided.Node.Name, !.Status.NominatedNodeName = ""]
           ELSE Object : Object \in Snapshot}
     ELSE KubeAfter(Decided, Pod, Placed_)

GangScheduler ==
  \E Pod \in GangTurn(Objects) : \E Decided \in GangDecisions(Pod, Objects) :
    Objects' = GangAfter(Decided, Pod, Objects)

TimeOut(Pod) ==
  /\ Pod.Status.WaitsOn # ""
  /\ Objects' = {IF Object = Pod THEN [Pod EXCEPT !.Status.WaitsOn = ""] ELSE Object : Object \in Objects}

GangNewlyArrived(Pod) == [KubeNewlyArrived(Pod) EXCEPT !.Status.WaitsOn = ""]

GangAdmits(Pod, Node, Snapshot) == KubeAdmits(Pod, Node, AsPlaced(Snapshot))

GangAllOrNothing(Pod, Decided) ==
  \A Policy \in GroupPolicies(Pod) :
    Cardinality({Pod} \union WaitingMembers(Pod, Objects)
                \union {Other \in Members(Pod, Objects) : Other.Spec.NodeName # ""}) >= Policy.MinCount

HoldingGangs(Snapshot) ==
  {Members(Pod, Snapshot) : Pod \in {Each \in Pods(Snapshot) : Each.Status.WaitsOn # "" /\ ~Completed(Each)}}

Blocked(Gang, Snapshot) ==
  \A Pod \in Gang : HasAPlace(Pod) \/ \A Decided \in GangDecisions(Pod, Snapshot) : Decided.Kind = "Wait"

RECURSIVE CanBeCompleted(_, _)
CanBeCompleted(Pod, Snapshot) ==
  \/ \A Policy \in GroupPolicies(Pod) :
       Cardinality({Each \in Members(Pod, Snapshot) : HasAPlace(Each)}) >= Policy.MinCount
  \/ \E Each \in {Other \in Members(Pod, Snapshot) : ~HasAPlace(Other)} : \E Node \in Nodes(Snapshot) :
       /\ GangAdmits(Each, Node, Snapshot)
       /\ LET Waiting == [Each EXCEPT !.Status.WaitsOn = Node.Name]
          IN CanBeCompleted(Waiting, (Snapshot \ {Each}) \union {Waiting})

WithoutPlaces(Pods_, Snapshot) ==
  {IF Object \in Pods_ THEN [Object EXCEPT !.Status.WaitsOn = ""] ELSE Object : Object \in Snapshot}

NoGangDeadlock ==
  LET Stuck == {Gang \in HoldingGangs(Objects) : Blocked(Gang, Objects)}
  IN \/ Cardinality(Stuck) < 2
     \/ \E Gang \in Stuck :
          LET Without == WithoutPlaces(UNION (Stuck \ {Gang}), Objects)
          IN ~CanBeCompleted(CHOOSE Pod \in Gang : TRUE, Without)
================================================================================
