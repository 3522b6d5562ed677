------------------------- MODULE DeschedulerViolations -------------------------
(* The plugins RemovePodsViolatingNodeTaints, RemovePodsViolatingNodeAffinity *)
(* and RemovePodsViolatingInterPodAntiAffinity of a descheduler.              *)
(*                                                                            *)
(* What a plugin may do next is a set of pairs <<stage, work>>.  A stage is   *)
(* <<number, name>>: parts of a lower number come first.  The first two       *)
(* plugins decide node by node, those of one number in any order.             *)
EXTENDS DeschedulerView, DeschedulerPlans

(* The pods of a node that a run looks at, and its evictor admits. *)
Evictables(Node, Run, Snapshot) ==
  {Pod \in Occupants(Node, Snapshot) : Considered(Pod, Run) /\ AdmittedAtFirst(Pod, Run, Snapshot)}

(* The part of each node that has such pods and is not done. *)
NodeByNode(Number, Done, Found(_), Snapshot) ==
  {<<<<Number, Node.Name>>, ListedWork(GroupOfPods({Identity(Pod) : Pod \in Found(Node)}))>> :
    Node \in {Each \in CycleNodes(Snapshot) : <<Number, Each.Name>> \notin Done /\ Found(Each) # {}}}

TaintNames(Taint) == {<<Taint.Key, "">>, <<Taint.Key, Taint.Value>>}

TaintCounts(Taint, Run) ==
  /\ Taint.Effect \in IF Run.PreferNoSchedule THEN {"NoSchedule", "PreferNoSchedule"} ELSE {"NoSchedule"}
  /\ Run.Included = Null \/ TaintNames(Taint) \intersect Run.Included # {}
  /\ TaintNames(Taint) \intersect Run.Excluded = {}

TaintedPods(Node, Run, Snapshot) ==
  {Pod \in Evictables(Node, Run, Snapshot) :
    \E Taint \in Node.Spec.Taints : TaintCounts(Taint, Run) /\ ~Tolerated(Taint, Pod)}

NodeTaintsWorks(Run, Done, Snapshot) ==
  NodeByNode(0, Done, LAMBDA Node : TaintedPods(Node, Run, Snapshot), Snapshot)

Preference(Pod, Node) ==
  LET Terms == Pod.Spec.Affinity.NodeAffinity.Preferred
  IN Sum([i \in DOMAIN Terms |-> IF MatchTerm(Terms[i].Term, Node) THEN Terms[i].Weight ELSE 0])

Misplaced(Pod, Node, Kind, Snapshot) ==
  IF Kind = "required"
  THEN Pod.Spec.Affinity.NodeAffinity.Required # {} /\ ~RequiredNodeAffinity(Pod, Node)
  ELSE \E Other \in CycleNodes(Snapshot) : Preference(Pod, Other) > Preference(Pod, Node)

MisplacedPods(Node, Kind, Run, Snapshot) ==
  {Pod \in Evictables(Node, Run, Snapshot) :
    Misplaced(Pod, Node, Kind, Snapshot) /\ FitsAny(Pod, CycleNodes(Snapshot), Snapshot)}

(* The kinds of affinity are judged one after the other. *)
NodeAffinityWorks(Run, Done, Snapshot) ==
  LET Of(i) == NodeByNode(i - 1, Done, LAMBDA Node : MisplacedPods(Node, Run.Kinds[i], Run, Snapshot), Snapshot)
      Begun(i) == \A Stage \in Done : Stage[1] <= i - 1
  IN UNION {Of(i) : i \in {Each \in DOMAIN Run.Kinds : Begun(Each)}}

(* From the least important pod of a node on; of equally important ones in any order. *)
RECURSIVE ByImportance(_)
ByImportance(Some) ==
  LET Rank(Pod) == <<Pod.Spec.Priority, FactsSeen(Pod).Qos, IF FactsSeen(Pod).PrefersNoEviction THEN 1 ELSE 0>>
      Least == {Pod \in Some : \A Other \in Some : NoMore(Rank(Pod), Rank(Other))}
  IN IF Some = {} THEN <<>>
     ELSE GroupOfPods({Identity(Pod) : Pod \in Least}) \o ByImportance(Some \ Least)

(* On one node the topology key need not exist. *)
Repels(Pod, Node, Other, OtherNode) ==
  \E Term \in Pod.Spec.Affinity.PodAntiAffinity.Required :
    /\ SelectedBy(Term, Pod, Other)
    /\ Node.Name = OtherNode.Name \/ SameDomain(Term.TopologyKey, Node, OtherNode)

AntiAffinityWorks(Run, Done, Snapshot) ==
  LET Looked(Node) == {Pod \in Occupants(Node, Snapshot) : Considered(Pod, Run)}
      Some == CycleNodes(Snapshot)
      Repelling(Node, Other) ==
        {<<Identity(Pair[1]), Identity(Pair[2])>> : Pair \in {Each \in Looked(Node) \X Looked(Other) :
          Repels(Each[1], Node, Each[2], Other) /\ AdmittedAtFirst(Each[1], Run, Snapshot)}}
      Found == UNION {UNION {Repelling(Node, Other) : Other \in Some} : Node \in Some}
      Order == GroupOfPlans({ByImportance(Looked(Node)) : Node \in Some})
  IN IF Found = {} \/ Done # {} THEN {} ELSE {<<<<0, "">>, VisitingWork(Found, Order)>>}
================================================================================
