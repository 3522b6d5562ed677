--------------------------- MODULE KubeGroupDecisions --------------------------
(* The decisions of kube-scheduler with PodGroups, and what is asked of them. *)
(*                                                                            *)
(* Whichever pod of a group is asked, a Bind or a Nominate carries out its    *)
(* whole cycle.  A decision has also the pairs of pod and node that are bound *)
(* or nominated together, Placed, which is empty for a pod without a group;   *)
(* whether others of the group are placed or nominated without the pod, Left; *)
(* and the other pods that lose their nominations with it, Others.  A group   *)
(* that preempts clears no nomination of other pods.                          *)
EXTENDS KubeGroupPreemption

WithoutGroup(Decided) ==
  [Kind |-> Decided.Kind, Node |-> Decided.Node, Victims |-> Decided.Victims,
   Unnominated |-> Decided.Unnominated, Placed |-> {}, Left |-> FALSE, Others |-> {}]

DecidedFor(Pod, Ending) ==
  LET Pairs == Ending.Placed \union Ending.Nominated
      Own == {Pair \in Pairs : Pair[1] = Pod}
      Loses == Pod \in Ending.Lost
  IN IF Own = {}
     THEN {[Kind |-> "Wait", Node |-> Null, Victims |-> {}, Unnominated |-> Loses, Placed |-> {},
            Left |-> Pairs # {}, Others |-> IF Loses THEN Ending.Lost \ {Pod} ELSE {}]}
     ELSE {[Kind |-> IF Ending.Nominated = {} THEN "Bind" ELSE "Nominate", Node |-> Pair[2],
            Victims |-> Ending.Victims, Unnominated |-> FALSE, Placed |-> Pairs, Left |-> FALSE, Others |-> {}] :
            Pair \in Own}

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
  LET Place(Object) == (CHOOSE Pair \in Decided.Placed : Pair[1] = Object)[2].Name
      Becoming(Object) ==
        CASE Object \notin {Pair[1] : Pair \in Decided.Placed} ->
               IF Object \in Decided.Others THEN [Object EXCEPT !.Status.NominatedNodeName = ""] ELSE Object
          [] Decided.Kind = "Bind" ->
               [Object EXCEPT !.Spec.NodeName = Place(Object), !.Status.NominatedNodeName = ""]
          [] OTHER -> [Object EXCEPT !.Status.NominatedNodeName = Place(Object)]
      Group == {Becoming(Object) : Object \in Snapshot}
  IN IF Decided.Placed = {} THEN KubeAfter(Decided, Pod, Group) ELSE Group

WaitingWith(Decided, Pod, Snapshot) ==
  IF Decided.Placed = {} THEN {Pod} ELSE UNION {UnboundMembers(Group, Snapshot) : Group \in PodGroupsOf(Pod)}

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

PodGroupNoEvictionWhileFeasible(Pod, Decided) ==
  IF Decided.Placed = {} THEN NoEvictionWhileFeasible(Pod, KubeAdmits)
  ELSE \A Group \in PodGroupsOf(Pod) : ~CanBePlaced(Group, Objects)

PodGroupVictimsMakeRoom(Pod, Decided) ==
  IF Decided.Placed = {} THEN VictimsMakeRoom(Pod, Decided, KubeAdmits)
  ELSE OneAfterTheOther(Decided.Placed, Objects \ Decided.Victims)

PodGroupVictimsNeeded(Pod, Decided) ==
  IF Decided.Placed = {} THEN VictimsNeeded(Pod, Decided, KubeAdmits)
  ELSE ~\E Kept \in {UnitOf(Victim, Objects).Pods : Victim \in Decided.Victims} :
         OneAfterTheOther(Decided.Placed, Objects \ (Decided.Victims \ Kept))

PodGroupAllOrNothing(Pod, Decided) ==
  \A Group \in PodGroupsOf(Pod) :
    Cardinality({Pair[1] : Pair \in Decided.Placed}
                \union {Other \in GroupMembers(Group, Objects) : Other.Spec.NodeName # ""}) >= Group.MinCount
================================================================================
