--------------------------- MODULE KubeFilterSpread ----------------------------
(* The filter PodTopologySpread: DoNotSchedule constraints limit the skew     *)
(* between topology domains.                                                  *)
(*                                                                            *)
(* Pods are counted once, in the snapshot, and the pods added or removed for  *)
(* a trial change that count.  By departure "terminating-uncounted-twice" the *)
(* two disagree: a terminating pod is not counted in the snapshot, but is     *)
(* subtracted when it is removed.                                             *)
EXTENDS KubeFilterNodes, KubeNodeInfo

RequiredSpread(Pod) ==
  SelectSeq(Pod.Spec.TopologySpread, LAMBDA Constraint : Constraint.Required)

InScope(Constraint, Pod, Node) ==
  /\ \A i \in DOMAIN RequiredSpread(Pod) : RequiredSpread(Pod)[i].TopologyKey \in DOMAIN Node.Labels
  /\ Constraint.AffinityHonored => RequiredNodeAffinity(Pod, Node)
  /\ Constraint.TaintsHonored => TaintToleration(Pod, Node)

SpreadWith(Constraint, Pod, Other) ==
  /\ Other.Namespace = Pod.Namespace
  /\ Selects(Constraint.Selector, Other.Labels)

There(Constraint, Pod, Other) ==
  /\ Constraint.Selector # Everything
  /\ ~Other.Terminating
  /\ SpreadWith(Constraint, Pod, Other)

Counts(Constraint, Pod, Snapshot) ==
  LET Scope == {Node \in Nodes(Snapshot) : InScope(Constraint, Pod, Node)}
      Domain(Node) == Node.Labels[Constraint.TopologyKey]
      In(Value) == UNION {Occupants(Node, Snapshot) : Node \in {Each \in Scope : Domain(Each) = Value}}
  IN [Value \in {Domain(Node) : Node \in Scope} |->
       Cardinality({Other \in In(Value) : There(Constraint, Pod, Other)})]

Changed(Counted, Constraint, Pod, Info) ==
  LET Counting(Other) == IF "terminating-uncounted-twice" \in Departures
                         THEN SpreadWith(Constraint, Pod, Other)
                         ELSE There(Constraint, Pod, Other)
      Change == Sum([Other \in DOMAIN Info.Changes |-> IF Counting(Other) THEN Info.Changes[Other] ELSE 0])
  IN IF InScope(Constraint, Pod, Info.Node)
     THEN [Counted EXCEPT ![Info.Node.Labels[Constraint.TopologyKey]] = @ + Change]
     ELSE Counted

Least(Counted, Constraint) ==
  IF Cardinality(DOMAIN Counted) < Constraint.MinDomains THEN 0
  ELSE Min({Counted[Value] : Value \in DOMAIN Counted})

Skew(Constraint, Counted, Pod, Node) ==
  Given(Counted, Node.Labels[Constraint.TopologyKey])
  + (IF SpreadWith(Constraint, Pod, Pod) THEN 1 ELSE 0)
  - Least(Counted, Constraint)

TooSkewed(Constraint, Pod, Info, Snapshot) ==
  LET Counted == Changed(Counts(Constraint, Pod, Snapshot), Constraint, Pod, Info)
  IN Skew(Constraint, Counted, Pod, Info.Node) > Constraint.MaxSkew

PodTopologySpread(Pod, Info, Snapshot) ==
  \A i \in DOMAIN RequiredSpread(Pod) :
    LET Constraint == RequiredSpread(Pod)[i]
    IN /\ Constraint.TopologyKey \in DOMAIN Info.Node.Labels
       /\ ~TooSkewed(Constraint, Pod, Info, Snapshot)

PodTopologySpreadRefusal(Pod, Info, Snapshot) ==
  LET Constraints == RequiredSpread(Pod)
      Keyless == {i \in DOMAIN Constraints : Constraints[i].TopologyKey \notin DOMAIN Info.Node.Labels}
      Skewed == {i \in DOMAIN Constraints \ Keyless : TooSkewed(Constraints[i], Pod, Info, Snapshot)}
  IN IF Keyless \union Skewed = {} THEN Null
     ELSE IF Min(Keyless \union Skewed) \in Keyless THEN Unresolvable("PodTopologySpread")
     ELSE Unschedulable("PodTopologySpread")

PodTopologySpreadSkipped(Pod) == RequiredSpread(Pod) = <<>>
================================================================================
