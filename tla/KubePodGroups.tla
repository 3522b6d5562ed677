----------------------------- MODULE KubePodGroups -----------------------------
(* Gang scheduling of kube-scheduler since 1.36: one cycle for a PodGroup.    *)
(*                                                                            *)
(* A pod has a Spec.SchedulingGroup, the name of its PodGroup, or "".         *)
(* PodGroups is a set of [Namespace, Name, MinCount, Priority]; MinCount is 0 *)
(* for the policy basic.  The unbound pods of a group are tried in one cycle, *)
(* each with the ones before it assumed, in any order.  Those that found a    *)
(* node are bound if MinCount pods of the group have one then.  In 1.36 a pod *)
(* is queued by itself, any are alike, and terms may be overlooked (AsListed: *)
(* the nodes listed as holding pods with terms are those of before).          *)
(* Not modelled: "members-preempt", as priorities are equal.  A decision      *)
(* has the pairs of pod and node that are bound, Placed, and whether others   *)
(* of its group are placed without the pod, Left.                             *)
EXTENDS KubeDeciding

CONSTANT PodGroups

PodGroupsOf(Pod) ==
  {Each \in PodGroups : Each.Namespace = Pod.Namespace /\ Each.Name = Pod.Spec.SchedulingGroup}

GroupMembers(Group, Snapshot) ==
  {Pod \in Pods(Snapshot) :
    /\ Pod.Namespace = Group.Namespace
    /\ Pod.Spec.SchedulingGroup = Group.Name
    /\ ~Completed(Pod)}

UnboundMembers(Group, Snapshot) == {Pod \in GroupMembers(Group, Snapshot) : Pod.Spec.NodeName = ""}

Scheduled(Group, Snapshot) == {Pod \in GroupMembers(Group, Snapshot) : Pod.Spec.NodeName # ""}

FewestOf(Group) == IF Group.MinCount = 0 THEN 1 ELSE Group.MinCount

PodGroupRefused(Pod, Snapshot) ==
  /\ Pod.Spec.SchedulingGroup # ""
  /\ \/ PodGroupsOf(Pod) = {}
     \/ \E Group \in PodGroupsOf(Pod) : Cardinality(GroupMembers(Group, Snapshot)) < Group.MinCount

AllAlike(Group, Snapshot) ==
  \/ "members-unalike" \in Departures
  \/ \A Pod \in GroupMembers(Group, Snapshot) : Pod.Spec.Priority = Group.Priority

Assumed(Pod, Node, Snapshot) ==
  (Snapshot \ {Pod}) \union {[Pod EXCEPT !.Spec.NodeName = Node.Name]}

Prefers(Affinity) == Affinity.PodAffinity.Preferred # <<>> \/ Affinity.PodAntiAffinity.Preferred # <<>>

WithTermsOf(Assumed_, Pod, Beside) ==
  LET Affinities == {Other.Spec.Affinity : Other \in Beside}
      Averse == \E Each \in Affinities : Each.PodAntiAffinity.Required # {}
      Scored == \/ Prefers(Pod.Spec.Affinity)
                \/ Averse
                \/ \E Each \in Affinities : Prefers(Each) \/ Each.PodAffinity.Required # {}
  IN [Assumed_ EXCEPT
        !.Spec.Affinity.PodAntiAffinity.Required = IF Averse THEN @ ELSE {},
        !.Spec.Affinity.PodAntiAffinity.Preferred = IF Scored THEN @ ELSE <<>>,
        !.Spec.Affinity.PodAffinity = IF Scored THEN @ ELSE [Required |-> {}, Preferred |-> <<>>]]

AsListed(Pod, Snapshot, Placed_) ==
  LET New == {[Pair[1] EXCEPT !.Spec.NodeName = Pair[2].Name] : Pair \in Placed_}
      Beside(Each) ==
        {Other \in Pods(Snapshot) \ New : Other.Spec.NodeName = Each.Spec.NodeName /\ ~Completed(Other)}
  IN IF "assumed-terms-unseen" \notin Departures THEN Snapshot
     ELSE (Snapshot \ New) \union {WithTermsOf(Each, Pod, Beside(Each)) : Each \in New}

RECURSIVE Endings(_, _, _, _)
Endings(Group, Order, Snapshot, Placed_) ==
  IF Cardinality(Scheduled(Group, Snapshot)) + Len(Order) < FewestOf(Group) THEN {{}}
  ELSE IF Order = <<>> THEN {Placed_}
  ELSE LET Pod == Head(Order)
           Found == Choice(Pod, Seen(AsListed(Pod, Snapshot, Placed_)))
       IN CASE Found.Kind = "error" -> {{}}
            [] Found.Kind = "unschedulable" -> Endings(Group, Tail(Order), Snapshot, Placed_)
            [] Found.Kind = "scheduled" ->
                 UNION {Endings(Group, Tail(Order), Assumed(Pod, Node, Snapshot), Placed_ \union {<<Pod, Node>>}) :
                         Node \in Found.Hosts}

Tried(Group, Snapshot) ==
  {Pod \in UnboundMembers(Group, Snapshot) : ~Pod.Terminating /\ SchedulingGatesRefusal(Pod) = Null}

QueuedOrders(Some) ==
  {Order \in [1..Cardinality(Some) -> Some] :
    \A i, j \in DOMAIN Order :
      i < j => Order[i] # Order[j] /\ Order[i].Spec.Priority >= Order[j].Spec.Priority}

GroupEndings(Group, Snapshot) ==
  IF ~AllAlike(Group, Snapshot) THEN {{}}
  ELSE UNION {Endings(Group, Order, Snapshot, {}) : Order \in QueuedOrders(Tried(Group, Snapshot))}

WithoutGroup(Decided) ==
  [Kind |-> Decided.Kind, Node |-> Decided.Node, Victims |-> Decided.Victims,
   Unnominated |-> Decided.Unnominated, Placed |-> {}, Left |-> FALSE]

DecidedFor(Pod, Ending) ==
  LET Own == {Pair \in Ending : Pair[1] = Pod}
      Waits == [Kind |-> "Wait", Node |-> Null, Victims |-> {}, Unnominated |-> FALSE,
                Placed |-> {}, Left |-> Ending # {}]
  IN IF Own = {} THEN {Waits}
     ELSE {[Waits EXCEPT !.Kind = "Bind", !.Node = Pair[2], !.Placed = Ending, !.Left = FALSE] : Pair \in Own}

PodGroupDecisions(Pod, Snapshot) ==
  IF Pod.Spec.SchedulingGroup = "" THEN {WithoutGroup(Decided) : Decided \in KubeDecisions(Pod, Snapshot)}
  ELSE UNION {UNION {DecidedFor(Pod, Ending) : Ending \in GroupEndings(Group, Snapshot)} :
               Group \in PodGroupsOf(Pod)}

PodGroupTurn(Snapshot) ==
  {Pod \in KubeTurn(Snapshot) :
    /\ ~PodGroupRefused(Pod, Snapshot)
    /\ \/ "members-queued-alone" \in Departures
       \/ \A Group \in PodGroupsOf(Pod) : \A Other \in UnboundMembers(Group, Snapshot) :
            SchedulingGatesRefusal(Other) = Null}

PodGroupAfter(Decided, Pod, Snapshot) ==
  LET Becoming(Object) ==
        LET Own == {Pair \in Decided.Placed : Pair[1] = Object}
        IN IF Own = {} THEN Object
           ELSE [Object EXCEPT !.Spec.NodeName = (CHOOSE Pair \in Own : TRUE)[2].Name]
  IN IF Decided.Placed = {} THEN KubeAfter(Decided, Pod, Snapshot) ELSE {Becoming(Object) : Object \in Snapshot}

RECURSIVE CanBePlaced(_, _)
CanBePlaced(Group, Snapshot) ==
  \E Pod \in Tried(Group, Snapshot) : \E Node \in Nodes(Snapshot) :
    /\ KubeAdmits(Pod, Node, Snapshot)
    /\ \/ Cardinality(Scheduled(Group, Assumed(Pod, Node, Snapshot))) >= FewestOf(Group)
       \/ CanBePlaced(Group, Assumed(Pod, Node, Snapshot))

RECURSIVE OneAfterTheOther(_, _)
OneAfterTheOther(Pairs, Snapshot) ==
  \/ Pairs = {}
  \/ \E Pair \in Pairs :
       /\ KubeAdmits(Pair[1], Pair[2], Snapshot)
       /\ OneAfterTheOther(Pairs \ {Pair}, Assumed(Pair[1], Pair[2], Snapshot))

PodGroupBindFeasible(Pod, Decided) ==
  /\ Decided.Node \in Nodes(Objects)
  /\ IF Decided.Placed = {} THEN KubeAdmits(Pod, Decided.Node, Objects)
     ELSE OneAfterTheOther(Decided.Placed, Objects)

PodGroupNoWaitWhileFeasible(Pod, Decided) ==
  IF Pod.Spec.SchedulingGroup = "" THEN NoWaitWhileFeasible(Pod, KubeAdmits)
  ELSE Decided.Left \/ \A Group \in PodGroupsOf(Pod) : ~CanBePlaced(Group, Objects)

PodGroupAllOrNothing(Pod, Decided) ==
  \A Group \in PodGroupsOf(Pod) :
    Cardinality({Pair[1] : Pair \in Decided.Placed}
                \union {Other \in GroupMembers(Group, Objects) : Other.Spec.NodeName # ""}) >= Group.MinCount

PodGroupScheduler ==
  \E Pod \in PodGroupTurn(Objects) : \E Decided \in PodGroupDecisions(Pod, Objects) :
    Objects' = PodGroupAfter(Decided, Pod, Objects)
================================================================================
